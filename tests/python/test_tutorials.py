# SPDX-License-Identifier: Apache-2.0
"""The C programs of the HPC tutorial compile without warnings, run, and print the documented output."""

import re
import subprocess

import pytest
from built import ROOT, needs_launcher

BIN = ROOT / "python/atoll/bin"
PAGE = (ROOT / "docs/tutorial-hpc.md").read_text()


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
