# SPDX-License-Identifier: Apache-2.0
"""Seeded random data of the distributions of benchmarks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from atoll.bench import BenchError
from atoll.bench.registry import Array

Rng = np.random.Generator
#: Alignment for hand-written loops, which need arrays that start at a cache line.
ALIGNMENT = 64


def aligned(values: Array) -> Array:
    """The values in memory that starts at a multiple of 64 bytes."""
    if values.ctypes.data % ALIGNMENT == 0 and values.flags.c_contiguous:
        return values
    out = aligned_empty(values.shape[0], values.dtype)
    out[:] = values
    return out


def aligned_empty(size: int, dtype: Any) -> Array:
    dtype = np.dtype(dtype)
    room = np.empty(size * dtype.itemsize + ALIGNMENT, np.uint8)
    start = -room.ctypes.data % ALIGNMENT
    return room[start : start + size * dtype.itemsize].view(dtype)


def full_range(rng: Rng, n: int, dtype: np.dtype[Any]) -> Array:
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, n, dtype=dtype, endpoint=True)


def bounded(rng: Rng, n: int, dtype: np.dtype[Any], bound: int) -> Array:
    return rng.integers(0, min(bound, int(np.iinfo(dtype).max)), n, dtype=dtype)


def zipf(rng: Rng, n: int, dtype: np.dtype[Any]) -> Array:
    """Ranks with frequency proportional to rank**-1.5, the tail cut at the type's range."""
    return np.minimum(rng.zipf(1.5, n), np.iinfo(dtype).max).astype(dtype)


def nearly_sorted(rng: Rng, n: int, dtype: np.dtype[Any]) -> Array:
    """Sorted except one element in a hundred."""
    values = np.sort(full_range(rng, n, dtype))
    moved = rng.integers(0, max(n, 1), n // 100)
    values[moved] = full_range(rng, len(moved), dtype)
    return values


INTEGERS: dict[str, Callable[[Rng, int, np.dtype[Any]], Array]] = {
    "u64": full_range,
    "u32": lambda rng, n, dtype: bounded(rng, n, dtype, 2**32),
    "u16": lambda rng, n, dtype: bounded(rng, n, dtype, 2**16),
    "zipf": zipf,
    "sorted": lambda rng, n, dtype: np.sort(full_range(rng, n, dtype)),
    "reversed": lambda rng, n, dtype: np.sort(full_range(rng, n, dtype))[::-1].copy(),
    "nearly": nearly_sorted,
    "constant": lambda rng, n, dtype: np.full(n, 42, dtype),
    "few": lambda rng, n, dtype: bounded(rng, n, dtype, 16),
    "groups": lambda rng, n, dtype: bounded(rng, n, dtype, 10_000),
    "many": lambda rng, n, dtype: bounded(rng, n, dtype, 1_000_000),
}

DISTRIBUTIONS = tuple(INTEGERS)


def generate(dtype: str, dist: str, size: int, seed: int) -> Array:
    """`size` values. Floating point: the integers of the distribution, scaled into [-1, 1), so that order and
    multiplicity are the same; `u64` is uniform there."""
    if dist not in INTEGERS:
        raise BenchError(f"there is no distribution '{dist}'. There are: {', '.join(DISTRIBUTIONS)}")
    try:
        kind = np.dtype(dtype)
    except TypeError:
        raise BenchError(f"there is no dtype '{dtype}'. Name it as NumPy does: int64, float32, …") from None
    rng = np.random.default_rng(seed)
    if kind.kind == "f":
        values = INTEGERS[dist](rng, size, np.dtype(np.int64))
        return aligned((values / 2.0**63 if dist in ("u64", "sorted", "reversed", "nearly") else values).astype(kind))
    if kind.kind == "b":
        return aligned(rng.integers(0, 2, size, dtype=np.uint8).view(np.bool_))
    if kind.kind not in "iu":
        raise BenchError(f"benchmarks have no data of dtype '{dtype}'")
    return aligned(INTEGERS[dist](rng, size, kind))


def near_one(size: int, seed: int, dtype: Any = np.float64) -> Array:
    """Values in [0.5, 1.5): products and quotients of them neither overflow nor become denormal quickly."""
    return aligned((np.random.default_rng(seed).random(size) + 0.5).astype(dtype, copy=False))


def in_order(*columns: Any) -> tuple[Any, ...]:
    """Rows sorted by their first column, for answers of other libraries in unspecified order."""
    arrays = [np.asarray(column) for column in columns]
    order = np.argsort(arrays[0], kind="stable")
    return tuple(array[order] for array in arrays)
