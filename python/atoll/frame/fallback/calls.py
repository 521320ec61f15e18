# SPDX-License-Identifier: Apache-2.0
"""A call of a method: Atoll's own first, then pandas' where Atoll refuses the arguments or would ignore some.

The call is repeated on rows in pandas' classes. Its result comes back in ours; its error is the caller's error, so
types and messages are pandas'. Only calls from outside the package fall back: within it, errors are seen as they are.
"""

from __future__ import annotations

import inspect
import operator
import sys
from collections.abc import Callable, Iterator
from functools import partial, wraps
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from ...arrays.ndarray import ndarray
from ...columns.categorical.categorical import Categorical
from ...columns.column import Column
from ...columns.datetime.periods import Periods
from ...columns.datetime.ticks import Ticks
from ...columns.foreign import Foreign
from ...columns.objects import Objects
from ...columns.window.bounded import WindowBoundsError
from ...io.fallback import by_pandas, given, pandas_at_work
from ..classes import is_frame, is_series, put
from ..groupby.groups import is_column_of
from ..index.base import IndexCore
from .convert import (
    SCALARS,
    arguments_to_pandas,
    from_pandas,
    in_pandas,
    is_array_of_pandas,
    rows_from_pandas,
    to_pandas,
    told,
    told_each,
)
from .limits import OF_FUNCTIONS, Limit, columns_of, covers
from .nullable import as_nullable, bools_as_objects, tests_as_nullable
from .parameters import ignored
from .shape_limits import SHAPES
from .warned import (
    OF_INDEXER,
    OF_METHOD,
    OF_SETTING,
    changes_in_place,
    warn_of_chaining,
    warn_of_dates_in_json,
    warn_of_deprecation,
)
from .window_limits import WINDOWS, is_usual_window
from .written import write_whole

#: Errors that say nothing of what Atoll can do with these arguments: of files, of memory, of the session, of packages
#: that are not installed. A PeFailedError is a RuntimeError.
_FINAL = (OSError, MemoryError, RuntimeError, ImportError, Warning)
#: Errors of a look-up, which more rows than this are not collected for.
_LOOKUPS = (KeyError, IndexError)
_MANY = 1 << 20
#: Labels of an index of which no warning says that pandas has them.
_FEW = 10_000
#: Methods that change what they are called on.
CHANGING = frozenset((
    "__setitem__", "__delitem__", "insert", "isetitem", "pop", "update",
    *(f"__i{name}__" for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor")),
))  # fmt: skip


#: Modules of this package whose functions stand between a caller and a method: the caller is the one before them.
PASSING: set[str] = set()
#: The code of methods that call the caller's function themselves: `pipe`.
PASSING_CODE: set[CodeType] = set()


def _from_outside(depth: int) -> bool:
    frame = sys._getframe(depth + 1)
    if frame.f_code in PASSING_CODE and frame.f_back is not None:
        frame = frame.f_back
        if frame.f_globals.get("__name__") == __name__ and frame.f_back is not None:
            frame = frame.f_back  # the wrapper of that method
    name = frame.f_globals.get("__name__", "")
    if name in PASSING and frame.f_back is not None:
        name = frame.f_back.f_globals.get("__name__", "")
    return not name.startswith("atoll.")


def _of_caller(error: BaseException) -> bool:
    """Whether a function of the caller's, or a window's indexer, raised an error that is not about our objects."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    module = trace.tb_frame.f_globals.get("__name__", "") if trace is not None else ""
    ours = module.split(".")[0] in ("atoll", "numpy", "pandas", "pyarrow") and module != "pandas.core.indexers.objects"
    return not ours and not isinstance(error, (TypeError, AttributeError))


def _stays(error: BaseException, of: object) -> bool:
    """Whether an error is the caller's to see at once."""
    if isinstance(error, _FINAL) and not isinstance(error, NotImplementedError):
        return True
    if _of_caller(error) or isinstance(error, WindowBoundsError):  # pandas would read other memory
        return True
    size = getattr(of, "size", 0)
    return isinstance(error, _LOOKUPS) and isinstance(size, int) and size > _MANY


#: For views of rows that can be set, such as `loc`: the same view of the rows in pandas.
VIEWS: dict[type, Callable[[Any, Any], Any]] = {}
#: Objects that are known to pandas by the call that made them.
RECORDED: set[type] = set()


#: Groups of Series and of frames.
GROUPS: set[type] = set()
#: Indexers and accessors, which are what rows are that they belong to.
PARTS: set[type] = set()
#: Kinds of results that may have to be told in pandas' classes.
TOLD = frozenset((*SCALARS, list, dict, float, ndarray, tuple))
#: Properties that pandas answers for rows that are whole in this process.
OF_HELD = frozenset((
    "is_monotonic_increasing", "is_monotonic_decreasing", "hasnans", "values", "nbytes",
    "inferred_type", "is_unique", "array",
))  # fmt: skip
_COMPARING = frozenset(f"__{name}__" for name in ("eq", "ne", "lt", "le", "gt", "ge"))


def _reflected(operation: Callable[[Any, Any], Any], right: object, left: object) -> Any:
    return operation(left, right)


#: Operators of two sides by their special names, the reflected ones by those of the plain ones.
OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    **{name: getattr(operator, name) for name in _COMPARING},
    **{f"__{name.strip('_')}__": getattr(operator, name)
       for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "matmul")},
    "__divmod__": divmod,
}  # fmt: skip
OPERATIONS |= {
    f"__r{name[2:]}": partial(_reflected, made) for name, made in OPERATIONS.items() if name not in _COMPARING
}


def answer(
    of: object,
    name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    error: BaseException | None,
    silent: bool = False,
) -> Any:
    """Result of pandas for a call. `error`, the reason, is raised again when an argument cannot be converted."""
    with pandas_at_work(f"{_shown(of)}.{name}"):
        return _answered(of, name, args, kwargs, error, silent)


def _answered(
    of: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], error: BaseException | None, silent: bool
) -> Any:
    view = VIEWS.get(type(of))
    owner = of if view is None else of._of
    try:
        rows = to_pandas(owner)
        target = rows if view is None else view(of, rows)
        method = partial(OPERATIONS[name], target) if name in OPERATIONS else getattr(target, name)
        held, named = arguments_to_pandas(args, kwargs)
        if name == "__setitem__" and isinstance(args[-1], FunctionType):  # a value, which is not called
            held[-1] = args[-1]
        if kwargs.get("engine") == "numba":  # it compiles the caller's function, not one around it
            held = [own if isinstance(own, FunctionType) else one for own, one in zip(args, held, strict=True)]
            named |= {key: own for key, own in kwargs.items() if isinstance(own, FunctionType)}
    except Exception as conversion:
        if error is None or (type(of) in RECORDED and not isinstance(conversion, NotImplementedError)):
            raise conversion from None  # pandas refuses the call that made the groups or windows
        raise error from None
    try:
        made = write_whole(method, name, held, named)
    except Exception as refused:
        if error is not None and type(refused).__module__.startswith("pyarrow"):  # says nothing of the caller's data
            raise error from None
        raise
    if not silent and not _is_small_index(of):
        by_pandas(f"{_shown(of)}.{name}", sorted(kwargs) if error is None else ())
    if (name in CHANGING and not isinstance(owner, IndexCore)) or _in_place(method, args, kwargs):
        owner._replace(from_pandas(rows))
    return owner if made is rows else from_pandas(made)


def _is_small_index(of: object) -> bool:
    """Whether these are so few labels that collecting them is not worth a warning."""
    return isinstance(of, IndexCore) and of.size <= _FEW


def _shown(of: object) -> str:
    return type(of).__name__


def _in_place(method: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    if "inplace" in kwargs:
        return bool(kwargs["inplace"])
    if not args or not any(one is True for one in args):
        return False
    try:
        return inspect.signature(method).bind(*args, **kwargs).arguments.get("inplace") is True
    except (TypeError, ValueError):
        return False


def _differs(of: object, name: str, lost: set[str], kwargs: dict[str, Any]) -> bool:
    """Whether parameters that we would ignore have other values than pandas' defaults."""
    if not lost <= set(kwargs):
        return True
    import pandas as pd

    kind = getattr(pd, type(of).__name__, None)
    method = getattr(kind, name, None)
    try:
        usual = {one.name: one.default for one in inspect.signature(method).parameters.values()} if method else {}
    except (TypeError, ValueError):
        usual = {}
    if any(name not in usual for name in lost):
        return True
    return bool(given({name: kwargs[name] for name in lost}, usual))


#: Methods that are ours whatever the columns hold: they look at no value.
STRUCTURAL = frozenset((
    "copy", "head", "tail", "items", "iterrows", "itertuples", "keys", "get", "assign", "pipe", "to_frame",
    "to_list", "tolist", "to_numpy", "rename", "drop", "set_axis", "rename_axis", "insert", "pop", "groupby",
    "rolling", "expanding", "ewm", "resample", "to_series", "isna", "notna", "isnull",
    "notnull", "dropna", "add_prefix", "add_suffix", "to_csv", "to_json", "to_sql", "to_hdf", "to_parquet",
    "to_feather", "to_orc", "to_html", "to_string", "to_markdown", "info", "__call__",
))  # fmt: skip


def _selects_columns(of: object, name: str, args: tuple[Any, ...]) -> bool:
    """Whether a call selects columns of a frame by strings, which looks at no value either."""
    if name != "__getitem__" or not is_frame(of):
        return False
    (labels,) = args
    return type(labels) is str or (type(labels) is list and all(type(one) is str for one in labels))


def is_held_here(of: Any) -> bool:
    """Whether no data is collected for pandas: rows that are none, or objects, which each process holds anyway."""
    of = of._of if type(of).__name__ in ("SeriesGroupBy", "DataFrameGroupBy") else of
    if is_frame(of):
        if not len(of._index) or not of._columns:
            return True
        return any(type(one) in _HELD for one in list.__iter__(of._columns))
    if type(of) in PARTS:
        return is_held_here(of._of)
    values = of._column if isinstance(of, IndexCore) else getattr(of, "_values", None)
    if type(values) is list:  # the levels of a MultiIndex
        return any(type(one) in _HELD for one in values)
    return type(values) in _HELD or (values is not None and values.size == 0)


_HELD = (Objects, Foreign)


#: Methods that write files or tables. Pandas writes for them because of a parameter that ours lack, which is decided
#: before the call. After ours has begun, its error stands: a second attempt would replace what the first one kept.
WRITERS = frozenset((
    "to_csv", "to_json", "to_sql", "to_hdf", "to_parquet", "to_feather", "to_orc", "to_html", "to_string",
    "to_markdown", "to_zarr", "to_arrow", "to_iceberg", "save",
))  # fmt: skip
_TARGETS = ("path", "path_or_buf", "buf", "name", "con")


def _writes(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call writes to a place that the caller names; others return what they make."""
    return name in WRITERS and any(one is not None for one in (*args[:1], *map(kwargs.get, _TARGETS)))


def falling_back(
    native: Callable[..., Any], name: str, records: bool = False, limit: Limit | None = None
) -> Callable[..., Any]:
    """A method that pandas answers where `native` raises, or would ignore arguments."""

    @wraps(native)
    def method(self: Any, *args: object, **kwargs: object) -> Any:
        outside = _from_outside(1)
        if outside:
            if kwargs or name == "update":
                if changes_in_place(name, kwargs):
                    references = sys.getrefcount(self)
                    warn_of_chaining(self, references, OF_METHOD, name)
                warn_of_deprecation(self, name, kwargs)
            args, kwargs = rows_from_pandas(args, kwargs)
            lost = ignored(native, args, kwargs) if args or kwargs else None
            if lost and _differs(self, name, lost, kwargs):
                return answer(self, name, args, kwargs, None)
            if name not in STRUCTURAL and is_held_here(self) and not _selects_columns(self, name, args):
                return answer(self, name, args, kwargs, None, silent=True)
            if limit is not None and not covers(limit, (self, *args), kwargs):
                made = answer(self, name, args, kwargs, None)
                of_index = name in _OF_INDEX and isinstance(self, IndexCore)
                return _with_index_of(made, self, name, args, kwargs) if of_index else made
            if name == "to_json":
                warn_of_dates_in_json(self, kwargs)
            if records and name in WINDOWS and not is_usual_window(name, args, kwargs):
                _refuse_as_pandas(self, name, args, kwargs)
        try:
            made = native(self, *args, **kwargs)
        except Exception as error:
            if not outside or _stays(error, self) or _writes(name, args, kwargs):
                raise
            return answer(self, name, args, kwargs, error)
        if records and type(made) in RECORDED:
            record(made, self, name, args, kwargs)
        if outside and name in _OF_INDEX and isinstance(self, IndexCore):
            _with_index_of(made, self, name, args, kwargs)
        if outside and name in _ITERATING:
            return told_each(made)
        if outside and type(self) in GROUPS and (is_frame(made) or is_series(made)) and in_pandas():
            return as_nullable(self, name, args, kwargs, made)
        if outside and name == "isin" and in_pandas() and (is_series(self) or is_frame(self)):
            return tests_as_nullable(made, self)
        if outside and name not in _CONVERTING and in_pandas() and (is_series(made) or is_frame(made)):
            made = bools_as_objects(made, self._of if type(self) in GROUPS else self)
        if outside and name == "unique" and is_series(self) and in_pandas():
            return to_pandas(made)
        return _told_of(self, name, made) if outside and type(made) in TOLD else made

    return method


#: Methods of an index that make rows of it.
_OF_INDEX = frozenset(("to_frame", "to_series"))


def keep_index(rows: Any, given: Any, known: bool = False) -> None:
    """Gives rows the very index that a caller gave, as pandas does, where they are known to have its labels."""
    if not isinstance(given, IndexCore) or type(rows._index) is not type(given) or rows._index.size != given.size:
        return
    own: Any = rows._index
    if known or own is given or own.is_(given):
        given._held = True
        put(rows, "_index", given)


def _with_index_of(made: Any, of: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Rows made of an index, which have the index that is given, or the index itself."""
    given = kwargs.get("index", args[0] if args else None)
    keep_index(made, of if name == "to_frame" and given is not False else given, known=True)
    return made


#: Methods whose results have the dtypes that the caller asks for.
_CONVERTING = frozenset(("astype", "convert_dtypes"))
#: Methods that give an iterator over values, or over tuples of them.
_ITERATING = frozenset(("__iter__", "items", "itertuples"))


def _refuse_as_pandas(of: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raises what pandas raises for the parameters of windows, which it checks before it looks at rows."""
    if not in_pandas() or not (is_frame(of) or is_series(of)):
        return
    held, named = arguments_to_pandas(args, kwargs)
    if any(hasattr(one, "__len__") and not isinstance(one, str) for one in (*held, *named.values())):
        return  # they have a value for each row
    getattr(of._cut(slice(0, 0)).to_pandas(), name)(*held, **named)


def _told_of(of: object, name: str, made: Any) -> Any:
    """A result as the caller gets it where pandas is in use: NumPy's arrays, and NA for a missing nullable value."""
    if not in_pandas():
        return made
    if type(made) is float:  # a missing value
        nullable = made != made and name in _GIVING_VALUES and _is_nullable(of)
        return _missing_value() if nullable else made
    if type(made) is ndarray:
        return made.to_numpy()
    if type(made) is tuple:  # of arrays
        return tuple(one.to_numpy() if type(one) is ndarray else one for one in made)
    return told(made)


#: Methods that give one value: NA where it is a missing one of a nullable dtype.
_GIVING_VALUES = frozenset((
    "__getitem__", "sum", "prod", "product", "min", "max", "mean", "median", "std", "var", "sem",
))  # fmt: skip


def _is_nullable(of: Any) -> bool:
    rows = of._of if type(of) in PARTS else of
    return is_series(rows) and type(rows._values) is Column


def _missing_value() -> Any:
    import pandas as pd

    return pd.NA


def record(made: object, of: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Notes the call that made an object, on rows that later changes of the frame leave as they are."""
    of = of.copy() if is_frame(of) or is_series(of) else of
    if name == "groupby" and is_frame(of) and args:
        args = (_labels_of_keys(of, args[0]), *args[1:])
    made.__dict__["_recipe"] = (of, name, args, kwargs)


def _labels_of_keys(of: Any, keys: Any) -> Any:
    """The keys of groups with labels in place of the frame's own columns, which pandas knows by their memory."""
    if isinstance(keys, list):
        return [_labels_of_keys(of, one) for one in keys]
    return keys._name if is_series(keys) and is_column_of(of, keys) else keys


_STORED = frozenset(("__len__", "__iter__", "__contains__", "__array__", "__array_ufunc__", "__setitem__"))


def _is_array_of_objects(of: Any, dtype: Any) -> bool:
    """Whether NumPy's array of rows has pandas' objects: datetimes in a zone, and others where the caller asks so."""
    if not in_pandas() or not (is_frame(of) or is_series(of)):
        return False
    every = [one for one in columns_of(of) if isinstance(one, (Ticks, Categorical, Periods))]
    asked = dtype is not None and np.dtype(dtype) == object
    return bool(every) and (asked or (dtype is None and any(getattr(one, "tz", None) is not None for one in every)))


def operator_falling_back(native: Callable[..., Any], name: str, limit: Limit | None = None) -> Callable[..., Any]:
    """The same of an operator of one or two sides."""
    sets = name == "__setitem__"

    @wraps(native)
    def method(self: Any, *args: object, **kwargs: Any) -> Any:  # __array__ alone has names: dtype and copy
        outside = _from_outside(1)
        if outside:
            if sets:
                if type(self) in PARTS:
                    references = sys.getrefcount(self._of)
                    warn_of_chaining(self._of, references, OF_INDEXER)
                else:
                    references = sys.getrefcount(self)
                    warn_of_chaining(self, references, OF_SETTING, name)
            args, _ = rows_from_pandas(args, {})
            if name not in _STORED and is_held_here(self):
                return answer(self, name, args, kwargs, None, silent=True)
            if name == "__array__" and _is_array_of_objects(self, (args or (kwargs.get("dtype"),))[0]):
                return to_pandas(self).__array__(*args, **kwargs)
            if limit is not None and not covers(limit, (self, *args), kwargs):
                # Rows beside objects, which this process holds whole, are as few as those.
                return answer(self, name, args, kwargs, None, silent=any(map(is_held_here, args)))
        try:
            made = native(self, *args, **kwargs)
        except Exception as error:
            if not outside or kwargs.get("copy") is False or _stays(error, self):  # pandas' answer were a copy
                raise
            objects = any(is_held_here(one) for one in args if is_series(one) or is_frame(one))
            return answer(self, name, args, kwargs, error, silent=objects)
        return told_each(made) if outside and name in _ITERATING else made

    method.__name__ = name  # many operators are made by one function
    return method


def ufunc_falling_back(native: Callable[..., Any], limit: Limit | None = None) -> Callable[..., Any]:
    """NumPy's functions of our objects, which pandas answers where ours is none, or has no such option."""

    @wraps(native)
    def method(self: Any, ufunc: Any, how: str, *inputs: object, **options: Any) -> Any:
        outside = _from_outside(1)
        made = NotImplemented
        if not outside or (not options and (limit is None or covers(limit, (self, ufunc, how, *inputs), {}))):
            try:
                made = native(self, ufunc, how, *inputs, **options)
            except Exception as error:
                if not outside or _stays(error, self):
                    raise
        out = options.get("out", ())
        if made is not NotImplemented or not outside or any(type(one).__module__.startswith("atoll.") for one in out):
            return made
        with pandas_at_work(f"{_shown(self)}.{ufunc.__name__}"):
            made = getattr(ufunc, how)(*map(to_pandas, inputs), **{key: to_pandas(one) for key, one in options.items()})
            if not is_held_here(self) and not _is_small_index(self):
                by_pandas(f"{_shown(self)} given to numpy.{ufunc.__name__}", sorted(options))
            return from_pandas(made)

    return method


#: Accessors of a Series, which pandas refuses for values that are not of their kind.
_ACCESSORS = frozenset(("str", "dt", "cat"))
#: Properties that are pandas' arrays where pandas is in use: of numbers NumPy's.
_ARRAYS = frozenset(("array", "values"))


def _is_plain_array(of: object, name: str) -> bool:
    return is_frame(of) or (name == "values" and type(getattr(of, "_values", None)) is ndarray)


def property_falling_back(native: property, name: str) -> property:
    """A property that pandas answers, and sets, where ours raises."""

    def get(self: Any) -> Any:
        try:
            accessor = name in _ACCESSORS and in_pandas() and (_from_outside(1) or _from_outside(2))  # `__getattr__`
            if (accessor or (name in OF_HELD and _from_outside(1))) and is_held_here(self):
                return from_pandas(getattr(to_pandas(self), name))
            if name in _ARRAYS and in_pandas() and _from_outside(1) and not _is_plain_array(self, name):
                return getattr(to_pandas(self), name)
            made = native.fget(self)  # type: ignore[misc]
            return told(made) if type(made) in TOLD and _from_outside(1) else made
        except Exception as error:
            if not _from_outside(1) or _stays(error, self):
                raise
            try:
                return from_pandas(getattr(to_pandas(self), name))
            except NotImplementedError:
                raise error from None

    def put(self: Any, value: object) -> None:
        try:
            native.fset(self, value)  # type: ignore[misc]
        except Exception as error:
            if not _from_outside(1) or _stays(error, self):
                raise
            rows = to_pandas(self)
            setattr(rows, name, to_pandas(value))
            self._replace(from_pandas(rows))

    return property(get, put if native.fset is not None else None, native.fdel, native.__doc__)


def attribute(of: object, name: str) -> Any:
    """An attribute of pandas' classes that ours lack: a method that pandas answers, or a value."""
    found = getattr(to_pandas(of), name)
    if not callable(found) or isinstance(found, type):
        return from_pandas(found)

    def method(*args: object, **kwargs: object) -> Any:
        return answer(of, name, args, kwargs, None)

    method.__name__ = name
    method.__doc__ = found.__doc__
    return method


#: Functions whose first argument may be an iterator over rows.
_OF_ITERABLES = frozenset(("concat",))


def function_falling_back(native: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A function of the package that pandas answers where ours raises, or would ignore arguments."""

    limit = OF_FUNCTIONS.get(name) or SHAPES.get(name)

    @wraps(native)
    def function(*args: object, **kwargs: object) -> Any:
        error: Exception | None = None
        if not _from_outside(1):
            return native(*args, **kwargs)
        if name in _OF_ITERABLES and args and isinstance(args[0], Iterator):
            args = (list(args[0]), *args[1:])  # an iterator gives its elements only once
        args, kwargs = rows_from_pandas(args, kwargs)
        lost = ignored(native, args[1:], kwargs) if kwargs or len(args) > 1 else ()
        if not lost and not (args and is_array_of_pandas(args[0])) and (limit is None or covers(limit, args, kwargs)):
            try:
                made = told(native(*args, **kwargs))
                return made.to_numpy() if type(made) is ndarray and in_pandas() else made
            except Exception as raised:
                if _stays(raised, None):
                    raise
                error = raised
        with pandas_at_work(name):
            made = function_of_pandas(name, args, kwargs, error)
            if any(map(is_collected, (*args, *kwargs.values()))):
                by_pandas(name, sorted(lost))
            return made

    return function


def is_collected(value: Any) -> bool:
    """Whether data of ours has to be collected for pandas to see a value."""
    if isinstance(value, (list, tuple)):
        return any(map(is_collected, value))
    if isinstance(value, dict):
        return any(map(is_collected, value.values()))
    if isinstance(value, IndexCore):
        return value.size > _FEW
    return (is_frame(value) or is_series(value) or isinstance(value, (ndarray, Column))) and len(value) > 0


def function_of_pandas(name: str, args: Any, kwargs: Any, error: Exception | None) -> Any:
    """Result of a function or class of pandas. `error` is raised again when the arguments cannot be converted."""
    import pandas as pd

    try:
        held, named = arguments_to_pandas(args, kwargs)
    except Exception:
        if error is None:
            raise
        raise error from None
    return from_pandas(getattr(pd, name)(*held, **named))
