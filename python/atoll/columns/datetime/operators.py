# SPDX-License-Identifier: Apache-2.0
"""Arithmetic and comparison of datetimes and timedeltas."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import full
from ...arrays.selection import where
from ..column import Column, both, column_or_array
from .tick import MOST, NAMES, UNITS, Tick, finest
from .ticks import CLASSES, Ticks, meta_of, numbers_in, operand

if TYPE_CHECKING:
    from ...arrays.ndarray import ndarray

#: What a sum and a difference of two kinds are.
_SUMS = {("M", "m"): "M", ("m", "M"): "M", ("m", "m"): "m"}
_DIFFERENCES = {("M", "M"): "m", ("M", "m"): "M", ("m", "m"): "m"}


def _comparison(operation: Callable[[Any, Any], Any], unlike: bool | None = None) -> Any:
    """A method; `unlike` is what values of different kinds give, None: an error."""

    def method(self: Operators, other: object) -> Any:
        return _compared(self, other, operation, unlike)

    method.__doc__ = "Row by row; missing where either value is. A text beside a column is read as one of its values."
    return method


class Operators(Ticks):
    """Columns of time with what operators do with them."""

    __slots__ = ()
    __array_ufunc__ = None  # NumPy's scalars leave operators to the column
    __hash__ = None  # type: ignore[assignment]  # == is elementwise

    def _with(self, other: Any, operation: Any) -> Any:
        return NotImplemented

    def __add__(self, other: Any) -> Any:
        """Timedeltas added; NumPy's and pandas' rules. OverflowError where 64 bits do not hold the sum."""
        return _added(self, operand(other), _SUMS, operator.add) if other is not None else _missing(self)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        """Subtracts datetimes (the result is a timedelta) or timedeltas."""
        return _added(self, operand(other), _DIFFERENCES, operator.sub) if other is not None else _missing(self)

    def __rsub__(self, other: Any) -> Any:
        left = operand(other)
        return NotImplemented if left is None else _added(left, self, _DIFFERENCES, operator.sub)

    __eq__ = _comparison(operator.eq, False)
    __ne__ = _comparison(operator.ne, True)
    __lt__ = _comparison(operator.lt)
    __le__ = _comparison(operator.le)
    __gt__ = _comparison(operator.gt)
    __ge__ = _comparison(operator.ge)

    def _refuse_logic(self, *args: object) -> Any:
        return NotImplemented

    __and__ = __rand__ = __or__ = __ror__ = _refuse_logic

    def __invert__(self) -> Any:
        raise TypeError(f"{NAMES[self._letter]} have no bits")

    def __neg__(self) -> Any:
        raise TypeError(f"{NAMES[self._letter]} have no sign")

    __abs__ = __neg__

    def apply(self, function: Callable[[Any], Any]) -> Any:
        """`function` of the integers of units; missing values stay missing."""
        return column_or_array(function(self.astype(np.int64) if self._valid is None else self._values), self._valid)


def _missing(column: Ticks) -> Any:
    return column._all_missing(column.size)


def _added(
    left: Ticks | Tick,
    right: Ticks | Tick | None,
    results: dict[tuple[str, str], str],
    operation: Callable[[Any, Any], Any],
) -> Any:
    """Sum or difference of two, of which one at least is a column."""
    if right is None:
        return NotImplemented
    a, b = meta_of(left), meta_of(right)
    column = left if isinstance(left, Ticks) else right
    assert isinstance(column, Ticks)
    if a.value is None or b.value is None:  # NaT has any kind
        return _missing(column)
    letter = results.get((a.letter, b.letter))
    if letter is None:
        return NotImplemented
    if a.letter == b.letter == "M" and (a.zone is None) != (b.zone is None):
        raise TypeError("Cannot subtract tz-naive and tz-aware datetime-like objects.")
    unit = finest(a.unit, b.unit)
    if letter == "m" and unit == "D":
        unit = "s"
    x, y = numbers_in(left, unit), numbers_in(right, unit)
    values = operation(x, y)
    valid = both(left.valid, right.valid)
    flipped = (values ^ x) & (values ^ y if operation is operator.add else x ^ y)
    bad = flipped < 0
    if bool((bad if valid is None else bad & valid).any()):
        word = "addition" if operation is operator.add else "subtraction"
        raise OverflowError(
            f"Overflow in int64 {word}: a result does not fit 64 bits of {unit}; as_unit to a coarser one"
        )
    return CLASSES[letter]._made(values, valid, unit, None if letter == "m" else a.zone or b.zone)


def _compared(self: Ticks, other: Any, operation: Callable[[Any, Any], Any], unlike: bool | None) -> Any:
    if other is None:
        return Column(full(self.size, False), full(self.size, False))
    try:
        right = self._read(other) if isinstance(other, str) else operand(other)
    except ValueError:
        right = None
    if right is not None and meta_of(right).value is None:
        return Column(full(self.size, False), full(self.size, False))
    if right is None or meta_of(right).letter != self._letter or (meta_of(right).zone is None) != (self._zone is None):
        if unlike is None:
            if right is None or meta_of(right).letter != self._letter:
                raise TypeError(f"Invalid comparison of {NAMES[self._letter]} with {other!r}")
            raise TypeError("Cannot compare tz-naive and tz-aware datetime-like objects.")
        return column_or_array(full(self.size, unlike), self._valid)
    values = operation(*_aligned(self, right))
    return column_or_array(values, both(self._valid, right.valid))


def _aligned(left: Ticks, right: Ticks | Tick) -> tuple[Any, Any]:
    """Both as numbers of one unit; what does not fit is at the end of the range, where it compares as it should."""
    unit = meta_of(right).unit
    if isinstance(right, Tick) and (right.fits(left._unit) or unit == left._unit):
        assert right.value is not None
        return left._values, max(-MOST, min(MOST, right.value * UNITS[right.unit] // UNITS[left._unit]))
    if unit == left._unit:
        return left._values, numbers_in(right, unit)
    unit = finest(unit, left._unit)
    if isinstance(right, Tick):
        return _scaled(left, unit), right.to(unit)
    return _scaled(left, unit), _scaled(right, unit)


def _scaled(column: Ticks, unit: str) -> ndarray:
    factor = UNITS[column._unit] // UNITS[unit]
    values, most = column._values, MOST // factor
    if factor == 1:
        return values
    return where(values > most, MOST, where(values < -most, -MOST, values * factor))
