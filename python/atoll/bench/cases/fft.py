# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms of three axes: a cube of complex numbers, each PE its planes and then its columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from atoll.bench import peers
from atoll.bench.registry import Data, Request, Setup, Timed, case


def make(request: Request) -> Data:
    side = max(1, round(request.size ** (1 / 3)))
    rng = np.random.default_rng(request.seed)
    values = rng.standard_normal((side, side, side)) + 1j * rng.standard_normal((side, side, side))
    return {"x": values.astype(request.dtype)}


def near(data: Data, answer: Any, reference: Any) -> None:
    """Compares within the rounding error of a sum of that many numbers."""
    unit = np.finfo(answer.dtype).eps * float(np.abs(reference).max())
    error = float(np.abs(answer - reference).max())
    if answer.shape != reference.shape or not error <= 10 * unit * np.log2(max(2, answer.size)):
        raise AssertionError(f"it is off by {error}")


cube = case(
    "fft.cube", "fftn of a cube of complex numbers", make=make,
    nominal_bytes=lambda data: 2 * int(data["x"].nbytes), dtype="complex128",
    default_size=256**3, check=near, canonical=lambda data, answer: np.abs(answer),
)  # fmt: skip


@cube.contender("atoll")
def _(data: Data, setup: Setup) -> Timed:
    ak = peers.atoll(setup)
    x = ak.array(data["x"])
    return Timed(lambda: ak.fft.fftn(x).evaluate(), lambda answer: answer.to_numpy())


@cube.contender("scipy")
def _(data: Data, setup: Setup) -> Timed:
    from scipy import fft

    return Timed(lambda: fft.fftn(data["x"], workers=setup.cores))


@cube.contender("numpy")
def _(data: Data, setup: Setup) -> Timed:
    return Timed(lambda: np.fft.fftn(data["x"]))
