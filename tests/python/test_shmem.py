# SPDX-License-Identifier: Apache-2.0
"""atoll.shmem: on 1 to 4 PEs, its docstrings, and failing PEs."""

import doctest
import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from built import needs_core, needs_launcher

pytestmark = [needs_core, needs_launcher]
SCRIPT = Path(__file__).parent / "spmd" / "shmem_all.py"
PARTS = ["atoll.shmem", *(f"atoll.shmem.{name}" for name in ("_library", "_memory", "_order", "_rma", "_team"))]


def run(pes, *command, **environment):
    return subprocess.run(
        [sys.executable, "-m", "atoll", "run", "-n", str(pes), "--threads", "1", *command],
        capture_output=True, text=True, timeout=100, check=False,
        env={**os.environ, "ATOLL_HEAP_SIZE": "256M", **environment},
    )  # fmt: skip


@pytest.mark.parametrize("pes", [1, 2, 3, 4])
def test_all_of_it(pes):
    done = run(pes, str(SCRIPT))
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"all parts hold on {pes} PEs\n"


def test_without_the_launcher_there_is_one_pe():
    done = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "all parts hold on 1 PEs\n"


@pytest.mark.parametrize("name", PARTS)
def test_docstrings(name):
    # In a process of its own: a session of workers has no symmetric memory.
    code = f"import doctest, importlib; print(doctest.testmod(importlib.import_module({name!r})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    assert "failed=0" in done.stdout, done.stdout
    assert doctest.DocTestFinder().find(importlib.import_module(name))


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("raise ValueError('no more')", "ValueError: no more"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "was killed by signal 9"),
        ("shmem.global_exit(3)", "exited with status 3"),
    ],
)
@pytest.mark.parametrize("where", ["shmem.wait_until(flag, '==', 1)", "shmem.barrier()", "shmem.Lock()"])
def test_a_pe_that_fails_ends_the_job(how, said, where):
    code = (
        "from atoll import shmem\nflag = shmem.zeros(1, 'int64')\nshmem.barrier()\n"
        f"if shmem.my_pe() == 1:\n    {how}\n{where}\nprint('went on')"
    )
    done = run(3, sys.executable, "-c", code)
    assert done.returncode != 0
    assert said in done.stderr
    assert "PE 1" in done.stderr
    assert "went on" not in done.stdout


def test_disagreement_about_an_allocation_is_an_error_everywhere():
    code = (
        "from atoll import shmem\n"
        "try:\n    shmem.zeros(10 + shmem.my_pe())\nexcept ValueError as e:\n    print('refused')\n"
    )
    done = run(2, sys.executable, "-c", code)
    assert done.stdout.split() == ["refused", "refused"], done.stderr


def test_more_than_there_is_raises_on_every_pe():
    code = "from atoll import shmem\ntry:\n    shmem.zeros(1 << 40)\nexcept MemoryError:\n    print('refused')\n"
    done = run(2, sys.executable, "-c", code)
    assert done.stdout.split() == ["refused", "refused"], done.stderr


def test_a_session_of_workers_has_no_symmetric_memory():
    code = (
        "import atoll as ak\nfrom atoll import shmem\nak.init(pes=2)\n"
        "try:\n    shmem.zeros(3)\nexcept RuntimeError as e:\n    print(e)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=False)
    assert "atoll run" in done.stdout, done.stderr


def test_arrays_outlive_the_session():
    code = (
        "import atoll as ak\nfrom atoll import shmem\nx = shmem.array([1, 2])\nak.shutdown()\n"
        "assert x.sum() == 3\ny = shmem.array([4])\nassert shmem.g(y, 0) == 4\n"
        "try:\n    shmem.put(x, 1, 0)\nexcept ValueError:\n    print('refused')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=False)
    assert done.stdout.split() == ["refused"], done.stderr
