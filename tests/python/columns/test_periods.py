# SPDX-License-Identifier: Apache-2.0
"""Periods of every length, against pandas: from datetimes, parts, ends, other lengths; columns and scalars."""

import numpy as np
import pandas as pd
import pytest

import atoll as ak
import atoll.pandas as akpd

FREQS = ["Y", "Y-MAR", "Q", "Q-JAN", "Q-NOV", "M", "W", "W-WED", "B", "D", "h", "min", "s", "ms", "us"]
PARTS = ("year", "quarter", "month", "day", "day_of_week", "day_of_year", "week", "days_in_month", "qyear")
pytestmark = pytest.mark.filterwarnings("ignore")  # pandas' own of business days


def moments(unit, count=40):
    rng = np.random.default_rng(3)
    limit = {"s": 3e9, "us": 3e15, "ns": 3e18}[unit]
    values = (rng.uniform(-1, 1, count) * limit).astype("int64")
    values[:3] = [0, -1, 1]
    found = values.astype(f"M8[{unit}]")
    found[5] = np.datetime64("NaT")
    return found


@pytest.mark.parametrize(("pes", "unit"), [(1, "s"), (3, "us"), (1, "ns")])
def test_columns(pes, unit):
    ak.shutdown()
    with ak.init(pes=pes, threads=1):
        held = moments(unit)
        for freq in FREQS:
            ours, theirs = akpd.Series(held).dt.to_period(freq), pd.Series(held).dt.to_period(freq)
            assert ours.to_pandas().equals(theirs), freq
            assert ours.astype(str).dropna().to_list() == theirs.dropna().astype(str).tolist(), freq
            for part in PARTS:
                expected = np.where(theirs.isna(), np.nan, getattr(theirs.dt, part).to_numpy().astype(float))
                found = getattr(ours.dt, part).to_numpy().astype(float)
                np.testing.assert_array_equal(np.where(theirs.isna(), np.nan, found), expected, f"{freq} {part}")
            for how in ("start", "end"):
                made = ours.dt.to_timestamp(how=how).to_pandas().astype("M8[us]")
                assert made.equals(theirs.dt.to_timestamp(how=how).astype("M8[us]")), (freq, how)
                for other in FREQS:
                    expected = pd.Series(theirs.array.asfreq(other, how))
                    assert ours._values.asfreq(other, how).to_pandas().equals(expected), (freq, other, how)


def test_single_ones():
    for moment in moments("us", 12)[6:]:
        for freq in FREQS:
            ours, theirs = akpd.Period(moment, freq), pd.Period(pd.Timestamp(moment), freq)
            assert (repr(ours), ours.ordinal) == (repr(theirs), theirs.ordinal)
            assert repr(ours.start_time) == repr(theirs.start_time) and repr(ours.end_time) == repr(theirs.end_time)
            assert repr(ours + 3) == repr(theirs + 3)
            assert akpd.Period(str(ours), freq) == ours
            for other in ("Y-JUN", "Q", "M", "W", "B", "D", "h"):
                for how in ("S", "E"):
                    assert repr(ours.asfreq(other, how)) == repr(theirs.asfreq(other, how)), (freq, other, how)


def test_dates_in_shorter_periods():
    dates = ["2026-01-05", "1969-02-01"]
    for freq in FREQS:
        made = akpd.Series(ak.to_datetime(dates).as_unit("D")).dt.to_period(freq).to_pandas()
        assert made.equals(pd.Series(pd.to_datetime(dates)).dt.to_period(freq)), freq


def test_how_must_be_start_or_end():
    for made in (akpd.Period("2026-02", "M"), akpd.PeriodIndex(["2026-02"], freq="M")):
        for ask in (lambda how, one=made: one.asfreq("D", how), lambda how, one=made: one.to_timestamp(how=how)):
            with pytest.raises(ValueError, match="how must be one of"):
                ask("middle")
