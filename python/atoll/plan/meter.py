# SPDX-License-Identifier: Apache-2.0
"""Which step of a plan took how long, and how many bytes went from PE to PE or to files meanwhile."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

from ..session import current
from .nodes import Cost
from .spill import Spill


class Meter:
    """Steps call steps: what one takes is without those that it waits for."""

    def __init__(self, spill: Spill) -> None:
        self._spill = spill
        self._inner = [[0.0, 0.0, 0.0]]

    @contextlib.contextmanager
    def on(self, cost: Cost) -> Iterator[None]:
        """Attributes time and bytes inside the block to this step."""
        begin = self._now()
        self._inner.append([0.0, 0.0, 0.0])
        try:
            yield
        finally:
            took = [after - before for after, before in zip(self._now(), begin, strict=True)]
            inner = self._inner.pop()
            own = [max(whole - part, 0) for whole, part in zip(took, inner, strict=True)]
            self._inner[-1] = [before + whole for before, whole in zip(self._inner[-1], took, strict=True)]
            cost.seconds += own[0]
            cost.exchanged_bytes += int(own[1])
            cost.spilled_bytes += int(own[2])

    def _now(self) -> list[float]:
        session = current()
        moved = session.moved_bytes() if session.pes > 1 else 0
        return [time.perf_counter(), float(moved), float(self._spill.written)]
