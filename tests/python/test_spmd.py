# SPDX-License-Identifier: Apache-2.0
"""Scripts that every PE runs, started by the launcher."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from atoll import _core

SCRIPTS = Path(__file__).parent / "spmd"
_answers = set()
_breadth = {}


def run(pes, *command):
    return subprocess.run(
        [sys.executable, "-m", "atoll", "run", "-n", str(pes), "--threads", "1", *command],
        capture_output=True, text=True, timeout=100, check=False, env={**os.environ, "ATOLL_GRAIN": "4"},
    )  # fmt: skip


@pytest.mark.parametrize("pes", [1, 2, 3, 4, 5, 8])
def test_answers_do_not_depend_on_pes(pes):
    done = run(pes, sys.executable, str(SCRIPTS / "answers.py"))
    assert done.returncode == 0, done.stderr
    _answers.add(done.stdout)
    assert len(_answers) == 1


@pytest.mark.parametrize("pes", [1, 3])
def test_breadth(pes, tmp_path):
    done = run(pes, sys.executable, str(SCRIPTS / "breadth.py"), str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert _breadth.setdefault("hashes", done.stdout) == done.stdout


def test_files(tmp_path):
    done = run(3, sys.executable, str(SCRIPTS / "files.py"), str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["done 0", "done 1", "done 2"]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.csv", "a.feather", "a.parquet", "set", "state"]


def test_arkoudas_files_are_written_by_one_process(tmp_path):
    done = run(3, sys.executable, str(SCRIPTS / "arkouda_files.py"), str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["[0, 1] ['a', '', 'b'] [0, 1, 2] FileNotFoundError"] * 3
    assert sorted(one.name for one in tmp_path.iterdir()) == ["c_LOCALE0000", "h_LOCALE0000"]


@pytest.mark.parametrize("hosts", ["a:1,b:1", "a:2,b:2", "a:1,b:2,c:1"])
def test_answers_do_not_depend_on_nodes(hosts):
    if _core.info()["network"].startswith("none"):
        pytest.skip("no network between nodes")
    pretend = ["--hosts", hosts, "--address", "127.0.0.1", "--launch-agent", "env ATOLL_NODE_NAME={host}"]
    done = run(sum(int(host[-1]) for host in hosts.split(",")), *pretend, sys.executable, str(SCRIPTS / "answers.py"))
    assert done.returncode == 0, done.stderr
    _answers.add(done.stdout)
    assert len(_answers) == 1


def test_pes_and_init_in_a_job():
    code = "import atoll as ak; s = ak.init(pes=7); assert s.kind == 'spmd' and s.pes == 2; print(s.pe + 10)"
    done = run(2, sys.executable, "-c", code)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.split()) == ["10", "11"]


def test_an_error_on_every_pe_ends_the_job():
    done = run(2, sys.executable, "-c", "import atoll as ak; ak.arange(5)[9]")
    assert done.returncode != 0
    assert "IndexError" in done.stderr
