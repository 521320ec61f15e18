# SPDX-License-Identifier: Apache-2.0
"""HDF5 files, also in Arkouda's layout."""

import io

import numpy as np
import pytest

import atoll as ak
from atoll.io.hdf import reader as hdf

h5py = pytest.importorskip("h5py")
pytestmark = pytest.mark.usefixtures("every_session")

WORDS = ["", "ä", "long text", "b"] * 10


@pytest.fixture(autouse=True)
def small_ranges(monkeypatch):
    monkeypatch.setattr(hdf, "_ROWS", 7)


def arkouda_file(path, begin, end, with_segments=True, with_types=True):
    """As Arkouda lays it out: one locale's file."""
    data = [word.encode() + b"\0" for word in WORDS[begin:end]]
    with h5py.File(path, "w") as file:
        made = file.create_dataset("numbers", data=np.arange(begin, end))
        made.attrs["ObjType"] = 1
        flags = file.create_dataset("flags", data=(np.arange(begin, end) % 2).astype(np.uint8))
        flags.attrs["isBool"] = 1
        texts = file.create_group("words")
        if with_types:
            texts.attrs["ObjType"] = 2
        texts["values"] = np.frombuffer(b"".join(data), np.uint8)
        if with_segments:
            texts["segments"] = np.cumsum([0, *map(len, data)])[:-1]
        kinds = file.create_group("kinds")
        kinds.attrs["ObjType"] = 4
        kinds["codes"] = np.arange(begin, end) % 3
        kinds["NA_Codes"] = np.array([2])
        kinds.create_group("categories").attrs["ObjType"] = 2
        kinds["categories/values"] = np.frombuffer(b"x\0yy\0N/A\0", np.uint8)
        kinds["categories/segments"] = np.array([0, 2, 5])
        lists = file.create_group("lists")
        lists.attrs["ObjType"] = 3
        lists["segments"] = np.arange(end - begin) * 2
        lists["values"] = np.arange((end - begin) * 2) + begin * 2


def test_what_arkouda_writes(tmp_path):
    for at in range(4):
        arkouda_file(tmp_path / f"a_LOCALE000{at}", at * 10, at * 10 + 10, at % 2 == 0, at != 3)
    found = hdf.hdf_columns(str(tmp_path / "a_LOCALE*"))
    assert found["numbers"].tolist() == list(range(40))
    assert found["flags"].tolist() == [i % 2 == 1 for i in range(40)]
    assert found["words"].to_list() == WORDS
    assert isinstance(found["kinds"], ak.Categorical)
    assert found["kinds"].to_list() == [("x", "yy", None)[i % 3] for i in range(40)]
    assert found["lists"].to_list() == [[2 * i, 2 * i + 1] for i in range(40)]


def test_numbers_of_all_widths_are_read_as_they_are(tmp_path):
    """Of this machine's files, where the engine reads them itself."""
    kinds = ["f2", "f4", "f8", *(f"{sign}{width}" for sign in "iu" for width in (1, 2, 4, 8)), "bool", ">f2", ">i4"]
    values = {kind: (np.arange(30) % 7 - 3 * (kind[-2] != "u")).astype(kind) for kind in kinds}
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for kind, column in values.items():
            file[kind] = column
            file.create_dataset(f"chunks of {kind}", data=column, chunks=(4,))
    found = hdf.hdf_columns(tmp_path / "a.h5")
    for name, column in values.items():
        for one in (found[name], found[f"chunks of {name}"]):
            wanted = column.astype("f4") if column.dtype.itemsize == 2 and column.dtype.kind == "f" else column
            assert one.dtype == wanted.dtype.newbyteorder("=") and one.tolist() == wanted.tolist()


def test_of_h5py(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["deep/f"] = np.arange(30, dtype=">f4")
        file["deep/s"] = WORDS[:30]
        file.create_dataset("deep/chunked", data=np.arange(30, dtype="i2"), chunks=(4,), compression="gzip")
        file["deep/b"] = np.arange(30) % 3 == 0
        file["matrix"] = np.zeros((2, 2))
        file["other length"] = np.zeros(3)
    with pytest.raises(ValueError, match="datasets differ in length"):
        hdf.hdf_columns(tmp_path / "a.h5")
    found = hdf.hdf_columns(
        tmp_path / "a.h5", ["deep/s", "deep/f", "deep/chunked", "deep/b"], filters=[("deep/f", ">", 3)]
    )
    assert found["deep/s"].to_list() == WORDS[4:30] and found["deep/f"].dtype == np.float32
    assert found["deep/chunked"].tolist() == list(range(4, 30)) and found["deep/b"].tolist()[:3] == [False, False, True]
    with pytest.raises(ValueError, match=r"'matrix' is no column: a dataset of shape \(2, 2\)"):
        hdf.hdf_columns(tmp_path / "a.h5", ["matrix"])
    with pytest.raises(KeyError, match="no column 'zz'"):
        hdf.hdf_columns(tmp_path / "a.h5", ["zz"])


def test_what_is_written_is_read(tmp_path):
    columns = {
        "n": ak.arange(40),
        "b": ak.arange(40) % 2 == 0,
        "t": ak.array(WORDS),
        "c": ak.Categorical(["x", None] * 20),
    }
    hdf.write_hdf(tmp_path / "a.h5", columns)
    found = hdf.hdf_columns(tmp_path / "a.h5")
    assert {name: one.tolist() for name, one in found.items()} == {name: one.tolist() for name, one in columns.items()}
    with h5py.File(tmp_path / "a.h5") as file:
        assert file["t"].attrs["ObjType"] == 2 and bytes(file["t/values"][:4]) == b"\0\xc3\xa4\0"
    with pytest.raises(ValueError, match="missing"):
        hdf.write_hdf(tmp_path / "a.h5", {"a": ak.array([1, None])})
    with pytest.raises(ValueError, match="has a zero in it"):
        hdf.write_hdf(tmp_path / "a.h5", {"a": ak.array(["x\0y"])})
    assert len(hdf.hdf_columns(tmp_path / "a.h5")["n"]) == 40


def test_hostile_files(tmp_path):
    def with_words(change):
        arkouda_file(tmp_path / "a.h5", 0, 10)
        with h5py.File(tmp_path / "a.h5", "r+") as file:
            change(file)
        return hdf.hdf_columns(tmp_path / "a.h5", ["words"])

    def set_segments(values):
        def change(file):
            del file["words/segments"]
            file["words/segments"] = np.array(values)

        return change

    for segments in ([-5] * 10, [0, 9, 3, 1, 1, 1, 1, 1, 1, 1], [10**9] * 10):
        with pytest.raises(ValueError, match=r"a.h5, rows from 0: the segments of /words leave its .* values, or fall"):
            with_words(set_segments(segments))
    with pytest.raises(ValueError, match="do not end with a zero"):
        with_words(set_segments(range(10)))

    def bad_code(file):
        file["kinds/codes"][3] = 77

    arkouda_file(tmp_path / "a.h5", 0, 10)
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        bad_code(file)
    with pytest.raises(ValueError, match="none of 3 categories"):
        hdf.hdf_columns(tmp_path / "a.h5", ["kinds"])
    whole = (tmp_path / "a.h5").read_bytes()
    with pytest.raises(ValueError, match="cannot read"):
        hdf.hdf_columns(io.BytesIO(whole[: len(whole) // 2]))


def test_frames_below_keys(tmp_path):
    one, two = ak.DataFrame({"a": [1, 2], "t": ["x", "y"]}), ak.DataFrame({"b": [0.5]})
    one.to_hdf(tmp_path / "a.h5", key="one")
    two.to_hdf(tmp_path / "a.h5", key="deep/two")
    two["b"].to_hdf(tmp_path / "a.h5", key="one", mode="a")
    assert ak.read_hdf(tmp_path / "a.h5", "one").to_dict("list") == {"b": [0.5]}
    assert ak.read_hdf(tmp_path / "a.h5", key="deep/two", columns=["b"])["b"].to_list() == [0.5]
    assert sorted(ak.read_hdf(tmp_path / "a.h5").columns) == ["deep/two/b", "one/b"]
    with pytest.raises(ValueError, match=r"cannot read .*a\.h5: there is no group 'nope'"):
        ak.read_hdf(tmp_path / "a.h5", "nope")
    one.to_hdf(tmp_path / "a.h5", key="one", mode="w")
    assert list(ak.read_hdf(tmp_path / "a.h5").columns) == ["one/a", "one/t"]
    with pytest.raises(ValueError, match="mode is"):
        one.to_hdf(tmp_path / "a.h5", key="one", mode="x")


@pytest.mark.parametrize("compression", [None, "gzip"])
def test_each_pe_writes_its_own_rows(tmp_path, compression):
    """The file is what one gathered column at a time makes; nothing but shapes comes to the process that asks."""
    n = 1000
    rng = np.random.default_rng(0)
    named = {
        "i": ak.array(rng.integers(0, 1 << 60, n)),
        "b": ak.array(rng.random(n) < 0.5),
        "in/f": ak.array(rng.random(n).astype(np.float32)),
        "t": ak.array([f"ä{i}" * (i % 4) for i in range(n)]),
        "c": ak.Categorical(["x", None, "yy", "x"] * (n // 4)),
        "segments": ak.arange(n),
    }
    hdf.write_hdf(tmp_path / "a.h5", named, compression=compression)
    stream = io.BytesIO()
    hdf.write_hdf(stream, named, compression=compression)
    with h5py.File(tmp_path / "a.h5") as one, h5py.File(io.BytesIO(stream.getvalue())) as other:
        found, wanted = [], []
        for file, paths in ((one, found), (other, wanted)):
            file.visit(paths.append)
        assert sorted(found) == sorted(wanted)
        for path in wanted:
            assert dict(one[path].attrs) == dict(other[path].attrs), path
            if isinstance(other[path], h5py.Dataset):
                assert one[path].dtype == other[path].dtype, path
                assert one[path].compression == compression
                np.testing.assert_array_equal(one[path][()], other[path][()])
    back = hdf.hdf_columns(tmp_path / "a.h5")
    assert {name: back[name].tolist() for name in named} == {name: one.tolist() for name, one in named.items()}
    with pytest.raises(ValueError, match="zero"):
        hdf.write_hdf(tmp_path / "a.h5", {"t": ak.array(["a", "b\0"])})
    hdf.write_hdf(tmp_path / "b.h5", {"i": ak.zeros(0), "t": ak.array(["a"])[:0]})
    assert hdf.hdf_columns(tmp_path / "b.h5")["i"].tolist() == []
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.h5", "b.h5"]


def test_no_column_is_gathered(tmp_path, monkeypatch):
    def gathered(*_):
        raise AssertionError("a column was gathered")

    column, texts = ak.arange(100), ak.array(["a", "b"])
    monkeypatch.setattr(type(column), "to_numpy", gathered)
    monkeypatch.setattr(type(texts), "to_arrow", gathered)
    hdf.write_hdf(tmp_path / "a.h5", {"i": column})
    hdf.write_hdf(tmp_path / "b.h5", {"t": texts})


def test_strings_of_any_length_are_tried_in_another_process(tmp_path, monkeypatch):
    from atoll.io.hdf import trial

    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file["v"] = ["x", "", "yy"]
        file["n"] = [1, 2, 3]
    assert ak.read_hdf(path)["v"].tolist() == ["x", "", "yy"]
    assert ak.read_hdf(io.BytesIO(path.read_bytes()))["v"].tolist() == ["x", "", "yy"]
    program = tmp_path / "program.py"
    monkeypatch.setattr(trial, "__file__", str(program))
    for code, problem in [
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "HDF5 ended with SIGSEGV in its strings"),
        ("import sys; print('what is wrong', file=sys.stderr); sys.exit(3)", "what is wrong"),
        ("import sys; sys.exit(1)", r"its strings cannot be read \(exit status 1\)"),
    ]:
        program.write_text(code)
        with pytest.raises(ValueError, match=rf"cannot read .*a\.h5: {problem}"):
            ak.read_hdf(path)
        assert ak.read_hdf(path, columns=["n"])["n"].tolist() == [1, 2, 3]
