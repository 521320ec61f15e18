# SPDX-License-Identifier: Apache-2.0
"""Windows with weights, windows that indexers of pandas say, and places in windows, beside pandas' own."""

import numpy as np
import pandas as pd
import pytest
from pandas.api.indexers import BaseIndexer, FixedForwardWindowIndexer

import atoll as ak

pytestmark = pytest.mark.usefixtures("two_sessions")


@pytest.fixture(scope="module")
def values():
    rng = np.random.default_rng(5)
    made = rng.integers(0, 9, 37).astype(np.float64)
    made[rng.random(37) < 0.15] = np.nan
    return made


def same(found, expected):
    pd.testing.assert_series_equal(found.to_pandas(), expected)


@pytest.mark.parametrize("kind", ["triang", "gaussian"])
@pytest.mark.parametrize("options", [{}, {"min_periods": 1}, {"center": True, "min_periods": 2}, {"step": 3}])
def test_weights(values, kind, options):
    beside = {"std": 2} if kind == "gaussian" else {}
    ours = ak.Series(values).rolling(4, win_type=kind, **options)
    theirs = pd.Series(values).rolling(4, win_type=kind, **options)
    same(ours.sum(**beside), theirs.sum(**beside))
    same(ours.mean(**beside), theirs.mean(**beside))


def test_weighted_variances_weigh_the_rows_of_each_window_alike(values):
    size, weights = 5, np.array([1, 2, 3, 2, 1]) / 3
    found = ak.Series(values).rolling(size, min_periods=2, win_type="triang").var(ddof=0).to_numpy()
    for row in range(size, len(values)):
        window = values[row - size + 1 : row + 1]
        there = ~np.isnan(window)
        if there.sum() < 2:
            assert np.isnan(found[row])
            continue
        mean = np.average(window[there], weights=weights[there])
        np.testing.assert_allclose(found[row], np.average((window[there] - mean) ** 2, weights=weights[there]))


class Fours(BaseIndexer):
    """The rows of the same four up to each row."""

    def get_window_bounds(self, num_values=0, min_periods=None, center=None, closed=None, step=None):
        rows = np.arange(0, num_values, step or 1)
        return rows - rows % 4, rows + 1


@pytest.mark.parametrize("indexer", [FixedForwardWindowIndexer(window_size=3), Fours(window_size=1), Fours()])
@pytest.mark.parametrize("options", [{}, {"min_periods": 2}, {"step": 2}])
def test_indexers(values, indexer, options):
    ours, theirs = ak.Series(values).rolling(indexer, **options), pd.Series(values).rolling(indexer, **options)
    for figure in ("sum", "mean", "var", "std", "min", "max", "median", "count", "skew", "sem"):
        same(getattr(ours, figure)(), getattr(theirs, figure)())
    same(ours.quantile(0.3), theirs.quantile(0.3))
    same(ours.apply(np.ptp, raw=True), theirs.apply(np.ptp, raw=True))


def test_places_in_windows(values):
    for windows in (
        lambda s: s.rolling(5, min_periods=1),
        lambda s: s.expanding(3),
        lambda s: s.rolling(4, closed="both"),
    ):
        for method in ("average", "min", "max"):
            for ascending in (True, False):
                how = {"method": method, "ascending": ascending, "pct": ascending}
                same(windows(ak.Series(values)).rank(**how), windows(pd.Series(values)).rank(**how))


def test_what_is_no_window():
    one = ak.Series([1.0, 2.0])
    with pytest.raises(ValueError, match="Invalid win_type"):
        one.rolling(2, win_type="none such")
    with pytest.raises(ValueError, match="integer"):
        one.rolling("2D", win_type="triang")
    with pytest.raises(ValueError, match="center"):
        one.rolling(FixedForwardWindowIndexer(window_size=2), center=True)
    with pytest.raises(ValueError, match="among"):
        one.rolling(Behind()).sum()


class Behind(BaseIndexer):
    def get_window_bounds(self, num_values=0, min_periods=None, center=None, closed=None, step=None):
        return np.array([0, 5]), np.array([1, 9])
