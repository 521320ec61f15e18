# SPDX-License-Identifier: Apache-2.0
"""A self-contained HTML page of an experiment: findings, charts, tables, the machine, and the experiment's file."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

from atoll.experiment import ExperimentError, compare, report
from atoll.experiment.cards import card, faster, tag
from atoll.experiment.charts import bounds, x_text
from atoll.experiment.intervals import LEAST_SAMPLES
from atoll.experiment.panels import OWN, Curve, Panel, panels
from atoll.experiment.results import Contents
from atoll.experiment.scaling import steps
from atoll.experiment.series import Record, varied
from atoll.experiment.words import plural

STYLE = Path(__file__).with_name("page.css")


def efficiency_said(one: Panel, curve: Curve) -> str:
    """The speed-up of the most cores: `2 PEs are 1.86 times as fast as 1; parallel efficiency 93 % (88 to 97)`."""
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
    """A warning if other programs used the machine: a benchmark itself adds at most its cores to the load."""
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
    head = ["point", result.a.label[:18], result.b.label[:18], "time", "95 % interval", "verdict"]
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
        "its 95 % confidence interval, by bootstrap over processes and their trials, widened for few samples; "
        f"with fewer than {LEAST_SAMPLES} trials it is their range. "
        f"Measured {dates[0][:16].replace('T', ' ')} to {dates[-1][:16].replace('T', ' ')} UTC."
    )


def render(contents: Sequence[Contents], title: str = "") -> str:
    """The page of results files of one experiment."""
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
