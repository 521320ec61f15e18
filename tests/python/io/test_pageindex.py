# SPDX-License-Identifier: Apache-2.0
"""Page indexes of Parquet's row groups, written by several tools, keep pages from being read."""

import datetime

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import atoll as ak
from atoll.io import parquet

pytestmark = pytest.mark.usefixtures("every_session")

N, GROUP, PAGE = 2000, 1000, 50


def table():
    """Rows in order of their numbers, and columns of all kinds beside them."""
    order = np.arange(N)
    return pa.table(
        {
            "i": order,
            "n": pa.array([None if one % 7 == 0 or 300 <= one < 420 else one for one in order], pa.int32()),
            "f": pa.array(order / 4),
            "t": [f"text {one:05}" for one in order],
            "c": pa.array([f"word {one // 100}" for one in order]).dictionary_encode(),
            "d": pa.array([datetime.date(2000, 1, 1) + datetime.timedelta(int(one)) for one in order]),
            "m": pa.array(order, pa.timestamp("us", "UTC")),
            "u": pa.array(order + (1 << 31), pa.uint32()),
            "r": np.random.default_rng(1).integers(0, 100, N),
            "z": pa.nulls(N, pa.float64()),
        }
    )


@pytest.fixture(scope="module", params=["plain", "words", "zstd", "version 2", "atoll"])
def file(request, tmp_path_factory):
    path = str(tmp_path_factory.mktemp("pages") / "a.parquet")
    options = {"write_page_index": True, "max_rows_per_page": PAGE, "write_batch_size": PAGE, "data_page_size": 1}
    rows = table()
    if request.param == "atoll":
        named = {name: ak.array(rows[name].combine_chunks()) for name in rows.column_names if name not in "cz"}
        named |= {name: ak.arange(N) for name in "cz"}
        parquet.write_parquet(path, named, row_group_size=GROUP, **options)
    else:
        more = {
            "plain": {"use_dictionary": False, "compression": "none"}, "words": {}, "zstd": {"compression": "zstd"},
            "version 2": {"data_page_version": "2.0"},
        }[request.param]  # fmt: skip
        pq.write_table(rows, path, row_group_size=GROUP, **options, **more)
    return path


FILTERS = [
    pc.field("i") == 1234, pc.field("i") < 3, (pc.field("i") > 40) & (pc.field("i") <= 160),
    (pc.field("i") == 7) | (pc.field("t") == "text 01900"), pc.field("t") == "text 00777", pc.field("n") == 555,
    pc.field("d") >= datetime.date(2005, 6, 1), pc.field("m") < pa.scalar(20, pa.timestamp("us", "UTC")),
    pc.field("u") == (1 << 31) + 17, pc.field("f").isin([0.25, 400.0]), (pc.field("i") < 100) & (pc.field("r") == 5),
    pc.field("i") == -1, pc.field("n").is_null() & (pc.field("i") < 500), ~(pc.field("i") >= 60), pc.field("r") == 3,
    pc.field("z").is_valid(), (pc.field("i") == 5) & (pc.field("z").is_null()),
]  # fmt: skip


@pytest.mark.parametrize("where", FILTERS, ids=str)
def test_rows_are_those_of_arrow(file, where):
    if "atoll" in file and "z" in str(where):
        pytest.skip("a column of numbers there")
    expected = ds.dataset(file).to_table(filter=where)
    found = ak.read_parquet(file, filters=where)
    for name in expected.column_names:
        assert plain(found[name].to_arrow()) == plain(expected[name]), name
    assert plain(ak.read_parquet(file, columns=["t"], filters=where)["t"].to_arrow()) == plain(expected["t"])


def plain(column):
    """Values, None where one is missing."""
    return [None if one != one else one for one in column.to_pylist()]


def test_only_pages_that_may_match_are_left(file):
    reader = parquet.parquet_reader(file)
    first, second = reader.parts
    assert reader.rows_left(first, pc.field("i") == 120)[0] == [(100, 150)]
    assert reader.rows_left(first, pc.field("i").isin([120, 160, 700]))[0] == [(100, 200), (700, 750)]
    assert reader.rows_left(second, pc.field("i") == 120)[0] == []
    assert reader.rows_left(first, pc.field("r") == -1)[0] == []
    assert reader.rows_left(first, (pc.field("i") < 60) | (pc.field("r") == 1000))[0] == [(0, 100)]
    assert reader.paged(pc.field("i") == 120) == (50, N)


def test_explain_tells_of_pages(file):
    scan = ak.scan_parquet(file)
    told = scan[scan["i"] == 120][["t"]].explain()
    assert told.startswith("read    1 of 2 parts of 1 file (50 of 1000 rows by page indexes): columns i, t of"), told
    assert scan[scan["i"] == 120][["t"]].collect()["t"].to_list() == ["text 00120"]


def test_other_pages_are_not_read(tmp_path):
    """What lies in pages that cannot match may be broken."""
    path = tmp_path / "a.parquet"
    rows = pa.table({"i": np.arange(1000), "v": np.arange(1000) * 2})
    options = {"max_rows_per_page": 100, "write_batch_size": 100, "use_dictionary": False, "compression": "none"}
    pq.write_table(rows, path, write_page_index=True, **options)
    reader = parquet.parquet_reader(str(path))
    column = reader.rows_left(reader.parts[0], pc.field("i") == 1)[1]["v"]
    data = bytearray(path.read_bytes())
    for at, size in column.places[1:]:
        data[at : at + size] = b"\xff" * size
    path.write_bytes(data)
    assert ak.read_parquet(path, filters=[("i", "==", 42)])["v"].to_list() == [84]
    with pytest.raises(ValueError, match=r"cannot read .*a.parquet, row group 0"):
        ak.read_parquet(path, filters=[("i", "==", 142)])


@pytest.mark.parametrize("change", ["cut", "zeros", "ones"])
def test_indexes_that_are_none_are_passed_over(tmp_path, change):
    path = tmp_path / "a.parquet"
    rows = pa.table({"i": np.arange(1000), "v": np.arange(1000) * 2})
    pq.write_table(rows, path, write_page_index=True, max_rows_per_page=100, write_batch_size=100)
    reader = parquet.parquet_reader(str(path))
    chunk = reader._footer(str(path)).chunk(0, 0)
    data = bytearray(path.read_bytes())
    for at, size in (chunk.offset_index, chunk.column_index):
        data[at : at + size] = {
            "cut": data[at : at + size - 3] + b"\0\0\0",
            "zeros": bytes(size),
            "ones": b"\xff" * size,
        }[change]
    path.write_bytes(data)
    assert ak.read_parquet(path, filters=[("i", "==", 42)])["v"].to_list() == [84]
