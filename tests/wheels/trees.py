# SPDX-License-Identifier: Apache-2.0
"""Minimal systems: folders made of Debian's packages, entered by chroot, deleted after use."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
#: What was made once is kept here: archives of trees, and wheels of the packages that Atoll depends on.
KEPT = ROOT / "build" / "trees"

#: Namespaces of its own: mounts and processes end with the command.
ENTER = """
set -e
mount -t proc proc "$0/proc"
mount --bind /sys "$0/sys"
mount -t tmpfs tmpfs "$0/dev/shm"
chroot "$0" "$@"
"""


def archive(suite: str, packages: Sequence[str]) -> Path:
    """A tree of Debian's essential packages (no apt) and these, as an archive; made if it is not there yet."""
    kept = KEPT / f"{suite}-{'-'.join(packages)}.tar"
    if not kept.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        making = kept.with_suffix(".making.tar")
        command = [
            "mmdebstrap",
            "--quiet",
            "--variant=essential",
            f"--include={','.join(packages)}",
            suite,
            str(making),
        ]
        subprocess.run(command, check=True, timeout=900)
        making.rename(kept)
    return kept


class Tree:
    """One unpacked system. Only root can enter it."""

    def __init__(self, folder: Path, suite: str, packages: Sequence[str]) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        subprocess.run(["tar", "-xf", archive(suite, packages), "-C", folder, "--numeric-owner"], check=True)

    def remove(self) -> None:
        shutil.rmtree(self.folder)

    def run(self, *command: str, fails: bool = False, timeout: float = 300) -> str:
        """What a command inside printed; its exit status must be as expected. The network is the machine's, unused."""
        enter = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, str(self.folder)]
        plain = {"PATH": "/opt/atoll/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            [*enter, *command], env=plain, cwd="/", capture_output=True, text=True, timeout=timeout, check=False
        )
        assert (done.returncode != 0) == fails, f"{' '.join(command)}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def write(self, name: str, text: str) -> str:
        """Writes a file; returns its path inside."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return f"/{name}"


def dependencies(python: str) -> Path:
    """A folder with wheels of what Atoll depends on, and of pip, for this version of Python ("3.11")."""
    folder = KEPT / f"packages-{python}"
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        command = ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--only-binary=:all:"]
        command += ["--python-version", python, "--implementation", "cp", "--dest", str(folder)]
        for abi in (f"cp{python.replace('.', '')}", "abi3", "none"):
            command += ["--abi", abi]
        for glibc in (17, 27, 28):
            command += ["--platform", f"manylinux_2_{glibc}_{os.uname().machine}"]
        subprocess.run(
            [str(ROOT / ".venv/bin/python"), *command, "pip", "numpy>=2.0", "rich>=13"], check=True, timeout=600
        )
        (folder / "complete").touch()
    return folder
