# SPDX-License-Identifier: Apache-2.0
"""When checkpoints are due."""

import math

import pytest

from atoll.session.checkpoint_schedule import Schedule, best_interval


def lost(interval, cost, gap):
    """Share of time that is not work: J. T. Daly's model, restarts without cost."""
    return (gap / interval) * (math.exp((interval + cost) / gap) - 1)


@pytest.mark.parametrize("cost", [0.1, 5, 300])
@pytest.mark.parametrize("gap", [3600, 86400])
def test_the_interval_is_nearly_the_best(cost, gap):
    chosen = best_interval(cost, gap)
    least = min(lost(chosen * factor / 100, cost, gap) for factor in range(50, 200))
    assert lost(chosen, cost, gap) <= least * 1.0005


def test_checkpoints_that_take_longer_than_failures_are_apart():
    assert best_interval(1000, 100) == 100


def test_a_schedule_learns_the_cost():
    now = [0.0]
    schedule = Schedule(failure_gap=20_000, clock=lambda: now[0])
    assert schedule.interval(500_000_000) == pytest.approx(200, rel=0.01)  # 1 s is assumed
    now[0] = 150
    assert not schedule.is_due(500_000_000)
    now[0] = 201
    assert schedule.is_due(500_000_000)
    schedule.begin()
    now[0] += 4
    schedule.end()
    assert schedule.cost == 4 and schedule.interval(1) == pytest.approx(400, rel=0.01)
    assert not schedule.is_due(1)


def test_a_given_interval_is_kept():
    now = [0.0]
    schedule = Schedule(10, clock=lambda: now[0])
    now[0] = 9
    assert not schedule.is_due(1 << 40)
    now[0] = 10
    assert schedule.is_due(0)
