# SPDX-License-Identifier: Apache-2.0
"""Group-by against pandas and exact sums."""

import importlib
import math
import statistics
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import DTYPES, same, values

import atoll as ak

pytestmark = pytest.mark.usefixtures("every_session")

ROWS = 3001

#: Every way through the engine: few and many groups, narrow and wide keys.
KEYS = {
    "dense": lambda rng, n: [rng.integers(-5, 5, n)],
    "sparse": lambda rng, n: [rng.integers(-(2**62), 2**62, 10)[rng.integers(0, 10, n)]],
    "many": lambda rng, n: [rng.integers(-(2**63), 2**63 - 1, n)],
    "repeated": lambda rng, n: [rng.integers(0, 2**60, n // 10 + 1)[rng.integers(0, n // 10 + 1, n)]],
    "floats": lambda rng, n: [np.round(rng.normal(0, 10, n), 1)],
    "two": lambda rng, n: [rng.integers(0, 20, n).astype(np.uint8), rng.integers(-3, 3, n).astype(np.int16)],
    "wide": lambda rng, n: [
        rng.normal(0, 1, n // 5 + 1)[rng.integers(0, n // 5 + 1, n)],
        rng.integers(0, 2**62, 3)[rng.integers(0, 3, n)],
    ],
    "wider": lambda rng, n: [rng.integers(0, 2**63, 4)[rng.integers(0, 4, n)] for _ in range(3)],
}


def frame_of(keys, **columns):
    return pd.DataFrame({f"k{i}": key for i, key in enumerate(keys)} | columns)


def by(frame, keys):
    names = [f"k{i}" for i in range(len(keys))]
    return frame.groupby(names if len(names) > 1 else names[0], dropna=False)


@pytest.mark.parametrize("n", [0, 1, 7, ROWS])
@pytest.mark.parametrize("kind", KEYS)
def test_figures_are_pandas(kind, n):
    rng = np.random.default_rng(len(kind) + n)
    keys = KEYS[kind](rng, n)
    x, i, f = rng.normal(5, 30, n), rng.integers(-100, 100, n).astype(np.int8), rng.random(n).astype(np.float32)
    expected = by(frame_of(keys, x=x, i=i, f=f), keys)
    g = ak.groupby(ak.array(keys[0]) if len(keys) == 1 else [ak.array(key) for key in keys])
    groups = expected.size().index
    assert g.ngroups == len(g) == len(groups)
    for k, key in enumerate(keys):
        same(g.keys if len(keys) == 1 else g.keys[k], np.asarray(groups.get_level_values(k), key.dtype))
    same(g.size(), expected.size().to_numpy())
    same(g.count(), expected.size().to_numpy())
    ax, ai, af = ak.array(x), ak.array(i), ak.array(f)
    for figure in ("min", "max", "first", "last"):
        for array, name in ((ax, "x"), (ai, "i"), (af, "f")):
            same(getattr(g, figure)(array), getattr(expected[name], figure)().to_numpy())
    same(g.sum(ai), expected.i.sum().to_numpy(np.int64))
    sums = np.array([math.fsum(part) for _, part in expected.x], np.float64)
    same(g.sum(ax), sums)
    same(g.mean(ax), sums / expected.size().to_numpy())
    same(g.mean(ai), expected.i.mean().to_numpy(np.float64))
    assert g.sum(af).dtype == g.mean(af).dtype == np.float32
    np.testing.assert_allclose(g.sum(af).to_numpy(), expected.f.sum().to_numpy(), rtol=1e-5)
    for ddof in (0, 1):
        np.testing.assert_allclose(
            g.var(ax, ddof).to_numpy(), expected.x.var(ddof=ddof).to_numpy(np.float64), rtol=1e-9
        )
        np.testing.assert_allclose(
            g.std(ai, ddof).to_numpy(), expected.i.std(ddof=ddof).to_numpy(np.float64), rtol=1e-9, atol=1e-12
        )
    same(g.ngroup(), expected.ngroup().to_numpy())
    same(g.nunique(ai), expected.i.nunique().to_numpy(np.int64))
    np.testing.assert_allclose(g.median(ax).to_numpy(), expected.x.median().to_numpy(np.float64), rtol=1e-12)
    np.testing.assert_allclose(
        g.quantile(ai, 0.3).to_numpy(), expected.i.quantile(0.3).to_numpy(np.float64), rtol=1e-12
    )
    same(g.cumcount(), expected.cumcount().to_numpy(np.int64))
    same(g.head(2), expected.head(2).index.to_numpy(np.int64))
    same(g.tail(1), expected.tail(1).index.to_numpy(np.int64))
    if n:
        same(g.argmin(ai), expected.i.idxmin().to_numpy(np.int64))
        same(g.argmax(ax), expected.x.idxmax().to_numpy(np.int64))
        if len(groups) < 100:  # pandas is slow at it
            same(g.mode(ai), expected.i.agg(lambda part: part.mode().iloc[0]).to_numpy(np.int8))
        for name, of in (("bit_and", np.bitwise_and), ("bit_or", np.bitwise_or), ("bit_xor", np.bitwise_xor)):
            same(getattr(g, name)(ai), np.array([of.reduce(part.to_numpy()) for _, part in expected.i]))
    same(g.transform(ax, "max"), expected.x.transform("max").to_numpy())


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_is_key_and_value(dtype):
    x = values(dtype, 97)
    key = np.arange(97) % 7
    g = ak.groupby(ak.array(x))
    same(g.keys, np.unique(x))
    same(g.size(), np.unique(x, return_counts=True)[1])
    g = ak.groupby(ak.array(key))
    a = ak.array(x)
    with np.errstate(all="ignore"):
        same(g.min(a), np.array([x[key == k].min() for k in range(7)]))
        same(g.max(a), np.array([x[key == k].max() for k in range(7)]))
        same(g.last(a), np.array([x[key == k][-1] for k in range(7)]))
        total = np.array([x[key == k].sum() for k in range(7)])
    assert g.sum(a).dtype == total.dtype
    if total.dtype.kind != "f":
        same(g.sum(a), total)


def test_nan_is_one_key_and_hands_itself_on():
    key = ak.array([np.nan, -0.0, 0.0, -np.nan, 1.0])
    x = ak.array([1.0, 2.0, np.nan, 3.0, np.inf])
    g = ak.groupby(key)
    same(g.keys, np.array([0.0, 1.0, np.nan]))
    same(g.sum(x), np.array([np.nan, np.inf, 4.0]))
    same(g.min(x), np.array([np.nan, np.inf, 1.0]))
    same(g.mean(x), np.array([np.nan, np.inf, 2.0]))
    same(g.ngroup(), np.array([2, 0, 0, 2, 1]))


@given(st.lists(st.tuples(st.integers(-2, 2), st.floats(allow_nan=False, allow_infinity=False, width=64)), max_size=60))
def test_sums_are_exact_whatever_the_magnitudes(rows):
    key, x = np.array([k for k, _ in rows], np.int64), np.array([v for _, v in rows], np.float64)
    x /= 64  # so that sums stay in range
    g = ak.groupby(ak.array(key))
    same(g.sum(ak.array(x)), np.array([math.fsum(x[key == k]) for k in np.unique(key)], np.float64))


def test_rows_are_counted_where_their_magnitudes_lie_far_below_others():
    x = np.random.default_rng(4).uniform(1, 2, 4000) * 10.0 ** np.repeat([30, -30, 0, -90], 1000)
    x[::7] = np.nan
    key = np.arange(4000) // 500
    found = ak.DataFrame({"k": key, "x": x}).groupby("k").x.agg(["count", "sum", "mean", "var"])
    there = [x[(key == k) & (x == x)] for k in range(8)]
    np.testing.assert_array_equal(found["count"].to_numpy(), np.array([len(some) for some in there]))
    np.testing.assert_array_equal(found["sum"].to_numpy(), np.array([math.fsum(some) for some in there]))
    np.testing.assert_array_equal(found["mean"].to_numpy(), np.array([math.fsum(some) / len(some) for some in there]))
    want = [float(statistics.variance(map(Fraction, some))) for some in there]
    np.testing.assert_allclose(found["var"].to_numpy(), want, rtol=1e-15)


def test_the_order_of_rows_does_not_matter():
    rng = np.random.default_rng(3)
    key, x = rng.integers(0, 50, ROWS), rng.normal(0, 1, ROWS) * 10.0 ** rng.integers(-20, 20, ROWS)
    order = rng.permutation(ROWS)
    one, other = ak.groupby(ak.array(key)), ak.groupby(ak.array(key[order]))
    for figure in ("sum", "mean", "var", "std"):
        same(getattr(one, figure)(ak.array(x)), getattr(other, figure)(ak.array(x[order])).to_numpy())


def test_figures_that_need_an_order():
    key = ak.array([2, 1, 2, 2, 1, 3])
    x = ak.array([1.0, 5.0, np.nan, 0.0, 5.0, 2.0])
    g = ak.groupby(key)
    same(g.median(x), np.array([5.0, np.nan, 2.0]))
    same(g.argmin(x), np.array([1, 2, 5]))
    same(g.nunique(x), np.array([1, 3, 1]))
    same(g.mode(ak.array([4, 9, 4, 8, 1, 0])), np.array([1, 4, 0]))
    same(g.any(ak.array([0, 0, 3, 0, 0, 0])), np.array([False, True, False]))
    same(g.all(ak.array([1, 0, 3, 2, 1, 0])), np.array([False, True, False]))
    with pytest.raises(ValueError, match="between 0 and 1"):
        g.quantile(x, 1.5)
    with pytest.raises(TypeError, match="bit_or is for integers and bool, not for float64"):
        g.bit_or(x)


@pytest.mark.parametrize("few", [True, False])
@pytest.mark.parametrize("kind", ["float64", "float32", "int64", "Int32"])
def test_distinct_values_and_quantiles_skip_missing_values(kind, few):
    rng = np.random.default_rng(5)
    key = rng.integers(0, 40 if few else ROWS // 4, ROWS)
    x = pd.Series(rng.integers(-4, 4, ROWS) if few else rng.integers(-(2**30), 2**30, ROWS)).astype(kind)
    if kind.startswith("f"):
        x[np.abs(x) < 2**30 / 4 if not few else x == -4] = np.nan
        x[x == 0] = -0.0
    elif kind == "Int32":
        x[rng.random(ROWS) < 0.5] = pd.NA
    for column, want in ((x, x.groupby(key)), (x[key < 3], x[key < 3].groupby(key[key < 3]))):
        frame = ak.DataFrame({"k": key[column.index], "x": ak.asarray(column)})
        np.testing.assert_array_equal(frame.groupby("k").x.nunique().to_numpy(), want.nunique())
        for q in (0.0, 0.3, 0.5, 1.0):  # between values of 2^30, which float32 knows to 64
            found = frame.groupby("k").x.quantile(q).to_pandas()
            np.testing.assert_allclose(found.astype(float), want.quantile(q).astype(float), rtol=1e-6, atol=200)


@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_quantiles_of_infinities(interpolation):
    key = np.repeat(np.arange(4), 3)
    x = np.array([1, 2, np.inf, np.inf, np.inf, np.inf, -np.inf, 5, 6, 1, 2, 3])
    for column in (x, pd.array(x, dtype="Float64")):
        frame = pd.DataFrame({"k": key, "x": column})
        found = ak.DataFrame(frame).groupby("k").x.quantile(0.5, interpolation=interpolation).to_pandas()
        np.testing.assert_array_equal(found.to_numpy(np.float64), [2, np.inf, 5, 2])


def test_running_products_of_groups_after_one_that_found_no_memory(monkeypatch):
    order = importlib.import_module("atoll.columns.group_order")
    g, x = ak.groupby(ak.array([1, 1, 2, 2, 3])), ak.array([2.0, 3, 4, 5, 6])

    def without_memory(*_):
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(order, "cumsum", without_memory)
        with pytest.raises(MemoryError):
            g.cumprod(x)
    assert g.cumprod(x).tolist() == [2, 6, 4, 20, 6]


def test_a_thousand_keys():
    rng = np.random.default_rng(6)
    n = 300
    rows = rng.integers(0, 100, n)  # a hundred groups
    numbers, floats = rng.integers(0, 7, (100, 1000)), rng.normal(0, 1, (100, 1000)).astype(np.float32)
    keys = [(numbers if i % 3 else floats)[rows, i] for i in range(1000)]
    x = rng.integers(0, 9, n)
    g = ak.groupby([ak.array(key) for key in keys])
    _, first, number = np.unique(np.stack(keys), axis=1, return_index=True, return_inverse=True)
    same(g.ngroup(), number.reshape(-1))
    same(g.sum(ak.array(x)), np.bincount(number.reshape(-1), x).astype(np.int64))
    for key, found in zip(keys, g.keys, strict=True):
        same(found, key[first])


def test_skewed_keys():
    rng = np.random.default_rng(4)
    key = np.where(rng.random(ROWS) < 0.9, 7, rng.integers(0, 2**50, ROWS))
    x = rng.integers(0, 9, ROWS)
    g = ak.groupby(ak.array(key))
    expected = pd.Series(x).groupby(key)
    same(g.keys, expected.size().index.to_numpy())
    same(g.sum(ak.array(x)), expected.sum().to_numpy())


def test_agg_takes_several_at_once():
    g = ak.groupby([ak.array([1, 1, 2]), ak.array([0, 0, 5])])
    x = ak.array([1.0, 3.0, 5.0])
    found = g.agg({"total": (x, "sum"), "rows": (x, "size"), "most": (2 * x, "max")})
    assert list(found) == ["total", "rows", "most"]
    same(found["total"], np.array([4.0, 5.0]))
    same(found["rows"], np.array([2, 1]))
    same(found["most"], np.array([6.0, 10.0]))
    same(g.broadcast(found["rows"]), np.array([2, 2, 1]))
    assert repr(g) == "<atoll.GroupBy: 3 rows by int64, int64>"


def test_errors_of_bad_input_contain_advice():
    key, x = ak.arange(4), ak.arange(4)
    with pytest.raises(ValueError, match="1-dimensional"):
        ak.groupby(ak.zeros((2, 2)))
    with pytest.raises(ValueError, match="one length, got 4 and 3"):
        ak.groupby([key, ak.arange(3)])
    g = ak.groupby(key)
    with pytest.raises(ValueError, match=r"shape of the keys, \(4,\), got \(3,\)"):
        g.sum(ak.arange(3))
    with pytest.raises(ValueError, match="no figure 'sume'; there are size"):
        g.agg({"a": (x, "sume")})
    with pytest.raises(ValueError, match="one element per group"):
        g.broadcast(ak.arange(3))
    same(g.sum(x), np.arange(4))
