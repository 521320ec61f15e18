# SPDX-License-Identifier: Apache-2.0
"""The results file of `atoll sim run`: a line that names the experiment, then one per simulation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from atoll.sim.experiment import FIGURES
from atoll.sim.source import SimError
from atoll.storage import checked_json as kinds

_NAMES = kinds.either(kinds.text, kinds.list_of(kinds.text))
_PLOT = kinds.record(
    {},
    {
        "x": kinds.text, "y": kinds.text, "log": kinds.text, "panels": _NAMES, "lines": _NAMES,
        "ratio_to": kinds.table_of(kinds.anything),
    },
)  # fmt: skip
_PUBLISHED = kinds.record(
    {"label": kinds.text, "x": kinds.list_of(kinds.either(kinds.number, kinds.text)), "y": kinds.list_of(kinds.number)},
    dict.fromkeys(("panel", "line", "source"), kinds.text),
)
_RECORD = kinds.record(
    {"machine": kinds.text, "collective": kinds.text, "time_s": kinds.number},
    {
        **dict.fromkeys(FIGURES, kinds.number), "algorithm": kinds.text, "executor": kinds.text,
        **dict.fromkeys(("bytes", "nodes", "pes_per_node", "pes"), kinds.count),
    },
)  # fmt: skip


def read(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Head and records of a file of results."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise SimError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise SimError(f"{path} holds no results of `atoll sim run` ({error})") from None
    head: dict[str, Any] = {}
    found = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            if head:
                found.append(kinds.parse(line, _RECORD))
                _check_figure(head, found[-1])
            else:
                head = kinds.parse(line, _head)
        except ValueError as error:
            raise SimError(f"{path}:{number} is no line of `atoll sim run` ({error}). Was the file edited?") from None
    if not head:
        raise SimError(f"{path} is empty (the first line of results names their experiment). Was the run interrupted?")
    return head, found


def _head(value: Any, key: str) -> None:
    kinds.record(
        {"experiment": kinds.text, "title": kinds.text}, {"plot": _PLOT, "published": kinds.list_of(_PUBLISHED)}
    )(value, key)
    figure = value.get("plot", {}).get("y", "time_s")
    if figure not in FIGURES:
        raise ValueError(f"'plot.y' is {figure!r}, not one of {', '.join(FIGURES)}")
    for number, one in enumerate(value.get("published", [])):
        if len(one["x"]) != len(one["y"]):
            raise ValueError(f"'published[{number}].x' and '.y' differ in length")


def _check_figure(head: dict[str, Any], one: dict[str, Any]) -> None:
    figure = head.get("plot", {}).get("y", "time_s")
    if figure != "ratio" and figure not in one:
        raise ValueError(f"{figure!r}, which is to be drawn, is missing")
