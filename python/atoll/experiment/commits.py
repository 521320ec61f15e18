# SPDX-License-Identifier: Apache-2.0
"""The code of other commits: each in a git worktree of a cache folder, built as `make build` builds, and kept."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from atoll.bench.record import PACKAGE
from atoll.bench.toolchains import cache_folder
from atoll.experiment.plan import Plan

CHECKOUT = PACKAGE.parent.parent
#: A build that takes longer than this hangs.
BUILD_S = 3600


@dataclass
class Builds:
    """The commits of a plan, built."""

    plan: Plan
    #: Each commit's full name, by the plan's; and the folder of its Python package.
    names: dict[str, str] = field(default_factory=dict)
    python: dict[str, Path] = field(default_factory=dict)

    def resolve(self) -> Plan:
        """The plan, with the commits' full names."""
        if not self.plan.commits:
            return self.plan
        full = {name: self._full(name) for name in self.plan.commits}
        if len(set(full.values())) < len(full):
            raise self.plan.wrong("commits", f"{' and '.join(full)} are one commit")
        self.names = full
        return self.plan.with_commits(full)

    def make(self, say: Callable[[str], None]) -> None:
        """Builds the commits that are not built yet."""
        for name, commit in self.names.items():
            self.python[commit] = self._build(name, commit, say) / "python"

    def environment(self, commit: str | None) -> dict[str, str]:
        return {"PYTHONPATH": str(self.python[commit])} if commit else {}

    def _git(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = ["git", "-C", str(CHECKOUT), *words]
        try:
            return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        except OSError as error:
            raise self.plan.wrong("commits", f"git does not start: {error.strerror}") from None

    def _full(self, name: str) -> str:
        found = self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        if found.returncode != 0:
            raise self.plan.wrong("commits", f"git knows no commit '{name}' in {CHECKOUT}")
        return found.stdout.strip()

    def _build(self, name: str, commit: str, say: Callable[[str], None]) -> Path:
        folder = cache_folder().parent / "commits" / commit[:16]
        built = folder / "build" / "built"
        if built.is_file() and built.read_text() == sys.executable:
            return folder
        say(f"building {name} ({commit[:10]}) in {folder}")
        if not (folder / ".git").exists():
            folder.parent.mkdir(parents=True, exist_ok=True)
            self._git("worktree", "prune")
            self._demand(
                name, "git", "-C", str(CHECKOUT), "worktree", "add", "--force", "--detach", str(folder), commit
            )
        python = f"-DPython_EXECUTABLE={sys.executable}"
        self._demand(name, "cmake", "--preset", "release", "-DATOLL_BUILD_PYTHON=ON", python, at=folder)
        jobs = str(len(os.sched_getaffinity(0)))
        self._demand(
            name, "cmake", "--build", "--preset", "release", "-j", jobs, "--target", "atoll_package", at=folder
        )
        built.write_text(sys.executable)
        return folder

    def _demand(self, name: str, *command: str, at: Path | None = None) -> None:
        # Most files are equal in both commits: ccache finds objects compiled in another folder.
        shared = {"CCACHE_BASEDIR": str(at), "CCACHE_NOHASHDIR": "1"} if at else {}
        try:
            done = subprocess.run(
                command,
                cwd=at,
                capture_output=True,
                text=True,
                timeout=BUILD_S,
                check=False,
                env={**os.environ, **shared},
            )
        except OSError as error:
            raise self.plan.wrong("commits", f"{command[0]} does not start: {error.strerror}") from None
        if done.returncode != 0:
            lines = (done.stdout + done.stderr).strip().splitlines()
            said = next((line for line in lines if "rror" in line), lines[-1] if lines else "no message")
            raise self.plan.wrong("commits", f"{name} cannot be built: {said.strip()}")
