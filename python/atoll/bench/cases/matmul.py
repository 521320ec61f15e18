# SPDX-License-Identifier: Apache-2.0
"""Products of square matrices beside NumPy's BLAS."""

from __future__ import annotations

from typing import Any

import numpy as np

from atoll.bench import peers
from atoll.bench.registry import Data, Request, Setup, Timed, case


def make(request: Request) -> Data:
    side = max(1, round(request.size**0.5))
    rng = np.random.default_rng(request.seed)
    a, b = rng.standard_normal((side, side)), rng.standard_normal((side, side))
    return {"a": a.astype(request.dtype), "b": b.astype(request.dtype)}


def near(data: Data, answer: Any, reference: Any) -> None:
    """Compares within the rounding error of sums of that many products."""
    side = data["a"].shape[0]
    error = float(np.abs(answer - reference).max())
    if not error <= 20 * np.finfo(answer.dtype).eps * side:
        raise AssertionError(f"it is off by {error}")


matmul = case(
    "matmul", "a @ b, square matrices", make=make, nominal_bytes=lambda data: 3 * int(data["a"].nbytes),
    default_size=2048**2, check=near, canonical=lambda data, answer: np.round(np.abs(answer).sum(), 3),
)  # fmt: skip


@matmul.contender("atoll")
def _(data: Data, setup: Setup) -> Timed:
    ak = peers.atoll(setup)
    a, b = ak.array(data["a"]), ak.array(data["b"])
    return Timed(lambda: (a @ b).evaluate(), lambda answer: answer.to_numpy())


@matmul.contender("numpy")
def _(data: Data, setup: Setup) -> Timed:
    return Timed(lambda: data["a"] @ data["b"])
