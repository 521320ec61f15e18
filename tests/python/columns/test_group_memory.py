# SPDX-License-Identifier: Apache-2.0
"""How much memory groups take at most, beside the columns they are of."""

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


# Of a table of 100 groups nothing is moved. Otherwise rows are, once: 2, and a tenth as many groups of 48 bytes; on two
# PEs most groups are known to both.
@pytest.mark.parametrize("values", ["v", "gaps"])
@pytest.mark.parametrize(
    ("key", "pes", "most"), [("few", 1, 1.2), ("few", 2, 1.3), ("many", 1, 2.63), ("many", 2, 3.2)]
)
def test_one_pass(peak, key, most, values, pes):
    assert peak(key, values, lambda groups: groups.sum(), pes) <= most
    assert peak(key, values, lambda groups: groups.agg(["mean", "max"]), pes) <= most + 0.2


@pytest.mark.parametrize(("values", "most"), [("v", 2.8), ("gaps", 4.0)])
def test_medians(peak, values, most):
    assert peak("many", values, lambda groups: groups.median(), 1) <= most
