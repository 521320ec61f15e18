# SPDX-License-Identifier: Apache-2.0
"""Groups and sorts of four times the limit of memory beside the same in memory: larger_than_memory.py [ROWS]."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import atoll as ak

COLUMNS = 4
TRIALS = 3


def questions(scan, folder):
    return {
        "groups, few: sum, mean": lambda: scan.groupby("few").agg(s=("v", "sum"), m=("x", "mean")).collect(),
        "groups, many: sum, mean": lambda: scan.groupby("many").agg(s=("v", "sum"), m=("x", "mean")).to_parquet(
            folder / "groups", dataset=True
        ),
        "groups, many: median": lambda: scan.groupby("many").agg(m=("x", "median")).to_parquet(
            folder / "medians", dataset=True
        ),
        "sort": lambda: scan.sort_values("x").to_parquet(folder / "sorted", dataset=True),
    }  # fmt: skip


def measure(folder, pes, threads):
    """In a process of its own: a line for each question."""
    ak.init(pes, threads)
    for name, ask in questions(ak.scan_parquet(folder / "data.parquet"), folder).items():
        times = []
        for _ in range(TRIALS):
            begin = time.perf_counter()
            ask()
            times.append(time.perf_counter() - begin)
        print(f"{name}\t{statistics.median(times)}", flush=True)


def main(rows):
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        columns = {
            "few": rng.integers(0, 100, rows), "many": rng.integers(0, max(rows // 4, 1), rows),
            "v": rng.integers(0, 100, rows), "x": rng.random(rows),
        }  # fmt: skip
        pq.write_table(pa.table(columns), folder / "data.parquet", row_group_size=max(rows // 100, 1))
        limit = rows * COLUMNS * 8 // 4
        for pes, threads in ((1, 2), (2, 1)):
            answers = []
            for bound in (0, limit // pes):
                command = [sys.executable, __file__, "measure", str(folder), str(pes), str(threads)]
                settings = os.environ | {"ATOLL_MEMORY_LIMIT": str(bound), "ATOLL_SPILL_DIR": str(folder)}
                ran = subprocess.run(command, env=settings, capture_output=True, text=True, check=True)
                answers.append(dict(line.split("\t") for line in ran.stdout.splitlines()))
            size = rows * COLUMNS * 8 / 1e6
            print(f"{rows} rows, {size:.0f} MB, limit {limit / 1e6:.0f} MB, {pes} PEs x {threads} threads")
            for name, whole in answers[0].items():
                spilled = float(answers[1][name])
                print(f"{name:25} {float(whole):6.2f} s  {spilled:6.2f} s  {spilled / float(whole):5.2f}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"]:
        measure(Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
    else:
        main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000)
