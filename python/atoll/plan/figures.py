# SPDX-License-Identifier: Apache-2.0
"""Aggregates of groups in two steps: of some rows each, then of what came out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

#: How an aggregate of aggregates is made: of sums the sum.
_AGAIN = {
    "sum": "sum",
    "count": "sum",
    "size": "sum",
    "min": "min",
    "max": "max",
    "prod": "prod",
    "any": "any",
    "all": "all",
}
Figures = Mapping[str, tuple[str, str]]


def in_two_steps(figures: Figures) -> tuple[Figures, Figures, list[tuple[str, str, str]]] | None:
    """First aggregates, those of them, and results that are quotients (name, of, by). None: they need all rows."""
    first: dict[str, tuple[str, str]] = {}
    again: dict[str, tuple[str, str]] = {}
    quotients = []
    for at, (name, (column, figure)) in enumerate(figures.items()):
        wanted = ["sum", "count"] if figure == "mean" else [figure]
        if any(one not in _AGAIN for one in wanted):
            return None
        for one in wanted:
            inner = f"{at} {one}"
            first[inner] = (column, one)
            again[inner if figure == "mean" else name] = (inner, _AGAIN[one])
        if figure == "mean":
            quotients.append((name, f"{at} sum", f"{at} count"))
    return first, again, quotients


def grouped(frame: Any, keys: Sequence[str], figures: Figures, dropna: bool) -> Any:
    """The frame's groups in order of their keys, which are columns."""
    made = frame.groupby(list(keys), as_index=False, dropna=dropna)
    if figures:
        return settled(made.agg(**figures))
    return frame[list(keys)].drop_duplicates().sort_values(list(keys), ignore_index=True)


def settled(frame: Any) -> Any:
    """The frame, with columns that no longer hold on to what they were made of."""
    for column in frame._columns:
        evaluate = getattr(column, "evaluate", None)
        if evaluate is not None:
            evaluate()
    return frame


def finished(frame: Any, keys: Sequence[str], quotients: Sequence[tuple[str, str, str]], names: Sequence[str]) -> Any:
    """With quotients in place of what they are made of."""
    for name, of, by in quotients:
        frame[name] = frame[of] / frame[by]
    return frame[[*keys, *names]]
