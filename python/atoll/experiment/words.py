# SPDX-License-Identifier: Apache-2.0
"""Human-readable numbers."""

from __future__ import annotations

from atoll.bench.table import duration
from atoll.bench.table import rate as decimal_rate
from atoll.session.words import plural


def time_left(seconds: float) -> str:
    """The approximate remaining time: `40 s left`, `12 min left`, `3 h left`."""
    if seconds < 90:
        return f"about {max(1, round(seconds))} s left"
    if seconds < 5400:
        return f"about {round(seconds / 60)} min left"
    return f"about {seconds / 3600:.1f} h left"


def percent(value: float) -> str:
    """0.034 as +3.4 %, -0.5 as -50 %."""
    return f"{value:+.1%}" if abs(value) < 0.1 else f"{value:+.0%}"


def compact(number: float) -> str:
    """A count, short: 4,000,000 as 4M, 1,500 as 1.5k."""
    for letter, scale in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= scale:
            return f"{number / scale:.4g}{letter}"
    return f"{number:g}"


def speed(per_second: float, unit: str) -> str:
    """Units per second; bytes in powers of 1024."""
    if unit != "B":
        return decimal_rate(per_second, unit)
    for name, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if per_second >= scale:
            return f"{per_second / scale:.3g} {name}/s"
    return f"{per_second:.3g} B/s"


__all__ = ["compact", "duration", "percent", "plural", "speed", "time_left"]
