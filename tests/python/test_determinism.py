# SPDX-License-Identifier: Apache-2.0
"""Results are bit for bit the same on any number of PEs and threads."""

import numpy as np
import pytest

import atoll as ak

pytestmark = pytest.mark.usefixtures("every_session")
_seen = {}


def same_everywhere(name, value):
    found = value.to_numpy() if isinstance(value, ak.ndarray) else np.asarray(value)
    first = _seen.setdefault(name, found)
    assert found.tobytes() == first.tobytes(), f"{name} differs between sessions"


@pytest.mark.parametrize("size", [1, 7, 100, 12_345, 300_001])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floating_point(size, dtype):
    x = np.random.default_rng(size).normal(0, 1e3, size).astype(dtype)
    a = ak.array(x)
    key = f"{size} {np.dtype(dtype)} "
    for name in ("sum", "mean", "var", "std"):
        same_everywhere(key + name, getattr(a, name)())
    same_everywhere(key + "prod", (a / 1e3).prod())
    same_everywhere(key + "cumsum", ak.cumsum(a))
    same_everywhere(key + "lazy sum", (a * a + 0.1).sum())
    same_everywhere(key + "nansum", ak.nansum(a))
    same_everywhere(key + "dot", ak.dot(a, a))
    if size % 5 == 0:
        rows = a.reshape(5, -1)
        for axis in (0, 1):
            same_everywhere(f"{key}sum over {axis}", rows.sum(axis=axis))
            same_everywhere(f"{key}cumsum over {axis}", ak.cumsum(rows, axis=axis))
    weights = ak.histogram(a, 10, weights=a)[0]
    same_everywhere(key + "weighted histogram", weights)
    groups = (ak.arange(size) * 7919) % 13
    same_everywhere(key + "weighted bincount", ak.bincount(groups, weights=a))


@pytest.mark.parametrize("shape", [(1000, 3), (41, 7, 2), (5000, 1)])
def test_cumulative_along_rows(shape):
    x = np.random.default_rng(3).normal(0, 1e3, shape)
    found = ak.cumsum(ak.array(x), axis=0)
    same_everywhere(f"{shape} cumsum over rows", found)
    assert np.allclose(found.to_numpy(), np.cumsum(x, axis=0))


def test_sums_are_accurate():
    x = np.random.default_rng(0).random(300_001)
    assert abs(float(ak.array(x).sum()) - np.sum(x.astype(np.longdouble))) < 1e-9
    y = np.full(300_001, 0.1, np.float32)
    assert abs(float(ak.array(y).sum()) / 30000.1 - 1) < 1e-5


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_and_sums_that_leave_the_range(dtype):
    rng = np.random.default_rng(4)
    half = np.ldexp(1 + rng.random(30_006), rng.integers(-99, 100, 30_006)).astype(dtype)
    factors = np.concatenate([half, 1 / half[::-1]])  # products go far out of range and come back
    terms = np.tile(np.array([0.9, -0.9], dtype) * np.finfo(dtype).max, 30_006)
    for name, x in (("prod", factors), ("sum", terms)):
        a, key = ak.array(x), f"{name} {np.dtype(dtype)}"
        value = getattr(ak, name)(a)
        assert np.isfinite(value)
        same_everywhere(key, value)
        same_everywhere(key + " scan", getattr(ak, "cum" + name)(a))
        for shape in ((-1, 4), (-1, 6, 2), (4, -1)):
            rows = a.reshape(shape)
            for axis in (0, 1, (0, 1)):
                same_everywhere(f"{key} {shape} {axis}", getattr(ak, name)(rows, axis=axis))
            same_everywhere(f"{key} {shape} scan", getattr(ak, "cum" + name)(rows, axis=0))
