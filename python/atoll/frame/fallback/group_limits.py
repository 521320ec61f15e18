# SPDX-License-Identifier: Apache-2.0
"""Which methods of groups Atoll answers exactly as pandas does: see limits.py."""

from __future__ import annotations

from typing import Any

from ...arrays.ndarray import ndarray
from ...columns.categorical.categorical import Categorical
from ...columns.column import Column
from ...columns.datetime.ticks import Ticks
from ...columns.text.strings import Strings
from .limits import FIGURES, Limit, columns_of

#: Methods of groups that look at no value, or at which rows are there.
_OF_ANY_KIND = frozenset((
    "size", "count", "ngroup", "cumcount", "head", "tail", "get_group", "apply", "pipe", "rolling", "expanding", "ewm",
    "resample", "filter", "sample", "take", "__getitem__", "__iter__", "__len__", "groups", "indices", "ngroups",
))  # fmt: skip
#: Of strings, datetimes and lengths of time what Atoll answers as pandas does.
OF_ORDERED = frozenset(("min", "max", "first", "last", "nunique", "shift", "ffill", "bfill", "value_counts", "unique"))


def of_groups(name: str) -> Limit:
    """The limit of a method of groups: arrays of numbers by keys of one kind; of other kinds what compares them."""

    def limit(self: Any, *args: Any, **kwargs: Any) -> bool:
        if not all(_is_known_key(self, one) for one in _keys(self)):
            return name in _OF_ANY_KIND or (name in FIGURES and _has_plain_values(self, name))
        if name == "agg" or name == "aggregate":
            return _aggregates(self, *args, **kwargs)
        if name in FIGURES and not set(kwargs) <= {"numeric_only", "min_count", "skipna", "dropna"}:
            return False
        if name in ("rolling", "expanding", "ewm") and not self._options["as_index"]:
            return False
        if name == "value_counts" and kwargs.get("subset") is not None:
            return False
        if name == "nth":
            return len(args) == 1 and isinstance(args[0], int) and not kwargs
        if name == "transform" and isinstance(args[0] if args else None, dict):
            return _aggregates(self, *args, **kwargs)
        return name in _OF_ANY_KIND or _has_plain_values(self, name, bool(kwargs.get("numeric_only")))

    return limit


def _is_number(column: object) -> bool:
    """Whether floats stand under a mask, as keys with NaN do, and not a column whose dtype allows missing values."""
    return type(column) is Column and column.dtype.kind == "f"


def _is_known_key(groups: Any, key: object) -> bool:
    """Whether groups by this column are those of pandas; of categories those that occur."""
    if isinstance(key, Categorical):
        return bool(groups._groups.observed)
    return isinstance(key, (ndarray, Strings, Ticks)) or _is_number(key)


def _has_missing_numbers(column: object) -> bool:
    """Whether it has numbers of a dtype that allows missing values (Int64, Float64)."""
    return type(column) is Column and column.dtype.kind in "iuf"


def _keys(groups: Any) -> list[Any]:
    """The key columns as they were given: the groups are not computed yet."""
    return list(groups._groups.by._keys)


def _has_plain_values(groups: Any, name: str, numeric_only: bool = False) -> bool:
    of = groups._of if groups._of.ndim == 1 else groups._without_keys()
    known: tuple[Any, ...] = (ndarray, Strings, Ticks) if name in OF_ORDERED or numeric_only else (ndarray,)
    known = (ndarray, Strings) if name == "sum" and not numeric_only else known
    numbers = name in FIGURES or name == "quantile"
    return all(isinstance(one, known) or (numbers and _has_missing_numbers(one)) for one in columns_of(of))


def _aggregates(groups: Any, func: object = None, *args: Any, **kwargs: Any) -> bool:
    if args or (func is not None and kwargs):
        return False
    named = kwargs.values() if func is None else func.values() if isinstance(func, dict) else [func]
    hows = [one[1] if func is None and isinstance(one, tuple) else one for one in named]
    flat = [one for how in hows for one in (how if isinstance(how, list) else [how])]
    if all(isinstance(one, str) and one in ("size", "count") for one in flat):
        return True
    ordered = all(isinstance(one, str) and one in (*OF_ORDERED, "count", "size") for one in flat)
    of = groups._of
    if isinstance(func, dict) and of.ndim == 2:
        held = [of._column(label) for label in func]
    elif func is None and of.ndim == 2:
        held = [of._column(one[0]) for one in kwargs.values()]
    else:
        held = columns_of(of if of.ndim == 1 else groups._without_keys())
    joined = all(isinstance(one, str) and one in (*OF_ORDERED, "count", "size", "sum") for one in flat)
    known = (ndarray, Strings, Ticks) if ordered else (ndarray, Strings) if joined else (ndarray,)
    numbers = all(isinstance(one, str) and one in (*FIGURES, "size", "quantile") for one in flat)
    return all(isinstance(one, known) or (numbers and _has_missing_numbers(one)) for one in held)
