# SPDX-License-Identifier: Apache-2.0
"""Arguments that pandas refuses, warns of, or takes in a way of its own, on `atoll.pandas`: compared with pandas."""

import io
import warnings

import numpy as np
import pandas
import pytest

import atoll.pandas as pd
from atoll.io import fallback

FRAME = {"a": [3.0, 1.0, 2.0], "b": ["x", "y", "z"], "c": [1, 2, 3]}


@pytest.fixture(autouse=True)
def all_fallbacks_named(monkeypatch):
    monkeypatch.setattr(fallback, "_named", type("All", (set,), {"__contains__": lambda self, one: True})())


def check(ask):
    """The results of one function of the package are equal, or the errors are of one class."""
    try:
        wanted = ask(pandas)
    except Exception as error:
        with pytest.raises(type(error)):
            ask(pd)
        return
    made = ask(pd)
    if isinstance(wanted, (pandas.DataFrame, pandas.Series, pandas.Index)):
        compare = getattr(pandas.testing, f"assert_{_kind(wanted)}_equal")
        compare(made.to_pandas(), wanted)
    else:
        assert made == wanted


def _kind(value):
    return "frame" if isinstance(value, pandas.DataFrame) else "series" if isinstance(value, pandas.Series) else "index"


REFUSED = {
    "n and frac": lambda pd: pd.DataFrame(FRAME).sample(n=1, frac=0.5),
    "axis and index": lambda pd: pd.DataFrame(FRAME).drop(index=0, axis=1),
    "ignore_index of a number": lambda pd: pd.DataFrame(FRAME).drop_duplicates(ignore_index=1),
    "items and like": lambda pd: pd.DataFrame(FRAME).filter(["a"], like="b"),
    "include all and exclude": lambda pd: pd.DataFrame(FRAME).describe(include="all", exclude="a"),
    "key of another length": lambda pd: pd.DataFrame(FRAME).sort_values("a", key=lambda one: one[:1]),
    "suffix of one period": lambda pd: pd.DataFrame(FRAME).shift(1, suffix="_s"),
    "unsorted truncate": lambda pd: pd.Series(range(3), index=[1, 3, 2]).truncate(before=1),
    "turned truncate": lambda pd: pd.Series(range(3)).truncate(before=2, after=1),
    "datetimes before None": lambda pd: pd.Series(pd.date_range("2026-01-01", periods=2)) < None,
    "datetimes after NaN": lambda pd: pd.DataFrame({"a": pd.date_range("2026-01-01", periods=2)}) > np.nan,
    "missing timedelta less datetimes": lambda pd: np.timedelta64("NaT") - pd.Series(pd.date_range("2026", periods=2)),
    "unit of days": lambda pd: pd.DataFrame([["2015-01-01"]], dtype=object).astype("M8[D]"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_arguments_raise_error_of_pandas(name):
    check(REFUSED[name])


def _clock(pd):
    return pd.Series(range(6), index=pd.date_range("2026-01-01", periods=6, freq="4h"))


def _levels(pd):
    index = pd.MultiIndex.from_arrays([[1.0, 2.0, np.nan], [1, 2, 3]], names=["i", "j"])
    return pd.DataFrame({"v": [1, 2, 3]}, index=index)


TAKEN = {
    "interpolate across": lambda pd: pd.DataFrame({"a": [1.0], "b": [np.nan], "c": [3.0]}).interpolate(axis=1),
    "truncate of descending labels": lambda pd: pd.Series(range(4), index=[3, 2, 1, 0]).truncate(1, 2),
    "truncate of descending labels from one": lambda pd: pd.Series(range(4), index=[3, 2, 1, 0]).truncate(1),
    "clock without colons": lambda pd: _clock(pd).between_time("0400am", "080000"),
    "value_counts of one label": lambda pd: pd.DataFrame(FRAME).value_counts("b", sort=False),
    "value_counts of a list": lambda pd: pd.DataFrame(FRAME).value_counts(["b"], sort=False),
    "no columns": lambda pd: pd.DataFrame(FRAME)[[]],
    "no columns of keys": lambda pd: pd.merge(
        pd.DataFrame({"k": [1]}).set_index("k"), pd.DataFrame({"k": [1]}).set_index("k"), left_index=True,
        right_index=True,
    ),
    "columns of objects": lambda pd: pd.DataFrame({"a": [1], 1: [2]})[["a"]],
    "shift by another step": lambda pd: _clock(pd).shift(1, "8h"),
    "step of taken rows": lambda pd: _clock(pd)[_clock(pd) > 2].index,
    "step of every second row": lambda pd: _clock(pd).iloc[[0, 2, 4]].index,
    "no step of uneven rows": lambda pd: _clock(pd).iloc[[0, 1, 4]].index,
    "none as the new value": lambda pd: pd.DataFrame({"a": [1, 2.0]}).replace(2.0, None),
    "objects with none": lambda pd: pd.DataFrame({"a": [1, None]}, dtype=object),
    "timedeltas of NumPy": lambda pd: pd.Series([np.timedelta64(3, "s"), pd.NaT]),
    "timedeltas of days": lambda pd: pd.Series([np.timedelta64(3, "D")]),
    "dates of NumPy": lambda pd: pd.Series([np.datetime64("2026-01-01"), None]),
    "zone as objects": lambda pd: pd.DataFrame({"a": pd.date_range("2026-01-01", periods=2, tz="CET")}).astype(object),
    "drop of a missing label": lambda pd: _levels(pd).drop([1.0, np.nan], level="i"),
    "isetitem of a frame": lambda pd: _set_columns(pd),
    "constant columns": lambda pd: pd.DataFrame(2000 * [[0.4, 0.1]], columns=["a", "b"]).corr(),
    "combine_first keeps order": lambda pd: pd.DataFrame({"b": [1], "a": [np.nan]}).combine_first(
        pd.DataFrame({"a": [5.0]})
    ),
    "update keeps whole numbers": lambda pd: _updated(pd),
    "tight": lambda pd: pd.DataFrame.from_dict(
        pd.DataFrame({"a": [1]}, index=pd.Index(["x"], name="i")).to_dict("tight"), orient="tight"
    ),
    "header without the index": lambda pd: pd.DataFrame(FRAME).to_csv(index_label=False, lineterminator="\n"),
    "reindex of both axes": lambda pd: pd.DataFrame({"a": [1, 2]}).reindex(index=[1, 0], columns=["a", "n"]),
    "reindex by categories": lambda pd: pd.DataFrame({"a": [1]}).reindex(columns=pd.CategoricalIndex(["a"])),
    "shares by number": lambda pd: pd.crosstab(pd.Series([1, 2, 2]), pd.Series([3, 3, 4]), normalize=1),
    "crosstab of labels of several lengths": lambda pd: pd.crosstab(
        pd.Series([0, 1], index=["a", "b"]), pd.Series([3, 4, 3], index=["a", "b", "c"])
    ),
    "pivot with a missing label": lambda pd: pd.DataFrame(
        {"k": ["b", None, "a"], "c": [1, 2, 3], "v": [1, 2, 3]}
    ).pivot(index="k", columns="c", values="v"),
    "pivot_table without values": lambda pd: pd.DataFrame({"a": [1, 1]}).pivot_table(index=["a"], aggfunc="sum"),
    "concat of labels of one dtype": lambda pd: pd.concat(
        [pd.DataFrame([[0]], columns=pd.Index([1], dtype=object))] * 2
    ),
    "categories of intervals": lambda pd: pd.Series(
        pd.Categorical.from_codes([0], pd.IntervalIndex.from_breaks(pd.timedelta_range("0 days", periods=2)))
    ),
    "expression in select": lambda pd: pd.DataFrame(FRAME).select("a", (pd.col("c") * 2).rename("d")),
}  # fmt: skip


def _set_columns(pd):
    made = pd.DataFrame([[1, 2, 3]])
    made.isetitem([0, 1], pd.DataFrame([[11, 12]], dtype="Int64"))
    return made


def _updated(pd):
    made = pd.DataFrame({"a": [1, 2]})
    made.update(pd.DataFrame({"a": [7]}))
    return made


@pytest.mark.parametrize("name", TAKEN)
def test_taken_arguments_give_result_of_pandas(name):
    check(TAKEN[name])


@pytest.mark.filterwarnings("ignore:A future version of pandas will return a BaseOffset")
def test_shift_by_inferred_frequency_needs_even_labels():
    days = ["2026-01-01", "2026-01-02", "2026-01-05"]
    check(lambda pd: pd.Series(range(3), index=pd.DatetimeIndex(days)).shift(freq="infer"))


def test_round_of_datetimes_warns():
    frame = pd.DataFrame({"a": pd.date_range("2026-01-01", periods=2), "b": [1.26, 2.0]})
    with pytest.warns(UserWarning, match="no effect with datetime"):
        assert frame.round(1).b.to_list() == [1.3, 2.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert frame.round({"b": 1}).b.to_list() == [1.3, 2.0]


def test_archives_are_written_by_pandas(tmp_path):
    path = tmp_path / "t.zip"
    pd.DataFrame(FRAME).to_csv(path, index=False)
    assert pandas.read_csv(path).equals(pandas.read_csv(io.StringIO(pandas.DataFrame(FRAME).to_csv(index=False))))


@pytest.mark.parametrize(
    "ask",
    [
        lambda df: df.value_counts(),
        lambda df: df.value_counts("a"),
        lambda df: df.value_counts(["c", "a"]),
        lambda df: df.value_counts("c"),
        lambda df: df.nsmallest(2, ["a", "c"]),
        lambda df: df.nlargest(2, ["c", "a"]),
        lambda df: df.nlargest(2, ["a"]),
        lambda df: df.nsmallest(2, "a"),
        lambda df: df.sort_values("a"),
        lambda df: df.groupby("a").size(),
    ],
)
def test_a_name_of_a_column_and_of_a_level_is_ambiguous(ask):
    check(lambda m: ask(m.DataFrame(FRAME).set_index("a", drop=False)))
