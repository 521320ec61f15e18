# SPDX-License-Identifier: Apache-2.0
"""Numbers in sentences for users."""

from __future__ import annotations


def plural(count: int, what: str) -> str:
    """The count and its noun: `1 array`, `2 arrays`, `1,500 arrays`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"
