# SPDX-License-Identifier: Apache-2.0
"""Shifts, changes, filling and bins of whole columns against pandas."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import same

import atoll as ak
from atoll.columns.functions import ranks
from atoll.columns.functions.ranks import cut, qcut

pytestmark = pytest.mark.usefixtures("two_sessions")

floats = st.lists(st.one_of(st.integers(-4, 4).map(float), st.just(float("nan"))), max_size=40)


def close(got, expected):
    if isinstance(got, ak.Column):
        got = got.astype(np.float64).fillna(np.nan)
    np.testing.assert_allclose(got.to_numpy().astype(np.float64), np.asarray(expected, np.float64), rtol=1e-12)


@given(floats, st.integers(-4, 4), st.one_of(st.none(), st.integers(1, 3)))
def test_neighbours(x, periods, limit):
    s, a = pd.Series(x, dtype=np.float64), ak.array(np.array(x, np.float64))
    close(ak.shift(a, periods), s.shift(periods))
    close(ak.shift(a, periods, 5), s.shift(periods, fill_value=5))
    close(ak.change(a, periods), s.diff(periods))
    with np.errstate(all="ignore"):
        close(ak.pct_change(a, periods), s.pct_change(periods))
    close(ak.ffill(a, limit), s.ffill(limit=limit))
    close(ak.bfill(a, limit), s.bfill(limit=limit))
    for direction in ("forward", "backward", "both"):
        for area in (None, "inside", "outside"):
            options = {"limit": limit, "limit_direction": direction, "limit_area": area}
            close(ak.interpolate(a, **options), s.interpolate(**options))


def test_running_figures():
    a = ak.array([2, None, 1, 3])
    assert ak.cumsum(a).to_list() == [2, None, 3, 6]
    assert ak.cumprod(a, dtype=np.float64).to_list() == [2.0, None, 2.0, 6.0]
    assert ak.cummin(a).to_list() == [2, None, 1, 1]
    assert ak.cummax(ak.array(["b", "a", "c"])).to_list() == ["b", "b", "c"]
    same(ak.cummax(ak.array([1.0, np.nan, 0.0])), np.array([1.0, np.nan, 1.0]))
    same(ak.cumsum(ak.array([1.0, np.nan, 0.0])), np.array([1.0, np.nan, np.nan]))  # as NumPy
    with pytest.raises(TypeError, match="out= is for arrays"):
        ak.cumsum(a, out=ak.zeros(4))


def test_kinds():
    a = ak.array([1, None, 3, None])
    assert ak.shift(a, 2).to_list() == [None, None, 1, None]
    assert ak.shift(a, -1, fill_value=9).to_list() == [None, 3, None, 9]
    assert ak.shift(ak.array(["a", "b"]), 5).to_list() == [None, None]
    assert ak.change(ak.array([True, False])).to_list() == [None, -1]
    assert ak.bfill(a).to_list() == [1, 3, 3, None]
    assert ak.ffill(ak.array([None, None])).to_list() == [None, None]
    same(ak.interpolate(a), np.array([1.0, 2.0, 3.0, 3.0]))
    same(ak.rank(ak.array(["b", "a", None, "b"]), na_option="top"), np.array([3.5, 2.0, 1.0, 3.5]))
    with pytest.raises(TypeError, match="text cannot be interpolated"):
        ak.interpolate(ak.array(["a", "b"]))


@given(
    st.lists(st.one_of(st.integers(-9, 9).map(float), st.just(float("nan"))), min_size=2, max_size=40).filter(
        lambda x: not np.isnan(x).all()
    ),
    st.integers(1, 5),
    st.booleans(),
)
def test_bins(x, bins, right):
    a = ak.array(np.array(x))
    for edges in (bins, [-9, -2, 0.5, 4]):
        expected, found = pd.cut(x, edges, right=right, include_lowest=right, labels=False, retbins=True)
        codes, at = cut(a, edges, right=right, include_lowest=right)
        np.testing.assert_allclose(at.to_numpy(), found, rtol=1e-12)
        same(codes, np.where(np.isnan(expected), -1, expected).astype(np.int64))
    expected, found = pd.qcut(x, bins, labels=False, retbins=True, duplicates="drop")
    codes, at = qcut(a, bins, duplicates="drop")
    if len(found) > 1:
        np.testing.assert_allclose(at.to_numpy(), found)
        same(codes, np.where(np.isnan(expected), -1, expected).astype(np.int64))


def test_bad_bins():
    a = ak.array([1.0, 1.0, 2.0])
    with pytest.raises(ValueError, match="increase monotonically"):
        cut(a, [2, 1])
    with pytest.raises(ValueError, match="positive integer"):
        cut(a, 0)
    with pytest.raises(ValueError, match="must be unique"):
        qcut(a, 4)
    with pytest.raises(TypeError, match="bins are of numbers, not of text"):
        cut(ak.array(["a"]), 2)


@pytest.mark.parametrize("method", ["average", "min", "max", "first", "dense"])
def test_few_numbers_are_ranked_as_many_are(method, monkeypatch):
    rng = np.random.default_rng(5)
    for x in (rng.integers(0, 9, 50), np.where(rng.random(50) < 0.2, np.nan, rng.integers(0, 9, 50)), np.zeros(0)):
        for options in itertools.product([True, False], ["keep", "top", "bottom"], [True, False]):
            few = ak.rank(ak.array(x), method, *options).to_numpy()
            with monkeypatch.context() as patch:
                patch.setattr(ranks, "FEW", -1)
                np.testing.assert_array_equal(few, ak.rank(ak.array(x), method, *options).to_numpy())
