# SPDX-License-Identifier: Apache-2.0
"""Which arguments of selecting, ordering and combining methods Atoll answers as pandas does: see limits.py.

pandas refuses, or warns of, combinations of arguments that ours would take: such calls are pandas' from the beginning.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from ...arrays.ndarray import ndarray
from ...columns.column import Column
from ...columns.datetime.ticks import Ticks
from ...columns.text.strings import Strings
from ..classes import is_frame, is_series
from ..data.values import is_scalar
from ..index.base import IndexCore
from .operand_limits import joins_levels


def _are_bools(labels: Any) -> bool:
    if isinstance(labels, (str, dict)) or not hasattr(labels, "__len__"):
        return False
    if hasattr(labels, "dtype"):
        return str(labels.dtype) in ("bool", "boolean")
    return len(labels) > 0 and all(isinstance(one, (bool, np.bool_)) for one in labels)


def _filters(self: Any, *args: Any, **kwargs: Any) -> bool:
    """One of items, like, regex and a mask; no mask in the place of labels."""
    given = [*args[:3], *(kwargs.get(name) for name in ("items", "like", "regex", "cond"))]
    if sum(one is not None for one in given) != 1 or len(args) > 1:
        return False
    return not (args and (is_frame(args[0]) or is_series(args[0]) or _are_bools(args[0])))


def _drops(self: Any, labels: Any = None, **options: object) -> bool:
    """Labels and an axis, or labels of each axis."""
    named = options.get("index") is not None or options.get("columns") is not None
    if named and (labels is not None or "axis" in options):
        return False
    index = self._index
    wanted = next((one for one in (labels, options.get("index")) if one is not None), ())
    if _are_bools(wanted) and not (isinstance(index._column, ndarray) and index._column.dtype == bool):
        return False  # they are no labels, though they equal 0 and 1
    return index.nlevels > 1 or type(index._column).__name__ != "Column"  # missing labels of a nullable dtype


def _samples(self: Any, n: Any = None, frac: Any = None, **options: object) -> bool:
    """A number or a share of rows, all of one weight."""
    if n is not None and frac is not None:
        return False
    return options.get("weights") is None and options.get("axis") in (None, 0, "index")


def _drops_repeats(self: Any, *args: object, **options: object) -> bool:
    return isinstance(options.get("ignore_index", False), bool)


def _describes(self: Any, percentiles: Any = None, include: Any = None, exclude: Any = None) -> bool:
    return not (include is not None and exclude is not None)


def _shifts(self: Any, periods: Any = 1, *args: object, **options: object) -> bool:
    """Suffixes are of several periods; a frequency is that of the index, by its name."""
    return options.get("suffix") is None or not isinstance(periods, int)


def _sets_index(self: Any, keys: Any, **options: object) -> bool:
    """Labels, and arrays; no other objects."""
    wanted = keys if isinstance(keys, list) else [keys]
    arrays = (list, IndexCore, np.ndarray, ndarray)
    return all(is_series(one) or isinstance(one, (*arrays, Hashable)) for one in wanted)


def _same_dtypes(self: Any, other: Any) -> bool:
    """Whether the columns that two frames share, or two Series, are of one dtype each."""
    if is_series(self):
        return is_series(other) and bool(self.dtype == other.dtype)
    if not is_frame(other) or not (self._labels.is_unique and other._labels.is_unique):
        return False
    both = [one for one in self._labels.values if one in other._labels.places]
    return all(self._column(one).dtype == other._column(one).dtype for one in both)


def _combines(self: Any, other: Any) -> bool:
    """Columns of numbers and strings of one dtype."""
    held = [*_columns(self), *_columns(other)]
    return all(isinstance(one, (ndarray, Strings)) for one in held) and len(other) > 0 and _same_dtypes(self, other)


def _columns(rows: Any) -> list[Any]:
    return [rows._values] if is_series(rows) else list(rows._columns)


def _updates(self: Any, other: Any, join: Any = "left", overwrite: Any = True, **options: object) -> bool:
    """Columns of numbers and strings, whose dtypes stay."""
    if is_series(self):
        pairs = [(self._values, other._values)]
    else:
        other = other.to_frame() if is_series(other) else other
        if not (is_frame(other) and self._labels.is_unique and other._labels.is_unique):
            return False
        both = [one for one in self._labels.values if one in other._labels.places]
        pairs = [(self._column(one), other._column(one)) for one in both]
    if not all(_are_numbers(*pair) or all(isinstance(one, Strings) for one in pair) for pair in pairs):
        return False
    return not options and join == "left" and isinstance(overwrite, bool) and bool(other._index.is_unique)


def _are_numbers(*columns: Any) -> bool:
    return all(isinstance(one, ndarray) and str(one.dtype) in ("int64", "float64") for one in columns)


def _updates_series(self: Any, other: Any) -> bool:
    return is_series(other) and _updates(self, other)


def _resets_index(self: Any, *args: object, **options: object) -> bool:
    """Columns whose labels have one level."""
    return is_series(self) or self._labels.nlevels == 1


def _truncates(self: Any, before: Any = None, after: Any = None, axis: Any = None, copy: Any = None) -> bool:
    """Rows between labels of one level."""
    return self._index.nlevels == 1 and (is_series(self) or axis in (None, 0, "index"))


def _sets_columns(self: Any, loc: Any, value: Any) -> bool:
    return isinstance(loc, int) and not is_frame(value)


def _to_dict(self: Any, orient: Any = "dict", *args: object, **options: object) -> bool:
    return not (orient == "tight" and (self._index.nlevels > 1 or self._labels.nlevels > 1))


def _counts_rows(self: Any, subset: Any = None, *args: object, **options: object) -> bool:
    return subset is None or is_scalar(subset) or isinstance(subset, list)


def _quantiles(self: Any, q: Any = 0.5, axis: Any = 0, numeric_only: Any = False, **options: object) -> bool:
    """Of numbers: those of datetimes beside numbers have the dtypes that pandas finds for them."""
    return numeric_only is True or all(isinstance(one, ndarray) for one in self._columns)


def _aligns(self: object, other: object, *args: object, **options: object) -> bool:
    return joins_levels(self, other)


def _fills(self: Any, value: Any = None, **options: object) -> bool:
    """Values of the dtypes that they go into; datetimes of a unit that has all their digits."""
    if is_series(self) and is_series(value):
        numbers = self.dtype == np.float64 and isinstance(value._values, ndarray)
        return numbers or _same_dtypes(self, value)
    return all(one.unit in ("ns", "us") for one in _columns(self) if isinstance(one, Ticks))


def _maps(self: Any, func: Any = None, na_action: Any = None, **options: object) -> bool:
    """A function, or a mapping of values that are there."""
    given = options.get("arg", func)
    if not isinstance(given, dict) or not self.hasnans:
        return True
    return na_action is None and not hasattr(given, "__missing__") and not any(one != one for one in given)


def _is_in(self: Any, values: Any) -> bool:
    """Nullable bools among bools: pandas has numbers that equal them, too."""
    bools = any(type(one) is Column and one.dtype == np.bool_ for one in _columns(self))
    return not (bools and isinstance(values, (list, tuple, set)) and any(_is_number(one) for one in values))


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and value == value


def _pairs(self: Any, other: Any, *args: object, **options: object) -> bool:
    """Rows whose labels of one dtype occur once."""
    if not is_series(other):
        return not is_series(self)
    return bool(
        self._index.is_unique and other._index.is_unique and self._index.nlevels == 1 and _same_labels(self, other)
    )


def _same_labels(one: Any, other: Any) -> bool:
    return bool(other._index.nlevels == 1 and one._index.dtype == other._index.dtype)


def _interpolates(self: Any, method: Any = "linear", *args: object, **options: object) -> bool:
    """Between rows; or between labels that are numbers or datetimes."""
    labels = self._index._column
    numbers = labels is None or (isinstance(labels, ndarray) and labels.dtype != bool) or isinstance(labels, Ticks)
    return method == "linear" or numbers


def _tests(self: Any, *args: object, **options: object) -> bool:
    """Whether there are no strings of which a missing one is true."""
    return options.get("skipna", True) is True or not any(isinstance(one, Strings) for one in _columns(self))


def _modes(self: object, *args: object, **options: object) -> bool:
    """The most frequent values in order: pandas has missing datetimes and categories before all others."""
    usual = options.get("dropna", True) is True and not any(one is False for one in args)
    return usual or all(isinstance(one, (ndarray, Strings)) for one in _columns(self))


def _localizes(self: object, *args: object, **options: object) -> bool:
    """Datetimes that a zone has once each: the labels may have no steps otherwise."""
    return len(args) <= 1 and all(options.get(name, "raise") == "raise" for name in ("ambiguous", "nonexistent"))


#: Of methods of frames and Series, by name.
OF_ARGUMENTS: dict[str, Any] = {
    "filter": _filters, "drop": _drops, "sample": _samples, "drop_duplicates": _drops_repeats, "shift": _shifts,
    "reset_index": _resets_index, "truncate": _truncates, "combine_first": _combines, "describe": _describes,
    "align": _aligns, "fillna": _fills, "mode": _modes, "tz_localize": _localizes, "isin": _is_in,
    "interpolate": _interpolates, "any": _tests, "all": _tests,
}  # fmt: skip
OF_ARGUMENTS_OF_SERIES: dict[str, Any] = OF_ARGUMENTS | {"update": _updates_series, "map": _maps, "combine": _pairs}
OF_ARGUMENTS_OF_FRAMES: dict[str, Any] = OF_ARGUMENTS | {
    "set_index": _sets_index, "update": _updates, "isetitem": _sets_columns, "to_dict": _to_dict,
    "value_counts": _counts_rows, "quantile": _quantiles,
}  # fmt: skip
