# SPDX-License-Identifier: Apache-2.0
"""The files by which Jupyter knows a kernel: `kernels/atoll-NAME/kernel.json` in its data directory of this user."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")
_PREFIX = "atoll-"
PROVISIONER = "atoll-provisioner"


@dataclass(frozen=True)
class Kernel:
    """Command and environment of a kernel's process."""

    name: str
    hosts: str = ""
    pes: int | None = None
    threads: int | None = None
    slurm: str = ""  # options of salloc

    @property
    def title(self) -> str:
        """As notebooks show it."""
        place = f"Slurm {self.slurm}" if self.slurm else self.hosts or f"{self.pes or 1} PEs"
        return f"Atoll {self.name} ({place})"

    def specification(self) -> dict[str, Any]:
        """The contents of kernel.json."""
        words = [sys.executable, "-m", "atoll.jupyter.kernel"]
        for option, value in (("--hosts", self.hosts), ("--pes", self.pes), ("--threads", self.threads)):
            if value:
                words += [option, str(value)]
        provisioner = {"provisioner_name": PROVISIONER, "config": {"slurm": self.slurm}}
        return {
            "argv": [*words, "-f", "{connection_file}"],
            "display_name": self.title,
            "language": "python",
            # A message reaches the kernel on any host, also while an operation runs.
            "interrupt_mode": "message",
            "metadata": {"debugger": True, "kernel_provisioner": provisioner},
        }


def directory() -> Path:
    """Jupyter's kernels of this user."""
    data = os.environ.get("JUPYTER_DATA_DIR")
    share = os.environ.get("XDG_DATA_HOME") or os.path.join(os.path.expanduser("~"), ".local", "share")
    return (Path(data) if data else Path(share) / "jupyter") / "kernels"


def place_of(name: str) -> Path:
    """The folder of a kernel. ValueError where the name is none."""
    if not _NAME.match(name):
        raise ValueError(
            f"{name!r} is no name of a kernel (it names a folder). Use up to 64 letters, digits, '.', '_' and '-'"
        )
    return directory() / f"{_PREFIX}{name.lower()}"


def install(kernel: Kernel) -> Path:
    """Writes the kernel's files, in place of those of the same name; returns their folder."""
    place = place_of(kernel.name)
    place.mkdir(parents=True, exist_ok=True)
    aside = place / "kernel.json.tmp"
    aside.write_text(json.dumps(kernel.specification(), indent=1) + "\n")
    aside.replace(place / "kernel.json")
    return place


def remove(name: str) -> None:
    """Removes a kernel's files. LookupError: there are none."""
    place = place_of(name)
    if not (place / "kernel.json").exists():
        raise LookupError(f"there is no kernel {name!r} (installed: {', '.join(installed()) or 'none'})")
    shutil.rmtree(place)


def installed() -> dict[str, str]:
    """Names of this user's kernels, with their titles."""
    found = {}
    for file in sorted(directory().glob(f"{_PREFIX}*/kernel.json")):
        found[file.parent.name.removeprefix(_PREFIX)] = str(json.loads(file.read_text()).get("display_name", ""))
    return found
