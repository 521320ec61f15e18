# SPDX-License-Identifier: Apache-2.0
"""Which arguments a method of ours answers exactly as pandas does; with others the call is pandas'.

A limit is a function of the object and the arguments of a call. It looks at kinds and names, never at rows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.ndarray import ndarray
from ...columns.categorical.categorical import Categorical
from ...columns.datetime.ticks import Ticks
from ...columns.nested.arrow_values import ArrowValues
from ...columns.nested.lists import Lists
from ...columns.text.strings import Strings
from ..classes import is_frame, is_series
from ..data.lazy import MatrixRow, Pending, Sliced, Unread
from ..data.values import is_scalar, make
from .bin_limits import cut, interval_range, qcut, timedelta_range, to_datetime, to_numeric, to_timedelta
from .construction_limits import date_range
from .key_limits import get_at, get_item, is_usual_key, reindexes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...annotations import Level

Limit = Callable[..., bool]
_BARE = (int, float, str, bool, np.integer, np.floating, np.bool_)


def columns_of(rows: Any) -> list[Any]:
    """The columns of a frame, the values of a Series; of columns that are not read yet what they are made of."""
    if is_series(rows):
        return [rows._values]
    held = []
    for one in list.__iter__(rows._columns):
        if type(one) in (Pending, Sliced):
            one = one._base if one._made is None else one._made
        if type(one) in (MatrixRow, Unread):
            one = one.made()
        held.append(one)
    return held


def _are_plain(rows: Any) -> bool:
    """Whether all columns are arrays of numbers or bools, which NumPy's rules hold for."""
    return all(isinstance(one, ndarray) for one in columns_of(rows))


def _is_plain_index(index: Any) -> bool:
    return index.nlevels == 1 and type(index).__name__ in ("Index", "RangeIndex", "DatetimeIndex")


def _fits(value: Any, column: Any) -> bool:
    """Whether one value goes into a column without a change of its dtype."""
    if isinstance(value, np.timedelta64):  # which NumPy derives from its integers
        return False
    if isinstance(column, ndarray):
        letter = column.dtype.kind
        if letter == "b":
            return isinstance(value, (bool, np.bool_))
        if isinstance(value, (bool, np.bool_)):
            return False
        if letter in "iu":
            if not isinstance(value, (int, np.integer)):
                return False
            bounds = np.iinfo(column.dtype)
            return bool(bounds.min <= value <= bounds.max)
        return letter == "f" and column.dtype.itemsize == 8 and isinstance(value, (int, float, np.integer, np.floating))
    return isinstance(column, Strings) and isinstance(value, str)


def _same_kinds(one: Any, other: Any) -> bool:
    """Whether two columns have one dtype, of a kind that is compared and joined as it is."""
    if isinstance(one, ndarray) and isinstance(other, ndarray):
        return bool(one.dtype == other.dtype)
    if isinstance(one, Ticks) and isinstance(other, Ticks):
        zones = getattr(one, "tz", None), getattr(other, "tz", None)
        return bool(one.dtype == other.dtype) and (zones[0] is None) == (zones[1] is None)
    return isinstance(one, Strings) and isinstance(other, Strings)


def _matching_kinds(one: Any, other: Any) -> bool:
    """The same of numbers of eight bytes of different types, which have a type in common."""
    numbers = all(
        isinstance(side, ndarray) and side.dtype.kind in "if" and side.dtype.itemsize == 8 for side in (one, other)
    )
    if isinstance(one, Ticks) and isinstance(other, Ticks):  # of any units
        zones = getattr(one, "tz", None), getattr(other, "tz", None)
        return one.dtype.kind == other.dtype.kind and (zones[0] is None) == (zones[1] is None)
    return numbers or _same_kinds(one, other)


# -- elementwise --


def _where(
    self: Any,
    cond: Any,
    other: Any = np.nan,
    *,
    inplace: Any = False,
    axis: int | str | None = None,
    level: Level = None,
) -> bool:
    if axis is not None or level is not None or not isinstance(inplace, bool):
        return False
    if isinstance(cond, FunctionType) or isinstance(other, FunctionType):
        return False
    if not (is_frame(cond) or is_series(cond)) or cond.ndim > self.ndim or not cond._index._same(self._index):
        return False
    if is_frame(cond) and not cond._labels.same(self._labels):
        return False
    if not all(isinstance(one, ndarray) and one.dtype.kind == "b" for one in columns_of(cond)):
        return False
    held = columns_of(self)
    if not is_scalar(other):
        if not (is_frame(other) or is_series(other)) or other.ndim != self.ndim or not other._index._same(self._index):
            return False
        others = columns_of(other)
        return len(others) == len(held) and all(map(_same_kinds, held, others))
    if other is None or (type(other) is float and other != other):
        return all(
            (isinstance(one, ndarray) and one.dtype.kind in "iuf") or isinstance(one, (Strings, Ticks)) for one in held
        )
    return all(_fits(other, one) for one in held)


def _apply(self: Any, func: Callable[..., Any], *args: object, **kwargs: object) -> bool:
    if (
        not (isinstance(func, FunctionType) or func is getattr(np, getattr(func, "__name__", ""), None))
        or not self.size
    ):
        return False
    axis = args[0] if args else kwargs.get("axis", 0)
    simple = not kwargs.get("raw") and kwargs.get("result_type") is None and len(args) <= 1
    known = set(kwargs) <= {"axis", "raw", "result_type"}
    usual = all(isinstance(one, (ndarray, Strings)) for one in columns_of(self))
    return bool(simple and known and axis in (0, 1, "index", "columns") and usual)


def _apply_series(self: Any, func: Callable[..., Any], *args: object, **kwargs: object) -> bool:
    return isinstance(func, FunctionType) and isinstance(self._values, (ndarray, Strings)) and not args and not kwargs


def _agg(self: Any, func: object = None, axis: int | str = 0, *args: Any, **kwargs: Any) -> bool:
    names = [func] if isinstance(func, str) else func
    if axis not in (0, "index") or args or kwargs:
        return False
    if isinstance(names, dict):
        held = [one for how in names.values() for one in (how if isinstance(how, list) else [how])]
        known = is_frame(self) and all(isinstance(one, str) and one in FIGURES for one in held)
        return known and all(isinstance(self._column(label), ndarray) for label in names)
    return (
        _are_plain(self)
        and (is_series(self) or self._labels.is_unique)
        and isinstance(names, list)
        and len(names) > 0
        and all(isinstance(one, str) and one in FIGURES for one in names)
    )


FIGURES = frozenset(("sum", "mean", "min", "max", "count", "std", "var", "median", "nunique"))


def _transform(self: Any, func: Any, *args: object, **kwargs: object) -> bool:
    several = is_series(self) and isinstance(func, list) and all(isinstance(one, np.ufunc) for one in func)
    usual = isinstance(func, FunctionType) or (several and len(func) > 0)
    return usual and not args and not kwargs and bool(self.size) and _are_plain(self)


def _replace(
    self: Any, to_replace: Any = None, value: object = None, *, inplace: Any = False, regex: Any = False
) -> bool:
    if not isinstance(inplace, bool):
        return False
    held = columns_of(self)
    if regex is True:
        return all(isinstance(one, str) for one in (to_replace, value)) and all(
            isinstance(one, Strings) for one in held
        )
    if regex is not False or (isinstance(to_replace, dict) and value is not None):
        return False
    if isinstance(to_replace, dict) and any(isinstance(one, dict) for one in to_replace.values()):
        return is_frame(self) and all(
            isinstance(table, dict) and all(_exchanges(old, new, self._column(label)) for old, new in table.items())
            for label, table in to_replace.items()
        )
    if isinstance(to_replace, dict):
        pairs = list(to_replace.items())
    elif isinstance(to_replace, list) and isinstance(value, list) and len(value) == len(to_replace):
        pairs = list(zip(to_replace, value, strict=True))
    else:
        pairs = [(one, value) for one in (to_replace if isinstance(to_replace, list) else [to_replace])]
    return all(_exchanges(old, new, one) for old, new in pairs for one in held)


def _exchanges(old: Any, new: Any, column: Any) -> bool:
    """Whether one value is exchanged for another as pandas does it: within the column's dtype, or nowhere."""
    if not isinstance(old, _BARE) or not isinstance(new, _BARE):
        return False
    if _fits(old, column):
        return _fits(new, column)
    number = isinstance(old, (int, float)) and not isinstance(old, bool)
    return (
        number
        and old == old
        and (isinstance(column, Strings) or (isinstance(column, ndarray) and column.dtype.kind == "b"))
    )


# -- setting --


def _set_at(self: Any, key: object, value: object) -> bool:
    """Setting by an indexer: rows that are there, by a label, a mask or a slice, and values that fit their columns."""
    of = self._of
    if self._axis is not None or not _is_plain_index(of._index):
        return False
    row = key
    if is_series(of):
        targets = [of._values]
    else:
        if not isinstance(key, tuple) and isinstance(value, list) and type(self).__name__ == "Loc":
            return _is_whole_row(of, key, value)
        if not isinstance(key, tuple) or len(key) != 2 or of._labels.nlevels > 1:
            return False
        row, chosen = key
        targets = _targets(of, chosen, type(self).__name__ in ("ILoc", "IAt"))
        usual = is_series(row) or (isinstance(row, slice) and row == slice(None))
        if (
            usual
            and not targets
            and chosen not in of._labels.places
            and isinstance(chosen, str)
            and type(self).__name__ == "Loc"
        ):  # a new column
            return isinstance(value, _BARE)
    if isinstance(row, tuple) or not targets or not _is_usual_row(of, row):
        return False
    return _is_usual_value(of, row, targets, value)


def _is_usual_value(of: Any, row: Any, targets: list[Any], value: Any) -> bool:
    """Whether what is set fits into its columns: one value, a list of a slice's, or rows of the same labels."""
    if is_series(value):
        return (
            len(targets) == 1
            and is_series(row)
            and value._index._same(of._index)
            and _same_kinds(value._values, targets[0])
        )
    if isinstance(value, list):
        return len(targets) == 1 and isinstance(row, slice) and all(_fits(one, targets[0]) for one in value)
    if value is None:
        return all(isinstance(one, Strings) for one in targets)
    return isinstance(value, _BARE) and all(_fits(value, one) for one in targets)


def _set_item_of_series(self: Any, key: object, value: object) -> bool:
    if not _is_plain_index(self._index) or isinstance(key, tuple) or not _is_usual_row(self, key):
        return False
    return is_usual_key(self, key) and _is_usual_value(self, key, [self._values], value)


def _targets(of: Any, chosen: Any, by_place: bool) -> list[Any]:
    """The columns that a label or a place, or a list of them, means; none where one is not there, or twice."""
    found = []
    for one in chosen if isinstance(chosen, list) else [chosen]:
        if isinstance(one, bool) or not isinstance(one, (str, int)):
            return []
        places = [one] if by_place else of._labels.places.get(one, [])
        if len(places) != 1 or not (isinstance(places[0], int) and -len(of._columns) <= places[0] < len(of._columns)):
            return []
        found.append(of._columns[places[0]])
    return found


def _is_whole_row(of: Any, row: Any, values: list[Any]) -> bool:
    """Whether a row is set, or added, by a value for each column."""
    label = isinstance(row, (str, int)) and not isinstance(row, bool) and of._labels.nlevels == 1
    return label and len(values) == len(of._columns) and all(map(_fits, values, columns_of(of)))


def _is_usual_row(of: Any, row: Any) -> bool:
    if isinstance(row, bool):
        return False
    if is_series(row):
        return isinstance(row._values, ndarray) and row.dtype == np.bool_ and row._index._same(of._index)
    if isinstance(row, slice):
        ends = [end for end in (row.start, row.stop) if end is not None]
        return row.step is None and all(isinstance(end, (int, str)) and not isinstance(end, bool) for end in ends)
    return isinstance(row, (str, int)) and of._index.size > 0 and type(of._index).__name__ != "DatetimeIndex"


def _set_item(self: Any, key: Any, value: Any) -> bool:
    if isinstance(key, list) and all(isinstance(one, str) for one in key) and self._labels.nlevels == 1:
        if not (self._labels.is_unique and len(set(key)) == len(key)):
            return False
        if is_frame(value):
            return len(value._columns) == len(key) and value._index._same(self._index)
        return isinstance(value, _BARE)
    if self._labels.nlevels > 1 or not isinstance(key, (str, int)) or isinstance(key, bool):
        return (
            is_series(key)
            and self._index.nlevels == 1
            and isinstance(value, _BARE)
            and all(_fits(value, one) for one in columns_of(self))
        )
    places = self._labels.places.get(key)
    if places is not None and len(places) > 1:
        return False
    return not (is_frame(value) or isinstance(value, dict))


# -- joining --


def _merge(left: Any, right: Any = None, how: Any = "inner", on: Any = None, left_on: Any = None, right_on: Any = None,
           left_index: bool = False, right_index: bool = False, **options: Any) -> bool:  # fmt: skip
    if not is_frame(left) or not is_frame(right) or how not in ("inner", "left", "right", "outer", "cross"):
        return False
    if left._labels.nlevels > 1 or right._labels.nlevels > 1:
        return False
    if not (_is_plain_index(left._index) and _is_plain_index(right._index)):
        return False
    if not (isinstance(left_index, bool) and isinstance(right_index, bool)):
        return False
    if left_index and right_index:
        return (
            on is None
            and left_on is None
            and right_on is None
            and _same_kinds(left._index._values, right._index._values)
        )
    if right_index or left_index:
        key, rows, index = (left_on, left, right._index) if right_index else (right_on, right, left._index)
        return (
            how in ("inner", "left")
            and right_index
            and isinstance(key, str)
            and on is None
            and _matching_kinds(rows._column(key), index._values)
        )
    if how == "cross":
        return on is None and left_on is None and right_on is None
    keys, others = (left_on, right_on) if on is None else (on, on)
    if keys is None and others is None:
        keys = others = [one for one in left._labels.values if one in right._labels.places]
    keys = keys if isinstance(keys, list) else [keys]
    others = others if isinstance(others, list) else [others]
    if len(keys) != len(others) or not keys:
        return False
    for a, b in zip(keys, others, strict=True):
        if not (isinstance(a, Hashable) and isinstance(b, Hashable)):
            return False
        if len(left._labels.places.get(a, ())) != 1 or len(right._labels.places.get(b, ())) != 1:
            return False
        if a in left._index.names or b in right._index.names:
            return False
        if right.size and not _matching_kinds(left._column(a), right._column(b)):
            return False
    if options.get("indicator", False) not in (False, True) or (options.get("indicator") and _has_marks(left, right)):
        return False
    suffixes = options.get("suffixes", ("_x", "_y"))
    if _collide(left, right, keys, suffixes):
        return False
    return suffixes == ("_x", "_y") or (
        isinstance(suffixes, (tuple, list)) and len(set(suffixes)) == len(suffixes) == 2
    )


def _has_marks(*frames: Any) -> bool:
    """Whether a column has the name of one that `indicator` makes."""
    return any(
        one in frame._labels.places for frame in frames for one in ("_merge", "_left_indicator", "_right_indicator")
    )


def _collide(left: Any, right: Any, keys: list[Any], suffixes: Sequence[str | None]) -> bool:
    """Whether a label with a suffix is the label of another column."""
    both = [one for one in left._labels.values if one in right._labels.places and one not in keys]
    known = {*left._labels.values, *right._labels.values}
    return any(suffix is not None and f"{one}{suffix}" in known for one in both for suffix in suffixes)


def _merge_asof(left: Any, right: Any, on: object = None, left_on: object = None, right_on: object = None,
                left_index: Any = False, right_index: Any = False, **options: object) -> bool:  # fmt: skip
    """Columns by name, of one dtype, with options of the types that pandas checks."""
    keys, others = (left_on, right_on) if on is None else (on, on)
    return (
        isinstance(options.get("allow_exact_matches", True), bool)
        and _same_kinds(left._column(keys), right._column(others))
        and _tolerates(left._column(keys), options.get("tolerance"))
        and left_index is False
        and right_index is False
        and all(one is None or isinstance(one, str) for one in (on, left_on, right_on))
    )


def _tolerates(column: Any, tolerance: Any) -> bool:
    """Whether keys have distances of a tolerance's type."""
    if tolerance is None:
        return True
    if isinstance(column, Ticks):
        return hasattr(tolerance, "total_seconds") or isinstance(tolerance, np.timedelta64)
    kinds = (int, np.integer) if column.dtype.kind in "iu" else (int, float, np.integer, np.floating)
    return isinstance(tolerance, kinds) and not isinstance(tolerance, bool)


def _join(self: Any, other: Any = None, on: Any = None, how: Any = "left", *args: object, **kwargs: object) -> bool:
    if is_series(other) and isinstance(other._name, str):
        other = other.to_frame()
    if not is_frame(other) or self._labels.nlevels > 1 or other._labels.nlevels > 1:
        return False
    if self._index.nlevels > 1 and other._index.nlevels == 1 and on is None and how == "left":
        return other._index.name in self._index.names and other._index.name is not None
    if how not in ("left", "inner", "outer", "right") or not (
        _is_plain_index(self._index) and _is_plain_index(other._index)
    ):
        return False
    if on is not None:
        return isinstance(on, str) and how == "left" and _matching_kinds(self._column(on), other._index._values)
    return _same_kinds(self._index._values, other._index._values)


def _concat(
    objs: Any, *, axis: int | str | None = 0, join: Any = "outer", ignore_index: bool = False, keys: object = None,
    levels: Any = None, names: object = None, verify_integrity: bool = False, sort: bool = False,
    copy: bool | None = None,
) -> bool:  # fmt: skip
    if (
        levels is not None
        or verify_integrity
        or isinstance(objs, dict)
        or not isinstance(objs, (list, tuple))
        or not objs
    ):
        return False
    if join not in ("outer", "inner") or not isinstance(sort, bool) or not isinstance(ignore_index, bool):
        return False
    beside = axis not in (0, "index")
    if not (all(map(is_frame, objs)) or all(map(is_series, objs)) or (beside and keys is None)):
        return False
    first = objs[0]
    if ignore_index and keys is not None:
        return False
    if any(not one.size for one in objs) or any(not _is_plain_index(one._index) for one in objs):
        return False
    if not ignore_index and any(type(one._index._values) is not type(first._index._values) for one in objs):
        return False
    if axis not in (0, "index"):
        return names is None and not sort and (keys is None or (is_series(first) and isinstance(keys, list)))
    if keys is not None and (
        not isinstance(keys, list)
        or not all(isinstance(one, (str, int)) for one in keys)
        or len(set(keys)) != len(objs)
    ):
        return False
    if is_series(first):
        return all(_joins(one._values, first._values) for one in objs)
    if any(one._labels.nlevels > 1 or not one._labels.is_unique for one in objs):
        return False
    if any(_has_unusual_dtype(one._labels) for one in objs):
        return False
    kinds: dict[Any, Any] = {}
    return all(
        _joins(column, kinds.setdefault(label, column))
        for one in objs
        for label, column in zip(one._labels.values, columns_of(one), strict=True)
    )


def _has_unusual_dtype(labels: Any) -> bool:
    """Whether labels have a dtype that was given: a list of them would have another."""
    index = labels._index
    if index is None or type(index).__name__ == "RangeIndex" or index.nlevels > 1:
        return False
    usual, held = make(labels.values), index._values
    return type(usual) is not type(held) or (isinstance(held, ndarray) and usual.dtype != held.dtype)


def _joins(one: object, other: object) -> bool:
    """Whether two columns go one behind the other."""
    if isinstance(one, ArrowValues) and isinstance(other, ArrowValues):
        return bool(one.to_arrow().type == other.to_arrow().type)
    if isinstance(one, Lists) and isinstance(other, Lists):
        return one.kind == other.kind
    return _matching_kinds(one, other) or (isinstance(one, Categorical) and isinstance(other, Categorical))


# -- statistics --


def _clip(
    self: Any,
    lower: Any = None,
    upper: Any = None,
    *,
    axis: int | str | None = None,
    inplace: bool = False,
    **options: object,
) -> bool:
    return (
        axis in (None, 0, "index")
        and _are_plain(self)
        and all(
            one is None or (isinstance(one, (int, float)) and one == one) or is_series(one) for one in (lower, upper)
        )
    )


#: Of methods of frames and Series, by name.
OF_FRAMES: dict[str, Limit] = {
    "where": _where, "mask": _where, "reindex": reindexes, "apply": _apply, "agg": _agg,
    "aggregate": _agg, "transform": _transform,
    "replace": _replace, "__getitem__": get_item, "__setitem__": _set_item,
    "join": _join, "merge": _merge, "clip": _clip,
}  # fmt: skip
OF_SERIES: dict[str, Limit] = {
    "where": _where, "mask": _where, "reindex": reindexes, "__getitem__": get_item, "__setitem__": _set_item_of_series,
    "apply": _apply_series, "agg": _agg, "aggregate": _agg, "transform": _transform,
    "replace": _replace, "clip": _clip,
}  # fmt: skip
OF_INDEXERS: dict[str, Limit] = {"__setitem__": _set_at, "__getitem__": get_at}
#: Of the package's functions.
OF_FUNCTIONS: dict[str, Limit] = {
    "merge": _merge, "merge_asof": _merge_asof, "concat": _concat, "cut": cut, "qcut": qcut,
    "date_range": date_range, "to_datetime": to_datetime, "to_timedelta": to_timedelta,
    "to_numeric": to_numeric, "timedelta_range": timedelta_range, "interval_range": interval_range,
}  # fmt: skip


def covers(limit: Limit, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call is within a limit; what the limit cannot judge is not."""
    try:
        return limit(*args, **kwargs)
    except Exception:  # arguments of any kind come here
        return False
