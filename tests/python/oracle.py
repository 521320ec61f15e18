# SPDX-License-Identifier: Apache-2.0
"""Compares answers with NumPy's: kind, dtype, shape and elements."""

import numpy as np

import atoll as ak

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]
INTEGERS = DTYPES[1:9]
FLOATS = DTYPES[9:]


def values(dtype, shape, seed=0, special=True):
    """Some values of a type: small and large, and for floats NaN, infinities and -0.0."""
    rng = np.random.default_rng([seed, DTYPES.index(dtype)])
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random(shape) < 0.5
    if kind in "iu":
        info = np.iinfo(dtype)
        drawn = rng.integers(max(info.min, -20), 20, shape).astype(dtype)
        if special and drawn.size > 4:
            drawn.reshape(-1)[1:3] = info.min, info.max
        return drawn
    drawn = rng.normal(0, 5, shape).astype(dtype)
    if special and drawn.size > 8:
        drawn.reshape(-1)[[1, 3, 5, 7]] = np.nan, np.inf, -np.inf, -0.0
    return drawn


def same(got, expected, ulps=0, dtype=True):
    """Asserts that `got` is what NumPy returned: an ak.ndarray for an array, a NumPy scalar for a scalar."""
    if isinstance(expected, (tuple, list)) and not isinstance(got, ak.ndarray):
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            same(one, other, ulps, dtype)
        return
    if isinstance(expected, np.ndarray) and expected.ndim:
        assert isinstance(got, ak.ndarray), f"{type(got)} instead of an array"
        assert got.shape == expected.shape
        found = got.to_ndarray()
    else:
        found = np.asarray(got.to_ndarray() if isinstance(got, ak.ndarray) else got)
    expected = np.asarray(expected)
    if dtype:
        assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    if ulps and expected.dtype.kind in "fc":
        limits = np.finfo(expected.dtype)
        np.testing.assert_allclose(found, expected, rtol=float(ulps * limits.eps), atol=float(limits.tiny))
    else:
        np.testing.assert_array_equal(found, expected)
