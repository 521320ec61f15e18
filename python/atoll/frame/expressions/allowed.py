# SPDX-License-Identifier: Apache-2.0
"""Allow-lists for `eval` and `query`: attributes that expressions may read, functions and methods they may call.

Text may come from strangers. So what it may do is listed: operations that only compute. None of them reads or writes
files, none calls a function that it is given, and no attribute begins with an underscore.
"""

from __future__ import annotations

import ast
import datetime
import types
from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from ..accessors import Accessor


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Of Series, indexes, windows and arrays, and of `.str`, `.dt`, `.cat` and `.list`.
_METHODS = _names(
    """
    abs add all any asof astype autocorr between bfill clip combine_first corr count cov cummax cummin cumprod
    cumsum diff div divide divmod dot dropna duplicated eq expanding ffill fillna first_valid_index floordiv ge
    get gt head idxmax idxmin interpolate isin isna isnull kurt kurtosis last_valid_index le lt mask max mean
    median min mod mode mul multiply ne notna notnull nsmallest nlargest nunique pct_change pow prod product
    quantile radd rank rdiv reindex rfloordiv rmod rmul rolling round rpow rsub rtruediv searchsorted sem shift
    skew sort_values std sub subtract sum tail truediv unique value_counts var where get_level_values

    capitalize casefold cat center contains decode encode endswith extract extractall find findall fullmatch
    get_dummies index isalnum isalpha isascii isdecimal isdigit islower isnumeric isspace istitle isupper join len
    ljust lower lstrip match normalize pad partition removeprefix removesuffix repeat replace rfind rindex rjust
    rpartition rsplit rstrip slice slice_replace split startswith strip swapcase title translate upper wrap zfill

    as_unit asfreq ceil day_name floor isocalendar month_name strftime to_period to_timestamp total_seconds
    tz_convert tz_localize

    add_categories as_ordered as_unordered remove_categories remove_unused_categories rename_categories
    reorder_categories set_categories
    """
)
#: The same of what is no function.
_ATTRIBUTES = _names(
    """
    str dt cat list array columns dtype dtypes empty hasnans iat iloc index at loc is_monotonic_decreasing
    is_monotonic_increasing is_unique name names nbytes ndim nlevels shape size values T inferred_type categories
    codes ordered components freq tz year month day hour minute second microsecond nanosecond days seconds
    microseconds nanoseconds date time timetz dayofweek day_of_week dayofyear day_of_year weekday weekofyear week
    quarter qyear days_in_month daysinmonth is_leap_year is_month_end is_month_start is_quarter_end
    is_quarter_start is_year_end is_year_start start_time end_time left right mid closed length unit
    """
)
#: Of Python's and NumPy's strings, numbers and times.
_PLAIN_METHODS = _names(
    """
    lower upper strip lstrip rstrip startswith endswith isoformat date time timestamp total_seconds weekday
    isoweekday
    """
)
_PLAIN = (str, bytes, int, float, complex, np.generic, datetime.date, datetime.time, datetime.timedelta)
_CODE = (types.ModuleType, types.FunctionType, types.CodeType, types.FrameType, types.TracebackType, type)
_COLUMNS = ("atoll.frame.", "atoll.columns.", "atoll.arrays.")
_OF_PANDAS = frozenset({"Series", "DataFrame", "Index", "RangeIndex", "MultiIndex", "DatetimeIndex"})
_MOST_BITS = 4096  # of an integer that is computed from integers alone


class NotAllowed(ValueError):
    """Text of `eval` or `query` asks for what it must not do."""


def parsed(text: str) -> ast.Expression:
    """Python's tree of an expression."""
    try:
        return ast.parse(text, mode="eval")
    except (MemoryError, RecursionError):  # what the parser's own stack cannot hold
        raise too_deep(text) from None


def too_deep(text: str) -> ValueError:
    """The error about an expression whose parts lie too deep in one another."""
    return ValueError(
        f"the expression {text[:40]!r}… is too deep (Python's stack is too small). Compute a part of it before?"
    )


def attribute(value: Any, name: str) -> Any:
    """Attributes that an expression may read as ``value.name``."""
    _check_name(name)
    if isinstance(value, _CODE):
        raise _refused(value, name)
    if _is_column(value):
        if name in _ATTRIBUTES:
            return getattr(value, name)
        if name in getattr(value, "columns", ()):  # of a frame
            return value[name]
        raise _refused(value, name)
    if not (isinstance(value, _PLAIN) or name in _data_of(value)):
        raise _refused(value, name)
    found = getattr(value, name)
    if callable(found):
        raise _refused(value, name)
    return found


def method(value: object, name: str) -> Any:
    """Methods that an expression may call as ``value.name(…)``."""
    _check_name(name)
    listed = _METHODS if _is_column(value) else _PLAIN_METHODS if isinstance(value, _PLAIN) else frozenset()
    if name not in listed or isinstance(value, _CODE):
        raise NotAllowed(
            f"expressions cannot call {_kind(value)}.{name}() (it is not among the methods that text may call)."
            " Compute it before, and name the result with @?"
        )
    return getattr(value, name)


def check_local(name: str) -> None:
    """Raises for names of Python's own, ``__builtins__`` say, among the caller's variables."""
    if name.startswith("__"):
        raise NotAllowed(
            f"expressions cannot use variable {name!r} (names that begin with two underscores are Python's own)."
            " Give the value another name?"
        )


def _check_name(name: str) -> None:
    """Raises for a name that begins with an underscore: Python's own attributes lead to everything else."""
    if name.startswith("_"):
        raise NotAllowed(
            f"expressions cannot use attribute {name!r} (it begins with an underscore: Python's own)."
            " Compute it before, and name the result with @?"
        )


def check_arguments(function: str, arguments: Iterable[Any]) -> None:
    """Raises where a function is an argument: what is called would call it."""
    if any(callable(one) for one in arguments):
        raise NotAllowed(
            f"{function}() in an expression cannot take a function as argument (it would call it). Call it outside?"
        )


def check_size(operator: str, left: Any, right: Any) -> None:
    """Raises where two constants would make a very long value, or format a string."""
    sequences = (str, bytes, list, tuple)
    if operator in ("Mult", "Mod") and (isinstance(left, sequences) or isinstance(right, sequences)):
        if not (_is_column(left) or _is_column(right)):
            text = left if isinstance(left, sequences) else right
            raise NotAllowed(f"expressions cannot repeat or format {text!r:.40}. Name the result with @?")
    elif operator in ("Mult", "Pow") and type(left) in (int, bool) and type(right) in (int, bool):
        bits = left.bit_length() * right if operator == "Pow" else left.bit_length() + right.bit_length()
        if left not in (-1, 0, 1) and bits > _MOST_BITS:
            raise NotAllowed(f"an integer of {bits:.3g} bits is too long in an expression (at most {_MOST_BITS}).")


def _is_column(value: object) -> bool:
    module, name = type(value).__module__, type(value).__name__
    if module.partition(".")[0] == "pandas":
        return name in _OF_PANDAS
    return isinstance(value, (Accessor, np.ndarray)) or module.startswith(_COLUMNS)


def _data_of(value: object) -> Collection[str]:
    """Names of an object's own data: no methods, no properties, which run a program."""
    own: Collection[str] = getattr(type(value), "_fields", ()) if isinstance(value, tuple) else ()
    return own or getattr(value, "__dict__", ())


def _kind(value: object) -> str:
    return type(value).__name__


def _refused(value: object, name: str) -> NotAllowed:
    return NotAllowed(
        f"expressions cannot read {_kind(value)}.{name} (it is not among the attributes that text may read)."
        " Compute it before, and name the result with @?"
    )
