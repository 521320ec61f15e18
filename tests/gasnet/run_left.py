# SPDX-License-Identifier: Apache-2.0
"""Ends jobs in every way, and checks status and message: `run_left.py atoll-run PROGRAM`."""

from __future__ import annotations

import subprocess
import sys

#: How, on how many ranks, the status that the launcher returns (None: any but 0), and what stderr says.
CASES = (
    ("together", 3, 4, ""),
    ("return", 2, 3, ""),
    ("alone", 3, 5, ""),
    ("handler", 2, 6, ""),
    ("outside", 2, 1, "gex_RMA_PutBlocking: argument 'dest'"),
    ("rank", 2, 1, "gex_AM_RequestShort: argument 'rank': there is no rank 2"),
    ("token", 2, 1, "gex_AM_ReplyShort: argument 'token'"),
    ("size", 1, 1, "gex_AM_RequestMedium: argument 'nbytes'"),
    ("killed", 2, None, "PE 1"),
)


def main() -> int:
    launcher, program = sys.argv[1:]
    wrong = 0
    for how, ranks, status, words in CASES:
        done = subprocess.run([launcher, "-n", str(ranks), program, how], capture_output=True, text=True, timeout=60)
        good = (done.returncode != 0) if status is None else done.returncode == status
        if not good or words not in done.stderr:
            print(f"{how}: status {done.returncode}, not {status}; stderr: {done.stderr}")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
