# SPDX-License-Identifier: Apache-2.0
"""Rows as lines of text, which each PE makes of its own rows with all its threads and writes where they belong."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from ..arrays.array import Array, expr_of
from ..columns.column import Column
from ..columns.strings import Strings
from ..session import current
from ..session.everywhere import everywhere
from .reading import run
from .rows import replacing, write_all

_PIECE = 1 << 15  # rows that a thread makes lines of at a time

#: On each PE: lines that are made, and not yet written.
_made: dict[str, list[_core.Lines]] = {}


class Form(NamedTuple):
    """How lines are written: the arguments of `_core.lines_of`."""

    json: bool
    separator: str
    quote: str
    missing: str
    end: str


class LineColumn(NamedTuple):
    """A column whose values become parts of lines, and what stands before each."""

    column: Any
    before: str
    verbatim: bool = False  # texts that have no special characters


class _Given(NamedTuple):
    text: bool
    has_valid: bool
    before: str
    verbatim: bool


def is_plain(column: Any) -> bool:
    """Whether the column's values are written as they lie: numbers, bools and texts."""
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
    key, threads = secrets.token_hex(8), current().threads
    with replacing(path) as aside:
        try:
            sizes = everywhere(_make, key, given, form, threads, inputs=[*arrays, *texts])
            begins = [len(head) + sum(sizes[:pe]) for pe in range(len(sizes))]
            everywhere(_write, key, aside, head, begins, threads)
        finally:
            everywhere(_forget, key)


def _make(here: Any, key: str, given: Sequence[_Given], form: Form, threads: int) -> int:
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
    begins = range(0, count, _PIECE)
    made: dict[int, _core.Lines] = {}

    def piece(begin: int) -> None:
        made[begin] = _core.lines_of(columns, *form, begin, min(begin + _PIECE, count))

    run(piece, [(begin,) for begin in begins], threads)
    _made[key] = [made[begin] for begin in begins]
    return sum(len(lines.data) for lines in _made[key])


def _write(here: Any, key: str, aside: str, head: bytes, begins: Sequence[int], threads: int) -> None:
    handle = os.open(aside, os.O_WRONLY | os.O_CREAT, 0o666)
    try:
        if here.pe == 0:
            write_all(handle, memoryview(head), 0)
        lines = _made[key]
        ends = np.cumsum([len(one.data) for one in lines])

        def piece(number: int) -> None:
            data = lines[number].data
            write_all(handle, data.data, begins[here.pe] + int(ends[number]) - len(data))

        run(piece, [(number,) for number in range(len(lines))], threads)
    finally:
        os.close(handle)


def _forget(here: Any, key: str) -> None:
    _made.pop(key, None)
