# SPDX-License-Identifier: Apache-2.0
"""Arguments and results of calls that pandas answers: from our classes to pandas', and back."""

from __future__ import annotations

import contextlib
import functools
import sys
import types
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import asarray
from ...arrays.ndarray import ndarray
from ...columns.categorical.categorical import Categorical
from ...columns.column import Column
from ...columns.creation import column as make_column
from ...columns.creation import from_arrow
from ...columns.datetime.period import Period
from ...columns.datetime.timedelta import NaTType
from ...columns.datetime.timestamp import NaT, Timedelta, Timestamp, of_value
from ...columns.foreign import Foreign
from ...columns.interval.interval import Interval
from ...columns.nested.lists import Lists
from ...columns.objects import Objects
from ...columns.text.strings import Strings
from ..classes import CLASSES, frame, is_frame, is_series, series
from ..data.column_labels import Labels
from ..data.dtypes import Kind, kind_of
from ..data.values import _from_pandas
from ..expressions.deferred import Expression
from ..index.base import IndexCore, index_of, range_index, stepping_as

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...annotations import ArrayLike, DTypeLike

_PLAIN = frozenset((int, str, float, bool, type(None), bytes, complex, np.ndarray))
#: What turns other objects of ours, by their class, into pandas'; filled by the modules that define the classes.
REBUILT: dict[type, Any] = {}
#: What turns other objects of pandas into ours.
PROXIES: list[Any] = []


#: Classes of single values that pandas has classes of its own for.
SCALARS = frozenset((Timestamp, Timedelta, NaTType, Period, Interval))
_told = {"in pandas": False}


def tell_in_pandas() -> None:
    """Single datetimes, timedeltas, periods and intervals are pandas' own from now on: `atoll.pandas` asks for it."""
    _told["in pandas"] = True


def in_pandas() -> bool:
    """Whether single values are told in pandas' classes."""
    return _told["in pandas"]


def accessor_class(name: str) -> type | None:
    """The class of an accessor of pandas' Series, where pandas is in use."""
    if not in_pandas():
        return None
    import pandas as pd

    found: type = getattr(pd.Series, name)
    return found


def told(made: object) -> Any:
    """A result as the caller gets it: single datetimes, timedeltas, periods and intervals in the classes asked for."""
    if _told["in pandas"]:
        if type(made) in SCALARS:
            return scalar_to_pandas(made)
        if type(made) is list and made and (type(made[0]) in SCALARS or type(made[-1]) in SCALARS):
            return [scalar_to_pandas(one) if type(one) in SCALARS else one for one in made]
        if type(made) is dict and made and any(type(one) in SCALARS for one in made.values()):
            return {key: scalar_to_pandas(one) if type(one) in SCALARS else one for key, one in made.items()}
    return made


def told_each(made: Iterable[Any]) -> Iterable[Any]:
    """The values of an iterator, and those in tuples of it, as the caller gets them."""
    return map(_told_within, made) if _told["in pandas"] else made


def _told_within(value: object) -> Any:
    if isinstance(value, tuple) and any(type(one) in SCALARS for one in value):
        held = map(told, value)
        return type(value)(*held) if hasattr(value, "_fields") else tuple(held)
    return told(value)


def told_kind(kind: Any) -> Any:
    """A dtype as the caller gets it: pandas' own where pandas is in use."""
    if (
        type(kind) is not Kind or "pandas" not in sys.modules or isinstance(kind._of, Lists)
    ):  # lists are objects in pandas
        return kind
    return dtype_to_pandas(kind)


# -- to pandas --


def to_pandas(value: Any) -> Any:
    """A value as pandas takes it. Containers are converted element by element, functions take and give pandas'."""
    kind = type(value)
    if kind in _PLAIN:
        return _objects_to_pandas(value) if kind is np.ndarray and value.dtype == object else value
    if is_frame(value) or is_series(value) or isinstance(value, IndexCore):
        return value.to_pandas()
    if kind in (list, set, frozenset):
        return kind(map(to_pandas, value))
    if isinstance(value, tuple):
        held = map(to_pandas, value)
        return kind(*held) if hasattr(value, "_fields") else kind(held)
    if kind is dict:
        return {to_pandas(key): to_pandas(one) for key, one in value.items()}
    if kind is slice:
        return slice(to_pandas(value.start), to_pandas(value.stop), to_pandas(value.step))
    if isinstance(value, ndarray):
        return value.to_numpy()
    if isinstance(value, Foreign):
        return value.array
    if isinstance(value, Column):
        return pandas_of(value)
    if isinstance(value, Kind):
        return dtype_to_pandas(value)
    if isinstance(value, (Timestamp, Timedelta, NaTType, Period, Interval)):
        return scalar_to_pandas(value)
    for base in kind.__mro__:
        if base in REBUILT:
            return REBUILT[base](value)
    if isinstance(value, Expression):
        from pandas.core.col import Expression as ExpressionOfPandas

        return ExpressionOfPandas(lambda rows: to_pandas(value(from_pandas(rows))), repr(value))
    if isinstance(value, type):
        return _class_of_pandas(value)
    if isinstance(value, (types.FunctionType, types.MethodType, functools.partial)):
        return _callback(value)
    if isinstance(value, types.GeneratorType):
        return (to_pandas(one) for one in value)  # pandas asks whether it is a generator
    if isinstance(value, Mapping) and any(type(one).__module__.startswith("atoll.") for one in value.values()):
        return {to_pandas(key): to_pandas(one) for key, one in value.items()}
    return value


def arguments_to_pandas(args: Iterable[Any], kwargs: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a call as pandas takes them."""
    return [to_pandas(one) for one in args], {key: to_pandas(one) for key, one in kwargs.items()}


def scalar_to_pandas(value: Any) -> Any:
    """A datetime, a timedelta, a period or an interval as pandas has it."""
    import pandas as pd

    if isinstance(value, NaTType):
        return pd.NaT
    if isinstance(value, Timestamp):
        made = pd.Timestamp(value.value, unit="ns", tz="UTC" if value.tzinfo is not None else None)
        made = made.tz_convert(value.tzinfo) if value.tzinfo is not None else made
        return made.as_unit(value.unit)
    if isinstance(value, Timedelta):
        return pd.Timedelta(value.to_timedelta64())
    if isinstance(value, Period):
        return pd.Period(ordinal=value.ordinal, freq=value.freqstr)
    return pd.Interval(to_pandas(value.left), to_pandas(value.right), value.closed)


def dtype_to_pandas(kind: Kind) -> Any:
    """A dtype of ours as pandas has it."""
    import pandas as pd

    if kind._of is not None:
        return pd.Series(pandas_of(kind._of[:0])).dtype
    return pd.api.types.pandas_dtype(kind.name)


def _class_of_pandas(kind: type) -> Any:
    import pandas as pd

    if kind.__module__.startswith("atoll."):
        return getattr(pd, kind.__name__, kind)
    return kind


def _objects_to_pandas(values: Any) -> Any:
    """An array of objects with none of ours among them."""
    if any(type(one).__module__.startswith("atoll.") for one in values.flat):
        made = np.empty(values.shape, dtype=object)
        for place, one in np.ndenumerate(values):
            made[place] = to_pandas(one)
        return made
    return values


def _callback(function: Any) -> Any:
    """A function of the caller's, which may give objects of ours."""
    module = getattr(function, "__module__", None) or ""
    if module.split(".")[0] in ("numpy", "pandas") and not isinstance(function, functools.partial):
        wraps_pandas = getattr(function, "__globals__", {}).get("__name__", "").startswith("atoll.")
        return function.__wrapped__ if wraps_pandas else function
    if module.startswith("atoll."):
        known = _of_pandas(function)
        if known is not None:
            return known

    def called(*args: Any, **kwargs: Any) -> Any:
        return to_pandas(function(*args, **kwargs))

    if isinstance(function, functools.partial):
        return functools.partial(called)
    return functools.wraps(function)(called)


def _of_pandas(function: Callable[..., Any]) -> Any:
    """pandas' own function of the same name as one of ours, or None."""
    import pandas as pd

    owner, _, name = getattr(function, "__qualname__", "").rpartition(".")
    if not owner:
        return getattr(pd, name, None)
    if isinstance(function, types.MethodType):
        return None
    for known in ("DataFrame", "Series", "Index"):
        if getattr(CLASSES[known], name, None) is function:
            return getattr(getattr(pd, known), name, None)
    return None


def pandas_of(values: Any) -> Any:
    """Values in the kind that pandas has for them."""
    import pandas as pd

    if isinstance(values, ndarray):
        return values.to_numpy()
    if isinstance(values, Strings):
        return pd.array(values.to_list(), dtype="str")
    if type(values) is Column:
        return pd.array(values.to_list(), dtype=str(kind_of(values)))
    if isinstance(values, Objects):
        return _objects_to_pandas(values.to_numpy())
    if isinstance(values, Lists) and in_pandas():  # objects in pandas
        return Objects([np.nan if one is None else one for one in values.to_list()]).to_numpy()
    if isinstance(values, Categorical):
        return pd.Categorical.from_codes(
            values.codes.to_numpy(), pd.Index(pandas_of(values.categories)), ordered=bool(values.ordered)
        )
    return values.array if isinstance(values, Foreign) else values.to_pandas().array


def stepping(index: Any, step: Any) -> Any:
    """A DatetimeIndex or TimedeltaIndex of pandas with a frequency, if pandas agrees that it has it."""
    try:
        index.freq = step
    except ValueError:  # a name that pandas lacks
        return index
    return index


def offset_of_pandas(name: str) -> Any:
    """A frequency by its name as pandas has it; the name where pandas has none like it."""
    from pandas.tseries.frequencies import to_offset

    try:
        return to_offset(name)
    except ValueError:
        return name


def period_offset(name: str) -> Any:
    """The frequency of periods by its name as pandas has it."""
    import pandas as pd

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # periods of business days
        return pd.PeriodDtype(name).freq


# -- from pandas --


def from_pandas(value: Any) -> Any:
    """Converts a result of pandas: frames, Series, indexes, scalars; other objects with methods become proxies."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    import pandas as pd

    if isinstance(value, pd.DataFrame):
        columns = [column_of(value.iloc[:, place].array) for place in range(value.shape[1])]
        return frame(columns, labels_of_pandas(value.columns), index_from_pandas(value.index))
    if isinstance(value, pd.Series):
        return series(column_of(value.array), index_from_pandas(value.index), from_pandas(value.name))
    if isinstance(value, pd.Index):
        return index_from_pandas(value)
    if in_pandas() and isinstance(value, (pd.Timestamp, pd.Timedelta, pd.Period, pd.Interval, type(pd.NaT))):
        return value
    if value is pd.NaT:
        return NaT
    if isinstance(value, (pd.Timestamp, pd.Timedelta, pd.Period, pd.Interval)):
        return scalar_from_pandas(value)
    if kind is list:
        return [from_pandas(one) for one in value]
    if isinstance(value, tuple):
        held = [from_pandas(one) for one in value]
        return kind(*held) if hasattr(value, "_fields") else kind(held)
    if isinstance(value, dict):
        if kind is dict or kind.__module__.startswith("pandas."):
            return {from_pandas(key): from_pandas(one) for key, one in value.items()}
        return value
    if isinstance(value, (types.GeneratorType, zip, map)):
        return _each(value)
    if isinstance(value, type) and value in (pd.DataFrame, pd.Series, pd.Index, pd.MultiIndex):
        return CLASSES[value.__name__]
    for proxy in PROXIES:
        made = proxy(value)
        if made is not None:
            return made
    return value


#: Lists with more elements than this are of values, and not of frames.
_FEW = 64


def rows_from_pandas(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call with ours in place of pandas' frames, Series and indexes, also in short lists."""
    if any(map(_may_hold_rows, args)):
        args = tuple(map(_rows_of_pandas, args))
    if kwargs and any(map(_may_hold_rows, kwargs.values())):
        kwargs = {key: _rows_of_pandas(value) for key, value in kwargs.items()}
    return args, kwargs


def _has_other_unit(value: Any) -> bool:
    """Whether NumPy's datetimes are of days or longer units, or timedeltas of hours or days, which pandas has not."""
    return value.dtype.kind in "mM" and np.datetime_data(value.dtype)[0] in _OTHER_UNITS[value.dtype.kind]


#: Units that NumPy has beside those of pandas; of timedeltas pandas refuses months and years.
_OTHER_UNITS = {"M": ("Y", "M", "W", "D", "h", "m"), "m": ("W", "D", "h", "m")}


def in_known_units(value: Any) -> Any:
    """Datetimes and timedeltas of NumPy in units that pandas has: its own, else seconds; also in a dict."""
    if type(value) is np.ndarray and _has_other_unit(value):
        return value.astype(f"{value.dtype.kind}8[s]")
    if type(value) is dict and any(type(one) is np.ndarray and _has_other_unit(one) for one in value.values()):
        return {key: in_known_units(one) for key, one in value.items()}
    return value


def _may_hold_rows(value: Any) -> bool:
    kind = type(value)
    if kind is np.ndarray:
        return _told["in pandas"] and _has_other_unit(value)
    if kind in (list, tuple):
        return len(value) <= _FEW and any(type(one).__module__ == "pandas" for one in value)
    return kind.__module__ == "pandas"


def _rows_of_pandas(value: Any) -> Any:
    import pandas as pd

    if type(value) is np.ndarray:
        return in_known_units(value)
    if type(value) in (list, tuple):
        return type(value)(map(_rows_of_pandas, value)) if _may_hold_rows(value) else value
    return from_pandas(value) if isinstance(value, (pd.DataFrame, pd.Series, pd.Index)) else value


def is_array_of_pandas(value: object) -> bool:
    """Whether a value is an array of one of pandas' own dtypes, which is no column of ours."""
    return type(value).__module__.startswith("pandas.") and hasattr(value, "_from_sequence")


def _each(values: Any) -> Iterator[Any]:
    for one in values:
        yield from_pandas(one)


def scalar_from_pandas(value: Any) -> Any:
    """One datetime, timedelta, period or interval of pandas as ours; pandas' own where ours has none like it."""
    import pandas as pd

    try:
        if isinstance(value, (pd.Timestamp, pd.Timedelta)):
            made = of_value(value)
        elif isinstance(value, pd.Period):
            made = Period(ordinal=value.ordinal, freq=value.freqstr)
        else:
            made = Interval(from_pandas(value.left), from_pandas(value.right), value.closed)
        return made if scalar_to_pandas(made) == value else value
    except Exception:  # zones, calendars and bounds that ours do not have
        return value


def column_of(array: Any) -> Any:
    """An array of pandas as a column of exactly its dtype."""
    import pandas as pd

    if type(array).__name__ == "NumpyExtensionArray":
        array = array.to_numpy()
    dtype = array.dtype
    if isinstance(dtype, np.dtype):
        letter = dtype.kind
        if letter == "O":
            return Objects(map(_object_from_pandas, array))
        if letter in "biufc":
            if dtype == np.float16 or dtype.itemsize > 16 or (letter == "f" and dtype.itemsize > 8):
                return Foreign(array)
            return asarray(np.ascontiguousarray(array)).copy()
        if letter not in "mM":
            return Foreign(array)
        return make_column(np.asarray(array))
    if isinstance(dtype, pd.ArrowDtype) and not in_pandas():  # else lists are objects, as in pandas
        made = from_arrow(array)
        if isinstance(made, Lists):
            return made
    with contextlib.suppress(Exception):  # dtypes without a kind of ours, of which there is no list
        made = _from_pandas(pd, array)
        if _dtype_of(made) == dtype and _categories_agree(made, dtype):
            return made
    return Foreign(array)


def _dtype_of(values: ArrayLike) -> Any:
    kind = kind_of(values)
    return kind if isinstance(kind, np.dtype) else dtype_to_pandas(kind)


def _categories_agree(made: Any, dtype: DTypeLike) -> bool:
    categories = getattr(dtype, "categories", None)
    return categories is None or _dtype_of(made).categories.dtype == categories.dtype


def _object_from_pandas(value: object) -> Any:
    return value if type(value) in _PLAIN or value.__class__.__module__.startswith("numpy") else from_pandas(value)


def labels_of_pandas(columns: Any) -> Labels:
    """Column labels, which remember the dtype that their Index has."""
    made = Labels([from_pandas(one) for one in columns], list(columns.names))
    made._index = index_from_pandas(columns)
    return made


def index_from_pandas(index: Any) -> Any:
    """An Index of pandas as ours, of the same class, dtype and frequency."""
    import pandas as pd

    if isinstance(index, pd.RangeIndex):
        return range_index(len(index), index.start, index.step, index.name)
    if isinstance(index, pd.MultiIndex):
        levels = [column_of(index.get_level_values(level).array) for level in range(index.nlevels)]
        return CLASSES["MultiIndex"]._of(levels, list(index.names))
    return stepping_as(index_of(column_of(index.array), index.name), index)
