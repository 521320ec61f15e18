# SPDX-License-Identifier: Apache-2.0
"""A process is killed while it writes: the old data are there or the new; what it left goes with the next write."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import writers

from atoll.storage import atomic

pytestmark = pytest.mark.usefixtures("one_session")


def killed(how, path, stop, victim=0, seconds=0.0):
    """Lets a job of two PEs write and kills one of them: 0 is the driver."""
    process = subprocess.Popen(
        [sys.executable, writers.__file__, how, path, stop], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        pids = [int(one) for one in process.stdout.readline().split()]
        assert process.stdout.readline() == "here\n", process.stderr.read()
        time.sleep(seconds)
        os.kill(pids[victim], signal.SIGKILL)
        _, told = process.communicate(timeout=60)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == -signal.SIGKILL or "PeFailedError" in told, told


def looked_at(how, path):
    """Of which round what is there is; behind the next write nothing else is there."""
    (found,) = writers.numbers(how, path)
    writers.WRITE[how](path, -1)
    assert writers.numbers(how, path) == {-1}
    files = {f"{path.name}_LOCALE0000"} if how == "arkouda" else {path.name}
    assert set(os.listdir(path.parent)) == files
    return found


@pytest.mark.parametrize("how", ["data set", "csv"])
@pytest.mark.parametrize(("stop", "expected"), [("flush", 0), ("renamed", 1)])
def test_before_and_behind_the_renaming(tmp_path, how, stop, expected):
    path = tmp_path / writers.name(how)
    killed(how, path, stop)
    left = len(os.listdir(tmp_path)) - 1
    assert left == 1 if stop == "flush" else left <= 1
    assert looked_at(how, path) == expected


@pytest.mark.slow
@pytest.mark.parametrize("how", writers.WRITE)
def test_at_any_time(tmp_path, how):
    seed = int(os.environ.get("FUZZ_SEED", random.randrange(1 << 32)))
    print(f"FUZZ_SEED={seed}")
    rng = random.Random(seed)
    for at in range(int(os.environ.get("FUZZ_KILLS", "6"))):
        path = tmp_path / str(at) / writers.name(how)
        path.parent.mkdir()
        killed(how, path, "never", at % 2, rng.random() / 2)
        assert looked_at(how, path) >= 0


def test_writers_at_the_same_time_leave_one_another_alone(tmp_path):
    from atoll.storage.atomic import replacing

    path = tmp_path / "a"
    with replacing(str(path)) as first:
        Path(first).write_text("first")
        with replacing(str(path)) as second:
            Path(second).write_text("second")
            assert Path(first).read_text() == "first"
        assert path.read_text() == "second"
    assert path.read_text() == "first" and os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize("make", ["beside", "directory_beside"])
def test_temporary_files_of_a_running_writer_are_left_to_it(tmp_path, make):
    """Other PEs discard them after a death, while the first PE may be replacing a path with them."""
    aside = getattr(atomic, make)(str(tmp_path / "out"))
    if os.path.isdir(aside):
        Path(aside, "content").touch()

    def discard_elsewhere():
        script = "import sys; from atoll.storage.atomic import discard; discard(sys.argv[1])"
        subprocess.run([sys.executable, "-c", script, aside], check=True)

    before = sorted(tmp_path.rglob("*"))
    discard_elsewhere()
    assert sorted(tmp_path.rglob("*")) == before
    os.close(atomic._held.pop(aside))  # as the end of the writer does
    discard_elsewhere()
    assert not list(tmp_path.iterdir())
