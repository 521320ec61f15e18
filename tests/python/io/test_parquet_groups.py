# SPDX-License-Identifier: Apache-2.0
"""Files whose columns threads and PEs encode, put together: what pyarrow would have written, and others read."""

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import atoll as ak
from atoll.io.parquet import parquet_columns, thrift, write_parquet
from atoll.io.parquet import row_groups as parquetgroups

pytestmark = pytest.mark.usefixtures("every_session")

N = 1000


@pytest.fixture(autouse=True)
def every_column_a_task(monkeypatch):
    """On this PE."""
    monkeypatch.setattr(parquetgroups, "_LEAST", 1)


def columns():
    rng = np.random.default_rng(0)
    return {
        "i": ak.array(rng.integers(0, 1 << 60, N)),
        "f": ak.array([None if i % 7 == 0 else i / 2 for i in range(N)]),
        "t.t": ak.array([None if i % 5 == 0 else f"ä{i}" for i in range(N)]),
        "c": ak.Categorical(["x", None, "y", "z"] * (N // 4)),
        "b": ak.array(np.arange(N) % 3 == 0),
    }


def arrow(named):
    return pa.table(
        {name: one.to_arrow() if hasattr(one, "to_arrow") else pa.array(one.to_numpy()) for name, one in named.items()}
    )


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"write_page_index": True, "bloom_filter_options": {"i": True, "t.t": {"ndv": 1000}}},
        {"use_dictionary": ["c", "t.t"], "compression": {"i": "zstd", "f": "gzip"}, "data_page_version": "2.0"},
        {"use_dictionary": False, "column_encoding": {"i": "DELTA_BINARY_PACKED"}, "write_page_checksum": True},
        {"sorting_columns": [pq.SortingColumn(0)]},  # which pyarrow writes itself
    ],
)
def test_the_same_as_pyarrows(tmp_path, options):
    wanted = columns()
    table = arrow(wanted)
    write_parquet(tmp_path / "a", wanted, row_group_size=300, **{"compression": None, **options})
    pq.write_table(table, tmp_path / "b", row_group_size=300, **{"compression": "none", **options})
    one, other = (pq.ParquetFile(tmp_path / name, page_checksum_verification=True) for name in "ab")
    assert one.schema_arrow.equals(other.schema_arrow)
    assert one.read().equals(other.read())
    assert one.metadata.num_rows == N
    if one.metadata.num_row_groups == other.metadata.num_row_groups:  # not on three PEs
        for group in range(4):
            mine, theirs = (file.metadata.row_group(group).to_dict() for file in (one, other))
            for a, b in zip(mine.pop("columns"), theirs.pop("columns"), strict=True):
                assert a["statistics"] == b["statistics"]
                assert (a["encodings"], a["total_compressed_size"]) == (b["encodings"], b["total_compressed_size"])
            assert mine == theirs
    looked_for = table["i"][N - 1].as_py()
    assert pl.scan_parquet(tmp_path / "a").filter(pl.col("i") == looked_for).collect()["t.t"][0] == f"ä{N - 1}"
    found = duckdb.sql(f"SELECT f FROM read_parquet('{tmp_path / 'a'}') WHERE \"t.t\" = 'ä998'").fetchall()
    assert found == [(499.0,)]
    found = {name: column.tolist() for name, column in parquet_columns(tmp_path / "a").items()}
    assert found == {name: column.tolist() for name, column in wanted.items()}


def test_lists_and_frames_with_labels(tmp_path):
    lists = pa.array([[i] * (i % 3) for i in range(50)])
    write_parquet(tmp_path / "a", {"l": ak.array(lists), "i": ak.arange(50)}, row_group_size=20)
    assert pq.read_table(tmp_path / "a")["l"].combine_chunks().to_pylist() == lists.to_pylist()
    frame = ak.DataFrame({"a": ak.arange(N)}, index=ak.arange(N) * 2)
    frame.to_parquet(tmp_path / "b", row_group_size=100)
    assert ak.read_parquet(tmp_path / "b").index.to_list() == frame.index.to_list()


def test_no_rows_and_what_outgrows_its_room(tmp_path, monkeypatch):
    write_parquet(tmp_path / "a", {"a": ak.zeros(0)})
    pq.write_table(pa.table({"a": pa.array([], pa.float64())}), tmp_path / "b")
    assert pq.read_metadata(tmp_path / "a").num_row_groups == pq.read_metadata(tmp_path / "b").num_row_groups
    monkeypatch.setattr(parquetgroups, "_ROOM", 4096)
    monkeypatch.setattr(parquetgroups, "_rooms", [])
    monkeypatch.setattr(parquetgroups, "_LEAST", 1 << 20)
    wide = {f"column {i}": ak.arange(2) + i for i in range(50)}
    write_parquet(tmp_path / "c", wide)
    assert parquet_columns(tmp_path / "c", ["column 49"])["column 49"].tolist() == [49, 50]


def test_a_dictionary_where_it_is_worth_it():
    differ, few = pa.chunked_array([np.arange(1 << 19)]), pa.chunked_array([np.arange(1 << 19) % 20_000])
    texts = pa.chunked_array([pa.array([str(i) for i in range(20_000)])])
    assert [parquetgroups._all_differ(one) for one in (differ, few, texts, texts.slice(0, 5))] == [1, 0, 1, 0]


def test_footers_that_are_none(tmp_path):
    pq.write_table(pa.table({"a": [1.5, None]}), tmp_path / "a", write_page_index=True)
    data = (tmp_path / "a").read_bytes()
    struct, begin = parquetgroups.footer_of(data)
    assert thrift.parsed(thrift.packed(struct))[0] == struct
    footer = data[begin:-8]
    for end in range(len(footer)):
        with pytest.raises(ValueError, match="Thrift"):
            thrift.parsed(footer[:end])
    for broken in (b"", b"PAR1", data[:-1], data[:-8] + b"\xff\xff\xff\x7fPAR1"):
        with pytest.raises(ValueError, match="Parquet"):
            parquetgroups.footer_of(broken)
    for broken in (b"\x1c" * 50, b"\x19\xfc\xff\xff\xff\x7f"):
        with pytest.raises(ValueError, match="Thrift"):
            thrift.parsed(broken)
