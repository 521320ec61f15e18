# SPDX-License-Identifier: Apache-2.0
"""Checks that a program here calls every function of the table: `check_coverage.py api.json`."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

#: Closes stdout, on which a test reports.
NOT_CALLED = {"gasnett_close_streams"}


def main() -> int:
    table = json.loads(Path(sys.argv[1]).read_text())
    here = Path(__file__).resolve().parent
    text = "\n".join(path.read_text() for path in here.iterdir() if path.suffix in {".c", ".cpp", ".h"})
    called = set(re.findall(r"\w+", text))
    missing = []
    for function in table:
        name, suffix = function["name"], function["suffix"]
        if name.startswith("gasnet_atoll_") or name in NOT_CALLED:
            continue
        forms = {name + suffix} | {f"{name}{count}{suffix}" for count in range(17)} | {f"{name}##n{suffix}"}
        # Programs make the rest of some names by macros: of the number of arguments, the form, the type.
        stems = (
            rf"{name}##n\b",
            re.sub(r"(NB|NBI|Blocking)$", "##form", name),
            re.sub(r"_[A-Z0-9]+$", "_##code", name),
        )
        made = any(stem != name and re.search(rf"\b{stem}", text) for stem in stems)
        if not forms & called and not made:
            missing.append(name + suffix)
    print("\n".join(f"no program calls {name}" for name in missing))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
