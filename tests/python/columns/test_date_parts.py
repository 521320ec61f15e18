# SPDX-License-Identifier: Apache-2.0
"""Parts, rounding, formatting, time zones and offsets of datetimes, against pandas."""

import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import atoll as ak

pytestmark = pytest.mark.usefixtures("two_sessions")

NAT = np.iinfo(np.int64).min
SCALE = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
#: Years 1678 to 2261, days that matter, and NaT.
EDGES = [
    int(np.datetime64(text, "ns").astype(np.int64))
    for text in (
        "1970-01-01", "1969-12-31T23:59:59.999999999", "2000-02-29", "1900-02-28", "2100-03-01", "2024-12-30",
        "2026-12-31", "2027-01-01", "2023-01-01", "1678-01-01", "2261-12-31", "2026-03-29T02:30", "2026-10-25T02:30",
        "2024-02-29T12:30",
    )
]  # fmt: skip
ticks = st.lists(
    st.one_of(st.just(NAT), st.sampled_from(EDGES), st.integers(-9_200_000_000_000_000_000, 9_200_000_000_000_000_000)),
    max_size=15,
)
units = st.sampled_from(sorted(SCALE))


def moments(values, unit="ns"):
    return np.array([v if v == NAT else v // SCALE[unit] for v in values], np.int64).view(f"M8[{unit}]")


def plain(found):
    """Values as a list, None where one is missing."""
    return found.to_list() if isinstance(found, ak.Column) else found.tolist()


def theirs(series):
    return [None if pd.isna(value) else value for value in series.tolist()]


def as_moments(found):
    """What a column has, as NumPy's nanoseconds (UTC)."""
    return found.to_numpy().astype("M8[ns]")


PARTS = [
    "year",
    "month",
    "day",
    "hour",
    "minute",
    "second",
    "microsecond",
    "nanosecond",
    "day_of_week",
    "day_of_year",
    "quarter",
    "days_in_month",
    "is_leap_year",
    "is_month_start",
    "is_month_end",
    "is_quarter_start",
    "is_quarter_end",
    "is_year_start",
    "is_year_end",
]


@given(ticks, units)
def test_parts(values, unit):
    array = moments(values, unit)
    column, series = ak.array(array), pd.Series(array)
    there = ~np.isnat(array)
    for name in PARTS:
        found = getattr(column.dt, name)
        expected = getattr(series.dt, name)
        missing = [None if not is_there else value for value, is_there in zip(expected.tolist(), there, strict=True)]
        assert plain(found) == missing, name
    for found, expected in zip(column.dt.isocalendar(), series.dt.isocalendar().T.to_numpy(), strict=True):
        assert plain(found) == [None if pd.isna(v) else v for v in expected]
    assert plain(column.dt.day_name()) == theirs(series.dt.day_name())
    assert plain(column.dt.month_name()) == theirs(series.dt.month_name())
    assert plain(column.dt.date) == theirs(series.dt.date)
    assert plain(column.dt.time) == theirs(series.dt.time)


def test_parts_of_dates_and_far_years():
    days = np.array([-(10**8), -1, 0, 10**8], np.int64)
    column = ak.array(days.view("M8[D]"))
    assert column.year.tolist() == (days.view("M8[D]").astype("M8[Y]").astype(int) + 1970).tolist()
    assert column.hour.tolist() == [0] * 4
    assert column.month.tolist() == (days.view("M8[D]").astype("M8[M]").astype(int) % 12 + 1).tolist()
    seconds = np.array([-(10**15), 10**15], np.int64).view("M8[s]")
    assert (
        ak.array(seconds).day.tolist() == ((seconds.astype("M8[D]") - seconds.astype("M8[M]")).astype(int) + 1).tolist()
    )


@given(ticks, st.sampled_from(["h", "15min", "s", "ms", "7us", "2D", "D", "13ns", "1h30min"]), units)
def test_rounding(values, freq, unit):
    if freq in ("7us", "13ns"):
        unit = "ns"
    values = [v if v == NAT else v // 2 for v in values]
    array = moments(values, unit)
    for ours, series in (
        (ak.array(array), pd.Series(array)),
        (ak.array(array.view(f"m8[{unit}]")), pd.Series(array.view(f"m8[{unit}]"))),
    ):
        for name in ("floor", "ceil", "round"):
            found = getattr(ours.dt, name)(freq)
            np.testing.assert_array_equal(found.to_numpy(), getattr(series.dt, name)(freq).to_numpy())
    np.testing.assert_array_equal(ak.array(array).dt.normalize().to_numpy(), pd.Series(array).dt.normalize().to_numpy())


def test_rounding_refuses():
    column = ak.array(moments([0]))
    for freq in ("ME", "W", "H", "", "5", "x", 3):
        with pytest.raises(ValueError):
            column.dt.floor(freq)
    with pytest.raises(ValueError, match="does not fit"):
        ak.array(np.array([-(2**63) + 1], "M8[ns]")).dt.floor("h")


@given(ticks, units)
def test_strftime(values, unit):
    array = moments(values, unit)
    column, series = ak.array(array), pd.Series(array)
    form = "%Y|%m|%d|%H|%M|%S|%f|%y|%j|%a|%A|%b|%B|%p|%I|%w|%U|%W|%G|%V|%u|%e|%-d|%%|%x|%X|%c|%D|%T|%F|%R"
    assert plain(column.dt.strftime(form)) == theirs(series.dt.strftime(form))
    texts = column.astype(str)
    np.testing.assert_array_equal(as_moments(ak.to_datetime(texts)), array.astype("M8[ns]"))
    lengths = ak.array(array.view(f"m8[{unit}]"))
    back = ak.to_timedelta(lengths.astype(str))
    np.testing.assert_array_equal(back.to_numpy().astype("m8[ns]"), array.view(f"m8[{unit}]").astype("m8[ns]"))
    with pytest.raises(ValueError, match="bad directive"):
        column.dt.strftime("%Q")


@given(ticks)
def test_components_of_durations(values):
    array = moments(values).view("m8[ns]")
    column, series = ak.array(array), pd.Series(array)
    for found, name in zip(column.dt.components, series.dt.components.columns, strict=True):
        assert plain(found) == theirs(series.dt.components[name]), name
    for name in ("days", "seconds", "microseconds", "nanoseconds"):
        assert plain(getattr(column.dt, name)) == theirs(getattr(series.dt, name))
    seconds = [None if v == NAT else v / 10**9 for v in values]
    assert plain(column.dt.total_seconds()) == seconds


ZONES = (
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Africa/Casablanca",
    "Asia/Kolkata",
    "UTC",
    "-03:30",
)
#: Around changes of clocks, where hours are missing or come twice.
clocks = st.lists(
    st.one_of(
        st.just(NAT),
        st.integers(-(2**60), 2**62).map(lambda v: v // 10**9 * 10**9),
        st.builds(lambda day, minute: day + minute * 60 * 10**9, st.sampled_from(EDGES[-3:-1]), st.integers(-300, 300)),
    ),
    max_size=12,
)


@given(clocks, st.sampled_from(ZONES))
def test_zones(values, zone):
    array = moments(values)
    utc, index = ak.array(array).tz_localize("UTC"), pd.Series(array).dt.tz_localize("UTC")
    column, series = utc.tz_convert(zone), index.dt.tz_convert(zone)
    assert column.tz == zone
    np.testing.assert_array_equal(as_moments(column.tz_localize(None)), series.dt.tz_localize(None).to_numpy())
    np.testing.assert_array_equal(as_moments(column.tz_convert(None)), array)
    for name in ("hour", "day_of_year"):
        assert [v for v in plain(getattr(column.dt, name)) if v is not None] == getattr(
            series.dropna().dt, name
        ).tolist()
    assert plain(column.dt.strftime("%F %T %Z %z")) == theirs(series.dt.strftime("%F %T %Z %z"))
    texts = column.astype(str)
    if len(array) and not np.isnat(array).all():
        np.testing.assert_array_equal(as_moments(ak.to_datetime(texts, utc=True)), array)


@given(clocks, st.sampled_from(ZONES))
def test_localizing(values, zone):
    array = moments(values)
    column, series = ak.array(array), pd.Series(array)
    for ambiguous in ("NaT", True, False):
        for nonexistent in ("NaT", "shift_forward", "shift_backward", datetime.timedelta(hours=1)):
            per_row = ambiguous if ambiguous == "NaT" else np.full(len(array), ambiguous)
            expected = series.dt.tz_localize(zone, ambiguous=per_row, nonexistent=nonexistent)
            found = column.tz_localize(zone, ambiguous, nonexistent)
            np.testing.assert_array_equal(as_moments(found), expected.dt.tz_convert(None).to_numpy().astype("M8[ns]"))


def test_localizing_refuses_and_infers():
    never, twice = ak.array(np.array(["2026-03-29T02:30"], "M8[s]")), np.array(["2026-10-25T02:30"], "M8[s]")
    with pytest.raises(ValueError, match="does not exist in Europe/Berlin"):
        never.tz_localize("Europe/Berlin")
    with pytest.raises(ValueError, match="ambiguous in Europe/Berlin"):
        ak.array(twice).tz_localize("Europe/Berlin")
    hours = pd.date_range("2026-10-24 23:00", periods=5, freq="h", tz="UTC").tz_convert("Europe/Berlin")
    local = ak.array(hours.tz_localize(None))
    assert local.tz_localize("Europe/Berlin", ambiguous="infer").to_list() == hours.to_pydatetime().tolist()
    rows = [False, True, False, False, False]
    assert local.tz_localize("Europe/Berlin", ambiguous=rows).to_list() == hours.to_pydatetime().tolist()
    with pytest.raises(ValueError, match="no repeated times"):
        ak.array(twice).tz_localize("Europe/Berlin", ambiguous="infer")
    with pytest.raises(ValueError, match="no time zone"):
        never.tz_localize("Mars/Phobos")
    zoned = never.tz_localize("UTC")
    for wrong in (lambda: zoned.tz_localize("UTC"), lambda: never.tz_convert("UTC")):
        with pytest.raises(TypeError):
            wrong()


@given(
    ticks,
    st.sampled_from(
        [
            "ME",
            "MS",
            "QE",
            "QS",
            "QE-FEB",
            "QS-MAR",
            "YE",
            "YS",
            "YE-JUN",
            "YS-JUL",
            "BME",
            "BMS",
            "BQE",
            "BYS",
            "W",
            "W-WED",
            "B",
            "D",
            "3h",
        ]
    ),
    st.integers(-3, 3),
)
def test_offsets(values, name, n):
    values = [v if v == NAT else v // 2 for v in values]
    array = moments(values)
    step = pd.tseries.frequencies.to_offset(name) * n
    expected = [pd.NaT if np.isnat(v) else pd.Timestamp(v) + step for v in array]
    np.testing.assert_array_equal((ak.array(array) + step).to_numpy(), np.array(pd.Series(expected, dtype="M8[ns]")))


@given(ticks, st.integers(-30, 30), st.integers(-40, 40))
def test_date_offset(values, months, days):
    values = [v if v == NAT else v // 2 for v in values]
    array = moments(values)
    expected = pd.Series(array) + pd.DateOffset(months=months, days=days, hours=5)
    column = ak.array(array)
    np.testing.assert_array_equal((column + ak.DateOffset(months=months, days=days, hours=5)).to_numpy(), expected)
    np.testing.assert_array_equal((column + pd.DateOffset(months=months, days=days, hours=5)).to_numpy(), expected)
    expected = pd.Series(array) - pd.DateOffset(months=months)
    np.testing.assert_array_equal((column - ak.DateOffset(months=months)).to_numpy(), expected)


def test_offsets_by_the_clock_of_a_zone():
    index = pd.date_range("2026-03-27 12:00", periods=4, tz="Europe/Berlin")
    column = ak.array(index)
    for ours, their in (
        (column + ak.DateOffset(days=2), index + pd.DateOffset(days=2)),
        (column + pd.offsets.MonthEnd(1), index + pd.offsets.MonthEnd(1)),
        (column.dt.floor("D"), index.floor("D")),
        (column + datetime.timedelta(days=2), index + pd.Timedelta(2, "D")),
    ):
        assert ours.to_list() == their.to_pydatetime().tolist()
