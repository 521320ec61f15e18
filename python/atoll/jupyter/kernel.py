# SPDX-License-Identifier: Apache-2.0
"""The process of a kernel: IPython's kernel, which is PE 0 of a session that it has started.

Run as `python -m atoll.jupyter.kernel [--hosts …] [--pes …] [--threads …] -f CONNECTION_FILE`.
"""

from __future__ import annotations

import argparse
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

#: Beside the connection file: the name of the kernel's host, once the kernel listens there.
HOST_SUFFIX = ".host"


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--hosts", default="")
    parser.add_argument("--pes", type=int)
    parser.add_argument("--threads", type=int)
    parser.add_argument("-f", dest="file", required=True)
    arguments, rest = parser.parse_known_args(words)
    from ipykernel.kernelapp import IPKernelApp

    app = IPKernelApp.instance()
    app.initialize(["-f", arguments.file, *rest])
    Path(arguments.file + HOST_SUFFIX).write_text(socket.gethostname())
    try:
        _start(arguments)
    except (ValueError, RuntimeError, OSError) as error:
        print(f"atoll: the kernel cannot start its PEs: {error}", file=sys.__stderr__)
        app.close()
        return 1
    app.start()
    return 0


def _start(arguments: argparse.Namespace) -> None:
    """One PE on each host of an allocation, unless numbers are given."""
    from atoll.session import allocation, init

    pes = arguments.pes
    if pes is None and not arguments.hosts and (found := allocation.find()) is not None:
        pes = len(found.hosts)
    init(pes, arguments.threads, hosts=arguments.hosts or None)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
