# SPDX-License-Identifier: Apache-2.0
"""Ends jobs in every way, and checks status and message: `run_left.py atoll-run PROGRAM PROGRAM_FOR_DEBUG`."""

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
#: The same of the program that is compiled with GASNET_DEBUG, which the library checks where memory is mapped, too.
CASES_OF_DEBUG = (
    ("outside", 2, 1, "gex_RMA_PutBlocking: argument 'dest'"),
    ("put", 2, 1, "gex_RMA_PutBlocking: a handler may not put or get"),
)


def main() -> int:
    launcher, release, debug = sys.argv[1:]
    wrong = 0
    cases = [(release, *case) for case in CASES] + [(debug, *case) for case in CASES_OF_DEBUG]
    for program, how, ranks, status, words in cases:
        done = subprocess.run([launcher, "-n", str(ranks), program, how], capture_output=True, text=True, timeout=60)
        good = (done.returncode != 0) if status is None else done.returncode == status
        if not good or words not in done.stderr:
            print(f"{how}: status {done.returncode}, not {status}; stderr: {done.stderr}")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
