# SPDX-License-Identifier: Apache-2.0
"""Arrow's interface of arrays, columns, Series and frames: shared memory on one PE, and the same values on several."""

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
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
