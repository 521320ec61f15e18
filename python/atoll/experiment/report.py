# SPDX-License-Identifier: Apache-2.0
"""The report of a comparison: sentences, then a table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from math import exp, log

from rich import box
from rich.table import Table

from atoll.experiment.compare import FASTER, SAME, SLOWER, TOO_FEW, UNCLEAR, Change, Comparison, differences
from atoll.experiment.intervals import LEAST_SAMPLES, Interval
from atoll.experiment.series import Measured, common
from atoll.experiment.terminal import add, print_table, say
from atoll.experiment.words import duration, percent, plural

STYLES = {SLOWER: "bold red", FASTER: "bold green", SAME: "", UNCLEAR: "yellow", TOO_FEW: "dim"}
ORDER = (SLOWER, FASTER, UNCLEAR, TOO_FEW, SAME)


def times(ratio: Interval) -> str:
    """1.12 as `12 % more time`, with its bounds."""
    more = ratio.value >= 1
    size = f"{abs(ratio.value - 1):.0%}" if abs(ratio.value - 1) >= 0.1 else f"{abs(ratio.value - 1):.1%}"
    return f"{size} {'more' if more else 'less'} time ({percent(ratio.low - 1)} to {percent(ratio.high - 1)})"


def words(result: Comparison, relative: str | None = None) -> Iterator[str]:
    """The findings, a line each."""
    counts = {verdict: len(result.with_verdict(verdict)) for verdict in ORDER}
    parts = [f"{count} {verdict}" for verdict, count in counts.items() if count and verdict in (SLOWER, FASTER)]
    if counts[SAME]:
        parts.append(f"{counts[SAME]} the same within {result.least:.0%}")
    if counts[UNCLEAR]:
        parts.append(f"{counts[UNCLEAR]} unclear, because the noise is larger")
    if counts[TOO_FEW]:
        parts.append(f"{counts[TOO_FEW]} with fewer than {LEAST_SAMPLES} trials, which tell nothing")
    against = f", relative to {relative}" if relative else ""
    yield f"{plural(len(result.changes), 'point')}{against}: {'; '.join(parts)}."
    for verdict in (SLOWER, FASTER):
        for one in sorted(result.with_verdict(verdict), key=lambda one: -abs(log(one.ratio.value))):
            yield f"{verdict}: {one.setting.describe(['contender'])}: {times(one.ratio)}."
    for one in result.changes:
        if one.other_answer:
            yield f"another answer: {one.setting.describe(['contender'])}: the checksums differ."
    for label, only in ((result.a.label, result.only_a), (result.b.label, result.only_b)):
        if only:
            yield f"{plural(len(only), 'point')} only in {label}, as {only[0].describe(['contender'])}."
    yield from of_peers(result, relative)
    if result.single_process:
        yield (
            "Some points ran in fewer than 3 processes on a side: what differs from process to process is not in their "
            "intervals. rounds = 3 in the experiment's file measures it."
        )


def of_peers(result: Comparison, relative: str | None) -> Iterator[str]:
    """Findings about other contenders, which have the same code on both sides: if they changed, the machine did."""
    by_name: dict[str, list[Change]] = defaultdict(list)
    for one in result.peers:
        by_name[str(one.setting.get("contender"))].append(one)
    for name, changes in by_name.items():
        moved = [one for one in changes if one.verdict in (SLOWER, FASTER)]
        if moved and relative is None:
            mean = exp(sum(log(one.ratio.value) for one in changes) / len(changes))
            yield (
                f"{name} changed too, at {len(moved)} of {plural(len(changes), 'point')} ({percent(mean - 1)} time "
                f"in the mean): if it is the same {name}, the machine was not as before. "
                f"--relative-to {name} takes that out."
            )


def ordered(result: Comparison) -> list[Change]:
    """Changes first, the largest of each kind first."""
    return sorted(result.changes, key=lambda one: (ORDER.index(one.verdict), -abs(log(one.ratio.value))))


def hidden(result: Comparison) -> list[str]:
    """Settings that all points share, which the title shows."""
    settings = [one.setting for one in result.changes]
    return [name for name, _ in common(settings).values] if len(settings) > 1 else ["contender"]


def cells(result: Comparison, one: Change, relative: str | None = None) -> list[str]:
    """The row of a point: description, before, after, change, interval, verdict."""

    def of(side: Measured) -> str:
        return f"{side.time.value:.3g} x" if relative else duration(side.time.value)

    interval = f"{percent(one.ratio.low - 1)} to {percent(one.ratio.high - 1)}"
    name = one.setting.describe(hidden(result))
    return [name, of(one.before), of(one.after), percent(one.ratio.value - 1), interval, one.verdict]


def table(result: Comparison, relative: str | None) -> Table:
    """A table with a row for each point; the title has their shared settings."""
    shared = common([one.setting for one in result.changes])
    shown = Table(title=shared.describe(), title_justify="left", title_style="", box=box.SIMPLE_HEAD)
    shown.add_column("point", no_wrap=True)
    for column in ("A", "B", "time", f"{result.confidence:.0%} interval"):
        shown.add_column(column, justify="right", no_wrap=True)
    shown.add_column("verdict", no_wrap=True)
    shown.add_column("trials", justify="right", no_wrap=True)
    for one in ordered(result):
        trials = f"{one.before.samples} | {one.after.samples}"
        add(shown, *cells(result, one, relative), trials, style=STYLES[one.verdict])
    return shown


def show(result: Comparison, relative: str | None) -> None:
    say(f"A: {result.a.label}")
    say(f"B: {result.b.label}")
    for what, before, after in differences(result.a, result.b):
        say(f"{what}: {before} -> {after}")
    print_table(table(result, relative))
    for line in words(result, relative):
        say(line)
