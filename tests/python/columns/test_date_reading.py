# SPDX-License-Identifier: Apache-2.0
"""Datetimes from strings and numbers, ranges, bins and business days, against pandas and NumPy."""

import datetime
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import atoll as ak

pytestmark = pytest.mark.usefixtures("two_sessions")


def nanoseconds(found):
    return found.to_numpy().astype("M8[ns]")


def same(found, expected):
    """Asserts that a column has pandas' moments, also their zone."""
    assert (found.tz or None) == (None if expected.tz is None else str(expected.tz).replace("UTC+", "+"))
    utc = expected if expected.tz is None else expected.tz_convert(None)
    np.testing.assert_array_equal(nanoseconds(found), np.array(utc, "M8[ns]"))


FORMATS = (
    "%Y-%m-%d %H:%M:%S.%f", "%d.%m.%Y %I:%M:%S.%f %p", "%Y%m%dT%H%M%S.%f", "%j %Y %H %M %S.%f",
    "%b %d, %Y %H:%M:%S.%f", "%A, %d %B %y %H:%M:%S.%f", "%G-W%V-%u %H:%M:%S.%f", "%Y-%m-%dT%H:%M:%S.%f%z",
)  # fmt: skip


@given(st.lists(st.datetimes(datetime.datetime(1970, 1, 1), datetime.datetime(2060, 1, 1)), min_size=1, max_size=10))
def test_strptime_inverts_strftime(values):
    for form in FORMATS:
        texts = [value.replace(tzinfo=datetime.UTC).strftime(form) for value in values]
        found = ak.to_datetime(ak.array([*texts, None]), format=form)
        np.testing.assert_array_equal(found.to_numpy()[:-1], np.array(values, "M8[us]"))
        assert found.null_count == 1


@pytest.mark.parametrize(
    "texts",
    [
        ["2026-11-24", "2026-01-01"],
        ["2026-11-24 12:30", "2026-11-24 12:31"],
        ["2026-11-24T12:30:05.123456789"],
        ["2026-11-24T12:30:05.5Z"],
        ["2026-11-24T12:30:05+02:00", "2026-11-25T12:30:05+02:00"],
        ["20261124", "20261125"],
        ["2026", "2027"],
        ["2026-11"],
        ["2026/11/24"],
        ["11/24/2026", "12/01/2026"],
        ["11/24/2026 12:30:01"],
        ["24 Nov 2026"],
        ["Nov 24, 2026"],
        ["November 24, 2026 3:05 PM"],
    ],
)
def test_texts(texts):
    same(ak.to_datetime(ak.array(texts)), pd.to_datetime(texts))
    same(ak.to_datetime(texts, utc=True), pd.to_datetime(texts, utc=True))


def test_texts_in_other_ways():
    same(ak.to_datetime(["24/11/2026"], dayfirst=True), pd.to_datetime(["24/11/2026"], dayfirst=True))
    same(ak.to_datetime(["13/11/2026"]), pd.to_datetime(["13/11/2026"], format="%d/%m/%Y"))
    mixed = ["2026-11-24", "2026-11-24 12:30", "2026-11-24T12:30:05.5"]
    same(ak.to_datetime(mixed, format="ISO8601"), pd.to_datetime(mixed, format="ISO8601"))
    bad = ["2026-11-24", "x", "2026-02-30", "2026-11-24 25:00", "", None, "2026-13-01", "2026-1-1"]
    same(ak.to_datetime(bad, errors="coerce"), pd.to_datetime(bad, errors="coerce"))
    assert ak.to_datetime("2026-11-24") == np.datetime64("2026-11-24") and ak.to_datetime(None) is None
    assert ak.strptime(["24.11.26"], "%d.%m.%y").to_list() == [datetime.datetime(2026, 11, 24)]
    zoned = ak.to_datetime(["2026-11-24 12:00+01:00", "2026-07-24 12:00+02:00"], utc=True)
    same(zoned, pd.to_datetime(["2026-11-24 11:00", "2026-07-24 10:00"]).tz_localize("UTC"))
    far = ak.to_datetime(["9999-12-31", "0001-01-01"])
    assert far.year.tolist() == [9999, 1]
    assert ak.to_datetime(ak.date_range("2026", periods=2)).size == 2


@pytest.mark.parametrize(
    ("texts", "options", "says"),
    [
        (["2026-11-24", "x"], {}, "row 1: 'x' does not match ISO 8601"),
        (["2026-02-29"], {}, "infer the format"),
        (["2026-11-24", "2026-02-29"], {"format": "%Y-%m-%d"}, "row 1"),
        (["2026-11-24 "], {"format": "%Y-%m-%d"}, "row 0"),
        (["2026-11-24T00Z", "2026-11-24T00"], {}, "with and without an offset"),
        (["2026-11-24T00+01:00", "2026-11-24T00+02:00"], {}, "Mixed timezones"),
        (["2026-11-24"], {"format": "%Q"}, "bad directive"),
        (["9999-12-31 00:00:00.000000001"], {}, "does not fit"),
        (["12"], {"unit": "s"}, "unit is for numbers"),
        (["2026-11-24"], {"errors": "ignore"}, "errors must be"),
    ],
)
def test_refuses(texts, options, says):
    with pytest.raises(ValueError, match=says):
        ak.to_datetime(ak.array(texts), **options)


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("values", "form"),
    [
        ([20240105, 20231231], "%Y%m%d"), ([20240105.0, np.nan], "%Y%m%d"), ([20240105.5, 2e7 + 101], "%Y%m%d"),
        ([2024.0, np.nan, np.inf, 1e300], "%Y"), ([np.nan], "%Y"), ([20240105.0], "ISO8601"), ([20240105.0], "mixed"),
        ([20240105], "mixed"), ([930, 5, 2359], "%H%M"), ([930.0, np.nan], "%H%M"), ([5012024, 112024], "%d%m%Y"),
        ([2024366, 202405], "%Y%j"),
    ],
)  # fmt: skip
def test_numbers_by_a_format(values, form):
    """Their digits are read, of floats those before the point; as few of them to each piece as leave enough behind."""
    try:
        wanted = pd.DatetimeIndex(pd.to_datetime(pd.Series(values), format=form))
    except ValueError:
        with pytest.raises(ValueError, match="does not match format"):
            ak.to_datetime(ak.array(values), format=form)
        return
    same(ak.to_datetime(ak.array(values), format=form), wanted)
    if form != "mixed" and not any(isinstance(value, float) for value in values):
        same(ak.to_datetime([str(value) for value in values], format=form), wanted)


def test_floats_by_a_format_with_missing_values():
    column = ak.array(pd.array([20240105.0, None], "Float64").to_numpy(object, na_value=None).tolist())
    assert ak.to_datetime(column, format="%Y%m%d").to_list() == [datetime.datetime(2024, 1, 5), None]
    text = "d,n\n20240105,1\n,2\n"
    found = ak.to_datetime(ak.read_csv(io.StringIO(text))["d"], format="%Y%m%d")
    assert found.to_pandas().tolist() == [pd.Timestamp("2024-01-05"), pd.NaT]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("09:30", "%H:%M"), ("930", "%H%M"), ("60", "%H"), ("1212024", "%d%m%Y"), ("3112024", "%d%m%Y"),
        ("111", "%m%d"), ("32", "%d%m"), ("00", "%d"), ("12 5 pm", "%M %I %p"), ("0", "%m"), ("6 Feb", "%d %b"),
    ],
)  # fmt: skip
def test_pieces_of_few_digits(text, form):
    wanted = pd.to_datetime([text], format=form, errors="coerce")
    same(ak.to_datetime([text], format=form, errors="coerce"), wanted)


def test_numbers():
    for unit in ("D", "h", "m", "s", "ms", "us", "ns"):
        same(ak.to_datetime(ak.array([0, -1, 20_000]), unit=unit), pd.to_datetime([0, -1, 20_000], unit=unit))
        same(ak.to_datetime(ak.array([0.0, 1.5, np.nan]), unit=unit), pd.to_datetime([0.0, 1.5, np.nan], unit=unit))
    same(
        ak.to_datetime(ak.array([1, 2]), unit="D", origin="1960-01-01"),
        pd.to_datetime([1, 2], unit="D", origin="1960-01-01"),
    )
    same(
        ak.to_datetime(ak.array([2_460_000]), unit="D", origin="julian"),
        pd.to_datetime([2_460_000], unit="D", origin="julian"),
    )
    same(ak.to_datetime(ak.array([1, None]), unit="s"), pd.to_datetime(pd.Index([1, None]), unit="s"))
    with pytest.raises(ValueError, match="row 0"):
        ak.to_datetime(ak.array([2**62]), unit="D")
    assert ak.to_datetime(ak.array([2**62]), unit="D", errors="coerce").null_count == 1
    with pytest.raises(ValueError, match="invalid unit"):
        ak.to_datetime(ak.array([1]), unit="month")
    parts = {"year": [2024, 2026], "month": [2, 11], "day": [29, 24], "hour": [1, 2]}
    same(
        ak.to_datetime({k: ak.array(v) for k, v in parts.items()}),
        pd.DatetimeIndex(pd.to_datetime(pd.DataFrame(parts))),
    )
    with pytest.raises(ValueError, match="row 1"):
        ak.to_datetime({"year": ak.array([2024, 2026]), "month": ak.array([2, 2]), "day": ak.array([29, 29])})
    with pytest.raises(ValueError, match="at least"):
        ak.to_datetime({"year": ak.array([2024])})


def test_durations():
    texts = [
        "1 days 02:03:04.5",
        "-1 days +23:59:59",
        "5 min",
        "1h30m",
        "10us",
        "P1DT2H3M4.5S",
        "02:03:04",
        "-3 days",
        "1.5 days",
        "7",
        "2 W",
    ]
    expected = pd.to_timedelta(texts)
    np.testing.assert_array_equal(
        ak.to_timedelta(ak.array(texts)).to_numpy().astype("m8[ns]"), np.array(expected, "m8[ns]")
    )
    assert ak.to_timedelta(ak.array(["x", "1 s"]), errors="coerce").null_count == 1
    with pytest.raises(ValueError, match="row 1"):
        ak.to_timedelta(["1 s", "1 M"])
    for unit in ("D", "h", "m", "s", "ms", "us", "ns"):
        for numbers in ([1, -7], [1.5, 0.25]):
            found = ak.to_timedelta(ak.array(numbers), unit=unit).to_numpy().astype("m8[ns]")
            np.testing.assert_array_equal(found, np.array(pd.to_timedelta(numbers, unit=unit), "m8[ns]"))


@pytest.mark.parametrize(
    "freq",
    [
        "D",
        "2D",
        "h",
        "90min",
        "1h30min",
        "s",
        "B",
        "3B",
        "W",
        "W-WED",
        "ME",
        "MS",
        "2MS",
        "QE",
        "QS",
        "QE-JAN",
        "QS-FEB",
        "YE",
        "YS",
        "YE-MAR",
        "YS-APR",
        "BME",
        "BMS",
        "BQS",
        "BYE",
        "-1D",
        "-1ME",
    ],
)
@pytest.mark.parametrize("start", ["2024-01-31 12:30", "2023-12-30", "2024-02-29"])
def test_ranges(freq, start):
    backwards = freq.startswith("-")
    end = "2021-05-05" if backwards else "2025-05-05"
    if freq not in ("s",):
        same(ak.date_range(start, end, freq=freq), pd.date_range(start, end, freq=freq))
    same(ak.date_range(start, periods=7, freq=freq), pd.date_range(start, periods=7, freq=freq))
    same(ak.date_range(end=start, periods=7, freq=freq), pd.date_range(end=start, periods=7, freq=freq))
    same(ak.date_range(start, periods=0, freq=freq), pd.date_range(start, periods=0, freq=freq))


def test_ranges_in_other_ways():
    same(ak.date_range("2026-01-01", "2026-01-05", periods=4), pd.date_range("2026-01-01", "2026-01-05", periods=4))
    for inclusive in ("both", "left", "right", "neither"):
        same(
            ak.date_range("2026-01-01", "2026-01-05", inclusive=inclusive),
            pd.date_range("2026-01-01", "2026-01-05", inclusive=inclusive),
        )
    same(
        ak.date_range("2026-01-01 12:00", periods=3, normalize=True),
        pd.date_range("2026-01-01 12:00", periods=3, normalize=True),
    )
    for freq in ("D", "h", "MS", "W"):
        ours = ak.date_range("2026-03-28", periods=48, freq=freq, tz="Europe/Berlin")
        same(ours, pd.date_range("2026-03-28", periods=48, freq=freq, tz="Europe/Berlin"))
    stamp = pd.Timestamp("2026-03-28", tz="Asia/Tokyo")
    same(ak.date_range(stamp, periods=3, freq="h"), pd.date_range(stamp, periods=3, freq="h"))
    same(ak.bdate_range("2026-11-27", "2026-12-07"), pd.bdate_range("2026-11-27", "2026-12-07"))
    assert (
        ak.date_range("2026", periods=2, unit="s").unit == "s"
        and ak.date_range("2026", periods=2, freq="ns").unit == "ns"
    )
    found = ak.timedelta_range("1 day", "2 days", freq="6h", closed="left")
    np.testing.assert_array_equal(
        found.to_numpy(), np.array(pd.timedelta_range("1 day", "2 days", freq="6h", closed="left"))
    )
    for wrong in (
        {"start": "2026"}, {"start": "2026", "end": "2027", "periods": 3, "freq": "D"},
        {"start": "2026", "periods": -1}, {"start": "2026", "periods": 2, "freq": "Q"},
        {"start": "2026", "periods": 2, "freq": "0D"},
        {"start": "2261-01-01", "periods": 10**6, "freq": "YE", "unit": "ns"},
    ):  # fmt: skip
        with pytest.raises(ValueError):
            ak.date_range(**wrong)


@pytest.mark.parametrize(
    "rule", ["h", "3h", "90min", "D", "2D", "7D", "ME", "MS", "2ME", "QE", "QS", "YE", "YS", "W", "W-WED", "B", "17s"]
)
@pytest.mark.parametrize(
    "options", [{}, {"closed": "left"}, {"closed": "right"}, {"label": "right"}, {"origin": "epoch"}, {"offset": "2h"}]
)
def test_bins(rule, options):
    rng = np.random.default_rng(len(rule))
    span = 2_000 if rule == "17s" else 400 * 86_400
    seconds = np.datetime64("2025-11-24T10:05:30", "s") + rng.integers(0, span, 40).astype("m8[s]")
    if (set(options) & {"origin", "offset"}) and rule not in ("h", "3h", "90min", "17s"):
        options = {}
    bins = ak.time_bins(ak.array(seconds), rule, **options)
    counts = np.bincount(bins.numbers.to_numpy(), minlength=bins.labels.size)
    expected = pd.Series(1, index=seconds).sort_index().resample(rule, **options).sum()
    same(bins.labels, expected.index)
    assert counts.tolist() == expected.tolist()


def test_bins_in_zones_and_without_rows():
    index = pd.date_range("2026-03-27 22:00", periods=60, freq="77min", tz="Europe/Berlin")
    for rule in ("D", "h", "6h", "MS", "W"):
        expected = pd.Series(1, index=index).resample(rule).sum()
        bins = ak.time_bins(ak.array(index), rule)
        same(bins.labels, expected.index)
        assert np.bincount(bins.numbers.to_numpy()).tolist() == expected.tolist()
    missing = ak.time_bins(ak.array(np.array(["NaT", "2026-01-01"], "M8[s]")), "D")
    assert missing.numbers.tolist() == [-1, 0] and missing.labels.size == 1
    assert ak.time_bins(ak.array(np.array(["NaT"], "M8[s]")), "D").labels.size == 0
    for wrong in ({"freq": "D", "closed": "both"}, {"freq": "D", "origin": "x"}, {"freq": "-1D"}):
        with pytest.raises(ValueError):
            ak.time_bins(ak.array(np.array(["2026-01-01"], "M8[s]")), **wrong)


days = st.lists(st.integers(-40_000, 40_000), min_size=1, max_size=12)


@given(
    days,
    days,
    st.lists(st.integers(-40_000, 40_000), max_size=6),
    st.sampled_from(["1111100", "1000001", "0000110", "1111111"]),
)
def test_business_days(first, second, holidays, mask):
    n = min(len(first), len(second))
    a, b = (np.array(v[:n], np.int64).view("M8[D]") for v in (first, second))
    holidays = np.array([*holidays, *first[:1]], np.int64).view("M8[D]")
    calendar, theirs = ak.busdaycalendar(mask, holidays), np.busdaycalendar(mask, holidays)
    x, y = ak.array(a), ak.array(b)
    assert ak.is_busday(x, busdaycal=calendar).tolist() == np.is_busday(a, busdaycal=theirs).tolist()
    assert ak.busday_count(x, y, busdaycal=calendar).tolist() == np.busday_count(a, b, busdaycal=theirs).tolist()
    steps = (b - a).astype(int) % 41 - 20
    for roll in ("forward", "backward", "modifiedfollowing", "modifiedpreceding", "nat"):
        found = ak.busday_offset(x, steps, roll=roll, busdaycal=calendar)
        np.testing.assert_array_equal(found.to_numpy(), np.busday_offset(a, steps, roll=roll, busdaycal=theirs))


def test_business_days_in_other_ways():
    assert ak.is_busday("2026-11-28") is False
    assert ak.busday_count("2026-11-27", "2026-12-01", holidays=["2026-11-30"]) == np.busday_count(
        "2026-11-27", "2026-12-01", holidays=["2026-11-30"]
    )
    assert ak.busday_offset("2026-11-27", 1) == np.busday_offset("2026-11-27", 1)
    with pytest.raises(ValueError, match="no business day"):
        ak.busday_offset(ak.array(["2026-11-28"], dtype="M8[D]"), 1)
    with pytest.raises(ValueError, match="roll"):
        ak.busday_offset("2026-11-27", 1, roll="sideways")
    with pytest.raises(ValueError):
        ak.busdaycalendar("0000000")
    assert ak.is_busday(ak.array([datetime.date(2026, 11, 27), None])).tolist() == [True, None]
