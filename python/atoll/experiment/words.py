# SPDX-License-Identifier: Apache-2.0
"""Numbers as people read them."""

from __future__ import annotations

from atoll.bench.table import duration, rate


def time_left(seconds: float) -> str:
    """About how long: `40 s left`, `12 min left`, `3 h left`."""
    if seconds < 90:
        return f"about {max(1, round(seconds))} s left"
    if seconds < 5400:
        return f"about {round(seconds / 60)} min left"
    return f"about {seconds / 3600:.1f} h left"


def percent(value: float) -> str:
    """0.034 as +3.4 %, -0.5 as -50 %."""
    return f"{value:+.1%}" if abs(value) < 0.1 else f"{value:+.0%}"


def plural(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


__all__ = ["duration", "percent", "plural", "rate", "time_left"]
