# SPDX-License-Identifier: Apache-2.0
"""CSV as Arkouda writes it: a header with the types of the columns, delimiters of any length, quotes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["read_csv_columns", "to_csv_text"]

_OPEN, _CLOSE = "**HEADER**\n", "*/HEADER/*\n"
_KINDS: dict[str, Any] = {"str": str, "int64": np.int64, "uint64": np.uint64, "float64": np.float64, "bool": bool}


def _rows(text: str, delimiter: str) -> list[list[str]]:
    field = re.compile(rf'(?:"((?:[^"]|"")*)"|((?:(?!{re.escape(delimiter)})[^\n])*))({re.escape(delimiter)}|\n|\Z)')
    rows, row, place = [], list[str](), 0
    while place < len(text) or row:
        match = field.match(text, place)
        if match is None:
            raise RuntimeError("a quoted text does not end, or goes on behind its quote")
        row.append(match[2] if match[1] is None else match[1].replace('""', '"'))
        place = match.end()
        if match[3] != delimiter:
            rows.append(row)
            row = []
    return rows


def read_csv_columns(path: str, delimiter: str) -> dict[str, Any]:
    """The columns of a file by name, as NumPy's arrays: strings where no header says what they are."""
    text = Path(path).read_bytes().decode().replace("\r\n", "\n")
    kinds = None
    if text.startswith(_OPEN):
        header, text = text[len(_OPEN) :].split(_CLOSE, 1)
        kinds = header.strip("\n").split(",")
    rows = _rows(text, delimiter)
    if not rows:
        return {}
    names, rows = rows[0], rows[1:]
    if any(len(row) != len(names) for row in rows):
        raise RuntimeError(f"a row of {path} has not {len(names)} values")
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return {
        name: _values(list(column), kind)
        for name, column, kind in zip(names, columns, kinds or ["str"] * len(names), strict=True)
    }


def _values(column: list[str], kind: str) -> Any:
    if kind == "bool":
        return np.array([one.lower() == "true" for one in column], dtype=bool)
    if _KINDS.get(kind, str) is str:
        return np.array(column, dtype=object)  # NumPy's own strings lose NUL characters at their end
    return np.array(column, dtype=str).astype(_KINDS[kind])


def to_csv_text(columns: dict[str, Any], delimiter: str) -> str:
    """The file's text."""
    special = re.compile(rf'{re.escape(delimiter)}|"|\n')

    def quoted(value: object) -> str:
        text = str(value)
        return '"' + text.replace('"', '""') + '"' if special.search(text) else text

    kinds = [str(getattr(one.dtype, "name", one.dtype)) for one in columns.values()]
    lines = [delimiter.join(map(quoted, columns))]
    values = [one.tolist() for one in columns.values()]
    lines += [delimiter.join(map(quoted, row)) for row in zip(*values, strict=True)]
    return (
        _OPEN
        + ",".join("str" if one.startswith("str") else one for one in kinds)
        + "\n"
        + _CLOSE
        + "\n".join(lines)
        + "\n"
    )
