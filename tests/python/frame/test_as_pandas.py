# SPDX-License-Identifier: Apache-2.0
"""Calls whose dtypes, refusals and warnings `atoll.pandas` takes from pandas."""

import warnings

import numpy as np
import pandas as pd
import pandas.testing as tm
import pytest

import atoll as ak_init
import atoll.pandas as ak


@pytest.fixture(scope="module", params=[(1, 1), (2, 1)], ids=["1x1", "2x1"], autouse=True)
def session(request):
    ak_init.shutdown()
    with ak_init.init(*request.param) as session:
        yield session


def plain(value):
    return value.to_pandas() if hasattr(value, "to_pandas") else value


def same(got, expected):
    if isinstance(expected, pd.DataFrame):
        tm.assert_frame_equal(plain(got), expected)
    elif isinstance(expected, pd.Series):
        tm.assert_series_equal(plain(got), expected)
    elif isinstance(expected, pd.Index):
        tm.assert_index_equal(plain(got), expected)
        assert getattr(plain(got), "freq", None) == getattr(expected, "freq", None)
    else:
        assert type(got) is type(expected)
        assert got is expected or bool(np.all(got == expected))


def days(m):
    return m.date_range("2026-01-01", periods=4)


def whole(m):
    return m.Series([3, 1, None, 2], dtype="Int64")


ANSWERS = {
    "objects stay objects": lambda m: m.Series(np.array([1, 2], dtype=object)),
    "bools with a missing one": lambda m: m.Series([True, None, False]),
    "NaT alone": lambda m: m.Series([m.NaT, None]),
    "shifted bools": lambda m: m.Series([True, False]).shift(),
    "None among objects": lambda m: m.Series(["a", None, 1]).to_list()[1],
    "class of array": lambda m: type(whole(m).array),
    "class of values": lambda m: type(m.Series(["a"]).values),
    "unique values": lambda m: type(m.Series(["a", "b"]).unique()),
    "NA": lambda m: whole(m)[2],
    "ranks": lambda m: whole(m).rank(),
    "sums of groups": lambda m: whole(m).groupby([1, 1, 2, 2]).sum(),
    "means of groups": lambda m: m.DataFrame({"k": [1, 1, 2, 2], "v": whole(m)}).groupby("k").mean(),
    "named aggregates": lambda m: m.DataFrame({"k": [1, 1, 2, 2], "v": whole(m)}).groupby("k").agg(x=("v", "max")),
    "small integers": lambda m: m.Series([3, 1], dtype="int8").diff(),
    "nothing masked": lambda m: m.Series([1, 2]).mask(m.Series([False, False])),
    "quantile of datetimes": lambda m: type(m.Series(days(m)).quantile()),
    "iterated labels": lambda m: type(next(iter(days(m)))),
    "fills up to a limit": lambda m: m.Series([1.0, 2.0], index=[0, 5]).reindex(range(8), method="ffill", limit=1),
    "labels of two types": lambda m: m.Series(range(4), index=days(m)).reindex([*days(m), "x"]).isna().to_list(),
    "unit of labels": lambda m: days(m).as_unit("s"),
    "moved labels": lambda m: days(m) + m.Timedelta("1D"),
    "every second label": lambda m: days(m).take([0, 2]),
    "class of a range": lambda m: m.Series([1, 2]).index,
    "empty windows": lambda m: m.Series([np.nan, 1.0]).rolling(2, min_periods=0).apply(lambda x: x.sum(), raw=True),
    "given dtype": lambda m: m.Series([1, 2], dtype="datetime64[ns]"),
    "quantiles of a frame": lambda m: m.DataFrame({"a": [1.0, np.nan, 3.0], "b": [np.nan] * 3}).quantile(0.3),
    "medians of a frame": lambda m: m.DataFrame({"a": [1.0, np.nan, 3.0], "b": [4.0, 0.0, 1.0]}).median(),
    "std with a NaN": lambda m: m.DataFrame({"a": [1.0, np.nan, 3.0], "b": [4.0, 0.0, np.inf]}).std(),
    "array beside an index": lambda m: np.asarray(days(m)) == days(m),
    "array of numbers beside an index": lambda m: np.array([1, 5]) < m.Index([1, 6]),
    "sum of an array and an index": lambda m: np.array([1, 5]) + m.Index([1, 6]),
    "NumPy's function of an index": lambda m: np.subtract(m.Index([1, 6]), np.array([1, 5])),
    "min of NaN": lambda m: m.DataFrame({"a": [np.nan, np.nan], "b": [4.0, np.nan]}).min(),
}


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.filterwarnings("ignore::atoll.io.fallback.FallbackWarning", "ignore:invalid value:RuntimeWarning")
def test_answer_and_dtype(name):
    same(ANSWERS[name](ak), ANSWERS[name](pd))


@pytest.mark.filterwarnings("ignore::atoll.io.fallback.FallbackWarning")
def test_numba_gets_the_function_of_the_caller(monkeypatch):
    seen = []

    def apply(self, func, *args, **options):
        seen.append(func)
        return self

    def function(values):
        return values.sum()

    monkeypatch.setattr(pd.DataFrame, "apply", apply)
    ak.DataFrame({"a": [1.0, 2.0]}).apply(function, raw=True, engine="numba")
    assert seen == [function]


def test_operators_have_their_names():
    for name in ("__add__", "__rsub__", "__rtruediv__", "__eq__"):
        assert getattr(ak.Index([1, 2]), name).__name__ == name
        assert getattr(ak.Series([1, 2]), name).__name__ == name


@pytest.mark.parametrize("names", [["a", "b", "c"], "ab", 1])
def test_levels_refuse_names_of_another_number(names):
    for m in (pd, ak):
        with pytest.raises(ValueError, match=r"ength of names|list-like"):
            m.MultiIndex.from_tuples([(1, 2)]).names = names


@pytest.mark.filterwarnings("ignore::atoll.io.fallback.FallbackWarning")
def test_groups_that_pandas_makes_give_our_frames():
    groups = ak.DataFrame({"k": ["x"][:0], "v": [1][:0], "w": [2][:0]}).groupby("k")[["v", "w"]]
    assert type(groups.first()) is ak.DataFrame
    assert type(groups.rolling(2).sum()) is ak.DataFrame


@pytest.mark.filterwarnings("ignore::atoll.io.fallback.FallbackWarning")
def test_indexer_with_an_axis_sets_values_of_objects():
    frame = ak.DataFrame({"a": np.array([1, "x"], dtype=object)})
    frame.iloc(axis=0)[0] = 5
    assert frame.a.to_list() == [5, "x"]


def set_beyond(m):
    series = m.Series(range(5), index=list("abcde"))
    series[3.0:4] = 0


def set_another_kind(m):
    series = m.Series([1, 2])
    series[0] = "x"


def set_label(index):
    index[0] = 3


REFUSALS = {
    "timedelta as a float": lambda m: m.Series([1.5]).iloc.__setitem__(0, np.timedelta64(5, "s")),
    "missing timedelta as a float": lambda m: m.Series([1.5]).iloc.__setitem__(0, np.timedelta64("NaT")),
    "setting labels": lambda m: set_label(m.Index([1, 2])),
    "slice by floats": lambda m: m.Series(range(5))[1.0:3],
    "slice by floats, set": set_beyond,
    "set as a key": lambda m: m.DataFrame({"a": [1]}).loc[{0}],
    "value of another kind": set_another_kind,
    "negative to unsigned": lambda m: m.Series([-1.5]).astype("uint8"),
    "errors=": lambda m: m.Series([1]).astype("int8", errors="maybe"),
    "halflife without times": lambda m: m.Series([1.0]).ewm(halflife="1 day"),
    "window below zero": lambda m: m.Series([1.0]).rolling(-1),
    "no such aggregate": lambda m: m.Series([1.0]).rolling(1).nothing,
    "frequency that labels lack": lambda m: setattr(days(m), "freq", "3h"),
    "unsorted labels": lambda m: m.Series(range(3), index=days(m)[[2, 0, 1]])["2026-01":"2026-02"],
}


@pytest.mark.parametrize("name", REFUSALS)
@pytest.mark.filterwarnings("ignore::atoll.io.fallback.FallbackWarning")
def test_refusal(name):
    with pytest.raises(Exception) as expected:
        REFUSALS[name](pd)
    with pytest.raises(expected.type):
        REFUSALS[name](ak)


SMALL = {
    "labels that are floats": lambda m: repr(m.DataFrame([[1, 2]], columns=[0.25, 0.5])),
    "mean of datetimes with a missing one": lambda m: m.DatetimeIndex(["2026-01-01", None]).mean(skipna=False) is m.NaT,
    "intervals of no datetimes": lambda m: str(m.IntervalIndex.from_breaks(np.array([], "M8[ns]")).dtype),
    "intervals of no pairs": lambda m: str(m.IntervalIndex.from_tuples([]).dtype),
    "mapped labels of small integers": lambda m: str(m.Index([1, 2], dtype="int8").map(lambda one: one + 1).dtype),
    "skewness of one value": lambda m: type(m.Series([1.0]).skew()),
    "kurtosis of a missing value": lambda m: type(m.Series([1.0, None]).kurt(skipna=False)),
}


@pytest.mark.parametrize("name", SMALL)
def test_small_results(name):
    assert SMALL[name](ak) == SMALL[name](pd)


CHANGES = (
    'df["a"][0] = 5', 'df["a"].iloc[0] = 5', 'df["a"].at[0] = 5', 'df["a"].fillna(0, inplace=True)',
    'df["a"].update(m.Series([4, 4]))', 'df[df.a > 0]["b"] = 1', 'x = df["a"]; x[0] = 5; x.iloc[0] = 3',
    'df.loc[0, "a"] = 9; df["c"] = 1', 'df.rename(columns={"a": "b"}, copy=False)',
    'y = df.copy(); y.sort_values("a", inplace=True)',
)  # fmt: skip


@pytest.mark.parametrize("line", CHANGES)
def test_warnings(line):
    def given(m):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            exec(line, {"m": m, "df": m.DataFrame({"a": [1, 2], "b": [3, 4]})})
        return [one.category for one in caught if one.category is not ak.FallbackWarning]

    assert given(ak) == given(pd)
