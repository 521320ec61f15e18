# SPDX-License-Identifier: Apache-2.0
"""Bloom filters of Parquet's row groups, written by several tools, keep row groups from being read."""

import datetime

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import atoll as ak
from atoll.io.parquet import bloom
from atoll.io.parquet import reader as parquet
from atoll.io.parquet.members import ANY, both, either, members_of

pytestmark = pytest.mark.usefixtures("every_session")

GROUPS, ROWS = 10, 100
N = GROUPS * ROWS
COLUMNS = ("i", "n", "f", "t", "d", "m")


def table():
    """Rows so spread over the groups that least and largest values exclude nothing."""
    order = np.arange(N).reshape(ROWS, GROUPS).T.reshape(-1)
    days = [datetime.date(2000, 1, 1) + datetime.timedelta(int(one)) for one in order]
    return pa.table(
        {
            "i": order * 10,
            "n": pa.array(order - 500, pa.int32()),
            "f": order / 4,
            "t": [f"text {one}" * (one % 7 + 1) for one in order],
            "d": pa.array(days, pa.date32()),
            "m": pa.array(order, pa.timestamp("us")),
        }
    )


@pytest.fixture(scope="module", params=["pyarrow", "atoll", "duckdb"])
def file(request, tmp_path_factory):
    path = str(tmp_path_factory.mktemp("bloom") / "a.parquet")
    options = {"bloom_filter_options": {name: {"ndv": ROWS, "fpp": 1e-4} for name in COLUMNS}}
    rows = table()
    if request.param == "pyarrow":
        pq.write_table(rows, path, row_group_size=ROWS, **options)
    elif request.param == "atoll":
        named = {name: ak.array(rows[name].combine_chunks()) for name in COLUMNS}
        parquet.write_parquet(path, named, row_group_size=ROWS, **options)
    else:
        # It writes filters of columns with dictionaries, and at least 2,048 rows in a group.
        repeated = pa.concat_tables([rows.slice(at * ROWS, ROWS) for at in range(GROUPS) for _ in range(21)])
        connection = duckdb.connect()
        connection.execute("SET threads TO 1")
        connection.register("repeated", repeated)
        connection.execute(
            f"COPY repeated TO '{path}' "
            f"(FORMAT parquet, ROW_GROUP_SIZE {21 * ROWS}, BLOOM_FILTER_FALSE_POSITIVE_RATIO 0.0001)"
        )
    return path


def read_parts(path, filters):
    return len(parquet.parquet_reader(path).narrowed(members_of(filters)).parts)


def _offset(reader, name):
    metadata = pq.read_metadata(reader.parts[0].file)
    return metadata.row_group(0).column(COLUMNS.index(name)).bloom_filter_offset


def test_only_groups_that_may_have_the_value_are_read(file):
    reader = parquet.parquet_reader(file)
    whole = pq.read_table(file)
    with_filters = [name for name in COLUMNS if _offset(reader, name)]
    assert {"i", "f", "t"} <= set(with_filters)
    for name in with_filters:
        for row in (0, N // 2, N - 1):
            value = whole[name][row].as_py()
            assert read_parts(file, [(name, "=", value)]) < len(reader.parts) / 2, (name, value)
            found = ak.read_parquet(file, columns=["i"], filters=[(name, "=", value)])
            assert found["i"].to_list() == whole.filter(pc.field(name) == whole[name][row])["i"].to_pylist()
    assert read_parts(file, [("i", "=", 5)]) == 0
    assert len(ak.read_parquet(file, filters=[("i", "in", [5, 15]), ("f", ">", 0.0)])) == 0
    assert read_parts(file, [[("i", "in", [5, 15])], [("t", "=", "text 3" * 4)]]) <= 3
    for filters in (
        [("i", ">", 5)],
        [[("i", "=", 5)], [("f", "<", 1.0)]],
        [("i", "=", 5.0)],
        [("f", "=", float("nan"))],
        None,
    ):
        assert read_parts(file, filters) == len(reader.parts), filters


def test_scans_say_what_is_excluded(file):
    scan = ak.scan_parquet(file)
    some = scan[(scan["t"] == "text 3" * 4) | scan["i"].isin([40, 5])][["i"]]
    assert "excluded by Bloom filters" in some.explain()
    assert sorted(set(some.collect()["i"].to_list())) == [30, 40]
    assert "Bloom" not in scan[scan["i"] > 5].explain()
    nothing = scan[(scan["i"] == 5) & (scan["f"] > 0)].groupby("t").agg(n=("i", "size"))
    assert "read    0 of" in nothing.explain()
    assert len(nothing.collect()) == 0
    assert sorted(set(scan[~(scan["i"] != 30)].collect()["i"].to_list())) == [30]


def test_hashes():
    """Those of xxHash's own sanity checks, and texts of all lengths of its steps."""
    assert bloom.xxh64(b"") == 0xEF46DB3751D8E999
    assert bloom.xxh64(b"a") == 0xD24EC4F1A98C6E5B
    assert bloom.xxh64(b"abc") == 0x44BC2CF5AD770999
    assert bloom.xxh64(b"Nobody inspects the spammish repetition") == 0xFBCEA83C8A378BF1


@pytest.mark.parametrize(
    "broken",
    [b"", b"\x00" * 40, b"\xff" * 100, b"\x15\x40\x1c\x1c\x00\x00\x1c\x1c\x00\x00\x1c\x1c\x00\x00\x00" + b"\0" * 9],
)
def test_broken_filters_exclude_nothing(broken):
    assert not bloom.excludes(pa.BufferReader(broken), 0, [bloom.xxh64(b"a")])


def test_what_is_known_of_filters():
    one, other = members_of([("a", "=", 1)]), members_of([("b", "in", [1, 2]), ("c", "<", 1)])
    assert both(one, other) == ({"a": (1,), "b": (1, 2)},)
    assert either(one, other) == ({"a": (1,)}, {"b": (1, 2)})
    assert either(one, ANY) == ANY
    assert both(one, ANY) == one
    many = members_of([[("a", "=", i)] for i in range(65)])
    assert many == ANY
    assert members_of(pc.field("a") == 1) == members_of(None) == members_of([]) == ANY
