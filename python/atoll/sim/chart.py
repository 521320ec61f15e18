# SPDX-License-Identifier: Apache-2.0
"""Charts of results: a panel for each value of some settings, a line for each of others; published points beside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from atoll import extras

COLOURS = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#444444", "#8C6BB1", "#7F3B08", "#1B7837",
    "#B2182B", "#4D9221",
)  # fmt: skip
MARKERS = "osD^vP*X<>ph"
STROKES: tuple[Any, ...] = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (1, 3)), (0, (3, 3)))
PUBLISHED_MARKERS = "xd1+2348|_"  # markers of points that belong to no line
MOST_NAMED = 10  # up to this many values of x are all labelled
UNITS = {
    "key_gib_s": "GiB/s of keys",
    "time_s": "time, s", "messages": "messages", "message_bytes": "bytes sent", "energy_j": "energy, J",
    "host_active_s": "work of hosts, s", "run_s": "time to simulate, s", "memory_bytes": "memory, bytes",
    "ratio": "times as long", "gib_s": "GiB/s", "pe_messages": "messages of each PE", "start_s": "time to start, s",
    "start_pe_messages": "messages of each PE to start", "runtime_bytes": "memory of the runtime on each PE, bytes",
    "pe_resident_bytes": "memory of each PE, bytes",
}  # fmt: skip


class Chart:
    """Records sorted into panels and lines, by the `plot` settings of the head."""

    def __init__(self, head: dict[str, Any], records: Sequence[dict[str, Any]]) -> None:
        plot = head.get("plot", {})
        self.head = head
        self.x = plot.get("x", "nodes")
        self.y = plot.get("y", "time_s")
        self.panel_keys = keys(plot.get("panels", []))
        self.line_keys = keys(plot.get("lines", self.varied(records)))
        self.logs = plot.get("log", "xy")
        self.panels: dict[str, dict[str, dict[Any, float]]] = {}
        base = self.bases(records, plot.get("ratio_to", {}))
        for record in records:
            panel = self.panels.setdefault(label(record, self.panel_keys), {})
            line = panel.setdefault(label(record, self.line_keys), {})
            if self.y == "ratio":
                found = base.get(self.others(record, plot.get("ratio_to", {})))
                if found:
                    line[self.place(record)] = record["time_s"] / found
            else:
                line[self.place(record)] = record[self.y]
        xs = list(dict.fromkeys(x for panel in self.panels.values() for line in panel.values() for x in line))
        #: Labels along the x axis, in order, where x is not a number.
        self.names = [] if all(is_number(x) for x in xs) else [str(x) for x in xs]

    def place(self, record: dict[str, Any]) -> Any:
        value = record.get(self.x)
        return value if is_number(value) else shown(self.x, value)

    def varied(self, records: Sequence[dict[str, Any]]) -> list[str]:
        """Settings, other than x and panels, that differ between records."""
        figures = ("time_s", "time_min_s", "time_max_s", "simulated_s", "messages", "message_bytes", "host_active_s",
                   "energy_j", "memory_bytes", "build_s", "run_s", "pes", "pe_messages", "gib_s", "start_s",
                   "key_gib_s", "start_pe_messages", "runtime_bytes", "pe_resident_bytes")  # fmt: skip
        names = [key for key in (records[0] if records else {}) if key not in (*figures, self.x, *self.panel_keys)]
        names = [key for key in names if not key.startswith("energy_")]
        return [key for key in names if len({str(record.get(key)) for record in records}) > 1]

    def others(self, record: dict[str, Any], ratio_to: dict[str, Any]) -> str:
        """All settings but those by which the base differs."""
        settings = {self.x, *self.panel_keys, *self.line_keys} - set(ratio_to)
        return str(sorted((key, str(record.get(key))) for key in settings))

    def bases(self, records: Sequence[dict[str, Any]], ratio_to: dict[str, Any]) -> dict[str, float]:
        chosen = (one for one in records if all(one.get(key) == value for key, value in ratio_to.items()))
        return {self.others(record, ratio_to): record["time_s"] for record in chosen}

    def format(self, value: float) -> str:
        if not UNITS.get(self.y, "").endswith(", s"):
            return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
        for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
            if value >= scale:
                return f"{value / scale:.3g} {unit}"
        return f"{value * 1e9:.3g} ns"

    def draw(self, paths: Sequence[Path]) -> None:
        """PNG, SVG or PDF, by the paths' suffixes."""
        extras.load("matplotlib", "bench").use("Agg")
        import matplotlib.pyplot as plt
        from matplotlib.ticker import LogLocator, NullFormatter

        count = max(1, len(self.panels))
        across = min(count, 3)
        down = -(-count // across)
        figure, axes = plt.subplots(down, across, figsize=(1.5 + 4.2 * across, 4), squeeze=False, sharey=True)
        for unused in axes.flat[count:]:
            unused.set_visible(False)
        looks = Looks(self)
        values = [y for lines in self.panels.values() for line in lines.values() for y in line.values() if y > 0]
        # The smaller the range, the more ticks are labelled.
        span = max(values) / min(values) if values else 1.0
        few = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
        named = few if span < 3 else (1, 2, 3, 5, 7) if span < 10 else (1, 2, 5) if span < 1000 else (1,)
        for axis, (panel, lines) in zip(axes.flat, self.panels.items(), strict=False):
            for number, (name, line) in enumerate(lines.items()):
                size = 4 + 2 * (len(lines) - 1 - number) / len(lines)  # so that overlapping markers show
                axis.plot(self.along(line), list(line.values()), markersize=size, label=name, **looks.of_line(name))
            for number, one in enumerate(looks.published):
                if one.get("panel", panel) == panel:
                    axis.plot(self.along(one["x"]), one["y"], **looks.of_published(number))
            self.name_x(axis, lines)
            if "y" in self.logs:
                axis.set_yscale("log")
                axis.yaxis.set_major_formatter(lambda value, _: self.format(value))
                axis.yaxis.set_major_locator(LogLocator(10, named))
                axis.yaxis.set_minor_formatter(NullFormatter())
            elif values:
                beside = [y for one in looks.published for y in one["y"]]
                axis.set_ylim(0, 1.08 * max(values + beside))
            axis.set_xlabel(self.x)
            axis.set_title(panel, fontsize=9)
            axis.grid(alpha=0.3)
        for row in axes:
            # The axis label has no unit where each tick has one.
            name = UNITS.get(self.y, self.y)
            row[0].set_ylabel(name.removesuffix(", s") if "y" in self.logs else name)
        found: dict[str, Any] = {}
        for axis in axes.flat:
            found |= {name: handle for handle, name in zip(*axis.get_legend_handles_labels(), strict=True) if name}
        names, handles = list(found), list(found.values())
        rows = 0
        if names:
            # As many columns as fit: a letter is some 0.055 inches wide, a sample line 0.7.
            fit = int(figure.get_figwidth() / (0.7 + 0.055 * max(map(len, names))))
            columns = max(1, min(4, len(names), fit))
            rows = -(-len(names) // columns)
            figure.legend(
                handles, names, loc="lower center", ncols=columns, fontsize=7, frameon=False, handlelength=3.5
            )
        # Panels keep their height, whatever the size of the legend below them.
        legend = 0.2 + 0.155 * rows
        height = 0.6 + 3.4 * down + legend
        figure.set_figheight(height)
        figure.suptitle(self.head.get("title", ""))
        figure.tight_layout(rect=(0, legend / height, 1, 1))
        for path in paths:
            figure.savefig(path, dpi=120)
        plt.close(figure)

    def along(self, xs: Iterable[Any]) -> list[Any]:
        """Positions of values on the x axis: names at 0, 1, 2, …"""
        if not self.names:
            return list(xs)
        places = [str(x) if not is_number(x) else shown(self.x, x) for x in xs]
        return [self.names.index(one) if one in self.names else None for one in places]

    def name_x(self, axis: Any, lines: dict[str, dict[Any, float]]) -> None:
        if self.names:
            axis.set_xticks(range(len(self.names)), self.names)
            axis.set_xlim(-0.5, len(self.names) - 0.5)
            if sum(map(len, self.names)) > 36:
                axis.tick_params(axis="x", labelrotation=30)
                for label in axis.get_xticklabels():
                    label.set_ha("right")
            return
        if "x" not in self.logs:
            return
        numbers = sorted({x for line in lines.values() for x in line})
        if numbers and numbers[0] <= 0:
            axis.set_xscale("symlog", base=10, linthresh=min([x for x in numbers if x > 0], default=1))
        else:
            axis.set_xscale("log", base=2)
        # The first of two overlapping labels is shown.
        words = [
            "" if before and 0 < x < 1.25 * before else shown(self.x, x)
            for before, x in zip([None, *numbers], numbers, strict=False)
        ]
        if numbers and len(numbers) <= MOST_NAMED:  # the simulated values, formatted
            axis.set_xticks(numbers, words)
            axis.minorticks_off()
            if sum(map(len, words)) > 36:
                axis.tick_params(axis="x", labelrotation=45)
        else:
            axis.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")


class Looks:
    """Styles: colour and marker by a line's first setting, line style by the others, the same in all panels.

    A published series that names its line (`line`) has that line's colour and a large hollow marker; any other has a
    separate black marker.
    """

    def __init__(self, chart: Chart) -> None:
        self.published = chart.head.get("published", [])
        self.several = len(chart.line_keys) > 1
        self.colours: dict[str, int] = {}
        self.strokes: dict[str, int] = {}
        self.joined = not chart.names
        lines = list(dict.fromkeys(name for panel in chart.panels.values() for name in panel))
        for name in lines:
            first, rest = self.parted(name)
            self.colours.setdefault(first, len(self.colours))
            self.strokes.setdefault(rest, len(self.strokes))
        alone = [one["label"] for one in self.published if one.get("line") not in lines]
        self.markers = {label: number for number, label in enumerate(dict.fromkeys(alone))}

    def parted(self, name: str) -> tuple[str, str]:
        first, _, rest = name.partition(", ") if self.several else (name, "", "")
        return first, rest

    def of_line(self, name: str) -> dict[str, Any]:
        first, rest = self.parted(name)
        colour, stroke = self.colours[first], self.strokes[rest]
        look = {
            "color": COLOURS[colour % len(COLOURS)],
            "marker": MARKERS[(colour + colour // len(COLOURS)) % len(MARKERS)],
        }
        if self.joined:
            return look | {"linestyle": STROKES[stroke % len(STROKES)]}
        return look | {"linestyle": "none", "fillstyle": ("full", "none", "left", "bottom")[stroke % 4]}

    def of_published(self, number: int) -> dict[str, Any]:
        one = self.published[number]
        look: dict[str, Any] = {"linestyle": "none", "label": one["label"]}
        if one["label"] in self.markers:
            marker = PUBLISHED_MARKERS[self.markers[one["label"]] % len(PUBLISHED_MARKERS)]
            return look | {"marker": marker, "color": "black", "markersize": 7}
        first, rest = self.parted(one["line"])
        stroke = self.strokes[rest]
        marker = "s^Dv"[stroke % 4]
        colour = COLOURS[self.colours[first] % len(COLOURS)]
        return look | {"marker": marker, "color": colour, "fillstyle": "none", "markersize": 8}


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def shown(name: str, value: Any) -> str:
    """A setting's value, formatted.

    >>> shown("bytes", 16777216), shown("bytes", 1000), shown("nodes", 32768)
    ('16 MiB', '1,000 B', '32,768')
    """
    if not is_number(value):
        return str(value)
    if name.endswith("bytes"):
        for unit, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
            if value >= scale and value % scale == 0:
                return f"{value // scale:,} {unit}"
        return f"{value:,} B"
    return f"{value:,}"


def keys(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def label(record: dict[str, Any], names: Sequence[str]) -> str:
    """The label of a panel or a line: its settings that the record has."""
    words = []
    for name in names:
        value = record.get(name)
        if isinstance(value, bool):
            words.append(f"{name}: {'yes' if value else 'no'}")
        elif is_number(value) or ("." in name and value is not None):
            words.append(f"{name} {shown(name, value)}")
        elif value is not None:
            words.append(str(value))
    return ", ".join(words)
