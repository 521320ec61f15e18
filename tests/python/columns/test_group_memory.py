# SPDX-License-Identifier: Apache-2.0
"""Peak memory of group-by, relative to its columns."""

import numpy as np
import pytest

import atoll as ak

ROWS = 1_000_000


@pytest.fixture(scope="module")
def columns():
    rng = np.random.default_rng(3)
    values = rng.random(ROWS)
    gaps = np.where(rng.random(ROWS) < 0.05, np.nan, values)
    return {"few": rng.integers(0, 100, ROWS), "many": rng.integers(0, ROWS // 10, ROWS), "v": values, "gaps": gaps}


@pytest.fixture
def peak(columns):
    """The most memory that a figure of a frame's groups takes, with its two columns, in units of these."""

    def measure(key, values, figure, pes):
        ak.shutdown()
        with ak.init(pes=pes, threads=1):
            frame = ak.DataFrame({"k": ak.array(columns[key]), "v": ak.array(columns[values])})
            figure(frame.groupby("k").v)
            return ak.stats()["memory_peak"] * pes / (16 * ROWS)

    return measure


# Of a table of 100 groups nothing is moved. Otherwise rows are, once: 2, and what there is of the groups before the
# first rows can go; on two PEs most groups are known to both.
@pytest.mark.parametrize("values", ["v", "gaps"])
@pytest.mark.parametrize(("key", "pes", "most"), [("few", 1, 1.2), ("few", 2, 1.3), ("many", 1, 2.3), ("many", 2, 2.5)])
def test_one_pass(peak, key, most, values, pes):
    assert peak(key, values, lambda groups: groups.sum(), pes) <= most
    assert peak(key, values, lambda groups: groups.agg(["mean", "max"]), pes) <= most + 0.1


# The number of each row's group, the order of rows, and values in that order.
@pytest.mark.parametrize("values", ["v", "gaps"])
@pytest.mark.parametrize("figure", ["median", "nunique"])
def test_rows_in_order(peak, values, figure):
    assert peak("many", values, lambda groups: getattr(groups, figure)(), 1) <= 2.63


# Where each row goes, values in that order, and what they become there.
@pytest.mark.parametrize(("key", "most"), [("few", 2.63), ("many", 2.8)])
def test_running_figures(peak, key, most):
    assert peak(key, "v", lambda groups: groups.cumsum(), 1) <= most


# Input and pairs are 2.64; on one PE what is found of each left row becomes half of these.
@pytest.mark.parametrize(("pes", "most"), [(1, 2.85), (2, 3.7)])
def test_joins(columns, pes, most):
    rng = np.random.default_rng(4)
    right = rng.permutation(ROWS // 9 * 10)[: ROWS // 10]
    left = np.where(rng.random(ROWS) < 0.9, right[rng.integers(0, right.size, ROWS)], -1)
    ak.shutdown()
    with ak.init(pes=pes, threads=1):
        keys = ak.array(left), ak.array(right)
        rows = ak.join(*keys)
        assert ak.stats()["memory_peak"] * pes / (8 * (ROWS + right.size)) <= most
        assert rows.left.size == (left >= 0).sum()
