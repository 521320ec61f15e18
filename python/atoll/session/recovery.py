# SPDX-License-Identifier: Apache-2.0
"""Warnings of a session after a recovery from failed workers, and its report on protection."""

from __future__ import annotations

import sys
import warnings
from types import FrameType
from typing import TypedDict

from .. import _core
from .where import is_ours
from .words import plural

#: What `ak.init(resilience=…)` accepts.
LEVELS = ("off", "process")


class Report(TypedDict):
    """One recovery, as the engine describes it."""

    cause: str
    pes: list[int]
    arrays: int
    bytes: int
    repeated: int
    lost: int
    seconds: float


def sentence(report: Report) -> str:
    """The text of the warning: the cause, the restored arrays, the repeated operations and the time."""
    pes = sorted(set(report["pes"]))
    names = ("PE " if len(pes) == 1 else "PEs ") + " and ".join(map(str, pes))
    lost = (
        f"{plural(report['lost'], 'array')} could not be made again and cannot be used (PeFailedError). "
        if report["lost"]
        else ""
    )
    return (
        f"{report['cause']}. A new process adopted the memory of {names} ({plural(report['arrays'], 'array')}, "
        f"{report['bytes'] / 1e6:.4g} MB); {plural(report['repeated'], 'earlier operation')} "
        f"{'was' if report['repeated'] == 1 else 'were'} repeated, and this one. {lost}"
        f"It took {report['seconds']:.2f} s"
    )


def warn(report: Report) -> None:
    """The listener of a session: one warning, at the line of the program that called the package."""
    level = 1
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and is_ours(frame):
        level += 1
        frame = frame.f_back
    warnings.warn(sentence(report), RuntimeWarning, stacklevel=level + 1)


def watch(core: _core.Session) -> None:
    """Makes a session report its recoveries."""
    core.set_recovery_listener(warn)
