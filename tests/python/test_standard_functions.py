# SPDX-License-Identifier: Apache-2.0
"""Functions of scipy and scikit-learn that accept arrays of the standard: the example runs and compares them."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("launcher", [[], ["-m", "atoll", "run", "-n", "3"]], ids=["alone", "3 PEs"])
def test_functions_of_others_take_arrays(launcher):
    pytest.importorskip("sklearn")
    pytest.importorskip("scipy")
    command = [sys.executable, *launcher, str(ROOT / "examples/standard_arrays.py"), "--rows", "2001"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("as with NumPy's arrays") == 25, done.stdout
