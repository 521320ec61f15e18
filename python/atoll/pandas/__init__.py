# SPDX-License-Identifier: Apache-2.0
"""A stand-in for pandas: ``import atoll.pandas as pd``.

Functions that Atoll implements run on all PEs; others fall back to pandas on one process, which gathers all data, with
a warning that names each once.

Examples
--------
>>> import atoll.pandas as pd
>>> pd.DataFrame({"a": [1, 2]}).a.sum().item()
3
"""

from __future__ import annotations

import inspect
import re
from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from ..columns.datetime import parsing as _reading
from ..columns.datetime.timestamp import NaT as _NaT
from ..columns.datetime.timestamp import of_value
from ..columns.functions.functions import isna as _isna
from ..columns.functions.functions import notna as _notna
from ..columns.objects import is_missing
from ..columns.text.strings import Strings
from ..frame import (
    CategoricalIndex,
    DataFrame,
    DatetimeIndex,
    Grouper,
    Index,
    IntervalIndex,
    MultiIndex,
    PeriodIndex,
    RangeIndex,
    Series,
    TimedeltaIndex,
    col,
    concat,
    crosstab,
    cut,
    date_range,
    factorize,
    from_dummies,
    get_dummies,
    interval_range,
    lreshape,
    merge,
    merge_asof,
    merge_ordered,
    period_range,
    qcut,
    timedelta_range,
    to_numeric,
    wide_to_long,
)
from ..frame.classes import is_frame, is_series
from ..frame.data.values import make
from ..frame.expressions.query import evaluate_variables as eval
from ..frame.fallback.calls import is_collected
from ..frame.fallback.classes import install_functions
from ..frame.fallback.convert import from_pandas as _from_pandas
from ..frame.fallback.convert import tell_in_pandas
from ..frame.fallback.convert import to_pandas as _to_pandas
from ..frame.fallback.distinct import datetimes_of_distinct
from ..frame.fallback.limits import covers
from ..frame.files.conversion import numpy_of
from ..frame.files.pandas_readers import Chunks
from ..frame.files.reader_limits import OF_READERS, has_long_integers, may_be_read_again
from ..frame.index.datetime import read_durations
from ..frame.index.steps import inferred
from ..frame.reshape.pivot import melt as _melt
from ..frame.reshape.pivot import pivot as _pivot
from ..frame.reshape.pivot import pivot_table as _pivot_table
from ..io.fallback import FallbackWarning, by_pandas, pandas_at_work
from .instances import count_instances_of_pandas
from .modules import Module

if TYPE_CHECKING:
    from collections.abc import Callable

    from pandas import Interval, NaT, Period, Timedelta, Timestamp

__all__ = [
    "CategoricalIndex",
    "DataFrame",
    "DatetimeIndex",
    "FallbackWarning",
    "Grouper",
    "Index",
    "Interval",
    "IntervalIndex",
    "MultiIndex",
    "NaT",
    "Period",
    "PeriodIndex",
    "RangeIndex",
    "Series",
    "Timedelta",
    "TimedeltaIndex",
    "Timestamp",
    "bdate_range",
    "col",
    "concat",
    "crosstab",
    "cut",
    "date_range",
    "eval",
    "factorize",
    "from_dummies",
    "get_dummies",
    "infer_freq",
    "interval_range",
    "isna",
    "isnull",
    "lreshape",
    "melt",
    "merge",
    "merge_asof",
    "merge_ordered",
    "notna",
    "notnull",
    "period_range",
    "pivot",
    "pivot_table",
    "qcut",
    "timedelta_range",
    "to_datetime",
    "to_numeric",
    "to_timedelta",
    "unique",
    "wide_to_long",
]


def __narwhals_namespace__(version: Any) -> Any:
    """The namespace of narwhals' functions, when this module is the `backend`."""
    return import_module("atoll.narwhals").__narwhals_namespace__(version)


def isna(obj: Any) -> Any:
    """A mask of missing values; for one value, whether it is missing."""
    if is_frame(obj) or is_series(obj) or isinstance(obj, Index):
        return obj.isna()
    if isinstance(obj, np.ndarray) and obj.ndim > 1:
        return np.asarray(np.frompyfunc(is_missing, 1, 1)(obj), bool) if obj.dtype == object else np.isnan(obj)
    if isinstance(obj, list) and any(isinstance(one, (list, np.ndarray)) for one in obj):
        return isna(np.array(obj, dtype=object))
    return is_missing(obj) if _is_one(obj) else _isna(obj)


def notna(obj: Any) -> Any:
    """A mask of values that are not missing; for one value, whether it is not missing."""
    if is_frame(obj) or is_series(obj) or isinstance(obj, Index):
        return obj.notna()
    if _is_one(obj):
        return not is_missing(obj)
    return ~isna(obj) if isinstance(obj, list) or np.ndim(obj) > 1 else _notna(obj)


def _is_one(obj: object) -> bool:
    return isinstance(obj, (str, bytes, dict, tuple, range, set)) or not hasattr(obj, "__len__")


isnull, notnull = isna, notna


def melt(frame: Any, *args: Any, **options: Any) -> Any:
    """Columns one below another; see `DataFrame.melt`."""
    return _melt(frame, *args, **options)


def pivot(data: Any, *args: Any, **options: Any) -> Any:
    """Rows as a table; see `DataFrame.pivot`."""
    return _pivot(data, *args, **options)


def pivot_table(data: Any, *args: Any, **options: Any) -> Any:
    """Aggregates of groups as a table; see `DataFrame.pivot_table`."""
    return _pivot_table(data, *args, **options)


def _read(read: Any, arg: Any, options: dict[str, Any]) -> Any:
    """Datetimes or timedeltas in pandas' result type: a Series for a Series, an Index for values."""
    if is_frame(arg):
        return Series(read({label: column._values for label, column in arg.items()}, **options), index=arg.index)
    if is_series(arg):
        return arg._new(read(arg._values, **options))
    if isinstance(arg, Index):
        return Index(read(arg._values, **options), name=arg.name)
    if np.ndim(arg) == 0:
        if is_missing(arg):
            return _NaT
        if isinstance(arg, (int, float, np.number)) or options.get("errors") == "coerce":
            return Index(read(make([arg]), **options))[0]
        found = read(arg, **options)
        return _NaT if found is None else of_value(found)
    return Index(read(make(arg) if isinstance(arg, (list, tuple, np.ndarray, range)) else arg, **options))


def infer_freq(index: object) -> Any:
    """The frequency of datetimes or timedeltas; None where they are not at even steps.

    The option ``future.infer_freq_returns_offset`` decides whether it is an offset or its name.

    >>> with option_context("future.infer_freq_returns_offset", False):
    ...     infer_freq(date_range("2026-01-01", periods=3, freq="6h"))
    '6h'
    """
    return inferred(index)


def bdate_range(
    start: object = None, end: object = None, periods: int | None = None, freq: Any = "B", tz: Any = None,
    normalize: bool = True, name: str | None = None,
) -> Any:  # fmt: skip
    """Weekdays from Monday to Friday.

    >>> bdate_range("2026-01-02", periods=2).strftime("%a").to_list()
    ['Fri', 'Mon']
    """
    if freq != "B":
        raise NotImplementedError("other frequencies and calendars are pandas'")
    return date_range(start, end, periods, freq, tz, normalize, name)


def to_datetime(arg: Any, errors: str = "raise", **options: object) -> Any:
    """Datetimes from strings, numbers, or columns of years, months and days; see `atoll.to_datetime`. pandas parses
    strings in mixed formats (``format`` "mixed" or "ISO8601")."""
    if options.get("format") in ("mixed", "ISO8601"):
        if not is_series(arg) or not isinstance(arg._values, Strings):
            raise NotImplementedError("formats of each value are read of a Series of strings")
        return datetimes_of_distinct(arg, errors=errors, **options)
    return _read(_reading.to_datetime, arg, {"errors": errors, **options})


def to_timedelta(arg: Any, unit: str | None = None, errors: str = "raise") -> Any:
    """Timedeltas from strings and numbers; see `atoll.to_timedelta`."""
    return _read(read_durations, arg, {"unit": unit, "errors": errors})


def unique(values: Any) -> Any:
    """Distinct values, in order of first appearance."""
    found = (values if is_series(values) else Series(values)).unique()
    return numpy_of(found) if isinstance(values, np.ndarray) else found


#: File readers that have fewer arguments than pandas'.
_READERS = ("read_csv", "read_feather", "read_hdf", "read_json", "read_orc", "read_parquet", "read_sql", "read_table")


#: Of them those of lines of text, in which integers may have more digits than 64 bits.
_OF_LINES = ("read_csv", "read_table")
#: Names that need no data: pandas' arrays and options.
_WITHOUT_DATA = (
    "describe_option", "get_option", "option_context", "reset_option", "set_eng_float_format", "set_option",
    "show_versions", "test",
)  # fmt: skip


def _taken(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether Atoll's function accepts all these arguments."""
    known = inspect.signature(function).parameters
    listed = [one for one in known.values() if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    any_more = any(one.kind == one.VAR_KEYWORD for one in known.values())
    return len(args) <= len(listed) and (any_more or all(name in known for name in kwargs))


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    import pandas

    from ..frame.files import readers

    found = getattr(pandas, name)
    if inspect.ismodule(found):
        return Module(found)
    if not callable(found) or isinstance(found, type) or name in _WITHOUT_DATA:
        return found
    own = getattr(readers, name) if name in _READERS else None

    @wraps(found)
    def function(*args: object, **kwargs: object) -> Any:
        if name == "read_json":  # pandas' default, rather than detection from the file
            kwargs.setdefault("lines", False)
        limit = OF_READERS.get(name)
        if own is not None and _taken(own, args, kwargs) and (limit is None or covers(limit, args, kwargs)):
            start = _place_in(args[0]) if args else 0
            try:
                made = own(*args, **kwargs)
                if not (
                    name in _OF_LINES
                    and "dtype" not in kwargs
                    and has_long_integers(made)
                    and may_be_read_again(args[0])
                ):
                    return made
            except (ValueError, TypeError, LookupError, NotImplementedError) as error:
                if limit is None or not args or "filters" in kwargs or not may_be_read_again(args[0]):
                    raise _as_pandas_raises(error) from error
            if hasattr(args[0], "seek"):
                args[0].seek(start)
        with pandas_at_work(name):
            made = found(*map(_to_pandas, args), **{key: _to_pandas(value) for key, value in kwargs.items()})
            of_file = name.startswith("read_") and not (args and hasattr(args[0], "read"))
            if of_file or any(map(is_collected, (*args, *kwargs.values()))):
                by_pandas(name, sorted(kwargs) if own is not None else ())
            if type(made).__name__ in ("TextFileReader", "JsonReader"):
                return Chunks(made, None)
            return _from_pandas(made)

    globals()[name] = function  # one object, as in pandas
    return function


def _place_in(where: Any) -> int:
    """Where a stream is; 0 where it does not tell."""
    try:
        return int(where.tell()) if hasattr(where, "seek") else 0
    except (OSError, AttributeError, TypeError):
        return 0


def _as_pandas_raises(error: Exception) -> Exception:
    """Converts a file error to pandas' own class, which scripts may catch."""
    import pandas

    if re.search(r"no columns: the file is empty", str(error)):
        return pandas.errors.EmptyDataError(str(error))
    return pandas.errors.ParserError(str(error)) if re.search(r"expected \d+ values, got", str(error)) else error


def load_ipython_extension(ipython: Any) -> None:
    """``%load_ext atoll.pandas``: from now on ``import pandas`` in a notebook gives this module."""
    from . import accelerator

    accelerator.install()
    accelerator.replace_names(ipython.user_ns)


def unload_ipython_extension(ipython: Any) -> None:
    """``%unload_ext atoll.pandas``: takes it back."""
    from . import accelerator

    accelerator.uninstall()


tell_in_pandas()
install_functions(globals())
count_instances_of_pandas()
