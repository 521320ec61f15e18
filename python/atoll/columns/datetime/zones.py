# SPDX-License-Identifier: Apache-2.0
"""Time zones as tables: when their clocks change, and how far these are ahead of UTC in between."""

from __future__ import annotations

import datetime
from functools import lru_cache
from typing import NamedTuple

from .tick import fixed_offset, tzinfo_of

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
#: Before the first clocks were set by a zone, and past the end of 64 bits of nanoseconds.
_FIRST, _RULES, _LAST = 1800, 2038, 2500


class ZoneTable(NamedTuple):
    """Seconds: `offsets[i]` holds from `changes[i - 1]` (UTC) to `changes[i]`; the zone's abbreviations likewise."""

    changes: list[int]
    offsets: list[int]
    names: list[str]

    @property
    def numbers(self) -> list[int]:
        """As the engine takes it."""
        return [len(self.changes), *self.changes, *self.offsets]


@lru_cache(maxsize=64)
def table(name: str) -> ZoneTable:
    """The table of a zone, from 1800 to 2500: what the years before and behind have is that of these."""
    zone = tzinfo_of(name)
    if name == "UTC" or fixed_offset(name) is not None:
        offset = zone.utcoffset(None)
        assert offset is not None
        return ZoneTable([], [round(offset.total_seconds())], [zone.tzname(None) or ""])

    def state(second: int) -> tuple[int, str]:
        moment = (_EPOCH + datetime.timedelta(seconds=second)).astimezone(zone)
        offset = moment.utcoffset()
        assert offset is not None
        return round(offset.total_seconds()), moment.tzname() or ""

    changes: list[int] = []
    at, last = _start(_FIRST), _start(_LAST)
    states = [state(at)]
    while at < last:
        # Zones never changed twice in three days; from 2038 on rules change them twice a year.
        after = at + 86_400 * (3 if at < _start(_RULES) else 21)
        found = state(after)
        if found != states[-1]:
            low, high = at, after
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if state(middle) == states[-1] else (low, middle)
            changes.append(high)
            states.append(state(high))
            after = high
        at = after
    return ZoneTable(changes, [offset for offset, _ in states], [name for _, name in states])


def _start(year: int) -> int:
    return round((datetime.datetime(year, 1, 1, tzinfo=datetime.UTC) - _EPOCH).total_seconds())
