# SPDX-License-Identifier: Apache-2.0
"""Reports of `atoll mpiio` about statistics of MPI files."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from atoll import mpiio
from atoll.cli import main

ASKED = {"calls": 0, "bytes": 0}
TRAFFIC = {"accesses": 0, "bytes": 0, "time_s": 0.0, "gaps": 0, "sizes": [0] * 12}
NOTHING = {**TRAFFIC, "independent": ASKED, "collective": ASKED, "shared": ASKED}


def record(rank: int, **changed: Any) -> dict[str, Any]:
    base = {"file": "out.dat", "ranks": 2, "rank": rank, "host": "h", "open_s": 1.0, "read": NOTHING, "write": NOTHING}
    base |= {"wait_s": 0.0, "exchange_s": 0.0, "file_s": 0.0, "rewrites": 0, "aggregated": 0, "bin_s": 0.01}
    base |= {"read_series": [0] * 4, "write_series": [8, 0, 0, 0]}
    return copy.deepcopy(base) | changed


def lines(*records: dict[str, Any]) -> list[str]:
    return [json.dumps(one) for one in records]


def test_small_independent_writes_are_named() -> None:
    small = {**NOTHING, "accesses": 1000, "bytes": 64000, "gaps": 990, "independent": {"calls": 1000, "bytes": 64000}}
    (one,) = mpiio.read_lines(lines(record(0, write=small), record(1, write=small)))
    first, second = mpiio.advice(one)
    assert first.startswith("2000 independent writes reach the file in pieces of 64 bytes: MPI_File_write_all")
    assert second.startswith("99% of writes do not begin where the one before ended")


def test_large_collective_writes_do_not_make_small_ones_larger() -> None:
    asked = {"independent": {"calls": 100, "bytes": 2800}, "collective": {"calls": 10, "bytes": 640_000}}
    both = {**NOTHING, "accesses": 110, "bytes": 642_800} | asked
    (one,) = mpiio.read_lines(lines(record(0, write=both), record(1, write=both)))
    assert mpiio.advice(one)[0].startswith("200 independent writes reach the file in pieces of 28 bytes")


def test_large_collective_writes_need_nothing() -> None:
    large = {**NOTHING, "accesses": 4, "bytes": 64 << 20, "collective": {"calls": 4, "bytes": 64 << 20}}
    (one,) = mpiio.read_lines(
        lines(record(0, write=large, file_s=1.0, aggregated=9), record(1, write=large, aggregated=8))
    )
    assert mpiio.advice(one) == []


def test_bins_of_different_widths_add_up() -> None:
    wide = record(1, bin_s=0.02, write_series=[4, 4, 0, 0])
    seconds, rate = mpiio.rates([record(0, write_series=[1, 2, 3, 4]), wide], "write")
    assert seconds == [0.0, 0.02, 0.04, 0.06]
    assert rate == pytest.approx([7 / 0.02, 11 / 0.02, 0, 0])
    assert mpiio.series(record(0, write_series=[1, 2, 3, 4]), "write", 0.02) == [3, 7, 0, 0]


def test_the_command_draws_each_opening_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "stats.jsonl"
    path.write_text("\n".join(lines(record(0), record(1), record(0), record(1))) + "\n")
    assert len(mpiio.read_lines(path.read_text().splitlines())) == 2
    assert main(["mpiio", str(path)]) == 0
    assert (tmp_path / "stats.png").stat().st_size > 1000
    assert "out.dat: 2 ranks" in capsys.readouterr().out
    # A job that ended before it closed the file has left a line per rank.
    path.unlink()
    for rank in (0, 1):
        (tmp_path / f"stats.jsonl.open-5-{rank:06}").write_text(lines(record(rank))[0] + "\n")
    assert main(["mpiio", str(path)]) == 0
    assert "out.dat: 2 ranks" in capsys.readouterr().out
    path.write_text("nonsense\n")
    assert main(["mpiio", str(path)]) == 1
    assert "line 1 is no statistics" in capsys.readouterr().err
