# SPDX-License-Identifier: Apache-2.0
"""Statistics, histograms and look-ups against NumPy."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracle import DTYPES, same, values

import atoll as ak

pytestmark = pytest.mark.usefixtures("every_session")


def quietly(function, *args, **kwargs):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **kwargs)


@pytest.mark.parametrize("dtype", DTYPES)
def test_mean_var_std(dtype):
    x = values(dtype, (7, 5), special=False)
    a = ak.array(x)
    for axis in (None, 0, 1, (0, 1)):
        for keepdims in (False, True):
            for name in ("mean", "var", "std"):
                expected = getattr(np, name)(x, axis=axis, keepdims=keepdims)
                same(getattr(ak, name)(a, axis=axis, keepdims=keepdims), expected, 64)
                same(getattr(a, name)(axis=axis, keepdims=keepdims), expected, 64)
            same(ak.var(a, axis=axis, ddof=1), np.var(x, axis=axis, ddof=1), 64)
    same(ak.mean(a, where=x > 0), np.mean(x, where=x > 0), 64)
    same(ak.ptp(a.astype(np.int32), axis=0), np.ptp(x.astype(np.int32), axis=0))


def test_nan_forms():
    x = values("float64", (8, 5))
    x[np.isinf(x)] = 2
    for name in ("nanmean", "nanvar", "nanstd", "nanmedian"):
        for axis in (None, 0, 1):
            same(getattr(ak, name)(ak.array(x), axis=axis), quietly(getattr(np, name), x, axis=axis), 64)
    for axis in (None, 0, 1):
        same(ak.nanpercentile(ak.array(x), [10, 50, 90], axis=axis), np.nanpercentile(x, [10, 50, 90], axis=axis), 64)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8", "float32", "float64"])
def test_median_and_quantiles(dtype):
    x = values(dtype, (7, 6), special=False)
    a = ak.array(x)
    for axis in (None, 0, 1, (0, 1)):
        same(ak.median(a, axis=axis), np.median(x, axis=axis), 8)
        for q in (0.0, 0.3, 1.0, [0.1, 0.5, 0.99], [[0.2], [0.7]]):
            same(ak.quantile(a, q, axis=axis), np.quantile(x, q, axis=axis), 8)
        same(ak.percentile(a, 25, axis=axis, keepdims=True), np.percentile(x, 25, axis=axis, keepdims=True), 8)
    for method in ("lower", "higher", "nearest", "midpoint", "hazen", "weibull", "median_unbiased"):
        same(ak.quantile(a, [0.1, 0.45, 0.9], method=method), np.quantile(x, [0.1, 0.45, 0.9], method=method), 8)


def test_quantiles_of_nan_and_nothing():
    assert np.isnan(ak.median(ak.array([1.0, np.nan, 2.0])))
    assert np.isnan(ak.percentile(ak.array([1.0, np.nan, 2.0]), 0))
    with pytest.warns(RuntimeWarning, match="empty"):
        assert np.isnan(ak.median(ak.zeros(0)))
    for bad in (-0.1, 1.1, np.nan):
        with pytest.raises(ValueError, match="range"):
            ak.quantile(ak.arange(3), bad)
    with pytest.raises(ValueError, match="range"):
        ak.percentile(ak.arange(3), 101)
    with pytest.raises(ValueError, match="method"):
        ak.quantile(ak.arange(3), 0.5, method="nonsense")


def test_average():
    x, w = np.arange(6.0).reshape(2, 3), np.array([1.0, 2.0, 3.0])
    a = ak.array(x)
    same(ak.average(a), np.average(x))
    same(ak.average(a, axis=1, weights=w), np.average(x, axis=1, weights=w), 8)
    same(ak.average(a, weights=x, returned=True), np.average(x, weights=x, returned=True), 8)
    with pytest.raises(ZeroDivisionError):
        ak.average(a, weights=x * 0)
    with pytest.raises(TypeError):
        ak.average(a, weights=w)


@pytest.mark.parametrize("dtype", DTYPES)
def test_histogram(dtype):
    x = values(dtype, 300, special=False)
    if dtype == "bool":
        x = x.astype(np.uint8)
    a = ak.array(x)
    for bins, limits in ((10, None), (7, (-3, 3)), (1, None), (5, (2, 2)), ([-5, 0, 1, 8], None), ([0, 1], None)):
        same(ak.histogram(a, bins, limits), np.histogram(x, bins, limits))
    same(ak.histogram(a, 4, density=True), np.histogram(x, 4, density=True), 8)
    for weights in (np.arange(300.0), np.arange(300, dtype=np.float32), np.arange(300)):
        same(ak.histogram(a, 4, weights=weights), np.histogram(x, 4, weights=weights), 64)


def test_histogram_special_values():
    x = values("float64", 60)
    with pytest.raises(ValueError, match="finite"):
        ak.histogram(ak.array(x))
    same(ak.histogram(ak.array(x), 6, (-4, 4)), quietly(np.histogram, x, 6, (-4, 4)))
    same(ak.histogram(ak.zeros(0)), np.histogram(np.zeros(0)))
    for bins in (0, -1, [3, 1], [[1, 2]]):
        with pytest.raises(ValueError):
            ak.histogram(ak.arange(3), bins)
    with pytest.raises(TypeError):
        ak.histogram(ak.arange(3), 2.5)


@given(hnp.arrays(np.float64, st.integers(1, 60), elements=st.floats(-1e3, 1e3)), st.integers(1, 20))
def test_random_histograms(x, bins):
    same(ak.histogram(ak.array(x), bins), np.histogram(x, bins))


def test_bincount():
    x = np.array([0, 3, 3, 9, 1, 0, 3])
    same(ak.bincount(ak.array(x)), np.bincount(x))
    same(ak.bincount(ak.array(x), minlength=15), np.bincount(x, minlength=15))
    same(ak.bincount(ak.array(x), weights=x * 0.5), np.bincount(x, weights=x * 0.5))
    same(ak.bincount(ak.array(x.astype(np.uint8))), np.bincount(x.astype(np.uint8)))
    same(ak.bincount(ak.zeros(0, int)), np.bincount(np.zeros(0, int)))
    with pytest.raises(ValueError, match="negative"):
        ak.bincount(ak.array([1, -1]))
    with pytest.raises(TypeError):
        ak.bincount(ak.ones(3))
    with pytest.raises(ValueError, match="length"):
        ak.bincount(ak.array(x), weights=[1.0])
    with pytest.raises(ValueError, match="minlength"):
        ak.bincount(ak.array(x), minlength=-1)


@pytest.mark.parametrize("dtype", DTYPES[1:])
def test_searchsorted_and_digitize(dtype):
    table = np.sort(values(dtype, 40, special=False))
    v = values(dtype, 30, seed=2)
    for side in ("left", "right"):
        same(ak.searchsorted(ak.array(table), ak.array(v), side), np.searchsorted(table, v, side))
        same(ak.searchsorted(table, v.reshape(5, 6), side), np.searchsorted(table, v.reshape(5, 6), side))
    same(ak.searchsorted(ak.array(table), v[0]), np.searchsorted(table, v[0]))
    edges = np.unique(table)
    for right in (False, True):
        same(ak.digitize(ak.array(v), edges, right), np.digitize(v, edges, right))
        same(ak.digitize(ak.array(v), edges[::-1], right), np.digitize(v, edges[::-1], right))


def test_searchsorted_sorter_and_errors():
    x = np.array([3, 1, 2])
    same(ak.searchsorted(ak.array(x), [2, 5], sorter=np.argsort(x)), np.searchsorted(x, [2, 5], sorter=np.argsort(x)))
    same(ak.searchsorted(ak.arange(3), 1.5), np.searchsorted(np.arange(3), 1.5))
    with pytest.raises(ValueError, match="side"):
        ak.searchsorted(ak.arange(3), 1, "middle")
    with pytest.raises(ValueError):
        ak.searchsorted(ak.ones((2, 2)), 1)
    with pytest.raises(ValueError, match="monotonic"):
        ak.digitize(ak.arange(3), [1, 3, 2])


def test_interp():
    xp, fp = np.array([0.0, 1.0, 2.5, 4.0]), np.array([1.0, -1.0, 3.0, 2.0])
    x = np.array([-1.0, 0.0, 0.5, 1.0, 2.0, 4.0, 5.0])
    same(ak.interp(ak.array(x), xp, fp), np.interp(x, xp, fp), 8)
    same(ak.interp(ak.array(x), xp, fp, left=-9, right=9), np.interp(x, xp, fp, left=-9, right=9), 8)


@pytest.mark.parametrize("bins", [2, [1, 2, 3]])
def test_whole_weights_are_exact(bins):
    weights = np.array([2**62 + 1, -1, 2**53 + 1])
    counts, _ = ak.histogram(ak.array([1.0, 2.0, 3.0]), bins, weights=ak.array(weights))
    assert counts.tolist() == [2**62 + 1, 2**53]
    assert ak.histogram(ak.array([1.0]), 1, weights=ak.array([2**64 - 1], dtype=np.uint64))[0].item() == 2**64 - 1
