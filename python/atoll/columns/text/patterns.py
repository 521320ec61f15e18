# SPDX-License-Identifier: Apache-2.0
"""Python's regular expressions as the engine's: same syntax but for a few escapes."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from importlib import import_module
from typing import NamedTuple

#: Of Python's flags, those that the engine takes.
FLAGS = re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE | re.ASCII
_SPECIAL = frozenset(r"\.^$*+?{}[]|()")
_POINT = {"x": 2, "u": 4, "U": 8}
#: White space of Python that the engine's \\s lacks, and all characters that are no white space of Python's.
_SEPARATORS = r"\x{1c}-\x{1f}"
_NO_SPACES = (
    r"\x{0}-\x{8}\x{e}-\x{1b}\x{21}-\x{84}\x{86}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}"
    r"\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{10ffff}"
)


class Pattern(NamedTuple):
    """A pattern in the engine's syntax."""

    text: str
    flags: int
    groups: int
    names: dict[str, int]


def is_literal(pattern: str) -> bool:
    """Whether a pattern matches itself and nothing else."""
    return not any(character in _SPECIAL for character in pattern)


def compiled(pattern: str, flags: int = 0, case: bool = True) -> Pattern:
    """The pattern as the engine takes it. What Python refuses, it refuses in Python's words (re.error)."""
    if isinstance(pattern, re.Pattern):
        if flags:
            raise ValueError("a compiled pattern has its flags already")
        pattern, flags = pattern.pattern, pattern.flags & ~re.UNICODE
    if not isinstance(pattern, str):
        raise TypeError(f"a pattern is a text or a compiled one, not {type(pattern).__name__}")
    return _compiled(pattern, int(flags) | (0 if case else int(re.IGNORECASE)))


@lru_cache(maxsize=256)
def _compiled(pattern: str, flags: int) -> Pattern:
    known = re.compile(pattern, flags)
    if known.flags & re.LOCALE:
        raise ValueError("texts have no locale: leave re.LOCALE out")
    return Pattern(
        _translated(pattern, bool(known.flags & re.ASCII)),
        int(known.flags & FLAGS),
        known.groups,
        dict(known.groupindex),
    )


def anchored(pattern: Pattern, whole: bool) -> Pattern:
    """Matches at the start alone, or the whole text."""
    return pattern._replace(
        text=rf"\A(?:{pattern.text}" + "\n" * bool(pattern.flags & re.VERBOSE) + (r")\z" if whole else ")")
    )


def cut_at(pattern: str, times: int, from_right: bool) -> str:
    """A pattern that cuts a string at the times-th match of another, in three groups: before it, the match, behind it.

    ValueError for a pattern with references to its own groups, or one whose matches may be empty or not.
    """
    # Python's parser knows how many characters a pattern matches; there is no public way to ask it.
    shortest, longest = import_module("re._parser").parse(pattern).getwidth()
    if shortest == 0 and longest:
        raise ValueError(f"pattern {pattern!r} matches an empty string in some places, and not in others. Another one?")
    found = re.match(r"\(\?[aiLmsux]+\)", pattern)
    flags = found.group() if found else ""
    one = f"(?>{_without_groups(pattern[len(flags) :])}{chr(10) if 'x' in flags else ''})"
    between = rf"(?:(?!{one})[\s\S])*+"
    if not longest:  # a character at least is between two places
        if from_right:
            next_one = rf"(?:[\s\S]{between}{one}){{{times - 1}}}"
            return rf"{flags}\A([\s\S]*?)({one})({next_one}(?:[\s\S]{between}(?!{one}))?)\Z"
        return rf"{flags}\A((?:{between}{one}[\s\S]){{{times - 1}}}{between})({one})([\s\S]*)\Z"
    if from_right:
        return rf"{flags}\A((?:{one}|(?!{one})[\s\S])*?)({one})({between}(?:{one}{between}){{{times - 1}}})\Z"
    return rf"{flags}\A((?:{between}{one}){{{times - 1}}}{between})({one})([\s\S]*)\Z"


_PIECE = re.compile(r"(\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?P=|\(\?P<\w+>|\((?!\?))", re.DOTALL)


def _without_groups(pattern: str) -> str:
    """The pattern whose groups capture nothing."""

    def altered(match: re.Match[str]) -> str:
        piece = match.group()
        if piece == "(?P=" or (piece[0] == "\\" and piece[1] in "123456789"):
            raise ValueError(f"pattern {pattern!r} refers to its own groups ({piece}). Write them out?")
        return "(?:" if piece[0] == "(" else piece

    return _PIECE.sub(altered, pattern)


def _spaces(escape: str, inside: bool) -> str:
    """White space, or what is none, as Python has it: outside a set of characters, or as members of one."""
    if escape == "s":
        return rf"\s{_SEPARATORS}" if inside else rf"[\s{_SEPARATORS}]"
    return _NO_SPACES if inside else rf"[^\s{_SEPARATORS}]"


def _translated(pattern: str, of_ascii: bool) -> str:
    """Python's escapes that mean something else to the engine."""
    out: list[str] = []
    at, inside = 0, False  # a set of characters
    while at < len(pattern):
        character = pattern[at]
        if character == "\\":
            escape = pattern[at + 1]
            digits = _POINT.get(escape)
            if escape == "Z" and not inside:
                out.append(r"\z")
            elif escape in "sS" and not of_ascii:
                out.append(_spaces(escape, inside))
            elif digits is not None:
                out.append(rf"\x{{{pattern[at + 2 : at + 2 + digits]}}}")
                at += digits
            elif escape == "N":
                end = pattern.index("}", at)
                out.append(rf"\x{{{ord(unicodedata.lookup(pattern[at + 3 : end])):x}}}")
                at = end - 1
            else:
                out.append(pattern[at : at + 2])
            at += 2
            continue
        if inside:
            if character == "[":
                out.append("\\")
            inside = character != "]"
        elif character == "[":
            inside = True
            if pattern[at + 1 : at + 2] == "^":
                out.append("[")
                at, character = at + 1, "^"
            if pattern[at + 1 : at + 2] == "]":  # the first one is a member
                out.append(character + "\\")
                at, character = at + 1, "]"
        elif pattern.startswith("(?", at) and (letters := re.match(r"\(\?[aiLmsux]+(?=[:)-])", pattern[at:])):
            kept = "".join(letter for letter in letters.group()[2:] if letter in "imsx")
            end = at + letters.end()
            if "a" in letters.group() and pattern[end] != ")":
                raise re.error("the flag a holds for whole patterns here: give re.ASCII as a flag", pattern, at)
            if not kept and pattern[end] == ")":
                at = end + 1
                continue
            out.append("(?" + kept)
            at = end
            continue
        out.append(character)
        at += 1
    return "".join(out)


_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}
_REFERENCE = re.compile(r"\\(?:g<([^>]*)>|(0[0-7]{0,2}|[1-3][0-7]{2})|([1-9][0-9]?)|(.)|$)", re.DOTALL)


def replacement(template: str, pattern: Pattern) -> tuple[list[str], list[int]]:
    """Python's template as pieces of text, and the group behind each: -1 for none."""
    pieces, groups, done = [""], [-1], 0
    for match in _REFERENCE.finditer(template):
        pieces[-1] += template[done : match.start()]
        done = match.end()
        name, octal, number, escape = match.groups()
        if octal is not None:
            pieces[-1] += chr(int(octal, 8))
        elif name is not None or number is not None:
            groups[-1] = _group(name if name is not None else number, pattern, template)
            pieces.append("")
            groups.append(-1)
        elif escape in _ESCAPES:
            pieces[-1] += _ESCAPES[escape]
        elif escape is None or (escape.isascii() and escape.isalpha()):
            raise re.error(f"bad escape \\{escape or ''}", template, match.start())
        else:
            pieces[-1] += match.group()
    pieces[-1] += template[done:]
    return pieces, groups


def _group(name: str, pattern: Pattern, template: str) -> int:
    group = int(name) if name.isdecimal() else pattern.names.get(name, -1)
    if not 0 <= group <= pattern.groups:
        if name.isdecimal():
            raise re.error(f"invalid group reference {name}", template)
        raise IndexError(f"unknown group name {name!r}")
    return group
