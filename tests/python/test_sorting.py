# SPDX-License-Identifier: Apache-2.0
"""Sorting and set operations against NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracle import DTYPES, same, values

import atoll as ak

pytestmark = pytest.mark.usefixtures("every_session")


def inputs(dtype):
    """Shapes of data that sorting algorithms trip over."""
    x = values(dtype, 101)
    yield "random", x
    yield "sorted", np.sort(x)
    yield "reversed", np.sort(x)[::-1].copy()
    yield "constant", np.full(50, x[0])
    yield "few", x[np.arange(90) % 3]
    yield "one", x[:1]
    yield "none", x[:0]
    if np.dtype(dtype).kind == "f":
        yield "zeros", np.array([0.0, -0.0, 1.0, -0.0, 0.0, np.nan, -np.nan, -1.0] * 5, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_sort_and_argsort(dtype):
    for name, x in inputs(dtype):
        a = ak.array(x)
        found = ak.sort(a)
        same(found, np.sort(x))
        if name != "zeros":
            np.testing.assert_array_equal(np.signbit(found.to_numpy()), np.signbit(np.sort(x)))
        same(ak.argsort(a), np.argsort(x, kind="stable"))
        same(a.argsort(), np.argsort(x, kind="stable"))
        down = len(x) - 1 - np.argsort(x[::-1], kind="stable")[::-1]  # equal ones in their order
        same(ak.argsort(a, descending=True), down)
        same(a.argsort(ascending=False), down)
        same(ak.sort(a, descending=True), np.sort(x)[::-1])
        same(ak.coargsort([a], ascending=False), down)
        same(a, x)
        a.sort()
        same(a, np.sort(x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_axes(dtype):
    x = values(dtype, (5, 4, 3))
    for axis in (None, 0, 1, 2, -1):
        same(ak.sort(ak.array(x), axis), np.sort(x, axis))
        same(ak.argsort(ak.array(x), axis), np.argsort(x, axis, kind="stable"))
    with pytest.raises(np.exceptions.AxisError):
        ak.sort(ak.array(x), 3)


@given(hnp.arrays(st.sampled_from([np.int64, np.uint8, np.float64, np.float32]), st.integers(0, 200)))
def test_random_sorts(x):
    same(ak.sort(ak.array(x)), np.sort(x))
    same(ak.argsort(ak.array(x)), np.argsort(x, kind="stable"))


@pytest.mark.parametrize("first", DTYPES)
def test_coargsort(first):
    x = values(first, 90)[np.arange(90) % 7]
    for second in ("int8", "uint64", "float64", "bool"):
        y, z = values(second, 90, 1), values("int64", 90, 2)
        same(ak.coargsort([ak.array(x), ak.array(y)]), np.lexsort([y, x]))
        same(ak.coargsort([ak.array(x), ak.array(y), ak.array(z)]), np.lexsort([z, y, x]))
        same(ak.lexsort([ak.array(z), ak.array(x)]), np.lexsort([z, x]))
    same(ak.coargsort([ak.array(x)]), np.argsort(x, kind="stable"))


def test_coargsort_errors():
    with pytest.raises(ValueError, match="one length"):
        ak.coargsort([ak.arange(3), ak.arange(4)])
    with pytest.raises(ValueError, match="1-d"):
        ak.coargsort([ak.ones((2, 2))])
    with pytest.raises(ValueError, match="at least one"):
        ak.coargsort([])
    with pytest.raises(TypeError, match="list"):
        ak.coargsort(5)
    with pytest.raises(ValueError, match="kind"):
        ak.sort(ak.arange(3), kind="bogo")


@pytest.mark.parametrize("dtype", DTYPES)
def test_unique(dtype):
    for _, x in inputs(dtype):
        if np.dtype(dtype).kind == "f":
            x = x + 0.0  # one kind of zero: which of both represents them is left open
        a = ak.array(x)
        same(ak.unique(a), np.unique(x))
        same(ak.unique(a, True, True, True), np.unique(x, True, True, True))
        same(ak.value_counts(a), np.unique(x, return_counts=True))
    x = values(dtype, (4, 6))
    same(ak.unique(ak.array(x), return_inverse=True), np.unique(x, return_inverse=True))


@pytest.mark.parametrize("dtype", DTYPES)
def test_sets(dtype):
    x, y = values(dtype, 60), values(dtype, 40, 1)
    a, b = ak.array(x), ak.array(y)
    for invert in (False, True):
        same(ak.isin(a, b, invert=invert), np.isin(x, y, invert=invert))
        same(ak.in1d(a, b, invert=invert), np.isin(x, y, invert=invert))
    same(ak.isin(a.reshape(6, 10), [1, 2]), np.isin(x.reshape(6, 10), [1, 2]))
    if np.dtype(dtype).kind == "f":
        x, y = x[x == x] + 0.0, y[y == y] + 0.0
        a, b = ak.array(x), ak.array(y)
    for name in ("union1d", "intersect1d", "setdiff1d", "setxor1d"):
        same(getattr(ak, name)(a, b), getattr(np, name)(x, y))
    same(ak.intersect1d(a, b, return_indices=True), np.intersect1d(x, y, return_indices=True))


def test_sets_of_mixed_types_and_nothing():
    x, y = np.array([1, 2, 3]), np.array([2.0, 3.5])
    same(ak.isin(ak.array(x), ak.array(y)), np.isin(x, y))
    same(ak.union1d(x, ak.array(y)), np.union1d(x, y))
    empty = np.zeros(0, int)
    for name in ("union1d", "intersect1d", "setdiff1d", "setxor1d", "isin"):
        same(getattr(ak, name)(ak.array(x), empty), getattr(np, name)(x, empty))
        same(getattr(ak, name)(ak.array(empty), x), getattr(np, name)(empty, x))


def test_partition():
    x = np.array([3, 1, 2, 9, 4])
    assert int(ak.partition(ak.array(x), 2)[2]) == 3
    assert int(x[int(ak.argpartition(ak.array(x), 2)[2])]) == 3
    with pytest.raises(ValueError, match="out of bounds"):
        ak.partition(ak.array(x), 5)


def test_descending_along_an_axis():
    x = np.random.default_rng(4).integers(0, 4, (7, 5))
    for axis in (0, 1, -1):
        down = len(np.moveaxis(x, axis, -1)[0]) - 1 - np.flip(np.argsort(np.flip(x, axis), axis, kind="stable"), axis)
        same(ak.argsort(ak.array(x), axis, descending=True), down)
        same(ak.sort(ak.array(x), axis, descending=True), np.flip(np.sort(x, axis), axis))
    same(ak.sort(ak.array(x), None, descending=True), np.sort(x, None)[::-1])
    a = ak.array(x)
    a.sort(descending=True)
    same(a, np.sort(x)[:, ::-1])


def test_coargsort_descending():
    keys = np.random.default_rng(5).integers(0, 3, (3, 60))
    down = 59 - np.lexsort(keys[::-1, ::-1])[::-1]
    same(ak.coargsort(list(map(ak.array, keys)), ascending=False), down)
    same(ak.coargsort(list(map(ak.array, keys)), descending=True), down)


NAN = float("nan")
COMPLEX = [complex(a, b) for a in (1.0, NAN, -2.0, 0.0, np.inf, -np.inf, -0.0) for b in (2.0, NAN, -1.0, np.inf)]


@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
@pytest.mark.parametrize("seed", range(4))
def test_complex_numbers_with_nan_parts(dtype, seed):
    rng = np.random.default_rng(seed)
    x = np.array(COMPLEX * 2, dtype)[rng.permutation(2 * len(COMPLEX))]
    a = ak.array(x)
    same(ak.argsort(a), np.argsort(x, kind="stable"))
    same(ak.sort(a), np.sort(x, kind="stable"))
    same(ak.sort(a.reshape(7, 8), axis=0), np.sort(x.reshape(7, 8), axis=0, kind="stable"))
    same(ak.argsort(a.reshape(7, 8), axis=1), np.argsort(x.reshape(7, 8), axis=1, kind="stable"))
    same(ak.sort_complex(a), np.sort(x, kind="stable"))
    keys = (np.arange(x.size) % 3, x)
    same(ak.lexsort([ak.array(key) for key in keys]), np.lexsort(keys))
    same(ak.lexsort([ak.array(key) for key in keys[::-1]]), np.lexsort(keys[::-1]))
    for equal_nan in (True, False):
        got = ak.unique(a, True, True, True, equal_nan=equal_nan)
        expected = np.unique(x, True, True, True, equal_nan=equal_nan)
        if equal_nan:
            expected_values, found = expected[0], got[0].to_numpy()
            whole = ~np.isnan(expected_values)
            np.testing.assert_array_equal(found[whole], expected_values[whole])
            assert np.isnan(found).sum() == np.isnan(expected_values).sum()
            same(got[3], expected[3])
        else:
            same(got[0], expected[0])
    for name in ("min", "max", "argmin", "argmax"):
        for axis in (None, 0, 1):
            same(getattr(ak, name)(a.reshape(7, 8), axis=axis), getattr(np, name)(x.reshape(7, 8), axis=axis))
    some = x[np.isfinite(x)]
    same(ak.median(ak.array(some)), np.median(some))


@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted_of_complex_numbers(side):
    rng = np.random.default_rng(1)
    x = np.sort(np.array(COMPLEX, complex))
    v = np.concatenate([np.array(COMPLEX), rng.integers(-3, 3, 20) + 1j * rng.integers(-3, 3, 20)])
    same(ak.searchsorted(ak.array(x), ak.array(v), side), np.searchsorted(x, v, side))
    same(ak.searchsorted(ak.array(x), v[:20].reshape(4, 5), side), np.searchsorted(x, v[:20].reshape(4, 5), side))
    same(ak.searchsorted(ak.array(x), 0.0, side), np.searchsorted(x, 0.0, side))
    same(ak.searchsorted(ak.array(x), 1j, side), np.searchsorted(x, 1j, side))
    same(ak.searchsorted(ak.arange(5), [1.5 + 1j, 2], side), np.searchsorted(np.arange(5), [1.5 + 1j, 2], side))
    same(ak.searchsorted(ak.array(x), [], side), np.searchsorted(x, [], side))
    same(ak.searchsorted(ak.array(x[:0]), v, side), np.searchsorted(x[:0], v, side))
    order = rng.permutation(len(x))
    same(ak.searchsorted(ak.array(x[order]), v, side, np.argsort(order)),
         np.searchsorted(x[order], v, side, np.argsort(order)))  # fmt: skip
