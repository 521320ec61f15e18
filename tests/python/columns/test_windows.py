# SPDX-License-Identifier: Apache-2.0
"""Windows against pandas."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import same

import atoll as ak

pytestmark = pytest.mark.usefixtures("two_sessions")

#: Whole numbers repeat, so that windows of equal values occur; some are missing.
numbers = st.lists(
    st.one_of(st.integers(-3, 3).map(float), st.floats(-1e3, 1e3).map(lambda x: round(x, 3)), st.just(float("nan"))),
    max_size=70,
)


def close(got, expected, atol=1e-9):
    expected = np.asarray(expected, np.float64)
    assert got.dtype == np.float64
    np.testing.assert_allclose(got.to_numpy(), expected, rtol=1e-9, atol=atol)


def skewness(part):
    """Of three values or more, as defined: pandas calls small variances none."""
    part = part[~np.isnan(part)]
    n = len(part)
    if n < 3:
        return np.nan
    apart = part - part.mean()
    second = (apart**2).sum()
    return np.nan if part.min() == part.max() else n * np.sqrt(n - 1) / (n - 2) * (apart**3).sum() / second**1.5


def kurtosis(part):
    part = part[~np.isnan(part)]
    n = len(part)
    if n < 4:
        return np.nan
    apart = part - part.mean()
    second = (apart**2).sum()
    if part.min() == part.max():
        return np.nan
    share = (n - 1) / ((n - 2) * (n - 3))
    return share * (n * (n + 1) * (apart**4).sum() / second**2 - 3 * (n - 1))


@given(
    numbers,
    st.integers(1, 9),
    st.booleans(),
    st.sampled_from(["right", "left", "both", "neither"]),
    st.integers(1, 3),
    st.data(),
)
def test_by_count(x, window, center, closed, step, data):
    least = data.draw(st.one_of(st.none(), st.integers(0, window)))
    options = {"min_periods": least, "center": center, "closed": closed, "step": step}
    s, a = pd.Series(x, dtype=np.float64), ak.rolling(ak.array(np.array(x, np.float64)), window, **options)
    p = s.rolling(window, **options)
    for figure in ("sum", "mean", "var", "min", "max", "median"):
        close(getattr(a, figure)(), getattr(p, figure)())
    close(a.count(), p.count())
    for q, how in ((0.3, "linear"), (0.5, "lower"), (0.7, "higher"), (0.9, "midpoint"), (0.4, "nearest")):
        close(a.quantile(q, how), p.quantile(q, how))
    for figure, of in (("skew", skewness), ("kurt", kurtosis)):
        close(getattr(a, figure)(), p.apply(of, raw=True), atol=1e-6)


@given(numbers, st.integers(0, 4))
def test_from_the_start(x, least):
    s, a = pd.Series(x, dtype=np.float64).expanding(least), ak.expanding(ak.array(np.array(x, np.float64)), least)
    for figure in ("count", "sum", "mean", "var", "std", "sem", "min", "max", "median"):
        close(getattr(a, figure)(), getattr(s, figure)())
    for figure, of in (("skew", skewness), ("kurt", kurtosis)):
        close(getattr(a, figure)(), s.apply(of, raw=True), atol=1e-6)


@given(numbers, st.data(), st.integers(1, 12), st.booleans(), st.sampled_from([None, "left", "both", "neither"]))
def test_by_time(x, data, window, center, closed):
    steps = data.draw(st.lists(st.integers(0, 6), min_size=len(x), max_size=len(x)))
    times = np.cumsum(np.array(steps, np.int64))
    s = pd.Series(x, index=pd.to_datetime(times, unit="ns"), dtype=np.float64)
    p = s.rolling(pd.Timedelta(window, "ns"), center=center, closed=closed)
    a = ak.rolling(ak.array(np.array(x, np.float64)), window, center=center, closed=closed, on=ak.array(times))
    for figure in ("sum", "var", "max", "median"):
        close(getattr(a, figure)(), getattr(p, figure)())


@given(
    st.lists(st.tuples(st.integers(-3, 3), st.one_of(st.integers(-3, 3), st.just(np.nan))), max_size=50),
    st.integers(2, 6),
)
def test_pairs(rows, window):
    x, y = (np.array([row[i] for row in rows], np.float64) for i in (0, 1))
    a, b = ak.array(x), ak.array(y)
    p, q = pd.Series(x), pd.Series(y)
    close(ak.rolling(a, window, 1).cov(b), p.rolling(window, 1).cov(q))
    close(ak.expanding(a).cov(b), p.expanding().cov(q))
    found, expected = ak.rolling(a, window, 2).corr(b).to_numpy(), p.rolling(window, 2).corr(q).to_numpy()
    found, expected = np.where(np.isfinite(found), found, 0), np.where(np.isfinite(expected), expected, 0)
    np.testing.assert_allclose(found, expected, atol=1e-6)


@given(
    numbers,
    st.sampled_from([{"alpha": 0.3}, {"com": 2}, {"span": 4}, {"halflife": 1.5}, {"alpha": 1}]),
    st.booleans(),
    st.booleans(),
)
def test_weights_that_decay(x, weight, adjust, ignore_na):
    options = weight | {"adjust": adjust, "ignore_na": ignore_na, "min_periods": 2}
    a, p = ak.ewm(ak.array(np.array(x, np.float64)), **options), pd.Series(x, dtype=np.float64).ewm(**options)
    for figure in ("mean", "var", "std"):
        atol = 1e-4 if figure == "std" else 1e-7
        close(getattr(a, figure)(), getattr(p, figure)(), atol)
    close(a.var(bias=True), p.var(bias=True), 1e-7)


@given(numbers, st.data())
def test_weights_that_decay_with_time(x, data):
    times = np.cumsum(np.array(data.draw(st.lists(st.integers(0, 6), min_size=len(x), max_size=len(x))), np.int64))
    expected = (
        pd.Series(x, dtype=np.float64)
        .ewm(halflife=pd.Timedelta(3, "ns"), times=pd.to_datetime(times, unit="ns"))
        .mean()
    )
    close(ak.ewm(ak.array(np.array(x, np.float64)), halflife=3, times=ak.array(times)).mean(), expected)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.one_of(st.integers(-9, 9), st.just(np.nan))), max_size=60),
    st.integers(1, 6),
)
def test_by_group(rows, window):
    key, x = np.array([k for k, _ in rows], np.int64), np.array([v for _, v in rows], np.float64)
    g, a, s = ak.groupby(ak.array(key)), ak.array(x), pd.Series(x)

    def expected(make):
        found = s.groupby(key).apply(lambda part: make(part)) if len(key) else s
        return found.droplevel(0).sort_index().to_numpy() if isinstance(found.index, pd.MultiIndex) else np.ravel(found)

    for figure in ("sum", "max", "median", "var"):
        close(
            getattr(g.rolling(a, window, 1), figure)(),
            expected(lambda part, figure=figure: getattr(part.rolling(window, 1), figure)()),
        )
        close(
            getattr(g.expanding(a), figure)(), expected(lambda part, figure=figure: getattr(part.expanding(), figure)())
        )
    close(
        g.rolling(a, window, 1, center=True, closed="both").sum(),
        expected(lambda part: part.rolling(window, 1, center=True, closed="both").sum()),
    )
    close(g.ewm(a, alpha=0.4).mean(), expected(lambda part: part.ewm(alpha=0.4).mean()))
    close(g.ewm(a, alpha=0.4, adjust=False).var(), expected(lambda part: part.ewm(alpha=0.4, adjust=False).var()))
    times = np.arange(len(key)) // 2
    by_time = g.rolling(a, 3, on=ak.array(times)).sum().to_numpy()
    wanted = [x[(key == key[i]) & (times > times[i] - 3) & (np.arange(len(x)) <= i)] for i in range(len(x))]
    np.testing.assert_allclose(by_time, [np.nan if np.isnan(w).all() else np.nansum(w) for w in wanted], atol=1e-9)


def test_columns_other_types_and_functions_of_windows():
    a = ak.array([1, None, 3, 4])
    same(ak.rolling(a, 2, 1).sum(), np.array([1.0, 1.0, 3.0, 7.0]))
    same(ak.rolling(ak.array([True, False, True]), 2).mean(), np.array([np.nan, 0.5, 0.5]))
    x = np.random.default_rng(1).normal(0, 1, 500)
    found = ak.rolling(ak.array(x), 7).apply(lambda windows: windows.max(axis=1) - windows.min(axis=1))
    close(found, pd.Series(x).rolling(7).apply(np.ptp, raw=True))
    with pytest.raises(TypeError, match="text have no mean of windows"):
        ak.rolling(ak.array(["a", "b"]), 2).mean()


def test_dates():
    days = np.array(["2024-01-01", "2024-01-03", "2024-01-04"], "M8[s]")
    a, d, s = ak.array([1.0, 2.0, 3.0]), ak.array(days), pd.Series([1.0, 2.0, 3.0], index=days)
    for window in ("2D", np.timedelta64(36, "h"), pd.Timedelta("1D")):
        close(ak.rolling(a, window, on=d).sum(), s.rolling(pd.Timedelta(window)).sum())
    close(ak.ewm(a, halflife="1D", times=d).mean(), s.ewm(halflife="1D", times=days).mean())
    same(ak.join_asof(d, d, tolerance="1D", allow_exact_matches=False).right, np.array([-1, -1, 1]))
    same(ak.join_between(d, d[:2], d[1:]), (np.array([0, 1, 1, 2]), np.array([0, 0, 1, 1])))
    g = ak.groupby(ak.array([1, 1, 2]))
    assert g.diff(d).to_list() == [None, (days[1] - days[0]).item(), None]
    same(g.cummax(d) == d, np.full(3, True))


def test_nothing_drifts_and_sums_are_the_same_everywhere():
    """A large value leaves no trace behind it, and an infinity neither."""
    rng = np.random.default_rng(2)
    x = rng.normal(0, 1, 3000)
    x[1000], x[2000] = 1e18, np.inf
    found = ak.rolling(ak.array(x), 50).sum().to_numpy()
    expected = np.array([np.nan] * 49 + [x[i - 49 : i + 1].sum() for i in range(49, len(x))])
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    bits = {name: getattr(ak.rolling(ak.array(x[:900]), 70, 1), name)().to_numpy() for name in ("sum", "var", "skew")}
    bits["expanding"] = ak.expanding(ak.array(x[:900])).var().to_numpy()
    bits["ewm"] = ak.ewm(ak.array(x[:900]), alpha=0.01).var().to_numpy()
    bits["recursive"] = ak.ewm(ak.array(x[:900]), alpha=0.01, adjust=False).var().to_numpy()
    for name, found in bits.items():
        np.testing.assert_array_equal(found, FOUND.setdefault(name, found))


#: What the first session found.
FOUND = {}


def test_errors_of_bad_input_contain_advice():
    a = ak.arange(5).astype(float)
    for window, words in ((0, "1 or more rows, got 0"), (-2, "1 or more rows"), (1.5, "must be an integer")):
        with pytest.raises(ValueError, match=words):
            ak.rolling(a, window)
    with pytest.raises(ValueError, match="min_periods 4 must be <= window 3"):
        ak.rolling(a, 3, 4)
    with pytest.raises(ValueError, match="closed must be"):
        ak.rolling(a, 3, closed="up")
    with pytest.raises(ValueError, match="must be monotonic"):
        ak.rolling(a, 3, on=ak.array([3, 2, 1, 0, 0]))
    with pytest.raises(ValueError, match="length of the values, 5, got 3"):
        ak.rolling(a, 3, on=ak.arange(3))
    with pytest.raises(ValueError, match="one length, got 5 and 4"):
        ak.rolling(a, 3).cov(ak.arange(4))
    with pytest.raises(ValueError, match="quantile value 2 not in"):
        ak.rolling(a, 3).quantile(2)
    with pytest.raises(ValueError, match="mutually exclusive"):
        ak.ewm(a, com=1, alpha=0.5)
    with pytest.raises(ValueError, match="0 < alpha <= 1"):
        ak.ewm(a, alpha=1.5)
    with pytest.raises(ValueError, match="no figure 'sume'"):
        ak.rolling(a, 2).agg("sume")
    with pytest.raises(ValueError, match="one number for each window"):
        ak.rolling(a, 2).apply(lambda windows: windows)
