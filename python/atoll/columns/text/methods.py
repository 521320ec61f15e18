# SPDX-License-Identifier: Apache-2.0
"""Methods of strings, by pandas' names."""

from __future__ import annotations

import builtins
import operator
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ... import _core
from ...arrays.array import expr_of
from ...arrays.creation import asarray
from ...arrays.dtypes import code_of
from ...arrays.sizes import c_long
from ..column import Column, both, column_or_array
from .encodings import encoding_of, error_of
from .patterns import anchored, compiled, is_literal, replacement
from .sequences import Sequences

if TYPE_CHECKING:
    from ...annotations import ArrayLike

    pass

Self = TypeVar("Self", bound="TextMethods")
Text = builtins.str
_END = 2**63 - 1


def whole(value: Any, name: Text) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    return min(max(operator.index(value), -_END), _END)


def text_of(value: ArrayLike, name: Text) -> Text:
    if not isinstance(value, Text):
        raise TypeError(f"{name} must be a text, not {type(value).__name__}")
    return value


class TextMethods(Sequences):
    """Methods of string columns; the public class is `Strings`."""

    __slots__ = ()
    # -- the engine's side --

    def _test(self, name: Text, texts: Sequence[Text], numbers: Sequence[int], na: Any) -> Any:
        found = self._measure(name, texts, numbers)
        return found if na is None or not isinstance(found, Column) else found.fillna(na)

    # -- what a string is --

    def len(self) -> Any:
        """Code points of each string: int64.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array(["fig", "é", ""]).str.len()
        array([3, 1, 0])
        """
        return self._measure("len")

    def byte_len(self) -> Any:
        """Bytes of each string in UTF-8: int64."""
        return self._measure("byte_len")

    def isalpha(self) -> Any:
        """Whether each string has letters alone, and one at least; so with the others, as `str` has them."""
        return self._measure("isalpha")

    def isdigit(self) -> Any:
        """Digits alone, also raised ones and the like."""
        return self._measure("isdigit")

    def isdecimal(self) -> Any:
        """Decimal digits alone, of any script."""
        return self._measure("isdecimal")

    def isnumeric(self) -> Any:
        """Numeric characters alone, also fractions."""
        return self._measure("isnumeric")

    def isalnum(self) -> Any:
        """Letters and numeric characters alone."""
        return self._measure("isalnum")

    def isspace(self) -> Any:
        """White space alone."""
        return self._measure("isspace")

    def islower(self) -> Any:
        """No letter in another than lower case, and one at least."""
        return self._measure("islower")

    def isupper(self) -> Any:
        """No letter in another than upper case, and one at least."""
        return self._measure("isupper")

    def istitle(self) -> Any:
        """Words that begin with a capital, and have no other."""
        return self._measure("istitle")

    def isascii(self) -> Any:
        """No code point above 127."""
        return self._measure("isascii")

    # -- cases and forms --

    def lower(self: Self) -> Self:
        """Each string in lower case, as `str.lower` gives it; so with the others."""
        return self._map("lower")

    def upper(self: Self) -> Self:
        """In upper case.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array(["fig", "straße"]).str.upper()
        strings(['FIG', 'STRASSE'])
        """
        return self._map("upper")

    def title(self: Self) -> Self:
        """With each word's first letter in title case, and the others in lower case."""
        return self._map("title")

    def capitalize(self: Self) -> Self:
        """With the first letter in title case, and the others in lower case."""
        return self._map("capitalize")

    def swapcase(self: Self) -> Self:
        """With the cases exchanged."""
        return self._map("swapcase")

    def casefold(self: Self) -> Self:
        """For comparison without regard to case."""
        return self._map("casefold")

    def normalize(self: Self, form: Text) -> Self:
        """In one of Unicode's normal forms: NFC, NFD, NFKC, NFKD."""
        return self._map("normalize", [form])

    # -- parts --

    def strip(self: Self, to_strip: Text | None = None) -> Self:
        """Without white space, or without these characters, at both ends.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array([" fig ", "xx"]).str.strip()
        strings(['fig', 'xx'])
        """
        return self._map("strip", [] if to_strip is None else [text_of(to_strip, "to_strip")])

    def lstrip(self: Self, to_strip: Text | None = None) -> Self:
        """The same at the beginning alone."""
        return self._map("lstrip", [] if to_strip is None else [text_of(to_strip, "to_strip")])

    def rstrip(self: Self, to_strip: Text | None = None) -> Self:
        """The same at the end alone."""
        return self._map("rstrip", [] if to_strip is None else [text_of(to_strip, "to_strip")])

    def slice(self: Self, start: int | None = None, stop: int | None = None, step: int | None = None) -> Self:
        """Code points start to stop of each string, as Python's slices are.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array(["pear", "fig"]).str.slice(1, -1)
        strings(['ea', 'i'])
        """
        by = 1 if step is None else whole(step, "step")
        if by == 0:
            raise ValueError("slice step cannot be zero")
        begin = 0 if start is None else whole(start, "start")
        end = _END if stop is None else whole(stop, "stop")
        if by == 1:
            return self._map("slice", numbers=[begin, end])
        return self._map("stride", numbers=[begin, end, by, start is not None, stop is not None])

    def get(self: Self, i: int) -> Self:
        """Code point number i of each string, from the end if negative; missing where there is none.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array(["pear", ""]).str.get(-1)
        strings(['r', None])
        """
        i = whole(i, "i")
        found = self._map("slice", numbers=[i, min(i + 1, _END) if i != -1 else _END])
        none = found._measured("byte_len") == 0
        return found._hiding(none) if bool(none.any()) else found

    def removeprefix(self: Self, prefix: Text) -> Self:
        """Without `prefix` where a string begins with it."""
        return self._map("removeprefix", [text_of(prefix, "prefix")])

    def removesuffix(self: Self, suffix: Text) -> Self:
        """Without `suffix` where a string ends in it."""
        return self._map("removesuffix", [text_of(suffix, "suffix")])

    def get_prefixes(self: Self, n: int, *, return_origins: bool = True, proper: bool = True) -> Any:
        """The first n characters of the strings that have more (or, unless `proper`, as many): Arkouda's.

        With `return_origins`, also which strings those are: bool.
        """
        return self._ends(n, return_origins, proper, 0)

    def get_suffixes(self: Self, n: int, *, return_origins: bool = True, proper: bool = True) -> Any:
        """The same with the last n characters."""
        return self._ends(n, return_origins, proper, -1)

    def _ends(self: Self, n: int, return_origins: bool, proper: bool, side: int) -> Any:
        n = whole(n, "n")
        if n < 0:
            raise ValueError(f"texts have no ends of {n} characters")
        long: Any = self._measured("len") >= (min(n + 1, _END) if proper else n)
        long = long if self._valid is None else long & self._valid
        ends = self[long].slice(0, n) if side == 0 else self[long].slice(-n if n else _END)
        return (ends, long) if return_origins else ends

    # -- looking for something --

    def contains(self, pat: Any, case: bool = True, flags: int = 0, na: bool | None = None, regex: bool = True) -> Any:
        """Whether a regular expression matches anywhere in each string; or, unless `regex`, a string occurs in it.

        Parameters
        ----------
        pat : str or re.Pattern
            In the syntax of Python's `re`.
        case, flags
            Whether case counts; flags of `re`.
        na : bool, optional
            For missing strings; by default the answer is missing.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array(["pear", "fig", None]).str.contains("^p|g$")
        column([True, True, None], dtype=bool)
        """
        if case and not flags and isinstance(pat, Text) and (not regex or is_literal(pat)):
            return self._test("contains", [pat], [], na)
        pattern = compiled(pat if regex else _quoted(pat), flags, case)
        return self._test("regex.matches", [pattern.text], [pattern.flags], na)

    def match(self, pat: str, case: bool = True, flags: int = 0, na: bool | None = None) -> Any:
        """Whether a regular expression matches at the beginning of each string."""
        pattern = anchored(compiled(pat, flags, case), False)
        return self._test("regex.matches", [pattern.text], [pattern.flags], na)

    def fullmatch(self, pat: str, case: bool = True, flags: int = 0, na: bool | None = None) -> Any:
        """Whether a regular expression matches all of each string."""
        pattern = anchored(compiled(pat, flags, case), True)
        return self._test("regex.matches", [pattern.text], [pattern.flags], na)

    def startswith(self, pat: Text | tuple[Text, ...], na: bool | None = None) -> Any:
        """Whether each string begins with `pat`, or with one of several.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array(["pear", "fig"]).str.startswith("p")
        array([ True, False])
        """
        return self._test("startswith", [pat] if isinstance(pat, Text) else builtins.list(pat), [], na)

    def endswith(self, pat: Text | tuple[Text, ...], na: bool | None = None) -> Any:
        """Whether each string ends in `pat`, or in one of several."""
        return self._test("endswith", [pat] if isinstance(pat, Text) else builtins.list(pat), [], na)

    def find(self, sub: Text, start: int = 0, end: int | None = None) -> Any:
        """Where `sub` begins first in each string, between two places; -1 where it does not occur."""
        return self._find("find", sub, start, end)

    def rfind(self, sub: Text, start: int = 0, end: int | None = None) -> Any:
        """Where `sub` begins last."""
        return self._find("rfind", sub, start, end)

    def index(self, sub: Text, start: int = 0, end: int | None = None) -> Any:
        """As `find`; ValueError when a string does not have it."""
        return _found(self._find("find", sub, start, end))

    def rindex(self, sub: Text, start: int = 0, end: int | None = None) -> Any:
        """As `rfind`; ValueError when a string does not have it."""
        return _found(self._find("rfind", sub, start, end))

    def _find(self, name: Text, sub: Text, start: int, end: int | None) -> Any:
        stop = _END if end is None else whole(end, "end")
        return self._measure(name, [text_of(sub, "sub")], [whole(start, "start"), stop])

    def count(self, pat: Any = None, flags: int = 0) -> Any:
        """How often a regular expression matches in each string; without one, how many strings are there.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array(["banana", "fig"]).str.count("an")
        array([2, 0])
        """
        if pat is None:
            return super().count()
        if isinstance(pat, Text) and not flags and is_literal(pat):
            return self._measure("count", [pat])
        pattern = compiled(pat, flags)
        return self._measure("regex.matches.count", [pattern.text], [pattern.flags])

    # -- replacing --

    def replace(
        self: Self,
        pat: str,
        repl: Any = None,
        n: int = -1,
        case: bool | None = None,
        flags: int = 0,
        regex: bool = False,
    ) -> Self:
        """Each string with `repl` where `pat` occurs: a string, or with `regex` a regular expression.

        Parameters
        ----------
        pat : str, re.Pattern or mapping
            What to replace; a mapping holds several, and what replaces each.
        repl : str
            With `regex`, a template as `re.sub` takes it, with groups.
        n : int
            How often at most, in each string; negative: always.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array(["10-07", "11"]).str.replace(r"(\\d+)-(\\d+)", r"\\2.\\1", regex=True)
        strings(['07.10', '11'])
        """
        if isinstance(pat, Mapping):
            result = self
            for old, new in pat.items():
                result = result.replace(old, new, n, case, flags, regex)
            return result
        most = max(whole(n, "n"), -1)
        if callable(repl):
            raise TypeError("a function cannot replace in a column: it would be called once for each text")
        if (
            isinstance(pat, Text)
            and not flags
            and case is not False
            and (not regex or (is_literal(pat) and "\\" not in repl))
        ):
            return self._map("replace", [pat, text_of(repl, "repl")], [most])
        pattern = compiled(pat if regex or not isinstance(pat, Text) else _quoted(pat), flags, case is not False)
        pieces, groups = replacement(text_of(repl, "repl"), pattern) if regex else ([repl], [-1])
        return self._map("regex.replace", [pattern.text, *pieces], [pattern.flags, most or -1, *groups])

    def slice_replace(self: Self, start: int | None = None, stop: int | None = None, repl: Text | None = None) -> Self:
        """Each string with `repl` in place of the characters [start, stop).

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array(["abcd", "a"]).str.slice_replace(1, 3, "-")
        strings(['a-d', 'a-'])
        """
        new = "" if repl is None else text_of(repl, "repl")
        before = self._map("slice", numbers=[0, 0]) if start is None else self.slice(None, start)
        behind = self._map("slice", numbers=[0, 0])
        if stop is not None:  # nothing is cut out where [start, stop) is empty
            nothing = self.slice(start, stop)._measured("byte_len") == 0
            kept, rest = self.slice(start), self.slice(stop)
            behind = self._like(_core.text_where(expr_of(nothing), kept._values, rest._values), self._valid)
        joined: Self = before.cat(behind, sep=new)
        return joined

    def wrap(
        self: Self, width: int, expand_tabs: bool = True, tabsize: int = 8, replace_whitespace: bool = True,
        drop_whitespace: bool = True, initial_indent: Text = "", subsequent_indent: Text = "",
        break_long_words: bool = True, break_on_hyphens: bool = True,
    ) -> Self:  # fmt: skip
        """Each string in lines of at most `width` characters, as Python's textwrap breaks them.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array(["the quick brown fox"]).str.wrap(10)
        strings(['the quick\\nbrown fox'])
        """
        known: Any = textwrap.TextWrapper
        pattern = compiled(known.wordsep_re if break_on_hyphens else known.wordsep_simple_re)
        options = (expand_tabs, replace_whitespace, drop_whitespace, break_long_words, break_on_hyphens)
        bits = sum(1 << i for i, wanted in enumerate(options) if wanted)
        indents = [text_of(initial_indent, "initial_indent"), text_of(subsequent_indent, "subsequent_indent")]
        return self._map(
            "wrap", [pattern.text, *indents], [pattern.flags, whole(width, "width"), bits, whole(tabsize, "tabsize")]
        )

    def encode(self, encoding: Text = "utf-8", errors: Text = "strict") -> Any:
        """Encodes each string: utf-8, ascii, latin-1, utf-16 or utf-32 (-le or -be).

        Parameters
        ----------
        errors : {"strict", "ignore", "replace"}
            What becomes of characters that the encoding has not: ValueError, nothing, or "?".

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array(["é", None]).str.encode("latin-1")
        binary([b'\\xe9', None])
        """
        from .binary import binary_of

        name, number = encoding_of(encoding), error_of(errors)
        encoded = self._values if name == b"utf-8" else _core.text_map(self._values, "encode", [name], [number])
        return binary_of(encoded, self._valid)

    def translate(self: Self, table: Mapping[int, int | Text | None]) -> Self:
        """Each character replaced as `str.maketrans` says; None removes it."""
        pairs = []
        for old, new in table.items():
            pairs += [
                chr(old) if isinstance(old, int) else old,
                "" if new is None else chr(new) if isinstance(new, int) else new,
            ]
        return self._map("translate", pairs)

    # -- making longer --

    def pad(self: Self, width: int, side: Text = "left", fillchar: Text = " ") -> Self:
        """Filled up to `width` characters on the "left", the "right", or "both" sides.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array(["7", "fig"]).str.pad(3, fillchar=".")
        strings(['..7', 'fig'])
        """
        if side not in ("left", "right", "both"):
            raise ValueError("Invalid side")
        if not isinstance(fillchar, Text):
            raise TypeError(f"fillchar must be a character, not {type(fillchar).__name__}")
        if builtins.len(fillchar) != 1:
            raise TypeError("fillchar must be a character, not str")
        return self._map("pad", [fillchar], [whole(width, "width"), ("left", "right", "both").index(side)])

    def ljust(self: Self, width: int, fillchar: Text = " ") -> Self:
        """Filled on the right."""
        return self.pad(width, "right", fillchar)

    def rjust(self: Self, width: int, fillchar: Text = " ") -> Self:
        """Filled on the left."""
        return self.pad(width, "left", fillchar)

    def center(self: Self, width: int, fillchar: Text = " ") -> Self:
        """Filled on both sides."""
        return self.pad(width, "both", fillchar)

    def zfill(self: Self, width: int) -> Self:
        """Filled with zeros behind the sign."""
        return self._map("zfill", numbers=[whole(width, "width")])

    def repeat(self: Self, repeats: Any) -> Self:
        """Each string several times: as often for all, or a number for each.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array(["ab", "c"]).str.repeat([1, 3])
        strings(['ab', 'ccc'])
        """
        if hasattr(repeats, "__index__") and not hasattr(repeats, "__len__"):
            return self._map("repeat", numbers=[whole(repeats, "repeats")])
        times = asarray([c_long(one) for one in repeats] if isinstance(repeats, list) else repeats)
        if times.shape != self.shape or times.dtype.kind not in "iu":
            raise ValueError(f"repeat needs a whole number for each of {self.size} texts")
        return self._like(_core.text_repeat(self._values, expr_of(times.astype(np.int64))), self._valid)

    def join(self: Self, sep: Text) -> Self:
        """Each string with `sep` between its characters."""
        return self._map("join", [text_of(sep, "sep")])

    def cat(self: Self, others: Any = None, sep: Text | None = None, na_rep: Text | None = None) -> Any:
        """The strings with those of other columns behind them, row by row; without others, all strings as one.

        Missing strings are left out of one string, and make a row's missing; `na_rep` stands for them.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array(["a", "b"]).str.cat(ak.array(["x", None]), sep="-", na_rep="?")
        strings(['a-x', 'b-?'])
        >>> ak.array(["a", None, "b"]).str.cat(sep=", ")
        'a, b'
        """
        between = "" if sep is None else text_of(sep, "sep")
        if others is None:
            own = self.dropna() if na_rep is None else self.fillna(na_rep)
            return between.join(own.to_list())
        several = isinstance(others, (builtins.list, tuple)) and any(isinstance(one, Column) for one in others)
        columns = [self, *(self._other(one) for one in (others if several else [others]))]
        if na_rep is not None:
            columns = [column.fillna(na_rep) for column in columns]
        valid = None
        for column in columns:
            valid = both(valid, column._valid)
        return self._like(_core.text_join([column._values for column in columns], between.encode()), valid)

    def stick(self: Self, other: Any, delimiter: Text = "", *, toLeft: bool = False) -> Self:
        """Each string with that of another column behind it, or before it: Arkouda's."""
        other = self._other(other)
        first, second = (other, self) if toLeft else (self, other)
        joined: Self = first.cat(second, sep=delimiter)
        return joined

    def lstick(self: Self, other: object, delimiter: Text = "") -> Self:
        """Each string with that of another column before it."""
        return self.stick(other, delimiter, toLeft=True)

    def _other(self: Self, values: ArrayLike) -> Self:
        raise NotImplementedError

    def __add__(self: Self, other: Any) -> Any:
        """The strings with another text, or those of another column, behind them."""
        return self.cat(self._other(other))

    def __radd__(self: Self, other: Any) -> Any:
        return self._other(other).cat(self)

    def __mul__(self: Self, times: Any) -> Self:
        return self.repeat(times)

    __rmul__ = __mul__

    # -- others --

    def astype(self, dtype: Any, errors: Text = "raise") -> Any:
        """The numbers that the strings are, exactly as `int` and `float` read them.

        Parameters
        ----------
        errors : {"raise", "coerce"}
            What becomes of a string that is no number of that type: ValueError, or a missing value.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array(["1", None, "3"]).astype(int)
        column([1, None, 3], dtype=int64)
        >>> ak.array(["1.5", "x"]).astype(float, errors="coerce")
        column([1.5, None], dtype=float64)
        """
        if errors not in ("raise", "coerce"):
            raise ValueError(f"errors is 'raise' or 'coerce', not {errors!r}")
        if dtype is Text or (isinstance(dtype, Text) and dtype in ("str", "string")):
            return self
        code = code_of(dtype)
        good = self._measured("is_number", numbers=[code])
        valid = self._valid
        bad = ~good if valid is None else ~good & valid
        if bool(bad.any()):
            if errors == "raise":
                row = int(bad.argmax())
                raise ValueError(
                    f"text {row} is no {np.dtype(dtype)}: {self[row]!r}. With errors='coerce' it is missing"
                )
            valid = both(valid, good)
        return column_or_array(self._measured("number", numbers=[code]), valid)


def _found(places: Any) -> Any:
    values = places.dropna().values if isinstance(places, Column) else places
    if bool((values < 0).any()):
        raise ValueError("substring not found")
    return places


def _quoted(pattern: str) -> Text:
    return re.escape(text_of(pattern, "pat"))
