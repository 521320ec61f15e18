# SPDX-License-Identifier: Apache-2.0
"""str and repr as NumPy's, fetching only the elements that are shown."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from . import engine

if TYPE_CHECKING:
    from .ndarray import ndarray

__all__ = ["array2string", "array_repr", "array_str"]


def _ends(expr: engine.Expr, edge: int) -> np.ndarray[Any, Any]:
    """The corners of the array: each long axis is cut to its two ends and one element for the rest.

    NumPy decides by length alone which elements it omits, so it prints this as it would print the whole array.
    """
    if any(length == 0 for length in expr.shape):
        return expr.to_numpy(True)
    parts: list[list[tuple[int, int]]] = []  # per axis: (start, count) of the elements to fetch
    for length in expr.shape:
        long = length > 2 * edge + 1
        parts.append([(0, edge + 1), (length - edge, edge)] if long else [(0, length)])
    shape = [sum(count for _, count in axis) for axis in parts]
    result: np.ndarray[Any, Any] | None = None
    for choice in itertools.product(*parts):
        block = engine.get_slice(expr, [(start, 1, count) for start, count in choice]).to_numpy(True)
        if result is None:
            result = np.empty(shape, dtype=block.dtype)
        place = tuple(
            slice(0, count) if start == 0 else slice(total - count, total)
            for (start, count), total in zip(choice, shape, strict=True)
        )
        result[place] = block
    assert result is not None
    return result


def _shown(array: ndarray) -> tuple[np.ndarray[Any, Any], bool]:
    """The elements to print, and whether they are shortened."""
    expr, options = array._read(), np.get_printoptions()
    if expr.size <= options["threshold"] or expr.ndim == 0:
        return expr.to_numpy(True), False
    return _ends(expr, options["edgeitems"]), True


def array_str(
    a: ndarray, max_line_width: int | None = None, precision: int | None = None, suppress_small: bool | None = None
) -> str:
    """The elements as `str` of the array shows them, with NumPy's options.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.array_str(ak.array([0.123456]), precision=2)
    '[0.12]'
    """
    with np.printoptions(**_options(max_line_width, precision, suppress_small)):
        return text_of(a)


def _options(width: int | None, precision: int | None, suppress: bool | None) -> Any:
    given = {"linewidth": width, "precision": precision, "suppress": suppress}
    return {name: value for name, value in given.items() if value is not None}


def text_of(array: ndarray) -> str:
    """str(array)"""
    values, shortened = _shown(array)
    if not shortened:
        return str(values)
    with np.printoptions(threshold=0):
        return str(values)


def array_repr(
    arr: ndarray, max_line_width: int | None = None, precision: int | None = None, suppress_small: bool | None = None
) -> str:
    """The elements and their type as `repr` of the array shows them, with NumPy's options.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.array_repr(ak.array([0.123456]), precision=2)
    'array([0.12])'
    """
    with np.printoptions(**_options(max_line_width, precision, suppress_small)):
        return repr_of(arr)


def repr_of(array: ndarray) -> str:
    """repr(array)"""
    values, shortened = _shown(array)
    if not shortened:
        return repr(values)
    options = np.get_printoptions()
    with np.printoptions(threshold=0):
        body = "array(" + np.array2string(values, separator=", ", prefix="array(", suffix=")")
    extras = [f"shape={array.shape}"] if _repr_tells_shape() else []
    if values.dtype not in (np.dtype(bool), np.dtype(np.int64), np.dtype(np.float64)):
        extras.append(f"dtype={values.dtype.name}")
    if not extras:
        return body + ")"
    tail = ", ".join(extras) + ")"
    last = len(body) - (body.rfind("\n") + 1) + 1
    gap = " " if last + len(tail) + 1 <= options["linewidth"] else "\n" + " " * len("array(")
    return f"{body},{gap}{tail}"


def _repr_tells_shape() -> bool:
    # Since NumPy 2.2 the repr of a shortened array says its shape.
    with np.printoptions(threshold=0, edgeitems=1):
        return "shape=" in repr(np.zeros(3))


def array2string(a: ndarray, *args: Any, **kwargs: Any) -> str:
    """The elements as NumPy's `array2string` shows them, with its parameters.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.array2string(ak.arange(3), separator=", ")
    '[0, 1, 2]'
    """
    values, shortened = _shown(a)
    if shortened:
        kwargs.setdefault("threshold", 0)
    return np.array2string(values, *args, **kwargs)
