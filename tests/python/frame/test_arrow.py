# SPDX-License-Identifier: Apache-2.0
"""Arrow's interface of arrays, columns, Series and frames: shared memory on one PE, and the same values on several."""

import pickle

import duckdb
import numpy as np
import pandas
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import atoll as ak
import atoll.pandas as pd

pytestmark = pytest.mark.usefixtures("two_sessions")


def address(array):
    """Where the data of an Arrow array begin."""
    return array.buffers()[-1].address


def one_pe(session):
    if session.pes > 1:
        pytest.skip("rows of several PEs are collected")


def frame():
    return pd.DataFrame(
        {
            "i": np.arange(1000),
            "f": np.arange(1000) / 8,
            "s": [f"row {row}" for row in range(1000)],
            "t": np.arange(1000).astype("M8[us]"),
            "n": pd.Series([None, *range(999)], dtype="Int64"),
        }
    )


def test_columns_of_frames_share_their_memory(two_sessions):
    one_pe(two_sessions)
    df = frame()
    first, second = df.to_arrow(), pa.table(df)
    for name in df.columns:
        assert address(first[name].chunk(0)) == address(second[name].chunk(0)), name
    assert address(first["i"].chunk(0)) == df["i"]._values.to_numpy(None).ctypes.data
    assert address(pa.record_batch(df)["f"]) == address(first["f"].chunk(0)) == address(pa.array(df["f"]))
    polars = df.to_polars()
    assert polars["f"].to_numpy().ctypes.data == address(first["f"].chunk(0))
    assert pl.Series(df["i"]).to_numpy().ctypes.data == address(first["i"].chunk(0))


def test_arrays_and_columns_share_their_memory(two_sessions):
    one_pe(two_sessions)
    a = ak.arange(1000)
    here = a.to_numpy(None).ctypes.data
    assert address(pa.array(a)) == here == pl.Series(a).to_numpy().ctypes.data
    grid = a.reshape(10, 100)
    assert address(pa.array(grid)) == grid.to_numpy(None).ctypes.data
    column = ak.array([1, None, 3])
    assert address(pa.array(column)) == address(column.to_arrow())


def test_shared_memory_keeps_its_values_when_the_array_changes():
    a = ak.arange(5)
    arrow = pa.array(a)
    a[:] = 7
    a += 1
    assert arrow.to_pylist() == [0, 1, 2, 3, 4]
    assert a.tolist() == [8] * 5


def test_values_of_arrays():
    assert pa.array(ak.array([True, False, True])).to_pylist() == [True, False, True]
    grid = pa.array(ak.arange(6).reshape(1, 2, 3))
    assert grid.to_pylist() == [[[0, 1, 2], [3, 4, 5]]]
    assert grid.type == pa.list_(pa.list_(pa.int64(), 3), 2)
    assert pa.array(ak.array([1.0, np.nan])).null_count == 0
    assert pa.array(ak.array([1, 2], dtype="int16"), pa.int64()).type == pa.int64()
    assert pa.array(ak.zeros(0)).to_pylist() == []
    assert pl.Series("a", ak.arange(3)).to_list() == [0, 1, 2]
    with pytest.raises(TypeError, match=r"Arrow has no type for complex128 .*\.real"):
        pa.array(ak.array([1j]))
    with pytest.raises(TypeError, match="no dimension"):
        pa.array(ak.array(1.5))


def test_missing_values_of_columns():
    for values in ([True, None, False], [1, None, 3], [1.5, None], ["a", None], [b"x", None], [None, "é"]):
        column = ak.binary(values) if b"x" in values else ak.array(values)
        arrow = pa.array(column)
        arrow.validate(full=True)
        assert arrow.to_pylist() == values
        assert arrow.null_count == 1
    many = ak.array([None if row % 3 else row for row in range(100)])
    assert pa.array(many).to_pylist() == [None if row % 3 else row for row in range(100)]


def test_nan_of_frames_is_null():
    df = pd.DataFrame({"v": [1.5, np.nan, 2.5], "o": pd.Series([1, "x", None], dtype=object)})
    assert df[["v"]].to_arrow()["v"].to_pylist() == [1.5, None, 2.5]
    assert pa.array(df["v"]).to_pylist() == [1.5, None, 2.5]
    assert df["v"].to_polars().null_count() == 1
    assert df["v"].to_polars().name == "v"
    with pytest.raises((pa.ArrowInvalid, pa.ArrowTypeError)):
        df.to_arrow()


def test_schemas_name_the_types():
    df = frame()
    assert pa.schema(df) == df.to_arrow().schema
    field = pa.field(df["f"])
    assert field.type == pa.float64()
    for thing in (
        ak.arange(3),
        ak.arange(4).reshape(2, 2),
        ak.array([1, None]),
        ak.array(["a"]),
        ak.Categorical(["a"]),
    ):
        assert pa.DataType._import_from_c_capsule(thing.__arrow_c_schema__()) == pa.array(thing).type


def test_no_rows():
    empty = frame()[:0]
    assert pa.record_batch(empty).num_rows == 0
    assert pa.table(empty).schema == frame().to_arrow().schema
    assert empty.to_polars().shape == (0, 5)


def test_labels_are_columns_on_request():
    df = pd.DataFrame({"a": [1, 2]}, index=pd.Index(["x", "y"], name="k"))
    assert df.to_polars(index=True).to_dict(as_series=False) == {"k": ["x", "y"], "a": [1, 2]}
    assert df.to_polars().columns == ["a"]


def test_duckdb_reads_frames():
    df = pd.DataFrame({"k": [1, 2, 1], "v": [0.5, 1.5, np.nan], "s": ["a", None, "c"]})
    with duckdb.connect() as connection:
        connection.register("rows", df)
        rows = connection.sql("select k, sum(v), max(s) from rows group by k order by k").fetchall()
        assert rows == [(1, 0.5, "c"), (2, 1.5, None)]
        assert connection.sql("select count(*) from rows where v > 1").fetchall() == [(1,)]


class Point(pa.ExtensionType):
    """An extension type of two floats."""

    def __init__(self):
        super().__init__(pa.struct([("x", pa.float64()), ("y", pa.float64())]), "test.point")

    def __arrow_ext_serialize__(self):
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type, serialized):
        return cls()


def union(kind):
    codes, members = pa.array([0, 1, 0], pa.int8()), [pa.array([5, None, 7]), pa.array(["z", "y", "x"])]
    if kind == "dense":
        return pa.UnionArray.from_dense(codes, pa.array([0, 0, 1], pa.int32()), members)
    return pa.UnionArray.from_sparse(codes, members)


#: Types that come back as they are.
KEPT = {
    "struct": pa.array(
        [{"a": 1, "b": "x"}, None, {"a": None, "b": "y"}], pa.struct([("a", pa.int32()), ("b", pa.utf8())])
    ),
    "map": pa.array([[("k", 1)], None, []], pa.map_(pa.string(), pa.int16())),
    "dense union": union("dense"),
    "sparse union": union("sparse"),
    "list of structs": pa.array([[{"a": 1}], None, []], pa.list_(pa.struct([("a", pa.int64())]))),
    "decimal of 256 bits": pa.array([10**60, None, -1], pa.decimal256(70, 0)),
    "interval": pa.array([(1, 2, 3), None, (0, 0, 1)], pa.month_day_nano_interval()),
    "extension": pa.ExtensionArray.from_storage(
        Point(), pa.array([{"x": 1.0, "y": 2.0}, None, {"x": 3.0, "y": 4.0}], Point().storage_type)
    ),
    "JSON": pa.ExtensionArray.from_storage(pa.json_(pa.string()), pa.array(['{"a":1}', None, "[]"])),
    "large string": pa.array(["a", None, "c"], pa.large_string()),
    "decimal of 128 bits": pa.array([1, None, 3], pa.decimal128(20, 2)),
    "dictionary": pa.DictionaryArray.from_arrays(
        pa.array([0, None, 1], pa.int8()), pa.array(["a", "b"], pa.large_string()), ordered=True
    ),
    "timestamp in a zone": pa.array([0, None, 10**15], pa.timestamp("us", "Europe/Oslo")),
    "duration": pa.array([1, None, 3], pa.duration("ms")),
}
#: Types whose values come back in another encoding.
ENCODED = {
    "runs": (pc.run_end_encode(pa.array([1, 1, None])), pa.int64()),
    "runs of strings": (pc.run_end_encode(pa.array(["a", "a", None])), pa.large_string()),
    "string view": (pa.array(["a", None, "longer than twelve bytes"], pa.string_view()), pa.large_string()),
    "binary view": (pa.array([b"a", None, b"longer than twelve bytes"], pa.binary_view()), pa.large_binary()),
    "list view": (pa.array([[1], None, [2, 3]], pa.list_view(pa.int64())), pa.large_list(pa.int64())),
    "large list view": (pa.array([[1], None, [2, 3]], pa.large_list_view(pa.int64())), pa.large_list(pa.int64())),
    "fixed list": (pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int32(), 2)), pa.large_list(pa.int32())),
    "half float": (pa.array([1.5, None, -2.0], pa.float16()), pa.float32()),
    "bool of 8 bits": (pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, None, 0], pa.int8())), pa.bool_()),
    "decimal of few digits": (pa.array([1, None, 3], pa.decimal256(20, 2)), pa.decimal128(20, 2)),
    "wide codes": (pa.array(["a", None, "b"]).dictionary_encode(), pa.dictionary(pa.int8(), pa.large_string())),
}


@pytest.mark.filterwarnings("ignore::atoll.io.fallback.FallbackWarning")  # pandas concatenates decimals
@pytest.mark.parametrize("name", [*KEPT, *ENCODED])
def test_types_come_back(name):
    given, expected = ENCODED.get(name) or (KEPT[name], KEPT[name].type)
    values = given.to_pylist()
    column = ak.array(given)
    if hasattr(column, "to_arrow"):  # float16 without a column: an array
        assert column.to_arrow().to_pylist() == values
        assert column.to_arrow().type == expected
    df = pd.DataFrame(pa.table({"x": given, "n": [1, 2, 3]}))
    for rows, part in (
        (df, values),
        (df[1:], values[1:]),
        (df[df.n != 2], [values[0], values[2]]),
        (df.sort_values("n", ascending=False), values[::-1]),
        (pd.concat([df, df]), values * 2),
    ):
        found = rows.to_arrow()["x"].combine_chunks()
        found.validate(full=True)
        assert found.to_pylist() == part
        assert found.type == expected
    assert df["x"].isna().tolist() == [value is None for value in values]
    assert len(repr(df).splitlines()) == 4
    chunks = pa.chunked_array([given, given.slice(1)])
    assert pd.DataFrame(pa.table({"x": chunks})).to_arrow()["x"].to_pylist() == values + values[1:]


def test_missing_rows_keep_the_type():
    for name in ("struct", "map", "interval", "extension", "decimal of 256 bits"):
        df = pd.DataFrame(pa.table({"x": KEPT[name], "n": [1, 2, 3]}))
        shifted = df.reindex([2, 5, 0]).to_arrow()["x"].combine_chunks()
        assert shifted.to_pylist() == [KEPT[name][2].as_py(), None, KEPT[name][0].as_py()]
        assert shifted.type == KEPT[name].type


def test_arrow_values_are_pickled_and_indexed():
    column = ak.array(KEPT["struct"])
    assert pickle.loads(pickle.dumps(column)).to_arrow().equals(KEPT["struct"])
    assert column[-1] == {"a": None, "b": "y"}
    assert column[ak.array([True, False, True])].tolist() == [{"a": 1, "b": "x"}, {"a": None, "b": "y"}]
    with pytest.raises(IndexError, match="out of bounds"):
        column[3]
    with pytest.raises(IndexError, match="3 rows"):
        column.take([0, 3])


class Planned:
    """Rows that are computed when asked for, as Dask has them."""

    def __init__(self, rows):
        self.rows = rows

    def __dask_graph__(self):
        return {}

    def compute(self):
        return self.rows


def test_planned_rows_are_computed():
    assert pd.DataFrame(Planned(pandas.DataFrame({"a": [1, 2]})))["a"].to_list() == [1, 2]
    assert pd.Series(Planned(pandas.Series([1, 2], name="a"))).name == "a"
