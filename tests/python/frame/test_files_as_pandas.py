# SPDX-License-Identifier: Apache-2.0
"""Files that `atoll.pandas` writes and reads have pandas' labels, dtypes, warnings and refusals."""

import io
import warnings

import numpy as np
import pandas as pd
import pandas.testing as tm
import pytest

import atoll as ak_init
import atoll.pandas as ak

pytestmark = pytest.mark.filterwarnings("ignore::atoll.io.fallback.FallbackWarning")


@pytest.fixture(scope="module", params=[(1, 1), (2, 1)], ids=["1x1", "2x1"], autouse=True)
def session(request):
    ak_init.shutdown()
    with ak_init.init(*request.param) as session:
        yield session


FRAMES = {
    "labels that are numbers": lambda m: m.DataFrame([[1, 2.5], [3, 4.5]], columns=[3, 4]),
    "a name of the labels": lambda m: m.DataFrame({"a": [1, 2]}).rename_axis("n", axis=1),
    "labels of two levels": lambda m: m.DataFrame({("a", "x"): [1], ("a", "y"): [2]}),
    "labels that are datetimes": lambda m: m.DataFrame([[1, 2]], columns=m.date_range("2020-01-01", periods=2)),
    "no columns": lambda m: m.DataFrame(index=m.Index(["p", "q"], name="n")),
    "nullable integers": lambda m: m.DataFrame(
        {"a": m.array([1, None], dtype="Int64"), "b": m.array([1, 2], "UInt32")}
    ),
    "strings": lambda m: m.DataFrame({"a": m.array(["x", None], dtype="string"), "b": ["y", None]}),
    "intervals": lambda m: m.DataFrame({"a": m.interval_range(0, 3)}),
    "periods": lambda m: m.DataFrame({"a": m.period_range("2020-01", periods=3, freq="M")}),
    "categories": lambda m: m.DataFrame({"a": m.Categorical(["x", "y", "x"], ["y", "x"], ordered=True)}),
    "numbers, strings and datetimes": lambda m: m.DataFrame(
        {"a": [1, 2], "b": [0.5, np.nan], "c": ["x", None], "d": m.to_datetime(["2020-01-01", None])}
    ),
    "an index with a name": lambda m: m.DataFrame({"a": [1, 2]}, index=m.Index([5, 6], name="n")),
    "an index of two levels": lambda m: m.DataFrame(
        {"a": [1, 2]}, index=m.MultiIndex.from_tuples([(1, "x"), (2, "y")])
    ),
}


@pytest.mark.parametrize("name", FRAMES)
def test_parquet_restores_labels_and_dtypes(name, tmp_path):
    path = tmp_path / "a.parquet"
    FRAMES[name](ak).to_parquet(path)
    frame = FRAMES[name](pd)
    tm.assert_frame_equal(ak.read_parquet(path).to_pandas(), pd.read_parquet(path))
    frame.to_parquet(path)
    tm.assert_frame_equal(ak.read_parquet(path).to_pandas(), pd.read_parquet(path))
    with open(path, "rb") as stream:
        tm.assert_frame_equal(ak.read_parquet(stream).to_pandas(), pd.read_parquet(path))


def test_parquet_is_partitioned_by_columns_of_any_dtype(tmp_path):
    frame = {"k": [True, False, True], "c": pd.Categorical(["x", "y", "x"]), "t": [[1], None, [2]], "v": [1, 2, 3]}
    ak.DataFrame(frame).to_parquet(tmp_path / "a", partition_cols="k")
    ak.DataFrame(frame).to_parquet(tmp_path / "b", partition_cols=["k", "c"])
    assert {one.name for one in (tmp_path / "a").iterdir()} == {"k=true", "k=false"}
    assert ak.read_parquet(tmp_path / "b").shape == (3, 4)


def test_data_sets_are_written_by_each_pe(tmp_path):
    ak.DataFrame({"a": ak.Series([1, None, 2], dtype="Int64")}).to_parquet(tmp_path / "a", dataset=True)
    assert ak.read_parquet(tmp_path / "a").a.sum() == 3


def test_parquet_takes_a_schema_and_refuses_what_pandas_refuses(tmp_path):
    import pyarrow as pa

    ak.DataFrame({"x": [0, 1]}).to_parquet(tmp_path / "a", schema=pa.schema([("x", pa.bool_())]))
    assert ak.read_parquet(tmp_path / "a").x.to_list() == [False, True]
    with pytest.raises(OSError, match="non-existent directory"):
        ak.DataFrame({"x": [0, 1]}).to_parquet(tmp_path / "none" / "a")
    with pytest.raises(ValueError, match="filesystem must be a pyarrow or fsspec FileSystem"):
        ak.read_parquet(tmp_path / "a", filesystem="none")


@pytest.mark.parametrize("ending", ["zip", "tar", "tar.gz"])
def test_json_is_written_to_archives(ending, tmp_path):
    ak.DataFrame({"a": [1, 2]}).to_json(tmp_path / f"a.json.{ending}")
    assert ak.read_json(tmp_path / f"a.json.{ending}").a.to_list() == [1, 2]


def test_json_of_datetimes_warns_that_their_form_changes():
    for frame in (ak.DataFrame({"d": ak.to_datetime(["2020-01-01"])}), ak.Series([1], ak.to_datetime(["2020-01-01"]))):
        with pytest.warns(pd.errors.Pandas4Warning, match="formatting of datetime"):
            frame.to_json(orient="split")
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.Pandas4Warning)
            frame.to_json(orient="split", date_format="iso")


def test_json_refuses_labels_that_repeat_and_rows_behind_others(tmp_path):
    twice = ak.DataFrame([[1, 2]], columns=["a", "a"])
    with pytest.raises(ValueError, match="columns must be unique"):
        twice.to_json(orient="records")
    with pytest.raises(ValueError, match="mode='a'"):
        ak.DataFrame({"a": [1]}).to_json(tmp_path / "a", orient="index", mode="a")


def test_chunks_of_files_are_put_together_again():
    lines = "a,b\n1,x\n2,y\n3,z\n"
    same = pd.read_csv(io.StringIO(lines))
    tm.assert_frame_equal(ak.concat(ak.read_csv(io.StringIO(lines), chunksize=2)).to_pandas(), same)
    records = same.to_json(orient="records", lines=True)
    reader = ak.read_json(io.StringIO(records), lines=True, chunksize=2)
    tm.assert_frame_equal(ak.concat(reader).to_pandas(), same)
    assert ak.concat(map(ak.Series, ([1], [2])), ignore_index=True).to_list() == [1, 2]
    assert len(ak.read_json(io.StringIO(records), lines=True, chunksize=2).read()) == 3
