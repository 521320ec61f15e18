# SPDX-License-Identifier: Apache-2.0
"""Factors of tall matrices, which stay distributed: orthonormal, and their product the matrix again."""

import numpy as np
import pytest

import atoll as ak
from atoll.arrays import lapack
from atoll.linalg import factors, tall

pytestmark = pytest.mark.usefixtures("every_session")
_seen = {}


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(tall, "_LARGE", 100)


def matrix(dtype, condition=1.0):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(301, 5)) @ np.diag(np.geomspace(1, 1 / condition, 5)) @ rng.normal(size=(5, 5))
    return (x + 1j * rng.normal(size=x.shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
@pytest.mark.parametrize("condition", [1.0, 1e10])
def test_qr(dtype, condition):
    x = matrix(dtype, condition)
    a, unit = ak.array(x), np.finfo(dtype).eps
    q, r = ak.linalg.qr(a)
    assert q.shape == x.shape and r.shape == (5, 5) and q.dtype == r.dtype == x.dtype
    found = q.to_numpy()
    np.testing.assert_array_equal(_seen.setdefault((dtype, condition), found), found)  # the same in every session
    np.testing.assert_allclose(found.conj().T @ found, np.eye(5), atol=100 * unit)
    np.testing.assert_allclose(found @ r.to_numpy(), x, atol=100 * unit * abs(x).max())
    np.testing.assert_array_equal(r.to_numpy(), np.triu(r.to_numpy()))


def by_lapack_if_small(function, matrices, *args, **options):
    assert all(one.shape[0] <= 16 for one in matrices)
    return lapack.by_lapack(function, matrices, *args, **options)


def test_tall_matrices_are_not_fetched(monkeypatch):
    monkeypatch.setattr(factors, "by_lapack", by_lapack_if_small)
    a = ak.array(matrix("float64"))
    ak.linalg.qr(a)
    ak.linalg.svd(a, full_matrices=False)
    ak.linalg.lstsq(a, a[:, 0])
    ak.linalg.matrix_rank(a)
    ak.linalg.cond(a)


def test_svd_rank_and_condition():
    x = matrix("float64", 1e3)
    u, s, vh = ak.linalg.svd(ak.array(x), full_matrices=False)
    np.testing.assert_allclose(s.to_numpy(), np.linalg.svd(x, compute_uv=False), rtol=1e-12)
    np.testing.assert_allclose((u * s).to_numpy() @ vh.to_numpy(), x, atol=1e-12)
    np.testing.assert_allclose(ak.linalg.svdvals(ak.array(x)).to_numpy(), s.to_numpy())
    np.testing.assert_allclose(ak.linalg.cond(ak.array(x)), np.linalg.cond(x), rtol=1e-9)
    assert ak.linalg.matrix_rank(ak.array(x)) == 5
    assert ak.linalg.matrix_rank(ak.array(x), rtol=0.05) == np.linalg.matrix_rank(x, rtol=0.05) < 5


def test_least_squares():
    x, rng = matrix("float64"), np.random.default_rng(4)
    for y in (rng.normal(size=301), rng.normal(size=(301, 2))):
        found, expected = ak.linalg.lstsq(ak.array(x), ak.array(y)), np.linalg.lstsq(x, y)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(np.asarray(one), other, rtol=1e-10, atol=1e-12)


def test_columns_that_depend_on_one_another():
    x = matrix("float64")
    x[:, 4] = x[:, 0]
    q, r = ak.linalg.qr(ak.array(x))
    np.testing.assert_allclose((q @ r).to_numpy(), x, atol=1e-12)
    assert ak.linalg.matrix_rank(ak.array(x)) == 4
    solution = ak.linalg.lstsq(ak.array(x), ak.array(x[:, 0]))
    np.testing.assert_allclose(solution[0].to_numpy(), [0.5, 0, 0, 0, 0.5], atol=1e-12)


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
def test_dependent_columns_are_factored_by_blocks(monkeypatch, dtype):
    monkeypatch.setattr(factors, "by_lapack", by_lapack_if_small)
    x = np.concatenate([matrix(dtype), matrix(dtype)[:100]])
    x[:, 4] = x[:, 0]
    x[:, 3] = 0
    unit = 100 * np.finfo(dtype).eps
    q, r = ak.linalg.qr(ak.array(x))
    found = q.to_numpy()
    assert found.dtype == x.dtype and found.shape == x.shape
    np.testing.assert_array_equal(_seen.setdefault(("blocks", dtype), found), found)  # the same in every session
    np.testing.assert_allclose(found.conj().T @ found, np.eye(5), atol=unit)
    np.testing.assert_allclose(found @ r.to_numpy(), x, atol=unit * abs(x).max())
    s = ak.linalg.svd(ak.array(x), full_matrices=False).S.to_numpy()
    np.testing.assert_allclose(s, np.linalg.svd(x, compute_uv=False), atol=unit * s[0])
