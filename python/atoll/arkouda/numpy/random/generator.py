# SPDX-License-Identifier: Apache-2.0
"""Arkouda's generators of random numbers, on Atoll's streams, which depend on neither PEs nor threads."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll

from ...objects import lift, lower
from ..arrays import pdarray
from ..dtypes import Int, int64
from ..dtypes import dtype as ak_dtype

if TYPE_CHECKING:
    from ....annotations import ArrayLike, Shape

__all__ = ["Generator", "default_rng"]


def _size(size: int | None) -> Any:
    if isinstance(size, (tuple, list)):
        return tuple(int(n) for n in size)
    return None if size is None else int(size)


def _parameter(value: object, name: str, shape: Shape) -> Any:
    """A number, or an array of them, as the stream takes it."""
    if isinstance(value, pdarray):
        if shape is None:
            raise TypeError(f"size must be given when {name} is an array")
        return value._a.astype(np.float64)
    number: Any = value
    if isinstance(value, (bool, str)) or not np.isscalar(value):
        raise TypeError(f"{name} must be a number or a pdarray; got {type(value).__name__} instead")
    return float(number)


class Generator:
    """A stream of random numbers; `default_rng` makes one.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> a = ak.random.default_rng(5).random(4)
    >>> bool((a == ak.random.default_rng(5).random(4)).all())
    True
    """

    def __init__(self, name_dict: Any = None, seed: Any = None, state: int = 1) -> None:
        self._seed, self._state = seed, state
        self._stream = atoll.random.default_rng(None if seed is None else int(seed))

    def __repr__(self) -> str:
        return f"Generator(Atoll) at 0x{id(self):X}"

    def __str__(self) -> str:
        return "Generator(Atoll)"

    @functools.cached_property
    def _single(self) -> np.random.Generator:
        """NumPy's stream of the same seed; without one, of a seed that all processes draw alike."""
        return np.random.default_rng(int(self._stream.integers(0, 1 << 62) if self._seed is None else self._seed))

    def _drawn(self, law: str, size: int | None, *parameters: Any, names: str = "", **options: object) -> Any:
        """Numbers of a law: of Atoll's stream, and one alone as NumPy draws it, with `options` of its own."""
        shape = _size(size)
        if shape is not None and any(n < 0 for n in np.atleast_1d(shape)):
            raise ValueError("size must not be negative")
        if shape is None and not any(isinstance(one, pdarray) for one in parameters):
            return getattr(self._single, law)(
                *(_parameter(one, name, 1) for one, name in zip(parameters, names.split(), strict=True)), **options
            )
        made = [_parameter(one, name, shape) for one, name in zip(parameters, names.split(), strict=True)]
        return lift(getattr(self._stream, law)(*made, shape))

    def random(self, size: int | None = None) -> Any:
        """Floats from 0 to before 1."""
        return self._drawn("random", size)

    def standard_exponential(self, size: int | None = None, method: str = "zig") -> Any:
        """Floats of the exponential distribution of mean 1."""
        return self._drawn("standard_exponential", size, method=method)

    def standard_normal(self, size: int | None = None, method: str = "zig") -> Any:
        """Floats of the standard normal distribution."""
        return self._drawn("standard_normal", size)

    def exponential(self, scale: object = 1.0, size: int | None = None, method: str = "zig") -> Any:
        """Floats of an exponential distribution."""
        _not_negative(scale, "scale")
        return self._drawn("exponential", size, scale, names="scale")

    def logistic(self, loc: object = 0.0, scale: object = 1.0, size: int | None = None) -> Any:
        """Floats of a logistic distribution."""
        _not_negative(scale, "scale")
        return self._drawn("logistic", size, loc, scale, names="loc scale")

    def lognormal(self, mean: object = 0.0, sigma: Any = 1.0, size: int | None = None, method: str = "zig") -> Any:
        """Floats whose logarithms have a normal distribution."""
        return self._drawn("lognormal", size, mean, sigma, names="mean sigma")

    def normal(self, loc: object = 0.0, scale: object = 1.0, size: int | None = None, method: str = "zig") -> Any:
        """Floats of a normal distribution."""
        _not_negative(scale, "scale")
        return self._drawn("normal", size, loc, scale, names="loc scale")

    def standard_gamma(self, shape: Shape, size: int | None = None) -> Any:
        """Floats of a gamma distribution."""
        _not_negative(shape, "shape")
        return self._drawn("standard_gamma", size, shape, names="shape")

    def poisson(self, lam: Any = 1.0, size: int | None = None) -> Any:
        """Integers of a Poisson distribution."""
        _not_negative(lam, "lam")
        return self._drawn("poisson", size, lam, names="lam")

    def uniform(self, low: float = 0.0, high: float = 1.0, size: int | None = None) -> Any:
        """Floats from `low` to before `high`."""
        return self._drawn("uniform", size, low, high, names="low high")

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: object = int64, endpoint: bool = False
    ) -> Any:
        """Integers, or bools, from `low` to before `high`, or to `high`."""
        kind = ak_dtype(dtype)
        if kind.kind not in ("i", "u", "b"):
            raise TypeError(f"Unsupported dtype {kind} for integers")
        low, high = (0, low) if high is None else (low, high)
        if size is None:
            return self._single.integers(int(low), int(high), dtype=kind, endpoint=endpoint)
        most = int(high) + bool(endpoint)
        if kind.kind == "b":
            return lift(self._stream.integers(0, 2, _size(size)).astype(bool))
        wide = np.uint64 if most > 1 << 63 else np.int64
        found = self._stream.integers(int(low), most, _size(size), dtype=wide)
        return lift(found.astype(kind)) if isinstance(found, atoll.ndarray) else kind.type(found)

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
        """Elements of an array, or numbers below a number, at random."""
        count = int(a) if isinstance(a, Int) else a.size
        wanted = 1 if size is None else _size(size)
        if not replace and np.prod(wanted) > count:
            raise ValueError("Cannot take a larger sample than population when replace is False")
        if p is None:
            rows = self._stream.choice(count, wanted, replace)
        else:
            weights = p._a if isinstance(p, pdarray) else atoll.asarray(p)
            if weights.size != count:
                raise ValueError("weights must have the same length as the values")
            if bool((weights < 0).any()):
                raise ValueError("weights must not be negative")
            rows = self._weighted(weights.astype(np.float64), wanted, replace)
        found = lift(rows) if isinstance(a, Int) else a[lift(rows)]
        return found[0] if size is None else found

    def _weighted(self, weights: Any, wanted: Any, replace: bool) -> Any:
        if replace:
            ends = atoll.cumsum(weights)
            places = self._stream.random(wanted) * float(ends[-1])
            return atoll.minimum(atoll.searchsorted(ends, places, "right"), weights.size - 1)
        keys = self._stream.standard_exponential(weights.size) / weights
        return atoll.argsort(keys)[: int(np.prod(wanted))].copy()

    def shuffle(
        self, x: Any, method: str = "FisherYates", *, feistel_rounds: int = 16, feistel_key: int | None = None
    ) -> None:
        """Puts the elements of an array in a random order, in place."""
        if method not in ("FisherYates", "MergeShuffle", "Feistel"):
            raise ValueError(f"method is 'FisherYates', 'MergeShuffle' or 'Feistel', not {method!r}")
        flat = pdarray._of(x._a, x.shape).flatten()
        mixed = flat[lift(self._stream.permutation(x.size))].reshape(x.shape)
        x._set(mixed._a, mixed.shape)

    def permutation(self, x: object, method: str = "Argsort") -> Any:
        """The elements, or the numbers below a number, in a random order."""
        if method not in ("Argsort", "FisherYates", "Feistel"):
            raise ValueError(f"method is 'Argsort' or 'FisherYates', not {method!r}")
        if isinstance(x, Int):
            return lift(self._stream.permutation(int(x)))
        if not isinstance(x, pdarray):
            raise TypeError(f"x must be a number or a pdarray; got {type(x).__name__} instead")
        return x[lift(self._stream.permutation(x.size))]

    # -- numbers that are a function of their place --

    def _stateless_u64_from_index(self, n: int, seed: Any, stream: Any, start_idx: Any = 0) -> Any:
        _whole(n, seed, stream, start_idx)
        if n < 0 or start_idx < 0:
            raise ValueError("n and start_idx must not be negative")
        return lift(_words(int(n), int(seed), int(stream), int(start_idx)))

    def _fill_with_stateless_u64_from_index(self, x: ArrayLike, seed: Any, stream: Any, start_idx: Any = 0) -> None:
        _whole(seed, stream, start_idx)
        if not isinstance(x, pdarray):
            raise TypeError("x must be a pdarray")
        if x.dtype != np.uint64:
            raise TypeError(f"x must be of uint64, not {x.dtype}")
        x._a = _words(x.size, int(seed), int(stream), int(start_idx))

    def _stateless_uniform_01_from_index(self, n: int, seed: int | None, stream: Any, start_idx: Any = 0) -> Any:
        words = self._stateless_u64_from_index(n, seed, stream, start_idx)._a
        return lift((words >> np.uint64(11)).astype(np.float64) * 2.0**-53)

    def _fill_stateless_uniform_01_from_index(
        self, x: object, seed: int | None, stream: Any, start_idx: Any = 0
    ) -> None:
        if not isinstance(x, pdarray):
            raise TypeError("x must be a pdarray")
        if x.dtype != np.float64:
            raise TypeError(f"x must be of float64, not {x.dtype}")
        x._a = self._stateless_uniform_01_from_index(x.size, seed, stream, start_idx)._a


def _whole(*numbers: Any) -> None:
    for one in numbers:
        if not isinstance(one, Int):
            raise TypeError(f"a whole number is needed, not {type(one).__name__}")


def _words(n: int, seed: int, stream: int, start: int) -> Any:
    """splitmix64 of the places."""
    key = (seed * 0x9E3779B97F4A7C15 + stream * 0xD1B54A32D192ED03) % (1 << 64)
    words = atoll.arange(start, start + n).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(key)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def _not_negative(value: object, name: str) -> None:
    values = lower(value)
    if isinstance(value, str) or (not isinstance(value, pdarray) and not np.isscalar(value)):
        raise TypeError(f"{name} must be a number or a pdarray; got {type(value).__name__} instead")
    if bool(atoll.asarray(values < 0).any()) if isinstance(value, pdarray) else values < 0:
        raise ValueError(f"{name} must not be negative")


def default_rng(seed: int | None = None) -> Generator:
    """A stream of a seed, or another one each time."""
    return seed if isinstance(seed, Generator) else Generator(seed=seed)
