# SPDX-License-Identifier: Apache-2.0
"""Runs the 22 queries of TPC-H: python examples/tpch [SCALE [FOLDER]]."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from queries import QUERIES
from tables import generate, read


def main(scale: float, folder: Path) -> None:
    generate(folder, scale)
    tables = read(folder, scale)
    total = 0.0
    for number, query in QUERIES.items():
        begin = time.perf_counter()
        answer = query(tables)
        took = time.perf_counter() - begin
        total += took
        shown = f"{len(answer)} rows" if hasattr(answer, "columns") else f"{answer:.2f}"
        print(f"query {number:2}  {took * 1e3:8.1f} ms  {shown}")
    print(f"together {total:.2f} s, from memory, at scale {scale:g}")


if __name__ == "__main__":
    factor = float(sys.argv[1]) if len(sys.argv) > 1 else 0.1
    with tempfile.TemporaryDirectory() as temporary:
        main(factor, Path(sys.argv[2]) if len(sys.argv) > 2 else Path(temporary))
