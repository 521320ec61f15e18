# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of loops: what a loop over `ak.steps` keeps, with the step that is to follow."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ...arrays.array import Array
from ...session.checkpoint_schedule import Schedule
from ...session.everywhere import once
from ...storage.session_files import target_here
from .checkpoint import checkpoint_steps, is_kept, load_checkpoint_with_note

_PLAIN = (str, int, float, bool, type(None))


class Saver:
    """Writes the checkpoints of a loop to a directory when they are due, and reads the last one.

    Parameters
    ----------
    path : path
        The directory.
    schedule : Schedule
        When checkpoints are due; that of the first PE counts.
    """

    def __init__(self, path: Any, schedule: Schedule) -> None:
        self._path, _ = target_here(os.fspath(path))
        self._schedule = schedule

    def restored(self, keep: dict[str, Any]) -> int | None:
        """Puts the values of the checkpoint into `keep`. Returns the next step; None: there is no checkpoint."""
        if not once(os.path.isdir, self._path):
            return None
        found, note = load_checkpoint_with_note(self._path)
        values = note.get("values") if isinstance(note, dict) else None
        if not isinstance(values, dict) or {*found, *values} != {*keep}:
            raise ValueError(
                f"{self._path} has a checkpoint of {', '.join({**found, **(values or {})})}, not of {', '.join(keep)}. "
                "Remove it, or name another directory?"
            )
        for name, value in {**found, **values}.items():
            put_back(keep, name, value)
        return int(note["step"])

    def save_if_due(self, keep: Mapping[str, Any], step: int) -> None:
        """Writes a checkpoint if it is time. Collective."""
        size = sum(value.nbytes for value in keep.values() if isinstance(value, Array))
        if once(self._schedule.is_due, size):
            self.save(keep, step)

    def save(self, keep: Mapping[str, Any], step: int) -> None:
        """Writes a checkpoint, after which `step` follows. Collective."""
        self._schedule.begin()
        objects = {name: value for name, value in keep.items() if is_kept(value)}
        values = {name: _plain(name, value) for name, value in keep.items() if name not in objects}
        once(os.makedirs, os.path.dirname(self._path), 0o777, True)
        for _ in checkpoint_steps(self._path, objects, {"step": step, "values": values}):
            pass
        self._schedule.end()


def put_back(keep: dict[str, Any], name: str, value: Any) -> None:
    """Gives the array that the program has under this name the elements of `value`, or puts `value` in its place."""
    known = keep.get(name)
    if (
        isinstance(known, Array)
        and isinstance(value, Array)
        and known.base is None
        and known.dtype == value.dtype
        and known.shape == value.shape
    ):
        known._expr = value._read()
        known._version += 1
    else:
        keep[name] = value


def _plain(name: str, value: Any) -> Any:
    """A value for JSON."""
    plain = value.item() if hasattr(value, "item") else value
    if isinstance(plain, (list, tuple)):
        return [_plain(name, one) for one in plain]
    if isinstance(plain, dict) and all(isinstance(key, str) for key in plain):
        return {key: _plain(name, one) for key, one in plain.items()}
    if not isinstance(plain, _PLAIN):
        raise TypeError(
            f"keep[{name!r}] is {type(value).__name__}, which a checkpoint cannot hold. Keep arrays, columns, frames, "
            "numbers, strings, and lists and dictionaries of those?"
        )
    return plain
