# SPDX-License-Identifier: Apache-2.0
"""Columns of datetimes, timedeltas and times of day, against NumPy, pandas and pyarrow."""

import datetime
import operator

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import atoll as ak

pytestmark = pytest.mark.usefixtures("two_sessions")

UNITS = ("s", "ms", "us", "ns")
NAT = np.iinfo(np.int64).min
#: Some eighty years around 1970 in nanoseconds, and NaT.
ticks = st.lists(st.one_of(st.just(NAT), st.integers(-(2**61), 2**61)), max_size=20)
units = st.sampled_from(UNITS)


def moments(values, unit="ns"):
    return np.array(values, np.int64).view(f"M8[{unit}]")


def durations(values, unit="ns"):
    return np.array(values, np.int64).view(f"m8[{unit}]")


def same(found, expected):
    """Asserts that a column is NumPy's array: values, NaT and unit."""
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.to_numpy(), expected)
    np.testing.assert_array_equal(found.isna().to_numpy(), np.isnat(expected))


@given(ticks, units)
def test_back_as_they_came(values, unit):
    for array in (moments(values, unit), durations(values, unit)):
        column = ak.array(array)
        same(column, array)
        arrow = column.to_arrow()
        arrow.validate(full=True)
        assert arrow.equals(pa.array(array))
        same(ak.array(arrow), array)
        same(ak.array(arrow[1:]), array[1:])
        if len(array):
            pd.testing.assert_series_equal(column.to_pandas(), pd.Series(array))
            same(ak.array(pd.Series(array)), array)
        if unit in ("us", "ns") and not np.isnat(array).all():
            same(ak.array(column.to_list()), array)


def test_from_all_sources_of_datetimes():
    day, moment = datetime.date(2026, 11, 24), datetime.datetime(2026, 11, 24, 12, 30, 5, 7)
    same(ak.array([day, None]), np.array(["2026-11-24", "NaT"], "M8[D]"))
    same(ak.array([moment, None, day]), np.array([moment, None, day], "M8[us]"))
    same(ak.array([pd.Timestamp(5), pd.NaT]), moments([5, NAT]))
    same(ak.array([None, datetime.timedelta(1), pd.Timedelta(7)]), durations([NAT, 86_400 * 10**9, 7]))
    same(ak.array([np.datetime64("2026", "Y")]), np.array(["2026-01-01"], "M8[D]"))
    same(ak.array(np.array([1, 2], "m8[h]")), durations([3600, 7200], "s"))
    same(ak.array(np.array(["2026-11-24T05"], ">M8[h]")), np.array(["2026-11-24T05"], "M8[s]"))
    same(ak.array([5, 6], dtype="M8[ms]"), moments([5, 6], "ms"))
    same(ak.array(["2026-11-24"], dtype="M8[D]"), np.array(["2026-11-24"], "M8[D]"))
    same(ak.array(pd.date_range("2026", periods=3)), np.array(pd.date_range("2026", periods=3)))
    for zone in ("UTC", "Europe/Berlin", "+02:00"):
        index = pd.date_range("2026-03-28", periods=5, tz=zone)
        for holder in (index, pd.Series(index), pa.array(index), pa.chunked_array([pa.array(index)])):
            column = ak.array(holder)
            assert column.tz == zone and column.to_list() == list(index.to_pydatetime())
    for kind, numbers in ((pa.date64(), [86_400_000, None]), (pa.date32(), [1, None])):
        same(ak.array(pa.array(numbers, kind)), np.array(["1970-01-02", "NaT"], "M8[D]"))
    for kind in (pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")):
        arrow = pa.array([3600, None], kind)
        assert ak.array(arrow).to_arrow().equals(arrow)
    assert ak.array([datetime.time(12, 30), None]).to_list() == [datetime.time(12, 30), None]


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ([datetime.datetime(2026, 1, 1), datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)], ValueError),
        ([pd.Timestamp("2026", tz="UTC"), pd.Timestamp("2026", tz="Asia/Tokyo")], ValueError),
        ([datetime.datetime(2026, 1, 1), datetime.timedelta(1)], TypeError),
        ([datetime.datetime(2026, 1, 1), 5], TypeError),
        (np.array([1], "m8[Y]"), TypeError),
        (np.array([1], "m8[as]"), ValueError),
        (np.array([2**62], "M8[h]"), ValueError),
        (np.array([[1]], "M8[s]"), TypeError),
    ],
)
def test_refuses(values, error):
    with pytest.raises(error):
        ak.array(values)


@given(ticks, units, units, st.data())
def test_arithmetic(values, first, second, data):
    others = data.draw(st.permutations(values))
    scale = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
    x = [value if value == NAT else value // scale[first] // 4 for value in values]
    y = [value if value == NAT else value // scale[second] // 4 for value in others]
    a, b = moments(x, first), moments(y, second)
    c, d = durations(x, first), durations(y, second)
    for one, two, operation in (
        (a, b, operator.sub), (a, d, operator.add), (a, d, operator.sub), (c, b, operator.add), (c, d, operator.add),
        (c, d, operator.sub), (c, 3, operator.mul), (c, np.timedelta64(7, second), operator.add),
        (a, np.datetime64(7, second), operator.sub), (np.datetime64(7, second), a, operator.sub),
        (np.timedelta64(7, second), a, operator.add), (c, 5, operator.truediv), (c, -3, operator.truediv),
    ):  # fmt: skip
        ours = [ak.array(v) if isinstance(v, np.ndarray) else v for v in (one, two)]
        same(operation(*ours), operation(one, two))
    same(-ak.array(c), -c)
    same(abs(ak.array(c)), abs(c))
    for one, two in ((a, b), (c, d), (a, b[:1][0] if len(b) else np.datetime64(1, second))):
        for name in ("eq", "ne", "lt", "le", "gt", "ge"):
            operation = getattr(operator, name)
            found = operation(ak.array(one), ak.array(two) if isinstance(two, np.ndarray) else two)
            missing = np.isnat(one) | np.isnat(two)
            found = np.array(found.tolist(), object)
            assert (found[missing] == None).all()  # noqa: E711
            assert found[~missing].tolist() == operation(one, two)[~missing].tolist()


def test_arithmetic_is_checked():
    late, long = ak.array(moments([2**63 - 1])), ak.array(durations([2**62]))
    with pytest.raises(OverflowError):
        late + np.timedelta64(1, "ns")
    for operation in (lambda: long + long, lambda: long * 2, lambda: long * 2.5, lambda: -long - long - long):
        with pytest.raises(OverflowError):
            operation()
    with pytest.raises(ValueError, match="row 0: 9999"):
        ak.array(np.array(["9999-01-01"], "M8[s]")).as_unit("ns")
    zoned = ak.array(pd.date_range("2026", periods=1, tz="UTC"))
    for operation in (lambda: late - zoned, lambda: late < zoned, lambda: ak.concatenate([late, zoned])):
        with pytest.raises(TypeError, match="tz-naive"):
            operation()
    for operation in (
        lambda: late + late, lambda: late + 1, lambda: late * 2, lambda: long - late, lambda: late < 5,
        lambda: late < long, lambda: ~long, lambda: -late, lambda: late.sum(), lambda: ak.concatenate([late, long]),
        lambda: ak.array([1, None]) + late, lambda: ak.groupby(ak.array([1])).sum(late),
    ):  # fmt: skip
        with pytest.raises(TypeError):
            operation()
    assert (late == 5).tolist() == [False]
    assert (late != "no date").tolist() == [True]
    # In units that differ, what does not fit the finer one still compares as it should.
    far = ak.array(np.array(["-20000-01-01", "9999-01-01"], "M8[s]"))
    assert (far < ak.array(moments([0, 0]))).tolist() == [True, False]


@given(ticks, st.data())
def test_order_groups_and_sets(values, data):
    array = moments(values)
    column, series = ak.array(array), pd.Series(array)
    same(column.sort(), np.sort(array))  # NumPy's NaT stands last, too
    there = array[~np.isnat(array)]
    same(ak.unique(column), np.unique(there))
    keys = data.draw(st.lists(st.integers(0, 2), min_size=len(values), max_size=len(values)))
    groups, theirs = ak.groupby(ak.array(np.array(keys, np.int64))), series.groupby(keys)
    for figure in ("min", "max", "first", "last"):
        same(getattr(groups, figure)(column), getattr(theirs, figure)().to_numpy().astype("M8[ns]"))
    assert groups.count(column).tolist() == theirs.count().tolist()
    by = ak.groupby(column)
    same(by.keys, np.unique(there))
    assert by.size().tolist() == series.groupby(series).size().tolist()
    if len(there):
        assert column.min() == there.min() and column.max() == there.max()
        probes = np.concatenate([there[:3], moments([0])])
        assert ak.isin(column, probes).tolist() == np.isin(array, probes).tolist()
        assert ak.searchsorted(ak.unique(column), probes).tolist() == np.searchsorted(np.unique(there), probes).tolist()
        rows = ak.join(column, ak.array(probes), "semi").left.tolist()
        assert rows == np.flatnonzero(np.isin(array, probes)).tolist()
    same(ak.concatenate([column, ak.array(durations([]).view("M8[s]"))]), array)
    same(
        ak.where(column.isna(), np.datetime64(3, "s"), column), np.where(np.isnat(array), np.datetime64(3, "s"), array)
    )
    same(column.fillna(np.datetime64(3, "s")), series.fillna(pd.Timestamp(3, unit="s")).to_numpy())


def test_figures():
    array = moments([5, 1, NAT, 2**52, 8])
    column, groups = ak.array(array), ak.groupby(ak.array([1, 1, 1, 2, 3]))
    same(groups.mean(column), moments([3, 2**52, 8]))
    same(groups.median(column), moments([3, 2**52, 8]))
    same(ak.groupby(ak.array([1, 1])).std(column[:2]), durations([3]))
    long = ak.array(durations([5, 1, NAT, 2**52, 8]))
    same(groups.sum(long), durations([6, 2**52, 8]))
    same(groups.mean(long), durations([3, 2**52, 8]))
    assert long.sum() == np.timedelta64(14 + 2**52, "ns") and long.dropna()[:2].mean() == np.timedelta64(3, "ns")
    assert column[:3].median() == np.datetime64(3, "ns") and column[:3].std() == np.timedelta64(3, "ns")
    assert ak.array(moments([NAT])).min() is None


def test_prints():
    assert (
        repr(ak.array(np.array(["2026-11-24", "NaT"], "M8[ns]")))
        == "datetimes(['2026-11-24', NaT], dtype=datetime64[ns])"
    )
    assert "'2026-11-24 12:00:00'" in repr(ak.array(np.array(["2026-11-24T12", "NaT"], "M8[us]")))
    assert "'2026-11-24 12:00:00.000000001'" in repr(ak.array(moments([1795521600000000001])))
    zoned = ak.array(pd.date_range("2026-03-29 00:59:59.5", periods=2, freq="h", tz="Europe/Berlin"))
    assert "'2026-03-29 00:59:59.500+01:00', '2026-03-29 01:59:59.500+01:00'" in repr(zoned)
    assert repr(ak.array(durations([-5 * 10**8]))) == "timedeltas(['-1 days +23:59:59.500000'], dtype=timedelta64[ns])"
    assert repr(ak.array([datetime.time(1, 2, 3), None])) == "times(['01:02:03', NaT], dtype=time64[us])"


@pytest.mark.parametrize("unit", ["D", "s", "ms", "us", "ns"])
def test_texts_and_missing_moments_as_numpy(unit):
    days = ["2020-02-29", "NaT", "1969-12-31", "2099-07-01"]
    x = np.array(days, f"M8[{unit}]") + (0 if unit == "D" else 12345)
    a = ak.array(x)
    np.testing.assert_array_equal(ak.isnat(a).to_numpy(), np.isnat(x))
    np.testing.assert_array_equal(ak.isnat(a - a).to_numpy(), np.isnat(x - x))
    assert ak.datetime_data(a.dtype) == ak.datetime_data(x.dtype) == np.datetime_data(x.dtype)
    for wanted in (None, "Y", "M", "D", "h", "m", "s", "ms", "us"):
        for zone in ("naive", "UTC"):
            found = ak.datetime_as_string(a, wanted, zone, "unsafe")
            assert found.to_list() == np.datetime_as_string(x, wanted, zone, "unsafe").tolist()
    if unit != "D":
        with pytest.raises(TypeError, match="unsafe"):
            ak.datetime_as_string(a, "D")
    with pytest.raises(TypeError, match="isnat"):
        ak.isnat(ak.arange(3))


@pytest.mark.parametrize("kind", ["M8", "m8"])
@pytest.mark.parametrize("values", [[], [0], [0, 5], [5, 7], ["NaT"], ["NaT", 0], ["NaT", 5]])
def test_any_and_all_count_missing_times_as_true_as_numpy(kind, values):
    x = np.array(values, f"{kind}[s]")
    a = ak.array(x)
    assert (a.any(), a.all()) == (x.any(), x.all())
    assert (ak.any(a), ak.all(a)) == (np.any(x), np.all(x))
