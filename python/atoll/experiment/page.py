# SPDX-License-Identifier: Apache-2.0
"""One HTML page of an experiment that needs nothing else: what was found, pictures, tables, the machine, and the file
that made it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

from atoll.bench.curves import binary
from atoll.experiment import ExperimentError, compare, report, svg
from atoll.experiment.intervals import Interval
from atoll.experiment.panels import OWN, Curve, Panel, panels
from atoll.experiment.results import Contents
from atoll.experiment.scaling import Step, steps
from atoll.experiment.series import Measured, Record, varied
from atoll.experiment.words import compact, duration, plural, speed

STYLE = Path(__file__).with_name("page.css")


def tag(name: str, content: str, kind: str = "") -> str:
    return f"<{name}{f' class={chr(34)}{kind}{chr(34)}' if kind else ''}>{content}</{name}>"


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
    """Time or speed over x; of scaling, with the ideal line of each curve of our own."""
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
    """A share as `93 % (88 to 97)`; what is so by definition, as `100 %`."""
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


def legend(panel: Panel) -> str:
    if len(panel.curves) == 1 and not panel.scaling:
        return ""
    items = []
    for curve in panel.curves:
        dash = f' stroke-dasharray="{curve.dash}"' if curve.dash else ""
        swatch = (
            f'<svg viewBox="0 0 26 10" style="--c:{curve.colour}" aria-hidden="true"><line class="line" x1="1" x2="25" '
            f'y1="5" y2="5"{dash}/><circle cx="13" cy="5" r="3.5" fill="{curve.colour}"/></svg>'
        )
        items.append(f"<li>{swatch}{escape(curve.label)}</li>")
    if panel.scaling:
        items.append(
            '<li><svg viewBox="0 0 26 10" style="--c:var(--muted)" aria-hidden="true">'
            '<line class="ideal" x1="1" x2="25" y1="5" y2="5"/></svg>ideal</li>'
        )
    return tag("ul", "".join(items), "legend")


def figure(caption: str, chart: str) -> str:
    return tag("figure", tag("figcaption", escape(caption)) + chart)


def card(panel: Panel) -> str:
    """A panel: its pictures, and all its numbers."""
    what = panel.what.replace(" x ", " × ")
    head = tag("header", tag("h3", escape(panel.title)) + tag("span", escape(what), "what"))
    if len(panel.xs) == 1:
        return tag("section", head + tag("div", bar_chart(panel), "charts") + listed(panel), "card")
    if panel.scaling:
        captions = {"strong": "Time of the same problem", "weak": "Time of a problem that grows with the PEs"}
        charts = figure(captions[panel.scaling], main_chart(panel))
        charts += figure("Parallel efficiency", efficiency_chart(panel))
        charts = tag("div", charts, "charts")
    else:
        charts = tag("div", main_chart(panel), "charts")
    return tag("section", head + legend(panel) + charts + numbers(panel), "card" + " wide" * bool(panel.scaling))


def faster(own: Curve | None, other: Curve, x: float) -> float:
    """How many times as fast our own is at x."""
    assert own is not None
    return other.points[x].time.value / own.points[x].time.value


def measured_cell(curve: Curve, x: float, as_speed: bool) -> str:
    one = curve.points.get(x)
    if one is None:
        return tag("td", "–")
    value = shown(one, as_speed)
    text = speed(value.value, one.unit) if as_speed else duration(value.value)
    return tag("td", f"{text} <small>{spread(value)}</small>", "own" if curve.contender == OWN else "")


def ratio_cell(own: Curve | None, curve: Curve, x: float) -> str:
    known = own is not None and x in own.points and x in curve.points
    return tag("td", f"{faster(own, curve, x):.2f} ×" if known else "")


def listed(panel: Panel) -> str:
    """The table under bars: a row for each."""
    as_speed = rated(panel)
    (x,) = panel.xs
    rows = [tag("tr", "".join(tag("th", head) for head in ("contender", "speed" if as_speed else "time", "Atoll is")))]
    for curve in panel.curves:
        cells = tag("td", escape(curve.label)) + measured_cell(curve, x, as_speed)
        rows.append(tag("tr", cells + ratio_cell(panel.own_beside(curve), curve, x)))
    return tag("div", tag("table", "".join(rows)), "scroll")


def numbers(panel: Panel) -> str:
    """The table under the pictures: a row for each x, a column for each curve."""
    as_speed = rated(panel)
    by_curve: dict[str, dict[float, Step]] = {}
    for curve in panel.own if panel.scaling else []:
        found = steps(list(curve.points.values()), panel.scaling)
        by_curve[curve.label] = dict(zip(sorted(curve.points), found, strict=True))
    heads = [tag("th", escape(panel.x_title))]
    for curve in panel.curves:
        heads.append(tag("th", escape(curve.label)))
        if curve.label in by_curve:
            heads.append(tag("th", "efficiency"))
        if panel.own_beside(curve) is not None:
            heads.append(tag("th", "Atoll is"))
    rows = [tag("tr", "".join(heads))]
    for x in panel.xs:
        cells = [tag("td", x_text(panel, x))]
        for curve in panel.curves:
            cells.append(measured_cell(curve, x, as_speed))
            if curve.label in by_curve:
                step = by_curve[curve.label].get(x)
                cells.append(tag("td", bounds(step.efficiency) if step else "–"))
            if (own := panel.own_beside(curve)) is not None:
                cells.append(ratio_cell(own, curve, x))
        rows.append(tag("tr", "".join(cells)))
    return tag("div", tag("table", "".join(rows)), "scroll")


# -- what was found, in words --


def efficiency_said(one: Panel, curve: Curve) -> str:
    """What the most cores bring: `2 PEs are 1.86 times as fast as 1; parallel efficiency 93 % (88 to 97)`."""
    last = steps(list(curve.points.values()), one.scaling)[-1]
    least, most = (x_text(one, x) for x in (min(curve.points), max(curve.points)))
    times = f"{last.speedup.value:.2f} times"
    does = f"are {times} as fast as {least}"
    if one.scaling == "weak":
        does = f"do {times} the work of {least} in the same time"
    return f"{most} {one.x_title} {does}; parallel efficiency {bounds(last.efficiency)}"


def findings(found: Sequence[Panel]) -> Iterator[str]:
    for one in found:
        for curve in one.own if one.scaling else []:
            if len(curve.points) > 1:
                yield f"{one.title}{curve.label.removeprefix(OWN)}: {efficiency_said(one, curve)}."
    ratios: dict[str, list[float]] = {}
    for one in found:
        for curve in one.curves:
            own = one.own_beside(curve)
            for x in [x for x in curve.points if own is not None and x in own.points]:
                ratios.setdefault(curve.contender, []).append(faster(own, curve, x))
    for contender, values in ratios.items():
        mean = math.exp(sum(map(math.log, values)) / len(values))
        spread = f", {min(values):.2f} to {max(values):.2f}" if len(values) > 1 else ""
        count = plural(len(values), "point")
        yield f"Atoll is {mean:.2f} times as fast as {contender} (geometric mean of {count}{spread})."


def busy(records: Sequence[Record]) -> Iterator[str]:
    """A warning, when others used the machine: what a benchmark itself adds to the load is its cores at most."""
    loads = [(float(one.get("load_1m", 0)), int(one.get("cores", 1))) for one in records]
    load, cores = max(loads, key=lambda pair: pair[0] / pair[1])
    if load > 1.5 * cores:
        yield f"The machine was busy with other work (a load of {load:.1f} on {cores} cores): the intervals are wide."


def changes(records: Sequence[Record]) -> str:
    """Two commits or two hosts, compared."""
    for key in ("commit", "host"):
        values = list(dict.fromkeys(str(one.get(key)) for one in records))
        if len(values) == 2:
            sides = [compare.Side(v, [one for one in records if str(one.get(key)) == v]) for v in values]
            try:
                return comparison(compare.compare(sides[0], sides[1]))
            except ExperimentError:
                return ""
    return ""


def comparison(result: compare.Comparison) -> str:
    lines = [escape(line) for line in report.words(result)]
    kinds = ["slower" if one.startswith("slower") else "faster" if one.startswith("faster") else "" for one in lines]
    items = "".join(tag("li", line, kind) for line, kind in zip(lines, kinds, strict=True))
    head = ["point", result.a.label[:16], result.b.label[:16], "time", "95 % interval", "verdict"]
    rows = [tag("tr", "".join(tag("th", escape(one)) for one in head))]
    for one in report.ordered(result):
        cells = report.cells(result, one)
        rows.append(tag("tr", "".join(tag("td", escape(cell)) for cell in cells), one.verdict.replace(" ", "-")))
    table = tag("div", tag("table", "".join(rows)), "scroll")
    labels = f"{escape(result.a.label)} and {escape(result.b.label)}"
    return tag("h2", f"What changed between {labels}") + tag("ul", items, "findings") + tag("section", table, "card")


def facts(records: Sequence[Record]) -> str:
    """The machine and the software, a row for each."""
    names = {
        "host": "host", "processor": "processor", "cores": "cores", "simd": "SIMD level", "memory_bytes": "memory",
        "kernel": "Linux", "compiler": "compiler", "python": "Python", "commit": "Atoll's commit", "fabric": "fabric",
        "hosts": "hosts", "load_1m": "load before a point",
    }  # fmt: skip
    rows = []
    for key, what in names.items():
        values: list[Any] = list(dict.fromkeys(one[key] for one in records if one.get(key) not in (None, "")))
        if not values:
            continue
        if key == "memory_bytes":
            text = ", ".join(f"{one / 2**30:.0f} GiB" for one in values)
        elif key == "load_1m":
            text = f"{min(values):.1f} to {max(values):.1f} (one minute's mean)"
        else:
            text = ", ".join(map(str, values))
        rows.append((what, text))
    versions = {name: v for one in records for name, v in one.get("versions", {}).items()}
    rows.append(("libraries", ", ".join(f"{name} {v}" for name, v in versions.items())))
    rows += list({one["contender"]: one["library"] for one in records if one.get("library")}.items())
    return tag("table", "".join(tag("tr", tag("td", escape(a)) + tag("td", escape(b))) for a, b in rows), "facts")


def method(records: Sequence[Record]) -> str:
    dates = sorted(str(one.get("date", "")) for one in records)
    trials = sorted({len(one["seconds"]) for one in records})
    count = f"{trials[0]} to {trials[-1]}" if len(trials) > 1 else str(trials[0])
    return (
        f"Each point is a process of its own, with {count} trials of each contender, which take turns on the same "
        "data; answers are checked against one another. A figure is the median of all trials; shaded bars and “±” are "
        "its 95 % confidence interval, by bootstrap over processes and their trials, widened for few samples. "
        f"Measured {dates[0][:16].replace('T', ' ')} to {dates[-1][:16].replace('T', ' ')} UTC."
    )


def render(contents: Sequence[Contents], title: str = "") -> str:
    """The page of some files of results, of one experiment."""
    records = [one for each in contents for one in each.records]
    heads = [each.head for each in contents if each.head]
    head: Record = heads[-1] if heads else {}
    title = title or head.get("title") or head.get("name") or "Measurements"
    drawn = panels(records, head.get("scaling", ""))
    hosts = ", ".join(dict.fromkeys(str(one.get("host", "unknown host")) for one in records))
    commits = ", ".join(dict.fromkeys(str(one.get("commit"))[:18] for one in records))
    trials = sum(len(one["seconds"]) for one in records)
    meta = f"{hosts} · {records[0].get('processor', '')} · commit {commits} · {plural(trials, 'timing')}"
    items = "".join(tag("li", escape(line)) for line in findings(drawn))
    items += "".join(tag("li", escape(line), "warn") for line in busy(records))
    compared = changes(records) if varied(records, ("commit", "host")) else ""
    parts = [
        tag("h1", escape(title)),
        tag("p", escape(str(head.get("summary", ""))), "lead") if head.get("summary") else "",
        tag("p", escape(meta), "meta"),
        tag("ul", items, "findings") if items else "",
        compared,
        tag("h2", "Measurements"),
        tag("div", "".join(card(one) for one in drawn), "cards"),
        tag("h2", "Machine and software"),
        tag("section", facts(records), "card"),
        tag("h2", "How it was made"),
        tag("p", escape(method(records))),
    ]
    if head:
        name = Path(str(head.get("file", ""))).name
        parts += [
            tag("p", f"To repeat it, with this as <code>{escape(name)}</code>:"),
            tag("pre", escape(str(head.get("text", "")).strip())),
            tag("pre", escape(f"atoll experiment run {name}\natoll experiment page RESULTS")),
        ]
    commands = list(dict.fromkeys(str(one.get("command", "")) for one in records))
    parts.append(tag("details", tag("summary", "Each point by hand") + tag("pre", escape("\n".join(commands)))))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title>\n<style>\n{STYLE.read_text()}</style></head>\n"
        f"<body><main>\n{chr(10).join(filter(None, parts))}\n</main></body></html>\n"
    )
