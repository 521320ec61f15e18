# SPDX-License-Identifier: Apache-2.0
"""What is written: read by other tools, and there whole or not at all."""

import errno
import io
import os
import resource
import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor
from types import FunctionType

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import writers

import atoll as ak
from atoll.io.arrow import write_arrow
from atoll.io.csv import csv_columns, write_csv
from atoll.io.hdf import write_hdf
from atoll.io.json import write_json
from atoll.io.orc import write_orc
from atoll.io.parquet import parquet_columns, write_parquet
from atoll.session.everywhere import everywhere

pytestmark = pytest.mark.usefixtures("every_session")

N = 100


def columns():
    rng = np.random.default_rng(0)
    moments = pa.array([None if i % 9 == 0 else i for i in range(N)], pa.int64()).cast(pa.timestamp("us"))
    return {
        "i": ak.array(rng.integers(-9, 9, N)),
        "f": ak.array([None if i % 7 == 0 else i / 2 for i in range(N)]),
        "b": ak.array(rng.random(N) < 0.5),
        "t": ak.array([None if i % 5 == 0 else f'ä"{i},\n' * (i % 3) for i in range(N)]),
        "c": ak.Categorical(["x", None, "y", "z"] * (N // 4)),
        "m": ak.array(moments),
    }


def arrow(named):
    return {
        name: one.to_arrow() if hasattr(one, "to_arrow") else pa.array(one.to_numpy()) for name, one in named.items()
    }


def test_parquet(tmp_path):
    wanted = columns()
    for compression in (None, "snappy", "zstd"):
        write_parquet(tmp_path / "a.parquet", wanted, compression=compression, row_group_size=30)
        table = pq.read_table(tmp_path / "a.parquet")
        for name, array in arrow(wanted).items():
            assert table[name].to_pylist() == array.to_pylist(), name
        assert pl.read_parquet(tmp_path / "a.parquet")["t"].to_list() == wanted["t"].to_list()
    found = parquet_columns(tmp_path / "a.parquet")
    assert {name: one.tolist() for name, one in found.items()} == {name: one.tolist() for name, one in wanted.items()}
    assert os.listdir(tmp_path) == ["a.parquet"]


def test_parquet_as_a_data_set(tmp_path):
    wanted = columns()
    for _ in range(2):  # the second takes the place of the first
        write_parquet(tmp_path / "set", wanted, dataset=True)
        files = sorted(os.listdir(tmp_path / "set"))
        assert files[0] == "part-00000.parquet" and len(files) <= ak.pes()
        table = pq.read_table([tmp_path / "set" / file for file in files])
        for name, array in arrow(wanted).items():
            assert table[name].to_pylist() == array.to_pylist(), name
    write_parquet(tmp_path / "keys", wanted, partition_cols=["i"])
    frame = pd.read_parquet(tmp_path / "keys", columns=["i", "f"])
    assert sorted(frame["i"].astype(int)) == sorted(wanted["i"].tolist())
    assert sorted(frame["f"].dropna()) == sorted(wanted["f"].dropna().tolist())
    with pytest.raises(KeyError, match="no column 'zz'"):
        write_parquet(tmp_path / "keys", wanted, partition_cols=["zz"])
    assert sorted(os.listdir(tmp_path)) == ["keys", "set"]


def test_csv_is_what_pandas_writes(tmp_path):
    wanted = {name: one for name, one in columns().items() if name != "m"}
    wanted["x,y"] = ak.array([1e300, 0.1, -0.0, float("nan")] * (N // 4))
    frame = pd.DataFrame(
        {name: one.to_list() if hasattr(one, "to_list") else one.to_numpy() for name, one in wanted.items()}
    )
    frame["c"] = pd.Categorical(frame["c"])
    for options in ({}, {"sep": ";", "na_rep": "NA"}, {"header": False}):
        write_csv(tmp_path / "a.csv", wanted, **options)
        assert (tmp_path / "a.csv").read_text() == frame.to_csv(index=False, **options)
    stream = io.StringIO()
    write_csv(stream, wanted)
    assert stream.getvalue() == frame.to_csv(index=False)
    for ending in ("gz", "bz2", "zst", "xz"):
        write_csv(tmp_path / f"a.csv.{ending}", wanted)
        assert csv_columns(tmp_path / f"a.csv.{ending}")["t"].to_list() == [
            text or None for text in wanted["t"].to_list()
        ]


def test_no_line_of_a_row_is_empty(tmp_path):
    for values, name in (([1.0, None, 3.0], "x"), (["a", None, "", "b"], "")):
        column, stream = ak.array(values), io.StringIO()
        wanted = pd.DataFrame({name: values}).to_csv(index=False)
        write_csv(tmp_path / "a.csv", {name: column})
        assert (tmp_path / "a.csv").read_text() == wanted
        write_csv(stream, {name: column})
        assert stream.getvalue() == wanted
        assert csv_columns(tmp_path / "a.csv", names=["x"])["x"].to_list() == [one or None for one in values]


def test_a_write_that_fails_leaves_what_was_there(tmp_path):
    (tmp_path / "a").write_text("old")
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "x").write_text("old")
    with pytest.raises(ValueError, match="columns of 1 and 2 rows"):
        write_parquet(tmp_path / "a", {"a": ak.ones(1), "b": ak.ones(2)})
    with pytest.raises(Exception, match=r"compression|codec|Codec"):
        write_parquet(tmp_path / "a", {"a": ak.ones(1)}, compression="no such")
    with pytest.raises(Exception, match=r"compression|codec|Codec"):
        write_parquet(tmp_path / "set", {"a": ak.ones(1)}, dataset=True, compression="no such")
    with pytest.raises(FileNotFoundError, match="no directory"):
        write_csv(tmp_path / "no" / "a", {"a": ak.ones(1)})
    with pytest.raises(TypeError, match="named by texts, not 1"):
        write_parquet(tmp_path / "a", {1: ak.ones(1)})
    assert (tmp_path / "a").read_text() == "old" and (tmp_path / "set" / "x").read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["a", "set"]


@pytest.mark.skipif(os.geteuid() != 0, reason="a file system of its own needs root")
def test_a_full_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(writers, "ROWS", 200_000)
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=80k", "tmpfs", small], check=True)
    try:
        for how, write in writers.WRITE.items():
            path = small / writers.name(how)
            path.write_text("old")
            with pytest.raises(OSError, match="No space left"):
                write(path, 1)
            assert path.read_text() == "old" and os.listdir(small) == [path.name], how
            path.unlink()
        frame, uri = writers.frame(1), f"sqlite:///{small / 'a.db'}"
        assert ak.DataFrame({"a": [1, 2]}).to_sql("kept", uri) == 2
        with pytest.raises(OSError, match="No space left"):
            frame.to_sql("big", uri)
        assert ak.read_sql("kept", uri)["a"].to_list() == [1, 2]
        with pytest.raises(OSError, match="No space left"):
            frame.to_sql("kept", uri, if_exists="replace")
        assert ak.read_sql("kept", uri)["a"].to_list() == [1, 2]
    finally:
        subprocess.run(["umount", small], check=True)


class Full(io.RawIOBase):
    """A stream that takes some bytes, and no more."""

    def __init__(self, room):
        self.room = room

    def writable(self):
        return True

    def write(self, data):
        self.room -= len(data)
        if self.room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return len(data)


@pytest.mark.parametrize("room", [0, 3, 100, 10_000, 400_000])
def test_a_stream_that_takes_no_more(room):
    big = {"a": ak.random.uniform(100_000)}
    for write in (write_orc, write_arrow, write_parquet, write_csv, write_json, write_hdf):
        with pytest.raises(OSError, match="No space left"):
            write(Full(room), big)


def limited(here, size):
    """On a PE: its process writes no larger files."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def test_files_that_may_not_be_so_large(tmp_path):
    big = {"a": ak.random.uniform(100_000)}
    writes = {
        "csv": lambda path: write_csv(path, big), "parquet": lambda path: write_parquet(path, big),
        "npy": lambda path: ak.save(path, big["a"]), "zarr": lambda path: ak.to_zarr(path, big["a"]),
        "set": lambda path: write_parquet(path, big, dataset=True),
        "checkpoint": lambda path: ak.save_checkpoint(path, big), "orc": lambda path: write_orc(path, big),
        "feather": lambda path: write_arrow(path, big), "hdf": lambda path: write_hdf(path, big),
        "packed.hdf": lambda path: write_hdf(path, big, compression="gzip"),
        "jsonl": lambda path: write_json(path, big),
        "bloom": lambda path: write_parquet(path, big, bloom_filter_options={"a": True}),
    }  # fmt: skip
    everywhere(limited, 100_000)
    try:
        for name, write in writes.items():
            (tmp_path / f"a.{name}").write_text("old")
            with pytest.raises(OSError, match="File too large"):
                write(tmp_path / f"a.{name}")
            assert (tmp_path / f"a.{name}").read_text() == "old"
    finally:
        everywhere(limited, resource.RLIM_INFINITY)
    assert len(os.listdir(tmp_path)) == len(writes)
    for name, write in writes.items():  # also a directory where a file was
        write(tmp_path / f"a.{name}")
    assert len(os.listdir(tmp_path)) == len(writes)


def test_links_are_followed_and_devices_written_to(tmp_path):
    frame = ak.DataFrame({"a": [1, 2]})
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "a").write_text("old")
    (tmp_path / "file").symlink_to(tmp_path / "there" / "a")
    (tmp_path / "set").symlink_to(tmp_path / "there")
    frame.to_csv(tmp_path / "file", index=False)
    assert (tmp_path / "there" / "a").read_text() == "a\n1\n2\n" and (tmp_path / "file").is_symlink()
    frame.to_parquet(tmp_path / "set", dataset=True)
    assert min(os.listdir(tmp_path / "there")) == "part-00000.parquet" and (tmp_path / "set").is_symlink()
    for write in (frame.to_csv, frame.to_parquet, frame.to_feather, lambda path: ak.asarray(frame["a"]).tofile(path)):
        write("/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit((tmp_path / "pipe").read_text)
        frame.to_csv(tmp_path / "pipe", index=False)
        assert read.result(10) == "a\n1\n2\n"
    assert sorted(os.listdir(tmp_path)) == ["file", "pipe", "set", "there"]


def test_names_that_would_be_cut_or_lead_elsewhere(tmp_path):
    (tmp_path / "in").mkdir()
    path, uri = tmp_path / "in" / "a", f"sqlite:///{tmp_path / 'in' / 'a.db'}"
    frame, cut = ak.DataFrame({"a": [1, 2], "t": ["x\0y", "z"]}), ak.DataFrame({"c\0d": [1]})
    for write in (
        lambda: frame.to_sql("t\0x", uri), lambda: cut.to_sql("t", uri), lambda: frame.to_sql("t", uri + "\0.db"),
        lambda: ak.read_sql("SELECT 1 \0 x", uri), lambda: frame.to_parquet(path, partition_cols=["t"]),
        lambda: frame.assign(t=frame["t"].astype("category")).to_parquet(path, partition_cols=["t"]),
        lambda: cut.to_parquet(path), lambda: cut.to_feather(path), lambda: cut.to_orc(path), lambda: cut.to_hdf(path),
        lambda: frame[["a"]].to_hdf(path, key="k\0l"), lambda: ak.to_zarr(path, cut),
        lambda: ak.savez(path, **{"a\0b": ak.arange(2)}), lambda: ak.save(f"{path}\0b", ak.arange(2)),
        lambda: ak.savetxt(f"{path}\0b", ak.arange(2)), lambda: ak.save_checkpoint(f"{path}\0b", {}),
        lambda: ak.to_zarr(f"{path}\0b", ak.arange(2)), lambda: frame.to_csv(f"{path}\0b"),
        lambda: ak.read_csv(f"{path}\0b"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="NUL"):
            write()
    for name in ("../t", "a/b", ".", "..", "", "x=y"):
        with pytest.raises(ValueError, match=r"step of a path|has a '='"):
            ak.DataFrame({"a": [1], name: ["x"]}).to_parquet(path, partition_cols=[name])
    for name in ("a/b", ".", "..", "", "zarr.json"):
        with pytest.raises(ValueError, match=r"step of a path|own file"):
            ak.to_zarr(path, ak.DataFrame({name: [1]}))
    assert set(os.listdir(tmp_path / "in")) <= {"a.db"} and os.listdir(tmp_path) == ["in"]


def test_directories_that_are_in_use_are_not_replaced(tmp_path, monkeypatch):
    (tmp_path / "kept").write_text("")
    (tmp_path / "below").mkdir()
    frame = ak.DataFrame({"a": [1]})
    monkeypatch.chdir(tmp_path / "below")
    for path in (".", "..", tmp_path):
        with pytest.raises(ValueError, match="cannot be replaced"):
            frame.to_parquet(path, dataset=True)
        with pytest.raises(ValueError, match="cannot be replaced"):
            ak.save_checkpoint(path, {})
        with pytest.raises(IsADirectoryError):
            frame.to_parquet(path)
    for write in (frame.to_parquet, frame.to_csv, ak.read_parquet):
        with pytest.raises(ValueError, match="the path is empty"):
            write("")
    assert sorted(os.listdir(tmp_path)) == ["below", "kept"]


def test_pandas_writes_nothing_after_an_error_of_ours(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_text("old")
    frame = ak.DataFrame({"a": [1, 2]})

    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    def refuses(*args, **kwargs):
        raise ValueError("refused")

    for function in (full, refuses):
        made = FunctionType(function.__code__, {**globals(), "__name__": "atoll.io"})  # an error of the caller's stands
        monkeypatch.setattr(type(frame), "_named", made)
        monkeypatch.setattr("atoll.io.csv.writer.write_csv", made)
        monkeypatch.setattr("atoll.frame.files.conversion.json_text", made)
        for name in ("to_parquet", "to_feather", "to_orc", "to_csv", "to_json"):
            with pytest.raises((OSError, ValueError), match=r"No space|refused"):
                getattr(frame, name)(path)
            assert path.read_text() == "old", name


@pytest.mark.filterwarnings("ignore::atoll.io.fallback.FallbackWarning")
@pytest.mark.parametrize(
    "values", [[1 + 2j, 3], [[1], [2, 3]], pd.arrays.SparseArray([0, 1])], ids=["c", "list", "sparse"]
)
def test_kinds_that_only_pandas_writes_as_lines(tmp_path, values):
    frame = ak.DataFrame({"a": values})
    frame.to_csv(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == frame.to_pandas().to_csv()


@pytest.mark.parametrize("ending", ["gz", "bz2", "zst", "xz"])
def test_json_lines_are_compressed_as_the_name_says(tmp_path, ending):
    frame = ak.DataFrame({"a": [1, 2], "l": [[1], [2, 3]]})
    for columns in (["a"], ["a", "l"]):
        path = tmp_path / f"{len(columns)}.json.{ending}"
        frame[columns].to_json(path, orient="records", lines=True)
        assert not path.read_bytes().startswith(b"{")
        assert ak.read_json(path, lines=True)["a"].tolist() == [1, 2]
