# SPDX-License-Identifier: Apache-2.0
"""Methods that take strings apart: splits, partitions, groups of regular expressions."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any, TypeVar

from ... import _core
from ...arrays.array import expr_of, wrap
from ...arrays.creation import arange, full, zeros
from ...arrays.repeating import repeat
from ...arrays.selection import flatnonzero, where
from ...arrays.sizes import require_room
from .methods import Text, TextMethods, text_of, whole
from .patterns import Pattern, compiled, cut_at, is_literal

if TYPE_CHECKING:
    from ...annotations import ArrayLike
    from ...arrays.ndarray import ndarray

_FEW = 8  # parts of a string, each of which may cost a pass over all strings
_ROW_BYTES = 9  # of a part: where it begins, and whether it is there

Self = TypeVar("Self", bound="SplitMethods")


class SplitMethods(TextMethods):
    """Several strings of each, and what is made of them."""

    __slots__ = ()

    def split(self: Self, pat: Any = None, n: int = -1, expand: bool = True, *, regex: bool | None = None) -> Any:
        """The parts of each string between separators, a column for each place; missing where a string has fewer.

        Parameters
        ----------
        pat : str or re.Pattern, optional
            The separator; None: white space, none at the ends. A regular expression when `regex` says so, or, when
            that says nothing, when it has several characters.
        n : int
            How often to split at most; 0 and -1: always.
        expand : bool
            False: one column of lists. `flatten` gives all parts as one column.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array(["a b c", "d"]).str.split()
        (strings(['a', 'd']), strings(['b', None]), strings(['c', None]))
        >>> ak.array(["a b c", "d"]).str.split(expand=False)
        lists([['a', 'b', 'c'], ['d']])
        """
        return self._columns(*self._separator(pat, n, 0, regex), expand)

    def rsplit(self: Self, pat: Text | None = None, n: int = -1, expand: bool = True) -> Any:
        """The same from the right, which matters when `n` bounds it."""
        return self._columns(*self._separator(pat, n, 1, False), expand)

    def _separator(
        self, pat: Any, n: int, from_right: int, regex: bool | None
    ) -> tuple[Text, list[Text], list[int], int]:
        """How to split: the way, its strings and numbers, and the flags of a regular expression."""
        most = whole(n, "n")
        most = -1 if most <= 0 else most
        if pat is None or (isinstance(pat, Text) and pat == ""):
            return "space", [], [most, from_right], 0
        literal = isinstance(pat, Text) and (
            regex is False or (regex is None and (builtins.len(pat) == 1 or is_literal(pat)))
        )
        if literal:
            return "text", [pat], [most, from_right], 0
        pattern = compiled(pat)
        return "regex", [pattern.text], [most, from_right], pattern.flags

    def _columns(self: Self, way: Text, texts: list[Text], numbers: list[int], flags: int, expand: bool) -> Any:
        if not expand:
            return self._lists(way, texts, [*numbers, flags])
        counts = self._measured(f"{way}.count", texts, [*numbers, flags])
        counts = counts if self._valid is None else counts * self._valid
        most = max(int(counts.max()) if counts.size else 0, 1)
        require_room(most * self.size * _ROW_BYTES, f"{most} columns of {self.size} parts")
        if most > _FEW:  # all parts are found at once, and then taken
            parts = self._lists(way, texts, [*numbers, flags]).values
            begins = counts.cumsum() - counts
            taken = []
            for place in range(most):
                gone = counts <= place
                part = parts._rows(where(gone, 0, begins + place))
                taken.append(part._hiding(gone) if bool(gone.any()) else part)
            return tuple(taken)
        columns = []
        for place in range(most):
            part = self._map(f"{way}.part", texts, [*numbers, place, flags])
            columns.append(part._hiding(counts <= place) if bool((counts <= place).any()) else part)
        return tuple(columns)

    def flatten(self: Self, pat: Any = None, return_segments: bool = False, *, regex: bool | None = None) -> Any:
        """All parts of all strings as one column; with `return_segments`, also where each string's begin (Arkouda).

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array(["a b", "", "c"]).str.flatten(" ", return_segments=True)
        (strings(['a', 'b', '', 'c']), array([0, 2, 3]))
        """
        way, texts, numbers, flags = self._separator(pat, -1, 0, regex)
        parts, lengths = self.dropna()._parts(way, texts, [*numbers, flags])
        return (parts, lengths.cumsum() - lengths) if return_segments else parts

    def findall(self: Self, pat: str, flags: int = 0) -> Any:
        """All matches of a regular expression in each string: a column of lists, as `re.findall` has them.

        Of a pattern with one group, what that matched; with several, a list for each match.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array(["a1b22", "c", None]).str.findall(r"[0-9]+")
        lists([['1', '22'], [], None])
        """
        pattern = compiled(pat, flags)
        found = self._lists("group", [pattern.text], [-1, 0, pattern.flags])
        if pattern.groups < 2:
            return found
        matches = full(found.values.size // pattern.groups, pattern.groups)
        return _lists_of(found.lengths // pattern.groups, _lists_of(matches, found.values, None), self._valid)

    def extractall(self: Self, pat: str, flags: int = 0) -> tuple[tuple[Self, ...], ndarray]:
        """The groups of all matches of a regular expression: a column for each, and the row of each match.

        As in pandas, but for its index, a group that took no part or matched nothing is missing.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array(["a1b2", "c", "d3"]).str.extractall(r"([a-z])([0-9])")
        ((strings(['a', 'b', 'd']), strings(['1', '2', '3'])), array([0, 0, 2]))
        """
        pattern = compiled(pat, flags)
        if pattern.groups == 0:
            raise ValueError("pattern contains no capture groups")
        found = self._lists("group", [pattern.text], [-1, 0, pattern.flags])
        columns = []
        for group in range(pattern.groups):
            column = found.values[group :: pattern.groups]
            empty = column._measured("byte_len") == 0
            columns.append(column._hiding(empty) if bool(empty.any()) else column)
        return tuple(columns), repeat(arange(self.size), found.lengths // pattern.groups)

    def _lists(self: Self, way: Text, texts: list[Text], numbers: list[int]) -> Any:
        """The parts of each string as a column of lists."""
        parts, lengths = self.dropna()._parts(way, texts, numbers)
        if self._valid is not None:
            spread = zeros(self.size, dtype="int64")
            spread[flatnonzero(self._valid)] = lengths
            lengths = spread
        return _lists_of(lengths, parts, self._valid)

    def _parts(self: Self, way: Text, texts: list[Text], numbers: list[int]) -> tuple[Self, ndarray]:
        """All parts, and how many each string has."""
        encoded = [text.encode() for text in texts]
        counts, parts = _core.text_parts(self._values, f"{way}.", encoded, numbers)
        return self._like(parts, None), wrap(counts)

    def get_dummies(self, sep: Text = "|") -> dict[Text, ndarray]:
        """For each distinct part between separators, a 0/1 column of the strings that have it: int64, sorted by part.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array(["a|b", None, "b"]).str.get_dummies()
        {'a': array([1, 0, 0]), 'b': array([1, 0, 1])}
        """
        way, texts, bounds, flags = self._separator(text_of(sep, "sep"), -1, 0, False)
        found = self._lists(way, texts, [*bounds, flags])
        numbers, distinct, _ = found.values.numbers()
        require_room(self.size * distinct.size * 8, f"{distinct.size} columns of {self.size} rows")
        rows, dummies = repeat(arange(self.size), found.lengths), {}
        for number, part in enumerate(distinct.to_list()):
            if part:
                has = zeros(self.size, dtype="int64")
                has[rows[numbers == number]] = 1
                dummies[part] = has
        return dummies

    def partition(self: Self, sep: Text = " ", expand: bool = True) -> tuple[Self, Self, Self]:
        """Splits at the first separator: the part before it, the separator, the part after; as `str.partition`.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array(["a=b=c", "d"]).str.partition("=")
        (strings(['a', 'd']), strings(['=', '']), strings(['b=c', '']))
        """
        return self._three("partition", sep)

    def rpartition(self: Self, sep: Text = " ", expand: bool = True) -> tuple[Self, Self, Self]:
        """The same with the last separator."""
        return self._three("rpartition", sep)

    def _three(self: Self, name: Text, sep: Text) -> tuple[Self, Self, Self]:
        if not text_of(sep, "sep"):
            raise ValueError("empty separator")
        first, second, third = (self._map(name, [sep], [place]) for place in range(3))
        return first, second, third

    def extract(self: Self, pat: str, flags: int = 0, expand: bool = True) -> Any:
        """The groups of a regular expression's first match: a column each, missing where they took no part.

        A tuple of columns; one column when there is one group and `expand` is False.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array(["a1", "b"]).str.extract(r"([a-z])(\\d)?")
        (strings(['a', 'b']), strings(['1', None]))
        """
        pattern = compiled(pat, flags)
        if pattern.groups == 0:
            raise ValueError("pattern contains no capture groups")
        columns = tuple(self._group(pattern, group) for group in range(1, pattern.groups + 1))
        return columns[0] if not expand and builtins.len(columns) == 1 else columns

    def _group(self: Self, pattern: Pattern, group: int) -> Self:
        found = self._map("regex.extract", [pattern.text], [pattern.flags, group])
        there = self._measured("regex.has_group", [pattern.text], [pattern.flags, group])
        return found if bool(there.all()) else found._hiding(~there)

    def peel(
        self: Self, delimiter: Text, times: int = 1, *, includeDelimiter: bool = False, keepPartial: bool = False,
        fromRight: bool = False, regex: bool = False,
    ) -> tuple[Self, Self]:  # fmt: skip
        """Splits each string at its times-th delimiter: the part before it and the part after, as in Arkouda.

        Parameters
        ----------
        includeDelimiter : bool
            The delimiter goes with what was peeled off.
        keepPartial : bool
            A string with fewer delimiters is peeled off whole; else it stays whole, and nothing is peeled off it.
        fromRight : bool
            From the end: what is peeled off is behind the delimiter.
        regex : bool
            The delimiter is a regular expression, which refers to none of its groups and matches no empty text.

        Returns
        -------
        left, right : Strings
            What is on either side.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array(["a.b.c", "d"]).str.peel(".")
        (strings(['a', '']), strings(['b.c', 'd']))
        """
        times = whole(times, "times")
        if times < 1:
            raise ValueError(f"times must be at least 1, got {times}")
        if regex:
            return self._peel_pattern(text_of(delimiter, "delimiter"), times, includeDelimiter, keepPartial, fromRight)
        call, right = [text_of(delimiter, "delimiter")], int(fromRight)
        enough: Any = self._measured("text.count", call, [times, right, 0]) > times
        places = range(1, times + 1) if fromRight else range(times)
        parts = [self._map("text.part", call, [times, right, place, 0]) for place in places]
        peeled = parts[0].cat(parts[1:], sep=delimiter) if parts[1:] else parts[0]
        if includeDelimiter:
            peeled = delimiter + peeled if fromRight else peeled + delimiter
        rest = self._map("text.part", call, [times, right, 0 if fromRight else -1, 0])
        blank = self._map("slice", numbers=[0, 0])
        peeled = self._chosen(enough, peeled, self if keepPartial else blank)
        rest = self._chosen(enough, rest, blank if keepPartial else self)
        return (rest, peeled) if fromRight else (peeled, rest)

    def _peel_pattern(
        self: Self, delimiter: Text, times: int, includeDelimiter: bool, keepPartial: bool, fromRight: bool
    ) -> tuple[Self, Self]:
        pattern = compiled(cut_at(str(delimiter), times, fromRight))
        before, found, behind = (self._map("regex.extract", [pattern.text], [pattern.flags, one]) for one in (1, 2, 3))
        enough = self._measured("regex.has_group", [pattern.text], [pattern.flags, 2])
        if includeDelimiter:
            before, behind = (before, found + behind) if fromRight else (before + found, behind)
        peeled, rest = (behind, before) if fromRight else (before, behind)
        blank = self._map("slice", numbers=[0, 0])
        peeled = self._chosen(enough, peeled, self if keepPartial else blank)
        rest = self._chosen(enough, rest, blank if keepPartial else self)
        return (rest, peeled) if fromRight else (peeled, rest)

    def rpeel(self: Self, delimiter: Text, times: int = 1, **options: Any) -> tuple[Self, Self]:
        """`peel` from the right."""
        return self.peel(delimiter, times, fromRight=True, **options)

    def _chosen(self: Self, condition: ndarray, yes: Self, no: Self) -> Self:
        return self._like(_core.text_where(expr_of(condition), yes._values, no._values), self._valid)


def _lists_of(lengths: Any, values: ArrayLike, valid: Any) -> Any:
    from ..nested.lists import lists_of_lengths

    return lists_of_lengths(lengths, values, valid)
