# SPDX-License-Identifier: Apache-2.0
"""`oshcc`, `oshc++` and `oshrun` on the PATH, and the `atoll-mpi…` wrappers, whose names do not hide other MPI's: each
becomes the program of that name in the package `atoll`.

Outside that package, because importing it brings NumPy along: 0.2 s for each file that a build compiles.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
from pathlib import Path
from typing import NoReturn


def become(name: str) -> NoReturn:
    spec = importlib.util.find_spec("atoll")
    if spec is None or spec.origin is None:
        sys.exit(f"{name}: the package atoll is not installed")
    program = Path(spec.origin).parent / "bin" / name
    if not program.is_file():
        sys.exit(f"{name}: {program} is missing. In a checkout: `make build`, then again")
    os.execv(program, [str(program), *sys.argv[1:]])


oshcc = functools.partial(become, "oshcc")
oshcxx = functools.partial(become, "oshc++")
oshrun = functools.partial(become, "oshrun")
mpicc = functools.partial(become, "mpicc")
mpicxx = functools.partial(become, "mpicxx")
mpifort = functools.partial(become, "mpifort")
mpiexec = functools.partial(become, "mpiexec")
