# SPDX-License-Identifier: Apache-2.0
"""Products of matrices of many shapes: NumPy's values, and the same bits in every session."""

import numpy as np
import pytest
from oracle import DTYPES, same

import atoll as ak

pytestmark = pytest.mark.usefixtures("every_session")
_seen = {}
SHAPES = [(1, 1, 1), (7, 5, 9), (100, 3, 40), (3, 700, 5), (1, 300, 8), (40, 300, 1), (0, 3, 2), (2, 0, 3), (2, 3, 0)]


@pytest.mark.parametrize("dtype", [*DTYPES, "complex64", "complex128"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_matmul(dtype, shape):
    m, k, n = shape
    rng = np.random.default_rng([m, k, n])
    x, y = (rng.integers(0, 100, size).astype(dtype) for size in ((m, k), (k, n)))
    if np.dtype(dtype).kind in "fc":
        x, y = x / 7, (y / 3).astype(dtype)
        x = x.astype(dtype)
    found, expected = ak.array(x) @ ak.array(y), x @ y
    if np.dtype(dtype).kind in "fc":
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found.to_numpy(), expected, rtol=1e-13 if expected.real.itemsize == 8 else 1e-4)
        np.testing.assert_array_equal(_seen.setdefault((dtype, shape), found.to_numpy()), found.to_numpy())
    else:
        same(found, expected)


def test_views_and_vectors():
    x = np.arange(60.0).reshape(6, 10)
    a = ak.array(x)
    same(a.T @ a, x.T @ x)
    same(a[::2, ::-1] @ a[:5].reshape(10, 5)[:, 1:], x[::2, ::-1] @ x[:5].reshape(10, 5)[:, 1:])
    same(a @ a[0], x @ x[0])
    same(a[:, 0] @ a, x[:, 0] @ x)
    same(ak.array(x.reshape(2, 3, 10)) @ a.T, x.reshape(2, 3, 10) @ x.T)
    same((a * 2) @ (a.T + 1), (x * 2) @ (x.T + 1))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int16", "bool", "complex128"])
@pytest.mark.parametrize("shape", [(7, 3, 4, 5), (3, 40, 41, 42), (5, 2, 0, 3), (0, 2, 3, 4)])
def test_stacks_of_matrices(dtype, shape):
    number, m, k, n = shape
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 5, (number, m, k)).astype(dtype), rng.integers(0, 5, (number, k, n)).astype(dtype)
    for x, y in ((a, b), (a, b[:1]), (a[:, None], b), (a[0] if number else a, b), (a[0, 0] if number else a, b)):
        found, expected = ak.array(x) @ ak.array(y), x @ y
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found.to_numpy(), expected)
