# SPDX-License-Identifier: Apache-2.0
"""Operators of `atoll.pandas` with operands of NumPy and pandas, and what iterators over rows give."""

import operator
import subprocess
import sys

import numpy as np
import pandas
import pytest

import atoll.pandas as pd
from atoll.io import fallback

pytestmark = [
    pytest.mark.filterwarnings("ignore::atoll.io.fallback.FallbackWarning"),
    pytest.mark.filterwarnings("ignore::pandas.errors.PerformanceWarning"),
]


@pytest.fixture(autouse=True)
def nothing_named():
    fallback.forget()


def test_iterators_give_scalars_of_pandas():
    days = pd.date_range("2026-01-01", periods=2)
    frame = pd.DataFrame({"a": days, "b": [1, 2]}, index=days)
    scalars = [
        *days,
        *frame.a,
        *(one for pair in frame.a.items() for one in pair),
        *(row.a for row in frame.itertuples()),
    ]
    assert len(scalars) == 10 and {type(one) for one in scalars} == {pandas.Timestamp}
    assert {type(one) for one in pd.period_range("2026-01", periods=2, freq="M")} == {pandas.Period}
    assert next(frame.itertuples())._fields == ("Index", "a", "b")


@pytest.mark.parametrize("left", [np.timedelta64(5, "ns"), np.int64(7), np.float64(2.5)])
def test_scalars_of_numpy_on_the_left(left):
    values = [1, 2] if not isinstance(left, np.timedelta64) else np.array([1, 2], dtype="m8[ns]")
    for operation in (np.remainder, np.floor_divide, np.divide):
        ours, theirs = pd.DataFrame({"a": values}), pandas.DataFrame({"a": values})
        pandas.testing.assert_frame_equal(operation(left, ours).to_pandas(), operation(left, theirs))
        pandas.testing.assert_series_equal(operation(left, ours.a).to_pandas(), operation(left, theirs.a))


def test_ufuncs_of_two_results_give_two_series():
    made, expected = np.divmod(pd.Series([5, 7]), 3), np.divmod(pandas.Series([5, 7]), 3)
    for one, other in zip(made, expected, strict=True):
        pandas.testing.assert_series_equal(one.to_pandas(), other)


@pytest.mark.parametrize("other", [np.timedelta64("NaT", "D"), np.datetime64("2026-01-01"), pandas.Timedelta(1)])
def test_numbers_refuse_datetimes(other):
    for rows in (pd.Series([1, 2]), pd.DataFrame({"a": [1.0, 2.0]})):
        with pytest.raises(TypeError):
            rows + other


@pytest.mark.parametrize("zone", [None, "US/Eastern"])
@pytest.mark.parametrize("offset", [
    pandas.offsets.MonthEnd(0), pandas.offsets.BMonthBegin(2, normalize=True), pandas.offsets.CDay(5),
    pandas.DateOffset(month=3), pandas.offsets.Easter(1), pandas.offsets.MonthEnd(),
])  # fmt: skip
def test_offsets_move_datetimes_as_in_pandas(offset, zone):
    held = pandas.Series(pandas.date_range("2026-02-27 05:00", periods=3, tz=zone))
    pandas.testing.assert_series_equal((pd.Series(held) + offset).to_pandas(), held + offset)


def test_objects_of_pandas_leave_operators_to_ours():
    ours, theirs = pd.Series([1, 2, 3]), pandas.Series([1, 2, 3])
    for left in (pandas.array([1, 2, None]), theirs, pandas.Index([1, 2, 3]), pandas.array([1.5, 2.0, 3.0])):
        for operation in (operator.add, operator.mul, operator.lt, operator.eq):
            made = operation(left, ours)
            assert type(made) is pd.Series
            pandas.testing.assert_series_equal(made.to_pandas(), operation(left, theirs))
    assert type(pandas.DataFrame({"a": [1]}) + pd.DataFrame({"a": [1]})) is pd.DataFrame


def test_operators_in_place_change_the_object():
    for m in (pandas, pd):
        frame, series = m.DataFrame({"a": [1, 2], "b": [1.5, 2.5]}), m.Series([1, 2])
        other_frame, other_series = frame, series
        frame += 1
        frame *= m.DataFrame({"b": [2.0, 2.0], "z": [1.0, 1.0]})
        series -= m.Series([1, 1, 1])
        series **= 2
        assert other_frame is frame and list(frame.columns) == ["a", "b"]
        assert frame.b.tolist() == [5.0, 7.0] and frame.a.isna().all()
        assert other_series is series and other_series.tolist() == [0, 1]
        days = m.DataFrame({"t": m.timedelta_range("1h", periods=2)})
        alias = days
        days += pandas.offsets.Hour(2)
        assert alias is days and days.t.tolist() == [pandas.Timedelta("3h"), pandas.Timedelta("1D3h")]
        flags = m.Series([True, False])
        flags |= True
        assert flags.tolist() == [True, True]
        whole = m.DataFrame({"a": [1, 2]})
        whole["a"] += 1
        assert whole.a.tolist() == [2, 3]
        labels = m.Index([1, 2])
        old = labels
        labels += 1
        assert old.tolist() == [1, 2] and labels.tolist() == [2, 3]


def test_operators_between_columns_import_no_pandas():
    """It takes longer to import than the operators take."""
    program = """
import sys
import atoll as ak
numbers, other = ak.Series([1, 2]), ak.Series([2, 2])
frame = ak.DataFrame({"a": [1, 2], "b": [3, 4]})
assert (numbers == other).sum() == 1 and (numbers + other).sum() == 7 and (numbers < other).sum() == 1
assert (frame + frame)["a"].sum() == 6 and (frame["a"] != frame["b"]).sum() == 2
assert not hasattr(numbers, "_nothing")
assert "pandas" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
