# SPDX-License-Identifier: Apache-2.0
"""Charts of recorded runs: bars that say how many times as fast as a peer, or GiB/s; `curves` for communication."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from atoll import extras
from atoll.bench import BenchError, curves
from atoll.bench.record import read

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
HATCHED = "//"


def setting(record: dict[str, Any]) -> str:
    """What a group of bars is about."""
    return f"{record['name']}\n{record['dtype']} {record['dist']}, {short(record['size'])}"


def short(size: int) -> str:
    exponent = len(str(size)) - 1
    return f"$10^{{{exponent}}}$" if size == 10**exponent and exponent > 3 else f"{size:,}"


def shape(record: dict[str, Any]) -> tuple[int, int, str]:
    """What bars of one setting differ in, but for the contender."""
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
    """setting -> bar -> (value, low, high). The last record of a kind counts."""
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
    """One picture of all records: bars of arrays, curves of communication."""
    extras.load("matplotlib", "bench").use("Agg")
    import matplotlib.pyplot as plt

    records = read(files)
    jobs = [one for one in records if "size_means" in one]
    if jobs and len(jobs) < len(records):
        raise BenchError("records of arrays and of communication do not fit one picture: plot them apart")
    if jobs:
        curves.draw(jobs, out, title)
        return
    groups = grouped(records, metric, baseline)
    own = {
        group: max((v[0] for bar, v in bars.items() if bar.startswith("atoll")), default=0.0)
        for group, bars in groups.items()
    }
    order = sorted(groups, key=lambda group: own[group])
    bars_total = sum(len(groups[group]) for group in order)
    height = 1.2 + 0.2 * bars_total + 0.22 * len(order)
    figure, axes = plt.subplots(figsize=(8.5, height), layout="constrained")
    axes.set_axisbelow(True)
    axes.grid(axis="x", color="#dddddd", linewidth=0.8)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)

    position, ticks = 0.0, []
    largest = max(value for bars in groups.values() for value, _, _ in bars.values())
    for group in order:
        start = position
        for bar, (value, low, highest) in sorted(groups[group].items(), key=lambda item: item[1][0]):
            high = min(highest, 1.1 * largest)  # one lucky trial must not squeeze all bars
            name = bar.split(",")[0]
            colour = COLOURS.get(name.split("-")[0], "#999999")
            axes.barh(
                position,
                value,
                height=0.82,
                color=colour,
                hatch=HATCHED if "-" in name else None,
                edgecolor="white",
                linewidth=0.5,
                xerr=[[max(0.0, value - low)], [max(0.0, high - value)]],
                error_kw={"ecolor": "#00000066", "elinewidth": 1.0},
            )
            weight = "bold" if name == "atoll" else "normal"
            text = f" {bar}  {value:.2f}" if value < 10 else f" {bar}  {value:.1f}"
            place = (max(high, value) + 0.005 * largest, position)
            axes.text(*place, text, va="center", fontsize=8, weight=weight).set_in_layout(False)
            position += 1
        ticks.append(((start + position - 1) / 2, group))
        position += 1.1
    axes.set_yticks([at for at, _ in ticks], [text for _, text in ticks], fontsize=9)
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(0, largest * 1.28)
    axes.set_ylim(-1, position - 0.5)
    if metric == "ratio":
        axes.axvline(1.0, color="#E69F00" if baseline == "numpy" else "#888888", linewidth=1.2, linestyle="--")
        axes.set_xlabel(f"times as fast as {baseline} (median; whiskers: fastest and slowest trial)")
    else:
        axes.set_xlabel("GiB/s (median; whiskers: fastest and slowest trial)")
    first = records[0]
    levels = " and ".join(sorted({shape(record)[2] for record in records}))
    shapes = sorted({(record["pes"], record["threads"]) for record in records})
    machine = f"{first.get('processor', '')}, {first.get('cores', '?')} cores, {levels}"
    of = ", ".join(f"{pes} PE x {threads} thread{'s' if threads > 1 else ''}" for pes, threads in shapes)
    axes.set_title(title or "Atoll and its peers", loc="left", fontsize=12, weight="bold", pad=22)
    axes.text(0, 1.0, f"{machine}; {of}", transform=axes.transAxes, fontsize=8, color="#555555", va="bottom")
    figure.savefig(out, dpi=160)
    plt.close(figure)
