# SPDX-License-Identifier: Apache-2.0
"""`atoll.pandas` does by pandas what Atoll lacks, with a warning; what Atoll has it does itself."""

import warnings

import numpy as np
import pandas
import pytest

import atoll as ak
import atoll.pandas as pd
from atoll.io import fallback


@pytest.fixture(autouse=True)
def nothing_named():
    fallback._named.clear()


def test_methods_that_atoll_lacks_are_pandas():
    df = pd.DataFrame({"a": [1, 2]})
    with pytest.warns(pd.FallbackWarning, match="to_latex"):
        text = df.to_latex()
    assert text == pandas.DataFrame({"a": [1, 2]}).to_latex()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        df.to_latex()  # named once
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            _ = df.nothing


def test_files_are_read_by_atoll_where_it_has_the_arguments(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\n2,y\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert isinstance(pd.read_csv(path, usecols=["a"]), ak.DataFrame)
        pd.set_option("display.precision", 6)
        assert isinstance(pd.array([1, None]), pandas.api.extensions.ExtensionArray)
    with pytest.warns(pd.FallbackWarning, match="read_csv"):
        made = pd.read_csv(path, doublequote=False)
    assert isinstance(made, ak.DataFrame) and made.b.to_list() == ["x", "y"]


def test_missing_values_of_anything():
    assert pd.isna(np.array([[1.0, np.nan]])).tolist() == [[False, True]]
    assert pd.notna(pd.NaT) is False and pd.isna(None) is True


def test_modules_of_pandas_take_frames():
    df = pd.DataFrame({"a": [1, 2], "s": ["x", None]})
    assert pd.api.types.is_numeric_dtype(df["a"]) and pd.api.types.is_string_dtype(df["s"].dtype)
    assert not pd.api.types.is_datetime64_any_dtype(df["a"].dtype)
    pd.testing.assert_frame_equal(df, df.copy())
    with pytest.raises(AssertionError, match="are different"):
        pd.testing.assert_series_equal(df["a"], df["a"] + 1)
    hashed = pd.util.hash_pandas_object(df["a"])
    assert (
        isinstance(hashed, ak.Series)
        and hashed.to_list() == pandas.util.hash_pandas_object(df["a"].to_pandas()).tolist()
    )


def test_data_bases_that_pandas_knows():
    import sqlite3

    connection = sqlite3.connect(":memory:")
    with pytest.warns(pd.FallbackWarning, match="to_sql with con="):
        pd.DataFrame({"a": [1, 2], "t": ["x", None]}).to_sql("things", connection, index=False)
    with pytest.warns(pd.FallbackWarning, match="read_sql with con="):
        made = pd.read_sql("SELECT t FROM things WHERE a > 0", connection)
    connection.close()
    assert isinstance(made, ak.DataFrame) and made["t"].isna().to_list() == [False, True]


def test_labels_of_several_levels_over_columns():
    columns = pandas.MultiIndex.from_tuples([("A", "u"), ("A", "v")])
    theirs = pandas.DataFrame([[1, 2]], columns=columns)
    with pytest.warns(pd.FallbackWarning, match="to_csv"):
        assert pd.DataFrame(theirs).to_csv() == theirs.to_csv()


def test_files_whose_lines_have_a_label_more(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\nx,1,2\ny,3,4\n")
    with pytest.warns(pd.FallbackWarning, match="index_col"):
        assert pd.read_csv(path).to_dict() == {"a": {"x": 1, "y": 3}, "b": {"x": 2, "y": 4}}
    path.write_text("a,b\n1,2\n1,2,3\n")
    with pytest.raises(pandas.errors.ParserError, match="Expected 2 fields in line 3, saw 3"):
        pd.read_csv(path)
    path.write_text("")
    with pytest.raises(pandas.errors.EmptyDataError, match="No columns to parse from file"):
        pd.read_csv(path)


def test_kinds_are_guessed_as_pandas_does(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("n,d,m\n1,2026-01-02,\n,2026-01-03,7\n")
    made = pd.read_csv(path, parse_dates=["d"], dtype={"m": "Int64"})
    assert list(map(str, made.dtypes.to_list())) == ["float64", "datetime64[us]", "Int64"]


def test_pictures_that_pandas_draws():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    df = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [3.0, 1.0, 2.0]})
    with pytest.warns(pd.FallbackWarning, match="plot with kind="):
        assert df.a.plot.box().lines
    with pytest.warns(pd.FallbackWarning, match="plot with subplots="):
        assert df.plot(subplots=True).shape == (2,)
    with pytest.raises(ValueError, match="nothing is not a valid plot kind"):
        df.plot(kind="nothing")
