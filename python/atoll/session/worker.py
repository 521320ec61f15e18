# SPDX-License-Identifier: Apache-2.0
"""Worker PEs of a driver session: how `ak.init(pes=…)` starts them."""

from __future__ import annotations

import sys

from .. import _core

# Loads the compiled module alone, from its file: a worker needs neither NumPy nor an installed package, and starts in
# 20 ms instead of 200. It exits without Python's clean-up: the kernel frees its resources faster.
_PROGRAM = """
import importlib.machinery, posix, sys
loader = importlib.machinery.ExtensionFileLoader("_core", sys.argv[1])
core = loader.create_module(importlib.machinery.ModuleSpec("_core", loader, origin=sys.argv[1]))
loader.exec_module(core)
status = 0

def program(request, here):  # Python code comes to a worker when a command first needs it
    import pickle
    sys.path[:] = pickle.loads(request)[0]
    sys.modules.setdefault("atoll._core", core)
    from atoll.session.everywhere import answer
    return answer(request, here)

core.set_program(program)
try:
    core.worker_main()
except core.PeFailedError:
    status = 1  # the driver reports it
sys.stdout.flush()
sys.stderr.flush()
posix._exit(status)
"""


def command() -> list[str]:
    """The command line of a worker: runs the driver's commands until it shuts down."""
    assert _core.__file__ is not None
    return [sys.executable, "-S", "-c", _PROGRAM, _core.__file__]
