# SPDX-License-Identifier: Apache-2.0
"""Zarr stores: what the zarr package wrote is read, what is written it reads; each PE its own chunks."""

import numpy as np
import pytest

import atoll as ak

zarr = pytest.importorskip("zarr")
pytestmark = pytest.mark.usefixtures("every_session")


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [
        ((0,), "int64"),
        ((7,), "bool"),
        ((100_000,), "int64"),
        ((5, 3), "float32"),
        ((30_000, 4), "f8"),
        ((2, 3, 4), "u1"),
    ],
)
def test_arrays_come_back(tmp_path, shape, dtype):
    values = (np.arange(np.prod(shape)).reshape(shape) % 251).astype(dtype)
    ak.to_zarr(tmp_path / "a.zarr", ak.array(values))
    there = zarr.open_array(tmp_path / "a.zarr", mode="r")
    assert there.dtype == values.dtype and np.array_equal(there[...], values)
    found = ak.read_zarr(tmp_path / "a.zarr")
    assert found.dtype == values.dtype and found.shape == shape and np.array_equal(found.to_numpy(), values)


@pytest.mark.parametrize("chunks", [7, 1000, 100_000])
def test_chunks_of_any_length_written_and_read(tmp_path, chunks):
    values = np.random.default_rng(chunks).normal(size=2500)
    ak.to_zarr(tmp_path / "a.zarr", ak.array(values), chunks=chunks)
    assert zarr.open_array(tmp_path / "a.zarr").chunks == (chunks,)
    theirs = zarr.create_array(tmp_path / "b.zarr", shape=values.shape, chunks=chunks, dtype="f8")
    theirs[:] = values
    for name in ("a.zarr", "b.zarr"):
        assert np.array_equal(ak.read_zarr(tmp_path / name).to_numpy(), values)


def test_a_group_is_a_frame(tmp_path):
    df = ak.DataFrame({"a": [1, 2, 3], "f": [0.5, None, 2.0], "t": ["x", "ä", ""]})
    df["d"] = ak.to_datetime(ak.array(["2026-11-24", "2026-11-25", "2026-11-26"]))
    ak.to_zarr(tmp_path / "g.zarr", df)
    group = zarr.open_group(tmp_path / "g.zarr", mode="r")
    assert list(group["t"][:]) == ["x", "ä", ""] and str(group["d"].dtype) == "datetime64[us]"
    back = ak.read_zarr(tmp_path / "g.zarr", columns=["a", "f", "t", "d"])
    assert back.equals(df)
    assert ak.read_zarr(tmp_path / "g.zarr" / "a").tolist() == [1, 2, 3]
    with pytest.raises(KeyError, match="no array 'z'"):
        ak.read_zarr(tmp_path / "g.zarr", columns=["z"])


def test_what_cannot_be_is_refused_and_nothing_is_half_written(tmp_path):
    path = tmp_path / "a.zarr"
    ak.to_zarr(path, ak.arange(3))
    with pytest.raises(TypeError, match="misses values"):
        ak.to_zarr(path, {"a": ak.array(["x", None])})
    with pytest.raises(TypeError):
        ak.to_zarr(path, ak.arange(4), no_such_option=1)
    assert ak.read_zarr(path).tolist() == [0, 1, 2]
    assert [one.name for one in tmp_path.iterdir()] == ["a.zarr"]
    with pytest.raises(FileNotFoundError):
        ak.read_zarr(tmp_path / "none.zarr")
    ak.to_zarr(path, ak.arange(1000), chunks=100)
    (path / "c" / "4").write_bytes(b"no chunk")
    with pytest.raises(ValueError, match=r"a\.zarr, row 400"):
        ak.read_zarr(path)
    two = {"a": ak.arange(3), "b": ak.arange(4)}
    with pytest.raises(ValueError, match="do not go into one file"):
        ak.to_zarr(path, two)
