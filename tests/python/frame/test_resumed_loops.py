# SPDX-License-Identifier: Apache-2.0
"""Loops that go on in another run of the program, from their checkpoints."""

import os
import subprocess
import sys

import pytest
from built import needs_launcher

import atoll as ak


class Ended(Exception):
    """In the place of the end of a process."""


def begin():
    return {
        "a": lambda: ak.arange(100) * 1.0, "frame": lambda: ak.DataFrame({"t": ["x", "y"], "n": [1, 2]}),
        "fixed": lambda: ak.ones(50), "total": 0.0, "seen": [],
    }  # fmt: skip


def work(path, end_at=None, keep=None, **options):
    """Six steps; the numbers of those that ran, and what they have made."""
    keep, ran = begin() if keep is None else keep, []
    for step in ak.steps(6, keep=keep, checkpoint=path, **options):
        if step == end_at:
            raise Ended
        keep["a"][step] = -1
        keep["frame"] = keep["frame"].assign(n=keep["frame"]["n"] + step)
        keep["total"] += float(keep["a"].sum())
        keep["seen"] = [*keep["seen"], step]
        ran.append(step)
    return ran, keep


def test_a_lost_session_goes_on_from_its_checkpoint_on_other_pes(tmp_path):
    ak.shutdown()
    with ak.init(1, 1):
        _, expected = work(None)
        values = expected["a"].tolist(), expected["frame"].to_pandas(), expected["total"]
    with ak.init(3, 1), pytest.raises(Ended):
        work(tmp_path / "state", end_at=4, seconds=0)
    with ak.init(2, 1):
        passed = ak.zeros(100)
        ran, found = work(tmp_path / "state", keep={**begin(), "a": passed})
        assert ran == [4, 5] and found["seen"] == list(range(6)) and found["a"] is passed
        assert (found["a"].tolist(), found["total"]) == (values[0], values[2])
        assert found["frame"].to_pandas().equals(values[1])
    with ak.init(1, 1):  # the end is kept, too
        assert work(tmp_path / "state")[0] == []


def test_loops_of_a_session_have_directories_of_their_own(tmp_path):
    ak.shutdown()
    code = (
        "import sys, atoll as ak\n"
        "ak.init(checkpoint=sys.argv[1])\n"
        "for start in (0, 10):\n"
        "    keep = {'a': lambda: ak.zeros(3) + start}\n"
        "    for step in ak.steps(2, keep=keep):\n"
        "        keep['a'] = keep['a'] + 1\n"
        "        print('step', step)\n"
        "    print(keep['a'].tolist())\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "run")]
    first = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout.splitlines()
    assert first == ["step 0", "step 1", "[2.0, 2.0, 2.0]", "step 0", "step 1", "[12.0, 12.0, 12.0]"]
    again = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout.splitlines()
    assert again == ["[2.0, 2.0, 2.0]", "[12.0, 12.0, 12.0]"]
    assert sorted(os.listdir(tmp_path / "run")) == ["1", "2"]


def test_what_does_not_fit_is_refused(tmp_path, one_session):
    path = tmp_path / "state"
    list(ak.steps(1, keep={"a": 1}, checkpoint=path))
    with pytest.raises(ValueError, match="has a checkpoint of a, not of b"):
        list(ak.steps(1, keep={"b": 1}, checkpoint=path))
    with pytest.raises(TypeError, match="a checkpoint cannot hold"):
        list(ak.steps(1, keep={"b": {1, 2}}, checkpoint=tmp_path / "other"))
    with pytest.raises(ValueError, match="seconds"):
        ak.steps(1, seconds=-1)
    with pytest.raises(ValueError, match="failure_gap"):
        ak.steps(1, failure_gap=0)


@needs_launcher
@pytest.mark.slow
def test_a_job_goes_on_from_the_checkpoint_of_another(tmp_path):
    code = (
        "import os, sys, atoll as ak\n"
        "ak.init()\n"
        "keep = {'a': lambda: ak.arange(1000), 'n': 0}\n"
        "for step in ak.steps(5, keep=keep, checkpoint=sys.argv[1], seconds=0):\n"
        "    if step == int(sys.argv[2]): os._exit(3)\n"
        "    keep['a'] = keep['a'] + step\n"
        "    keep['n'] += 1\n"
        "print(keep['a'].sum(), keep['n'])\n"
    )

    def run(pes, end_at):
        command = [sys.executable, "-m", "atoll", "run", "-n", str(pes), sys.executable, "-c", code]
        return subprocess.run(
            [*command, str(tmp_path / "state"), str(end_at)], capture_output=True, text=True, timeout=120, check=False
        )

    assert run(3, 3).returncode == 3
    done = run(2, -1)
    assert (done.returncode, set(done.stdout.splitlines())) == (0, {"509500 5"}), done.stderr
