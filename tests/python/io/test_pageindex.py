# SPDX-License-Identifier: Apache-2.0
"""Page indexes of Parquet's row groups, written by several tools, keep pages from being read."""

import datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import atoll as ak
from atoll.io.parquet import reader as parquet
from atoll.io.parquet import thrift
from atoll.io.parquet.page_index import column_of
from atoll.io.parquet.row_groups import footer_of

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


def agrees(path, where, columns=None):
    """Whether what is read with an expression is what Arrow finds in all rows."""
    expected = pq.ParquetFile(path).read(columns).filter(where)
    found = ak.read_parquet(path, columns=columns, filters=where)
    return all(plain(found[name].to_arrow()) == plain(expected[name]) for name in expected.column_names) and len(
        found
    ) == len(expected)


def write(path, columns, page, **options):
    rows = pa.table(columns)
    pq.write_table(rows, path, write_page_index=True, max_rows_per_page=page, write_batch_size=page, **options)
    return rows


def pages_of(path, name):
    reader = parquet.parquet_reader(str(path))
    footer = reader._footer(str(path))
    leaf, _ = footer.leaves[name]
    chunk, element = footer.chunk(0, leaf), footer.elements[name]
    with open(path, "rb") as source:
        return column_of(source, name, chunk, element, footer.groups[0][1])


def with_index(path, name, alter):
    """Puts another column index in the place of a column's, behind the old footer."""
    at, size = pages_of(path, name).chunk.column_index
    data = path.read_bytes()
    index, _ = thrift.parsed(data[at : at + size])
    alter(index)
    made = thrift.packed(index)
    footer, begin = footer_of(data)
    for group in footer[4][1][1]:
        for chunk in group[1][1][1]:
            if chunk[6][1] == at:
                chunk[6], chunk[7] = (thrift.I64, begin), (thrift.I32, len(made))
    tail = thrift.packed(footer)
    path.write_bytes(data[:begin] + made + tail + len(tail).to_bytes(4, "little") + b"PAR1")


def pages_that_differ(path):
    """A column whose pages have 40 rows, 20 of them missing, beside one whose pages have 20."""
    a = [None if row % 40 < 20 else row for row in range(400)]
    t = [f"{row:09}" for row in range(400)]
    options = {"write_page_index": True, "write_batch_size": 20, "use_dictionary": False, "compression": "none"}
    pq.write_table(pa.table({"a": pa.array(a, pa.int64()), "t": t}), path, data_page_size=155, **options)
    starts = [pages_of(path, name).starts for name in "at"]
    assert starts == [list(range(0, 400, 40)), list(range(0, 400, 20))], starts


def test_pages_of_two_columns_end_at_other_rows(tmp_path):
    path = tmp_path / "a.parquet"
    pages_that_differ(path)
    for row in (20, 25, 39, 45, 65):
        where = (pc.field("a") == row) & (pc.field("t") > "0")
        assert agrees(path, where), row
        assert len(ak.read_parquet(path, filters=where)) == (row % 40 >= 20)
    assert agrees(path, pc.field("a").is_null() & (pc.field("t") < "000000050"))
    assert agrees(path, pc.field("a").is_valid() & (pc.field("t") < "000000050"))
    assert len(ak.read_parquet(path, filters=pc.field("a") == 25)) == 1


def test_an_index_need_not_count_what_is_missing(tmp_path):
    path = tmp_path / "a.parquet"
    pages_that_differ(path)
    with_index(path, "a", lambda index: index.pop(5))
    for where in (pc.field("a") == 25, pc.field("a").is_null() & (pc.field("t") < "000000010"), pc.field("a") < 60):
        assert agrees(path, where & (pc.field("t") > "")), where
    write(path, {"a": np.arange(10), "t": ["x"] * 10}, 1)  # pages of one row
    with_index(path, "a", lambda index: index.pop(5))
    assert agrees(path, pc.field("a") == 7)
    assert parquet.parquet_reader(str(path)).paged(pc.field("a") == 7) == (1, 10)


def test_names_within_structs_are_not_those_of_columns(tmp_path):
    path = tmp_path / "a.parquet"
    inner = [{"value": row / 2, "deep": {"k": row, "value": "x"}} for row in range(200)]
    kind = pa.struct({"value": pa.float32(), "deep": pa.struct({"k": pa.int32(), "value": pa.string()})})
    columns = {
        "value": np.arange(200), "m": pa.array(inner, kind), "k": [f"{row:03}" for row in range(200)],
        "list": [[row] for row in range(200)], "element": np.arange(200) / 4, "element2": [{"element": 1}] * 200,
    }  # fmt: skip
    write(path, columns, 20)
    names = ["value", "k", "element"]
    for where in (pc.field("value") == 42, pc.field("k") == "121", pc.field("element") < 3):
        assert agrees(path, where, names)
        assert parquet.parquet_reader(str(path)).paged(where) == (20, 200)
    footer = parquet.parquet_reader(str(path))._footer(str(path))
    assert list(footer.elements) == list(columns)


def test_a_column_of_another_type_than_its_schema_says_has_no_pages(tmp_path):
    path = tmp_path / "a.parquet"
    write(path, {"a": np.arange(100)}, 10)
    column = pages_of(path, "a")
    with open(path, "rb") as source:
        element = {**column.element, 1: (thrift.I32, 4)}
        assert column_of(source, "a", column.chunk, element, 100) is None


@pytest.mark.parametrize("value", [b"", b"abc", b"a" * 9], ids=len)
@pytest.mark.parametrize("field", [2, 3])
@pytest.mark.parametrize("name", ["b", "i", "l", "f", "d", "x", "t"])
def test_values_of_another_width_are_passed_over(tmp_path, name, field, value):
    path = tmp_path / "a.parquet"
    order = np.arange(100)
    columns = {
        "b": order > 50, "i": order.astype(np.int32), "l": order, "f": order.astype(np.float32), "d": order / 1,
        "x": pa.array([f"{row:04}".encode() for row in order], pa.binary(4)), "t": [f"{row:04}" for row in order],
    }  # fmt: skip
    write(path, columns, 10)

    def alter(index):
        index[field][1][1][4] = value

    with_index(path, name, alter)
    few = {"b": False, "x": b"0003", "t": "0003"}.get(name, 3)
    where = pc.field(name) == pa.scalar(few, pa.table(columns)[name].type)
    assert agrees(path, where, [name]) or name == "t"  # of texts any may be the least
    if name != "t":
        assert parquet.parquet_reader(str(path)).paged(where) == (0, 0)


def test_more_missing_values_than_rows_are_passed_over(tmp_path):
    path = tmp_path / "a.parquet"
    write(path, {"a": np.arange(100)}, 10)

    def alter(index):
        index[5][1][1][4] = 11

    with_index(path, "a", alter)
    assert agrees(path, pc.field("a") == 42)


U, V, ORDER = pc.field("u"), pc.field("v"), pc.field("i")
#: And whether rows are left out by statistics nevertheless.
OF_NAN = [
    (V != 7, False), (~(V > 3), False), (~(V <= 100), False), (~V.isin([7.0]), False), (pc.equal(V > 3, False), False),
    (~((V > 3) | (U > 3)), False), (pc.if_else(V > 3, False, True), False), (V.is_null(nan_is_null=True), False),
    ((V != 7) & (ORDER < 30), True), (~(V > 3) & (ORDER >= 350), True), (V > 100, True),
    (V == 7, False), ((V > 100) | (ORDER == 5), True),
    (~(V > 3) & ~(U > 3) & (ORDER < 300), True), (V.is_valid() & (ORDER == 60), True), (pc.is_nan(V), False),
]  # fmt: skip


@pytest.mark.parametrize("index", [True, False], ids=["pages", "groups"])
@pytest.mark.parametrize(("where", "some"), OF_NAN, ids=str)
@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_nan_is_not_lost(tmp_path, index, where, some, kind):
    """All that is not NaN is 7 in `v`, and above 3 in `u`."""
    path = tmp_path / "a.parquet"
    order = np.arange(400)
    frame = pd.DataFrame(
        {
            "i": order,
            "u": np.where(order % 60 == 5, np.nan, 4 + order).astype(kind),
            "v": np.where(order % 40 == 5, np.nan, 7).astype(kind),
        }
    )
    options = {"max_rows_per_page": 20, "write_batch_size": 20} if index else {"row_group_size": 20}
    rows = pa.table({name: frame[name].to_numpy() for name in frame})
    pq.write_table(rows, path, write_page_index=index, **options)
    assert agrees(path, where)
    assert plain(ak.read_parquet(path, columns=["i"], filters=where)["i"].to_arrow()) == plain(rows.filter(where)["i"])
    reader = parquet.parquet_reader(str(path))
    left, total = reader.paged(where) if index else (20 * len(reader.left(where)), 400)
    assert total == 400
    assert left < 400 or not some


@pytest.mark.parametrize("index", [True, False], ids=["pages", "groups"])
def test_nan_beside_pandas(tmp_path, index):
    path = tmp_path / "a.parquet"
    frame = pd.DataFrame({"v": [7.0] * 50 + [7.0, np.nan] * 25 + [9.0] * 50, "i": range(150)})
    options = {"max_rows_per_page": 10, "write_batch_size": 10} if index else {"row_group_size": 10}
    rows = pa.table({name: frame[name].to_numpy() for name in frame})
    pq.write_table(rows, path, write_page_index=index, **options)
    assert ak.read_parquet(path, filters=[("v", "!=", 7)])["i"].to_list() == frame[frame.v != 7].i.to_list()
    assert (
        ak.read_parquet(path, filters=[("v", "not in", [7, 9])])["i"].to_list()
        == frame[~frame.v.isin([7, 9])].i.to_list()
    )
    scan = ak.scan_parquet(path)
    assert scan[~(scan["v"] > 3)].collect()["i"].to_list() == frame[~(frame.v > 3)].i.to_list()
    assert scan[scan["v"] != 7].collect()["i"].to_list() == frame[frame.v != 7].i.to_list()


def test_nan_in_halves_and_within_structs_is_not_lost(tmp_path):
    path = tmp_path / "a.parquet"
    values = [7.0, float("nan")] * 50
    kinds = {"h": pa.float16(), "s": pa.struct({"v": pa.float64()})}
    halves = pa.array(np.array(values, np.float16))
    rows = pa.table({"h": halves, "s": pa.array([{"v": one} for one in values], kinds["s"]), "i": range(100)})
    pq.write_table(rows, path, row_group_size=10)
    for where in (~(pc.field("h").cast(pa.float32()) > 3), pc.field("s", "v") != 7):
        assert ak.read_parquet(path, columns=["i"], filters=where)["i"].to_list() == list(range(1, 100, 2))


def test_statistics_of_row_groups_of_another_width_are_an_error(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": np.arange(100), "t": [f"{row:03}" for row in range(100)]}), path, row_group_size=10)
    data = path.read_bytes()
    footer, begin = footer_of(data)
    footer[4][1][1][4][1][1][1][0][3][1][12][1][5] = (thrift.BINARY, b"")
    tail = thrift.packed(footer)
    path.write_bytes(data[:begin] + tail + len(tail).to_bytes(4, "little") + b"PAR1")
    with pytest.raises(ValueError, match=r"cannot read .*a.parquet, row group 4: the statistics of column 'a'"):
        ak.read_parquet(path, filters=pc.field("a") == 12)
    assert ak.read_parquet(path, filters=pc.field("t") == "012")["a"].to_list() == [12]
    assert len(ak.read_parquet(path)) == 100
