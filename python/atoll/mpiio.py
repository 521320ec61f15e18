# SPDX-License-Identifier: Apache-2.0
"""Statistics written by ATOLL_MPIIO_STATS: reading, advice, and charts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from atoll import extras

#: Accesses below this many bytes are small: a call costs as much as moving them.
SMALL_BYTES = 64 << 10


@dataclass(frozen=True)
class FileFigures:
    """One file from its opening to its closing: a record of each rank, by rank."""

    file: str
    ranks: list[dict[str, Any]]

    def total(self, direction: str, figure: str) -> float:
        """A statistic of `read` or `write`, summed over the ranks."""
        return float(sum(rank[direction][figure] for rank in self.ranks))

    def calls(self, direction: str, kind: str) -> int:
        """Number of `independent`, `collective` or `shared` accesses of all ranks."""
        return int(sum(rank[direction][kind]["calls"] for rank in self.ranks))

    def called_for(self, direction: str, kind: str) -> int:
        """Bytes of these accesses."""
        return int(sum(rank[direction][kind]["bytes"] for rank in self.ranks))


def read_lines(lines: Iterable[str]) -> list[FileFigures]:
    """Files in the order in which they were closed.

    >>> read_lines([])
    []

    Raises
    ------
    ValueError
        A line was not written by ATOLL_MPIIO_STATS.
    """
    files: list[FileFigures] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            name, rank, _ = record["file"], record["rank"], record["read"]["accesses"] + record["write"]["accesses"]
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"line {number} is no statistics of an MPI file: {error}") from None
        if rank == 0 or not files or files[-1].file != name:
            files.append(FileFigures(name, []))
        files[-1].ranks.append(record)
    return files


def advice(one: FileFigures) -> list[str]:
    """Recommended changes, most important first; empty when there are none."""
    found = []
    for direction, verb in (("write", "writes"), ("read", "reads")):
        accesses, moved = one.total(direction, "accesses"), one.total(direction, "bytes")
        if accesses < 2:
            continue
        mean = moved / accesses
        independent, collective = one.calls(direction, "independent"), one.calls(direction, "collective")
        gaps = one.total(direction, "gaps") / accesses
        if mean < SMALL_BYTES and independent > collective and len(one.ranks) > 1:
            # Accesses of collective calls are larger.
            piece = min(mean, one.called_for(direction, "independent") / independent)
            found.append(
                f"{independent} independent {verb} reach the file in pieces of {piece:,.0f} bytes: "
                f"MPI_File_{direction}_all lets ranks join them"
            )
        elif mean < SMALL_BYTES:
            found.append(f"{verb} of {mean:,.0f} bytes each: ask for more at once")
        if gaps > 0.5 and independent:
            found.append(
                f"{gaps:.0%} of {verb} do not begin where the one before ended: a view, and one call for many pieces"
            )
        shared = one.calls(direction, "shared")
        if shared > accesses / 2:
            found.append(
                f"{shared} {verb} by the shared pointer, one after another: MPI_File_{direction}_ordered, or offsets"
            )
    rewrites = sum(rank["rewrites"] for rank in one.ranks)
    if rewrites:
        found.append(f"{rewrites} writes first read what lay around them: leave no gaps, or set romio_ds_write=disable")
    aggregated = [rank["aggregated"] for rank in one.ranks if rank["aggregated"]]
    if aggregated and max(aggregated) > 2 * min(aggregated):
        found.append("one aggregator moves more than twice as much as another: cb_nodes, or an even layout")
    wait, file_time = (sum(rank[name] for rank in one.ranks) for name in ("wait_s", "file_s"))
    if wait > file_time > 0:
        found.append("ranks wait for one another longer than for the file: they come at different times")
    return found


def series(rank: dict[str, Any], direction: str, width: float) -> list[float]:
    """Bytes of a rank over time, in bins of `width` seconds, which are not shorter than its own bins."""
    bins = [0.0] * len(rank[f"{direction}_series"])
    for index, moved in enumerate(rank[f"{direction}_series"]):
        bins[int(index * rank["bin_s"] / width + 1e-9)] += moved
    return bins


def rates(ranks: Sequence[dict[str, Any]], direction: str) -> tuple[list[float], list[float]]:
    """Seconds since the opening, and bytes per second of all ranks, in bins of the coarsest."""
    width = max(rank["bin_s"] for rank in ranks)
    bins = [sum(moved) for moved in zip(*(series(rank, direction, width) for rank in ranks), strict=True)]
    return [index * width for index in range(len(bins))], [moved / width for moved in bins]


def draw(one: FileFigures, path: Path) -> None:
    """Writes the chart of one file: rate over time, ranks and time, phases."""
    extras.load("matplotlib", "bench").use("Agg")
    pyplot = extras.load("matplotlib.pyplot", "bench")

    figure, (over_time, by_rank, phases) = pyplot.subplots(3, 1, figsize=(9, 9), layout="constrained")
    for direction in ("read", "write"):
        seconds, rate = rates(one.ranks, direction)
        over_time.step(seconds, [value / 2**20 for value in rate], where="post", label=direction)
    over_time.set(title=one.file, xlabel="seconds since the opening", ylabel="MiB/s")
    over_time.legend()
    width = max(rank["bin_s"] for rank in one.ranks)
    grid = [
        [(a + b) / 2**20 for a, b in zip(series(rank, "read", width), series(rank, "write", width), strict=True)]
        for rank in one.ranks
    ]
    image = by_rank.imshow(
        grid,
        aspect="auto",
        origin="lower",
        interpolation="nearest",
        extent=(0, width * len(grid[0]), -0.5, len(grid) - 0.5),
    )
    by_rank.set(xlabel="seconds since the opening", ylabel="rank")
    by_rank.yaxis.get_major_locator().set_params(integer=True)
    figure.colorbar(image, ax=by_rank, label="MiB")
    base = [0.0] * len(one.ranks)
    for phase in ("wait", "exchange", "file"):
        heights = [rank[f"{phase}_s"] for rank in one.ranks]
        phases.bar([rank["rank"] for rank in one.ranks], heights, bottom=base, label=phase)
        base = [low + height for low, height in zip(base, heights, strict=True)]
    phases.set(xlabel="rank", ylabel="seconds of collective accesses")
    phases.xaxis.get_major_locator().set_params(integer=True)
    phases.legend()
    figure.savefig(path)
    pyplot.close(figure)
