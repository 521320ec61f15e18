# SPDX-License-Identifier: Apache-2.0
"""Frames of files whose columns are read late: all rows or some, texts of few words as codes; pandas is the oracle."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pandas.testing import assert_frame_equal

import atoll as ak
from atoll.columns.text.dictionary import DictionaryStrings
from atoll.io.file_columns import FileColumn
from atoll.io.parquet.reader import parquet_reader

pytestmark = pytest.mark.usefixtures("every_session")

ROWS = 30_000
WORDS = ["MAIL", "SHIP", "ä", "AIR", "AIR REG", "", "fob", "truck"]


def table(missing=False):
    rng = np.random.default_rng(3)
    gone = rng.random(ROWS) < 0.1 if missing else np.zeros(ROWS, bool)
    money = [Decimal(int(v)).scaleb(-2) for v in rng.integers(-(10**9), 10**9, ROWS)]
    return pa.table(
        {
            "row": np.arange(ROWS),
            "word": pa.array([WORDS[i] for i in rng.integers(0, 8, ROWS)], mask=gone),
            "money": pa.array(money, pa.decimal128(15, 2), mask=gone),
            "wide": pa.array([v * 10**6 for v in money], pa.decimal128(24, 2), mask=gone),
            "small": pa.array(rng.integers(0, 50, ROWS), pa.int32(), mask=gone),
            "day": pa.array(rng.integers(0, 5000, ROWS).astype("int32"), pa.date32(), mask=gone),
            "text": pa.array([f"text {i * 7919 % 10007}" for i in range(ROWS)], mask=gone),
            "flag": pa.array(rng.random(ROWS) < 0.5, mask=gone),
            "float": pa.array(rng.random(ROWS), mask=gone),
            "kind": pa.array([WORDS[i] for i in rng.integers(0, 3, ROWS)]).dictionary_encode(),
        }
    )


@pytest.fixture(scope="module", params=["snappy", "none", "zstd", "pages", "missing"])
def file(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("late") / "a.parquet"
    kept = table(request.param == "missing")
    options = {"pages": {"data_page_size": 2000, "data_page_version": "2.0"}, "none": {"use_dictionary": False}}
    compression = request.param if request.param in ("none", "zstd") else "snappy"
    pq.write_table(kept, path, compression=compression, row_group_size=7001, **options.get(request.param, {}))
    return path, kept


def picks():
    rng = np.random.default_rng(4)
    yield np.zeros(0, np.int64)
    yield np.array([0, ROWS - 1])
    yield np.array([7000, 7001, 7001, 7001, 14002])
    yield np.sort(rng.choice(ROWS, 300, replace=False))
    yield np.sort(rng.choice(ROWS, 2 * ROWS))
    yield np.arange(20_000, 20_050)


def test_some_rows_are_those_of_all(file):
    path, kept = file
    reader = parquet_reader(path)
    for name in kept.column_names:
        for rows in picks():
            column = FileColumn(reader, name).read_rows(ak.asarray(rows))
            if name in ("wide", "kind"):
                assert column is None
                break
            wanted = kept[name].take(rows).combine_chunks()
            if name == "word" and wanted.null_count == 0 and "none" not in str(path.parent):
                assert isinstance(column, ak.Strings)
            got = column.to_arrow() if hasattr(column, "to_arrow") else pa.array(column.to_numpy())
            assert got.cast(wanted.type).to_pylist() == wanted.to_pylist(), (name, rows[:5])
    floats = FileColumn(reader, "money", "float64")
    for rows in picks():
        got, wanted = floats.read_rows(ak.asarray(rows)).tolist(), kept["money"].take(rows).to_pylist()
        assert got == [None if one is None else float(one) for one in wanted]


def test_frames_are_those_of_pandas(file):
    path, kept = file
    df = ak.scan_parquet(path).frame(dtype={"money": "float64"})
    pandas = kept.drop_columns(["wide"]).to_pandas()
    pandas["money"] = pandas["money"].astype(float)
    pandas["day"] = pd.to_datetime(pandas["day"]).astype("datetime64[s]")
    mask = (df["small"] < 20) & df["word"].isin(["MAIL", "ä", "nothing"]) & (df["day"] > np.datetime64("1975-01-01"))
    wanted = pandas[(pandas.small < 20) & pandas.word.isin(["MAIL", "ä", "nothing"]) & (pandas.day > "1975-01-01")]
    some = df[mask]
    assert some["row"].to_list() == wanted.row.to_list()
    assert some["text"].to_list() == wanted.text.to_list()
    grouped = some.groupby("word").agg(money=("money", "sum"), n=("row", "size"), low=("text", "min")).reset_index()
    expected = wanted.groupby("word").agg(money=("money", "sum"), n=("row", "size"), low=("text", "min")).reset_index()
    assert grouped["word"].to_list() == expected.word.to_list() and grouped["low"].to_list() == expected.low.to_list()
    np.testing.assert_allclose(grouped["money"].to_numpy(), expected.money, rtol=1e-9)
    assert grouped["n"].to_list() == expected.n.to_list()
    # Rows that do not ascend: a join whose other side decides their order.
    other = pd.DataFrame({"row": [29_999, 5, 7_000, 5, 12_345]})
    joined = ak.DataFrame(other).merge(df[["row", "text", "small"]], on="row")
    assert joined["text"].to_list() == other.merge(pandas[["row", "text"]], on="row").text.to_list()
    assert df.tail(3)["row"].to_list() == [ROWS - 3, ROWS - 2, ROWS - 1]


@pytest.mark.parametrize("words", [WORDS, ["one"], [f"w{i:03}" for i in range(300)]])
def test_texts_of_few_words_are_texts(tmp_path, words):
    values = [words[i * i % len(words)] for i in range(ROWS)]
    pq.write_table(pa.table({"t": values}), tmp_path / "a.parquet", row_group_size=9000, compression="snappy")
    column = FileColumn(parquet_reader(tmp_path / "a.parquet"), "t").read()
    assert type(column) is DictionaryStrings
    plain, frame = pd.Series(values), ak.DataFrame({"t": column})
    series = frame["t"]
    assert series.dtype == "str" and column.kind == "text" and len(column) == ROWS
    assert column.to_list() == values and column.to_arrow().to_pylist() == values
    first = words[0]
    for mine, theirs in (
        (series == first, plain == first), (series != first, plain != first), (series < "b", plain < "b"),
        (series >= first, plain >= first), (series.isin([first, "w007", "?"]), plain.isin([first, "w007", "?"])),
        (series.str.startswith("A"), plain.str.startswith("A")),
        (series.str.contains("I|0"), plain.str.contains("I|0")),
        (series.str.len(), plain.str.len()), (series.str.upper(), plain.str.upper()), (series + "!", plain + "!"),
        (series.str[:2], plain.str[:2]), (series.isna(), plain.isna()), (series.duplicated(), plain.duplicated()),
    ):  # fmt: skip
        assert mine.to_list() == theirs.to_list()
    assert sorted(series.unique()) == sorted(plain.unique()) and series.nunique() == plain.nunique()
    assert series.min() == plain.min() and series.max() == plain.max()
    assert series.sort_values(kind="stable").to_list() == plain.sort_values(kind="stable").to_list()
    assert series.value_counts().to_dict() == plain.value_counts().to_dict()
    assert series[5:9].to_list() == values[5:9] and series.iloc[-1] == values[-1]
    assert series.iloc[[3, 1]].to_list() == [values[3], values[1]]
    assert series.shift(1).to_list()[1:] == values[:-1]
    more = ak.concat([frame, ak.DataFrame({"t": ["new", None]})], ignore_index=True)
    assert more["t"].to_list()[-3:-1] == [values[-1], "new"] and more.dtypes.to_list() == ["str"]
    twice = ak.concat([frame, frame], ignore_index=True)
    assert twice["t"].to_list() == values * 2
    other = pd.DataFrame({"t": [first, "?"], "v": [1, 2]})
    assert_frame_equal(
        frame.merge(ak.DataFrame(other), on="t").to_pandas(), plain.to_frame("t").merge(other, on="t"),
        check_dtype=False,
    )  # fmt: skip
    left = ak.DataFrame({"k": [1, 2]}).merge(ak.DataFrame({"k": ak.asarray([2]), "t": column[:1]}), on="k", how="left")
    assert left["t"].isna().to_list() == [True, False] and left["t"].to_list()[1] == values[0]
    groups = frame.assign(n=1).groupby("t").n.sum()
    assert groups.to_dict() == plain.to_frame("t").assign(n=1).groupby("t").n.sum().to_dict()
    firsts = (
        ak.DataFrame({"g": ak.arange(ROWS) % 3, "t": column}).groupby("g").t.agg(["min", "max", "first", "nunique"])
    )
    wanted = (
        pd.DataFrame({"g": np.arange(ROWS) % 3, "t": values}).groupby("g").t.agg(["min", "max", "first", "nunique"])
    )
    assert_frame_equal(firsts.to_pandas(), wanted, check_dtype=False)


def test_errors_name_the_row_group(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": np.arange(1000), "t": ["x", "y"] * 500}), path, row_group_size=500)
    df = ak.scan_parquet(path).frame()
    chunk = pq.ParquetFile(path).metadata.row_group(1).column(0)
    data = bytearray(path.read_bytes())
    begin = chunk.dictionary_page_offset or chunk.data_page_offset
    data[begin : begin + 60] = b"\xff" * 60
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"cannot read .*a.parquet, row group 1: page at byte 0 of the column's"):
        df["a"].sum()
    path.unlink()
    with pytest.raises(FileNotFoundError, match=r"a.parquet"):
        df["t"].to_list()
