# SPDX-License-Identifier: Apache-2.0
"""Accessors: `.str`, `.dt`, `.cat`, `.list`: the methods of a kind of column, row by row, with labels."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..arrays.ndarray import ndarray
from ..arrays.sizes import require_room
from ..columns.column import Column, as_column
from ..columns.datetime.periods import Periods
from ..columns.datetime.tick import tzinfo_of
from ..columns.nested.lists import Lists
from ..columns.objects import Objects
from ..columns.text.binary import Binary
from ..columns.text.strings import Strings
from .classes import CLASSES, frame, series
from .combine.align import align_rows
from .data.column_labels import Labels
from .data.dtypes import cast, to_list
from .data.values import make, settle, take
from .fallback.convert import accessor_class
from .index.base import range_index
from .index.period import to_period

if TYPE_CHECKING:
    from ..annotations import ArrayLike, DTypeLike


def plain(values: ArrayLike, missing: Any = None) -> Any:
    """The result of a string or datetime method in pandas' types: False or NaN where the value was missing."""
    if type(values) is Column:
        if values.valid is not None and bool(values.valid.all()):
            return values.values
        if values.dtype == np.bool_:
            return values.fillna(bool(missing)) if values.valid is not None else values.values
        return settle(values.astype(np.float64)) if values.valid is not None else values.values
    return values


class Accessor:
    """Methods of a Series' column."""

    __slots__ = ("_of", "_to_index")
    #: The accessor's name in pandas.
    in_pandas: ClassVar[str]

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """pandas' class where pandas is in use, so that ``isinstance`` accepts it."""
        return accessor_class(self.in_pandas) or type(self)

    def __init__(self, of: Any, to_index: bool = False) -> None:
        self._of, self._to_index = of, to_index

    def _of_index(self, index: object) -> Any:
        return type(self)(self._of, True)

    def _wrapped(self, made: Any) -> Any:
        if not isinstance(made, (ndarray, Column)):
            return made
        result = self._of._new(plain(made))
        return result if not self._to_index else _as_index(result)

    def _method(self, name: str) -> Any:
        function = getattr(self._of._values, name)

        def method(*args: object, **kwargs: object) -> Any:
            return self._wrapped(function(*args, **kwargs))

        return method


def _as_index(made: Any) -> Any:
    values = made._values
    if isinstance(values, ndarray) and values.dtype == np.bool_:
        return values.to_numpy()
    return made._index._with(values)._renamed(made._name)


class Texts(Accessor):
    """`Series.str`: methods of strings; what is missing stays so.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.Series(["a-b", "c"]).str.upper().to_list()
    ['A-B', 'C']
    """

    __slots__ = ()
    in_pandas = "str"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(Strings, name) or name in ("values", "to_list", "to_numpy"):
            raise AttributeError(f"'StringMethods' object has no attribute '{name}'")
        if isinstance(self._of._values, Objects) and hasattr(str, name):
            return self._of_objects(name)
        return self._method(name)

    def _of_objects(self, name: str) -> Any:
        """Python's own method of each string among objects; missing where there is none."""

        def method(*args: Any, **options: Any) -> Any:
            held = to_list(self._of._values)
            made = [getattr(one, name)(*args, **options) if isinstance(one, str) else np.nan for one in held]
            return self._of._new(Objects(made) if any(isinstance(one, str) for one in made) else make(made))

        return method

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return self._wrapped(self._of._values.str.slice(key.start, key.stop, key.step))
        return self.get(key)

    def get(self, i: Any) -> Any:
        """The element at a place of each value."""
        values = self._of._values
        if isinstance(values, (Strings, Lists)):
            return self._wrapped(values.get(i))
        return self._wrapped(make([_element(one, i) for one in to_list(values)]))

    def len(self) -> Any:
        """How many characters, or elements, each value has."""
        values = self._of._values
        if isinstance(values, Objects):
            return self._wrapped(make([len(one) if hasattr(one, "__len__") else np.nan for one in to_list(values)]))
        return self._wrapped(values.len())

    def contains(self, pat: Any, case: bool = True, flags: int = 0, na: Any = None, regex: bool = True) -> Any:
        """Whether a pattern matches anywhere in each string."""
        return self._tested(self._of._values.str.contains(pat, case, flags, None, regex), na)

    def startswith(self, pat: Any, na: Any = None) -> Any:
        """Whether each string begins with another."""
        return self._tested(self._of._values.str.startswith(pat), na)

    def endswith(self, pat: Any, na: Any = None) -> Any:
        """Whether each string ends in another."""
        return self._tested(self._of._values.str.endswith(pat), na)

    def match(self, pat: Any, case: bool = True, flags: int = 0, na: Any = None) -> Any:
        """Whether a pattern matches at the beginning of each string."""
        return self._tested(self._of._values.str.match(pat, case, flags), na)

    def fullmatch(self, pat: Any, case: bool = True, flags: int = 0, na: Any = None) -> Any:
        """Whether a pattern matches all of each string."""
        return self._tested(self._of._values.str.fullmatch(pat, case, flags), na)

    def _tested(self, found: object, na: Any) -> Any:
        return self._wrapped(as_column(found).fillna(bool(na)) if isinstance(found, Column) else found)

    def split(self, pat: Any = None, *, n: int = -1, expand: bool = False, regex: Any = None) -> Any:
        """The parts of each string between separators: lists, or with `expand` a column for each place."""
        return self._parts(self._of._values.str.split(pat, n, True, regex=regex), expand)

    def rsplit(self, pat: Any = None, *, n: int = -1, expand: bool = False) -> Any:
        """The same from the right."""
        return self._parts(self._of._values.str.rsplit(pat, n, True), expand)

    def partition(self, sep: str = " ", expand: bool = True) -> Any:
        """The part before the first separator, the separator, and the part after it."""
        return self._parts(self._of._values.str.partition(sep), expand, True)

    def rpartition(self, sep: str = " ", expand: bool = True) -> Any:
        """The same with the last separator."""
        return self._parts(self._of._values.str.rpartition(sep), expand, True)

    def replace(
        self, pat: Any, repl: Any = None, n: int = -1, case: Any = None, flags: int = 0, regex: bool = False
    ) -> Any:
        """Matches of a pattern, or occurrences of a string, as another string; a function is called for each match."""
        if callable(repl):
            if not regex:
                raise ValueError("Cannot use a callable replacement when regex=False")
            compiled = re.compile(pat, flags | (re.IGNORECASE if case is False else 0)) if isinstance(pat, str) else pat
            table = self._of._values
            held = to_list(table)
            known = {one: compiled.sub(repl, one, count=max(n, 0)) for one in dict.fromkeys(held) if one == one}
            return self._wrapped(make([known.get(one, np.nan) for one in held]))
        function = self._method("replace")
        if isinstance(pat, dict):
            return function(pat, n=n, case=True if case is None else case, flags=flags, regex=regex)
        return function(pat, repl, n, True if case is None else case, flags, regex)

    def _parts(self, columns: Any, expand: bool, tuples: bool = False) -> Any:
        if expand and self._to_index:
            return CLASSES["MultiIndex"]._of(list(columns))
        if expand:
            return frame(list(columns), Labels(range(len(columns))), self._of._index)
        rows = zip(self._of._values.isna().tolist(), *(one.to_list() for one in columns), strict=True)
        if tuples:
            held: list[Any] = [np.nan if gone else tuple(row) for gone, *row in rows]
            return self._to_labels(self._of._new(Objects(held)))
        held = [np.nan if gone else [part for part in row if part is not None] for gone, *row in rows]
        return self._to_labels(self._of._new(make(held)))

    def _to_labels(self, made: object) -> Any:
        return _as_index(made) if self._to_index else made

    def extract(self, pat: Any, flags: int = 0, expand: bool = True) -> Any:
        """The groups of a pattern's first match: a column each."""
        columns = self._of._values.str.extract(pat, flags)
        labels = _group_labels(pat, flags)
        index = range_index(len(self._of)) if self._to_index else self._of._index
        if not expand and len(columns) == 1:
            (name,) = labels.values
            return series(columns[0], index, self._of._name if name == 0 else name)
        return frame(list(columns), labels, index)

    def extractall(self, pat: Any, flags: int = 0) -> Any:
        """The groups of all matches of a pattern: a row for each match, which is numbered behind the labels.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series(["a1b2", "c"]).str.extractall(r"([a-z])([0-9])").to_dict("list")
        {0: ['a', 'b'], 1: ['1', '2']}
        """
        columns, rows = self._of._values.str.extractall(pat, flags)
        index = self._of._index
        number = series(rows, range_index(rows.size)).groupby(rows).cumcount()._values
        labels = [*(take(level, rows) for level in index._labels_of_index), number]
        return frame(
            list(columns), _group_labels(pat, flags), CLASSES["MultiIndex"]._of(labels, [*index.names, "match"])
        )

    def decode(self, encoding: str, errors: str = "strict") -> Any:
        """Strings of bytes."""
        held = [one.decode(encoding, errors) if isinstance(one, bytes) else np.nan for one in to_list(self._of._values)]
        return self._of._new(make(held, "str"))

    def findall(self, pat: Any, flags: int = 0) -> Any:
        """All matches of a pattern in each string: lists."""
        compiled = re.compile(pat, flags) if isinstance(pat, str) else pat
        held = [np.nan if one != one else compiled.findall(one) for one in to_list(self._of._values)]
        return self._of._new(make(held))

    def cat(self, others: Any = None, sep: Any = None, na_rep: Any = None, join: str = "left") -> Any:
        """Strings with others behind them; all strings as one, when there are none."""
        values = self._of._values
        if others is None:
            held = values if na_rep is None else values.fillna(na_rep)
            return (sep or "").join(held.dropna().to_list())
        listed = isinstance(others, (list, tuple)) and not all(isinstance(one, str) for one in others)
        parts = list(others) if listed else [others]
        of = self._of
        index = of._index
        labelled = [one for one in parts if hasattr(one, "_to_index")]
        if hasattr(others, "_columns"):
            labelled = parts = others._each()
        if labelled and join != "left":
            for one in labelled:
                index = align_rows(index, one._index, join).index
        own = of if index is of._index or index._same(of._index) else of._to_index(index)
        columns = [one._to_index(index)._values if hasattr(one, "_to_index") else make(one) for one in parts]
        made = own._values if na_rep is None else own._values.fillna(na_rep)
        for column in columns:
            column = cast(column, "str") if isinstance(column, Objects) else column
            column = column if na_rep is None else column.fillna(na_rep)
            made = made + (sep or "") + column if sep else made + column
        result = series(made, index, of._name)
        return _as_index(result) if self._to_index else result

    def get_dummies(self, sep: str = "|", dtype: DTypeLike = np.int64) -> Any:
        """A column of 0 and 1 for each part that occurs."""
        parts = [set(one.split(sep)) if one == one else set() for one in to_list(self._of._values)]
        names = sorted(set().union(*parts) - {""})
        bytes_of_all = len(parts) * len(names) * np.dtype(dtype).itemsize
        require_room(bytes_of_all, f"{len(names)} columns of {len(parts)} rows")
        held = [make([int(name in one) for one in parts], dtype) for name in names]
        return frame(held, Labels(names), self._of._index)


def _group_labels(pat: str, flags: int) -> Labels:
    """Names of an expression's groups, numbers of those that have none."""
    compiled = re.compile(pat, flags) if isinstance(pat, str) else pat
    names = {place: name for name, place in compiled.groupindex.items()}
    return Labels([names.get(place + 1, place) for place in range(compiled.groups)])


def _element(value: Any, i: Any) -> Any:
    try:
        return value[i]
    except (TypeError, IndexError, KeyError):
        return np.nan


class Parts(Accessor):
    """Methods of another kind's column, under its own names: `.dt` and `.list`."""

    __slots__ = ()
    in_pandas = "dt"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        values = self._of._values
        attribute = getattr(values, name)  # an AttributeError names the kind
        if callable(attribute) and not isinstance(attribute, (ndarray, Column)):
            return self._method(name)
        return self._wrapped(attribute)

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(self._of._values, Lists):
            raise TypeError("only lists have elements")
        return self._method("get")(key)

    def to_period(self, freq: Any = None) -> Any:
        """The periods that datetimes are in, of a length: months of "M"."""
        return self._of._new(to_period(self._of._values, freq))

    def to_pydatetime(self) -> Any:
        """Python's datetimes, a Series."""
        return self._of._new(Objects(self._of._values.to_list()))

    def to_pytimedelta(self) -> np.ndarray[Any, Any]:
        """Python's timedeltas, in a NumPy array."""
        return Objects(self._of._values.to_list()).to_numpy()

    @property
    def components(self) -> Any:
        """Components of each duration, as a frame."""
        made = self._of._values.components
        return frame(list(made), Labels(list(made._fields)), self._of._index)

    @property
    def freq(self) -> Any:
        """The step from row to row, when all are alike; of periods how long they are."""
        values = self._of._values
        if isinstance(values, Periods):
            return values.freqstr
        return range_index(0)._with(values).inferred_freq if values.size > 2 and values.valid is None else None

    @property
    def tz(self) -> Any:
        """The time zone, None when there is none."""
        return None if self._of._values.tz is None else tzinfo_of(self._of._values.tz)

    @property
    def timetz(self) -> Any:
        """Python's times of day, with their zone."""
        held = [one if one is None else one.timetz() for one in self._of._values.to_list()]
        return self._of._new(Objects(held))

    def isocalendar(self) -> Any:
        """Year, week and day as ISO 8601 counts them: a frame."""
        made = self._of._values.isocalendar()
        parts = made.values() if isinstance(made, dict) else made
        columns = [cast(one, kind) for one, kind in zip(parts, ("Int32", "UInt32", "UInt32"), strict=True)]
        return frame(columns, Labels(["year", "week", "day"]), self._of._index)


class Categories(Accessor):
    """`Series.cat`: the categories of a column of them."""

    __slots__ = ()
    in_pandas = "cat"

    @property
    def categories(self) -> Any:
        """The categories, as an index."""
        made = self._of._values.categories
        return range_index(0)._with(as_column(made).values if type(made) is Column else made)

    @property
    def codes(self) -> Any:
        """For each row the number of its category, -1 of missing ones."""
        return series(self._of._values.codes, self._of._index)

    @property
    def ordered(self) -> bool:
        """Whether the categories have an order."""
        return bool(self._of._values.ordered)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._method(name)


class SeriesAccessors:
    """Accessors of Series."""

    __slots__ = ()

    @property
    def str(self: Any) -> Texts:
        """Methods of strings, row by row; see `Strings`."""
        if not isinstance(self._values, (Strings, Objects, Lists, Binary)):
            categories = getattr(self._values, "categories", None)
            if isinstance(categories, Strings):
                return Texts(self._new(self._values.astype("str")))
            raise AttributeError("Can only use .str accessor with string values, not " + self.dtype.name)
        return Texts(self)

    @property
    def dt(self: Any) -> Parts:
        """Parts of dates and lengths of time."""
        if isinstance(self._values, Periods):
            return Parts(self)
        if isinstance(self._values, ndarray) or self._values.dtype.kind not in "mM":
            raise AttributeError("Can only use .dt accessor with datetimelike values")
        return Parts(self)

    @property
    def cat(self: Any) -> Categories:
        """The categories."""
        if not hasattr(self._values, "categories"):
            raise AttributeError("Can only use .cat accessor with a 'category' dtype")
        return Categories(self)

    @property
    def list(self: Any) -> Parts:
        """Methods of lists."""
        if not isinstance(self._values, Lists):
            raise AttributeError("Can only use the '.list' accessor with 'list' dtype")
        return Parts(self)
