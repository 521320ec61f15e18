# SPDX-License-Identifier: Apache-2.0
"""histogram: 100 equal bins."""

from __future__ import annotations

import numpy as np

from atoll.bench import peers
from atoll.bench.data import aligned, aligned_empty, generate
from atoll.bench.registry import Data, Request, Setup, Timed, case

BINS = 100
LOW, HIGH = 0.0, 1.0


def make(request: Request) -> Data:
    """Values in [0, 1): floats of the distribution are in [-1, 1), or clipped to it."""
    values = generate(request.dtype, request.dist, request.size, request.seed) * 0.5 + 0.5
    return {"a": aligned(np.clip(values, LOW, np.nextafter(HIGH, LOW, dtype=values.dtype)))}


histogram = case("histogram", f"{BINS} equal bins over a given range", make=make, nominal_bytes=lambda d: d["a"].nbytes)


@histogram.contender("atoll")
def _(data: Data, setup: Setup) -> Timed:
    ak = peers.atoll(setup)
    a = ak.array(data["a"])
    return Timed(lambda: ak.histogram(a, BINS, (LOW, HIGH))[0].evaluate(), lambda answer: answer.to_numpy())


@histogram.contender("numpy")
def _(data: Data, setup: Setup) -> Timed:
    a = data["a"]
    return Timed(lambda: np.histogram(a, BINS, (LOW, HIGH))[0])


@histogram.contender("numpy-bincount")
def _(data: Data, setup: Setup) -> Timed:
    """A common fast substitute for np.histogram. Its bin edges round differently, so it counts precomputed integers."""
    a = data["a"]
    edges = np.histogram_bin_edges(a, BINS, (LOW, HIGH))
    bins = np.clip(np.searchsorted(edges, a, side="right") - 1, 0, BINS - 1)
    return Timed(lambda: np.bincount(bins, minlength=BINS))


@histogram.contender("polars")
def _(data: Data, setup: Setup) -> Timed:
    pl = peers.polars()
    # Polars' bins are closed on the right; mirrored data give the same counts.
    mirrored = pl.Series(-data["a"])
    edges = (-np.histogram_bin_edges(data["a"], BINS, (LOW, HIGH)))[::-1].tolist()
    return Timed(
        lambda: mirrored.hist(bins=edges, include_category=False, include_breakpoint=False),
        lambda answer: answer.to_series(-1).to_numpy()[::-1].astype(np.int64),
    )


@histogram.contender("numba")
def _(data: Data, setup: Setup) -> Timed:
    numba = peers.numba(setup)
    a, threads = data["a"], setup.cores
    edges = np.histogram_bin_edges(a, BINS, (LOW, HIGH))

    @numba.njit(parallel=True)
    def loop(a, edges, bins, threads):  # type: ignore[no-untyped-def]
        counts = np.zeros((threads, bins + 8), np.int64)
        low, scale = edges[0], bins / (edges[-1] - edges[0])
        for thread in numba.prange(threads):
            for i in range(a.size * thread // threads, a.size * (thread + 1) // threads):
                at = min(int((a[i] - low) * scale), bins - 1)
                if a[i] < edges[at]:
                    at -= 1
                elif at + 1 < bins and a[i] >= edges[at + 1]:
                    at += 1
                counts[thread, at] += 1
        return counts[:, :bins].sum(axis=0)

    return Timed(lambda: loop(a, edges, BINS, threads))


@histogram.contender("limit")
def _(data: Data, setup: Setup) -> Timed:
    out = aligned_empty(BINS, np.int64)
    return peers.limit(setup, "histogram", [data["a"], out], [], answer=out)
