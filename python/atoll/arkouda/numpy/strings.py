# SPDX-License-Identifier: Apache-2.0
"""Arkouda's `Strings`: Atoll's columns of strings under Arkouda's names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll

from ... import _core
from ...arrays.array import wrap
from ...columns.text.strings import Strings as Texts
from ...columns.text.strings import texts_of
from ...session import current
from ..core import client
from ..objects import LIFTED, Rows, checked, entitled, lift, lower
from .arrays import pdarray
from .casting import cast
from .dtypes import Int
from .matching import Match, Matcher

if TYPE_CHECKING:
    from ...annotations import ArrayLike, ColumnType

__all__ = ["Strings"]

Pattern = (str, bytes, np.str_)


def _text(value: object, name: str = "substr") -> str:
    if not isinstance(value, Pattern):
        raise TypeError(f'type of argument "{name}" must be str or bytes; got {type(value).__name__} instead')
    return value.decode() if isinstance(value, bytes) else str(value)


def _pattern(value: object) -> str:
    """A regular expression that never matches nothing, as Arkouda asks."""
    text = _text(value, "pattern")
    try:
        if re.compile(text).match(""):
            raise ValueError("regex operations not currently supported with a pattern matching the empty string")
    except re.error as error:
        raise ValueError(f"{text!r} is no regular expression: {error}") from error
    return text


class Strings(Rows):
    """A column of strings that lies in parts on all PEs; made by `ak.array` of strings.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> s = ak.array(["pear", "fig"])
    >>> s.upper()
    array(['PEAR', 'FIG'])
    >>> s == "fig"
    array([False True])
    """

    objType = "Strings"
    BinOps = frozenset(("==", "!="))
    __array_ufunc__ = None
    _a: Any
    isnumeric: Any

    def __init__(self, strings_pdarray: Any, bytes_size: Any = None) -> None:
        given = strings_pdarray
        if isinstance(given, Strings):
            self._a = given._a
        elif isinstance(given, Texts):
            self._a = given
        elif isinstance(given, pdarray) and given.size == 0:
            self._a = atoll.strings([])
        else:
            raise ValueError("Strings are made by ak.array, or by Strings.from_parts")
        _ = self.name

    @staticmethod
    def from_parts(offset_attrib: Any, bytes_attrib: Any, terminated: bool = True) -> Strings:
        """Strings of the places where they begin and their bytes: with a zero behind each, if so said."""
        offsets = lower(offset_attrib).astype(np.int64)
        data = lower(bytes_attrib).astype(np.uint8)
        if offsets.size == 0:
            return Strings(atoll.strings([]))
        ends = atoll.concatenate([offsets[1:], atoll.asarray([data.size])])
        if terminated:  # take out the zeros
            keep = atoll.full(data.size, True)
            keep[ends - 1] = False
            offsets = offsets - atoll.arange(offsets.size)
            data = data[keep]
            ends = atoll.concatenate([offsets[1:], atoll.asarray([data.size])])
        where_to = np.concatenate([np.zeros(1, np.int64), ends.to_numpy()])
        raw = data.to_numpy() if data.size else np.zeros(64, np.uint8)
        return Strings(texts_of(_core.text_from_buffers(current(), where_to, raw, (where_to, raw))))

    # -- what it is --

    dtype = property(lambda self: np.dtype(np.str_), doc="NumPy's type of texts.")
    size = property(lambda self: int(self._a.size), doc="Number of texts.")
    shape = property(lambda self: (int(self._a.size),), doc="The same as a tuple.")
    ndim = property(lambda self: 1, doc="One axis.")
    itemsize = property(lambda self: 1, doc="Bytes of a byte.")
    inferred_type = property(lambda self: "string", doc='"string", as pandas\' indexes say.')

    @property
    def nbytes(self) -> int:
        """Bytes of the strings, with one more for each."""
        return int(self._a.byte_len().sum()) + self.size

    def __len__(self) -> int:
        return self.size

    def __str__(self) -> str:
        if self.size <= client.pdarrayIterThresh:
            shown = [repr(str(one)) for one in self.tolist()]
        else:
            shown = [repr(str(one)) for one in [*self._a[:3].to_list(), *self._a[-3:].to_list()]]
            shown[3:3] = ["... "]
        return "[" + ", ".join(shown) + "]"

    def __repr__(self) -> str:
        return f"array({self})"

    def copy(self) -> Strings:
        """Another one with the same strings."""
        return Strings(self._a.copy())

    # -- comparison, rows --

    def _binop(self, other: object, op: str) -> Any:
        from ..pandas.categorical import Categorical

        if op not in self.BinOps:
            raise ValueError(f"Strings: unsupported operator: {op}")
        if isinstance(other, Strings):
            if other.size != self.size:
                raise ValueError(f"Strings: size mismatch {self.size} {other.size}")
            found = self._a == other._a
        elif isinstance(other, (str, np.str_)):
            found = self._a == str(other)
        elif isinstance(other, Categorical):
            found = self._a == other.to_strings()._a
        else:
            raise TypeError(f"Strings {op} {type(other).__name__}: the other must be Strings or str")
        return lift(found if op == "==" else ~found)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, (str, float)) or (isinstance(key, pdarray) and key.dtype.kind not in ("i", "u", "b")):
            raise TypeError(f"unsupported key type {type(key).__name__}")
        key = lower(key)
        if isinstance(key, Int) and not isinstance(key, bool):
            return np.str_(self._a[int(key)])
        if getattr(key, "dtype", None) == np.bool_ and key.size != self.size:
            raise ValueError(f"size mismatch {self.size} {key.size}")
        return Strings(self._a[key])

    def take(self, indices: ArrayLike, axis: int | None = None) -> Any:
        """The strings with these numbers."""
        return self[indices]

    def __add__(self, other: object) -> Any:
        return self.stick(other)

    def __radd__(self, other: Any) -> Any:
        return other.stick(self)

    # -- lengths, bytes --

    def get_lengths(self) -> pdarray:
        """Bytes of each string."""
        return lift(self._a.byte_len())

    def get_bytes(self) -> pdarray:
        """The strings' bytes, with a zero behind each."""
        offsets, data = _core.text_buffers(self._a._values)
        return lift(atoll.asarray(np.insert(np.asarray(data, np.uint8), offsets[1:], 0)))

    def get_offsets(self) -> pdarray:
        """Where each string begins in these."""
        ends = atoll.cumsum(self._a.byte_len() + 1)
        return lift(ends - self._a.byte_len() - 1)

    def _comp_to_ndarray(self, comp: str) -> Any:
        return (self.get_bytes() if comp == "values" else self.get_offsets()).to_ndarray()

    # -- patterns --

    def _get_matcher(self, pattern: str, create: bool = True) -> Matcher:
        known = self.__dict__.setdefault("_regex_dict", {})
        text = _pattern(pattern)
        if text not in known and create:
            known[text] = Matcher(text, self)
        return known.get(text)

    def cached_regex_patterns(self) -> list[str]:
        """Patterns that were looked for before."""
        return list(self.__dict__.get("_regex_dict", {}))

    def purge_cached_regex_patterns(self) -> None:
        """Forgets them."""
        self.__dict__["_regex_dict"] = {}

    def find_locations(self, pattern: str) -> tuple[pdarray, pdarray, pdarray]:
        """How often a pattern matches in each string, where, and how many bytes."""
        found = self._get_matcher(pattern)
        return found.num_matches, found.starts, found.lengths

    def search(self, pattern: str) -> Match:
        """The first match of a pattern in each string."""
        return self._get_matcher(pattern).get_match("SEARCH")

    def match(self, pattern: str) -> Match:
        """Its match at the beginning of each string."""
        return self._get_matcher(pattern).get_match("MATCH")

    def fullmatch(self, pattern: str) -> Match:
        """Its match of each whole text."""
        return self._get_matcher(pattern).get_match("FULLMATCH")

    def regex_split(self, pattern: str, maxsplit: int = 0, return_segments: bool = False) -> Any:
        """The parts between matches of a pattern, concatenated, and where each string's begin."""
        return self._get_matcher(pattern).split(maxsplit, return_segments)

    def findall(self, pattern: str, return_match_origins: bool = False) -> Any:
        """All matches of a pattern, and which text each is of."""
        return self._get_matcher(pattern).findall(return_match_origins)

    def sub(self, pattern: str, repl: Any, count: int = 0) -> Strings:
        """The strings with matches of a pattern replaced."""
        return self._get_matcher(pattern).sub(_text(repl, "repl"), count, False)

    def subn(self, pattern: str, repl: Any, count: int = 0) -> tuple[Strings, pdarray]:
        """The same, and how many were replaced in each."""
        return self._get_matcher(pattern).sub(_text(repl, "repl"), count, True)

    def contains(self, substr: Any, regex: bool = False) -> pdarray:
        """Whether a string, or a pattern, is in each."""
        text = _text(substr)
        return lift(self._a.contains(_pattern(text) if regex else text, regex=regex))

    def startswith(self, substr: Any, regex: bool = False) -> pdarray:
        """Whether each begins with a string or a pattern."""
        text = _text(substr)
        return lift(self._a.match(_pattern(text))) if regex else lift(self._a.startswith(text))

    def endswith(self, substr: Any, regex: bool = False) -> pdarray:
        """Whether each ends with a string or a pattern."""
        text = _text(substr)
        if not text:
            raise ValueError("regex operations not currently supported with a pattern matching the empty string")
        return lift(self._a.contains(f"(?:{_pattern(text)})$")) if regex else lift(self._a.endswith(text))

    # -- parts --

    def split(self, delimiter: Any, return_segments: bool = False, regex: bool = False) -> Any:
        """The parts between delimiters, concatenated, and where each string's begin."""
        text = _text(delimiter, "delimiter")
        if regex:
            return self.regex_split(text, return_segments=return_segments)
        if not text:
            raise ValueError("a delimiter must not be empty")
        parts, segments = self._a.flatten(text, return_segments=True, regex=False)
        made = Strings(parts)
        return (made, lift(segments)) if return_segments else made

    @checked(None, Pattern, Int)
    def peel(
        self, delimiter: Any, times: Any = 1, includeDelimiter: bool = False, keepPartial: bool = False,
        fromRight: bool = False, regex: bool = False,
    ) -> tuple[Strings, Strings]:  # fmt: skip
        """Each string in two, at the delimiter with that number.

        Examples
        --------
        >>> import atoll.arkouda as ak
        >>> ak.array(["a.b", "c"]).peel(".")
        (array(['a', '']), array(['b', 'c']))
        """
        text = _text(delimiter, "delimiter")
        if regex:
            text = _pattern(text)
        if not text:
            raise ValueError("Delimiter cannot be empty")
        if times < 1:
            raise ValueError("times must be >= 1")
        left, right = self._a.peel(
            text, times=int(times), includeDelimiter=includeDelimiter, keepPartial=keepPartial, fromRight=fromRight,
            regex=regex,
        )  # fmt: skip
        return Strings(left), Strings(right)

    def rpeel(
        self,
        delimiter: Any,
        times: object = 1,
        includeDelimiter: bool = False,
        keepPartial: bool = False,
        regex: bool = False,
    ) -> Any:
        """The same, counted from the right."""
        return self.peel(delimiter, times, includeDelimiter, keepPartial, True, regex)

    @checked(None, "Strings", Pattern)
    def stick(self, other: Any, delimiter: Any = "", toLeft: bool = False) -> Strings:
        """Each string with another behind it, or before it, and a delimiter between."""
        if other.size != self.size:
            raise ValueError(f"size mismatch: {self.size} and {other.size} texts")
        return Strings(self._a.stick(other._a, _text(delimiter, "delimiter"), toLeft=toLeft))

    def lstick(self, other: object, delimiter: Any = "") -> Strings:
        """Each string with another before it."""
        return self.stick(other, delimiter, toLeft=True)

    def get_prefixes(self, n: int, return_origins: bool = True, proper: bool = True) -> Any:
        """The first `n` bytes of the strings that are so long, and which are."""
        return lift(self._a.get_prefixes(int(n), return_origins=return_origins, proper=proper))

    def get_suffixes(self, n: int, return_origins: bool = True, proper: bool = True) -> Any:
        """The last `n` bytes of the strings that are so long, and which are."""
        return lift(self._a.get_suffixes(int(n), return_origins=return_origins, proper=proper))

    def strip(self, chars: Any = "") -> Strings:
        """The strings without these characters, or white space, at both ends."""
        text = _text(chars or "", "chars")
        return Strings(self._a.strip(text or None))

    def isempty(self) -> pdarray:
        """Which strings are empty."""
        return lift(self._a.byte_len() == 0)

    def encode(self, toEncoding: str, fromEncoding: str = "UTF-8") -> Strings:
        """The strings in another encoding: IDNA, ASCII, UTF-16."""
        return Strings(atoll.strings([_recoded(one, fromEncoding, toEncoding) for one in self._a.to_list()]))

    def decode(self, fromEncoding: str, toEncoding: str = "UTF-8") -> Strings:
        """The strings from another encoding."""
        return self.encode(toEncoding, fromEncoding)

    # -- groups --

    def hash(self) -> tuple[pdarray, pdarray]:
        """128 bits of each string, as two arrays of uint64."""
        high, low = _core.text_hash(self._a._values)
        return lift(wrap(high)), lift(wrap(low))

    def group(self) -> pdarray:
        """An order in which equal strings are neighbours."""
        return lift(atoll.argsort(self._a))

    def _get_grouping_keys(self) -> list[Any]:
        return list(self.hash())

    def argsort(self, algorithm: Any = None, ascending: bool = True) -> pdarray:
        """The numbers of the strings in their order."""
        order = lift(atoll.argsort(self._a))
        return order if ascending else order[::-1]

    @staticmethod
    def concatenate_uniquely(strings: Any) -> Strings:
        """All different strings of several columns."""
        return Strings(atoll.unique(atoll.concatenate([one._a for one in strings])))

    # -- to others --

    def flatten(self) -> Strings:
        """A copy."""
        return self.copy()

    def to_ndarray(self) -> Any:
        """A NumPy array of strings, without the NUL characters at their ends, which NumPy's dtype does not hold.

        `tolist` keeps them.
        """
        if self.nbytes > client.maxTransferBytes:
            raise RuntimeError("texts exceed ak.core.client.maxTransferBytes")
        return np.array(self._a.to_list() or [], dtype=np.str_)

    def tolist(self) -> list[str]:
        """A list of strings."""
        return list(self._a.to_list())

    to_list = tolist

    def __array__(self, dtype: ColumnType = None, copy: bool | None = None) -> Any:
        found = self.to_ndarray()
        return found if dtype is None else found.astype(dtype)

    def astype(self, dtype: ColumnType) -> Any:
        """The strings as numbers of a type."""
        return cast(self, dtype)

    def all(self) -> Any:
        """Whether no text is empty."""
        return (self.get_lengths() > 0).all()


def _recoded(text: str, source: str, target: str) -> str:
    try:
        if source.lower() == "idna":
            text = ".".join(part.encode("ascii").decode("idna") for part in text.split(".")) if text else text
        elif source.lower() == "utf-16":
            text = text.encode("latin-1").decode("utf-16")
        if target.lower() == "idna":
            return ".".join(_idna(part) for part in text.split("."))
        if target.lower() == "utf-16":
            return text.encode("utf-16").decode("latin-1")
        if target.lower() == "ascii":
            text.encode("ascii")
    except UnicodeError:
        return ""
    return text


def _idna(part: str) -> str:
    """A label as IDNA 2008 writes it: its own letters where they have a form, in lower case."""
    if part.isascii():
        return part
    return "xn--" + part.lower().encode("punycode").decode("ascii")


def _forwarded(name: str) -> Any:
    def method(self: Any) -> Any:
        return lift(getattr(self._a, name)())

    return entitled(method, name, f"As `str.{name}`, text by text.")


for _name in (
    "lower", "upper", "title", "capitalize", "isdecimal", "isnumeric", "islower", "isupper", "istitle", "isalnum",
    "isalpha", "isdigit", "isspace",
):  # fmt: skip
    setattr(Strings, _name, _forwarded(_name))

LIFTED["Strings"] = Strings
LIFTED["DictionaryStrings"] = lambda column: Strings(texts_of(column._values))
