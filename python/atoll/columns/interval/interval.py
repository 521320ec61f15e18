# SPDX-License-Identifier: Apache-2.0
"""One interval: two bounds, and which of them belong to it."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from ..operators import Ordered

if TYPE_CHECKING:
    from ...annotations import ArrayLike

__all__ = ["Interval"]

CLOSED = ("left", "right", "both", "neither")


def check_closed(closed: str | None) -> str:
    """Which bounds belong to intervals, as it is; ValueError for what says nothing."""
    if closed not in CLOSED:
        raise ValueError(f"invalid option for 'closed': {closed}")
    return str(closed)


def closes(closed: str) -> tuple[bool, bool]:
    """Whether the left bound and the right one belong to it."""
    return closed in ("left", "both"), closed in ("right", "both")


class Closing:
    """Which bounds belong to it: what `closed` says, of an interval or of several."""

    __slots__ = ()

    @property
    def closed_left(self: Any) -> bool:
        """Whether the left bound belongs to it."""
        return closes(self.closed)[0]

    @property
    def closed_right(self: Any) -> bool:
        """Whether the right bound belongs to it."""
        return closes(self.closed)[1]

    @property
    def open_left(self: Any) -> bool:
        """Whether the left bound does not belong to it."""
        return not closes(self.closed)[0]

    @property
    def open_right(self: Any) -> bool:
        """Whether the right bound does not belong to it."""
        return not closes(self.closed)[1]


class Interval(Closing, Ordered):
    """The interval between two bounds: pandas' Interval.

    Parameters
    ----------
    left, right : number, datetime or duration
        The bounds.
    closed : {"right", "left", "both", "neither"}
        Which of them belong to it.

    Examples
    --------
    >>> from atoll.columns.interval.interval import Interval
    >>> i = Interval(0, 5)
    >>> i, 5 in i, 0 in i
    (Interval(0, 5, closed='right'), True, False)
    >>> i.overlaps(Interval(5, 6)), i.mid
    (False, 2.5)
    """

    __slots__ = ("closed", "left", "right")
    left: Any
    right: Any
    closed: str

    def __init__(self, left: Any, right: Any, closed: str = "right") -> None:
        if isinstance(left, (str, bytes)) or isinstance(right, (str, bytes)):
            raise ValueError(
                "Only numeric, Timestamp and Timedelta endpoints are allowed when constructing an Interval."
            )
        if not left <= right:
            raise ValueError("left side of interval must be <= right side")
        for name, value in (("left", left), ("right", right), ("closed", check_closed(closed))):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: ArrayLike) -> None:
        raise AttributeError(f"an interval does not change: {name}")

    @property
    def length(self) -> Any:
        """How far the bounds are apart."""
        return self.right - self.left

    @property
    def mid(self) -> Any:
        """The midpoint."""
        if isinstance(self.left, (datetime.date, np.datetime64)):
            return self.left + self.length / 2
        return 0.5 * (self.left + self.right)

    @property
    def is_empty(self) -> bool:
        """Whether nothing lies in it."""
        return _empty(self)

    def __contains__(self, key: Any) -> bool:
        if isinstance(key, Interval) or hasattr(key, "closed_left"):
            begins = self.left < key.left or (self.left == key.left and (self.closed_left or not key.closed_left))
            ends = key.right < self.right or (key.right == self.right and (self.closed_right or not key.closed_right))
            return bool(begins and ends)
        begins = self.left <= key if self.closed_left else self.left < key
        ends = key <= self.right if self.closed_right else key < self.right
        return bool(begins and ends)

    def overlaps(self, other: Any) -> bool:
        """Whether the two have a point in common."""
        if not hasattr(other, "closed") or not hasattr(other, "left"):
            raise TypeError(f"`other` must be an Interval, got {type(other).__name__}")
        own, others = closes(self.closed), closes(other.closed)
        begins = self.left <= other.right if own[0] and others[1] else self.left < other.right
        ends = other.left <= self.right if own[1] and others[0] else other.left < self.right
        return bool(begins and ends) and not _empty(self) and not _empty(other)

    def __eq__(self, other: object) -> Any:
        if not (hasattr(other, "closed") and hasattr(other, "left") and hasattr(other, "right")) or hasattr(
            other, "size"
        ):
            return NotImplemented
        return bool(self.left == other.left and self.right == other.right and self.closed == other.closed)

    def __hash__(self) -> int:
        return hash((self.left, self.right, self.closed))

    def _compared(self, other: Any, operation: Any) -> Any:
        if not isinstance(other, Interval):
            return NotImplemented
        return operation((self.left, self.right), (other.left, other.right))

    def __add__(self, other: object) -> Any:
        return Interval(self.left + other, self.right + other, self.closed)

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        return Interval(self.left - other, self.right - other, self.closed)

    def __mul__(self, other: object) -> Any:
        return Interval(self.left * other, self.right * other, self.closed)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Any:
        return Interval(self.left / other, self.right / other, self.closed)

    def __floordiv__(self, other: object) -> Any:
        return Interval(self.left // other, self.right // other, self.closed)

    def __repr__(self) -> str:
        return f"Interval({_repr(self.left)}, {_repr(self.right)}, closed={self.closed!r})"

    def __str__(self) -> str:
        opening, closing = "[" if self.closed_left else "(", "]" if self.closed_right else ")"
        return f"{opening}{_str(self.left)}, {_str(self.right)}{closing}"


def _empty(interval: Any) -> bool:
    return bool(interval.left == interval.right) and interval.closed != "both"


def _repr(value: ArrayLike) -> str:
    return str(value) if isinstance(value, (int, float, np.number)) else repr(value)


def _str(value: ArrayLike) -> str:
    if isinstance(value, np.datetime64):
        return str(value.astype("M8[s]") if np.datetime_data(value.dtype)[0] in "Dhm" else value).replace("T", " ")
    return str(value)
