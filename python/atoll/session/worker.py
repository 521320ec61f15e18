# SPDX-License-Identifier: Apache-2.0
"""Worker PEs of a driver session: how `ak.init(pes=…)` and `ak.init(hosts=…)` start them."""

from __future__ import annotations

import sys

from .. import _core

# Loads the compiled module alone, from its file: a worker needs neither NumPy nor an installed package, and starts in
# 20 ms instead of 200. On the driver's host it exits without Python's clean-up: the kernel frees its resources faster.
# Where an agent has started it, it takes leave of the launcher at its exit.
_PROGRAM = """
import importlib.machinery, posix, sys

def work():
    loader = importlib.machinery.ExtensionFileLoader("_core", sys.argv[1])
    core = loader.create_module(importlib.machinery.ModuleSpec("_core", loader, origin=sys.argv[1]))
    loader.exec_module(core)

    def program(request, here):  # Python code comes to a worker when a command first needs it
        import pickle
        sys.path[:] = pickle.loads(request)[0]
        sys.modules.setdefault("atoll._core", core)
        from atoll.session.everywhere import answer, handle_interrupts
        handle_interrupts(by_agent=b"ATOLL_AGENT" in posix.environ)
        return answer(request, here)

    core.set_program(program)
    try:
        core.worker_main()
    except core.PeFailedError:
        return 1  # the driver reports it
    return 0
"""
_ALONE = """
status = work()
sys.stdout.flush()
sys.stderr.flush()
posix._exit(status)
"""
# PE 0 of the launcher's job passes its connection to the agent to the driver, which is PE 0 instead, and stays for as
# long: the launcher watches this process.
_LAUNCHED = """
def launched(name):  # what the agent has set for this process
    return posix.environ[("ATOLL_" + name).encode()].decode()

def stand_in(name):
    import array, os, select, socket, struct
    agent = int(launched("AGENT"))
    driver = socket.socket(socket.AF_UNIX)
    try:
        driver.connect("\\0" + name)
    except OSError:
        return "PE 0 does not find the driver: it must run on the first of the hosts"
    pid, user, _ = struct.unpack("3i", driver.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    if user != os.getuid():
        return "PE 0 is not started by its driver's user"
    place = launched("NPES") + " " + launched("THREADS")
    driver.sendmsg([place.encode()], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [agent]))])
    os.close(agent)
    try:
        end = os.pidfd_open(pid)  # forked children may hold the connection when the driver has been killed
    except OSError:
        return 1
    ready = select.select([driver, end], [], [])[0]
    return 0 if driver in ready and driver.recv(1) else 1

if launched("PE") == "0":
    sys.exit(stand_in(sys.argv[2]))
sys.exit(work())
"""


def _command(program: str, *words: str) -> list[str]:
    assert _core.__file__ is not None
    return [sys.executable, "-S", "-c", program, _core.__file__, *words]


def command() -> list[str]:
    """The command line of a worker: runs the driver's commands until it shuts down."""
    return _command(_PROGRAM + _ALONE)


def launched_command(socket: str) -> list[str]:
    """The command line of each PE of a job over hosts; PE 0 gives its place to the driver, listening at `socket`."""
    return _command(_PROGRAM + _LAUNCHED, socket)
