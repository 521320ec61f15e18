# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of a server: its published objects in a directory, written between requests and at the end.

A checkpoint is one of `ak.save_checkpoint`. Object `index` is a column of one string, JSON that describes the published
objects; the handles of object NAME are its arrays and columns `NAME/0`, `NAME/1`, … A name has no `/`. Published arrays
never change in place, so a checkpoint that takes many turns of the loop holds the objects of its first turn.
"""

from __future__ import annotations

import base64
import json
import logging
import os
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ... import _core
from ...arrays.array import expr_of, wrap
from ...columns.text.binary import Binary, binary_of
from ...columns.text.strings import Strings, strings, texts_of
from ...frame.files.checkpoint import checkpoint_steps, load_checkpoint
from ...storage import checked_json
from ..objects import unpack
from ..protocol import Role
from .names import Published

if TYPE_CHECKING:
    from .names import Names

_log = logging.getLogger("atoll.serve")
_INDEX = "index"
#: Of the object `index`, in JSON.
_DESCRIPTION = checked_json.record({
    "version": checked_json.text,
    "at": checked_json.number,
    "objects": checked_json.table_of(checked_json.record({
        "kind": checked_json.text, "form": checked_json.text, "handles": checked_json.count, "role": checked_json.text,
        "user": checked_json.text, "at": checked_json.number,
    })),
})  # fmt: skip
#: What a checkpoint may raise that leaves the server able to go on: the disk, memory, an object.
_FAILURES = (OSError, MemoryError, TypeError, ValueError, RuntimeError)


class Checkpoints:
    """Decides when to write the published objects to a directory, and writes them. Used by the main thread.

    Parameters
    ----------
    names : Names
        The published objects.
    path : str
        The directory; empty: nothing is written.
    every : float
        Seconds from a change of the published objects to a checkpoint, at most; 0: no periodic checkpoints.
    idle : float
        Seconds without a request after which a change is written; 0: no idle checkpoints.
    """

    def __init__(self, names: Names, path: str, every: float = 0.0, idle: float = 0.0) -> None:
        self.path, self.every, self.idle = path, every, idle
        self.written_at = 0.0  # time of the last checkpoint; 0: none by this process
        self.error = ""  # why the last attempt failed
        self.asked = False  # a client asks for one now
        self.attempts = 0  # that have ended
        self._names = names
        self._saved = names.version  # version of the objects in the directory
        self._attempted_at = time.monotonic()
        self._steps: Iterator[None] | None = None
        self._version = 0  # of the objects that `_steps` writes

    # -- when --

    def patience(self, last_request: float) -> float | None:
        """Seconds until the next step is due; None: nothing is to be written."""
        if not self.path:
            return None
        if self._steps is not None or self.asked:
            return 0.0
        if self._names.version == self._saved:
            return None
        now, due = time.monotonic(), []
        if self.every:
            due.append(self._attempted_at + self.every)
        if self.idle:  # a failed attempt is repeated after the same time
            due.append(max(last_request, self._attempted_at if self.error else 0.0) + self.idle)
        return max(0.0, min(due) - now) if due else None

    # -- writing --

    def step(self) -> None:
        """Begins a checkpoint, or writes its next column. A failure is logged, and the checkpoint before stays."""
        self._attempted_at = time.monotonic()
        try:
            if self._steps is None:
                self.asked = False
                self._version = self._names.version
                self._steps = checkpoint_steps(self.path, _kept(self._names.objects()))
            if next(self._steps, self) is self:
                self._steps, self._saved = None, self._version
                self.written_at, self.error = time.time(), ""
                self.attempts += 1
                _log.info("checkpoint of %d names in %s", len(self._names), self.path)
        except _FAILURES as error:
            self._steps = None
            self.attempts += 1
            self.error = f"{type(error).__name__}: {error}"
            _log.error("no checkpoint in %s (%s). The one before stays", self.path, self.error)

    def finish(self) -> None:
        """Writes what is not written yet, at the end of the server."""
        if not self.path:
            return
        if self._steps is not None and self._version != self._names.version:
            self._steps.close()  # type: ignore[attr-defined]
            self._steps = None
        if self._steps is None and self._names.version == self._saved:
            return
        self.step()
        while self._steps is not None:
            self.step()

    def status(self) -> dict[str, Any]:
        """Data for `atoll serve status`."""
        return {
            "path": self.path, "at": self.written_at, "changed": self._names.version != self._saved,
            "error": self.error, "attempts": self.attempts, "running": self._steps is not None,
        }  # fmt: skip

    # -- reading --

    def restore(self) -> int:
        """Publishes the objects of the checkpoint again; how many. FileNotFoundError or ValueError where it cannot."""
        try:
            found = load_checkpoint(self.path)
        except FileNotFoundError:
            raise FileNotFoundError(
                f"there is no checkpoint in {self.path}. Start without --restore, or name its directory with "
                "--checkpoint?"
            ) from None
        try:
            index = checked_json.parse(found.pop(_INDEX).to_list()[0], _DESCRIPTION)
        except (LookupError, AttributeError, ValueError) as error:
            what = error if isinstance(error, ValueError) else "it has no description of objects"
            raise ValueError(f"{self.path} is not a checkpoint of a server ({what}). Is it one of a script?") from None
        for name, told in index["objects"].items():
            try:
                handles = [_handle(found[f"{name}/{number}"]) for number in range(told["handles"])]
                form = base64.b64decode(told["form"])
                role = Role.of(told["role"])
            except (KeyError, ValueError) as error:
                raise ValueError(
                    f"{name!r} in {self.path} cannot be read ({error}). Was the checkpoint changed? Start without "
                    "--restore?"
                ) from None
            try:
                unpack(form, handles)
            except ValueError as error:
                raise ValueError(
                    f"{name!r} in {self.path} cannot be made by Atoll {_core.VERSION} ({error}); Atoll "
                    f"{index['version']} wrote it. Start the server with that version?"
                ) from error
            self._names.restore(name, Published(told["kind"], form, handles, role, told["user"], told["at"]))
        self._saved = self._names.version
        self.written_at = float(index["at"])
        return len(self._names)

    def check_unused(self) -> None:
        """FileExistsError where the directory has a checkpoint that the next one would replace."""
        if self.path and os.path.exists(self.path):
            raise FileExistsError(
                f"{self.path} has a checkpoint, which this server would replace. Pass --restore to start with its "
                "objects, remove it, or name another directory with --checkpoint?"
            )


def _kept(objects: dict[str, Published]) -> dict[str, Any]:
    """The objects of a checkpoint."""
    index = {
        "version": _core.VERSION,
        "at": time.time(),
        "objects": {
            name: {
                "kind": one.kind, "form": base64.b64encode(one.form).decode(), "handles": len(one.handles),
                "role": one.role.label, "user": one.user, "at": one.at,
            }
            for name, one in objects.items()
        },
    }  # fmt: skip
    kept: dict[str, Any] = {_INDEX: strings([json.dumps(index)])}
    for name, one in objects.items():
        for number, handle in enumerate(one.handles):
            kept[f"{name}/{number}"] = _column(handle) if isinstance(handle, _core.Texts) else wrap(handle.alias())
    return kept


def _column(handle: _core.Texts) -> Any:
    """A column of strings, or of bytes where they are not UTF-8."""
    column = binary_of(handle, None)
    try:
        column.decode()
    except ValueError:
        return column
    return texts_of(handle, None)


def _handle(column: object) -> Any:
    """The engine's handle of an array or a column that `_kept` made."""
    if isinstance(column, (Strings, Binary)):
        return column._values
    handle = expr_of(column)
    handle.evaluate()
    return handle
