# SPDX-License-Identifier: Apache-2.0
"""Results of Arkouda's regular expressions on strings: `Matcher` of a pattern, `Match` of one search."""

from __future__ import annotations

from typing import Any

import numpy as np

import atoll

from ..core import client
from ..objects import lift
from .dtypes import Int

__all__ = ["Match", "Matcher"]

_FORMS = {"SEARCH": r"(?s:\A(.*?))({})", "MATCH": r"\A()({})", "FULLMATCH": r"\A()({})\Z"}


class Match:
    """Where a pattern matched, text by text.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.array(["1_2", "__", "3"]).search("_+")
    <ak.Match object: matched=True, span=(1, 2); matched=True, span=(0, 2); matched=False>
    """

    def __init__(self, texts: Any, pattern: str, kind: str) -> None:
        self._texts, self.re, self._kind = texts, pattern, kind
        found = texts._a.extract(_FORMS[kind].format(pattern))
        groups = list(found) if isinstance(found, tuple) else [found]
        before, self._groups = groups[0], groups[1:]
        matched = self._groups[0].notna()
        self._matched = atoll.asarray(matched)
        self._rows = atoll.flatnonzero(self._matched)
        self._starts = before.take(self._rows).byte_len()
        self._lengths = self._groups[0].take(self._rows).byte_len()

    def matched(self) -> Any:
        """Which strings match."""
        return lift(self._matched)

    def start(self) -> Any:
        """Where the matches begin, of strings that match."""
        return lift(_numbers(self._starts))

    def end(self) -> Any:
        """Where they end."""
        return lift(_numbers(self._starts) + _numbers(self._lengths))

    def match_type(self) -> str:
        """ "SEARCH", "MATCH" or "FULLMATCH"."""
        return self._kind

    def find_matches(self, return_match_origins: bool = False) -> Any:
        """The strings that matched, and which rows they are of."""
        return self.group(0, return_match_origins)

    def group(self, group_num: int = 0, return_group_origins: bool = False) -> Any:
        """A group of each match, and which rows they are of."""
        from .strings import Strings

        if not isinstance(group_num, Int) or not 0 <= group_num < len(self._groups):
            raise ValueError(f"{self.re!r} has no group {group_num}")
        chosen = self._groups[group_num].take(self._rows)
        made = Strings(chosen.fillna("") if chosen.null_count else chosen._like_valid())
        return (made, lift(self._rows)) if return_group_origins else made

    def __getitem__(self, item: int) -> str:
        if not bool(self._matched[item]):
            return "matched=False"
        row = int(atoll.flatnonzero(self._rows == item % self._matched.size)[0])
        begin = int(_numbers(self._starts)[row])
        return f"matched=True, span=({begin}, {begin + int(_numbers(self._lengths)[row])})"

    def __str__(self) -> str:
        size = self._matched.size
        few = size <= client.pdarrayIterThresh
        shown = [self[i] for i in (range(size) if few else (0, 1, 2, size - 3, size - 2, size - 1))]
        if not few:
            shown[3:3] = ["... "]
        return f"<ak.Match object: {'; '.join(shown)}>"

    __repr__ = __str__


def _numbers(counts: Any) -> Any:
    return atoll.asarray(getattr(counts, "values", counts)).astype(np.int64)


class Matcher:
    """A pattern and the strings it is looked for in."""

    def __init__(self, pattern: str, texts: Any) -> None:
        self.pattern, self._texts = pattern, texts
        self._found: Any = None

    def _locations(self) -> Any:
        if self._found is None:
            column = self._texts._a
            parts, segments = column.flatten(self.pattern, return_segments=True, regex=True)
            counts = _numbers(column.count(self.pattern))
            (matches, *_), _rows = column.extractall(f"({self.pattern})")
            lengths = _numbers(matches.byte_len()) if matches.size else atoll.zeros(0, dtype=np.int64)
            last = atoll.zeros(parts.size, dtype=bool)
            last[segments + counts] = True
            before = _numbers(parts.byte_len())[~last]
            ends = atoll.cumsum(before + lengths)
            first = atoll.cumsum(counts) - counts
            begun = atoll.concatenate([atoll.zeros(1, dtype=np.int64), ends])[first]
            starts = ends - lengths - atoll.repeat(begun, counts)
            self._found = counts, starts, lengths, matches
        return self._found

    num_matches = property(lambda self: lift(self._locations()[0]), doc="How often it matches in each text.")
    starts = property(lambda self: lift(self._locations()[1]), doc="Where.")
    lengths = property(lambda self: lift(self._locations()[2]), doc="How many bytes.")

    def get_match(self, kind: str) -> Match:
        """One match of each string."""
        return Match(self._texts, self.pattern, kind)

    def split(self, maxsplit: int, return_segments: bool) -> Any:
        """The parts between matches."""
        from .strings import Strings

        column = self._texts._a
        if maxsplit > 0:
            parts = column.split(self.pattern, n=maxsplit, expand=False, regex=True)
            flat, segments = parts.flatten(), parts.segments
        else:
            flat, segments = column.flatten(self.pattern, return_segments=True, regex=True)
        made = Strings(flat)
        return (made, lift(segments)) if return_segments else made

    def findall(self, return_match_origins: bool) -> Any:
        """All matches."""
        from .strings import Strings

        counts, _, _, matches = self._locations()
        made = Strings(matches if matches.size else atoll.strings([]))
        if not return_match_origins:
            return made
        return made, lift(atoll.repeat(atoll.arange(counts.size), counts))

    def sub(self, repl: str, count: int, return_num_subs: bool) -> Any:
        """The strings with matches replaced."""
        from .strings import Strings

        column = self._texts._a
        made = column.replace(self.pattern, repl.replace("\\", r"\\"), n=count or -1, regex=True)
        found = Strings(made)
        if not return_num_subs:
            return found
        counts = _numbers(column.count(self.pattern))
        return found, lift(atoll.minimum(counts, count) if count else counts)
