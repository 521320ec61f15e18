# SPDX-License-Identifier: Apache-2.0
"""The table for other readers: api.json for the tests, a table in Markdown for the documentation."""

from __future__ import annotations

import json

from table import EXTENSIONS, Family, Table


def api_json(table: Table) -> str:
    """Families with all their functions, built or not."""
    rows = []
    for family in table.families:
        rows.append(
            {
                "family": family.name,
                "chapter": family.chapter,
                "section": family.section,
                "since": family.since,
                "deprecated": family.deprecated,
                "generic": family.generic,
                "built": family.built,
                "inline": bool(family.inline),
                "extension": family.chapter in EXTENSIONS,
                "functions": [
                    {
                        "name": function.name,
                        "returns": function.returns,
                        "arguments": [{"type": a.c, "name": a.name} for a in function.arguments],
                        "type": function.type.c if function.type else None,
                        "typename": function.type.name if function.type else None,
                        "size": function.size or None,
                        "ctx": function.with_ctx,
                    }
                    for function in table.functions
                    if function.family is family
                ],
            }
        )
    types = [{"name": t.name, "c": t.c, "same": t.same, "word": t.word} for t in table.types.values()]
    return json.dumps({"types": types, "families": rows}, indent=1) + "\n"


def spelled(family: Family) -> str:
    prefix = "shmemx_" if family.chapter in EXTENSIONS else "shmem_"
    name = family.name.replace("{T}", "TYPE").replace("{N}", "SIZE")
    return f"`{prefix}{'[ctx_]' if family.has_ctx else ''}{name}`"


def markdown(table: Table) -> str:
    """One line per family: name, number of functions, since when, how it is done."""
    lines = ["| function | forms | since | C11, C++ | inline |", "|---|---|---|---|---|"]
    for family in table.families:
        if not family.built:
            continue
        forms = sum(function.family is family for function in table.functions)
        since = family.since + (f", deprecated {family.deprecated}" if family.deprecated else "")
        generic = f"`shmem_{family.generic}`" if family.generic else ""
        lines.append(f"| {spelled(family)} | {forms} | {since} | {generic} | {'yes' if family.inline else ''} |")
    total = sum(function.built for function in table.functions)
    lines.append("")
    lines.append(f"{total} functions, each with its `pshmem_` twin.")
    return "\n".join(lines) + "\n"
