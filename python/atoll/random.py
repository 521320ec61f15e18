# SPDX-License-Identifier: Apache-2.0
"""Random numbers: a seeded generator whose stream does not depend on the number of PEs or threads.

Element i of a draw is a function of the generator's key and of i plus the number of elements drawn before.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from . import _core
from .arrays.array import Array, expr_of, wrap
from .arrays.composed import clip
from .arrays.creation import arange, plain, shape_of
from .arrays.dtypes import BOUNDS, FLOAT32, FLOAT64, INT64, KIND_OF, SCALAR_OF, UINT64, DTypeLike, code_of
from .arrays.ndarray import ndarray
from .arrays.reductions import cumsum
from .arrays.selection import take
from .arrays.ufuncs import exp
from .session import current

_MASK = 2**64 - 1


class Generator:
    """Draws random arrays; make one with `default_rng`.

    Examples
    --------
    >>> import atoll as ak
    >>> rng = ak.random.default_rng(7)
    >>> rng.integers(0, 10, 5).shape
    (5,)
    """

    __slots__ = ("_counter", "_key")

    def __init__(self, key: int, counter: int = 0) -> None:
        self._key = key
        self._counter = counter

    def __repr__(self) -> str:
        return f"<ak.random.Generator, {self._counter} drawn>"

    def _draw(self, kind: str, size: Any, code: int, a: Any = 0, b: Any = 0) -> Any:
        shape = (1,) if size is None else shape_of(size)
        expr = _core.random(current(), kind, shape, code, self._key, self._counter, a, b)
        self._counter = (self._counter + expr.size) & _MASK
        return SCALAR_OF[code](expr.item()) if size is None else wrap(expr)

    def _shifted(self, values: Any, loc: Any, scale: Any) -> Any:
        return values * scale + loc

    @staticmethod
    def _common_size(size: Any, *parameters: Any) -> Any:
        """The size to draw when parameters are arrays; None stays None for scalars."""
        shapes = [np.shape(p) if not isinstance(p, Array) else p.shape for p in parameters]
        shape = np.broadcast_shapes(*shapes)
        if size is None:
            return shape or None
        wanted = shape_of(size)
        if np.broadcast_shapes(shape, wanted) != wanted:
            raise ValueError(f"Output size {wanted} is not compatible with broadcast dimensions of inputs {shape}.")
        return wanted

    def random(self, size: Any = None, dtype: DTypeLike = np.float64, out: Any = None) -> Any:
        """Uniform in [0, 1).

        Examples
        --------
        >>> import atoll as ak
        >>> x = ak.random.default_rng(1).random(3)
        >>> bool(((x >= 0) & (x < 1)).all())
        True
        """
        code = _float_code(dtype)
        if out is not None:
            out[...] = self._draw("uniform", out.shape, code, 0.0, 1.0)
            return out
        return self._draw("uniform", size, code, 0.0, 1.0)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """Uniform in [low, high).

        Examples
        --------
        >>> import atoll as ak
        >>> x = ak.random.default_rng(1).uniform(5, 6, 3)
        >>> bool(((x >= 5) & (x < 6)).all())
        True
        """
        if _scalar(low) and _scalar(high):
            a, b = float(plain(low)), float(plain(high))
            if not np.isfinite(b - a):
                raise OverflowError("high - low range exceeds valid bounds")
            if b < a:
                raise ValueError("high - low < 0")
            return self._draw("uniform", size, FLOAT64, a, b)
        values = self.random(self._common_size(size, low, high))
        return self._shifted(values, low, high - low)

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: DTypeLike = np.int64, endpoint: bool = False
    ) -> Any:
        """Uniform integers in [low, high), or [low, high] with `endpoint`; with one bound, from 0.

        Examples
        --------
        >>> import atoll as ak
        >>> x = ak.random.default_rng(1).integers(3, size=100)
        >>> int(x.min()), int(x.max())
        (0, 2)
        """
        if high is None:
            low, high = 0, low
        if not (_scalar(low) and _scalar(high)):
            raise TypeError(
                "the bounds of integers must be single numbers; scale rng.random(size) for bounds by element"
            )
        code = code_of(dtype)
        if KIND_OF[code] not in "biu":
            raise TypeError(f"Unsupported dtype {np.dtype(dtype)!r} for integers")
        start, stop = _whole(low), _whole(high) + bool(endpoint)
        if start >= stop:
            raise ValueError("low >= high" if not endpoint else "low > high")
        least, greatest = BOUNDS[code]
        if start < least:
            raise ValueError(f"low is out of bounds for {SCALAR_OF[code].__name__}")
        if stop - 1 > greatest:
            raise ValueError(f"high is out of bounds for {SCALAR_OF[code].__name__}")
        if stop - start > 2**63 - 1 or stop > 2**63 - 1:
            return self._wide_integers(start, stop, size, code)
        return self._draw("integers", size, code, start, stop)

    def _wide_integers(self, start: int, stop: int, size: Any, code: int) -> Any:
        """Ranges beyond int64: 64 random bits modulo the range; its bias is below range / 2**64."""
        bits = self._draw("bits", (1,) if size is None else size, UINT64)
        if stop - start < 2**64:
            bits = bits % np.uint64(stop - start)
        values = (bits + np.uint64(start & _MASK)).astype(np.uint64).astype(SCALAR_OF[code])
        return values[0] if size is None else values

    def standard_normal(self, size: Any = None, dtype: DTypeLike = np.float64) -> Any:
        """Normal with mean 0 and deviation 1.

        Examples
        --------
        >>> import atoll as ak
        >>> bool(abs(ak.random.default_rng(1).standard_normal(10_000).mean()) < 0.1)
        True
        """
        return self._draw("normal", size, _float_code(dtype), 0.0, 1.0)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Normal with mean `loc` and standard deviation `scale`.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).normal(5, 0.1, size=(2, 3)).shape
        (2, 3)
        """
        if _scalar(loc) and _scalar(scale):
            if not float(plain(scale)) >= 0:
                raise ValueError("scale < 0")
            return self._draw("normal", size, FLOAT64, float(plain(loc)), float(plain(scale)))
        return self._shifted(self.standard_normal(self._common_size(size, loc, scale)), loc, scale)

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
        """Exponential of a normal variable.

        Examples
        --------
        >>> import atoll as ak
        >>> bool((ak.random.default_rng(1).lognormal(size=10) > 0).all())
        True
        """

        values = self.normal(mean, sigma, size)
        return exp(values) if isinstance(values, Array) else np.exp(values)

    def standard_exponential(self, size: Any = None, dtype: DTypeLike = np.float64) -> Any:
        """Exponential with mean 1.

        Examples
        --------
        >>> import atoll as ak
        >>> bool((ak.random.default_rng(1).standard_exponential(10) >= 0).all())
        True
        """
        return self._draw("exponential", size, _float_code(dtype), 1.0, 0.0)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        """Exponential with mean `scale`.

        Examples
        --------
        >>> import atoll as ak
        >>> bool((ak.random.default_rng(1).exponential(2.0, 10) >= 0).all())
        True
        """
        if _scalar(scale):
            if not float(plain(scale)) >= 0:
                raise ValueError("scale < 0")
            return self._draw("exponential", size, FLOAT64, float(plain(scale)), 0.0)
        return self.standard_exponential(self._common_size(size, scale)) * scale

    def zipf(self, a: float, size: Any = None, most: int = 2**62) -> Any:
        """Zipf with exponent `a` > 1: 1 is the most frequent; values beyond `most` become `most`.

        Examples
        --------
        >>> import atoll as ak
        >>> int(ak.random.default_rng(1).zipf(2.0, 100).min())
        1
        """
        if not float(a) > 1:
            raise ValueError("a <= 1 or a is NaN")
        return self._draw("zipf", size, INT64, float(a), int(most))

    def bytes(self, length: int) -> bytes:
        """Random bytes.

        Examples
        --------
        >>> import atoll as ak
        >>> len(ak.random.default_rng(1).bytes(5))
        5
        """
        words = self._draw("bits", (-(-operator.index(length) // 8),), UINT64)
        return words.tobytes()[:length]

    def permutation(self, x: Any, axis: int = 0) -> ndarray:
        """The rows in random order; of a number n, those of ``arange(n)``.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.sort(ak.random.default_rng(1).permutation(4))
        array([0, 1, 2, 3])
        """
        if not isinstance(x, Array) and np.ndim(x) == 0:
            return self._order(operator.index(x))
        array = wrap(expr_of(x).alias())

        return take(array, self._order(array.shape[axis]), axis)

    def _order(self, length: int) -> ndarray:
        keys = self._draw("bits", (shape_of(length)[0],), UINT64)
        return wrap(_core.argsort(keys._expr))

    def shuffle(self, x: ndarray, axis: int = 0) -> None:
        """Puts the rows of `x` into random order, in place.

        Examples
        --------
        >>> import atoll as ak
        >>> x = ak.arange(4)
        >>> ak.random.default_rng(1).shuffle(x)
        >>> int(x.sum())
        6
        """
        if not isinstance(x, Array):
            raise TypeError("shuffle works in place on an ak.ndarray; use permutation for other values")
        x._store(self.permutation(x, axis)._expr)

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0) -> Any:
        """Rows of `a` (or numbers below it) at random, with or without replacement, evenly or with probabilities `p`.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).choice(5, 5, replace=False).sum()
        np.int64(10)
        """
        population = (
            arange(operator.index(a)) if not isinstance(a, Array) and np.ndim(a) == 0 else wrap(expr_of(a).alias())
        )
        length = population.shape[axis]
        shape = () if size is None else shape_of(size)
        number = int(np.prod(shape))
        if length == 0 and number:
            raise ValueError("a must be a positive integer unless no samples are taken")
        if p is None:
            if replace:
                places = self.integers(0, length, (number,)) if number else arange(0)
            else:
                if number > length:
                    raise ValueError("Cannot take a larger sample than population when replace is False")
                places = self._order(length)[:number]
        else:
            places = self._weighted(p, length, number, replace)

        if size is None:
            chosen = take(population, places, axis)
            return chosen[0] if axis == 0 else chosen
        return take(population, places.reshape(shape), axis)

    def _weighted(self, p: Any, length: int, number: int, replace: bool) -> ndarray:
        weights = wrap(expr_of(p).alias()).astype(np.float64)
        if weights.shape != (length,):
            raise ValueError("a and p must have same size")
        if not bool((weights >= 0).all()):
            raise ValueError(
                "Probabilities are not non-negative"
                if not bool((weights != weights).any())
                else "Probabilities contain NaN"
            )
        if abs(float(weights.sum()) - 1.0) > 1e-8:
            raise ValueError("Probabilities do not sum to 1. See Notes section of docstring for more information.")
        if replace:
            ends = cumsum(weights)
            draws = self.random((number,)) * float(ends[-1])
            return clip(wrap(_core.searchsorted(ends._expr, draws._expr, "right")), 0, length - 1)
        if number > int((weights > 0).sum()):
            raise ValueError("Fewer non-zero entries in p than size")
        # The first to ring of clocks with these rates.
        return wrap(_core.argsort((self.standard_exponential((length,)) / weights)._expr))[:number]


def _scalar(value: Any) -> bool:
    return not isinstance(value, Array) and np.ndim(value) == 0


def _whole(value: Any) -> int:
    number = plain(value)
    if isinstance(number, float) and number != int(number):
        raise ValueError(f"expected a whole number, not {number}")
    return int(number)


def _float_code(dtype: DTypeLike) -> int:
    code = code_of(dtype)
    if code < FLOAT32:
        raise TypeError(f"Unsupported dtype {np.dtype(dtype)!r}; use float32 or float64")
    return code


def default_rng(seed: Any = None) -> Generator:
    """A generator of random arrays.

    Parameters
    ----------
    seed : int, sequence of int, SeedSequence or Generator, optional
        The same seed gives the same numbers on any number of PEs and threads. Without one they differ every time.

    Examples
    --------
    >>> import atoll as ak
    >>> a = ak.random.default_rng(42).random(3)
    >>> b = ak.random.default_rng(42).random(3)
    >>> ak.array_equal(a, b)
    True
    """
    if isinstance(seed, Generator):
        return seed
    if seed is not None and not isinstance(seed, np.random.SeedSequence):
        seed = np.random.SeedSequence(seed.tolist() if isinstance(seed, Array) else seed)
    fresh = seed is None
    words = (np.random.SeedSequence() if fresh else seed).generate_state(1, np.uint64)
    session = current()
    if fresh and session.kind == "spmd" and session.pes > 1:  # all PEs use PE 0's
        return Generator(int(wrap(_core.from_local(session, words))[0]))
    return Generator(int(words[0]))


_default: Generator | None = None


def _shared() -> Generator:
    global _default
    if _default is None:
        _default = default_rng()
    return _default


def randint(low: int, high: int, size: Any = None, dtype: DTypeLike = np.int64, seed: Any = None) -> Any:
    """Uniform integers in [low, high) (Arkouda's name; with a float dtype, uniform floats).

    Examples
    --------
    >>> import atoll as ak
    >>> ak.randint(0, 10, 4, seed=1).shape
    (4,)
    """
    generator = _shared() if seed is None else default_rng(seed)
    if KIND_OF[code_of(dtype)] == "f":
        drawn = generator.uniform(low, high, size)
        return drawn.astype(dtype) if code_of(dtype) == FLOAT32 else drawn
    return generator.integers(low, high, size, dtype)


def uniform(size: Any, low: float = 0.0, high: float = 1.0, seed: Any = None) -> Any:
    """Uniform floats in [low, high) (Arkouda's name and order of parameters).

    Examples
    --------
    >>> import atoll as ak
    >>> ak.uniform(3, seed=1).shape
    (3,)
    """
    return (_shared() if seed is None else default_rng(seed)).uniform(low, high, size)


def standard_normal(size: Any, seed: Any = None) -> Any:
    """Normal floats with mean 0 and deviation 1 (Arkouda's name).

    Examples
    --------
    >>> import atoll as ak
    >>> ak.standard_normal(3, seed=1).shape
    (3,)
    """
    return (_shared() if seed is None else default_rng(seed)).standard_normal(size)


__all__ = ["Generator", "default_rng", "randint", "standard_normal", "uniform"]
