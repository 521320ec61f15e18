# SPDX-License-Identifier: Apache-2.0
"""Array functions on datetimes and timedeltas, against NumPy; missing values as in columns."""

import numpy as np
import pytest

import atoll as ak

pytestmark = pytest.mark.usefixtures("two_sessions")

M = np.array(["2020-03-01", "2020-01-05", "2021-01-01", "2020-01-05", "1969-12-31"], "M8[us]")
D = np.array([5, -3, 9, 5, -8], "m8[s]")
MASK = [True, False, True, False, True]


def plain(found):
    if isinstance(found, (list, tuple)):
        return type(found)(plain(one) for one in found)
    return found.to_numpy() if hasattr(found, "to_numpy") else found


def check(name, x, *args, **options):
    got = plain(getattr(ak, name)(ak.array(x), *args, **options))
    expected = getattr(np, name)(x, *args, **options)
    np.testing.assert_equal(got, expected)
    if isinstance(expected, (np.ndarray, np.generic)):
        assert np.asarray(got).dtype == expected.dtype


@pytest.mark.parametrize("x", [M, D], ids=["moments", "durations"])
def test_differences(x):
    for n in range(4):
        check("diff", x, n)
    check("diff", x, prepend=x[:2])
    check("diff", x, append=x[2])
    check("diff", x, 2, 0, x[1:2], x[:3])
    check("diff", x[:1])
    check("ediff1d", x)
    check("ediff1d", D, to_end=D[:2], to_begin=D[0])
    for axis in (1, -2):
        with pytest.raises(np.exceptions.AxisError):
            ak.diff(ak.array(x), axis=axis)
    with pytest.raises(ValueError, match="order must be non-negative"):
        ak.diff(ak.array(x), -1)


@pytest.mark.parametrize("x", [M, D], ids=["moments", "durations"])
def test_figures(x):
    for name in ("min", "max", "amin", "amax", "nanmin", "nanmax", "argmin", "argmax", "ptp"):
        check(name, x)
        check(name, x, axis=0)
    for method in ("linear", "lower", "higher", "nearest", "hazen", "inverted_cdf"):
        check("quantile", x, [0.0, 0.1, 0.3, 0.5, 0.77, 1.0], method=method)
        check("percentile", x, 30, method=method)
    with pytest.raises(np.exceptions.AxisError):
        ak.min(ak.array(x), axis=1)
    with pytest.raises(TypeError, match="keepdims"):
        ak.max(ak.array(x), keepdims=True)
    with pytest.raises(ValueError, match="Quantiles must be in the range"):
        ak.quantile(ak.array(x), 1.5)


def test_figures_of_durations():
    for x in (D, D[:4], D[1:2], -D):
        for name in ("sum", "nansum", "mean", "nanmean", "median", "nanmedian", "cumsum"):
            check(name, x)


@pytest.mark.parametrize("x", [M, D], ids=["moments", "durations"])
def test_order(x):
    check("argsort", x, kind="stable")
    check("sort", x)
    check("unique", x, True, True, True)
    check("partition", x[:1], 0)
    check("argpartition", x[:1], 0)
    np.testing.assert_equal(plain(ak.lexsort([ak.array(D), ak.array(x)])), np.lexsort([D, x]))
    np.testing.assert_equal(plain(ak.searchsorted(ak.sort(ak.array(x)), x, "right")),
                            np.searchsorted(np.sort(x), x, "right"))  # fmt: skip
    check("clip", x, x[1], x[0])
    check("clip", x, x[1], None)
    check("clip", x, None, x[::-1])
    np.testing.assert_equal(plain(ak.where(MASK, ak.array(x), x[0])), np.where(MASK, x, x[0]))


@pytest.mark.parametrize("x", [M, D], ids=["moments", "durations"])
def test_rows(x):
    for name, args in [
        ("repeat", (2,)), ("repeat", ([1, 0, 2, 1, 3],)), ("tile", (2,)), ("roll", (2,)), ("flip", ()), ("flipud", ()),
        ("delete", (1,)), ("delete", ([0, 3],)), ("append", (x[:2],)), ("insert", (1, x[0])),
        ("insert", ([1, 3], x[:2])), ("resize", (7,)), ("array_split", (3,)), ("split", ([1, 3],)), ("ravel", ()),
        ("take", ([3, 0],)),
        ("take_along_axis", (np.array([1, 0]), 0)),
    ]:  # fmt: skip
        check(name, x, *args)
    np.testing.assert_equal(plain(ak.compress(MASK, ak.array(x))), np.compress(MASK, x))
    np.testing.assert_equal(plain(ak.extract(np.array(MASK), ak.array(x))), np.extract(MASK, x))
    np.testing.assert_equal(plain(ak.hstack([ak.array(x), ak.array(x)])), np.hstack([x, x]))
    with pytest.raises(ValueError, match="a column has one axis"):
        ak.tile(ak.array(x), (2, 2))


@pytest.mark.parametrize("x", [M, D], ids=["moments", "durations"])
def test_elementwise(x):
    for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "subtract", "maximum",
                 "minimum", "fmax", "fmin"):  # fmt: skip
        check(name, x, x[::-1])
        check(name, x, x[0])
    for name in ("isnan", "isfinite", "isinf", "isnat"):
        check(name, x)
    check("array_equal", x, x.copy())
    check("array_equal", x, x[::-1])


def test_elementwise_of_durations():
    for name in ("add", "floor_divide", "divide", "remainder"):
        check(name, D, D[::-1])
        check(name, D, np.timedelta64(4, "s"))
    for name in ("absolute", "negative", "positive", "sign"):
        check(name, D)
    check("multiply", D, 3)
    check("multiply", D, 1.5)
    check("divide", D, 2)
    np.testing.assert_equal(plain(ak.add(ak.array(M), ak.array(D))), M + D)


def test_missing_values_are_left_out():
    x = D.copy()
    x[1] = "NaT"
    a = ak.array(x)
    there = x[~np.isnat(x)]
    assert ak.min(a) == there.min()
    assert ak.sum(a) == there.sum()
    assert ak.argmin(a) == 4
    assert ak.median(a) == np.median(there)
    np.testing.assert_equal(plain(ak.diff(a)), np.diff(x))
    np.testing.assert_equal(plain(ak.roll(a, 1)), np.roll(x, 1))
    np.testing.assert_equal(plain(ak.maximum(a, D[::-1])), np.maximum(x, D[::-1]))
    np.testing.assert_equal(plain(ak.fmax(a, D[::-1])), np.fmax(x, D[::-1]))
    np.testing.assert_equal(plain(ak.sign(a))[[0, 2]], np.sign(x)[[0, 2]])
    assert ak.array_equal(a, a, equal_nan=True)
    assert not ak.array_equal(a, a)


def test_other_columns():
    texts, numbers = ak.array(["a", "b", "c"]), ak.array([1, None, 3])
    assert ak.roll(texts, 1).to_list() == ["c", "a", "b"]
    assert ak.repeat(numbers, 2).to_list() == [1, 1, None, None, 3, 3]
    assert ak.insert(texts, 1, "x").to_list() == ["a", "x", "b", "c"]
    assert ak.diff(numbers).to_list() == [None, None]
    assert ak.max(numbers) == 3
    assert ak.min(texts) == "a"
    assert ak.add(numbers, 1).to_list() == [2, None, 4]
    with pytest.raises(TypeError):
        ak.diff(texts)
    with pytest.raises(TypeError, match="a column is no array"):
        ak.sqrt(ak.array(M))


@pytest.mark.parametrize("kind", ["M8[s]", "m8[ns]", "M8[D]", "m8[ms]"])
def test_new_ones_by_type(kind):
    for name in ("zeros", "ones"):
        np.testing.assert_equal(plain(getattr(ak, name)(4, kind)), getattr(np, name)(4, kind))
        assert getattr(ak, name)(4, dtype=np.dtype(kind)).dtype == ak.array(np.zeros(1, kind)).dtype
    assert ak.empty(3, kind).size == 3
    value = np.array([7]).astype(kind)[0]
    for length in (0, 1, 5):
        np.testing.assert_equal(plain(ak.full(length, value)), np.full(length, value))
    np.testing.assert_equal(plain(ak.full((2,), 7, kind)), np.full(2, value))
    with pytest.raises(ValueError, match="one axis"):
        ak.zeros((2, 2), kind)
    with pytest.raises(ValueError, match="no unit"):
        ak.zeros(2, kind[:2])


@pytest.mark.parametrize("x", [M, D], ids=["datetimes", "durations"])
def test_new_ones_like_others(x):
    for name in ("zeros_like", "ones_like"):
        check(name, x)
        check(name, x, shape=3)
    assert ak.empty_like(ak.array(x)).dtype == x.dtype
    check("full_like", x, x[2])
    np.testing.assert_equal(plain(ak.full_like(ak.arange(3), x[0], dtype=x.dtype)), np.full(3, x[0]))
    assert ak.zeros_like(ak.array(x), dtype=float).dtype == np.float64


def test_ranges():
    day, month = np.datetime64("2020-02-27"), np.datetime64("2020-02")
    for given in ((day, day + 5), (day, day + 9, 2), (day, day + 3, np.timedelta64(12, "h")), (day + 3, day, -1)):
        np.testing.assert_equal(plain(ak.arange(*given)), np.arange(*given))
    np.testing.assert_equal(plain(ak.arange(np.timedelta64(5, "s"))), np.arange(np.timedelta64(5, "s")))
    assert (plain(ak.arange(month, month + 3)) == np.arange(month, month + 3)).all()


def test_choices():
    x, mask = np.array(M), np.array(MASK)
    for given in (
        ([mask], [x], x[0]),
        ([mask, ~mask], [x, x[::-1]], x[0]),
        ([mask], [D], 0),
        ([mask, mask[::-1]], [D, D[0]], D[1]),
    ):
        ours = [[ak.array(one) if isinstance(one, np.ndarray) else one for one in part] for part in given[:2]]
        np.testing.assert_equal(plain(ak.select(*ours, given[2])), np.select(*given))
    with pytest.raises(TypeError, match="no common dtype"):
        ak.select([ak.array(mask)], [ak.array(x)])
    with pytest.raises(ValueError, match="same length"):
        ak.select([ak.array(mask)], [], x[0])


@pytest.mark.parametrize("x", [M, D], ids=["datetimes", "durations"])
def test_borders(x):
    for mode in ("constant", "edge", "reflect", "symmetric", "wrap"):
        for width in (2, (1, 3), (0, 0)):
            check("pad", x, width, mode)
    check("pad", x, (1, 2), constant_values=x[1])
    check("pad", x, (1, 2), constant_values=(x[1], x[3]))
    with pytest.raises(TypeError, match="takes no mode 'linear_ramp'"):
        ak.pad(ak.array(x), 1, "linear_ramp")


@pytest.mark.parametrize("x", [M, D], ids=["datetimes", "durations"])
def test_gradients(x):
    for given in ((), (2,), (0.5,), (np.array([0.0, 1.0, 3.0, 4.0, 9.0]),)):
        check("gradient", x, *given)
    check("gradient", x, edge_order=2)
    check("gradient", x[:2])
    with pytest.raises(ValueError, match="too small"):
        ak.gradient(ak.array(x[:1]))


@pytest.mark.parametrize("x", [M, D], ids=["datetimes", "durations"])
def test_searches(x):
    gaps = x.copy()
    gaps[[0, 2]] = np.zeros(2, np.int64).astype(x.dtype)
    gaps[3] = "NaT"
    for name in ("nonzero", "flatnonzero", "count_nonzero", "trim_zeros"):
        check(name, gaps)
    check("trim_zeros", gaps, "b")
    check("trim_zeros", gaps[:1])
    edges = np.sort(x)[1:4]
    for right in (False, True):
        for bins in (edges, edges[::-1]):
            np.testing.assert_equal(
                plain(ak.digitize(ak.array(x), ak.array(bins), right)),
                np.digitize(x.astype("i8"), bins.astype("i8"), right),
            )
    with pytest.raises(ValueError, match="monotonic"):
        ak.digitize(ak.array(x), ak.array(x))


def test_methods_of_elementwise_functions():
    for x, names in ((M, ("maximum", "minimum")), (D, ("add", "maximum", "minimum"))):
        for name in names:
            for method in ("reduce", "accumulate"):
                got = getattr(getattr(ak, name), method)(ak.array(x))
                np.testing.assert_equal(plain(got), getattr(getattr(np, name), method)(x))
    with pytest.raises(TypeError, match=r"has no multiply\.reduce"):
        ak.multiply.reduce(ak.array(D))
    with pytest.raises(TypeError, match="takes an axis alone"):
        ak.add.reduce(ak.array(D), keepdims=True)
    with pytest.raises(np.exceptions.AxisError):
        ak.add.reduce(ak.array(D), axis=1)
