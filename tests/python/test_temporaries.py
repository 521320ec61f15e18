# SPDX-License-Identifier: Apache-2.0
"""Peak memory: no reduction makes a temporary array of its input's size."""

import pytest

import atoll as ak

REDUCTIONS = {
    "sum": ak.sum,
    "mean": ak.mean,
    "std": ak.std,
    "max": ak.max,
    "any": ak.any,
    "count_nonzero": ak.count_nonzero,
    "norm": lambda a, axis: ak.linalg.norm(a, axis=axis),
    "einsum": lambda a, axis: ak.einsum({None: "ij,ij->", 0: "ij,ij->j", 1: "ij,ij->i"}[axis], a, a),
}


@pytest.mark.parametrize("dtype", ["int8", "int32", "float32", "float64", "bool"])
def test_no_reduction_copies_its_input(dtype):
    ak.shutdown()
    with ak.init(1, 2):
        a = ak.ones((700, 1500), dtype).evaluate()
        for name, reduction in REDUCTIONS.items():
            for axis in (None, 0, 1):
                before = ak.stats()["memory_peak"]
                reduction(a, axis)
                grown = ak.stats()["memory_peak"] - before
                assert grown < a.nbytes // 2 + 200_000, f"{name} along {axis} of {dtype}"
