# SPDX-License-Identifier: Apache-2.0
"""Which methods of indexes Atoll answers exactly as pandas does: see limits.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.ndarray import ndarray
from ...columns.datetime.ticks import Ticks
from ...columns.interval.intervals import Intervals
from ...columns.text.strings import Strings
from ..data.values import is_scalar
from ..index.base import IndexCore
from .limits import Limit, _same_kinds

if TYPE_CHECKING:
    from ...annotations import ColumnType

#: Methods that look at no label, or of which the answer depends on no kind.
_OF_ANY_KIND = frozenset((
    "to_list", "tolist", "isna", "isnull", "notna", "notnull", "to_frame", "get_level_values", "__len__", "__iter__",
    "__bool__", "__getitem__", "__contains__", "is_", "nunique", "strftime", "droplevel", "to_flat_index", "view",
    "__array__", "__repr__", "to_numpy", "get_loc", "isin", "value_counts", "unique", "memory_usage", "transpose",
    "ravel", "item", "swaplevel", "reorder_levels", "from_tuples", "to_timestamp", "is_integer", "normalize",
    "slice_locs",
))  # fmt: skip
#: Methods of numbers, strings, datetimes and timedeltas.
_OF_PLAIN = _OF_ANY_KIND | frozenset((
    "min", "max", "argsort", "sort_values", "astype", "map", "drop", "dropna", "duplicated", "to_series",
    "searchsorted", "repeat",
    "append", "any", "all", "rename", "set_names", "copy", "slice_indexer", "get_slice_bound", "take", "identical",
    "to_pydatetime", "tz_localize", "tz_convert", "floor", "ceil", "to_period", "as_unit", "day_name", "month_name",
    "isocalendar", "total_seconds", "indexer_at_time", "indexer_between_time", "to_julian_date", "to_pytimedelta",
))  # fmt: skip
#: Of these pandas checks the arguments, NumPy's own among them.
_WITHOUT_ARGUMENTS = frozenset(("min", "max", "argsort", "any", "all", "sort_values", "copy"))
#: Methods of which the result has the steps of the index, or has none.
_KEEPING_STEPS = frozenset((
    "astype", "map", "drop", "dropna", "append", "sort_values", "take", "as_unit", "tz_localize", "tz_convert",
    "to_series",
    "copy", "rename", "set_names", "floor", "ceil", "to_period",
))  # fmt: skip
#: Methods of two indexes, which have to be of one kind.
_OF_TWO = frozenset((
    "union", "intersection", "difference", "symmetric_difference", "get_indexer", "get_indexer_for", "equals", "append",
))  # fmt: skip
_OPERATORS_OF_BOOLS = frozenset(("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"))
#: Methods of several levels that pandas answers, because of unused labels, missing ones, and dtypes of levels.
_NOT_OF_SEVERAL = frozenset((
    "union", "intersection", "difference", "symmetric_difference", "join", "putmask", "where", "fillna", "insert",
    "delete", "append", "get_indexer", "get_indexer_for", "get_indexer_non_unique", "set_levels", "set_codes",
    "sortlevel",
    "drop", "astype", "map", "repeat", "argsort", "rename", "set_names", "copy", "factorize", "reindex", "asof",
    "asof_locs",
    "groupby", "take", "get_locs", "get_loc_level", "truncate", "slice_indexer", "dropna", "equals", "identical",
    "equal_levels", "sort_values", "isin", "value_counts", "to_frame", "from_tuples", "from_product", "from_arrays",
    "from_frame", "duplicated", "drop_duplicates", "to_series", "to_flat_index", "min", "max",
))  # fmt: skip


def _is_plain(index: Any) -> bool:
    values = index._column
    if type(index).__name__ == "RangeIndex":
        return True
    if isinstance(values, ndarray):
        return values.dtype.kind in "iuf"
    return isinstance(values, (Strings, Ticks)) and getattr(values, "tz", None) is None


def _is_simple_dtype(dtype: ColumnType, *more: Any) -> bool:
    named = dtype in (int, float, str, "int64", "float64", "str")
    return named or (isinstance(dtype, np.dtype) and dtype.kind in "iuf")


def _has_step(index: object) -> bool:
    return getattr(index, "freqstr", None) is not None or type(index).__name__ == "RangeIndex"


def _is_bare(value: object) -> bool:
    return is_scalar(value) and not isinstance(value, (bool, tuple))


class LimitsOfIndex(Mapping[str, Limit]):
    """The limit of each method of a class of indexes."""

    def __init__(self, kind: str) -> None:
        self._several = kind == "MultiIndex"

    def __getitem__(self, name: str) -> Limit:
        if self._several:
            if name in _NOT_OF_SEVERAL:
                return _never
            raise KeyError(name)
        if name in _OPERATORS_OF_BOOLS:
            return _compares
        if name in _OF_TWO:
            return _of_two
        if name.startswith("__") and name.strip("_") in _ARITHMETIC:
            return _computes
        return _of_plain(name)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


_ARITHMETIC = frozenset(
    f"{side}{name}" for side in ("", "r") for name in
    ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "divmod", "matmul")
) | {"neg", "pos", "abs", "invert"}  # fmt: skip


def _never(self: Any, *args: object, **kwargs: object) -> bool:
    return False


def _of_plain(name: str) -> Limit:
    """The limit of a method by its name: kinds that it is known for, and arguments that are usual."""

    def limit(self: Any, *args: Any, **kwargs: object) -> bool:
        if name in (
            "to_list",
            "tolist",
            "memory_usage",
            "__len__",
            "__iter__",
            "__repr__",
            "__bool__",
            "__array_ufunc__",
        ):
            return True
        if not _is_plain(self):
            plain = getattr(self._column, "tz", None) is None and not isinstance(self._column, Intervals)
            return name == "__array__" and plain
        if name in _OF_ANY_KIND:
            return True
        if name == "astype" and not _is_simple_dtype(*args):
            return False
        return (
            name in _OF_PLAIN
            and not kwargs
            and (not args or name not in _WITHOUT_ARGUMENTS)
            and not (name in _KEEPING_STEPS and _has_step(self))
        )

    return limit


def _of_two(self: Any, other: object, *args: object, **kwargs: object) -> bool:
    """Two indexes of one kind and of no steps."""
    if args or kwargs or not isinstance(other, IndexCore) or other.nlevels > 1:
        return False
    if not (_is_plain(self) and _is_plain(other)) or _has_step(self) or _has_step(other):
        return False
    return _same_kinds(self._values, other._values) and self.size > 0 and other.size > 0


def _compares(self: Any, other: object) -> bool:
    if not _is_plain(self):
        return False
    if isinstance(other, IndexCore):
        return _is_plain(other) and _same_kinds(self._values, other._values) and self.size == other.size
    if isinstance(self._values, ndarray):
        return isinstance(other, (int, float)) and not isinstance(other, bool)
    return isinstance(self._values, Strings) and isinstance(other, str)


def _computes(self: Any, other: object = 0) -> bool:
    if not isinstance(self._values, ndarray) or _has_step(self) or not _is_plain(self):
        return False
    if isinstance(other, IndexCore):
        return (
            _is_plain(other)
            and not _has_step(other)
            and _same_kinds(self._values, other._values)
            and self.size == other.size
        )
    return type(other) in (int, float) and self.dtype.itemsize == 8
