# SPDX-License-Identifier: Apache-2.0
"""A stream of random numbers: the base of all draws of a generator."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import engine
from ..arrays.array import Array, as_array, wrap
from ..arrays.creation import plain, shape_of
from ..arrays.dtypes import FLOAT32, FLOAT64, SCALAR_OF, DTypeLike, code_of
from ..arrays.manipulation import broadcast_to
from ..session import current

if TYPE_CHECKING:
    from ..annotations import ArrayLike, Shape
    from ..arrays.ndarray import ndarray

MASK = 2**64 - 1


class BitGenerator:
    """The state of a stream: `state` can be saved and restored, in this session or another.

    Examples
    --------
    >>> import atoll as ak
    >>> rng = ak.random.default_rng(7)
    >>> state = rng.bit_generator.state
    >>> first = rng.random(2)
    >>> rng.bit_generator.state = state
    >>> bool((rng.random(2) == first).all())
    True
    """

    __slots__ = ("_stream",)

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    @property
    def state(self) -> dict[str, Any]:
        """The stream's key, how many elements have been drawn, and how many streams have been spawned."""
        stream = self._stream
        inner = {"key": stream._key, "counter": stream._counter, "children": stream._children}
        return {"bit_generator": type(self).__name__, "state": inner}

    @state.setter
    def state(self, value: dict[str, Any]) -> None:
        if not isinstance(value, dict) or value.get("bit_generator") != type(self).__name__:
            raise ValueError(f"state must be that of a {type(self).__name__} of atoll.random")
        inner = value["state"]
        key, counter, children = (int(inner[name]) for name in ("key", "counter", "children"))
        if not all(0 <= one <= MASK for one in (key, counter)) or children < 0:
            raise ValueError("key and counter are numbers of 64 bits")
        self._stream._key, self._stream._counter, self._stream._children = key, counter, children


class Stream:
    """A key and how many elements have been drawn: element i of a draw is a function of both and of i."""

    __slots__ = ("_children", "_counter", "_key")

    def __init__(self, key: int, counter: int = 0) -> None:
        self._key = key
        self._counter = counter
        self._children = 0

    def __repr__(self) -> str:
        return f"<ak.random.Generator, {self._counter} drawn>"

    @property
    def bit_generator(self) -> BitGenerator:
        """The state of the stream."""
        return BitGenerator(self)

    def _draw(self, kind: str, size: Shape | None, code: int, a: Any = 0, b: Any = 0) -> Any:
        shape = (1,) if size is None else shape_of(size)
        expr = engine.random(current(), kind, shape, code, self._key, self._counter, a, b)
        self._counter = (self._counter + expr.size) & MASK
        return SCALAR_OF[code](expr.item()) if size is None else wrap(expr)

    def _draw_law(
        self, law: str, size: Shape | None, parameters: tuple[Any, ...], code: int = FLOAT64, column: int = 0
    ) -> Any:
        """A draw of a law of `engine.random_law`; one parameter for all elements, or arrays that broadcast to the size.

        Draws of different columns of one element are independent and do not move the stream.
        """
        size = common_size(size, *parameters)
        shape = (1,) if size is None else shape_of(size)
        numbers = [float(plain(one)) if is_scalar(one) else 0.0 for one in parameters]
        arrays = [
            None if is_scalar(one) else broadcast_to(as_array(one).astype(np.float64), shape)._read()
            for one in parameters
        ]
        key = self._key if column == 0 else mixed(self._key, column)
        expr = engine.random_law(current(), law, shape, code, key, self._counter, numbers, arrays)
        if column == 0:
            self._counter = (self._counter + expr.size) & MASK
        return SCALAR_OF[code](expr.item()) if size is None else wrap(expr)


def mixed(key: int, number: int) -> int:
    """The key of an independent stream, by SplitMix64's function."""
    z = (key + (number + 1) * 0xD1342543DE82EF95) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def common_size(size: Shape | None, *parameters: Any) -> Any:
    """The size to draw when parameters are arrays; None stays None for scalars."""
    shapes = [np.shape(p) if not isinstance(p, Array) else p.shape for p in parameters]
    shape = np.broadcast_shapes(*shapes)
    return shape or None if size is None else fitting(size, shape)


def fitting(size: Shape, parameters: tuple[int, ...]) -> tuple[int, ...]:
    """The size as a shape; ValueError unless the parameters' shape broadcasts to it."""
    wanted = shape_of(size)
    with contextlib.suppress(ValueError):
        if np.broadcast_shapes(parameters, wanted) == wanted:
            return wanted
    raise ValueError(f"Output size {wanted} is not compatible with broadcast dimensions of inputs {parameters}.")


def is_scalar(value: Any) -> bool:
    """Whether a parameter is one number for all elements."""
    return not isinstance(value, Array) and np.ndim(value) == 0


def require(value: ArrayLike, holds: Callable[[Any], Any], message: str) -> Any:
    """The parameter; ValueError unless the condition, which no NaN may meet, holds for all of it."""
    if is_scalar(value):
        if not holds(float(plain(value))):
            raise ValueError(message)
        return value
    given: ndarray = as_array(value)
    if not bool(as_array(holds(given)).all()):
        raise ValueError(message)
    return given


def float_code(dtype: DTypeLike) -> int:
    """The engine's code of float32 or float64."""
    code = code_of(dtype)
    if code < FLOAT32:
        raise TypeError(f"Unsupported dtype {np.dtype(dtype)!r}; use float32 or float64")
    return code


def not_negative(value: ArrayLike, name: str) -> Any:
    """The parameter; ValueError unless all of it is 0 or greater."""
    return require(value, lambda x: x >= 0, f"{name} < 0")


def positive(value: ArrayLike, name: str) -> Any:
    """The parameter; ValueError unless all of it is greater than 0."""
    return require(value, lambda x: x > 0, f"{name} <= 0")


def finite(value: ArrayLike, name: str) -> Any:
    """The parameter; ValueError when some of it is not a finite number."""
    return require(value, lambda x: abs(x) < math.inf, f"{name} must be finite")
