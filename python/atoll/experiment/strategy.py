# SPDX-License-Identifier: Apache-2.0
"""Strategies run points. An experiment's `kind` chooses one; a new strategy is one class and one line of `KINDS`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from atoll.experiment.plan import Plan
from atoll.experiment.point import Point
from atoll.experiment.real import Real


class Strategy(Protocol):
    """Runs the points of a plan; constructed from the plan and a flag that allows skipping missing contenders."""

    def check(self) -> Plan:
        """Checks that all points can run, without side effects; returns the plan with full commit names.
        ExperimentError, with file and key, if a point cannot run."""

    def prepare(self, say: Callable[[str], None]) -> None:
        """Prepares what the points need, such as builds of other commits, and reports slow steps."""

    def run(self, point: Point) -> list[dict[str, Any]]:
        """Runs a point; returns one record per contender and measurement, with the fields of `bench.record.REQUIRED`.
        PointFailed when there are none."""


KINDS: dict[str, Callable[[Plan, bool], Strategy]] = {"real": Real}


def strategy(plan: Plan, skip_missing: bool) -> Strategy:
    """The strategy of the plan's kind."""
    if plan.kind not in KINDS:
        raise plan.wrong("kind", f"there is no '{plan.kind}' here. There is: {', '.join(KINDS)}")
    return KINDS[plan.kind](plan, skip_missing)
