# SPDX-License-Identifier: Apache-2.0
"""Files: compatibility with NumPy in both directions; pieces of rows; text files."""

import io
import os
import pickle

import numpy as np
import pytest
from oracle import DTYPES, same, values

import atoll as ak
from atoll.arrays import files as files

pytestmark = pytest.mark.usefixtures("every_session")


@pytest.fixture(params=[files._PIECE, 100], ids=["whole", "pieces"])
def pieces(request, monkeypatch):
    monkeypatch.setattr(files, "_PIECE", request.param)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(37,), (11, 3), (0, 4), ()])
def test_npy(tmp_path, pieces, dtype, shape):
    x = values(dtype, shape)
    ak.save(tmp_path / "ours", ak.array(x))
    found = np.load(tmp_path / "ours.npy")
    assert found.dtype == x.dtype
    np.testing.assert_array_equal(found, x)
    np.save(tmp_path / "theirs.npy", x)
    same(ak.load(tmp_path / "theirs.npy"), x)
    stream = io.BytesIO()
    ak.save(stream, ak.array(x))
    stream.seek(0)
    same(ak.load(stream), x)


def test_a_file_in_fortrans_order(tmp_path, pieces):
    x = np.asfortranarray(np.arange(60.0).reshape(20, 3))
    np.save(tmp_path / "f.npy", x)
    same(ak.load(tmp_path / "f.npy"), np.ascontiguousarray(x))


@pytest.mark.parametrize("write", [ak.savez, ak.savez_compressed])
def test_npz(tmp_path, pieces, write):
    x, y = np.arange(40), np.eye(6)
    write(tmp_path / "several", ak.array(x), y=ak.array(y))
    with np.load(tmp_path / "several.npz") as found:
        assert found.files == ["arr_0", "y"]
        np.testing.assert_array_equal(found["y"], y)
    with ak.load(tmp_path / "several.npz") as found:
        assert found.files == ["arr_0", "y"] and len(found) == 2 and "y" in found
        same(found["arr_0"], x)
        with pytest.raises(KeyError):
            found["z"]
    with pytest.raises(ValueError, match="arr_0"):
        ak.savez(tmp_path / "n", ak.array(x), arr_0=ak.array(y))


def test_texts(tmp_path, pieces):
    x = np.arange(36.0).reshape(12, 3) / 7
    options = {"fmt": "%.6g", "delimiter": ",", "header": "a,b,c", "footer": "end"}
    ak.savetxt(tmp_path / "ours.txt", ak.array(x), **options)
    np.savetxt(tmp_path / "theirs.txt", x, **options)
    assert (tmp_path / "ours.txt").read_text() == (tmp_path / "theirs.txt").read_text()
    same(ak.loadtxt(tmp_path / "ours.txt", delimiter=","), np.loadtxt(tmp_path / "ours.txt", delimiter=","))
    same(ak.loadtxt(io.StringIO("1 2\n3 4"), dtype=int, unpack=True), np.array([[1, 3], [2, 4]]))
    same(ak.genfromtxt(io.StringIO("1,,3"), delimiter=","), np.array([1.0, np.nan, 3.0]))
    stream = io.StringIO()
    ak.savetxt(stream, ak.arange(3), fmt="%d")
    assert stream.getvalue() == "0\n1\n2\n"
    with pytest.raises(ValueError, match="1D or 2D"):
        ak.savetxt(stream, ak.zeros((1, 1, 1)))


def test_bytes(tmp_path, pieces):
    x = np.arange(50, dtype=np.int32)
    ak.array(x).tofile(tmp_path / "raw")
    np.testing.assert_array_equal(np.fromfile(tmp_path / "raw", np.int32), x)
    same(ak.fromfile(tmp_path / "raw", np.int32), x)
    same(ak.fromfile(tmp_path / "raw", np.int32, count=30, offset=8), x[2:32])
    same(ak.fromfile(tmp_path / "raw", np.int32, offset=200), x[:0])
    ak.array(x).tofile(tmp_path / "text", sep=" ")
    assert (tmp_path / "text").read_text() == " ".join(map(str, range(50)))
    same(ak.fromfile(tmp_path / "text", int, sep=" "), np.arange(50))
    same(ak.frombuffer(x.tobytes(), np.int32, 3, 4), x[1:4])
    same(ak.fromstring("1;2.5", sep=";"), np.array([1, 2.5]))
    ak.array(x).dump(tmp_path / "pickle")
    same(pickle.loads((tmp_path / "pickle").read_bytes()), x)
    same(pickle.loads(ak.array(x).dumps()), x)


def test_no_file_is_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        ak.load(tmp_path / "nothing.npy")
    np.save(tmp_path / "fields.npy", np.zeros(2, "i4,f4"))
    with pytest.raises(TypeError, match="atoll arrays hold"):
        ak.load(tmp_path / "fields.npy")


def test_a_file_that_becomes_shorter_while_it_is_read(tmp_path, pieces):
    np.save(tmp_path / "a.npy", np.arange(1000))
    found = np.load(tmp_path / "a.npy", mmap_mode="r")
    os.truncate(tmp_path / "a.npy", 200)
    with pytest.raises(ValueError, match="the file has become shorter"):
        files._read(found)
    with pytest.raises(ValueError, match=r"cannot read .*a\.npy"):
        ak.load(tmp_path / "a.npy")


def test_writing_leaves_nothing_aside(tmp_path, pieces):
    x = ak.arange(50)
    for name, write in {
        "a.npy": lambda path: ak.save(path, x), "b.npz": lambda path: ak.savez(path, x),
        "c.txt": lambda path: ak.savetxt(path, x), "d.txt.gz": lambda path: ak.savetxt(path, x), "e": x.tofile,
    }.items():  # fmt: skip
        write(tmp_path / name)
    np.testing.assert_array_equal(np.loadtxt(tmp_path / "d.txt.gz"), np.arange(50))
    with pytest.raises(FileNotFoundError, match="no directory"):
        ak.save(tmp_path / "no" / "a.npy", x)
    with pytest.raises(ValueError, match=r"mismatch|format"):
        ak.savetxt(tmp_path / "c.txt", x, fmt="%d %d %d")
    np.testing.assert_array_equal(np.loadtxt(tmp_path / "c.txt"), np.arange(50))
    assert len(list(tmp_path.iterdir())) == 5
