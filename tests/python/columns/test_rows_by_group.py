# SPDX-License-Identifier: Apache-2.0
"""Functions of ordered rows by group, and aggregates of several passes, against pandas."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import same

import atoll as ak
from atoll.io.fallback import FallbackWarning

pytestmark = pytest.mark.usefixtures("two_sessions")

floats = st.one_of(st.integers(-4, 4).map(float), st.just(float("nan")))
rows = st.lists(st.tuples(st.integers(0, 3), floats, st.integers(-9, 9)), max_size=50)


def columns(found):
    key = np.array([row[0] for row in found], np.int64)
    return key, np.array([row[1] for row in found], np.float64), np.array([row[2] for row in found], np.int64)


def listed(answer):
    """A result as a float array, NaN where it is missing."""
    if isinstance(answer, ak.Column):
        answer = answer.astype(np.float64).fillna(np.nan)
    return answer.to_numpy().astype(np.float64)


def close(got, expected, rtol=1e-9):
    np.testing.assert_allclose(listed(got), np.asarray(expected, np.float64), rtol=rtol, atol=1e-9)


@given(rows, st.integers(-3, 3), st.integers(1, 3))
def test_rows_in_order(found, periods, limit):
    key, x, i = columns(found)
    g, by = ak.groupby(ak.array(key)), pd.DataFrame({"k": key, "x": x, "i": i}).groupby("k")
    a, b = ak.array(x), ak.array(i)
    for name in ("cumsum", "cumprod", "cummin", "cummax"):
        close(getattr(g, name)(a), getattr(by.x, name)())
        close(getattr(g, name)(b), getattr(by.i, name)())
    for array, series in ((a, by.x), (b, by.i)):
        close(g.shift(array, periods), series.shift(periods))
        close(g.shift(array, periods, fill_value=7), series.shift(periods, fill_value=7))
        close(g.diff(array, periods), series.diff(periods))
        with np.errstate(all="ignore"):
            close(g.pct_change(array, periods), series.pct_change(periods))
    close(g.ffill(a, limit), by.x.ffill(limit=limit))
    close(g.bfill(a, limit), by.x.bfill(limit=limit))
    close(g.bfill(a), by.x.bfill())
    same(g.cumcount(ascending=False), by.cumcount(ascending=False).to_numpy(np.int64))
    for n in (0, 1, -1, [0, -2]):
        same(g.nth(n), by.nth(n).index.to_numpy(np.int64))


@given(rows, st.sampled_from(["average", "min", "max", "first", "dense"]), st.booleans(), st.booleans())
def test_ranks(found, method, ascending, pct):
    key, x, i = columns(found)
    g, s = ak.groupby(ak.array(key)), pd.Series(x)
    for option in ("keep", "top", "bottom"):
        options = {"method": method, "ascending": ascending, "na_option": option, "pct": pct}
        close(g.rank(ak.array(x), **options), s.groupby(key).rank(**options) if len(key) else s)
        close(ak.rank(ak.array(x), **options), s.rank(**options))
    close(g.rank(ak.array(i), method, ascending), pd.Series(i).groupby(key).rank(method, ascending=ascending))
    close(
        ak.rank(ak.array(i.astype(np.uint8)), method, ascending),
        pd.Series(i.astype(np.uint8)).rank(method=method, ascending=ascending),
    )


@given(rows)
def test_figures(found):
    key, x, i = columns(found)
    frame = pd.DataFrame({"k": key, "x": x, "i": i})
    by, there = frame.groupby("k"), frame.dropna().groupby("k")
    g, b = ak.groupby(ak.array(key)), ak.array(i)
    a = ak.Column(np.nan_to_num(x), ~np.isnan(x))
    for figure in ("sem", "skew", "kurt", "prod"):
        close(getattr(g, figure)(b), getattr(by.i, figure)(), 1e-7)
        close(getattr(g, figure)(a), getattr(by.x, figure)(), 1e-7)
    if len(there):
        close(g.idxmin(ak.array(x)), by.x.apply(lambda part: part.idxmin() if part.notna().any() else np.nan))
        close(g.idxmax(a), by.x.apply(lambda part: part.idxmax() if part.notna().any() else np.nan))
    for how in ("linear", "lower", "higher", "midpoint", "nearest"):
        close(g.quantile(b, 0.3, how), by.i.quantile(0.3, interpolation=how))
    if len(key):
        pairs = [part[["x", "i"]].astype(float) for _, part in by]
        close(g.cov(a, b), [part.x.cov(part.i) if part.x.count() > 1 else np.nan for part in pairs])
        with np.errstate(all="ignore"):
            close(g.corr(a, b), [part.x.corr(part.i) if part.x.count() > 1 else np.nan for part in pairs], 1e-6)
    group, value, counts = g.value_counts(a)
    expected = by.x.value_counts()
    pairs = sorted((k, -n, v) for (k, v), n in expected.items())
    np.testing.assert_array_equal(listed(ak.groupby(ak.array(key)).keys[group]), [k for k, _, _ in pairs])
    np.testing.assert_array_equal(listed(value), [v for *_, v in pairs])
    np.testing.assert_array_equal(counts.to_numpy(), [-n for _, n, _ in pairs])


@given(rows)
def test_groups_as_they_appear(found):
    key, _, i = columns(found)
    g, by = ak.groupby(ak.array(key), sort=False), pd.DataFrame({"k": key, "i": i}).groupby("k", sort=False)
    same(g.keys, by.sum().index.to_numpy(np.int64))
    same(g.sum(ak.array(i)), by.i.sum().to_numpy(np.int64))
    same(g.ngroup(), by.ngroup().to_numpy(np.int64))
    same(g.nunique(ak.array(i)), by.i.nunique().to_numpy(np.int64))
    close(g.median(ak.array(i)), by.i.median())
    close(g.cumsum(ak.array(i)), by.i.cumsum())
    texts = np.array(list("bacd"), object)[key]
    names = ak.groupby([ak.array(texts.tolist()), ak.array(key % 2)], sort=False) if len(key) else None
    if names is not None:
        assert names.keys[0].to_list() == list(dict.fromkeys(texts))


def test_rows_in_no_group_and_other_kinds():
    g = ak.groupby(ak.array(["a", None, "b", "a", "a"]))
    x = ak.array([1, 2, 3, 4, None])
    assert g.cumsum(x).to_list() == [1, None, 3, 5, None]
    assert g.cumsum(x, skipna=False).to_list() == [1, None, 3, 5, None]
    assert g.cumsum(ak.array([None, 2, 3, 4, 5]), skipna=False).to_list() == [None, None, 3, None, None]
    assert g.shift(x).to_list() == [None, None, None, 1, 4]
    assert g.transform(x, "shift", periods=-1).to_list() == [4, None, None, None, None]
    assert g.transform(x, "prod").to_list() == [4, None, 3, 4, 4]
    same(g.rank(x), np.array([1.0, np.nan, 1.0, 2.0, np.nan]))
    same(g.rolling(x, 2, 1).sum(), np.array([1.0, np.nan, 3.0, 5.0, 4.0]))
    texts = ak.array(["x", "y", None, None, "z"])
    assert g.ffill(texts).to_list() == ["x", None, None, "x", "z"]
    assert g.shift(texts, fill_value="-").to_list() == ["-", None, "-", "x", None]
    assert g.cummax(texts).to_list() == ["x", None, None, None, "z"]
    same(g.rank(texts, "dense"), np.array([1.0, np.nan, np.nan, np.nan, 2.0]))
    assert g.idxmin(texts).to_list() == [0, None]
    same(g.filter(g.size() > 1), np.array([0, 3, 4]))
    assert g.agg({"p": (x, "prod"), "s": (x, "sum"), "m": (x, "median")})["p"].tolist() == [4, 3]


def test_samples_do_not_depend_on_pes():
    key = np.random.default_rng(5).integers(0, 5, 200)
    g = ak.groupby(ak.array(key))
    found = g.sample(3, seed=1).to_numpy()
    assert len(set(found)) == 15
    np.testing.assert_array_equal(np.bincount(key[found]), 3)
    np.testing.assert_array_equal(found, SAMPLES.setdefault("n", found))
    part = g.sample(frac=0.5, seed=2).to_numpy()
    np.testing.assert_array_equal(np.bincount(key[part]), np.rint(np.bincount(key) / 2))
    again = g.sample(100, replace=True, seed=3).to_numpy()
    np.testing.assert_array_equal(np.bincount(key[again]), 100)
    np.testing.assert_array_equal(again, SAMPLES.setdefault("replace", again))


#: What the first session found.
SAMPLES = {}


def test_errors_of_bad_input_contain_advice():
    g = ak.groupby(ak.array([1, 1, 2]))
    x = ak.arange(3)
    with pytest.raises(ValueError, match="larger sample than population"):
        g.sample(2)
    with pytest.raises(ValueError, match="not both"):
        g.sample(2, frac=0.5)
    with pytest.raises(ValueError, match="method must be one of average"):
        g.rank(x, "mean")
    with pytest.raises(ValueError, match="Limit must be greater than 0"):
        g.ffill(x, 0)
    with pytest.raises(ValueError, match="a bool per group"):
        g.filter(ak.arange(2))
    with pytest.raises(ValueError, match="no figure 'sume'"):
        g.transform(x, "sume")
    with pytest.raises(ValueError, match="interpolation must be one of linear"):
        g.quantile(x, 0.5, "cubic")
    with pytest.raises(TypeError, match="texts have no sum"):
        g.cumsum(ak.array(["a", "b", "c"]))
    with pytest.raises(ValueError, match="must have the shape of the keys"):
        g.rolling(ak.arange(2), 2)
    with pytest.raises(ValueError, match="in each group"):
        g.rolling(x, 2, on=ak.array([1, 0, 5]))


def test_unique_is_pandas():
    rng = np.random.default_rng(4)
    for rows, groups, values in ((1, 1, 1), (60, 5, 4), (900, 200, 9), (900, 3, 500)):
        keys, numbers = rng.integers(0, groups, rows), rng.integers(0, values, rows)
        for held in (numbers, numbers * 0.5, np.array([f"t{one}" for one in numbers])):
            expected = pd.Series(held).groupby(keys).unique()
            found = ak.groupby(ak.array(keys)).unique(ak.array(held))
            assert found.to_list() == [list(one) for one in expected]
            with warnings.catch_warnings():  # where atoll.pandas was imported, pandas makes the arrays
                warnings.simplefilter("ignore", FallbackWarning)
                of_series = ak.Series(held).groupby(ak.Series(keys)).unique()
            assert [list(one) for one in of_series.to_list()] == found.to_list()
            assert of_series.index.to_list() == expected.index.to_list()
    gaps = ak.groupby(ak.array([1, 2, 1, 3])).unique(ak.array([5, None, 6, None]))
    assert gaps.to_list() == [[5, 6], [], []]
