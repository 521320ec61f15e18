# SPDX-License-Identifier: Apache-2.0
"""Arrays of integers of any size: columns of bigints with a shape."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll

from ...columns.functions.functions import concatenate, where
from ...columns.numeric.bigints import BigInts, bigint

if TYPE_CHECKING:
    from ...annotations import ArrayLike

__all__ = ["BigInts", "assign", "bigint", "broadcast", "choose", "combine", "floats", "of_any", "pick", "scan_fold"]

#: What an operator's sign does.
OPERATIONS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "%": operator.mod,
    "**": operator.pow, "<<": operator.lshift, ">>": operator.rshift, "&": operator.and_, "|": operator.or_,
    "^": operator.xor, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq,
    "!=": operator.ne,
}  # fmt: skip


def of_any(values: Any, max_bits: int = -1) -> BigInts:
    """The column of integers, bools, floats without a fraction, or strings of numbers."""
    if isinstance(values, BigInts):
        return values if max_bits == values.max_bits else bigint(values, max_bits)
    if hasattr(values, "to_list") and getattr(values, "kind", "") == "text":
        return bigint([int(text, 0) for text in values.to_list()], max_bits)
    array = values.reshape(-1) if isinstance(values, (atoll.ndarray, np.ndarray)) else np.asarray(values).reshape(-1)
    if array.dtype.kind == "b":
        array = array.astype(np.int64)
    if array.dtype.kind == "f":
        return bigint([int(value) for value in array.tolist()], max_bits)
    if array.dtype == object:
        return bigint([int(value) for value in array], max_bits)
    return bigint(atoll.asarray(array), max_bits)


def floats(column: BigInts, shape: tuple[int, ...]) -> Any:
    """The numbers as float64, of a shape."""
    return column.astype("float64").reshape(shape)


def pick(column: BigInts, shape: tuple[int, ...], key: object) -> tuple[Any, tuple[int, ...] | None]:
    """What an index takes: a column and its shape, or a number and None."""
    if len(shape) == 1 and isinstance(key, (int, np.integer)) and not isinstance(key, bool):
        return column[int(key)], None
    rows = atoll.arange(column.size).reshape(shape)[key]
    if not isinstance(rows, atoll.ndarray) or rows.ndim == 0:
        return column[int(rows)], None
    return column.take(rows.reshape(-1)), rows.shape


def assign(column: BigInts, shape: tuple[int, ...], key: object, values: Any) -> BigInts:
    """The column with other numbers at an index."""
    places = atoll.arange(column.size).reshape(shape)[key]
    places = atoll.asarray(places).reshape(-1)
    new = of_any([values] if np.ndim(values) == 0 and not isinstance(values, BigInts) else values, column.max_bits)
    rows = atoll.arange(column.size).copy()
    if new.size not in (1, places.size):
        raise ValueError(f"cannot assign {new.size} values to {places.size} places")
    rows[places] = column.size + (atoll.arange(places.size) if new.size != 1 else 0)
    both: Any = concatenate([column, new])
    return both.take(rows)


def choose(condition: ArrayLike, a: ArrayLike, b: ArrayLike) -> BigInts:
    """Numbers of `a` where a condition holds, elsewhere of `b`."""
    return where(condition, a, b)


def broadcast(column: BigInts, shape: tuple[int, ...], wanted: tuple[int, ...]) -> BigInts:
    """The column as if of another shape."""
    if shape == wanted:
        return column
    return column.take(atoll.broadcast_to(atoll.arange(column.size).reshape(shape), wanted).reshape(-1))


def combine(op: str, a: BigInts, b: BigInts) -> Any:
    """One operation row by row: a column of bigints, an array of bools for comparisons, floats for `/`."""
    if op == "/":
        return atoll.divide(a.astype("float64"), b.astype("float64"))
    most = max(a.max_bits, b.max_bits)
    if op in ("//", "%"):
        zero = b == 0
        if bool(zero.any()):  # Arkouda's quotients by zero are zero
            return where(
                zero,
                bigint(atoll.zeros(a.size, dtype="int64"), most),
                combine(op, a, where(zero, bigint(atoll.ones(a.size, dtype="int64")), b)),
            )
    if op == "**" and most > 0 and b.size:
        return _power(a, b, most)
    if op in ("<<", ">>") and most > 0:
        b = where(b > most, bigint(atoll.full(b.size, most)), b)
    return OPERATIONS[op](a, b)


def _power(a: BigInts, b: BigInts, most: int) -> BigInts:
    """By squaring, modulo 2 ** most."""
    result = bigint(atoll.ones(a.size, dtype="int64"), most)
    square = bigint(a, most)
    left = b
    while bool((left > 0).any()):
        odd = (left & 1) == 1
        result = where(odd, result * square, result)
        square, left = square * square, left >> 1
    return result


def scan_fold(column: Any, op: str) -> int:
    """The product of the numbers, by halves."""
    while column.size > 1:
        half = column.size // 2
        rest = column[2 * half :]
        column = combine(op, column[:half], column[half : 2 * half])
        column = concatenate([column, rest]) if rest.size else column
    return column[0] if column.size else 1
