# SPDX-License-Identifier: Apache-2.0
"""Charts as SVG text whose colours are CSS variables, so that they follow the page from light to dark."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape

WIDTH, HEIGHT = 520.0, 300.0
LEFT, RIGHT, TOP, BOTTOM = 74.0, 18.0, 14.0, 46.0
#: Intervals are drawn up to this many times the largest value.
CUT = 2.0
Format = Callable[[float], str]


@dataclass(frozen=True)
class Mark:
    """A point of a line, with the bounds of its interval and its tooltip."""

    x: float
    y: float
    low: float
    high: float
    title: str


@dataclass(frozen=True)
class Line:
    """A series. `colour` is a CSS value; `ideal` lines have no marks and stay in the background."""

    label: str
    colour: str
    marks: Sequence[Mark]
    dash: str = ""
    ideal: bool = False


@dataclass(frozen=True)
class Scale:
    """Values to pixels."""

    low: float
    high: float
    start: float
    end: float
    log: bool

    def __call__(self, value: float) -> float:
        if self.log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Round values, five or so."""
        if not self.log:
            return linear_ticks(self.low, self.high)
        decades = math.log10(self.high / self.low)
        if decades < 0.7:
            return [one for one in linear_ticks(self.low, self.high) if one > 0]
        factors = (1, 2, 5) if decades < 2.2 else (1,)
        every = max(1, math.ceil(decades / 6))
        exponents = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        found = [f * 10.0**e for e in exponents if e % every == 0 for f in factors]
        return [one for one in found if self.low * 0.999 <= one <= self.high * 1.001]


def linear_ticks(low: float, high: float) -> list[float]:
    rough = (high - low) / 5
    step = 10 ** math.floor(math.log10(rough))
    step *= next(factor for factor in (1, 2, 2.5, 5, 10) if factor * step >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [number * step for number in range(first, math.floor(high / step + 1e-9) + 1)]


@dataclass
class Chart:
    """A line chart. `x_values` are the ticks of x, the measured values."""

    lines: Sequence[Line]
    x_title: str
    y_title: str
    x_format: Format
    y_format: Format
    log_y: bool = True
    #: Values that the y axis always includes.
    #: Ticks of y are round multiples of this.
    y_unit: float = 1.0
    y_from: float | None = None
    y_to: float | None = None
    parts: list[str] = field(default_factory=list)

    def render(self) -> str:
        x, y = self._scales()
        self._axes(x, y)
        for line in sorted(self.lines, key=lambda one: not one.ideal):
            self._line(line, x, y)
        label = escape(f"{self.y_title} over {self.x_title}", quote=True)
        body = "\n".join(self.parts)
        return f'<svg viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" aria-label="{label}">\n{body}\n</svg>'

    def _scales(self) -> tuple[Scale, Scale]:
        marks = [mark for line in self.lines for mark in line.marks]
        xs = [mark.x for mark in marks]
        # Wide intervals must not compress all lines: their bounds are clipped at the chart's edge.
        least, most = min(mark.y for mark in marks), max(mark.y for mark in marks)
        ys = [one for mark in marks for one in (max(mark.low, least / CUT), min(mark.high, most * CUT))]
        ys += [one for one in (self.y_from, self.y_to) if one is not None]
        low, high = min(ys), max(ys)
        if self.log_y:
            grow = max(1.06, (high / low) ** 0.06)
            low, high = low / grow, high * grow
        else:
            high += 0.04 * (high - low)
        wide = (max(xs) / min(xs)) ** 0.04 if max(xs) > min(xs) else 2.0
        x = Scale(min(xs) / wide, max(xs) * wide, LEFT, WIDTH - RIGHT, log=True)
        return x, Scale(low, high, HEIGHT - BOTTOM, TOP, self.log_y)

    def _axes(self, x: Scale, y: Scale) -> None:
        per_unit = Scale(y.low / self.y_unit, y.high / self.y_unit, y.start, y.end, y.log)
        for tick in per_unit.ticks():
            at, value = per_unit(tick), tick * self.y_unit
            self.parts.append(f'<line class="grid" x1="{LEFT:g}" x2="{WIDTH - RIGHT:g}" y1="{at:.1f}" y2="{at:.1f}"/>')
            self._text(LEFT - 8, at + 3.5, self.y_format(value), "end")
        base = HEIGHT - BOTTOM
        self.parts.append(f'<line class="axis" x1="{LEFT:g}" x2="{WIDTH - RIGHT:g}" y1="{base:g}" y2="{base:g}"/>')
        values = sorted({mark.x for line in self.lines for mark in line.marks})
        last = -math.inf
        for value in values:
            at = x(value)
            text = self.x_format(value)
            room = 6.2 * len(text) + 10
            self.parts.append(f'<line class="axis" x1="{at:.1f}" x2="{at:.1f}" y1="{base:g}" y2="{base + 4:g}"/>')
            if at - last >= room:
                self._text(at, base + 17, text, "middle")
                last = at
        self._text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, self.x_title, "middle", "title")
        middle = (TOP + base) / 2
        self.parts.append(
            f'<text class="title" transform="translate(13 {middle:g}) rotate(-90)" text-anchor="middle">'
            f"{escape(self.y_title)}</text>"
        )

    def _text(self, x: float, y: float, text: str, anchor: str, kind: str = "tick") -> None:
        self.parts.append(f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>')

    def _line(self, line: Line, x: Scale, y: Scale) -> None:
        marks = sorted(line.marks, key=lambda one: one.x)
        path = " ".join(f"{x(mark.x):.1f},{y(mark.y):.1f}" for mark in marks)
        kind = "ideal" if line.ideal else "line"
        dash = f' stroke-dasharray="{line.dash}"' if line.dash else ""
        self.parts.append(f'<g style="--c:{line.colour}">')
        self.parts.append(f'<polyline class="{kind}" points="{path}"{dash}/>')
        if not line.ideal:
            for mark in marks:
                at, low, high = x(mark.x), y(max(mark.low, y.low)), y(min(mark.high, y.high))
                self.parts.append(f'<line class="bounds" x1="{at:.1f}" x2="{at:.1f}" y1="{low:.1f}" y2="{high:.1f}"/>')
            for mark in marks:
                self.parts.append(
                    f'<circle class="mark" cx="{x(mark.x):.1f}" cy="{y(mark.y):.1f}" r="4.5">'
                    f"<title>{escape(mark.title)}</title></circle>"
                )
        self.parts.append("</g>")


@dataclass(frozen=True)
class Bar:
    """A value with its bounds."""

    label: str
    colour: str
    value: float
    low: float
    high: float
    text: str
    title: str


def bars(rows: Sequence[Bar], x_title: str) -> str:
    """Horizontal bars from zero, each with its value behind it."""
    step, thick = 26.0, 16.0
    left = 14 + 6.4 * max(len(row.label) for row in rows)
    room = 16 + 6.4 * max(len(row.text) for row in rows)
    height = TOP + step * len(rows) + 26
    most = min(max(row.high for row in rows), CUT * max(row.value for row in rows))
    scale = Scale(0.0, most, left, WIDTH - room, log=False)
    parts = []
    for number, row in enumerate(rows):
        top = TOP + step * number
        middle = top + thick / 2
        end = scale(row.value)
        tip = scale(min(row.high, most))
        parts.append(
            f'<g style="--c:{row.colour}"><rect class="bar" x="{left:.1f}" y="{top:.1f}" rx="3" '
            f'width="{max(1.0, end - left):.1f}" height="{thick:g}"><title>{escape(row.title)}</title></rect>'
            f'<line class="whisker" x1="{scale(row.low):.1f}" x2="{tip:.1f}" y1="{middle:.1f}" '
            f'y2="{middle:.1f}"/></g>'
            f'<text class="label" x="{left - 8:.1f}" y="{middle + 4:.1f}" text-anchor="end">{escape(row.label)}</text>'
            f'<text class="value" x="{tip + 8:.1f}" y="{middle + 4:.1f}">{escape(row.text)}</text>'
        )
    parts.append(f'<line class="axis" x1="{left:.1f}" x2="{left:.1f}" y1="{TOP - 4:g}" y2="{height - 26:g}"/>')
    parts.append(f'<text class="title" x="{left:.1f}" y="{height - 8:g}">{escape(x_title)}</text>')
    body = "\n".join(parts)
    label = escape(x_title, quote=True)
    return f'<svg viewBox="0 0 {WIDTH:g} {height:g}" role="img" aria-label="{label}">\n{body}\n</svg>'
