# SPDX-License-Identifier: Apache-2.0
"""Broken, truncated and hostile files of every format: an error that names the file, never a crash."""

import json
import os
import random
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import hostile
import pandas as pd
import pytest

import atoll as ak

ALLOWED = {"ValueError", "TypeError", "MemoryError", "OSError", "GroupNotFoundError"}
LIMIT_S = 3600  # of a job: many files take more than 10 minutes on a busy machine
MOST = 600 << 20  # bytes that a process may need for a small file, whatever it says


def outcomes(directory, pes):
    """What came of each file of a directory, read by a job of its own: a crash is seen by its status."""
    command = [sys.executable, hostile.__file__, directory, str(pes)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT_S)
    lines = ran.stdout.splitlines()
    assert ran.returncode == 0, f"{lines[-1:]} ends the job with {ran.returncode}: {ran.stderr[-3000:]}"
    found = dict(zip(lines[::2], map(json.loads, lines[1::2]), strict=True))
    for name, (outcome, grown) in found.items():
        assert grown < MOST, f"{name} takes {grown} bytes: {outcome}"
        if outcome != "read":
            error, text = outcome
            assert error in ALLOWED, (name, error, text)
            assert name in text, (name, error, text)
    return {name: outcome for name, (outcome, _) in found.items()}


def file_name(kind, name):
    """With the ending of its format, and behind it one of compression."""
    stem, dot, packed = name.rpartition(".")
    if kind in ("csv", "jsonl") and dot and packed in ("gz", "bz2", "xz", "zip", "zst"):
        return f"{kind} {stem}.{kind}.{packed}"
    return f"{kind} {name}.{kind}"


@pytest.mark.parametrize("pes", [1, 3])
def test_files_that_contradict_themselves(tmp_path, one_session, pes):
    must = set()
    for kind in hostile.FORMATS:
        hostile.put(tmp_path / f"good.{kind}", hostile.good(kind))
        for name, data in hostile.corpus(kind):
            hostile.put(tmp_path / file_name(kind, name), data)
            if f"{kind} {name}" not in hostile.HARMLESS:
                must.add(file_name(kind, name))
    found = outcomes(tmp_path, pes)
    read = {name for name, outcome in found.items() if outcome == "read"}
    assert not read & must, read & must
    assert {f"good.{kind}" for kind in hostile.FORMATS} <= read


@pytest.mark.parametrize(
    ("pes", "step"),
    [(1, 4), (3, 9), pytest.param(1, 1, marks=pytest.mark.slow), pytest.param(3, 1, marks=pytest.mark.slow)],
)
def test_files_of_a_few_letters(tmp_path, one_session, pes, step):
    for kind in sorted(set(hostile.FORMATS) - hostile.ALIKE):
        for name, data in list(hostile.small(kind))[::step]:
            hostile.put(tmp_path / f"{kind} {name}.{kind}", data)
    found = outcomes(tmp_path, pes)
    assert sum(outcome != "read" for outcome in found.values()) > len(found) / 3


def test_a_line_that_is_no_object_is_named(tmp_path, two_sessions):
    path = tmp_path / "a.json"
    lines = b'{"a": 1}\n' * 1000
    for before in (0, 1, 1000):
        for line in (b"null", b" null", b"17", b"[1]", b'"text"', b"nul", b'{"a": 1'):
            path.write_bytes(lines[: before * 9] + line + b"\n" + lines)
            with pytest.raises(ValueError, match=rf"a\.json, bytes from 0: line {before + 1} is "):
                ak.read_json(path, lines=True)


def test_the_number_of_a_line_is_that_of_the_file(tmp_path, two_sessions, monkeypatch):
    from atoll.io.json import reader as json

    if two_sessions.pes > 1:
        pytest.skip("other processes have their own module")
    monkeypatch.setattr(json, "_RANGE", 100)
    path = tmp_path / "a.json"
    path.write_bytes(b'{"a": 1}\n' * 500 + b"null\n" + b'{"a": 1}\n' * 500)
    with pytest.raises(ValueError, match=r"a\.json, bytes from 4500: line 501 is 'null', not an object"):
        ak.read_json(path, lines=True)


@pytest.mark.filterwarnings("ignore::atoll.io.fallback.FallbackWarning")
def test_what_pandas_reads_names_the_file(tmp_path, one_session):
    path = tmp_path / "a.json"
    for text in ('{"a": 1}\nnull\n', '{"a": 1}\n{"a"\n'):
        path.write_text(text)
        with pytest.raises(ValueError, match=r"cannot read .*a\.json"):
            list(ak.read_json(path, lines=True, chunksize=2))
        with pytest.raises(ValueError, match=r"cannot read .*a\.json"):
            ak.read_json(path, lines=True, dtype={"a": "int64"})
    path.write_text("a,b\n1,2\n3,4,5\n")
    with pytest.raises(ValueError, match=r"cannot read .*a\.json"):
        list(ak.read_csv(path, chunksize=1))
    path.write_text("a,b\n1,2\n3,4\n")
    assert [len(one) for one in ak.read_csv(path, chunksize=1)] == [1, 1]


def broken_files(directory, seeds, kinds=hostile.FORMATS):
    for kind in kinds:
        data = hostile.good(kind)
        for seed in seeds:
            hostile.put(directory / f"{kind} {seed}.{kind}", hostile.broken(kind, data, seed))


def test_broken_files(tmp_path, one_session):
    broken_files(tmp_path, range(6))
    found = outcomes(tmp_path, 3)
    assert sum(outcome != "read" for outcome in found.values()) > len(found) / 3


BATCH = 100  # files that lie in the directory of one job


@pytest.mark.slow
@pytest.mark.parametrize("kind", hostile.FORMATS)
@pytest.mark.parametrize("pes", [1, 3])
def test_many_broken_files(tmp_path, one_session, kind, pes):
    """Of another seed each time; FUZZ_SEED and FUZZ_ROUNDS say which, and how many: `make fuzz` takes a night."""
    seed = int(os.environ.get("FUZZ_SEED", random.randrange(1 << 32)))
    rounds = int(os.environ.get("FUZZ_ROUNDS", "500"))
    print(f"FUZZ_SEED={seed}")
    refused = 0
    for begin in range(0, rounds, BATCH):
        directory = tmp_path / "batch"
        directory.mkdir()
        broken_files(directory, range(seed + begin, seed + min(begin + BATCH, rounds)), [kind])
        try:
            refused += sum(outcome != "read" for outcome in outcomes(directory, pes).values())
        except AssertionError as error:
            raise AssertionError(f"FUZZ_SEED={seed + begin}: {error}") from error
        shutil.rmtree(directory)
    assert refused > 0


#: Small files that ended a process once, or were read wrong; each is kept when it has been mended.
CORPUS = Path(__file__).parent / "corpus"


@pytest.mark.parametrize("pes", [1, 3])
def test_files_that_broke_a_reader_once(tmp_path, one_session, pes):
    for file in CORPUS.iterdir():
        hostile.put(tmp_path / file.name, file.read_bytes())
    found = outcomes(tmp_path, pes)
    assert len(found) == len(list(CORPUS.iterdir()))


def test_files_that_vanish_or_change(tmp_path, every_session):
    from atoll.io.parquet.reader import parquet_reader
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
from atoll.frame.files import readers
readers.read_parquet({str(good)!r})
ak.DataFrame({{"a": [1]}}).to_csv()
readers.read_csv(io.StringIO("a\\n1\\n"))
os.setgid(65534)
os.setuid(65534)
for read in (readers.read_parquet, readers.read_csv):
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
