# SPDX-License-Identifier: Apache-2.0
"""`atoll mpiio`: statistics of a program's MPI file accesses, with advice."""

from __future__ import annotations

import argparse
from pathlib import Path

from atoll.cli.common import CommandError


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="what ATOLL_MPIIO_STATS=FILE has written")
    parser.add_argument(
        "--out", type=Path, metavar="PATH", help="the picture: PNG, SVG or PDF (default: beside FILE, PNG)"
    )
    parser.add_argument("--only", metavar="NAME", help="of several files, the last whose name ends so")


def main(arguments: argparse.Namespace) -> int:
    from atoll import mpiio

    try:
        # Statistics of files that were open when the job ended are in one file per rank.
        parts = [arguments.file, *sorted(arguments.file.parent.glob(f"{arguments.file.name}.open-*"))]
        text = "".join(part.read_text() for part in parts if part.exists() or len(parts) == 1)
        files = mpiio.read_lines(text.splitlines())
    except (OSError, ValueError) as error:
        raise CommandError(f"{arguments.file}: {error}") from None
    chosen = [one for one in files if arguments.only is None or one.file.endswith(arguments.only)]
    if not chosen:
        raise CommandError(
            f"{arguments.file}: no file of that name; there are {', '.join(one.file for one in files) or 'none'}"
        )
    for one in chosen:
        print(f"{one.file}: {len(one.ranks)} ranks, open for {max(rank['open_s'] for rank in one.ranks):.3f} s")
        for direction in ("read", "write"):
            if accesses := one.total(direction, "accesses"):
                seconds = max(rank[direction]["time_s"] for rank in one.ranks)
                moved = one.total(direction, "bytes")
                rate = f", {moved / seconds / 2**20:,.0f} MiB/s" if seconds else ""
                print(f"  {direction}: {accesses:,.0f} accesses, {moved:,.0f} bytes{rate}")
        for sentence in mpiio.advice(one):
            print(f"  - {sentence}")
    path = arguments.out or arguments.file.with_suffix(".png")
    mpiio.draw(chosen[-1], path)
    print(f"{path}: the picture of {chosen[-1].file}")
    return 0
