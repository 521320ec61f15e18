# SPDX-License-Identifier: Apache-2.0
"""Reductions, NaN forms and scans against NumPy."""

import warnings

import numpy as np
import pytest
from oracle import DTYPES, FLOATS, same, values

import atoll as ak

pytestmark = pytest.mark.usefixtures("every_session")

PLAIN = ["sum", "prod", "min", "max", "any", "all"]
AXES = [None, 0, 1, -1, (0, 2), (0, 1, 2), ()]


def quietly(function, *args, **kwargs):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **kwargs)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", PLAIN)
def test_reduction(name, dtype):
    x = values(dtype, (7, 3, 5), special=False)
    a = ak.array(x)
    for axis in AXES:
        for keepdims in (False, True):
            expected = quietly(getattr(np, name), x, axis=axis, keepdims=keepdims)
            same(getattr(ak, name)(a, axis=axis, keepdims=keepdims), expected, 300)
            same(getattr(a, name)(axis=axis, keepdims=keepdims), expected, 300)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["argmin", "argmax"])
def test_arg_reduction(name, dtype):
    x = values(dtype, (7, 3, 5))
    for axis in (None, 0, 1, 2, -1):
        for keepdims in (False, True):
            expected = getattr(np, name)(x, axis=axis, keepdims=keepdims)
            same(getattr(ak, name)(ak.array(x), axis=axis, keepdims=keepdims), expected)
    same(getattr(ak.array(x).ravel(), name)(), getattr(x.ravel(), name)())


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    "name", ["sum", "prod", "min", "max", "mean", "nansum", "nanprod", "nanmin", "nanmax", "nanmean"]
)
def test_nan(name, dtype):
    x = values(dtype, (6, 5))
    x[np.isinf(x)] = 0
    for axis in (None, 0, 1):
        same(getattr(ak, name)(ak.array(x), axis=axis), quietly(getattr(np, name), x, axis=axis), 300)


def test_nan_everywhere():
    x = np.full((2, 3), np.nan)
    for name in ("nansum", "nanprod", "nanmin", "nanmax"):
        same(getattr(ak, name)(ak.array(x), axis=0), quietly(getattr(np, name), x, axis=0))
    with pytest.raises(ValueError, match="All-NaN"):
        ak.nanargmin(ak.array(x))
    x[0, 1] = 1
    same(ak.nanargmax(ak.array(x)), np.nanargmax(x))


def test_count_nonzero_where_initial_out_dtype():
    x = values("int32", (6, 5))
    a = ak.array(x)
    assert ak.count_nonzero(a) == np.count_nonzero(x)
    same(ak.count_nonzero(a, axis=0), np.count_nonzero(x, axis=0))
    mask = x > 0
    for name in PLAIN[:4]:
        for axis in (None, 1):
            expected = getattr(np, name)(x, axis=axis, where=mask, initial=3)
            same(getattr(ak, name)(a, axis=axis, where=mask, initial=3), expected)
    y = np.array([[0.5, 0.0, -0.2], [np.nan, 0.0, 1.0]])
    assert ak.count_nonzero(ak.array(y)) == 4
    same(ak.count_nonzero(ak.array(y), axis=0), np.count_nonzero(y, axis=0))
    same(ak.any(ak.array(y), axis=0), np.any(y, axis=0))
    x = values("int32", (6, 5), special=False)
    a = ak.array(x)
    out = ak.zeros(5)
    assert ak.sum(a, axis=0, out=out) is out
    same(out, x.sum(axis=0).astype(float))
    same(a.sum(dtype=np.float32), x.sum(dtype=np.float32), 4)
    same(a.sum(axis=0, dtype=np.int8), x.sum(axis=0, dtype=np.int8))
    with pytest.raises(TypeError, match="same_kind"):
        ak.sum(ak.ones((2, 2)), axis=0, out=ak.zeros(2, int))
    with pytest.raises(ValueError, match="identity"):
        ak.min(a, where=mask)


def test_empty():
    for shape in ((0,), (0, 3), (3, 0)):
        x = np.zeros(shape)
        a = ak.array(x)
        for name in ("sum", "prod", "any", "all"):
            for axis in (None, 0):
                same(getattr(ak, name)(a, axis=axis), getattr(np, name)(x, axis=axis))
        for name in ("min", "max", "argmin", "argmax"):
            with pytest.raises(ValueError, match=r"zero-size|empty"):
                getattr(ak, name)(a)
        assert ak.max(a, initial=5.0) == 5.0
    same(ak.array(np.zeros((0, 3))).max(axis=1), np.zeros((0, 3)).max(axis=1))
    with pytest.raises(ValueError, match="zero-size"):
        ak.max(ak.zeros((0, 3)), axis=0)
    with pytest.warns(RuntimeWarning, match="empty"):
        assert np.isnan(ak.mean(ak.zeros(0)))


def test_single_element_and_scalars():
    assert ak.array([5]).sum() == 5 and isinstance(ak.array([5]).sum(), np.int64)
    assert ak.array(5).max() == 5
    assert isinstance(ak.array([True]).all(), np.bool_)
    assert ak.sum([1, 2]) == 3
    assert ak.sum(ak.array(3), axis=()) == 3


@pytest.mark.parametrize("axis", [2, -3, (0, 2), 1.5, "x"])
def test_bad_axis(axis):
    a = ak.ones((2, 3))
    error = np.exceptions.AxisError if not isinstance(axis, (float, str)) else TypeError
    for function in (ak.sum, ak.mean, ak.var, ak.max):
        with pytest.raises(error):
            function(a, axis=axis)
    with pytest.raises(ValueError, match="duplicate"):
        ak.sum(a, axis=(0, 0))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_scan(name, dtype):
    x = values(dtype, (6, 5), special=False)
    for axis in (None, 0, 1):
        same(getattr(ak, name)(ak.array(x), axis=axis), quietly(getattr(np, name), x, axis=axis), 300)
        same(getattr(ak.array(x), name)(axis), quietly(getattr(np, name), x, axis=axis), 300)


def test_other_scans():
    x = values("float64", 40)
    x[np.isinf(x)] = 1
    same(ak.nancumsum(ak.array(x)), np.nancumsum(x), 300)
    same(ak.nancumprod(ak.array(x)), np.nancumprod(x), 300)
    same(ak.cumsum(ak.arange(5), dtype=np.float32), np.cumsum(np.arange(5), dtype=np.float32))
    y = np.array([3, 1, 4, 1, 5, 9, 2, 6])
    same(np.maximum.accumulate(ak.array(y)), np.maximum.accumulate(y))
    same(np.minimum.accumulate(ak.array(y)), np.minimum.accumulate(y))
    same(np.add.accumulate(ak.array(y.reshape(2, 4)), axis=1), np.add.accumulate(y.reshape(2, 4), axis=1))
    assert ak.is_sorted(ak.array([1, 2, 2])) and not ak.is_sorted(ak.array([2, 1]))
    with pytest.raises(np.exceptions.AxisError):
        ak.cumsum(ak.arange(3), axis=1)


def test_reductions_of_lazy_chains():
    x, y = values("float64", 500, special=False), values("float64", 500, 1, special=False)
    a, b = ak.array(x), ak.array(y)
    same((a * b + 1).sum(), (x * y + 1).sum(), 64)
    c = a - b
    same(c.max(), (x - y).max())
    same(c.argmin(), (x - y).argmin())
    same(c.min(), (x - y).min())
    same(c, x - y)
    same(ak.sum(a > b), (x > y).sum())
