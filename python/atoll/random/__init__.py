# SPDX-License-Identifier: Apache-2.0
"""Random numbers: a seeded generator whose stream does not depend on the number of PEs or threads.

Element i of a draw is a function of the generator's key and of i plus the number of elements drawn before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..arrays.array import Array, wrap
from ..arrays.dtypes import FLOAT32, KIND_OF, DTypeLike, code_of
from ..session import current
from .generator import Generator

if TYPE_CHECKING:
    from ..annotations import Shape

__all__ = ["Generator", "default_rng", "randint", "standard_normal", "uniform"]


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


def randint(low: int, high: int | None = None, size: Any = None, dtype: DTypeLike = np.int64, seed: Any = None) -> Any:
    """Uniform integers in [low, high), or [0, low) without `high`; with a float dtype, uniform floats.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.randint(0, 10, 4, seed=1).shape
    (4,)
    """
    if high is None:
        low, high = 0, low
    generator = _shared() if seed is None else default_rng(seed)
    if KIND_OF[code_of(dtype)] == "f":
        drawn = generator.uniform(low, high, size)
        return drawn.astype(dtype) if code_of(dtype) == FLOAT32 else drawn
    return generator.integers(low, high, size, dtype)


def uniform(size: Shape | None, low: float = 0.0, high: float = 1.0, seed: int | None = None) -> Any:
    """Uniform floats in [low, high) (Arkouda's name and order of parameters).

    Examples
    --------
    >>> import atoll as ak
    >>> ak.uniform(3, seed=1).shape
    (3,)
    """
    return (_shared() if seed is None else default_rng(seed)).uniform(low, high, size)


def standard_normal(size: Shape | None, seed: int | None = None) -> Any:
    """Normal floats with mean 0 and deviation 1 (Arkouda's name).

    Examples
    --------
    >>> import atoll as ak
    >>> ak.standard_normal(3, seed=1).shape
    (3,)
    """
    return (_shared() if seed is None else default_rng(seed)).standard_normal(size)
