# SPDX-License-Identifier: Apache-2.0
"""The charts of a panel: time or speed over x, parallel efficiency, bars; and the formatting of their numbers."""

from __future__ import annotations

from atoll.bench.curves import binary
from atoll.experiment import svg
from atoll.experiment.intervals import Interval
from atoll.experiment.panels import OWN, Curve, Panel
from atoll.experiment.scaling import steps
from atoll.experiment.series import Measured
from atoll.experiment.words import compact, duration, plural, speed


def rated(panel: Panel) -> bool:
    """Whether speed is shown, in units per second; else time."""
    every = [one for curve in panel.curves for one in curve.points.values()]
    return not panel.scaling and all(one.unit for one in every)


def shown(one: Measured, as_speed: bool) -> Interval:
    time = one.time
    if not as_speed:
        return time
    return Interval(one.rate(time.value), one.rate(time.high), one.rate(time.low))


def x_text(panel: Panel, x: float) -> str:
    return binary(x) if "byte" in panel.x_title else compact(x)


def mark_of(panel: Panel, curve: Curve, x: float, as_speed: bool) -> svg.Mark:
    one = curve.points[x]
    value = shown(one, as_speed)
    say = (lambda v: speed(v, one.unit)) if as_speed else duration
    where = f", {x_text(panel, x)} {panel.x_title}" if panel.x_title else ""
    title = (
        f"{curve.label}{where}: {say(value.value)}\n"
        f"95 %: {say(value.low)} to {say(value.high)}; {plural(one.samples, 'trial')}, "
        f"{len(one.processes)} process{'es' if len(one.processes) != 1 else ''}"
    )
    return svg.Mark(x, value.value, value.low, value.high, title)


def main_chart(panel: Panel) -> str:
    """Time or speed over x; for scaling, with the ideal line of each curve of Atoll."""
    as_speed = rated(panel)
    unit = next(iter(panel.curves[0].points.values())).unit
    lines = []
    for curve in panel.curves:
        marks = [mark_of(panel, curve, x, as_speed) for x in sorted(curve.points)]
        lines.append(svg.Line(curve.label, curve.colour, marks, curve.dash))
        if panel.scaling and curve.contender == OWN and len(marks) > 1:
            first = marks[0]
            times = [first.y * (first.x / m.x if panel.scaling == "strong" else 1.0) for m in marks]
            ideal = [svg.Mark(m.x, t, t, t, "") for m, t in zip(marks, times, strict=True)]
            lines.append(svg.Line("ideal", curve.colour, ideal, ideal=True))
    y_title, y_format, y_unit = y_axis(unit, max(mark.y for line in lines for mark in line.marks), as_speed)
    return svg.Chart(lines, panel.x_title, y_title, lambda x: x_text(panel, x), y_format, y_unit=y_unit).render()


def y_axis(unit: str, most: float, as_speed: bool) -> tuple[str, svg.Format, float]:
    """Title, format and unit of an axis of times, rates, or bytes per second, whose round numbers are binary."""
    if not as_speed:
        return "time", duration, 1.0
    if unit != "B":
        return "speed", lambda value: speed(value, unit), 1.0
    name, scale = next((n, s) for n, s in (("GiB", 2.0**30), ("MiB", 2.0**20), ("B", 1.0)) if most >= s)
    return f"speed, {name}/s", lambda value: f"{value / scale:.3g}", scale


def efficiency_chart(panel: Panel) -> str:
    """Parallel efficiency in percent, and the ideal of 100."""
    lines = []
    for curve in panel.curves:
        if len(curve.points) < 2:
            continue
        marks = []
        for step, x in zip(steps(list(curve.points.values()), panel.scaling), sorted(curve.points), strict=True):
            e = step.efficiency
            title = f"{curve.label}, {x_text(panel, x)} {panel.x_title}: {bounds(e)}"
            marks.append(svg.Mark(x, e.value * 100, e.low * 100, e.high * 100, title))
        lines.append(svg.Line(curve.label, curve.colour, marks, curve.dash))
    xs = panel.xs
    ideal = [svg.Mark(x, 100.0, 100.0, 100.0, "") for x in (xs[0], xs[-1])]
    lines.append(svg.Line("ideal", "var(--muted)", ideal, ideal=True))
    chart = svg.Chart(
        lines, panel.x_title, "parallel efficiency", lambda x: x_text(panel, x), lambda v: f"{v:g} %", log_y=False,
        y_from=0.0, y_to=105.0,
    )  # fmt: skip
    return chart.render()


def bounds(value: Interval) -> str:
    """A share as `93 % (88 to 97)`, or `100 %` by definition."""
    if value.low == value.high:
        return f"{value.value:.0%}".replace("%", "\u00a0%")
    return f"{value.value:.0%} ({value.low * 100:.0f} to {value.high * 100:.0f})".replace("%", "\u00a0%", 1)


def spread(value: Interval) -> str:
    """Half an interval's width over the value: `± 4 %`."""
    return f"± {value.relative * 100:.0f} %" if value.relative < 10 else "± > 999 %"


def bar_chart(panel: Panel) -> str:
    as_speed = rated(panel)
    rows = []
    for curve in panel.curves:
        (x,) = curve.points
        mark = mark_of(panel, curve, x, as_speed)
        one = curve.points[x]
        text = speed(mark.y, one.unit) if as_speed else duration(mark.y)
        rows.append(svg.Bar(curve.label, curve.colour, mark.y, mark.low, mark.high, text, mark.title))
    rows.sort(key=lambda row: row.value, reverse=as_speed)
    return svg.bars(rows, "speed (longer is better)" if as_speed else "time (shorter is better)")
