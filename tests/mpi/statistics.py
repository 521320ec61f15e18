# SPDX-License-Identifier: Apache-2.0
"""statistics.py MPIEXEC PROGRAM: what ATOLL_MPIIO_STATS tells of the program `files` on two ranks is what it did."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> None:
    mpiexec, program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "stats.jsonl")
        job = subprocess.run(
            [mpiexec, "-n", "2", program],
            env={**os.environ, "ATOLL_MPIIO_STATS": str(path)},
            stderr=subprocess.PIPE,
            text=True,
            check=True,
        )
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        assert [p.name for p in Path(folder).iterdir()] == ["stats.jsonl"], "partial lines were left"
    matrix = [line for line in lines if line["file"].endswith("/matrix")]
    assert [line["rank"] for line in matrix] == [0, 1]
    assert all(line["ranks"] == 2 for line in matrix)
    whole = 37 * 29 * 8
    written = [line["write"] for line in matrix]
    assert sum(one["collective"]["bytes"] for one in written) == whole, written
    assert [one["collective"]["calls"] for one in written] == [1, 1]
    # Two phases: each byte once, by those that aggregate, in fewer pieces than the rows that ranks have.
    assert sum(one["bytes"] for one in written) == whole, written
    assert sum(one["accesses"] for one in written) <= 2, written
    assert sum(sum(line["write_series"]) for line in matrix) == sum(one["bytes"] for one in written)
    assert "matrix', 2 ranks" in job.stderr
    assert "ranks aggregated" in job.stderr


main()
