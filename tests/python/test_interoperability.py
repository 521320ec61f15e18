# SPDX-License-Identifier: Apache-2.0
"""Several models in one process: doors that open and close in any order share one PE."""

import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = Path(__file__).parent / "spmd"
MPI = ROOT / "build/release/mpi/lib/libmpi_abi.so.1"
SHMEM = ROOT / "python/atoll/lib/libatoll_shmem.so.1"
PORTALS = ROOT / "build/release/portals"

pytestmark = pytest.mark.skipif(
    not all(path.exists() for path in (MPI, SHMEM, PORTALS / "lib")) or shutil.which("cc") is None,
    reason="needs built MPI, OpenSHMEM and Portals, and a C compiler",
)

ORDERS = ["".join(order) for order in itertools.permutations("mspa")]
#: Opening and closing, so that each order of either occurs: what is not closed ends with the process.
PAIRS = list(zip(ORDERS, ORDERS[7:] + ORDERS[:7], strict=True))


@pytest.fixture(scope="module")
def portals(tmp_path_factory):
    """The part of Portals, as a library that Python can load."""
    made = tmp_path_factory.mktemp("portals") / "libportals_part.so"
    words = ["-shared", "-fPIC", "-I", PORTALS / "include", ROOT / "tests/interoperability/portals_part.c", "-o", made]
    words += ["-L", PORTALS / "lib", "-lportals", f"-Wl,-rpath,{PORTALS / 'lib'}"]
    subprocess.run(["cc", *map(str, words)], check=True)
    return made


def run(pes, script, *words):
    launcher = ["-m", "atoll", "run", "-n", str(pes), "--threads", "1", sys.executable] if pes else []
    return subprocess.run(
        [sys.executable, *launcher, str(SCRIPTS / script), *map(str, words)],
        capture_output=True, text=True, timeout=100, check=False, env={**os.environ, "ATOLL_GRAIN": "4"},
    )  # fmt: skip


def check(pes, opening, closing, folder, portals):
    done = run(pes, "all_doors.py", opening, closing, folder, MPI, SHMEM, portals)
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(done.stdout.splitlines()) == [f"done {pe}" for pe in range(max(pes, 1))]
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("pes", "opening", "closing"),
    [
        (3, "sapm", "mpsa"),
        (3, "mpas", "asm"),
        (2, "amsp", "psma"),
        (2, "pasm", "sm"),
        (1, "spam", "amps"),
        (0, "msap", "spma"),
    ],
)
def test_all_doors_at_once(pes, opening, closing, tmp_path, portals):
    check(pes, opening, closing, tmp_path, portals)


@pytest.mark.slow
@pytest.mark.parametrize("pes", [0, 1, 2, 3])
@pytest.mark.parametrize(("opening", "closing"), PAIRS)
def test_every_order(pes, opening, closing, tmp_path, portals):
    check(pes, opening, closing, tmp_path, portals)


@pytest.mark.parametrize("pes", [0, 1, 2, 3])
def test_arrays_over_communicators(pes):
    done = run(pes, "communicators.py", MPI)
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(done.stdout.splitlines()) == [f"done {pe}" for pe in range(max(pes, 1))]
