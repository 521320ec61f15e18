# SPDX-License-Identifier: Apache-2.0
"""`resample` and `asfreq` of columns and labels of all kinds: values, dtypes and frequencies are pandas'."""

import warnings

import numpy as np
import pandas
import pytest

import atoll.pandas as pd

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def both(make):
    """What pandas and Atoll make, Atoll's in pandas' classes."""
    return make(pandas), make(pd).to_pandas()


def same(make):
    theirs, ours = both(make)
    compare = pandas.testing.assert_series_equal if theirs.ndim == 1 else pandas.testing.assert_frame_equal
    compare(ours, theirs)


KINDS = ("int8", "float32", "Int64", "boolean", "int64[pyarrow]", "float64", "bool", "timedelta64[us]")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["first", "median", "max", "count"])
def test_resample_keeps_dtype_as_pandas_does(kind, name):
    def make(m):
        values = m.Series([1, 0, 1, 1], index=m.date_range("2026-01-01", periods=4, freq="12h"))
        return getattr(values.astype(kind).resample("D"), name)()

    same(make)


def test_resample_gives_functions_columns_of_a_frame():
    def make(m):
        frame = m.DataFrame({"a": [1, 2, 3], "b": [4, 5, 6]}, index=m.date_range("2026-01-01", periods=3))
        return frame.resample("2D").apply(np.prod)

    same(make)


@pytest.mark.parametrize("convention", ["start", "end"])
def test_periods_are_resampled_by_convention(convention):
    def make(m):
        values = m.Series([1.0, 2.0], index=m.period_range("2026", periods=2, freq="Y-APR"))
        return values.resample("M", convention=convention).ffill()

    same(make)


def test_resample_refuses_parameters_as_pandas_does():
    values = pd.Series([1.0], index=pd.date_range("2026-01-01", periods=1))
    with pytest.raises(ValueError, match="Unsupported value starttt for `convention`"):
        values.resample("D", convention="starttt")


@pytest.mark.parametrize("freq", ["D", "12h", "B", "W", "MS"])
@pytest.mark.parametrize("options", [{}, {"method": "ffill"}, {"method": "bfill"}, {"fill_value": 5.0}])
def test_asfreq_begins_at_first_label(freq, options):
    def make(m):
        labels = m.date_range("2026-01-01 10:30", periods=40, freq="8h", tz="Europe/Oslo")
        return m.Series(np.arange(40.0), index=labels).asfreq(freq, **options)

    same(make)


def test_labels_of_pandas_keep_their_frequency():
    days = pandas.date_range("2026-01-01", periods=3, freq="B", name="day")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = pd.Series([1, 2, 3], index=days)
        assert made.index.freqstr == pd.Index(days).freqstr == pd.DatetimeIndex(days).freqstr == "B"
        made.index = days
        assert made.index.freqstr == "B"
        frame = pd.DataFrame({"a": [1, 2, 3]}, index=pandas.timedelta_range("0s", periods=3, freq="2h"))
        assert frame.index.freqstr == "2h"


def test_frequency_of_periods_is_an_offset_of_pandas():
    assert pd.period_range("2026-01", periods=2, freq="M").freq == pandas.offsets.MonthEnd()


def test_functions_of_pandas_reach_pandas_unchanged():
    assert pd.Series([pd.array]).map(lambda one: one.__name__).to_list() == ["array"]
