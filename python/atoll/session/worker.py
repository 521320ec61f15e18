# SPDX-License-Identifier: Apache-2.0
"""Worker PEs of a driver session: how `ak.init(pes=…)` starts them."""

from __future__ import annotations

import sys

from .. import _core

# Loads the compiled module alone, from its file: a worker needs neither NumPy nor an installed package, and starts
# in 30 ms instead of 200.
_PROGRAM = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("_core", sys.argv[1])
core = importlib.util.module_from_spec(spec)
spec.loader.exec_module(core)
try:
    core.worker_main()
except core.PeFailedError:
    sys.exit(1)  # the driver reports it
"""


def command() -> list[str]:
    """The command line of a worker: runs the driver's commands until it shuts down."""
    assert _core.__file__ is not None
    return [sys.executable, "-S", "-c", _PROGRAM, _core.__file__]
