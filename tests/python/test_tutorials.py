# SPDX-License-Identifier: Apache-2.0
"""Programs of the tutorials compile without warnings, run and print what is documented; commands exist."""

import os
import re
import shlex
import subprocess
import sys

import pytest
from built import ROOT, needs_core, needs_launcher

from atoll.cli import build_parser

BIN = ROOT / "python/atoll/bin"
PAGE = (ROOT / "docs/tutorial-hpc.md").read_text()
CLUSTER = (ROOT / "docs/tutorial-cluster.md").read_text()


def program(model):
    (text,) = re.findall(rf"^```c {model}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return text


@needs_launcher
@pytest.mark.parametrize(
    ("model", "compiler", "expected"),
    [
        ("shmem", "oshcc", [f"PE {pe} of 4 was written by PE {(pe - 1) % 4}" for pe in range(4)]),
        ("mpi", "mpicc", ["sum of 4 ranks: 6"]),
    ],
)
def test_program_of_the_tutorial_runs(tmp_path, model, compiler, expected):
    source = tmp_path / f"{model}.c"
    source.write_text(program(model))
    words = [BIN / compiler, "-Wall", "-Wextra", "-Werror", source, "-o", tmp_path / model]
    compiled = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert compiled.returncode == 0, compiled.stderr
    done = subprocess.run(
        [BIN / "atoll-run", "-n", "4", tmp_path / model], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == expected


@needs_core
@needs_launcher
@pytest.mark.parametrize("pes", [1, 4])
def test_script_of_the_cluster_tutorial_runs(tmp_path, pes):
    (tmp_path / "means.py").write_text(re.search(r"```python\n(import atoll.*?)```", CLUSTER, re.DOTALL)[1])
    expected = re.search(r"^1 PEs: (.*)$", CLUSTER, re.MULTILINE)[1]
    words = ["-m", "atoll", "run", "-n", str(pes)] if pes > 1 else []
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run(
        [sys.executable, *words, "means.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{pes} PEs: {expected}\n"


def test_commands_of_the_cluster_tutorial_are_accepted():
    commands = [shlex.split(line)[1:] for line in re.findall(r"^\$ (atoll .*)$", CLUSTER, re.MULTILINE)]
    assert {words[0] for words in commands} == {"run", "doctor", "submit", "kernel", "serve"}
    for words in commands:
        if words[0] != "run":
            build_parser(words[0]).parse_args(words)
