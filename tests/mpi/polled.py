# SPDX-License-Identifier: Apache-2.0
"""Checks that programs/poll.c repeats each function that the table calls polled: `polled.py SOURCE_TREE`."""

import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
sys.path.insert(0, str(root / "src/mpi/generate"))
from table import load  # noqa: E402

rows = [function.row for function in load(root / "src/mpi/api").functions]
polled = {row.prefix + row.name for row in rows if row.polled}
program = (root / "tests/mpi/programs/poll.c").read_text()
repeated = set(re.findall(r"MPIX?_\w+", " ".join(re.findall(r'^    \{"([^"]+)", \w+, [A-Z]+\},$', program, re.M))))
if polled != repeated or not polled:
    sys.exit(f"polled alone: {sorted(polled - repeated)}; in poll.c alone: {sorted(repeated - polled)}")
