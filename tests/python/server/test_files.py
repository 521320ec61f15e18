# SPDX-License-Identifier: Apache-2.0
"""Files that a client writes are the server's: "~" is the home directory of the server's process."""

import gzip
import io

import numpy as np
import pytest

import atoll as ak


@pytest.fixture
def apart(session, home, tmp_path, monkeypatch):
    """The directory that "~" means on the server; on the client it means another one, which stays empty."""
    monkeypatch.setenv("HOME", str(tmp_path))
    yield home
    assert not list(tmp_path.iterdir())


def _frame():
    return ak.DataFrame({"a": [1, 2, 3], "b": ["x", None, "z"], "c": [0.5, float("nan"), 2.0]})


_FORMATS = {
    "parquet": (lambda f, p: f.to_parquet(p), ak.read_parquet),
    "gzip.parquet": (lambda f, p: f.to_parquet(p, compression="gzip"), ak.read_parquet),
    "dataset": (lambda f, p: f.to_parquet(p, partition_cols=["a"]), None),
    "csv": (lambda f, p: f.to_csv(p, index=False), ak.read_csv),
    "csv.gz": (lambda f, p: f.to_csv(p, index=False), ak.read_csv),
    "feather": (lambda f, p: f.to_feather(p), ak.read_feather),
    "orc": (lambda f, p: f.to_orc(p), ak.read_orc),
    "jsonl": (lambda f, p: f.to_json(p, orient="records", lines=True), lambda p: ak.read_json(p, lines=True)),
    "json": (lambda f, p: f.to_json(p), None),
    "md": (lambda f, p: f.to_markdown(p), None),
    "zarr": (lambda f, p: ak.to_zarr(p, f[["a"]]), lambda p: ak.read_zarr(p).assign(b=["x", None, "z"])),
    "state": (lambda f, p: ak.save_checkpoint(p, {"f": f}), lambda p: ak.load_checkpoint(p)["f"]),
}


@pytest.mark.parametrize("ending", _FORMATS)
def test_frames_are_written_to_the_servers_files(apart, ending):
    write, read = _FORMATS[ending]
    pytest.importorskip({"zarr": "zarr", "md": "tabulate"}.get(ending, "pyarrow"))
    home = str(apart) if ending == "zarr" else "~"  # which zarr does not know
    frame, path = _frame(), f"{home}/written.{ending}"
    write(frame, path)
    assert (apart / f"written.{ending}").exists()
    if read is not None:
        assert read(path)["a"].to_list() == [1, 2, 3]
        assert read(path)["b"].to_list()[::2] == ["x", "z"]


def test_hdf_is_written_and_added_to_in_the_servers_files(apart):
    pytest.importorskip("h5py")
    ak.Series([1, 2, 3], name="a").to_hdf("~/some.h5", key="one")
    ak.Series([4, 5], name="a").to_hdf("~/some.h5", key="two", mode="a")
    assert (apart / "some.h5").exists()
    assert ak.read_hdf("~/some.h5", key="one")["a"].to_list() == [1, 2, 3]
    assert ak.read_hdf("~/some.h5", key="two")["a"].to_list() == [4, 5]


def test_scans_write_to_the_servers_files(apart):
    _frame().to_parquet("~/before.parquet")
    ak.scan_parquet("~/before.parquet").to_parquet("~/after.parquet")
    assert (apart / "after.parquet").exists()
    assert ak.read_parquet("~/after.parquet")["a"].to_list() == [1, 2, 3]


def test_arrays_are_written_to_the_servers_files(apart):
    values = np.arange(12.0).reshape(3, 4)
    ak.save(str(apart / "one.npy"), ak.array(values))
    ak.savez(str(apart / "two.npz"), x=ak.array(values), y=ak.arange(3))
    ak.savetxt(str(apart / "three.txt"), ak.array(values))
    ak.array(values).tofile(str(apart / "four.bin"))
    assert np.array_equal(np.load(apart / "one.npy"), values)
    assert np.array_equal(np.load(apart / "two.npz")["y"], np.arange(3))
    assert np.array_equal(np.loadtxt(apart / "three.txt"), values)
    assert np.array_equal(np.fromfile(apart / "four.bin"), values.ravel())
    assert np.array_equal(ak.load(str(apart / "one.npy")).to_numpy(), values)


def test_file_of_many_pieces_is_whole(apart):
    values = ak.random.default_rng(5).normal(size=1_200_000)  # 9.6 MB
    ak.save(str(apart / "long.npy"), values)
    assert np.array_equal(np.load(apart / "long.npy"), values.to_numpy())


def test_failed_write_leaves_the_file_and_nothing_beside_it(apart):
    path = apart / "kept.csv.gz"
    ak.DataFrame({"a": [1]}).to_csv("~/kept.csv.gz", index=False)
    before = path.read_bytes()
    with pytest.raises(LookupError, match="nonsense"):
        ak.DataFrame({"a": [2]}).to_csv("~/kept.csv.gz", index=False, encoding="nonsense", mode="a")
    assert path.read_bytes() == before
    with pytest.raises(FileNotFoundError, match="no directory"):
        ak.DataFrame({"a": [2]}).to_csv("~/absent/kept.csv.gz", index=False)
    assert not [one for one in apart.iterdir() if one.name.endswith(".part")]


def test_streams_of_the_client_stay_with_the_client(apart):
    stream = io.BytesIO()
    _frame().to_parquet(stream)
    assert ak.read_parquet(io.BytesIO(stream.getvalue()))["a"].to_list() == [1, 2, 3]
    text = io.StringIO()
    _frame().to_csv(text, index=False)
    assert text.getvalue().startswith("a,b,c\n1,x,0.5\n")


def test_text_is_put_behind_what_a_file_of_the_server_has(apart):
    frame = ak.DataFrame({"a": [1]})
    frame.to_csv("~/more.csv", index=False)
    frame.to_csv("~/more.csv", index=False, header=False, mode="a")
    assert (apart / "more.csv").read_text() == "a\n1\n1\n"
    frame.to_csv("~/more.csv.gz", index=False)
    assert gzip.decompress((apart / "more.csv.gz").read_bytes()) == b"a\n1\n"


def test_writing_needs_the_role_code(server, home):
    ak.shutdown()
    with ak.connect(server, role="compute"):
        with pytest.raises(PermissionError, match="needs the role code"):
            ak.save(str(home / "refused.npy"), ak.arange(3))
        with pytest.raises(PermissionError, match="needs the role code"):
            ak.DataFrame({"a": [1]}).to_csv("~/refused.csv")
    assert not (home / "refused.npy").exists()
