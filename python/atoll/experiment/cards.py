# SPDX-License-Identifier: Apache-2.0
"""The cards of a page: a panel's heading, legend, pictures and numbers, as HTML."""

from __future__ import annotations

from html import escape

from atoll.experiment.charts import bar_chart, bounds, efficiency_chart, main_chart, rated, shown, spread, x_text
from atoll.experiment.panels import OWN, Curve, Panel
from atoll.experiment.scaling import Step, steps
from atoll.experiment.words import duration, speed


def tag(name: str, content: str, kind: str = "") -> str:
    return f"<{name}{f' class={chr(34)}{kind}{chr(34)}' if kind else ''}>{content}</{name}>"


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
    """The speed of Atoll relative to another contender at x."""
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
