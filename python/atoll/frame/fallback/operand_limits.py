# SPDX-License-Identifier: Apache-2.0
"""Which operands of operators Atoll computes exactly as pandas does: see limits.py."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

from ...arrays.ndarray import ndarray
from ...columns.column import Column
from ...columns.datetime.periods import Periods
from ...columns.datetime.ticks import Ticks
from ...columns.foreign import Foreign
from ...columns.objects import Objects
from ..classes import is_frame, is_series
from ..index.base import IndexCore
from .convert import is_array_of_pandas
from .limits import Limit, columns_of


def _holds_objects(other: object) -> bool:
    """Whether an operand has objects, of which pandas knows each."""
    if isinstance(other, np.ndarray):
        return other.dtype == object
    if is_frame(other) or is_series(other):
        return any(isinstance(one, (Objects, Foreign)) for one in columns_of(other))
    return isinstance(other, IndexCore) and other.nlevels == 1 and isinstance(other._values, (Objects, Foreign))


def joins_levels(self: Any, other: Any) -> bool:
    """Whether labels of several levels are those of the same names on both sides."""
    if not (is_frame(other) or is_series(other)):
        return True
    several = self._index.nlevels > 1 or other._index.nlevels > 1
    return not several or list(self._index.names) == list(other._index.names)


def _operates(self: Any, other: Any = None) -> bool:
    """Single values: numbers beside numbers, and offsets beside datetimes without a zone."""
    if isinstance(other, (np.timedelta64, np.datetime64)) and np.isnat(other):
        return False
    if is_array_of_pandas(other) or not joins_levels(self, other):
        return False
    held = columns_of(self)
    if any(isinstance(one, Periods) for one in held) or _holds_objects(other):
        return False
    # An offset. Of rows the question would import pandas, which may have such an attribute.
    if not (is_frame(other) or is_series(other)) and hasattr(other, "normalize") and hasattr(other, "rollback"):
        naive = all(isinstance(one, Ticks) and getattr(one, "tz", None) is None for one in held)
        return naive and other.n != 0 and not other.normalize
    if held and all(isinstance(one, ndarray) for one in held):
        return not isinstance(other, (np.timedelta64, np.datetime64, datetime.date, datetime.timedelta))
    return True


def _orders(self: Any, other: Any = None) -> bool:
    """The same of <, <=, > and >=: datetimes and timedeltas are not compared with a missing value of no kind."""
    missing = other is None or (isinstance(other, float) and other != other)
    if missing and any(isinstance(one, Ticks) for one in columns_of(self)):
        return False
    return _operates(self, other)


def _misses_durations(self: Any) -> bool:
    """Whether a duration is missing: whole quotients are floats then."""
    return any(isinstance(one, Ticks) and one.valid is not None for one in columns_of(self))


def _applies(self: Any, ufunc: Any, method: Any, *inputs: Any) -> bool:
    """The same of NumPy's functions, which get an operator whose left side is one of NumPy's single values.

    Of datetimes and durations they have few functions of one value; of the others pandas raises.
    """
    if len(inputs) == 1 and any(isinstance(one, Ticks) for one in columns_of(self)):
        return ufunc.__name__ in ("isnan", "isnat", "isfinite")
    if ufunc.__name__ == "floor_divide" and _misses_durations(self):
        return False
    return not any(isinstance(one, (np.timedelta64, np.datetime64)) and np.isnat(one) for one in inputs)


def _computes(name: str) -> Limit:
    """The same of arithmetic, whose results of nullable columns are nullable in pandas: Int64 / Int64 is Float64."""

    def limit(self: Any, other: object = None) -> bool:
        held = [one for one in columns_of(self) if type(one) is Column]
        if is_frame(other) or is_series(other):
            held += [one for one in columns_of(other) if type(one) is Column]
        if name == "floordiv" and _misses_durations(self):
            return False
        return _operates(self, other) and (
            not held or (name != "truediv" and _keeps_whole(held, "i" if name == "sub" else "iu", self, other))
        )

    return limit


def _keeps_whole(held: list[Any], kinds: str, *operands: Any) -> bool:
    """Whether nullable integers meet integers alone, those without a sign none that is negative."""
    unsigned = any(column.dtype.kind == "u" for column in held)
    for one in operands:
        if is_frame(one) or is_series(one):
            if not all(column.dtype.kind in kinds for column in columns_of(one)):
                return False
        elif not isinstance(one, (int, np.signedinteger)) or isinstance(one, bool) or (unsigned and one < 0):
            return False
    return all(column.dtype.kind in kinds for column in held)


#: Of operators of frames and Series, by name.
OF_OPERATORS: dict[str, Limit] = {
    f"__{side}{name}__": _computes(name)
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")
    for side in ("", "r", "i")
} | {
    **{f"__{name}__": _operates for name in ("eq", "ne", "and", "or", "xor")},
    **{f"__{name}__": _orders for name in ("lt", "le", "gt", "ge")},
    "__array_ufunc__": _applies,
}
