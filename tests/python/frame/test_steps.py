# SPDX-License-Identifier: Apache-2.0
"""Frequencies that are inferred, weekdays, and datetimes in several formats, without a fallback to pandas."""

import warnings

import numpy as np
import pandas
import pytest

import atoll.pandas as pd
from atoll.io import fallback


@pytest.fixture(autouse=True)
def strict():
    fallback.forget()
    with pandas.option_context("future.infer_freq_returns_offset", False), warnings.catch_warnings():
        warnings.simplefilter("error", pd.FallbackWarning)
        yield


@pytest.mark.parametrize("step", ["D", "h", "6h", "90min", "W-WED", "2W-SUN", "3D", "14D", "28D", "ms", "us", "36h"])
def test_even_steps_are_named_as_in_pandas(step):
    assert pd.infer_freq(pd.date_range("2026-01-01", periods=5, freq=step)) == pandas.infer_freq(
        pandas.date_range("2026-01-01", periods=5, freq=step)
    )


@pytest.mark.parametrize("step", ["ME", "B", "QS", "YE", "SME"])
def test_steps_of_a_calendar_are_named_as_in_pandas(step):
    assert pd.infer_freq(pd.date_range("2026-01-01", periods=9, freq=step)) == pandas.infer_freq(
        pandas.date_range("2026-01-01", periods=9, freq=step)
    )


def test_lengths_of_time_and_errors():
    for step in ("D", "7D", "90min"):
        theirs = pandas.infer_freq(pandas.timedelta_range("1 day", periods=4, freq=step))
        assert pd.infer_freq(pd.timedelta_range("1 day", periods=4, freq=step)) == theirs
    with pytest.raises(ValueError, match="Need at least 3 dates to infer frequency"):
        pd.infer_freq(pd.date_range("2026-01-01", periods=2))
    assert pd.infer_freq(pd.DatetimeIndex(["2026-01-01", "2026-01-02", "2026-01-09"])) is None


def test_the_option_asks_for_offsets():
    with pandas.option_context("future.infer_freq_returns_offset", True):
        assert pd.infer_freq(pd.date_range("2026-01-01", periods=3)) == pandas.offsets.Day()


def test_weekdays():
    made = pd.bdate_range("2026-01-02", periods=3, name="n")
    pandas.testing.assert_index_equal(made.to_pandas(), pandas.bdate_range("2026-01-02", periods=3, name="n"))
    holidays = {"start": "2026-01-02", "periods": 3, "freq": "C", "holidays": ["2026-01-05"]}
    assert pd.bdate_range(**holidays).tolist() == pandas.bdate_range(**holidays).tolist()


@pytest.mark.parametrize("texts", [
    ["2026-01-02", "3 Feb 2026", None, "2026/05/06 07:08", "2026-01-02"], [None, None], ["2026-01-02"] * 3,
    ["2026-01-02T03:04:05.123456789", "2026"],
])  # fmt: skip
def test_formats_of_each_value(texts):
    ours, theirs = (m.Series(texts, dtype="str", name="n") for m in (pd, pandas))
    made, expected = (m.to_datetime(one, format="mixed") for m, one in ((pd, ours), (pandas, theirs)))
    pandas.testing.assert_series_equal(made.to_pandas(), expected)


def test_formats_that_are_refused():
    held = pd.Series(["2026-01-02", "nothing"])
    with pytest.raises(ValueError, match="nothing"):
        pd.to_datetime(held, format="mixed")
    assert pd.to_datetime(held, format="mixed", errors="coerce").isna().to_list() == [False, True]


def test_arrays_of_pandas_are_made_of_our_values():
    fallback._named.add("array")
    assert pd.array(pd.date_range("2026-01-01", periods=2)).dtype == np.dtype("M8[us]")
