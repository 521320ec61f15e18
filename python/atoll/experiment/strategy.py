# SPDX-License-Identifier: Apache-2.0
"""What runs a point. An experiment's `kind` chooses; a new way of running is one class and one line of `KINDS`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from atoll.experiment.plan import Plan
from atoll.experiment.point import Point
from atoll.experiment.real import Real


class Strategy(Protocol):
    """Made from a plan and from whether contenders that are not here may be left out."""

    def check(self) -> Plan:
        """Looks whether all points can run, and changes nothing. The plan, with the names of commits in full.
        ExperimentError, with file and key, when some cannot."""

    def prepare(self, say: Callable[[str], None]) -> None:
        """Makes what the points need, such as other commits' builds, and says what takes time."""

    def run(self, point: Point) -> list[dict[str, Any]]:
        """The records of a point, one per contender and thing measured, each with what `bench.record.REQUIRED` names.
        PointFailed when there are none."""


KINDS: dict[str, Callable[[Plan, bool], Strategy]] = {"real": Real}


def strategy(plan: Plan, skip_missing: bool) -> Strategy:
    """The way of running that the plan's kind names."""
    if plan.kind not in KINDS:
        raise plan.wrong("kind", f"there is no '{plan.kind}' here. There is: {', '.join(KINDS)}")
    return KINDS[plan.kind](plan, skip_missing)
