# SPDX-License-Identifier: Apache-2.0
"""Loops of SPMD programs that go on when PEs have died: under the launcher, with processes that are killed."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from built import needs_launcher

import atoll as ak

pytestmark = needs_launcher
SURVIVORS = Path(__file__).parents[1] / "spmd" / "survivors.py"


def run(pes, *command, **environment):
    environment = {**os.environ, "ATOLL_THREADS": "1", "ATOLL_GRAIN": "64", **environment}
    command = [sys.executable, "-m", "atoll", "run", "-n", str(pes), "--output", "all", *command]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment)


def run_loop(folder, pes, steps, *deaths, **environment):
    done = run(pes, sys.executable, str(SURVIVORS), str(folder), str(steps), *deaths, **environment)
    assert done.returncode == 0, done.stderr + done.stdout
    assert len(done.stdout.splitlines()) == pes, done.stdout
    return done


@pytest.mark.parametrize(
    "deaths",
    [
        pytest.param(["0:2:middle", "1:2:middle"], id="two at once"),
        pytest.param(["1:2"], id="one", marks=pytest.mark.slow),
        pytest.param(["0:1:middle"], id="first", marks=pytest.mark.slow),
        pytest.param(["2:0:end", "1:3"], id="in turn", marks=pytest.mark.slow),
    ],
)
def test_loops_resume_with_new_processes(tmp_path, deaths):
    done = run_loop(tmp_path, 3, 5, *deaths)
    assert sorted(one.name for one in tmp_path.iterdir()) == [str(at) for at in range(len(deaths))]
    assert done.stderr.count("was killed by signal 9") == len(deaths)
    assert done.stderr.count("takes the place of a dead process") == len(deaths)


@pytest.mark.slow
def test_the_death_of_all_pes_ends_the_job(tmp_path):
    done = run(1, sys.executable, str(SURVIVORS), str(tmp_path), "4", "0:1:middle")
    assert done.returncode == 128 + 9 and "was killed by signal 9" in done.stderr


@pytest.mark.slow
def test_checked_operations_agree_after_a_death(tmp_path):
    run_loop(tmp_path, 3, 4, "1:1:middle", ATOLL_SPMD_CHECK="1")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_deaths_at_random_times(tmp_path, seed):
    chosen = random.Random(seed)
    pes = chosen.choice([2, 3, 5])
    mortal = [pe for pe in range(pes) if pe != seed % pes]  # when all die, nothing is left to go on from
    deaths = [f"{chosen.choice(mortal)}:{chosen.randrange(12)}:random" for _ in range(chosen.randrange(1, 4))]
    print(seed, pes, deaths)
    run_loop(tmp_path, pes, 12, *deaths)


@pytest.mark.slow
def test_a_death_that_is_not_caught_ends_the_job():
    done = run(3, sys.executable, "-c", (
        "import os, signal, atoll as ak\n"
        "ak.init(resilience='process')\n"
        "a = ak.arange(1000)\n"
        "if ak.pe() == 1: os.kill(os.getpid(), signal.SIGKILL)\n"
        "for step in ak.steps(3, keep={'a': a}): print(a.sum())\n"
    ))  # fmt: skip
    assert done.returncode != 0
    assert "PE 1" in done.stderr and "PeFailedError" in done.stderr


@pytest.mark.slow
def test_a_replacement_that_ends_before_the_loop_ends_the_job(tmp_path):
    done = run(2, sys.executable, "-c", (
        "import os, signal, sys, atoll as ak\n"
        "ak.init(resilience='process')\n"
        "marker = sys.argv[1] + '/died'\n"
        "if os.path.exists(marker) and ak.pe() == 1: sys.exit(0)\n"
        "while True:\n"
        "    try:\n"
        "        for step in ak.steps(3, keep={'a': lambda: ak.arange(10)}):\n"
        "            if ak.pe() == 1 and step == 1:\n"
        "                open(marker, 'w').close()\n"
        "                os.kill(os.getpid(), signal.SIGKILL)\n"
        "        ak.barrier()\n"
        "        break\n"
        "    except ak.PeFailedError:\n"
        "        ak.recover()\n"
    ), str(tmp_path))  # fmt: skip
    assert done.returncode == 1
    assert "has not come to a loop over ak.steps()" in done.stderr


@pytest.mark.slow
def test_drills_kill_a_pe_once():
    done = run(3, sys.executable, "-c", (
        "import atoll as ak\n"
        "session = ak.init(resilience='process')\n"
        "state = {'a': lambda: ak.arange(1000)}\n"
        "while True:\n"
        "    try:\n"
        "        for step in ak.steps(4, keep=state):\n"
        "            if step == 2: ak.testing.fail(1)\n"
        "            state['a'] = state['a'] + 1\n"
        "        print(state['a'].sum(), len(session.recoveries))\n"
        "        break\n"
        "    except ak.PeFailedError:\n"
        "        ak.recover()\n"
    ))  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["503500 0", "503500 1", "503500 1"]


def test_steps_are_a_range_where_nothing_dies():
    state = {"x": lambda: ak.zeros(3), "y": 1}
    assert list(ak.steps(4, keep=state)) == [0, 1, 2, 3]
    assert state["x"].tolist() == [0, 0, 0] and state["y"] == 1
    assert list(ak.steps(0)) == []
    with pytest.raises(ValueError, match="not -1"):
        ak.steps(-1)
    with pytest.raises(ValueError, match="at least 1"):
        ak.steps(1, every=0)
    with pytest.raises(TypeError, match="dictionary"):
        ak.steps(1, keep=[1])
