# SPDX-License-Identifier: Apache-2.0
"""The table for other readers: api.json for the tests, a table in Markdown for the documentation."""

from __future__ import annotations

import json

from table import CHAPTERS, Table


def api_json(table: Table) -> str:
    functions = [
        {
            "name": function.name,
            "chapter": function.row.chapter,
            "returns": function.row.returns,
            "arguments": [argument.declare(function.large) for argument in function.arguments],
            "built": function.built,
            "polled": function.row.polled,
            "deprecated": function.row.deprecated or None,
        }
        for function in table.functions
        if not function.is_extension
    ]
    constants = {name: value for group in table.constants for name, value in group.values.items()}
    return json.dumps({"functions": functions, "constants": constants}, indent=1) + "\n"


def markdown(table: Table) -> str:
    """One line per chapter: functions, how many are carried out, and which are not."""
    lines = ["| chapter | functions | carried out | not yet |", "|---|---|---|---|"]
    for chapter in CHAPTERS:
        mine = [function for function in table.functions if function.row.chapter == chapter]
        missing = [f"`{function.name}`" for function in mine if not function.built]
        lines.append(f"| {chapter} | {len(mine)} | {len(mine) - len(missing)} | {', '.join(missing)} |")
    standard = [function for function in table.functions if not function.is_extension]
    built = sum(function.built for function in standard)
    beyond = len(table.functions) - len(standard)
    total = f"{built} of {len(standard)} functions of MPI 5.0, and {beyond} beyond it"
    lines += ["", f"{total}, each with its `PMPI_` twin."]
    return "\n".join(lines) + "\n"
