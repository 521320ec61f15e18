# SPDX-License-Identifier: Apache-2.0
"""Arkouda's `random`: generators, and functions that draw from one that all share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...objects import checked, entitled
from ..dtypes import float64
from ..pdarraycreation import randint as _randint
from ..pdarraycreation import standard_normal as _standard_normal
from ..pdarraycreation import uniform as _uniform
from . import generator
from .generator import Generator, default_rng

if TYPE_CHECKING:
    from ....annotations import ColumnType

_shared: list[Generator] = []

#: Functions that draw from the shared stream.
_SHARED = (
    "choice", "exponential", "integers", "logistic", "lognormal", "normal", "permutation", "poisson", "random",
    "shuffle", "standard_exponential", "standard_gamma",
)  # fmt: skip

__all__ = [
    *_SHARED, "Generator", "default_rng", "generator", "get_global_generator", "global_generator_exists", "rand",
    "randint", "seed", "standard_normal", "uniform",
]  # fmt: skip


def global_generator_exists() -> bool:
    """Whether the shared stream was used or seeded."""
    return bool(_shared)


def get_global_generator() -> Generator:
    """The shared stream."""
    if not _shared:
        _shared.append(default_rng())
    return _shared[0]


def seed(seed: int | None = None) -> None:
    """Restarts the shared stream.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.random.seed(3)
    >>> a = ak.random.integers(0, 10, 4)
    >>> ak.random.seed(3)
    >>> bool((a == ak.random.integers(0, 10, 4)).all())
    True
    """
    _shared[:] = [default_rng(seed)]


def _from_shared(name: str) -> Any:
    def draw(*args: object, **options: object) -> Any:
        return getattr(get_global_generator(), name)(*args, **options)

    return entitled(draw, name, f"See `Generator.{name}`.")


for _name in _SHARED:
    globals()[_name] = _from_shared(_name)


def _drawn(seed: int | None) -> Any:
    """A seed of the shared stream, where it was seeded and none is given."""
    if seed is None and _shared:
        return int(get_global_generator().integers(0, 1 << 62))
    return seed


@checked((int, float, np.integer, np.floating), (int, float, np.integer, np.floating))
def randint(
    low: float, high: float, size: int | None = 1, dtype: ColumnType = np.int64, seed: int | None = None
) -> Any:
    """Random numbers of a type, from `low` to before `high`; of bool, of False and True alike."""
    if not isinstance(size, str) and np.any(np.asarray(size) < 0):
        raise ValueError("size must be >= 0, ndim >= 1")
    if isinstance(low, (int, float, np.number)) and isinstance(high, (int, float, np.number)):
        _check_bounds(low, high, np.dtype(bool) == dtype)
    return _randint(low, high, size, dtype, _drawn(seed))


def _check_bounds(low: float, high: float, truth: bool) -> None:
    if truth and high <= 0:
        raise ValueError("high <= 0")
    if truth and low < 0:
        raise ValueError("low < 0")
    if truth and high > 2:
        raise ValueError("high is out of bounds for bool")
    if low >= high:
        raise ValueError("low >= high")


def standard_normal(size: int | None, seed: int | None = None) -> Any:
    """Random floats of the standard normal distribution."""
    if isinstance(size, (int, np.integer)) and size < 0:
        raise ValueError("The size parameter must be > 0")
    return _standard_normal(size, _drawn(seed))


def uniform(size: int | None, low: float = 0.0, high: float = 1.0, seed: int | None = None) -> Any:
    """Random floats from `low` to before `high`."""
    return _uniform(size, low, high, _drawn(seed))


def rand(*size: Any, seed: int | None = None) -> Any:
    """Random floats from 0 to before 1, in a shape; without one, a number."""
    if not size:
        return np.float64(_uniform(1, seed=_drawn(seed))[0])
    return _randint(0.0, 1.0, tuple(size), float64, _drawn(seed))
