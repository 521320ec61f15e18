# SPDX-License-Identifier: Apache-2.0
"""Runs of plans and what their steps have cost so far, for listeners: dashboards and servers show them."""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from . import explain
from .nodes import Node, Source

#: Called when a run begins, while it goes on (every `_PERIOD` seconds at most) and when it ends. Without listeners
#: nothing is recorded.
LISTENERS: list[Callable[[Record], None]] = []
_PERIOD = 0.5
_TEXT = 200  # characters of a step
_STEPS = 100
_numbers = itertools.count(1)


class Step(NamedTuple):
    """A step of a plan: what it does, and what it has cost; None: not known yet."""

    text: str
    rows: int | None
    bytes: int | None
    seconds: float
    exchanged_bytes: int
    spilled_bytes: int


class Record:
    """One run of one or several plans."""

    def __init__(self, plans: Sequence[Node], wanted: Sequence[Sequence[str]]) -> None:
        self.number = next(_numbers)
        self.state = "running"  # then "done", "failed" or "stopped"
        self._began, self._told = time.monotonic(), 0.0
        self._steps = [
            (explain.INDENT * depth + text[:_TEXT], node)
            for plan, names in zip(plans, wanted, strict=True)
            for depth, text, node in explain.steps(plan, names, reading=_reading)
        ][:_STEPS]
        self._tell()

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return time.monotonic() - self._began

    def steps(self) -> list[Step]:
        """The steps, the first one first."""
        return [
            Step(text, None, None, 0.0, 0, 0)
            if node is None
            else Step(
                text, node.cost.rows, node.cost.bytes, node.cost.seconds, node.cost.exchanged_bytes,
                node.cost.spilled_bytes,
            )
            for text, node in self._steps
        ]  # fmt: skip

    def go_on(self) -> None:
        """A step has made progress."""
        if time.monotonic() - self._told >= _PERIOD:
            self._tell()

    def end(self, state: str) -> None:
        """The run has ended."""
        self.state = state
        self._tell()

    def _tell(self) -> None:
        self._told = time.monotonic()
        for listener in list(LISTENERS):
            listener(self)


@contextlib.contextmanager
def recorded(plans: Sequence[Node], wanted: Sequence[Sequence[str]]) -> Iterator[Callable[[], None]]:
    """Records the run of plans in the block, which calls the function that it gets when steps have made progress."""
    if not LISTENERS:
        yield lambda: None
        return
    record = Record(plans, wanted)
    try:
        yield record.go_on
    except GeneratorExit:  # no more of the rows are wanted
        record.end("stopped")
        raise
    except BaseException:
        record.end("failed")
        raise
    record.end("done")


def _reading(node: Source, wanted: Collection[str], where: object) -> str:
    """What a source reads, without a look at statistics."""
    reader = node.reader
    names = [name for name in reader.schema.names if name in wanted]
    return f"read    {reader.name}: columns {', '.join(names)} of {', '.join(reader.schema.names)}"
