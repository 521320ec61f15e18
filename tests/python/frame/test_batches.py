# SPDX-License-Identifier: Apache-2.0
"""map_batches and map_partitions: each PE on its own rows, workers on one PE."""

import os

import numpy as np
import pandas
import polars as pl
import pyarrow as pa
import pytest

import atoll as ak
import atoll.pandas as pd
from atoll.frame.own import batches
from atoll.session.portable import packed, unpacked

pytestmark = pytest.mark.usefixtures("two_sessions")
FACTOR = 3


@pytest.fixture(autouse=True)
def two_workers(monkeypatch):
    monkeypatch.setattr(batches, "worker_count", lambda: 2)


def frame(rows=100):
    return pd.DataFrame(
        {
            "i": np.arange(rows),
            "f": np.where(np.arange(rows) % 7 == 0, np.nan, np.arange(rows) / 4),
            "s": [None if row % 5 == 0 else f"é{row}" for row in range(rows)],
            "t": np.arange(rows).astype("M8[us]"),
            "c": pd.Series([f"k{row % 3}" for row in range(rows)]).astype("category"),
            "n": pd.Series([None if row % 4 == 0 else row for row in range(rows)], dtype="Int64"),
        }
    )


@pytest.mark.parametrize("rows", [40, 65536])
def test_rows_pass_through_every_format(rows):
    df = frame()
    expected = df.to_arrow().to_pylist()
    for form in ("arrow", "polars"):
        made = df.map_batches(lambda batch: batch, format=form, batch_rows=rows)
        assert made.to_arrow().to_pylist() == expected, form
    made = df[["i", "s"]].map_batches(lambda batch: batch, format="pandas", batch_rows=rows)
    assert made.to_arrow().to_pylist() == df[["i", "s"]].to_arrow().to_pylist()
    made = df[["i", "f"]].map_batches(
        lambda batch: {"y": batch["i"] * 2, "z": batch["f"]}, format="numpy", batch_rows=rows
    )
    assert made["y"].to_list() == (np.arange(100) * 2).tolist()
    assert made["z"].to_arrow().null_count == df["f"].to_arrow().null_count


def test_functions_that_use_threads_of_libraries_stay_out_of_forked_processes():
    pl.DataFrame({"a": [1]}).select(pl.col("a").sum())  # starts the threads of Polars, which a forked process lacks
    made = frame().map_batches(
        lambda batch: {"pid": [os.getpid()], "rows": [pl.Series(batch["i"]).len()]}, batch_rows=40
    )
    assert made["rows"].sum() == 100
    if ak.pes() == 1:
        assert set(made["pid"].to_list()) == {os.getpid()}


def test_functions_may_return_other_rows():
    df = frame()
    made = df.map_batches(lambda batch: batch.filter(pa.compute.less(batch["i"], 10)), batch_rows=8)
    assert made["i"].to_list() == list(range(10))
    assert made.index.to_list() == list(range(10))
    none = df.map_batches(lambda batch: batch.slice(0, 0), batch_rows=8)
    assert none.shape == (0, 6)
    twice = df.map_partitions(lambda part: pandas.concat([part, part]))
    assert len(twice) == 200


def test_schemas_name_columns_and_types():
    df = frame()
    made = df.map_batches(lambda batch: {"b": batch["i"], "a": batch["s"]}, {"a": str, "b": "float32"}, batch_rows=9)
    assert made.columns.to_list() == ["a", "b"]
    assert str(made["b"].dtype) == "float32"
    made = df.map_batches(lambda batch: {"b": batch["i"]}, pa.schema([("b", pa.int8())]))
    assert str(made["b"].dtype) == "int8"
    with pytest.raises(ValueError, match=r"no columns \['z'\] of schema="):
        df.map_batches(lambda batch: {"b": batch["i"]}, {"z": int})


def test_partitions_get_arguments():
    df = frame()
    made = df.map_partitions(lambda part, by, plus=0: part.assign(i=part.i * by + plus), 2, plus=1)
    assert made["i"].to_list() == (np.arange(100) * 2 + 1).tolist()


def helper(values):
    return values * FACTOR


def test_functions_refer_to_others():
    offset = 5

    def plus(values):
        return helper(values) + offset

    made = frame().map_batches(lambda batch: {"y": plus(batch["i"])}, format="numpy", batch_rows=11)
    assert made["y"].to_list() == (np.arange(100) * 3 + 5).tolist()


def test_errors_come_with_the_line():
    def fails(batch):
        if batch["i"][0].as_py() >= 20:
            raise LookupError("no such row")
        return batch

    with pytest.raises(LookupError, match="no such row"):
        frame().map_batches(fails, batch_rows=10)
    with pytest.raises(TypeError, match="returned int"):
        frame().map_batches(lambda batch: 7)
    with pytest.raises(ValueError, match="format='json'"):
        frame().map_batches(lambda batch: batch, format="json")


def test_no_rows():
    made = frame(0).map_batches(lambda batch: {"y": batch["i"]})
    assert made.shape == (0, 1)


def test_polars_frames_are_rows():
    made = frame().map_batches(lambda batch: pl.DataFrame(batch).select(pl.col("i").max()), batch_rows=1000)
    assert made["i"].max() == 99


def test_functions_travel_by_their_code():
    def count_down(x):
        return 0 if x == 0 else count_down(x - 1) + FACTOR

    assert unpacked(packed(count_down))(4) == 12
    assert unpacked(packed(lambda x, *, y=2: x + y))(1) == 3
    assert unpacked(packed(np.sin)) is np.sin
    with open(__file__) as file, pytest.raises(TypeError, match="other PEs cannot get"):
        packed(lambda: file)
