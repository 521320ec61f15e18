# SPDX-License-Identifier: Apache-2.0
"""Lines at the beginning of a text file that are no rows: comments, and lines to skip by their numbers."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

#: Lines at the beginning that are looked at.
_MOST = 10_000
_CHUNK = 1 << 20


def settled(where: object, told: dict[str, Any]) -> dict[str, Any]:
    """The parameters of `read_csv` with `comment` and a list of `skiprows` as a number of leading lines, if they are.

    Comments have to be whole lines in front of the header, and no later line may have the character of a comment. Lines
    to skip have to surround the header without a gap. Otherwise the parameters stay as they are.
    """
    if not _can_be_looked_at(where, told):
        return told
    if isinstance(told["comment"], str) and len(told["comment"]) == 1 and not told["skiprows"]:
        found = _leading_comments(where, told["comment"])
        told = told if found is None else {**told, "comment": None, "skiprows": found}
    elif isinstance(told["skiprows"], (list, tuple, set, range)) and told["comment"] is None:
        told = {**told, **_around_header(where, told)}
    return told


def _can_be_looked_at(where: object, told: dict[str, Any]) -> bool:
    encoding = str(told["encoding"] or "utf-8").lower()
    if told["compression"] not in ("infer", None) or told["storage_options"] is not None or encoding != "utf-8":
        return False
    if hasattr(where, "read"):
        return hasattr(where, "seek") and hasattr(where, "tell")
    name = os.fspath(where) if isinstance(where, (str, os.PathLike)) else ""
    return str(name).lower().endswith((".csv", ".tsv", ".txt")) and os.path.isfile(name)


@contextmanager
def _opened(where: Any) -> Iterator[tuple[Callable[[], str], Callable[[], str]]]:
    """Functions that read the next line and the next part of a stream, whose position is restored at the end."""
    if hasattr(where, "read"):
        start = where.tell()
        try:
            yield (lambda: _text(where.readline())), (lambda: _text(where.read(_CHUNK)))
        finally:
            where.seek(start)
    else:
        with open(where, "rb") as file:
            yield (lambda: _text(file.readline())), (lambda: _text(file.read(_CHUNK)))


def _text(data: Any) -> str:
    return data if isinstance(data, str) else bytes(data).decode("utf-8", "replace")


def _leading_comments(where: object, mark: str) -> int | None:
    """How many lines of comments lead; None where there are others, or blank lines."""
    with _opened(where) as (line, rest):
        count = 0
        while (text := line()).startswith(mark):
            count += 1
            if count > _MOST:
                return None
        if not text.strip() or mark in text:
            return None
        while part := rest():
            if mark in part:
                return None
    return count


def _around_header(where: object, told: dict[str, Any]) -> dict[str, Any]:
    """The names in the header, and how many lines to skip, that one included; nothing where lines are elsewhere."""
    numbers = set(told["skiprows"])
    whole = all(type(one) is int and 0 <= one < _MOST for one in numbers)
    if not numbers or not whole or told["header"] not in ("infer", 0) or told["names"] is not None:
        return {}
    last = max(numbers)
    kept = [one for one in range(last + 1) if one not in numbers]
    if len(kept) != 1 or not told["skip_blank_lines"]:
        return {}
    with _opened(where) as (line, _):
        lines = [line() for _ in range(last + 1)]
    header = lines[kept[0]]
    quotes = header.count(told["quotechar"]) if told["quotechar"] else 0
    if quotes % 2 or not header.strip() or any(not one.endswith("\n") for one in lines):
        return {}
    import pandas

    options = {name: told[name] for name in ("quotechar", "quoting", "escapechar")}
    names = pandas.read_csv(io.StringIO(header), nrows=0, sep=told["delimiter"] or told["sep"], **options).columns
    return {"names": list(names), "header": None, "skiprows": last + 1}
