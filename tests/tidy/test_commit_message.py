# SPDX-License-Identifier: Apache-2.0
"""scripts/commit_message.py accepts messages of the agreed form, and says what is wrong with others."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/commit_message.py"
spec = importlib.util.spec_from_file_location("commit_message", SCRIPT)
assert spec is not None
assert spec.loader is not None
commit_message = importlib.util.module_from_spec(spec)
spec.loader.exec_module(commit_message)

BODY = "\n\nMPI_Request_free released the row, and a later failure was still reported.\n"


@pytest.mark.parametrize(
    "subject",
    [
        "mpi/request: Ignore peer failures for freed requests",
        "coll, mpi/win: Share the tests' message helper",
        "docs: Explain SPMD in three sentences",
        "Merge branch 'topic'",
    ],
)
def test_accepts(subject):
    assert list(commit_message.faults(subject + BODY)) == []


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        ("", "is empty"),
        ("# only comments\n", "is empty"),
        ("Fix things" + BODY, "is not `area/module: Imperative summary`"),
        ("mpi: fix the ring" + BODY, "Begin it with a capital"),
        ("mpi: Fixed the ring" + BODY, "imperative verb"),
        ("mpi: Fix the ring." + BODY, "full stop"),
        ("mpi: " + "Fix " * 20 + BODY, "at most 72"),
        ("mpi: Fix the ring", "there is no body"),
        ("mpi: Fix the ring\nIt was full.", "second line is not empty"),
    ],
)
def test_names_the_fault(message, fault):
    assert any(fault in one for one in commit_message.faults(message)), list(commit_message.faults(message))


def test_runs_as_a_hook(tmp_path):
    file = tmp_path / "COMMIT_EDITMSG"
    file.write_text("mpi: Fix the ring\n")
    done = subprocess.run([sys.executable, SCRIPT, file], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "there is no body" in done.stderr
    file.write_text("mpi: Fix the ring\n\nIt was full.\n")
    assert subprocess.run([sys.executable, SCRIPT, file], check=False).returncode == 0
