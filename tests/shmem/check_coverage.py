# SPDX-License-Identifier: Apache-2.0
"""Checks that every function of the table is built and examined by a case here: `check_coverage.py api.json`."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

from generate import CALL, FOLDER, functions


def examined() -> set[str]:
    """Every function that a case or a program here calls, beyond its set-up."""
    calls: set[str] = set()
    for path in (FOLDER / "cases").glob("*.toml"):
        for function in functions(tomllib.loads(path.read_text()), "c"):
            calls |= function.calls()
    for path in (FOLDER / "programs").glob("*.toml"):
        for program in tomllib.loads(path.read_text())["program"]:
            calls |= set(CALL.findall(program["main"]))
    return calls


def main() -> int:
    table = json.loads(Path(sys.argv[1]).read_text())
    standard = [family for family in table["families"] if not family["extension"]]
    names = {function["name"]: family["built"] for family in standard for function in family["functions"]}
    calls = examined()
    unbuilt = sorted(name for name, built in names.items() if not built)
    missing = sorted(name for name, built in names.items() if built and name not in calls)
    for what, list_of in (("are not built", unbuilt), ("are examined by no case", missing)):
        if list_of:
            print(f"{len(list_of)} functions {what}:", *list_of[:100], sep="\n  ")
    print(f"{len(names) - len(unbuilt) - len(missing)} of {len(names)} functions are built and examined")
    return 1 if unbuilt or missing else 0


if __name__ == "__main__":
    sys.exit(main())
