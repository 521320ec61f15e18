# SPDX-License-Identifier: Apache-2.0
"""Validates a range of JSON lines before Arrow's parser, which crashes on some invalid input."""

from __future__ import annotations

import re

import numpy as np

_DEEPEST = 500  # lists in lists: the parser calls itself for each
_SHOWN = 20  # characters of a line that an error shows
_TEXT = re.compile(rb'"(?:[^"\\]|\\.)*"?')
_ROW = re.compile(r"in row (\d+)")
_MARK = b"\xef\xbb\xbf"  # of byte order


class Broken(ValueError):
    """A line that is no JSON object: its number among those of the range, from 0 on, and what is wrong with it."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(line, what)
        self.line, self.what = line, what


def check(data: bytes) -> None:
    """Raises Broken for the first line that is no object, or that has too many lists in one another.

    Arrow's parser ends the process where the first line is ``null``, and where lists in lists take all of its stack.
    """
    begins = _begins(data)
    firsts = np.frombuffer(data, np.uint8)[begins]
    for number in np.flatnonzero(firsts != ord("{")).tolist():
        line = _line(data, begins, number).strip()
        if number == 0:
            line = line.removeprefix(_MARK).lstrip()
        if line[:1] == b"[" and number == 0:
            raise Broken(0, "is a list, not an object. Write an object a line (lines=True), or read with lines=False?")
        if line and line[:1] != b"{":
            shown = line[:_SHOWN].decode(errors="replace") + ("…" if len(line) > _SHOWN else "")
            raise Broken(number, f"is {shown!r}, not an object. Write an object a line, or read with lines=False?")
    _check_depth(data, begins)


def line_of(data: bytes, error: BaseException) -> Broken | None:
    """The line that an error of Arrow's parser is about; None if the error does not say."""
    found = _ROW.search(str(error))
    if found is None:
        return None
    begins = _begins(data)
    filled = [number for number in range(len(begins)) if _line(data, begins, number).strip()]
    row = int(found[1])
    if row >= len(filled):
        return None
    return Broken(filled[row], "is broken: " + str(error).splitlines()[0].replace(f" {found[0]}", ""))


def _begins(data: bytes) -> np.ndarray:
    """Where lines begin that have a byte."""
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
    begins = np.concatenate([np.zeros(1, ends.dtype), ends + 1])
    return begins[begins < len(data)]


def _line(data: bytes, begins: np.ndarray, number: int) -> bytes:
    return data[begins[number] : begins[number + 1] if number + 1 < len(begins) else len(data)]


def _check_depth(data: bytes, begins: np.ndarray) -> None:
    if data.count(b"[") + data.count(b"{") < _DEEPEST:
        return
    long = np.diff(begins, append=len(data)) > _DEEPEST
    for number in np.flatnonzero(long).tolist():
        line = _line(data, begins, number)
        if line.count(b"[") + line.count(b"{") < _DEEPEST:
            continue
        signs = np.frombuffer(_TEXT.sub(b"", line), np.uint8)
        steps = np.isin(signs, [ord("["), ord("{")]).astype(np.int64) - np.isin(signs, [ord("]"), ord("}")])
        if np.cumsum(steps).max(initial=0) > _DEEPEST:
            raise Broken(number, f"has lists or objects in one another, deeper than {_DEEPEST}")
