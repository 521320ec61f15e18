# SPDX-License-Identifier: Apache-2.0
"""Parquet files that other tools wrote."""

import copy
import io
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import atoll as ak
from atoll.io.parquet import parquet_columns

pytestmark = pytest.mark.usefixtures("every_session")


def table(n, seed=0):
    rng = np.random.default_rng(seed)
    columns = {
        name: pa.array(rng.integers(0, 100, n).astype(name))
        for name in ("int8", "int32", "int64", "uint16", "float32", "float64")
    }
    columns["bool"] = pa.array(rng.random(n) < 0.5)
    columns["half"] = pa.array(rng.random(n).astype(np.float16))
    columns["text"] = pa.array([f"ä{i % 7}" * (i % 3) for i in range(n)])
    columns["some"] = pa.array([None if i % 5 == 0 else i for i in range(n)], pa.int64())
    columns["some texts"] = pa.array([None if i % 4 == 0 else f"t.{i}" for i in range(n)], pa.large_string())
    columns["a.b"] = pa.array(["x", "y"] * (n // 2) + ["x"] * (n % 2)).dictionary_encode()
    columns["void"] = pa.nulls(n)
    moments = pa.array(range(n), pa.int64())
    columns["moment"] = moments.cast(pa.timestamp("us"))
    columns["day"] = pa.array(range(n), pa.int32()).cast(pa.date32())
    columns["while"] = pa.array([None if i % 6 == 0 else i for i in range(n)], pa.int64()).cast(pa.duration("ms"))
    return pa.table(columns)


def same(found, wanted):
    assert list(found) == wanted.column_names
    for name, column in found.items():
        if wanted[name].type in (pa.timestamp("us"), pa.date32(), pa.duration("ms")):
            assert column.to_arrow().equals(wanted[name].combine_chunks()), name
        else:
            assert column.tolist() == wanted[name].to_pylist(), name


@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "brotli", "zstd", "lz4"])
def test_all_types_and_compressions(tmp_path, compression):
    wanted = table(101)
    pq.write_table(wanted, tmp_path / "a.parquet", compression=compression, row_group_size=17)
    found = parquet_columns(tmp_path / "a.parquet")
    same(found, wanted)
    assert found["int8"].dtype == np.int8 and found["half"].dtype == np.float32
    assert isinstance(found["text"], ak.Strings) and isinstance(found["some"], ak.Column)


def test_of_other_tools(tmp_path):
    data = {"a": [1, 2, None, 4] * 20, "b": ["x", None, "yy", ""] * 20, "c": [0.5, 1.5, 2.5, None] * 20}
    pl.DataFrame(data).write_parquet(tmp_path / "polars.parquet", row_group_size=9)
    pd.DataFrame(data).convert_dtypes().to_parquet(tmp_path / "pandas.parquet")
    for tool in ("polars", "pandas"):
        found = parquet_columns(tmp_path / f"{tool}.parquet", ["c", "a", "b"])
        assert list(found) == ["c", "a", "b"]
        assert {name: column.tolist() for name, column in found.items()} == data


def test_columns_and_filters(tmp_path):
    wanted = table(200)
    pq.write_table(wanted, tmp_path / "a.parquet", row_group_size=13)
    stream = io.BytesIO((tmp_path / "a.parquet").read_bytes())
    for source in (tmp_path / "a.parquet", stream):
        found = parquet_columns(source, ["text", "a.b"], filters=[("int64", ">", 20), ("some", "<", 150)])
        kept = wanted.filter((pc.field("int64") > 20) & (pc.field("some") < 150))
        same(found, kept.select(["text", "a.b"]))
    either = [[("int64", "<", 5)], [("text", "in", ["ä1"])]]
    same(
        parquet_columns(tmp_path / "a.parquet", ["int8"], filters=either),
        wanted.filter(pq.filters_to_expression(either)).select(["int8"]),
    )
    assert len(parquet_columns(tmp_path / "a.parquet", filters=pc.field("int64") > 1000)["int64"]) == 0
    with pytest.raises(KeyError, match="no column 'zz'; there are 'int8'"):
        parquet_columns(tmp_path / "a.parquet", ["zz"])
    with pytest.raises(TypeError, match="list of names"):
        parquet_columns(tmp_path / "a.parquet", "int8")


def test_directories_patterns_and_keys_in_paths(tmp_path):
    wanted = table(60).select(["int64", "text"])
    for year in (2020, 2021):
        for place in ("ä b", "c"):
            at = tmp_path / "all" / f"year={year}" / f"place={place.replace(' ', '%20')}"
            at.mkdir(parents=True)
            pq.write_table(wanted.slice(year - 2020, 5), at / "part.parquet")
    (tmp_path / "all" / "_SUCCESS").write_text("")
    found = parquet_columns(tmp_path / "all", filters=[("year", "=", 2021), ("place", "=", "c")])
    same(
        found,
        wanted.slice(1, 5).append_column("year", pa.array([2021] * 5)).append_column("place", pa.array(["c"] * 5)),
    )
    found = parquet_columns(tmp_path / "all", ["place", "year"])
    assert found["year"].tolist() == [2020] * 10 + [2021] * 10 and set(found["place"].to_list()) == {"ä b", "c"}
    pattern = parquet_columns(str(tmp_path / "all" / "year=2020" / "*" / "*.parquet"), ["int64"])
    assert len(pattern["int64"]) == 10
    with pytest.raises(FileNotFoundError, match="no file matches"):
        parquet_columns(str(tmp_path / "no*.parquet"))


def test_schemas_that_differ(tmp_path):
    pq.write_table(pa.table({"a": pa.array([1], pa.int32()), "b": ["x"]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"a": pa.array([2], pa.int64()), "c": [1.5]}), tmp_path / "2.parquet")
    found = parquet_columns(tmp_path)
    assert found["a"].tolist() == [1, 2] and found["b"].to_list() == ["x", None] and found["c"].tolist() == [None, 1.5]
    same(parquet_columns(tmp_path, ["a", "c"], filters=[("a", ">", 1)]), pa.table({"a": [2], "c": [1.5]}))
    pq.write_table(pa.table({"a": ["text"]}), tmp_path / "3.parquet")
    with pytest.raises(TypeError, match=r"3.parquet: column 'a' is string, in .*1.parquet it is int64"):
        parquet_columns(tmp_path)
    pq.write_table(pa.table([[1], [2]], ["x", "x"]), tmp_path / "twice.parquet")
    with pytest.raises(ValueError, match="column 'x' twice"):
        parquet_columns(tmp_path / "twice.parquet")


def test_dictionaries_stay_categories(tmp_path):
    words = pa.array(["b", None, "a", "ä"] * 10)
    pq.write_table(
        pa.table({"c": words.dictionary_encode(), "n": words.dictionary_encode()}),
        tmp_path / "1.parquet",
        row_group_size=7,
    )
    others = pa.array(["z", "b", None])
    pq.write_table(pa.table({"c": others.dictionary_encode(), "n": others.dictionary_encode()}), tmp_path / "2.parquet")
    pd.DataFrame({"c": pd.Categorical(["lo", "hi"], ["lo", "mid", "hi"], ordered=True)}).to_parquet(
        tmp_path / "pandas.pq"
    )
    found = parquet_columns([tmp_path / "1.parquet", tmp_path / "2.parquet"])["c"]
    assert isinstance(found, ak.Categorical) and found.to_list() == words.to_pylist() + others.to_pylist()
    assert sorted(found.categories.to_list()) == ["a", "b", "z", "ä"]
    found = parquet_columns(tmp_path / "pandas.pq")["c"]
    assert (
        found.categories.to_list() == ["lo", "mid", "hi"] and found.ordered and (found > "lo").tolist() == [False, True]
    )


def test_without_rows_and_without_columns(tmp_path):
    pq.write_table(table(0), tmp_path / "empty.parquet")
    same(parquet_columns(tmp_path / "empty.parquet"), table(0))
    assert parquet_columns(tmp_path / "empty.parquet", []) == {}


def test_days_moments_and_decimals_are_decoded_as_they_lie(tmp_path):
    from decimal import Decimal

    n = 500
    gaps = [i % 7 == 0 for i in range(n)]
    days = pa.array(np.arange(-250, n - 250, dtype=np.int32), mask=np.array(gaps)).cast(pa.date32())
    table = pa.table(
        {
            "day": days,
            "all": pa.array(range(n), pa.int32()).cast(pa.date32()),
            "us": pa.array(range(n), pa.int64()).cast(pa.timestamp("us")),
            "money": pa.array(
                [None if gap else Decimal(i - 9) / 100 for i, gap in enumerate(gaps)], pa.decimal128(15, 2)
            ),
            "small": pa.array([Decimal(i) / 10 for i in range(n)], pa.decimal128(5, 1)),
            "long": pa.array([Decimal(i) * 10**30 for i in range(n)], pa.decimal128(38, 2)),
            "view": pa.array([None if gap else f"t{i % 9}" for i, gap in enumerate(gaps)]).cast(pa.string_view()),
        }
    )
    for options in ({}, {"use_dictionary": False, "compression": "none"}, {"compression": "zstd"}):
        for integers in (True, False):
            path = tmp_path / "a.parquet"
            pq.write_table(table, path, row_group_size=90, store_decimal_as_integer=integers, **options)
            df = ak.read_parquet(path)
            for name in table.column_names:
                there = [value for value, gap in zip(df[name].to_list(), gaps, strict=True) if not gap]
                known = [value for value, gap in zip(table[name].to_pylist(), gaps, strict=True) if not gap]
                assert [str(value)[:10] for value in there] == [str(value)[:10] for value in known], name
                assert df[name].isna().to_list() == table[name].is_null().to_pylist()
            assert str(df["money"]._values.kind) == "decimal128(15, 2)"
            halves = df["money"].astype(float).to_numpy()
            money = [np.nan if value is None else float(value) for value in table["money"].to_pylist()]
            np.testing.assert_array_equal(halves, money)


def test_texts_of_few_words_are_read_as_codes(tmp_path):
    rows = 30_000
    words = np.array(["b", "", "a\u00e9", "word"])[np.arange(rows) * 7 % 4]
    frame = pd.DataFrame({"few": words, "many": [f"t{i}" for i in range(rows)], "n": np.arange(rows)})
    frame["gaps"] = frame["few"].where(frame["n"] % 5 > 0)
    path = tmp_path / "a.parquet"
    pq.write_table(pa.Table.from_pandas(frame), path, row_group_size=7000)
    found = parquet_columns(path)
    assert [type(found[name]).__name__ for name in ("few", "many")] == ["DictionaryStrings", "Strings"]
    assert list(found) == list(frame)
    read = ak.read_parquet(path)
    pd.testing.assert_frame_equal(read.to_pandas(), pd.read_parquet(path))
    assert read.groupby("few")["n"].sum().to_pandas().to_dict() == frame.groupby("few")["n"].sum().to_dict()
    some = ak.read_parquet(path, columns=["few"], filters=[("n", "<", 3)])
    assert some["few"].to_list() == list(words[:3])
    for one in (read, read[["few"]], read.set_index("few"), read[read["n"] > 29_000]):
        for made in (pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)):
            pd.testing.assert_frame_equal(made.to_pandas(), one.to_pandas())
    few = read["few"]
    for made in (pickle.loads(pickle.dumps(few)), copy.copy(few), copy.deepcopy(few)):
        pd.testing.assert_series_equal(made.to_pandas(), frame["few"])
        assert made.value_counts().to_pandas().to_dict() == frame["few"].value_counts().to_dict()
    for column in (found["few"], found["few"][100:7], found["few"][29_990:]):
        for made in (pickle.loads(pickle.dumps(column)), copy.copy(column), copy.deepcopy(column)):
            assert type(made).__name__ == "DictionaryStrings" and made.to_list() == column.to_list()


def test_columns_are_read_when_they_are_used(tmp_path, monkeypatch):
    from atoll.io.file_columns import FileColumn

    path = tmp_path / "a.parquet"
    frame = pd.DataFrame({"a": range(100), "b": [f"t{i % 7}" for i in range(100)], "c": [i / 3 for i in range(100)]})
    frame.to_parquet(path, row_group_size=30)
    read = []
    plain, some_rows = FileColumn.read, FileColumn.read_rows
    monkeypatch.setattr(FileColumn, "read", lambda self: read.append(self._name) or plain(self))
    monkeypatch.setattr(
        FileColumn, "read_rows", lambda self, rows: read.append((self._name, rows.size)) or some_rows(self, rows)
    )
    df = ak.scan_parquet(path).frame(dtype={"a": "float64"})
    assert df.shape == (100, 3) and list(df.columns) == ["a", "b", "c"] and read == []
    some = df[df["a"] > 90]
    assert read == ["a"] and some["b"].to_list() == frame.b[91:].to_list() and read == ["a", ("b", 9)]
    assert df[["b"]][10:12]["b"].to_list() == ["t3", "t4"] and df["a"].dtype == np.float64
    joined = df.merge(ak.DataFrame({"b": ["t1"]}), on="b")["a"].sum()
    assert joined == frame[frame.b == "t1"].a.sum() and read == ["a", ("b", 9), "b"]
    with pytest.raises(ValueError, match="say how many rows"):
        ak.scan_parquet(path).head(3).frame()


def test_moments_are_the_first_that_a_program_meets(tmp_path):
    import subprocess
    import sys

    path = tmp_path / "a.parquet"
    pd.DataFrame({"d": pd.date_range("2020-01-01", periods=3)}).to_parquet(path)
    program = f"import atoll as ak; print(ak.read_parquet({str(path)!r})['d'].max())"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "2020-01-03" in ran.stdout, ran.stderr
