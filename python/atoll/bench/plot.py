# SPDX-License-Identifier: Apache-2.0
"""Charts of recorded runs: dots on a log axis, times as fast as a peer or GiB/s; `curves` draws communication."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from atoll import extras
from atoll.bench import BenchError, curves
from atoll.bench.record import read

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: One colour per contender in every chart (Okabe and Ito's set, which the colour-blind can tell apart).
COLOURS = {
    "atoll": "#0072B2",
    "limit": "#444444",
    "numpy": "#E69F00",
    "polars": "#56B4E9",
    "duckdb": "#F0E442",
    "pandas": "#CC79A7",
    "pyarrow": "#009E73",
    "numexpr": "#D55E00",
    "numba": "#8C6BB1",
}
#: Maximum rows of a panel; more rows are divided among adjacent panels.
ROWS = 18


def setting(record: dict[str, Any]) -> str:
    """The setting of a row."""
    return f"{record['name']}  {record['dtype']} {record['dist']}, {short(record['size'])}"


def short(size: int) -> str:
    exponent = len(str(size)) - 1
    return f"$10^{{{exponent}}}$" if size == 10**exponent and exponent > 3 else f"{size:,}"


def shape(record: dict[str, Any]) -> tuple[int, int, str]:
    """The setting in which dots of one row differ, besides the contender."""
    return record["pes"], record["threads"], record.get("simd", "")


def label(record: dict[str, Any], several_shapes: bool, several_levels: bool) -> str:
    words = [str(record["contender"])]
    if several_shapes:
        words.append(f"{record['pes']} PE x {record['threads']}")
    if several_levels:
        words.append(record.get("simd", ""))
    return ", ".join(words)


Groups = dict[str, dict[str, tuple[float, float, float]]]


def grouped(records: Sequence[dict[str, Any]], metric: str, baseline: str) -> Groups:
    """setting -> contender -> (value, low, high). The last record of a kind counts."""
    several = len({shape(record)[:2] for record in records}) > 1
    levels = len({shape(record)[2] for record in records}) > 1
    times: dict[tuple[str, str], dict[str, Any]] = {}
    base: dict[tuple[str, tuple[int, int, str]], float] = {}
    for record in records:
        times[setting(record), label(record, several, levels)] = record
        if record["contender"] == baseline:
            base[setting(record), shape(record)] = median(record["seconds"])
    groups: Groups = defaultdict(dict)
    for (group, bar), record in times.items():
        seconds = record["seconds"]
        if metric == "gib_s":
            scale = record["bytes"] / 2**30
        else:
            found = base.get((group, shape(record)))
            if found is None:
                continue
            scale = found
        if scale > 0:
            groups[group][bar] = (scale / median(seconds), scale / max(seconds), scale / min(seconds))
    if not groups:
        raise BenchError(f"no record of '{baseline}' to compare with: choose another --baseline, or --metric gib_s")
    return groups


def plot_files(files: Sequence[Path], out: Path, metric: str, baseline: str, title: str) -> None:
    """One chart of all records: dots for arrays, curves for communication."""
    extras.load("matplotlib", "bench").use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.lines import Line2D

    records = read(files)
    jobs = [one for one in records if "size_means" in one]
    if jobs and len(jobs) < len(records):
        raise BenchError("records of arrays and of communication do not fit one picture: plot them apart")
    if jobs:
        curves.draw(jobs, out, title)
        return
    groups = grouped(records, metric, baseline)
    order = sorted(groups, key=lambda group: best_of_atoll(groups[group]), reverse=True)
    panels = -(-len(order) // ROWS)
    rows = -(-len(order) // panels)
    figure, all_axes = plt.subplots(
        1, panels, figsize=(max(9.0, 6.5 * panels), 1.7 + 0.27 * rows), layout="constrained", sharex=True, squeeze=False
    )
    names: set[str] = set()
    for panel, axes in enumerate(all_axes[0]):
        shown = order[panel * rows : (panel + 1) * rows]
        names |= draw_rows(axes, groups, shown, rows)
        if metric == "ratio":
            axes.axvline(1.0, color="#333333", linewidth=1.0, linestyle="--", zorder=1)
        what = f"times as fast as {baseline}" if metric == "ratio" else "GiB/s"
        axes.set_xlabel(f"{what}, log scale (median; line: slowest to fastest trial)", fontsize=9)
    handles = [
        Line2D([], [], linestyle="", marker=marker(name), color=colour(name), markersize=8 if is_atoll(name) else 6)
        for name in sorted(names, key=lambda name: (not is_atoll(name), name))
    ]
    figure.legend(
        handles, sorted(names, key=lambda name: (not is_atoll(name), name)), loc="outside lower center",
        ncols=min(len(names), 6 * panels), frameon=False, fontsize=9,
    )  # fmt: skip
    figure.suptitle(f"{title or 'Atoll and its peers'}\n", x=0.01, ha="left", fontsize=12, weight="bold")
    figure.text(0.01, 1.0, f"\n\n{machine(records)}", fontsize=8, color="#555555", va="top").set_in_layout(False)
    figure.savefig(out, dpi=160)
    plt.close(figure)


def draw_rows(axes: Axes, groups: Groups, shown: Sequence[str], rows: int) -> set[str]:
    """One row per setting: a dot and its spread for each contender, and the value of Atoll. Returns the names."""
    from matplotlib.ticker import LogLocator, NullLocator

    names = set()
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.xaxis.set_minor_locator(NullLocator())
    axes.grid(axis="x", color="#dddddd", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    for row, group in enumerate(shown):
        axes.axhline(row, color="#f2f2f2", linewidth=5, zorder=0)
        for name, (value, low, high) in sorted(groups[group].items(), key=lambda item: is_atoll(item[0])):
            names.add(name)
            axes.plot([low, high], [row, row], color=colour(name), linewidth=1.2, alpha=0.6, zorder=2)
            size = 60 if is_atoll(name) else 28
            axes.scatter(
                value, row, s=size, marker=marker(name), color=colour(name), edgecolor="white", linewidth=0.6, zorder=3
            )
        if own := best_of_atoll(groups[group]):
            text = f"{own:.3g}" if own < 1000 else f"{own:,.0f}"
            axes.annotate(
                text,
                (1.0, row),
                xycoords=("axes fraction", "data"),
                va="center",
                fontsize=8,
                weight="bold",
                color=COLOURS["atoll"],
            )
    axes.set_yticks(range(len(shown)), shown, fontsize=8)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(rows - 0.4, -0.6)
    return names


def is_atoll(name: str) -> bool:
    return name.startswith("atoll")


def best_of_atoll(dots: dict[str, tuple[float, float, float]]) -> float:
    return max((value for name, (value, _, _) in dots.items() if is_atoll(name)), default=0.0)


def colour(name: str) -> str:
    return COLOURS.get(name.split(",")[0].split("-")[0], "#999999")


def marker(name: str) -> str:
    """A diamond for Atoll, a triangle for a variant of a peer (numpy-unstable), a circle for others."""
    return "D" if is_atoll(name) else "^" if "-" in name.split(",")[0] else "o"


def machine(records: Sequence[dict[str, Any]]) -> str:
    first = records[0]
    levels = " and ".join(sorted({shape(record)[2] for record in records}))
    shapes = sorted({(record["pes"], record["threads"]) for record in records})
    of = ", ".join(f"{pes} PE x {threads} thread{'s' if threads > 1 else ''}" for pes, threads in shapes)
    return f"{first.get('processor', '')}, {first.get('cores', '?')} cores, {levels}; {of}"
