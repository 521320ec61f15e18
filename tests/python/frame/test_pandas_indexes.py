# SPDX-License-Identifier: Apache-2.0
"""Indexes of `atoll.pandas` answer as pandas' do, by pandas where their kind or the arguments ask for it."""

import copy
import warnings

import numpy as np
import pandas
import pytest

import atoll.pandas as pd
from atoll.io import fallback


@pytest.fixture(autouse=True)
def nothing_named():
    fallback.forget()


def same(made, expected):
    """Whether an index of ours is one of pandas', of the same class."""
    assert type(made).__name__ == type(expected).__name__
    pandas.testing.assert_index_equal(made.to_pandas(), expected)


RANGES = [(0, 20, 3), (5, -5, -2), (2, 3, 1), (-8, 20, 7), (0, 0, 1)]


@pytest.mark.parametrize("name", ["difference", "intersection", "union", "symmetric_difference", "append"])
def test_ranges_combine_as_in_pandas(name):
    for one in RANGES:
        for other in RANGES:
            made = getattr(pd.RangeIndex(*one), name)(pd.RangeIndex(*other))
            same(made, getattr(pandas.RangeIndex(*one), name)(pandas.RangeIndex(*other)))


def test_datetimes_in_a_zone_of_dateutil():
    made = pd.date_range("2026-01-01", periods=3, tz="dateutil/US/Pacific")
    theirs = pandas.date_range("2026-01-01", periods=3, tz="dateutil/US/Pacific")
    same(made, theirs)
    same(made.as_unit("ns"), theirs.as_unit("ns"))
    assert made.tz == theirs.tz and made.resolution == "day"


def test_frequencies_are_those_of_pandas():
    made = pd.date_range("2026-01-01", periods=3, freq="SME")
    assert made.freq == pandas.offsets.SemiMonthEnd() and made.freqstr == "SME-15"
    daily = pd.date_range("2026-01-01", periods=3)
    assert daily.freq.n == 1 and daily[::2].freqstr == "2D"
    daily.freq = None
    assert daily.freq is None
    with pytest.raises(ValueError, match="does not conform to passed frequency"):
        daily.freq = "h"


def test_operators_and_ufuncs_give_indexes():
    numbers, theirs = pd.Index([1, 2, 3]), pandas.Index([1, 2, 3])
    same(-numbers, -theirs)
    same(~pd.RangeIndex(3), ~pandas.RangeIndex(3))
    same(np.sqrt(numbers), np.sqrt(theirs))
    same(2 // numbers, 2 // theirs)
    for one, other in zip(divmod(numbers, 2), divmod(theirs, 2), strict=True):
        same(one, other)


def test_attributes_that_only_pandas_has():
    periods = pd.period_range("2026-01-01", periods=2, freq="D")
    assert periods.asi8.tolist() == pandas.period_range("2026-01-01", periods=2, freq="D").asi8.tolist()
    with pytest.raises(AttributeError, match="'Index' object has no attribute 'nothing'"):
        _ = pd.Index([1]).nothing


def test_names_that_cannot_be_are_refused():
    index = pd.PeriodIndex(["2026-01", "2026-02"], freq="M")
    with pytest.raises(ValueError, match="Length of new names must be 1, got 2"):
        index.set_names(["a", "b"])
    assert index.set_names(["a"], inplace=True) is None and index.name == "a"


def test_a_warning_is_given_for_many_labels_alone():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(pd.Index(range(1, 4)).where([True, False, True], 9), pandas.Index([1, 9, 3]))
    with pytest.warns(pd.FallbackWarning, match=r"Index\.where"):
        pd.Index(np.arange(10_001)).where(np.arange(10_001) > 3, 0)


def test_warnings_of_pandas_name_the_line_that_called():
    with pytest.warns(match="'yearfirst' keyword in DatetimeIndex is deprecated") as caught:
        pd.DatetimeIndex(["2026-01-02"], yearfirst=True)
    assert {one.filename for one in caught} == {__file__}


def test_negative_codes_are_missing_labels():
    given = {"levels": [[1.0, 2.0], ["a", "b"]], "codes": [[0, -1, 1], [-1, 1, 0]], "names": ["x", "y"]}
    same(pd.MultiIndex(**given), pandas.MultiIndex.from_arrays([[1.0, None, 2.0], [None, "b", "a"]], names=["x", "y"]))


def test_dates_are_objects_of_python():
    days = pd.date_range("2026-01-01", periods=2)
    assert days.date.tolist() == pandas.date_range("2026-01-01", periods=2).date.tolist()


def test_dtypes_of_objects_and_categories():
    months = pd.period_range("2026-01", periods=2, freq="M")
    assert pd.Index(months, dtype=object).dtype == object
    same(pd.Index([1, 2]).astype("category"), pandas.Index([1, 2]).astype("category"))


SHARED = {
    "arithmetic": lambda frame: frame + 1,
    "a column": lambda frame: frame["a"],
    "several columns": lambda frame: frame[["a", "b"]],
    "a copy": lambda frame: frame.copy(),
    "a slice": lambda frame: frame.iloc[:],
    "an assignment": lambda frame: frame.assign(c=1),
    "a missing value's test": lambda frame: frame.isna(),
    "a ufunc": np.sqrt,
}


@pytest.mark.parametrize("make", SHARED)
@pytest.mark.parametrize("index", ["default", "labels", "dates", "levels"])
def test_renaming_an_index_renames_that_of_one_frame(make, index):
    labels = {
        "default": None,
        "labels": list("xyz"),
        "dates": pandas.date_range("2026-01-01", periods=3),
        "levels": pandas.MultiIndex.from_product([["p"], [1, 2, 3]]),
    }[index]
    frame = pd.DataFrame({"a": [0, 1, 2], "b": [1.0, 2.0, 3.0]}, index=labels)
    made = SHARED[make](frame)
    before, mine, theirs = list(frame.index.names), ["made", "made"][: frame.index.nlevels], ["first", "second"]
    theirs = theirs[: frame.index.nlevels]
    made.index.names = mine
    assert (list(frame.index.names), list(made.index.names)) == (before, mine)
    frame.index.names = theirs
    again = SHARED[make](frame)
    assert (list(frame.index.names), list(made.index.names), list(again.index.names)) == (theirs, mine, theirs)
    assert frame.index is frame.index
    if hasattr(made, "columns"):
        made.columns.name = "labels"
        assert (frame.columns.name, made.columns.name) == (None, "labels")
        frame.columns.name = "other"
        assert (frame.columns.name, made.columns.name) == ("other", "labels")


def given_and_held(m):
    """For each way to give rows an index, whether they have that very object."""
    index, levels = m.Index([1, 2]), m.MultiIndex.from_tuples([(1, 2), (3, 4)])
    frame = m.DataFrame({"a": [1, 2]})
    frame.index = index
    return [
        m.Series([1, 2], index=index).index is index,
        m.DataFrame({"a": [1, 2]}, index=levels).index is levels,
        frame.index is index,
        m.Series([5, 6], index=frame.index).index is frame.index,
        index.to_frame().index is index,
        levels.to_frame().index is levels,
        index.to_frame(index=False).index is index,
        index.to_series().index is index,
        index.to_series(index=index).index is index,
        frame.copy().index is frame.index,
        copy.copy(index) is index,
        copy.deepcopy(levels) is levels,
    ]


def test_rows_have_the_very_index_that_is_given():
    assert given_and_held(pd) == given_and_held(pandas)


def test_a_name_of_an_index_that_is_given_is_that_of_the_rows():
    index = pd.Index([1, 2])
    one, other = pd.Series([1, 2], index=index), pd.DataFrame({"a": [1, 2]}, index=index)
    one.index.name = "key"
    assert (index.name, other.index.name) == ("key", "key")
    assert (one + 1).rename_axis("k").index.name == "k" and index.name == "key"


NEVER = {
    "no labels": lambda m: m.DatetimeIndex(),
    "a name that is a list": lambda m: m.CategoricalIndex(["a"], name=[]),
    "a name that is a list, of an index": lambda m: m.Index(m.Index([1]), name=[]),
    "three names": lambda m: setattr(m.Index([1]), "names", ["a", "b", "c"]),
    "two axes": lambda m: m.Index([1, 2])[:, None],
    "a bool as a place": lambda m: m.Index([1, 2])[True],
    "the truth of levels": lambda m: bool(m.MultiIndex.from_tuples([(1, 2)])),
    "a level set in place": lambda m: m.MultiIndex.from_tuples([(1, 2)]).__setitem__(0, (3, 4)),
}


@pytest.mark.parametrize("case", NEVER)
def test_what_indexes_never_do_raises_as_in_pandas(case):
    with pytest.raises((TypeError, ValueError, IndexError)) as theirs:
        NEVER[case](pandas)
    with pytest.raises(theirs.type) as ours:
        NEVER[case](pd)
    assert str(ours.value) == str(theirs.value)


def test_the_option_for_sequences_decides_how_many_labels_are_shown():
    for most in (None, 5, 20):
        with pandas.option_context("display.max_seq_items", most):
            for size in (5, 6, 150):
                assert repr(pd.Index(np.arange(size))) == repr(pandas.Index(np.arange(size)))


def test_levels_have_a_name_that_nothing_uses():
    levels = pd.MultiIndex.from_tuples([(1, 2)], names=["a", "b"])
    assert levels.name is None
    levels.name = "all"
    assert levels.name == "all" and list(levels.names) == ["a", "b"]


def test_a_call_of_setitem_by_its_name_is_no_chained_assignment():
    frame = pd.DataFrame({"a": [1, 2], "b": 1})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame["a"].__setitem__(0, 100)
        frame[["a"]].__setitem__("a", 100)
    with pytest.warns(pandas.errors.ChainedAssignmentError):
        frame["a"][0] = 100
    with pytest.warns(pandas.errors.ChainedAssignmentError):
        frame["a"].iloc[0] = 100


@pytest.mark.parametrize("dtype", ["str", "string", "uint8", "float32", "Float32", "period[D]", "Sparse[int64]"])
def test_frames_of_indexes_of_any_dtype_have_that_index(dtype):
    index = pd.Index(["2026-01-01", "2026-01-02"] if dtype in ("str", "string", "period[D]") else [1, 2], dtype=dtype)
    assert index.to_frame(name="x").index is index and index.to_series(index=index).index is index
    assert index.to_frame(index=False).index is not index
