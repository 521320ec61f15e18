# SPDX-License-Identifier: Apache-2.0
"""A batch job: its program, hosts, cores and limits, independent of the scheduler."""

from __future__ import annotations

import re
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

_TIME = re.compile(r"(\d+):([0-5]\d)(?::([0-5]\d))?\Z")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,62}\Z")
_PLACEHOLDER = re.compile(r"(?<!\$)\{([a-z_]+)\}")


@dataclass(frozen=True)
class Job:
    """A program on several hosts. ValueError where a value has no meaning."""

    name: str
    program: tuple[str, ...]  # the script and its arguments
    directory: str
    nodes: int = 1
    pes_per_node: str = "numa"  # or a number, or socket
    threads: int | None = None  # of each PE
    cores: int | None = None  # of each host; None: whole hosts
    seconds: int | None = None
    queue: str = ""
    account: str = ""
    output: str = ""
    options: tuple[str, ...] = ()  # in the scheduler's words
    driver: bool = False  # the script runs once and starts the PEs itself

    def __post_init__(self) -> None:
        if not _NAME.match(self.name):
            raise ValueError(f"{self.name!r} is no name of a job. Use up to 63 letters, digits, '.', '_' and '-'")
        for what, count in (("nodes", self.nodes), ("threads", self.threads), ("cores", self.cores)):
            if count is not None and count < 1:
                raise ValueError(f"--{what} must be at least 1, not {count}")
        if self.pes_per_node not in ("numa", "socket") and not re.match(r"[1-9]\d*\Z", self.pes_per_node):
            raise ValueError(f"--pes-per-node {self.pes_per_node!r} is not a number, numa or socket")
        for text in (self.queue, self.account, self.output, self.directory, *self.options):
            if "\n" in text:
                raise ValueError(f"{text!r} has more than one line, which no directive of a batch script has")

    @property
    def time(self) -> str:
        """The limit as H:MM:SS; empty: none."""
        if self.seconds is None:
            return ""
        return f"{self.seconds // 3600}:{self.seconds // 60 % 60:02}:{self.seconds % 60:02}"

    def command(self) -> str:
        """The line that starts the job, where the shell's `hosts` names the hosts."""
        if self.driver:
            return shlex.join([sys.executable, *self.program])
        words = ["--pes-per-node", self.pes_per_node]
        if self.threads is not None:
            words += ["-t", str(self.threads)]
        return f'{shlex.quote(sys.executable)} -m atoll run --hosts "$hosts" {shlex.join([*words, *self.program])}'


def seconds_of(text: str) -> int:
    """Parses "H:MM" or "H:MM:SS"."""
    found = _TIME.match(text)
    if found is None or not any(int(part or 0) for part in found.groups()):
        raise ValueError(f"{text!r} is no time. Write hours and minutes, as 2:00, or 0:30:00")
    hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return hours * 3600 + minutes * 60 + seconds


def filled(template: str, values: dict[str, str]) -> str:
    """A template of the folder `templates`; `${name}` in it is the shell's."""
    text = (Path(__file__).parent / "templates" / template).read_text()
    return _PLACEHOLDER.sub(lambda found: values[found[1]], text)
