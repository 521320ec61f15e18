# SPDX-License-Identifier: Apache-2.0
"""Results files: no record is lost or duplicated, wherever the writing run ends."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from built import ROOT
from fake import CONTENDERS, record

from atoll.bench import record as bench_record
from atoll.experiment import ExperimentError, results
from atoll.experiment.point import Point

FAKE = Path(__file__).with_name("fake.py")
POINTS = [Point("sort", size=size) for size in (10, 20, 30)]
HEAD = {"name": "one", "file": "one.toml", "text": "…", "host": "here", "commit": "abc", "date": "2026-01-01"}


def filled(path, points=POINTS):
    with results.Results(path) as file:
        file.set_head(HEAD)
        for point in points:
            if point.key not in file.contents.done:
                file.add(point, [record(one, size=point.size) for one in CONTENDERS])
    return path


def test_points_and_their_records_come_back(tmp_path):
    found = results.read(filled(tmp_path / "one.jsonl"))
    assert found.head == HEAD
    assert found.done == {point.key for point in POINTS}
    assert [one["contender"] for one in found.records] == [*CONTENDERS] * 3
    assert len(bench_record.read([tmp_path / "one.jsonl"])) == 9  # `atoll bench plot` reads them too


def test_a_file_cut_anywhere_is_continued_to_the_same(tmp_path):
    path = filled(tmp_path / "one.jsonl")
    whole = path.read_bytes()
    for cut in range(len(whole)):
        found = results.parse(path, whole[:cut])
        assert found.sound_bytes <= cut
        assert len(found.records) == len(found.done) * len(CONTENDERS)
        assert whole[: found.sound_bytes] == whole[:cut][: found.sound_bytes]
    for cut in random.Random(1).sample(range(len(whole)), 20):
        path.write_bytes(whole[:cut])
        assert filled(path).read_bytes() == whole, cut


def test_killed_again_and_again(tmp_path):
    experiment, path = tmp_path / "one.toml", tmp_path / "one.jsonl"
    sizes = list(range(1, 101))
    experiment.write_text(f'kind = "fake"\n[[sweep]]\nnames = ["sort"]\nseed = 1\nsize = {sizes}\n')
    command = [sys.executable, str(FAKE), str(experiment), str(path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    delays = random.Random(2)
    lengths = []
    for _ in range(3):
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        before = path.stat().st_size if path.exists() else 0
        deadline = time.monotonic() + 60
        while (path.stat().st_size if path.exists() else 0) <= before and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.001)
        time.sleep(delays.random() * 0.03)
        process.send_signal(signal.SIGKILL)
        process.wait()
        lengths.append(path.stat().st_size)
    assert lengths == sorted(lengths)
    assert len(results.read(path).done) < len(sizes)  # so it was killed on the way
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert f"of {len(sizes)} points are done" in done.stdout
    counted = Counter((one["size"], one["contender"]) for one in results.read(path).records)
    assert counted == Counter((size, one) for size in sizes for one in CONTENDERS)


def test_corruption_in_the_middle_is_reported(tmp_path):
    path = filled(tmp_path / "one.jsonl")
    lines = path.read_text().splitlines(keepends=True)
    for changed, said in [
        (["{}\n", *lines], ":1 is no record"),
        ([*lines[:4], lines[5], *lines[6:]], "lacks records"),
        ([*lines, *lines[1:4]], "is there twice"),
    ]:
        path.write_text("".join(changed))
        with pytest.raises(ExperimentError, match=said):
            results.read(path)


def test_two_cannot_write_at_once(tmp_path):
    path = tmp_path / "one.jsonl"
    with results.Results(path), pytest.raises(ExperimentError, match="another process is writing"):
        results.Results(path)


def test_a_full_disk_leaves_complete_points(tmp_path, monkeypatch):
    path = filled(tmp_path / "one.jsonl", POINTS[:1])
    before, real = path.read_bytes(), os.write
    monkeypatch.setattr(os, "write", lambda file, data: real(file, bytes(data)[:100]) if len(data) > 1900 else fail())

    def fail():
        raise OSError(28, "No space left on device")

    with results.Results(path) as file, pytest.raises(ExperimentError, match="No space left"):
        file.add(POINTS[1], [record(one) for one in CONTENDERS * 3])
    assert path.read_bytes() == before


def test_a_new_head_is_written_when_the_experiment_changed(tmp_path):
    path = filled(tmp_path / "one.jsonl")
    with results.Results(path) as file:
        file.set_head(HEAD)
        file.set_head({**HEAD, "text": "other"})
    assert sum("experiment" in json.loads(line) for line in path.read_text().splitlines()) == 2
    assert results.read(path).head["text"] == "other"
