# SPDX-License-Identifier: Apache-2.0
"""Measurements sorted into panels of a page: the quantity on each axis, and the lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from atoll.experiment.series import Measured, Record, Setting, measured

#: Fixed colours of frequent contenders; others take the remaining colours in order.
COLOURS = {
    "atoll": "blue", "numpy": "orange", "polars": "aqua", "duckdb": "yellow", "pandas": "magenta", "pyarrow": "green",
    "numexpr": "red", "numba": "violet", "limit": "grey",
}  # fmt: skip
SPARE = ("orange", "aqua", "magenta", "yellow", "green", "violet", "red")
DASHES = ("", "7 4", "2 4", "10 3 2 3")
OWN = "atoll"


@dataclass
class Curve:
    """One line of a panel: a contender, in one variant of the other settings."""

    label: str
    contender: str
    colour: str
    dash: str
    #: The settings that distinguish it from other lines of its contender.
    variant: Setting
    #: By x.
    points: dict[float, Measured] = field(default_factory=dict)


@dataclass
class Panel:
    """One benchmark on one kind of data."""

    title: str
    what: str
    x_title: str
    #: Whether x is the number of cores, and curves are compared with the ideal.
    scaling: str
    curves: list[Curve]

    @property
    def xs(self) -> list[float]:
        return sorted({x for curve in self.curves for x in curve.points})

    @property
    def own(self) -> list[Curve]:
        return [curve for curve in self.curves if curve.contender == OWN]

    def own_beside(self, curve: Curve) -> Curve | None:
        """Atoll's line in the same variant as another contender's."""
        if curve.contender == OWN:
            return None
        return next((one for one in self.own if one.variant == curve.variant), None)


def x_of(found: Sequence[Measured], scaling: str) -> tuple[str, str]:
    """The setting on the x axis and its name; None for a bar chart."""
    counts = {name: len({one.setting.get(name) for one in found}) for name in ("size", "pes", "threads")}
    if scaling:
        name = "pes" if counts["pes"] > 1 or counts["threads"] == 1 else "threads"
        other = "threads" if name == "pes" else "pes"
        if counts[other] > 1:
            return "cores", "PEs x threads"
        each = found[0].setting.get(other)
        if name == "pes":
            return "cores" if each > 1 else "pes", f"PEs x {each} threads" if each > 1 else "PEs"
        return "threads", "threads" if each == 1 else f"threads of each of {each} PEs"
    name = max(counts, key=lambda one: counts[one])
    if counts[name] < 3 and counts["size"] == 1:
        return "", ""
    titles = {"size": str(found[0].last.get("size_means", "elements")), "pes": "PEs", "threads": "threads per PE"}
    return name, titles[name]


def panels(records: Sequence[Record], scaling: str) -> list[Panel]:
    """All panels, in the order in which their benchmarks were measured."""
    groups: dict[Setting, list[Measured]] = {}
    for setting, one in measured(records).items():
        key = setting.without("contender", "pes", "threads", "simd", "fabric", "hosts", "commit", "host", "size")
        if scaling:
            per = setting.get("pes") if scaling == "weak" else 1
            key = Setting((*key.values, ("work", setting.get("size") / per)))
        groups.setdefault(key, []).append(one)
    colours = colours_of(records)
    return [panel(key, found, scaling, colours) for key, found in groups.items()]


def colours_of(records: Sequence[Record]) -> dict[str, str]:
    """Each contender's colour, the same on the whole page."""
    contenders = list(dict.fromkeys(one["contender"] for one in records))
    taken = {COLOURS[name] for name in contenders if name in COLOURS}
    spare = [one for one in SPARE if one not in taken] or list(SPARE)
    found: dict[str, str] = {}
    for name in contenders:
        base = COLOURS.get(name) or COLOURS.get(name.split("-")[0])
        if base is None:
            base = spare[len(found) % len(spare)]
            spare = [one for one in spare if one != base] or spare
        found[name] = base
    return found


def panel(key: Setting, found: Sequence[Measured], scaling: str, colours: dict[str, str]) -> Panel:
    along, x_title = x_of(found, scaling)
    varied = [name for name, _ in found[0].setting.values if len({str(one.setting.get(name)) for one in found}) > 1]
    labelled = labels(varied, along, scaling)
    alone = "contender" not in varied
    curves: dict[Setting, Curve] = {}
    variants: list[Setting] = []
    for one in found:
        kept = one.setting.only(labelled)
        if kept not in curves:
            variant = kept.without("contender")
            if variant not in variants:
                variants.append(variant)
            curves[kept] = curve(str(one.setting.get("contender")), variant, variants.index(variant), colours, alone)
        x = one.cores if along == "cores" else one.setting.get(along) if along else 0
        curves[kept].points[float(x)] = one
    ordered = sorted(curves.values(), key=lambda one: one.contender != OWN)
    shared = [name for name in ("dtype", "dist", "size", "pes", "threads") if name not in varied and name != along]
    what = found[0].setting.only(shared).describe()
    if scaling == "weak":
        what += f", {key.get('work'):,.0f} per PE"
    return Panel(str(key.get("name")), what.strip(", "), x_title, scaling, ordered)


def labels(varied: Sequence[str], along: str, scaling: str) -> list[str]:
    """Settings that distinguish lines: those that vary, except x."""
    said = {"name", "dtype", "dist", along}
    if scaling:
        said |= {"size", "pes", "threads"}
        if along == "cores":
            said -= {"threads"}
    return [name for name in varied if name not in said]


def curve(contender: str, variant: Setting, number: int, colours: dict[str, str], alone: bool) -> Curve:
    """A line's looks: the contender's colour, dashed for its further variants; where there is one contender, a colour
    for each variant."""
    label = ", ".join(filter(None, (contender, variant.describe()))).replace(" x ", " × ")
    if alone:
        colour = [colours[contender], *(one for one in SPARE if one != colours[contender])]
        return Curve(label, contender, f"var(--{colour[number % len(colour)]})", "", variant)
    dash = DASHES[number % len(DASHES)]
    if contender == "limit":
        dash = ("3 3", "1 4")[number % 2]
    elif "-" in contender and not dash:
        dash = DASHES[1]
    return Curve(label, contender, f"var(--{colours[contender]})", dash, variant)
