# SPDX-License-Identifier: Apache-2.0
"""Arrays that a caller gives to frames, and those that it gets: neither side sees the other's later changes."""

import numpy as np
import pandas
import pytest

import atoll as ak
import atoll.pandas as pd
from atoll.session import current, memory_is_here


@pytest.mark.parametrize("dtype", ["int64", "float32", "bool", "complex128", "M8[s]", "m8[ns]"])
@pytest.mark.parametrize(
    "held",
    [
        pd.Series,
        pd.Index,
        lambda given: pd.Series([0] * len(given), index=given).index,
        lambda given: pd.DataFrame({"a": given})["a"],
        lambda given: pd.DataFrame(given.reshape(-1, 1))[0],
        lambda given: pd.DataFrame({"b": range(len(given))}).assign(a=given)["a"],
        lambda given: pd.Series(pandas.Series(given, copy=False)),
    ],
)
def test_frames_keep_values_when_the_given_array_changes(held, dtype):
    given = np.array([0, 1, 0]).astype(dtype)
    made = held(given)
    given[0] = given[1]
    assert made[0] == np.array([0]).astype(dtype)[0]


def test_columns_that_are_set_keep_values_when_the_given_array_changes():
    given, df = np.arange(3), pd.DataFrame({"a": [1, 2, 3]})
    df["b"] = given
    given[0] = 100
    assert df["b"].to_list() == [0, 1, 2]


def test_copy_of_a_shared_array_is_independent():
    given = np.arange(3.0)
    shared = ak.asarray(given)
    copies = [shared.copy(), ak.array(shared)]
    given[0] = 100
    assert [one.tolist() for one in copies] == [[0, 1, 2], [0, 1, 2]]


@pytest.mark.parametrize("values", [[1, 2], [1.5, None], [True, False], np.array([1, 2], "M8[s]")])
def test_values_of_a_series_are_read_only(values):
    series = pd.Series(values)
    for found in (series.values, series.to_numpy(), np.asarray(series)):
        with pytest.raises(ValueError, match="read-only"):
            found[0] = found[1]


@pytest.mark.parametrize(
    "copy", [lambda s: s.to_numpy(copy=True), lambda s: np.array(s), lambda s: np.array(s, copy=True)]
)
def test_copies_of_values_can_be_set(copy):
    series = pd.Series([1, 2])
    found = copy(series)
    found[0] = 5
    assert series.to_list() == [1, 2]


def test_values_stay_when_the_series_changes():
    series = pd.Series([1, 2])
    found = series.values
    series.iloc[0] = 5
    assert found.tolist() == [1, 2]
    assert series.to_list() == [5, 2]


def test_array_without_copy_shares_memory_or_raises():
    series = pd.Series([1, 2])
    if memory_is_here(current()):
        assert np.shares_memory(np.array(series, copy=False), series.values)
    else:
        with pytest.raises(ValueError, match="Unable to avoid copy"):
            np.array(series, copy=False)
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        np.array(series, dtype=float, copy=False)


@pytest.mark.parametrize("labels", [[1, 2], [1.5, 2.5], range(3), np.array(["2026-01-01"], "M8[s]")])
def test_values_of_an_index_are_read_only(labels):
    assert not pd.Index(labels).values.flags.writeable and pd.Index(labels).to_numpy(copy=True).flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        pd.Index(labels).values[0] = labels[0]
