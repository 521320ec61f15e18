# SPDX-License-Identifier: Apache-2.0
"""TOML files whose errors name file, line and key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Key = tuple[str | int, ...]
LONGEST_ERROR = 900
LONGEST_TEXT = 64


@dataclass(frozen=True)
class Source:
    """A file, its content, and the line of each key."""

    path: Path
    text: str
    content: dict[str, Any]
    lines: dict[Key, int]
    error: type[Exception]

    def wrong(self, key: Sequence[str | int], text: str) -> Exception:
        """An error about a key, with its line or that of the enclosing table."""
        if len(text) > LONGEST_ERROR:
            text = f"{text[: LONGEST_ERROR // 2]} … {text[-LONGEST_ERROR // 2 :]}"
        found = tuple(key)
        while found and found not in self.lines:
            found = found[:-1]
        where = f":{self.lines[found]}" if found in self.lines else ""
        return self.error(f"{self.path}{where}: {dotted(key)}: {text}" if key else f"{self.path}{where}: {text}")


def dotted(key: Sequence[str | int]) -> str:
    """('run', 0, 'nodes') as `run[1].nodes`, counted from 1."""
    words = ""
    for part in key:
        words += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if words else part
    return words


def shown(value: object) -> str:
    """A value for an error message, shortened to a line.

    >>> shown(16**5000), shown("a" * 100)
    ('a number of thousands of digits', "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…")
    """
    try:
        text = repr(value)
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…"


def integer(value: object, least: int, most: int) -> int:
    """An integer of a file; ValueError with the accepted range."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{shown(value)} is not accepted. Write a whole number of at least {least}")
    if value > most:
        raise ValueError(f"{shown(value)} is not accepted. Write a whole number from {least} to {most}")
    return value


def exists(path: Path) -> bool:
    """Whether the file exists; False for an invalid name."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def read(path: Path, error: type[Exception]) -> Source:
    """Reads a file; raises `error` when it cannot be read or is not TOML."""
    try:
        text = path.read_text()
    except OSError as refusal:
        raise error(f"cannot read {path}: {refusal.strerror}") from None
    except UnicodeDecodeError:
        raise error(f"{path} is not TOML: it is no text") from None
    except ValueError as refusal:  # a zero byte in the name
        raise error(f"cannot read {str(path)!r}: {refusal}") from None
    try:
        content = tomllib.loads(text)
    except RecursionError:
        raise error(f"{path} is not read: its lists are nested too deep") from None
    except ValueError as refusal:  # TOMLDecodeError, or a number of thousands of digits
        line = re.search(r"\(at line (\d+), column \d+\)", str(refusal))
        raise error(f"{path}{':' + line[1] if line else ''}: is not TOML: {refusal}") from None
    return Source(path, text, content, lines_of(text), error)


def lines_of(text: str) -> dict[Key, int]:
    """The line of each table and key of a TOML text.

    >>> lines_of('a = 1\\n[[run]]\\nb.c = [\\n 1]\\n')
    {('a',): 1, ('run',): 2, ('run', 0): 2, ('run', 0, 'b'): 3, ('run', 0, 'b', 'c'): 3}
    """
    lines: dict[Key, int] = {}
    table: Key = ()
    depth = 0
    quotes = ""
    for number, line in enumerate(text.splitlines(), 1):
        if depth == 0 and not quotes:
            header = re.match(r"\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(#.*)?$", line)
            if header:
                names = parts(header[2])
                table = ()
                for name in names[:-1]:
                    table = inside(lines, (*table, name))
                table = (*table, names[-1])
                lines.setdefault(table, number)
                if header[1] == "[[":
                    table = (*table, sum(1 for key in lines if key[:-1] == table and isinstance(key[-1], int)))
                    lines[table] = number
                continue
            assigned = re.match(
                r"\s*((?:[\w-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*(?:[\w-]+|\"[^\"]*\"|'[^']*'))*)\s*=", line
            )
            if assigned:
                key = table
                for name in parts(assigned[1]):
                    key = (*key, name)
                    lines.setdefault(key, number)
        depth, quotes = after(line, depth, quotes)
    return lines


def inside(lines: dict[Key, int], table: Key) -> Key:
    """The last element of a list of tables, or the table."""
    count = sum(1 for key in lines if key[:-1] == table and isinstance(key[-1], int))
    return (*table, count - 1) if count else table


def parts(key: str) -> list[str]:
    return [a or b or c for a, b, c in re.findall(r"\"([^\"]*)\"|'([^']*)'|([\w-]+)", key)]


def after(line: str, depth: int, quotes: str) -> tuple[int, str]:
    """Brackets and long strings that are open at the end of a line."""
    at = 0
    while at < len(line):
        if quotes:
            end = line.find(quotes, at)
            if end < 0:
                return depth, quotes
            at, quotes = end + 3, ""
        elif line[at : at + 3] in ('"""', "'''"):
            quotes = line[at : at + 3]
            at += 3
        elif line[at] in "\"'":
            end = line.find(line[at], at + 1)
            at = len(line) if end < 0 else end + 1
        elif line[at] == "#":
            break
        else:
            depth += (line[at] in "[{") - (line[at] in "]}")
            at += 1
    return depth, quotes
