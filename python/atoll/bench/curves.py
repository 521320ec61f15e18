# SPDX-License-Identifier: Apache-2.0
"""Charts of communication benchmarks: one panel for each operation; curves over sizes, bars for a single size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

#: Contender -> size -> the record.
Panel = dict[str, dict[int, dict[str, Any]]]
#: Fixed colours of frequent contenders; others take these in turn.
FIXED = {"atoll": "#0072B2", "limit": "#444444"}
OTHERS = ["#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#8C6BB1"]
MARKERS = "osD^vP"


def panels(records: Sequence[dict[str, Any]]) -> dict[str, Panel]:
    """Panels by name. The last record of a kind counts."""
    found: dict[str, Panel] = {}
    for one in records:
        found.setdefault(one["name"], {}).setdefault(one["contender"], {})[one["size"]] = one
    return found


def value(record: dict[str, Any]) -> float:
    """The plotted value: units per second, or seconds."""
    seconds = median(record["seconds"])
    return float(record["work"] / seconds if record["unit"] else seconds)


def unit_of(record: dict[str, Any]) -> str:
    return {"": "s", "op": "operations/s"}.get(record["unit"], f"{record['unit']}/s")


def binary(size: float, _: Any = None) -> str:
    """4 KiB as 4K."""
    for letter, scale in (("G", 2**30), ("M", 2**20), ("K", 2**10)):
        if size >= scale and size % scale == 0:
            return f"{int(size) // scale}{letter}"
    return f"{size:g}"


def draw_curves(axes: Any, panel: Panel, colours: dict[str, str]) -> None:
    from matplotlib.ticker import EngFormatter, FuncFormatter, NullFormatter

    for number, (contender, by_size) in enumerate(panel.items()):
        sizes = sorted(by_size)
        values = [value(by_size[size]) for size in sizes]
        own = contender == "atoll"
        axes.plot(
            sizes,
            values,
            color=colours[contender],
            marker=MARKERS[number % len(MARKERS)],
            markersize=4 if own else 3.5,
            linewidth=2.2 if own else 1.3,
            linestyle="--" if contender == "limit" else "-",
            zorder=3 if own else 2,
        )
    first = next(iter(next(iter(panel.values())).values()))
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(binary))
    axes.yaxis.set_major_formatter(EngFormatter(unit=unit_of(first), sep=" "))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(first.get("size_means", "size"), fontsize=8)
    axes.grid(which="major", color="#dddddd", linewidth=0.7)


def draw_bars(axes: Any, panel: Panel, colours: dict[str, str]) -> None:
    from matplotlib.ticker import EngFormatter

    names = list(panel)
    records = [next(iter(by_size.values())) for by_size in panel.values()]
    values = [value(one) for one in records]
    show = EngFormatter(unit=unit_of(records[0]), sep=" ", places=1)
    axes.barh(names, values, color=[colours[name] for name in names], height=0.75)
    for place, one in enumerate(values):
        axes.text(one, place, f" {show(one)}", va="center", fontsize=7)
    axes.set_ylim(len(colours) - 0.4, -0.6)  # bars as thick in every panel
    axes.set_xlim(0, max(values) * 1.45)
    axes.set_xticks([])
    axes.tick_params(axis="y", length=0)
    axes.spines["bottom"].set_visible(False)


def draw(records: Sequence[dict[str, Any]], out: Path, title: str) -> None:
    """All panels, in the order in which they were measured."""
    import matplotlib.pyplot as plt
    from matplotlib.lines import Line2D

    found = panels(records)
    contenders = list(dict.fromkeys(one["contender"] for one in records))
    others = iter(OTHERS * math.ceil(len(contenders) / len(OTHERS)))
    colours = {name: FIXED.get(name) or next(others) for name in contenders}
    width = min(3, len(found))
    height = math.ceil(len(found) / width)
    figure, grid = plt.subplots(height, width, figsize=(3.6 * width + 0.6, 2.4 * height + 0.9), squeeze=False)
    for axes in grid.flat[len(found) :]:
        axes.set_visible(False)
    for axes, (name, panel) in zip(grid.flat, found.items(), strict=False):
        single = len({size for by_size in panel.values() for size in by_size}) == 1
        (draw_bars if single else draw_curves)(axes, panel, colours)
        axes.set_title(name, fontsize=9, weight="bold", loc="left")
        axes.tick_params(labelsize=7)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    libraries = {one["contender"]: one.get("library", "") for one in records}
    handles = [
        Line2D([], [], color=colours[name], linestyle="--" if name == "limit" else "-", linewidth=2, marker=MARKERS[0])
        for name in contenders
    ]
    labels = [f"{name}: {libraries[name]}" if libraries[name] else name for name in contenders]
    figure.legend(handles, labels, loc="lower center", ncols=2, fontsize=8, frameon=False)
    first = records[0]
    machine = f"{first.get('processor', '')}, {first.get('cores', '?')} cores; {first.get('pes', '?')} PEs; medians"
    inch = 1 / figure.get_figheight()
    figure.text(0.01, 1 - 0.08 * inch, title or "Communication", fontsize=12, weight="bold", va="top")
    figure.text(0.01, 1 - 0.32 * inch, machine, fontsize=8, color="#555555", va="top")
    lines = math.ceil(len(contenders) / 2)
    figure.tight_layout(rect=(0, (0.1 + 0.18 * lines) * inch, 1, 1 - 0.5 * inch))
    figure.savefig(out, dpi=160)
    plt.close(figure)
