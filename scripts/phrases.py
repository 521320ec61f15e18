# SPDX-License-Identifier: Apache-2.0
"""Phrases that prose of the tree must not use, with what to write instead: comments, docstrings, errors, tests, pages.

Those that were there when the rule was made are counted. The counts may only fall: after an edit, lower them here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

#: (pattern, what to write instead, how many are left)
PHRASES: list[tuple[str, str, int]] = [
    (r"\bwhoever\b", "name the process, thread or object", 0),
    (r"\bwho\b", "'that' or 'which': processes and objects are not persons; or name the process", 3),
    (r"\bhears? of\b", "'is notified of', 'receives'", 0),
    (r"\b(?:is|are) let go\b|\blet go of\b", "'freed', 'released'", 0),
    (r"\bcame (?:too )?early\b", "'unexpected message'", 0),
    (r"\bin vain\b", "'timed out', 'without result'", 0),
    (r"\bsays? what (?:a|an|the|it|nobody)\b", "'protocol error: unexpected message …'", 0),
    (r"\bmakes? no sense\b", "say which value is invalid, and what is accepted", 0),
    (r"\bmade anew\b|\banew\b", "'again', 'created'", 0),
    (r"\bnobody\b", "name the process or the caller: 'no PE', 'no caller'", 8),
]

PROSE = {".c", ".cpp", ".hpp", ".h", ".py", ".pyi", ".md", ".toml", ".txt"}

#: Files that quote the phrases, or that are a record of the past.
EXEMPT = ("scripts/phrases.py", "docs/glossary.md", "CHANGELOG.md", "tests/tidy/")


def count(files: dict[str, str]) -> dict[str, list[str]]:
    """Places (file:line) of each phrase, by its pattern, in texts by name."""
    found: dict[str, list[str]] = {pattern: [] for pattern, _, _ in PHRASES}
    for name, text in files.items():
        if Path(name).suffix not in PROSE or name.startswith(EXEMPT):
            continue
        for pattern, places in found.items():
            for match in re.finditer(pattern, text, re.IGNORECASE):
                places.append(f"{name}:{text.count(chr(10), 0, match.start()) + 1}")
    return found


def breaches(files: dict[str, str]) -> Iterator[str]:
    """One line for each phrase that is used more often than the count allows."""
    found = count(files)
    for pattern, instead, left in PHRASES:
        if len(found[pattern]) > left:
            last = ", ".join(found[pattern][-3:])
            uses = f"{len(found[pattern])} uses, {left} are left to edit"
            yield f"phrase {pattern}: {uses}. Write {instead} (last: {last})"
