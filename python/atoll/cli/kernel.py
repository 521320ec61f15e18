# SPDX-License-Identifier: Apache-2.0
"""`atoll kernel`: kernels of Jupyter whose process is PE 0 of a job."""

from __future__ import annotations

import argparse
import importlib.util

from atoll.cli.common import CommandError


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    add = actions.add_parser("install", help="make a kernel known to Jupyter")
    add.add_argument("--name", required=True, help="name of the kernel")
    add.add_argument("--hosts", default="", help="hosts of its PEs: a:8,b:8; a is the host on which Jupyter runs")
    add.add_argument("-n", "--pes", type=int, help="PEs (default: 1, one per host, or what the hosts have room for)")
    add.add_argument("--threads", type=int, help="threads of each PE (default: an even share of the cores)")
    add.add_argument("--slurm", default="", metavar="OPTIONS", help='start it in an allocation: "-N 4 -t 2:00:00"')
    actions.add_parser("list", help="list this user's kernels")
    gone = actions.add_parser("remove", help="remove a kernel")
    gone.add_argument("--name", required=True, help="name of the kernel")


def main(arguments: argparse.Namespace) -> int:
    from atoll.jupyter import kernelspec

    try:
        if arguments.action == "install":
            return _install(arguments)
        if arguments.action == "remove":
            kernelspec.remove(arguments.name)
            return 0
    except (LookupError, ValueError, OSError) as error:
        raise CommandError(error.args[0] if isinstance(error, LookupError) else str(error)) from error
    for name, title in kernelspec.installed().items():
        print(f"{name}: {title}")
    return 0


def _install(arguments: argparse.Namespace) -> int:
    from atoll.jupyter import kernelspec

    if arguments.hosts and arguments.slurm:
        raise CommandError("--hosts and --slurm exclude one another: Slurm chooses the hosts. Leave one out")
    missing = [name for name in ("ipykernel", "jupyter_client") if importlib.util.find_spec(name) is None]
    if missing:
        raise CommandError(f"{' and '.join(missing)} not installed here. Type: pip install 'atoll[jupyter]'")
    kernel = kernelspec.Kernel(arguments.name, arguments.hosts, arguments.pes, arguments.threads, arguments.slurm)
    place = kernelspec.install(kernel)
    print(f"kernel {kernel.title!r} is in {place}; Jupyter lists it under this name")
    return 0
