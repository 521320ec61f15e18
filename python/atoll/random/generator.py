# SPDX-License-Identifier: Apache-2.0
"""The generator: uniform, normal and exponential numbers, integers, permutations and choices."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import engine
from ..arrays.array import Array, as_array, expr_of, require_out, wrap
from ..arrays.composed import clip
from ..arrays.creation import arange, array, plain, shape_of
from ..arrays.dtypes import BOUNDS, DTYPE_OF, FLOAT64, INT64, KIND_OF, SCALAR_OF, UINT64, DTypeLike, code_of
from ..arrays.scans import cumsum
from ..arrays.selection import take, take_along_axis
from ..arrays.sorting import argsort
from ..arrays.ufuncs import exp
from .stream import MASK, common_size, float_code, is_scalar, mixed, require
from .vectors import Vectors

if TYPE_CHECKING:
    from ..annotations import ArrayLike, Shape
    from ..arrays.ndarray import ndarray

_LONG = 1 << 26  # numbers; of fewer a permutation is made to take some without replacement
_SPARSE = 64  # numbers for each that is taken, so that few are drawn twice
_CHILD = 0x6A09E667F3BCC908  # separates the keys of spawned streams from those of columns


class Generator(Vectors):
    """Draws random arrays; make one with `default_rng`.

    Examples
    --------
    >>> import atoll as ak
    >>> rng = ak.random.default_rng(7)
    >>> rng.integers(0, 10, 5).shape
    (5,)
    """

    __slots__ = ()

    def _shifted(self, values: Any, loc: Any, scale: Any) -> Any:
        return values * scale + loc

    def random(self, size: Shape | None = None, dtype: DTypeLike = np.float64, out: Any = None) -> Any:
        """Uniform in [0, 1).

        Examples
        --------
        >>> import atoll as ak
        >>> x = ak.random.default_rng(1).random(3)
        >>> bool(((x >= 0) & (x < 1)).all())
        True
        """
        code = float_code(dtype)
        if out is not None:
            out[...] = self._draw("uniform", out.shape, code, 0.0, 1.0)
            return out
        return self._draw("uniform", size, code, 0.0, 1.0)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Shape | None = None) -> Any:
        """Uniform in [low, high).

        Examples
        --------
        >>> import atoll as ak
        >>> x = ak.random.default_rng(1).uniform(5, 6, 3)
        >>> bool(((x >= 5) & (x < 6)).all())
        True
        """
        if is_scalar(low) and is_scalar(high):
            a, b = float(plain(low)), float(plain(high))
            if not np.isfinite(b - a):
                raise OverflowError("high - low range exceeds valid bounds")
            if b < a:
                raise ValueError("high - low < 0")
            return self._draw("uniform", size, FLOAT64, a, b)
        values = self.random(common_size(size, low, high))
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
        code = code_of(dtype)
        if not (is_scalar(low) and is_scalar(high)):
            return self._integers_between(low, high, size, code, endpoint)
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

    def _integers_between(
        self, low: ArrayLike, high: ArrayLike, size: Shape | None, code: int, endpoint: bool
    ) -> ndarray:
        """Integers with bounds of their own for each element; the bias is below the range / 2**64."""
        if KIND_OF[code] not in "biu":
            raise TypeError(f"Unsupported dtype {DTYPE_OF[code]!r} for integers")
        first, last = (as_array(one) for one in (low, high))
        if any(KIND_OF[one._expr.dtype] not in "biu" for one in (first, last)):
            raise TypeError("the bounds of integers must be whole numbers")
        least, greatest = BOUNDS.get(code, (0, 1))
        require(first, lambda x: x >= least, "low is out of bounds for " + DTYPE_OF[code].name)
        require(last, lambda x: x <= greatest + (not endpoint), "high is out of bounds for " + DTYPE_OF[code].name)
        require(last - first, (lambda x: x >= 0) if endpoint else (lambda x: x > 0), "low >= high")
        size = common_size(size, first, last)
        span = (last.astype(np.uint64) - first.astype(np.uint64)) + np.uint64(endpoint)
        bits = self._draw("bits", size, UINT64)
        share = engine.apply(engine.OPS["multiply_high"], UINT64, UINT64, (bits._expr, span._expr))
        return (wrap(share) + first.astype(np.uint64)).astype(DTYPE_OF[code])

    def _wide_integers(self, start: int, stop: int, size: Shape | None, code: int) -> Any:
        """Ranges beyond int64: 64 random bits modulo the range; its bias is below range / 2**64."""
        bits = self._draw("bits", (1,) if size is None else size, UINT64)
        if stop - start < 2**64:
            bits = bits % np.uint64(stop - start)
        values = (bits + np.uint64(start & MASK)).astype(np.uint64).astype(SCALAR_OF[code])
        return values[0] if size is None else values

    def normal(self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: Shape | None = None) -> Any:
        """Normal with mean `loc` and standard deviation `scale`.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).normal(5, 0.1, size=(2, 3)).shape
        (2, 3)
        """
        if is_scalar(loc) and is_scalar(scale):
            if not float(plain(scale)) >= 0:
                raise ValueError("scale < 0")
            return self._draw("normal", size, FLOAT64, float(plain(loc)), float(plain(scale)))
        return self._shifted(self.standard_normal(common_size(size, loc, scale)), loc, scale)

    def lognormal(self, mean: ArrayLike = 0.0, sigma: Any = 1.0, size: Shape | None = None) -> Any:
        """Exponential of a normal variable.

        Examples
        --------
        >>> import atoll as ak
        >>> bool((ak.random.default_rng(1).lognormal(size=10) > 0).all())
        True
        """

        values = self.normal(mean, sigma, size)
        return exp(values) if isinstance(values, Array) else np.exp(values)

    def standard_exponential(
        self, size: Shape | None = None, dtype: DTypeLike = np.float64, method: str = "zig", out: Any = None
    ) -> Any:
        """Exponential with mean 1; both of NumPy's methods are one here.

        Examples
        --------
        >>> import atoll as ak
        >>> bool((ak.random.default_rng(1).standard_exponential(10) >= 0).all())
        True
        """
        if out is not None:
            out[...] = self.standard_exponential(out.shape, dtype)
            return out
        return self._draw("exponential", size, float_code(dtype), 1.0, 0.0)

    def exponential(self, scale: ArrayLike = 1.0, size: Shape | None = None) -> Any:
        """Exponential with mean `scale`.

        Examples
        --------
        >>> import atoll as ak
        >>> bool((ak.random.default_rng(1).exponential(2.0, 10) >= 0).all())
        True
        """
        if is_scalar(scale):
            if not float(plain(scale)) >= 0:
                raise ValueError("scale < 0")
            return self._draw("exponential", size, FLOAT64, float(plain(scale)), 0.0)
        return self.standard_exponential(common_size(size, scale)) * scale

    def zipf(self, a: float, size: Shape | None = None, most: int = 2**62) -> Any:
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
        return wrap(engine.argsort(keys._expr))

    def permuted(self, x: ArrayLike, axis: int | None = None, out: Any = None) -> ndarray:
        """The elements in random order: all of them, or along an axis, each vector in an independent order.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).permuted(ak.arange(6).reshape(2, 3), axis=1).sum(axis=1)
        array([ 3, 12])
        """
        array = as_array(x)
        if axis is None:
            mixed_up = take(array.reshape(-1), self._order(array.size)).reshape(array.shape)
        else:
            keys = self._draw("bits", array.shape, UINT64)
            mixed_up = take_along_axis(array, argsort(keys, axis), axis)
        if out is None:
            return mixed_up
        require_out(out)[...] = mixed_up
        return out

    def spawn(self, n_children: int) -> list[Generator]:
        """Generators with independent streams; the next call returns different ones.

        Examples
        --------
        >>> import atoll as ak
        >>> len(ak.random.default_rng(1).spawn(3))
        3
        """
        number = operator.index(n_children)
        if number < 0:
            raise ValueError("n_children must be non-negative")
        first, self._children = self._children, self._children + number
        return [Generator(mixed(self._key ^ _CHILD, child)) for child in range(first, first + number)]

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
        numbers = not isinstance(a, Array) and np.ndim(a) == 0
        population = None if numbers else wrap(expr_of(a).alias())
        length = max(operator.index(a), 0) if population is None else population.shape[axis]
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
                sparse = length > _LONG and number < length // _SPARSE
                places = self._distinct(length, number) if sparse else self._order(length)[:number]
        else:
            places = self._weighted(p, length, number, replace)

        if population is None:
            return places[0] if size is None else places.reshape(shape)
        if size is None:
            chosen = take(population, places, axis)
            return chosen[0] if axis == 0 else chosen
        return take(population, places.reshape(shape), axis)

    def _distinct(self, length: int, number: int) -> ndarray:
        """`count` distinct numbers below `length`, which is far greater: numbers drawn twice count once."""
        found = np.zeros(0, np.int64)
        while found.size < number:
            more = self.integers(0, length, (number - found.size,)).to_numpy()
            found = np.concatenate([found, more])
            found = found[np.sort(np.unique(found, return_index=True)[1])]
        return array(found)

    def _weighted(self, p: ArrayLike, length: int, number: int, replace: bool) -> ndarray:
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
            return clip(wrap(engine.searchsorted(ends._expr, draws._expr, "right")), 0, length - 1)
        if number > int((weights > 0).sum()):
            raise ValueError("Fewer non-zero entries in p than size")
        # Exponential race: the row with the smallest arrival time at these rates.
        return wrap(engine.argsort((self.standard_exponential((length,)) / weights)._expr))[:number]


def _whole(value: ArrayLike) -> int:
    number = plain(value)
    if isinstance(number, float) and number != int(number):
        raise ValueError(f"expected a whole number, not {number}")
    return int(number)
