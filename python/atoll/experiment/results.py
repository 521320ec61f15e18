# SPDX-License-Identifier: Apache-2.0
"""The results file of an experiment: JSON lines, written so that a crash neither loses nor duplicates one.

A head line names the experiment, with the text of its file; it is written again when the text changes. The records of
a point follow one another, each with the point's key and the number of records that the point has (`of`), written at
once and flushed to the disk. Opening the file to continue truncates an incomplete end: half a line, or a point without
all its records, which can only be the last.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from atoll.bench.record import HEAD_KEY, RECORD
from atoll.experiment import ExperimentError
from atoll.experiment.point import Point
from atoll.storage import checked_json

Record = dict[str, Any]
_HEAD = checked_json.record(
    dict.fromkeys(("name", "file", "text", "host", "commit", "date"), checked_json.text),
    dict.fromkeys(("title", "summary", "kind", "scaling", "command"), checked_json.text),
)
#: The default folder of results.
FOLDER = Path("results")


@dataclass
class Contents:
    """The content of a results file."""

    path: Path
    #: The last head line; empty for the records of `atoll bench run --json`.
    head: Record = field(default_factory=dict)
    records: list[Record] = field(default_factory=list)
    done: set[str] = field(default_factory=set)
    #: Bytes up to the end of the last complete point.
    sound_bytes: int = 0


def parse(path: Path, data: bytes) -> Contents:
    """All complete points. An incomplete end is ignored; corruption elsewhere is an error."""
    found = Contents(path)
    open_key, open_records = "", list[Record]()
    at = 0
    lines = data.split(b"\n")
    for number, line in enumerate(lines[:-1], 1):  # after the last newline is nothing, or half a line
        at += len(line) + 1
        if not line.strip():
            continue
        try:
            entry = checked_json.parse(line, _entry)
        except ValueError as error:
            raise ExperimentError(
                f"{path}:{number} is no record of a measurement ({error}): was the file edited?"
            ) from None
        key = entry.get("point", "")
        if open_records and key != open_key:
            raise ExperimentError(f"{path}:{number}: '{open_key}' before it lacks records: was the file edited?")
        if HEAD_KEY in entry:
            found.head = entry[HEAD_KEY]
        elif not key:
            found.records.append(entry)
        elif key in found.done:
            raise ExperimentError(f"{path}:{number}: '{key}' is there twice: was the file edited?")
        else:
            open_key, open_records = key, [*open_records, entry]
            if len(open_records) < entry["of"]:
                continue
            found.records += open_records
            found.done.add(key)
            open_records = []
        found.sound_bytes = at
    return found


def _entry(value: Any, key: str) -> None:
    checked_json.record({})(value, key)
    if HEAD_KEY in value:
        checked_json.record({HEAD_KEY: _HEAD})(value, key)
    else:
        RECORD(value, key)
        if "point" in value:
            checked_json.record({"of": checked_json.count})(value, key)


def read(path: Path) -> Contents:
    """Reads a results file."""
    try:
        return parse(path, path.read_bytes())
    except OSError as error:
        raise ExperimentError(f"cannot read {path}: {error.strerror}") from None


class Results:
    """A results file, open for appending by one process at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise ExperimentError(f"cannot write {path}: {error.strerror}") from None
        try:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ExperimentError(
                    f"another process is writing {path}: wait for it, or name other --results"
                ) from None
            self.contents = parse(path, path.read_bytes())
            os.ftruncate(self._file, self.contents.sound_bytes)
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> Results:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        os.close(self._file)

    def set_head(self, head: Record) -> None:
        """Writes a head line if it differs from the last one."""
        old = self.contents.head
        if any(old.get(key) != head[key] for key in ("text", "host", "commit")):
            self._write([{HEAD_KEY: head}])
            self.contents.head = head

    def add(self, point: Point, records: Sequence[Record]) -> None:
        """The records of a point: all of them, or none when this fails."""
        assert records, f"{point.key} has no records"
        stamped = [{**one, "point": point.key, "of": len(records)} for one in records]
        self._write(stamped)
        self.contents.records += stamped
        self.contents.done.add(point.key)

    def _write(self, entries: Sequence[Record]) -> None:
        left = memoryview("".join(json.dumps(one) + "\n" for one in entries).encode())
        before = os.fstat(self._file).st_size
        try:
            while left:
                left = left[os.write(self._file, left) :]
            os.fsync(self._file)
        except BaseException as error:
            os.ftruncate(self._file, before)
            if isinstance(error, OSError):
                raise ExperimentError(f"cannot write {self.path}: {error.strerror}") from None
            raise


def gather(paths: Sequence[Path]) -> list[Contents]:
    """Reads results files; at least one must have records."""
    found = [read(path) for path in paths]
    if not any(one.records for one in found):
        raise ExperimentError("there are no measurements in " + ", ".join(map(str, paths)))
    return found
