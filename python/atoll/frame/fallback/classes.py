# SPDX-License-Identifier: Apache-2.0
"""Which methods fall back to pandas: all public ones of frames, Series and indexes, and of what they make."""

from __future__ import annotations

import inspect
from collections.abc import Hashable, Mapping
from functools import wraps
from types import FunctionType
from typing import Any

from ...io.fallback import pandas_at_work
from ..accessors import Categories, Parts, Texts
from ..classes import CLASSES
from ..core import ELSEWHERE
from ..groupby.groupby import WindowedByGroup
from ..groupby.more_methods import ResampledGroups
from ..groupby.resample import Grouper, Resampler
from ..index.base import IndexCore
from ..select.indexers import At, IAt, ILoc, Loc
from ..window.windows import Windowed
from . import proxy as proxy  # it registers itself with `convert`
from .argument_limits import OF_ARGUMENTS_OF_FRAMES, OF_ARGUMENTS_OF_SERIES
from .calls import (
    GROUPS,
    PARTS,
    PASSING_CODE,
    RECORDED,
    VIEWS,
    _from_outside,
    _stays,
    answer,
    attribute,
    falling_back,
    function_falling_back,
    function_of_pandas,
    is_held_here,
    keep_index,
    operator_falling_back,
    property_falling_back,
    record,
    ufunc_falling_back,
)
from .construction_limits import is_of_pandas
from .convert import REBUILT, arguments_to_pandas, from_pandas, in_known_units, in_pandas, is_array_of_pandas, to_pandas
from .file_limits import OF_FILES, OF_FILES_OF_SERIES
from .group_limits import of_groups
from .index_limits import LimitsOfIndex
from .kinds import casts, is_usual_dtype, of_kinds
from .limits import OF_FRAMES, OF_INDEXERS, OF_SERIES, Limit
from .operand_limits import OF_OPERATORS
from .resample_limits import OF_RESAMPLERS, is_usual_aggregate, resamples
from .shape_limits import SHAPES_OF_FRAMES
from .window_limits import OF_WINDOWS

_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "matmul", "divmod")
_OPERATORS = tuple(f"__{name}__" for name in (*_COMPARISONS, *_ARITHMETIC, *(f"r{one}" for one in _ARITHMETIC),
                   *(f"i{one}" for one in _ARITHMETIC), "neg", "pos", "abs", "invert", "round"))  # fmt: skip
_BRACKETS = ("__getitem__", "__setitem__", "__delitem__", "__contains__", "__iter__", "__len__", "__array_ufunc__",
             "__array__", "__repr__", "__call__")  # fmt: skip
#: What pandas has nothing of; and expressions, of which Atoll refuses some on purpose.
_OWN = frozenset(("map_batches", "map_partitions", "to_pandas", "to_arrow",
                  "from_arrow", "to_polars", "index", "shape", "size", "ndim", "empty",
                  "name", "names", "axes", "nlevels", "dtype", "dtypes", "pipe",
                  "query", "eval"))  # fmt: skip
_INDEXERS = {Loc: "loc", ILoc: "iloc", At: "at", IAt: "iat"}


def install() -> None:
    """Lets the package's classes fall back, once."""
    kind: Any
    for name, limits in (
        ("DataFrame", OF_FRAMES | OF_OPERATORS | OF_ARGUMENTS_OF_FRAMES | SHAPES_OF_FRAMES | OF_FILES),
        ("Series", OF_SERIES | OF_OPERATORS | OF_ARGUMENTS_OF_SERIES | OF_FILES_OF_SERIES),
    ):
        kind = CLASSES[name]
        known = {one: of_kinds(one, limits.get(one)) for one in dir(kind) if not one.startswith("_")}
        special = {one: limit for one, limit in limits.items() if one.startswith("_")}
        _wrap(kind, (*_OPERATORS, *_BRACKETS), {**known, **special, "astype": casts, "resample": resamples})
        _wrap_init(kind, place_of_dtype=2 if name == "Series" else 3)
        _wrap_index(kind)
    for index in (*_indexes(CLASSES["Index"]), CLASSES["MultiIndex"]):
        _wrap(index, (*_OPERATORS, *_BRACKETS), LimitsOfIndex(index.__name__))
        _wrap_new(index)
        _wrap_attributes_of_index(index)
    for kind, name in _INDEXERS.items():
        _wrap(kind, _BRACKETS, OF_INDEXERS)
        VIEWS[kind] = _indexer_of_pandas(name)
        PARTS.add(kind)
    for kind in (Texts, Parts, Categories):
        name = kind.in_pandas
        _wrap(kind, _BRACKETS)
        _wrap_attributes(kind)
        REBUILT[kind] = _accessor_of_pandas(name)
        PARTS.add(kind)
    for kind in (CLASSES["SeriesGroupBy"], CLASSES["DataFrameGroupBy"], Windowed, WindowedByGroup, Resampler,
                 ResampledGroups):  # fmt: skip
        RECORDED.add(kind)
        _wrap(kind, _BRACKETS, OF_WINDOWS if issubclass(kind, Windowed) else _limits_of_groups(kind))
        _wrap_attributes(kind)
        _add_missing(kind, ("__iter__", "__len__"))
        REBUILT[kind] = _made_again
    for kind in (
        CLASSES["DataFrame"],
        CLASSES["Series"],
        CLASSES["SeriesGroupBy"],
        CLASSES["DataFrameGroupBy"],
        Windowed,
    ):
        PASSING_CODE.add(inspect.unwrap(kind.pipe).__code__)
    GROUPS.update((CLASSES["SeriesGroupBy"], CLASSES["DataFrameGroupBy"]))
    REBUILT[Grouper] = _grouper_of_pandas
    ELSEWHERE.append(_attribute_of_pandas)


#: Functions of the package that pandas has, too.
FUNCTIONS = (
    "bdate_range", "concat", "crosstab", "cut", "date_range", "factorize", "from_dummies", "get_dummies", "infer_freq",
    "interval_range", "lreshape", "melt", "merge", "merge_asof", "merge_ordered", "period_range", "pivot",
    "pivot_table", "qcut", "timedelta_range", "to_datetime", "to_numeric", "to_timedelta", "unique", "wide_to_long",
    "isna", "notna", "isnull", "notnull",
)  # fmt: skip


def install_functions(namespace: dict[str, Any]) -> None:
    """Lets the functions of a module fall back."""
    for name in FUNCTIONS:
        found = namespace.get(name)
        if isinstance(found, FunctionType) and not getattr(found, "falls_back", False):
            namespace[name] = function_falling_back(found, name)
            namespace[name].falls_back = True


def _indexes(base: Any) -> list[Any]:
    """A class and all that are derived from it."""
    return [base, *(one for derived in base.__subclasses__() for one in _indexes(derived))]


def _limits_of_groups(kind: type) -> Mapping[str, Limit | None]:
    if kind.__name__ not in ("SeriesGroupBy", "DataFrameGroupBy"):
        return OF_RESAMPLERS if kind is Resampler else {}
    return {name: of_kinds(f"groupby.{name}", of_groups(name)) for name in dir(kind) if not name.startswith("_")}


def _wrap(kind: type, special: tuple[str, ...], limits: Mapping[str, Limit | None] | None = None) -> None:
    limits = {} if limits is None else limits
    wrapped: dict[int, Any] = {}
    for name in dir(kind):
        if (name.startswith("_") and name not in special) or name in _OWN:
            continue
        found = inspect.getattr_static(kind, name)
        if isinstance(found, FunctionType) and found.__module__.startswith("atoll."):
            if getattr(found, "falls_back", False):
                continue
            made = wrapped.get(id(found))
            if made is None:
                plain = name in _OPERATORS or (name in _BRACKETS and name not in _MAKERS and name != "__call__")
                if name == "__array_ufunc__":
                    made = ufunc_falling_back(found, limits.get(name))
                elif plain:
                    made = operator_falling_back(found, name, limits.get(name))
                else:
                    made = falling_back(found, name, name in _MAKERS, limits.get(name))
                made.falls_back = True  # type: ignore[attr-defined]
                wrapped[id(found)] = made
            setattr(kind, name, made)
        elif isinstance(found, property) and found.fget is not None and not getattr(found.fget, "falls_back", False):
            if found.fget.__module__.startswith("atoll.") and name not in _OWN:
                made = property_falling_back(found, name)
                made.fget.falls_back = True  # type: ignore[union-attr]
                setattr(kind, name, made)
        elif isinstance(found, classmethod):
            setattr(kind, name, _classmethod(kind, found, name))


#: Methods whose results are known by the call.
_MAKERS = frozenset(("groupby", "rolling", "expanding", "ewm", "resample", "__getitem__"))


def _made_again(value: object) -> Any:
    recipe = value.__dict__.get("_recipe")
    if recipe is None:
        raise NotImplementedError(f"{type(value).__name__} is not known to pandas")
    of, name, args, kwargs = recipe
    of = to_pandas(of)
    if name == "__getattr__":
        return getattr(of, args[0])
    held, named = arguments_to_pandas(args, kwargs)
    return getattr(of, name)(*held, **named)


def _indexer_of_pandas(name: str) -> Any:
    def made(indexer: Any, rows: Any) -> Any:
        found = getattr(rows, name)
        return found if indexer._axis is None else found(axis=indexer._axis)

    return made


def _accessor_of_pandas(name: str) -> Any:
    def made(accessor: Any) -> Any:
        import pandas as pd

        rows = to_pandas(accessor._of)
        return getattr(pd.Index(rows) if accessor._to_index else rows, name)

    return made


def _grouper_of_pandas(grouper: Any) -> Any:
    import pandas as pd

    given = {
        name: getattr(grouper, name) for name in ("key", "level", "freq", "closed", "label", "offset", "convention")
    }
    given = {name: to_pandas(one) for name, one in given.items() if one is not None}
    if grouper.freq is not None:
        given["origin"] = to_pandas(grouper.origin)
    return pd.Grouper(**given)


def _wrap_attributes(kind: type) -> None:
    """Attributes that are found when they are asked for."""
    native = inspect.getattr_static(kind, "__getattr__", None)
    windows = issubclass(kind, (Windowed, WindowedByGroup))

    def found_or_of_pandas(self: Any, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"'{kind.__name__}' object has no attribute '{name}'")
        try:
            if native is None:
                raise AttributeError(f"'{kind.__name__}' object has no attribute '{name}'")
            found = native(self, name)
        except Exception as error:
            if not _from_outside(1) or _stays(error, self):
                raise
            return attribute(self, name)
        resampled = kind is Resampler and isinstance(found, FunctionType) and _from_outside(1)
        if resampled and in_pandas() and not is_usual_aggregate(self, name):
            return attribute(self, name)
        if kind in PARTS and in_pandas() and callable(found) and is_held_here(self) and _from_outside(1):
            return attribute(self, name)
        if type(found) in RECORDED:
            record(found, self, "__getattr__", (name,), {})
        elif isinstance(found, FunctionType):
            if windows and in_pandas() and not hasattr(_windows_of_pandas(self), name):
                raise AttributeError(f"'{_windows_of_pandas(self).__name__}' object has no attribute '{name}'")
            return _bound(self, name, found)
        return found

    kind.__getattr__ = found_or_of_pandas  # type: ignore[attr-defined]


#: Attributes of indexes that are arrays in pandas: of Python's objects, or its own.
_OF_PYTHON = frozenset(("date", "time", "_data", "_with_freq"))


def _wrap_attributes_of_index(kind: type) -> None:
    """Attributes of pandas' indexes that ours lack."""
    native = kind.__dict__.get("__getattr__") or getattr(kind, "__getattr__", None)
    if getattr(native, "falls_back", False) and "__getattr__" not in kind.__dict__:
        return

    def found_or_of_pandas(self: Any, name: str) -> Any:
        stepping = name == "as_unit" and getattr(self, "freqstr", None) is not None  # the result has the steps, too
        if (stepping or name in _OF_PYTHON) and in_pandas() and _from_outside(1):
            return attribute(self, name)
        try:
            if native is None:
                raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
            return native(self, name)
        except Exception as error:
            if name.startswith("_") or not _from_outside(1) or _stays(error, self):
                raise
            try:
                return attribute(self, name)
            except AttributeError:
                raise error from None

    found_or_of_pandas.falls_back = True  # type: ignore[attr-defined]
    kind.__getattr__ = found_or_of_pandas  # type: ignore[attr-defined]


def _windows_of_pandas(windows: Any) -> type:
    """The class that windows have in pandas, by the call that made them."""
    from pandas.api import typing

    name = windows.__dict__.get("_recipe", (None, "rolling"))[1]
    names = {"rolling": "Rolling", "expanding": "Expanding", "ewm": "ExponentialMovingWindow"}
    return getattr(typing, names.get(name, "Rolling"))


def _bound(of: object, name: str, native: Any) -> Any:
    @wraps(native)
    def method(*args: object, **kwargs: object) -> Any:
        try:
            return native(*args, **kwargs)
        except Exception as error:
            if not _from_outside(1) or _stays(error, of):
                raise
            return answer(of, name, args, kwargs, error)

    method.__name__ = name
    return method


def _add_missing(kind: type, names: tuple[str, ...]) -> None:
    for name in names:
        if inspect.getattr_static(kind, name, None) is None:

            def method(self: Any, _name: str = name) -> Any:
                return answer(self, _name, (), {}, None)

            setattr(kind, name, method)


def _wrap_init(kind: Any, place_of_dtype: int) -> None:
    native = kind.__init__

    @wraps(native)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        dtype = args[place_of_dtype] if len(args) > place_of_dtype else kwargs.get("dtype")
        if args and in_pandas() and _from_outside(1):
            args = (in_known_units(args[0]), *args[1:])
        unusual = dtype is not None and not is_usual_dtype(dtype)
        whole = kind.__name__ == "DataFrame" and len(args) > 0 and is_array_of_pandas(args[0])
        if (unusual or whole) and in_pandas() and _from_outside(1):
            with pandas_at_work(kind.__name__):
                self._replace(function_of_pandas(kind.__name__, args, kwargs, None))
            return
        try:
            native(self, *args, **kwargs)
        except Exception as error:
            if not _from_outside(1) or _stays(error, None):
                raise
            with pandas_at_work(kind.__name__):
                self._replace(function_of_pandas(kind.__name__, args, kwargs, error))
            return
        given = args[1] if len(args) > 1 else kwargs.get("index")
        if isinstance(given, IndexCore) and _from_outside(1):
            keep_index(self, given)

    kind.__init__ = init


def _wrap_index(kind: Any) -> None:
    """Setting `index` takes the very object that a caller gives."""
    native = kind.index

    def put_index(self: Any, labels: Any) -> None:
        native.fset(self, labels)
        if isinstance(labels, IndexCore) and (_from_outside(1) or _from_outside(2)):  # frames have a `__setattr__`
            keep_index(self, labels)

    kind.index = property(native.fget, put_index, None, native.__doc__)


def _wrap_new(kind: Any) -> None:
    if "__new__" not in kind.__dict__:
        return
    native = kind.__new__

    @wraps(native)
    def new(cls: Any, *args: object, **kwargs: object) -> Any:
        if in_pandas() and _from_outside(1):
            args = tuple(map(in_known_units, args))
            _check_index(cls.__name__, args, kwargs)
        objects = kwargs.get("dtype") in (object, "object", "category")
        if (objects or is_of_pandas(cls.__name__, "new", args, kwargs)) and in_pandas() and _from_outside(1):
            with pandas_at_work(cls.__name__):
                return function_of_pandas(cls.__name__, args, kwargs, None)
        try:
            return native(cls, *args, **kwargs)
        except Exception as error:
            if not _from_outside(1) or _stays(error, None):
                raise
            with pandas_at_work(cls.__name__):
                return function_of_pandas(cls.__name__, args, kwargs, error)

    kind.__new__ = new


def _check_index(kind: str, args: tuple[object, ...], kwargs: dict[str, Any]) -> None:
    """Raises what pandas raises for an index of nothing, and for a name that is no key of a dict."""
    if kind in ("RangeIndex", "MultiIndex"):
        return
    if not args and "data" not in kwargs:
        function_of_pandas(kind, args, kwargs, None)
    if not isinstance(kwargs.get("name"), Hashable):
        raise TypeError(f"{kind}.name must be a hashable type")


def _classmethod(kind: type, native: Any, name: str) -> Any:
    function = native.__func__
    if not function.__module__.startswith("atoll."):
        return native

    @wraps(function)
    def method(cls: Any, *args: Any, **kwargs: Any) -> Any:
        theirs = in_pandas() and is_of_pandas(kind.__name__, name, args, kwargs) and _from_outside(1)
        try:
            if theirs:
                raise NotImplementedError("pandas makes indexes of these arguments")
            return function(cls, *args, **kwargs)
        except Exception as error:
            if not _from_outside(1) or _stays(error, None):
                raise
            import pandas as pd

            known = getattr(getattr(pd, kind.__name__), name, None)
            if known is None:
                raise
            with pandas_at_work(f"{kind.__name__}.{name}"):
                held, named = arguments_to_pandas(args, kwargs)
                return from_pandas(known(*held, **named))

    return classmethod(method)


def _attribute_of_pandas(rows: Any, name: str) -> Any:
    if name.startswith("_"):
        return None
    import pandas as pd

    if not hasattr(getattr(pd, type(rows).__name__), name):
        return None
    return attribute(rows, name)
