# SPDX-License-Identifier: Apache-2.0
"""`atoll tune`: which algorithm of each collective is the fastest here, by size, PEs and nodes: ATOLL_COLL_TABLE."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from atoll.bench.places import Place, words
from atoll.cli.run import launcher

#: Sizes in bytes that are measured unless others are asked for.
SIZES = (8, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576)
#: A line of the table: collective, PEs, nodes, most bytes (or *), algorithm.
HEAD = "# collective  pes  nodes  bytes  algorithm"
#: A winner must be that much faster than what won at the size before, or that stays.
MARGIN = 0.05


class TuneError(Exception):
    """Raised when a tuning table cannot be made or read."""


@dataclass(frozen=True)
class Line:
    """For sizes to `bytes` (None: any) from the line before it on."""

    collective: str
    pes: int
    nodes: int
    bytes: int | None
    algorithm: str


@dataclass
class Measured:
    """Seconds of each algorithm at each size, of one collective in one job. `auto` is what Atoll's own rules choose."""

    collective: str
    pes: int
    nodes: int
    seconds: dict[int, dict[str, float]] = field(default_factory=dict)

    def winners(self) -> list[tuple[int, str]]:
        """Size: the fastest. Small differences change nothing, so that noise does not make lines.

        Examples
        --------
        >>> from atoll.tune import Measured
        >>> one = Measured("barrier", 2, 1, {8: {"tree2": 1.0, "central": 2.0}, 64: {"tree2": 1.0, "central": 0.99}})
        >>> one.winners()
        [(8, 'tree2'), (64, 'tree2')]
        """
        chosen: list[tuple[int, str]] = []
        for size in sorted(self.seconds):
            own = {name: value for name, value in self.seconds[size].items() if name != "auto"}
            best = min(own, key=lambda name: own[name])
            before = chosen[-1][1] if chosen else best
            if own.get(before, float("inf")) <= own[best] * (1 + MARGIN):
                best = before
            chosen.append((size, best))
        return chosen

    def lines(self) -> list[Line]:
        """Ranges of the table. The boundary between two algorithms is the geometric mean of the measured sizes."""
        won = self.winners()
        found = []
        for (size, name), after in zip(won, [*won[1:], None], strict=True):
            if after is not None and after[1] == name:
                continue
            most = None if after is None else int((size * after[0]) ** 0.5) // 8 * 8
            found.append(Line(self.collective, self.pes, self.nodes, most, name))
        return found


def run(
    pes: int,
    where: Place,
    collectives: Sequence[str],
    sizes: Sequence[int],
    tick: Callable[[int, int, str], None] = lambda done, total, what: None,
) -> list[Measured]:
    """One job. `tick(done, total, what)` is called as it goes; TuneError when the job fails."""
    command = [launcher(), "-n", str(pes), *words("atoll", where, pes, {}, Path())]
    command += [sys.executable, "-m", "atoll.tune.pe", ",".join(collectives), ",".join(map(str, sizes))]
    found: dict[str, Measured] = {}
    ended = False
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as job:
        try:
            assert job.stdout is not None
            assert job.stderr is not None
            for text in job.stdout:
                if not text.startswith("{"):
                    continue
                said: dict[str, Any] = json.loads(text)
                if said.get("end"):
                    ended = True
                    continue
                one = found.setdefault(said["collective"], Measured(said["collective"], pes, said["nodes"]))
                one.seconds.setdefault(said["bytes"], {})[said["algorithm"]] = said["seconds"]
                tick(said["done"], said["total"], f"{said['collective']} {said['bytes']} B")
            errors = job.stderr.read()
        except BaseException:
            job.terminate()
            raise
    if job.returncode != 0 or not ended:
        reason = "; ".join(errors.strip().splitlines()[:3]) or f"exit status {job.returncode}"
        raise TuneError(f"the job of {pes} PEs failed: {reason}")
    return list(found.values())


def text_of(lines: Iterable[Line], about: str) -> str:
    """The file.

    Examples
    --------
    >>> from atoll.tune import Line, text_of
    >>> print(text_of([Line("allreduce", 2, 1, None, "recursive_doubling")], "two PEs"), end="")
    # two PEs
    # collective  pes  nodes  bytes  algorithm
    allreduce 2 1 * recursive_doubling
    """
    rows = [f"{one.collective} {one.pes} {one.nodes} {one.bytes or '*'} {one.algorithm}" for one in lines]
    return "\n".join([f"# {about}", HEAD, *rows]) + "\n"


def read(path: Path) -> list[Line]:
    """The lines of a table, which the library has read before (and said what is wrong with it)."""
    found = []
    try:
        text = path.read_text()
    except OSError as error:
        raise TuneError(f"cannot read {path}: {error.strerror}") from None
    for row in text.splitlines():
        fields = row.partition("#")[0].split()
        if len(fields) == 5:
            most = None if fields[3] == "*" else int(fields[3])
            found.append(Line(fields[0], int(fields[1]), int(fields[2]), most, fields[4]))
    return found
