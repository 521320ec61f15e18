# SPDX-License-Identifier: Apache-2.0
"""Reductions, scans, joins and products of matrices and cubes, along every axis of every memory layout.

`axes.OPERATION_2d1_t` is OPERATION along axis 1 of a matrix that is the transpose of the array in memory;
`axes.OPERATION_2d1_c_int8` is one of a matrix of int8.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from atoll.bench import peers
from atoll.bench.registry import Case, Data, Request, Setup, Timed, case

#: An operation: (the library, the operand, the axis) to the answer. Libraries have NumPy's names.
Operation = Callable[[Any, Any, int], Any]

#: Layout -> the shape of the array in memory for a wanted shape, and the view of that array.
LAYOUTS: dict[str, tuple[str, Callable[[tuple[int, ...]], tuple[int, ...]], Callable[[Any], Any]]] = {
    "c": ("C order", lambda shape: shape, lambda base: base),
    "t": ("transposed", lambda shape: shape[::-1], lambda base: base.T),
    "s": ("every other column", lambda shape: (*shape[:-1], 2 * shape[-1]), lambda base: base[..., ::2]),
}
#: (axes of the operand, its layout) that are measured: cubes are float32, matrices float64.
PLACES = [("2d", layout, axis) for layout in LAYOUTS for axis in (0, 1)] + [("3d", "c", axis) for axis in (0, 1, 2)]

REDUCTIONS: dict[str, Operation] = {
    "sum": lambda xp, x, axis: xp.sum(x, axis),
    "mean": lambda xp, x, axis: xp.mean(x, axis),
    "max": lambda xp, x, axis: xp.max(x, axis),
    "argmax": lambda xp, x, axis: xp.argmax(x, axis),
    "std": lambda xp, x, axis: xp.std(x, axis),
    "norm": lambda xp, x, axis: xp.linalg.norm(x, axis=axis),
    "count_nonzero": lambda xp, x, axis: xp.count_nonzero(x, axis),
    "prod": lambda xp, x, axis: xp.prod(x, axis),
    "all": lambda xp, x, axis: xp.all(x, axis),
    "percentile": lambda xp, x, axis: xp.percentile(x, 30, axis),
}
SCANS: dict[str, Operation] = {
    "cumsum": lambda xp, x, axis: xp.cumsum(x, axis),
    "cumprod": lambda xp, x, axis: xp.cumprod(x, axis),
    "diff": lambda xp, x, axis: xp.diff(x, axis=axis),
}
JOINS: dict[str, Operation] = {
    "concatenate": lambda xp, x, axis: xp.concatenate([x, x], axis),
    "roll": lambda xp, x, axis: xp.roll(x, 3, axis),
    "stack": lambda xp, x, axis: xp.stack([x, x], axis),
    "flip": lambda xp, x, axis: xp.ascontiguousarray(xp.flip(x, axis)),
}
#: Element types that are not those of PLACES.
DTYPES = {"count_nonzero": "int8"}
#: Element type → operations that are measured with it, too, along both axes of a matrix in C order.
MORE_TYPES = {
    "float32": ("sum", "mean", "max", "std", "cumsum", "diff"),
    "int32": ("sum", "mean", "max", "argmax", "std", "cumsum", "diff"),
    "int8": ("sum", "max", "cumsum", "diff", "concatenate", "flip"),
    "bool": ("sum", "all", "count_nonzero", "cumsum", "concatenate"),
}


def stencil(x: Any) -> Any:
    """The mean of the four neighbours and the element."""
    return (x[1:-1, 1:-1] + x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) * 0.2


#: Products, transforms and stencils: (the library, the matrix, the vector) to the answer.
PRODUCTS: dict[str, tuple[str, Operation]] = {
    "m_v": ("m @ v", lambda xp, m, v: m @ v),
    "v_m": ("v @ m", lambda xp, m, v: v @ m),
    "mt_v": ("m.T @ v", lambda xp, m, v: m.T @ v),
    "mt_m": ("m.T @ m", lambda xp, m, v: m.T @ m),
    "m_mt": ("m @ m.T", lambda xp, m, v: m @ m.T),
    "row_dots": ("einsum ij,ij->i", lambda xp, m, v: xp.einsum("ij,ij->i", m, m)),
    "column_dots": ("einsum ij,ij->j", lambda xp, m, v: xp.einsum("ij,ij->j", m, m)),
    "frobenius": ("linalg.norm of a matrix", lambda xp, m, v: xp.linalg.norm(m)),
    "rfft_0": ("fft.rfft, axis 0", lambda xp, m, v: xp.fft.rfft(m, axis=0)),
    "rfft_1": ("fft.rfft, axis 1", lambda xp, m, v: xp.fft.rfft(m, axis=1)),
    "fft_0": ("fft.fft of real numbers, axis 0", lambda xp, m, v: xp.fft.fft(m, axis=0)),
    "fft_1": ("fft.fft of real numbers, axis 1", lambda xp, m, v: xp.fft.fft(m, axis=1)),
    "fft2": ("fft.fft2 of real numbers", lambda xp, m, v: xp.fft.fft2(m)),
    "stencil": ("5-point stencil", lambda xp, m, v: stencil(m)),
}


def numbers(request: Request, shape: tuple[int, ...]) -> Any:
    """Numbers from 0.5 to 1.5; integers from 0 to 2; nearly all true."""
    rng = np.random.default_rng(request.seed)
    if request.dtype == "bool":
        return rng.random(shape) < 0.999
    if np.dtype(request.dtype).kind in "iu":
        return rng.integers(0, 3, shape).astype(request.dtype)
    return (rng.random(shape) + 0.5).astype(request.dtype)


def shape_of(size: int, dims: int) -> tuple[int, ...]:
    """About `size` elements, no two axes alike, so that a mix-up of axes gives another shape."""
    side = max(2, round(size ** (1 / dims)))
    return tuple(side + axis for axis in range(dims))


def close(data: Data, answer: Any, reference: Any) -> None:
    """Floats within the rounding error of NumPy's sums, integers exactly."""
    answer, reference = np.asarray(answer), np.asarray(reference)
    if answer.shape != reference.shape or answer.dtype.kind != reference.dtype.kind:
        raise AssertionError(f"{answer.dtype}{answer.shape}, expected {reference.dtype}{reference.shape}")
    if answer.dtype.kind not in "fc":
        if not np.array_equal(answer, reference):
            raise AssertionError("the answer differs from the first contender's")
        return
    scale = float(np.abs(reference).max(initial=0))
    error = float(np.abs(answer - reference).max(initial=0))
    unit = max(float(np.finfo(one.dtype).eps) for one in (answer, reference))
    if not error <= 64 * unit * scale * max(1.0, data["m"].shape[0] ** 0.5):
        raise AssertionError(f"it is off by {error}")


def rounded(data: Data, answer: Any) -> Any:
    """Few digits of the sum of magnitudes; sums of float32 have few that agree."""
    answer = np.asarray(answer)
    return np.float64(f"{np.abs(answer).sum(dtype=np.float64):.2g}") if answer.dtype.kind in "fc" else answer


def evaluated(answer: Any) -> Any:
    """An array that is computed, or a number."""
    return answer.evaluate() if hasattr(answer, "evaluate") else answer


def add_contenders(one: Case, action: Callable[[Any, Data], Any], scipy: bool = False) -> None:
    """Atoll, NumPy and perhaps scipy, by one function of (the library, the data)."""

    @one.contender("atoll")
    def _(data: Data, setup: Setup) -> Timed:
        ak = peers.atoll(setup)
        mine = {name: ak.array(value) for name, value in data.items()}
        return Timed(lambda: evaluated(action(ak, mine)), np.asarray)

    @one.contender("numpy")
    def _(data: Data, setup: Setup) -> Timed:
        return Timed(lambda: action(np, data))

    if scipy:

        @one.contender("scipy")
        def _(data: Data, setup: Setup) -> Timed:
            import scipy as sp

            def run() -> Any:
                with sp.fft.set_workers(setup.cores):
                    return action(sp, data)

            return Timed(run)


def declare_along(name: str, operation: Operation, dims: str, layout: str, axis: int, other_type: str = "") -> None:
    words, stored, view = LAYOUTS[layout]
    suffix = f"_{other_type}" if other_type else ""
    dtype = other_type or DTYPES.get(name, "float64" if dims == "2d" else "float32")

    def make(request: Request) -> Data:
        return {"m": numbers(request, stored(shape_of(request.size, int(dims[0]))))}

    one = case(
        f"axes.{name}_{dims}{axis}_{layout}{suffix}", f"{name} along axis {axis}, {words}", make=make, dtype=dtype,
        nominal_bytes=lambda data: int(data["m"].nbytes), default_size=4096**2, check=close, canonical=rounded,
    )  # fmt: skip
    add_contenders(one, lambda xp, data: operation(xp, view(data["m"]), axis))


def declare_product(name: str, words: str, operation: Operation) -> None:
    def make(request: Request) -> Data:
        m = numbers(request, shape_of(request.size, 2))
        # The vector fits both sides: the matrix of these products is square.
        square = m[:, : m.shape[0]].copy()
        return {"m": square, "v": square[0].copy()}

    size = 2048**2 if name in ("mt_m", "m_mt") else 4096**2
    one = case(
        f"axes.{name}", words, make=make, nominal_bytes=lambda data: int(data["m"].nbytes), default_size=size,
        check=close, canonical=rounded,
    )  # fmt: skip
    add_contenders(one, lambda xp, data: operation(xp, data["m"], data["v"]), scipy="fft" in name)
    if name == "stencil":
        one.contender("numba")(stencil_of_numba)


def stencil_of_numba(data: Data, setup: Setup) -> Timed:
    """Into an output that is kept."""
    numba = peers.numba(setup)
    x, out = data["m"], np.empty((data["m"].shape[0] - 2, data["m"].shape[1] - 2), data["m"].dtype)

    @numba.njit(parallel=True)
    def loop(x, out):  # type: ignore[no-untyped-def]
        for i in numba.prange(out.shape[0]):
            for j in range(out.shape[1]):
                out[i, j] = (
                    x[i + 1, j + 1] + x[i, j + 1] + x[i + 2, j + 1] + x[i + 1, j] + x[i + 1, j + 2]
                ) * 0.2  # fmt: skip

    def run() -> Any:
        loop(x, out)
        return out

    return Timed(run)


ALONG = {**REDUCTIONS, **SCANS, **JOINS}
for operation_name, along in ALONG.items():
    for dims_name, layout_name, place in PLACES:
        declare_along(operation_name, along, dims_name, layout_name, place)
for type_name, operations in MORE_TYPES.items():
    for operation_name in operations:
        for place in (0, 1):
            declare_along(operation_name, ALONG[operation_name], "2d", "c", place, type_name)
for operation_name, (summary, product) in PRODUCTS.items():
    declare_product(operation_name, summary, product)
