# SPDX-License-Identifier: Apache-2.0
"""Broken, truncated and hostile files of every format: an error that names the file, never a crash."""

import json
import os
import random
import stat
import subprocess
import sys

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather, ipc, orc

import atoll as ak

FORMATS = ("parquet", "plain.parquet", "feather", "arrows", "orc", "h5", "csv", "jsonl")

#: Reads every file of a directory in a process of its own, and says what came of each: a crash is seen by its status.
PROGRAM = """
import json, pathlib, sys
import atoll as ak
from atoll.io.frames import read_csv, read_feather, read_hdf, read_json, read_orc, read_parquet
from atoll.io.reading import read_columns

READ = {"parquet": read_parquet, "feather": read_feather, "arrows": read_feather, "orc": read_orc, "h5": read_hdf,
        "csv": read_csv, "jsonl": read_json}
if __name__ == "__main__":
    ak.init(int(sys.argv[2]), 1)
    for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
        print(path.name, flush=True)
        try:
            frame = READ[path.suffix[1:]](path)
            for name in frame.columns:
                frame[name].to_list()
            print(json.dumps("read"), flush=True)
        except Exception as error:
            print(json.dumps([type(error).__name__, str(error)]), flush=True)
"""
ALLOWED = {
    "ValueError",
    "TypeError",
    "MemoryError",
    "ArrowMemoryError",
    "KeyError",
    "OSError",
    "OverflowError",
    "UnicodeDecodeError",
}


def good_file(path, kind):
    table = pa.table(
        {
            "i": pa.array([None if i % 5 == 0 else i for i in range(60)], pa.int64()),
            "f": [i / 4 for i in range(60)],
            "t": [None if i % 3 == 0 else f"text {i}" * (i % 4) for i in range(60)],
            "c": pa.array(["x", "yy", None] * 20).dictionary_encode(),
            "l": [list(range(i % 4)) for i in range(60)],
        }
    )
    if kind == "parquet":
        pq.write_table(table, path, row_group_size=25, compression="zstd")
    elif kind == "plain.parquet":
        pq.write_table(table.select(["i", "f", "t"]), path, row_group_size=25, use_dictionary=["t"])
    elif kind == "feather":
        feather.write_feather(table, path, compression="uncompressed", chunksize=25)
    elif kind == "arrows":
        with ipc.new_stream(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=25)
    elif kind == "orc":
        orc.write_table(table.select(["i", "f", "t"]), path)
    elif kind == "h5":
        ak.DataFrame(table.select(["f"])).assign(t=ak.array([f"w{i}" for i in range(60)])).to_hdf(path)
    elif kind == "csv":
        table.select(["i", "f", "t"]).to_pandas().to_csv(path, index=False)
    else:
        table.select(["i", "f", "t", "l"]).to_pandas().to_json(path, orient="records", lines=True)


def broken(data, seed):
    """The content of a file, cut, with bytes or words changed, doubled or taken out."""
    rng = random.Random(seed)
    data, kind = bytearray(data), seed % 5
    if kind == 0:
        return bytes(data[: rng.randrange(len(data))])
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data))
        if kind == 1:
            data[at] = rng.randrange(256)
        elif kind == 2:
            data[at : at + 4] = rng.choice([b"\xff\xff\xff\xff", b"\0\0\0\0", b"\xff\xff\xff\x7f", b"\0\0\0\x80"])
        elif kind == 3:
            del data[at : at + rng.randint(1, 9)]
        else:
            data[at:at] = data[max(0, at - rng.randint(1, 9)) : at]
    return bytes(data)


@pytest.mark.parametrize("kind", FORMATS)
def test_broken_files(tmp_path, one_session, kind):
    good = tmp_path / f"good.{kind}"
    good_file(good, kind)
    data = good.read_bytes()
    where = tmp_path / "broken"
    where.mkdir()
    for seed in range(int(os.environ.get("ATOLL_FUZZ_ROUNDS", "60"))):
        (where / f"{seed:05}.{kind}").write_bytes(broken(data, seed))
    (where / f"empty.{kind}").write_bytes(b"")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    for pes in (1, 2):
        command = [sys.executable, program, where, str(pes)]
        ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        lines = ran.stdout.splitlines()
        assert ran.returncode == 0, f"{lines[-1]} ends the process with {ran.returncode}: {ran.stderr[-2000:]}"
        outcomes = dict(zip(lines[::2], map(json.loads, lines[1::2]), strict=True))
        failures = {name: outcome for name, outcome in outcomes.items() if outcome != "read"}
        assert failures, "nothing was broken"
        for name, (error, text) in failures.items():
            assert error in ALLOWED, (name, error, text)
            assert name in text or error in ("MemoryError", "ArrowMemoryError", "KeyError", "UnicodeDecodeError"), (
                name,
                error,
                text,
            )


def test_files_that_vanish_or_change(tmp_path, every_session):
    from atoll.io.parquet import parquet_reader
    from atoll.io.reading import read_columns

    path = tmp_path / "a.parquet"
    pd.DataFrame({"a": range(100)}).to_parquet(path)
    reader = parquet_reader(path)
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(ValueError, match=r"cannot read .*a.parquet, row group 0"):
        read_columns(reader)
    path.unlink()
    with pytest.raises(FileNotFoundError, match=r"a.parquet"):
        read_columns(reader)
    for read in (ak.read_parquet, ak.read_csv, ak.read_feather, ak.read_orc, ak.read_json, ak.read_hdf):
        with pytest.raises(FileNotFoundError, match=r"a.parquet"):
            read(path)
        with pytest.raises(FileNotFoundError, match="no files in"):
            read(tmp_path)


@pytest.mark.skipif(os.geteuid() != 0, reason="another user is played by root")
def test_without_permission(tmp_path, one_session):
    path = tmp_path / "a.parquet"
    pd.DataFrame({"a": range(3)}).to_parquet(path)
    good = tmp_path / "good.parquet"
    good.write_bytes(path.read_bytes())
    path.chmod(0)
    tmp_path.chmod(stat.S_IRWXU | stat.S_IROTH | stat.S_IXOTH)
    program = f"""
import io, os
import atoll as ak
from atoll.io import frames
frames.read_parquet({str(good)!r})
ak.DataFrame({{"a": [1]}}).to_csv()
frames.read_csv(io.StringIO("a\\n1\\n"))
os.setgid(65534)
os.setuid(65534)
for read in (frames.read_parquet, frames.read_csv):
    try:
        read({str(path)!r})
    except PermissionError as error:
        print(error)
try:
    ak.DataFrame({{"a": [1]}}).to_csv({str(tmp_path / "b.csv")!r})
except PermissionError as error:
    print(error)
"""
    for parent in tmp_path.parents:
        if str(parent).startswith("/tmp/"):
            parent.chmod(parent.stat().st_mode | stat.S_IXOTH)
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ran.stdout.count("Permission denied") == 3, ran.stdout + ran.stderr
    assert ran.stdout.count("a.parquet") == 2
