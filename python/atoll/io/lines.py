# SPDX-License-Identifier: Apache-2.0
"""Rows as lines of text, which each PE makes of its own rows with all its threads and writes where they belong."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .. import _core
from ..arrays.array import Array, expr_of
from ..columns.column import Column
from ..columns.text.strings import Strings
from ..session import current
from ..session.everywhere import clean_up, everywhere
from ..storage.session_files import replacing
from .reading import run
from .rows import write_all

_PIECE = 1 << 13  # rows that a thread makes lines of at a time: these stay in its cache until they are written

#: On each PE but the first: lines that are made, and not yet written.
_made: dict[str, list[_core.Lines]] = {}


class Form(NamedTuple):
    """How lines are written: arguments of `_core.Lines.fill`."""

    json: bool
    separator: str
    quote: str
    missing: str
    end: str


class LineColumn(NamedTuple):
    """A column whose values become parts of lines, and what stands before each."""

    column: Any
    before: str
    verbatim: bool = False  # strings that have no special characters


class _Given(NamedTuple):
    text: bool
    has_valid: bool
    before: str
    verbatim: bool


def is_plain(column: Any) -> bool:
    """Whether the column's values are written as they lie: numbers, bools and strings."""
    if isinstance(column, Strings):
        return True
    if type(column) is Column:
        return column.values.dtype.kind in "biuf"
    return isinstance(column, Array) and column.dtype.kind in "biuf" and column.ndim == 1


def write_lines(path: str, head: bytes, columns: Sequence[LineColumn], form: Form) -> None:
    """Writes a head, and behind it a line for each row; the file appears whole or not at all."""
    arrays, texts, given = [], [], []
    for column, before, verbatim in columns:
        valid = column.valid if isinstance(column, Column) else None
        if isinstance(column, Strings):
            texts.append(column._values)
        else:
            arrays.append(expr_of(column.values if isinstance(column, Column) else column))
        if valid is not None:
            arrays.append(expr_of(valid))
        given.append(_Given(isinstance(column, Strings), valid is not None, before, verbatim))
    key, session = secrets.token_hex(8), current()
    with replacing(path) as aside:
        try:
            sizes = everywhere(_make, key, aside, head, given, form, session.threads, inputs=[*arrays, *texts])
            if len(sizes) > 1:
                everywhere(_write, key, aside, [sum(sizes[:pe]) for pe in range(len(sizes))])
        finally:
            if session.pes > 1:
                clean_up(session, _forget, key)


class _InOrder:
    """Puts pieces that threads finish in any order back in order, and passes them on one at a time, without waiting."""

    def __init__(self, give: Callable[[_core.Lines], None]) -> None:
        self._give, self._lock = give, threading.Lock()
        self._waiting: dict[int, _core.Lines] = {}
        self._next, self._giving = 0, False

    def add(self, number: int, lines: _core.Lines) -> None:
        """Any thread: one gives on what the others have finished meanwhile."""
        with self._lock:
            self._waiting[number] = lines
            if self._giving:
                return
            self._giving = True
        while True:
            with self._lock:
                found = self._waiting.pop(self._next, None)
                if found is None:
                    self._giving = False
                    return
                self._next += 1
            self._give(found)


def _make(here: Any, key: str, aside: str, head: bytes, given: Sequence[_Given], form: Form, threads: int) -> int:
    """How many bytes this PE's lines have. The first PE, which knows where they belong, writes them at once."""
    views = iter(here.rows())
    held: list[tuple[Any, Any]] = [
        (None if one.text else next(views), next(views) if one.has_valid else None) for one in given
    ]
    columns: list[tuple[Any, Any, Any, bool, str]] = []
    for one, (values, valid) in zip(given, held, strict=True):
        offsets = next(views) if one.text else None
        columns.append((next(views) if one.text else values, offsets, valid, one.verbatim, one.before))
    first = columns[0]
    count = len(first[0]) if first[1] is None else max(len(first[1]) - 1, 0)
    size = 0
    handle = -1
    kept: list[_core.Lines] = []
    spare: list[_core.Lines] = []  # whose memory is used again

    def write(lines: _core.Lines) -> None:
        nonlocal size
        data = lines.data.data
        if handle >= 0:
            write_all(handle, data, size)
            spare.append(lines)
        else:
            kept.append(lines)
        size += len(data)

    ordered = _InOrder(write)

    def piece(number: int) -> None:
        begin = number * _PIECE
        try:
            lines = spare.pop()  # other threads take from it, too
        except IndexError:
            lines = _core.Lines()
        lines.fill(columns, *form, begin, min(begin + _PIECE, count))
        ordered.add(number, lines)

    try:
        if here.pe == 0:
            handle = os.open(aside, os.O_WRONLY | os.O_CREAT, 0o666)
            write_all(handle, memoryview(head), 0)
            size = len(head)
        run(piece, [(number,) for number in range(-(-count // _PIECE))], threads)
    finally:
        if handle >= 0:
            os.close(handle)
    if here.pe != 0:
        _made[key] = kept
    return size


def _write(here: Any, key: str, aside: str, begins: Sequence[int]) -> None:
    """Writes the lines that this PE has kept."""
    at = begins[here.pe]
    handle = os.open(aside, os.O_WRONLY)
    try:
        for lines in _made.get(key, ()):
            write_all(handle, lines.data.data, at)
            at += len(lines.data)
    finally:
        os.close(handle)


def _forget(here: Any, key: str) -> None:
    _made.pop(key, None)
