# SPDX-License-Identifier: Apache-2.0
"""The table of ATOLL_* variables as Markdown: the content of docs/configuration.md."""

from __future__ import annotations

from collections.abc import Iterable

#: name, value, default, kind, choices, meaning: an entry of `_core.info()["config"]`.
Entry = tuple[str, str, str, str, str, str]

INTRODUCTION = """\
# Configuration

Atoll reads these environment variables, and no others. A value that does not fit raises an error that names the
variable and what it accepts. `atoll info --config` shows the values in force.

Made by `make docs` from the table in `src/base/config.cpp`: change it there.

| variable | default | accepts | meaning |
|---|---|---|---|
"""

ACCEPTS = {
    "integer": "a whole number",
    "bytes": "bytes, as `4096`, `64M` or `1.5 GiB`",
    "seconds": "seconds",
    "text": "text",
}


def accepted(kind: str, choices: str) -> str:
    if kind == "choice":
        return ", ".join(f"`{choice}`" for choice in choices.split("|"))
    return ACCEPTS.get(kind, kind)


def to_markdown(entries: Iterable[Entry]) -> str:
    rows = [
        f"| `{name}` | {f'`{default}`' if default else ''} | {accepted(kind, choices)} | {meaning} |\n"
        for name, _, default, kind, choices, meaning in entries
    ]
    return INTRODUCTION + "".join(rows)
