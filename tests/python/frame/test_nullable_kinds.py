# SPDX-License-Identifier: Apache-2.0
"""Nullable columns, ordered categories, lists and accessors in `atoll.pandas`: values and dtypes are pandas'."""

import collections

import numpy as np
import pandas
import pytest

import atoll.pandas as pd

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def made(value):
    return value.to_pandas() if hasattr(value, "to_pandas") else value


def same(make):
    theirs, ours = make(pandas), made(make(pd))
    if isinstance(theirs, pandas.DataFrame):
        pandas.testing.assert_frame_equal(ours, theirs)
    elif isinstance(theirs, pandas.Series):
        pandas.testing.assert_series_equal(ours, theirs)
    else:
        assert type(ours) is type(theirs) and (ours == theirs if theirs is not pandas.NA else ours is pandas.NA)


@pytest.mark.parametrize("kind", ["Int8", "UInt8", "Int64", "boolean"])
@pytest.mark.parametrize("name", ["sum", "min", "mean", "prod"])
@pytest.mark.parametrize("skipna", [True, False])
def test_reduction_of_nullable_values_has_pandas_dtype(kind, name, skipna):
    same(lambda m: getattr(m.Series([1, 0, None], dtype=kind), name)(skipna=skipna))
    same(lambda m: getattr(m.DataFrame({"a": m.Series([1, 0, None], dtype=kind)}), name)(skipna=skipna))


@pytest.mark.parametrize("kind", ["Int8", "UInt8", "Int64"])
@pytest.mark.parametrize("name", ["__add__", "__truediv__", "__rsub__", "__mod__"])
@pytest.mark.parametrize("other", [2, 2.5])
def test_arithmetic_of_nullable_values_has_pandas_dtype(kind, name, other):
    same(lambda m: getattr(m.Series([1, 0, None], dtype=kind), name)(other))
    same(lambda m: getattr(m.DataFrame({"a": m.Series([1, 0, None], dtype=kind)}), name)(other))


def test_categories_become_ordered():
    ordered = pandas.CategoricalDtype(ordered=True)
    same(lambda m: m.Series(["b", "a"]).astype(ordered))
    same(lambda m: m.Series(["b", "a"], dtype="category").astype(ordered))
    objects = pandas.CategoricalDtype(pandas.Index(["a", "b"], dtype=object))
    same(lambda m: m.Series(["b", "a"]).astype(objects))


def test_lists_are_objects_in_pandas():
    same(lambda m: m.Series(["a,b", None]).str.split(","))
    same(lambda m: m.DataFrame({"a": [[1, 2], [3]]}))


def test_accessor_counts_as_that_of_pandas():
    texts, days = pd.Series(["a"]), pd.Series(pd.date_range("2026-01-01", periods=1))
    assert isinstance(texts.str, pandas.Series.str) and isinstance(days.dt, pandas.Series.dt)
    with pytest.raises(AttributeError, match="accessor with string values"):
        _ = pd.Series([True, False], dtype=object).str


@pytest.mark.parametrize("pattern", [r"\s", r"\S", r"[^\s]", r"[\S]", r"[\S\d]", r"\S\s\S"])
def test_white_space_of_patterns_is_that_of_python(pattern):
    same(lambda m: m.Series(["a b", "a\x1cb", "\x0b", "é\u3000", "\u2028\x85"]).str.count(pattern))
    same(lambda m: m.Series(["a b", "a\x1cb", "\x0b", "é\u3000", "\u2028\x85"]).str.contains(pattern))


def test_arrays_of_pandas_stay_in_pandas():
    values = pandas.array([1, None, 1], dtype="Int64")
    assert isinstance(pd.isna(values), np.ndarray) and pd.isna(values).tolist() == [False, True, False]
    assert isinstance(pd.factorize(values)[1], pandas.api.extensions.ExtensionArray)


def test_concat_takes_any_mapping():
    frames = collections.UserDict({"x": pd.DataFrame({"a": [1]}), "y": pd.DataFrame({"a": [2]})})
    assert pd.concat(frames).index.to_list() == [("x", 0), ("y", 0)]


def test_merge_refuses_what_pandas_refuses():
    left, right = pd.DataFrame({"k": [1], "a": [1], "a_x": [2]}), pd.DataFrame({"k": [1], "a": [3]})
    with pytest.raises(pandas.errors.MergeError, match="duplicate columns"):
        left.merge(right, on="k")
    with pytest.raises(ValueError, match="indicator option can only accept boolean or string"):
        left.merge(right, on="k", suffixes=("_l", "_r"), indicator=5)
    with pytest.raises(ValueError, match="margins_name argument must be a string"):
        left.pivot_table("a", "k", margins=True, margins_name=6)


def test_merge_asof_of_an_index_keeps_times_of_left_rows():
    def make(m):
        left = m.DataFrame({"v": [1, 2]}, index=m.to_datetime(["2026-01-01 00:05", "2026-01-01 00:15"]))
        right = m.DataFrame({"t": m.to_datetime(["2026-01-01 00:00", "2026-01-01 00:10"]), "w": [5, 6]})
        return m.merge_asof(left, right, left_index=True, right_on="t")

    same(make)
