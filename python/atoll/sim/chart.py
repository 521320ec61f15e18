# SPDX-License-Identifier: Apache-2.0
"""Charts of results: a panel for each value of some settings, a line for each of others; published points beside."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from atoll import extras

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#444444", "#8C6BB1")
MARKERS = "osD^vP*X"
MOST_NAMED = 10  # values of x that are all written
UNITS = {
    "time_s": "time, s", "messages": "messages", "message_bytes": "bytes sent", "energy_j": "energy, J",
    "host_active_s": "work of hosts, s", "run_s": "time to simulate, s", "memory_bytes": "memory, bytes",
    "ratio": "times as long", "gib_s": "GiB/s", "pe_messages": "messages of each PE", "start_s": "time to start, s",
    "start_pe_messages": "messages of each PE to start", "runtime_bytes": "memory of the runtime on each PE, bytes",
    "pe_resident_bytes": "memory of each PE, bytes",
}  # fmt: skip


class Chart:
    """Records sorted into panels and lines, by what the head's `plot` says."""

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
                    line[record[self.x]] = record["time_s"] / found
            else:
                line[record[self.x]] = record[self.y]

    def varied(self, records: Sequence[dict[str, Any]]) -> list[str]:
        """Settings, other than x and panels, that differ between records."""
        figures = ("time_s", "time_min_s", "time_max_s", "simulated_s", "messages", "message_bytes", "host_active_s",
                   "energy_j", "memory_bytes", "build_s", "run_s", "pes", "pe_messages", "gib_s", "start_s",
                   "start_pe_messages", "runtime_bytes", "pe_resident_bytes")  # fmt: skip
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
        figure, axes = plt.subplots(
            down, across, figsize=(1.5 + 4.2 * across, 1 + 3.4 * down), squeeze=False, sharey=True
        )
        for unused in axes.flat[count:]:
            unused.set_visible(False)
        looks = Looks(self.head.get("published", []))
        values = [y for lines in self.panels.values() for line in lines.values() for y in line.values() if y > 0]
        # The less they span, the more of them are named.
        span = max(values) / min(values) if values else 1.0
        named = (1, 2, 3, 5, 7) if span < 10 else (1, 2, 5) if span < 1000 else (1,)
        for axis, (panel, lines) in zip(axes.flat, self.panels.items(), strict=False):
            for name, line in lines.items():
                axis.plot(list(line), list(line.values()), markersize=4, label=name, **looks.of(name, self.line_keys))
            for one in looks.published:
                if one.get("panel", panel) == panel:
                    axis.plot(one["x"], one["y"], linestyle="none", marker="x", color="black", label=one["label"])
            if "x" in self.logs:
                axis.set_xscale("log", base=2)
                numbers = sorted({x for line in lines.values() for x in line if isinstance(x, int | float)})
                if numbers and len(numbers) <= MOST_NAMED:  # what was simulated, as people write it
                    axis.set_xticks(numbers, [f"{x:,}" for x in numbers])
                    axis.minorticks_off()
                    if sum(len(f"{x:,}") for x in numbers) > 36:
                        axis.tick_params(axis="x", labelrotation=45)
                else:
                    axis.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
            if "y" in self.logs:
                axis.set_yscale("log")
                axis.yaxis.set_major_formatter(lambda value, _: self.format(value))
                axis.yaxis.set_major_locator(LogLocator(10, named))
                axis.yaxis.set_minor_formatter(NullFormatter())
            axis.set_xlabel(self.x)
            axis.set_title(panel, fontsize=9)
            axis.grid(alpha=0.3)
        for row in axes:
            # Where each number has its unit there is none behind the name.
            name = UNITS.get(self.y, self.y)
            row[0].set_ylabel(name.removesuffix(", s") if "y" in self.logs else name)
        shown: dict[str, Any] = {}
        for axis in axes.flat:
            shown |= {name: handle for handle, name in zip(*axis.get_legend_handles_labels(), strict=True) if name}
        names, handles = list(shown), list(shown.values())
        if names:
            # As many beside one another as fit: a letter is some 0.055 inches wide, a sample 0.7.
            fit = int(figure.get_figwidth() / (0.7 + 0.055 * max(map(len, names))))
            columns = max(1, min(4, len(names), fit))
            figure.legend(
                handles, names, loc="lower center", ncols=columns, fontsize=7, frameon=False, handlelength=3.5
            )
        figure.suptitle(self.head.get("title", ""))
        rows = -(-len(names) // columns) if names else 0
        figure.tight_layout(rect=(0, 0.02 + 0.14 / down * min(rows, 5) / 3.4, 1, 1))
        for path in paths:
            figure.savefig(path, dpi=120)
        plt.close(figure)


class Looks:
    """One colour for each value of the first setting of a line in all panels, one stroke for each of the others."""

    STROKES = ("-", "--", ":", "-.")

    def __init__(self, published: Sequence[dict[str, Any]]) -> None:
        self.published = published
        self.colours: dict[str, int] = {}
        self.strokes: dict[str, int] = {}

    def of(self, name: str, line_keys: Sequence[str]) -> dict[str, Any]:
        first, _, rest = name.partition(", ") if len(line_keys) > 1 else (name, "", "")
        colour = self.colours.setdefault(first, len(self.colours))
        stroke = self.strokes.setdefault(rest, len(self.strokes))
        return {"color": COLOURS[colour % 8], "linestyle": self.STROKES[stroke % 4], "marker": MARKERS[colour % 8]}


def keys(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def label(record: dict[str, Any], names: Sequence[str]) -> str:
    return ", ".join(
        f"{name} {record.get(name)}" if isinstance(record.get(name), int) else str(record.get(name)) for name in names
    )
