# SPDX-License-Identifier: Apache-2.0
"""Runs of an experiment: real but tiny, resumed, failing, and as a dry run."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from built import ROOT, needs_core
from fake import Fake

from atoll import cli
from atoll.experiment import PointFailed, real, results, run, strategy
from atoll.experiment.point import Point

TINY = """title = "tiny"
rounds = 2
[[sweep]]
names = ["sort"]
size = 1000
threads = 1
simd = ["sse4", "avx2"]
trials = 2
against = ["numpy"]
"""


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(strategy.KINDS, "fake", Fake)


@needs_core
def test_a_real_one_and_its_dry_run(capsys):
    Path("tiny.toml").write_text(TINY)
    assert cli.main(["experiment", "run", "tiny.toml", "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert "4 points, 0 done, 4 to run; results: results/tiny-" in out
    assert not Path("results").exists()
    assert cli.main(["experiment", "run", "tiny.toml"]) == 0
    (path,) = Path("results").glob("tiny-*.jsonl")
    found = results.read(path)
    assert len(found.records) == 8
    assert [one["simd"] for one in found.records if one["contender"] == "atoll"] == ["sse4", "avx2"] * 2
    assert found.head["text"] == TINY
    first = found.records[0]
    command = "ATOLL_SIMD=sse4 atoll bench run sort --size 1000 --threads 1 --trials 2 --against numpy"
    assert first["command"] == command
    assert first["point_seconds"] > 0
    assert len(first["seconds"]) == 2
    capsys.readouterr()
    assert cli.main(["experiment", "run", "tiny.toml"]) == 0
    assert "4 of 4 points are done" in capsys.readouterr().out
    assert len(results.read(path).records) == 8


@needs_core
def test_arrays_on_pretended_hosts(capsys):
    Path("far.toml").write_text(
        '[[sweep]]\nnames = ["sort"]\nsize = 1000\npes = 2\nthreads = 1\nfabric = "ofi"\ntrials = 2\n'
    )
    assert cli.main(["experiment", "run", "far.toml"]) == 0, capsys.readouterr()
    (path,) = Path("results").glob("far-*.jsonl")
    (own, numpy) = results.read(path).records
    assert (own["contender"], own["pes"], own["threads"], own["fabric"]) == ("atoll", 2, 1, "ofi")
    assert numpy["contender"] == "numpy"
    assert own["command"].startswith("atoll run --hosts here:1,there:1 --launch-agent ")


def test_points_that_fail_are_tried_again_and_others_kept(capsys):
    path = Path("one.jsonl")
    text = 'kind = "fake"\n' + "".join(f'[[sweep]]\nnames = ["sort"]\nseed = {seed}\n' for seed in (12, 13, 14))
    Path("one.toml").write_text(text)
    for _ in range(2):
        assert run.run(Path("one.toml"), path) == 1
        out = capsys.readouterr().out
        assert "failed: sort: it is the thirteenth" in out
        assert "1 point failed: the same command tries them again" in out
        assert {one["seed"] for one in results.read(path).records} == {12, 14}
    assert "2 of 3 points are done" in out


def test_a_file_is_of_one_experiment_host_and_commit(capsys):
    Path("one.toml").write_text('kind = "fake"\n[[sweep]]\nnames = ["sort"]\n')
    assert run.run(Path("one.toml"), Path("one.jsonl")) == 0
    lines = Path("one.jsonl").read_text().splitlines()
    head = json.loads(lines[0])
    head["experiment"]["host"] = "elsewhere"
    Path("one.jsonl").write_text("\n".join([json.dumps(head), *lines[1:], ""]))
    assert cli.main(["experiment", "run", "one.toml", "--results", "one.jsonl"]) == cli.FAILED
    assert "one.jsonl is of host elsewhere, this is" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("status", "out", "said"),
    [
        (1, "", "it broke"),
        (0, "hello", "it wrote no records"),
        (0, '{"name": "sort"}', "it wrote no records"),
        (0, '{"name": "so', "cut off, or mixed"),
    ],
)
def test_invalid_records_are_not_stored(status, out, said):
    done = subprocess.CompletedProcess([], status, out, "Traceback\natoll: it broke\n")
    with pytest.raises(PointFailed, match=said):
        real.records_of(done)


def test_time_left_comes_from_points_like_those_left():
    timer = run.Timer(results.Contents(Path("-"), records=[{"point": "sort size=1", "point_seconds": 2.0}]))
    timer.add("gather", 30.0)
    assert timer.left([Point("sort"), Point("sort")]) == "about 4 s left"
    assert timer.left([Point("gather")] * 20) == "about 10 min left"


def children(parent: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]


def command_line(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def eventually(condition):
    deadline = time.monotonic() + 60
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return found


@needs_core
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="needs setpriv")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_ends_early_ends_its_subprocesses(number):
    Path("long.toml").write_text('[[sweep]]\nnames = ["sort"]\nsize = 1_000_000\nthreads = 1\ntrials = 10_000\n')
    command = [sys.executable, "-m", "atoll", "experiment", "run", "long.toml", "--results", "long.jsonl"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    # Where tests run in the background of a shell, SIGINT is ignored by all that they start.
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True, preexec_fn=heed) as process:
        try:
            (child,) = eventually(
                lambda: [one for one in children(process.pid) if "bench run sort" in command_line(one)]
            )
            eventually(lambda: not command_line(child).startswith("/usr/bin/setpriv"))  # it has become the benchmark
            process.send_signal(number)
            out, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    eventually(lambda: "bench run sort" not in command_line(child))
    assert not results.read(Path("long.jsonl")).records
    if number == signal.SIGINT:
        assert "interrupted: 0 of 1 points are done. The same command goes on" in out
        assert process.returncode == cli.INTERRUPTED
