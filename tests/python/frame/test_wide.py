# SPDX-License-Identifier: Apache-2.0
"""Frames of many columns, and values in many bins: what is computed for all of them, and what cannot be held."""

import numpy as np
import pandas as pd
import pytest

import atoll.pandas as apd
from atoll.frame.files import conversion
from atoll.frame.reshape import cut

pytestmark = pytest.mark.usefixtures("two_sessions")


@pytest.mark.parametrize(
    "columns",
    [
        {"a": [1, 2, 3], "b": [1.5, 2, 3]},
        {"a": [1, 2, 3], "b": [4, 5, 6]},
        {"a": [True, False], "b": [False, False]},
        {"a": [True, False], "b": [4, 5]},
        {"a": np.float32([1, 2]), "b": np.int8([4, 5])},
        {"a": [1 + 2j, 3], "b": [1, 2]},
        {"a": ["x", None], "b": [1, 2]},
    ],
)
def test_transposed_frames_are_those_of_pandas(columns):
    frame = pd.DataFrame(columns)
    pd.testing.assert_frame_equal(apd.DataFrame(frame).T.to_pandas(), frame.T, check_column_type=False)


def test_rows_of_numbers_become_columns_without_being_looked_at_one_by_one(monkeypatch):
    monkeypatch.setattr(conversion, "row_values", None)
    found = apd.DataFrame({"a": np.arange(200), "b": np.arange(200) / 2}).T
    assert found.shape == (2, 200)
    assert found[199].tolist() == [199, 99.5]


def test_more_columns_than_memory_holds():
    frame = apd.DataFrame({"a": np.zeros(1 << 20, np.int8)})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conversion, "_COLUMN_BYTES", 1 << 40)
        with pytest.raises(MemoryError, match="1048576 columns, one of each row, take"):
            _ = frame.T


@pytest.mark.parametrize("scale", [1, 1e-6, 1e9, 1e-300])
def test_bins_have_the_edges_of_pandas(scale):
    values = np.random.default_rng(1).random(50) * scale
    for bins in (3, 100, 1000):
        found = apd.cut(apd.Series(values), bins).to_pandas()
        assert list(map(str, found)) == list(map(str, pd.cut(pd.Series(values), bins)))


def test_edges_are_rounded_together():
    """By NumPy's `around` of all that have the same decimals, of which there are few."""
    edges = np.linspace(-3, 7, 100_001)
    calls = []
    with pytest.MonkeyPatch.context() as patch:
        around = np.around
        patch.setattr(np, "around", lambda *given: calls.append(given) or around(*given))
        found = cut._rounded(edges, 5)
    assert len(calls) < 20
    for at in (0, 1, 29_999, 30_000, 30_001, 50_000):
        value = edges[at]
        places = 5 if abs(value) >= 1 or value == 0 else 4 - int(np.floor(np.log10(abs(value))))
        assert found[at] == np.around(value, places)
