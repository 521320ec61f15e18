# SPDX-License-Identifier: Apache-2.0
"""Frames that are not read yet: what is asked of them becomes a plan, which is carried out when the rows are wanted."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..frame import DataFrame
from ..frame.classes import frame as made_frame
from ..frame.data.column_labels import Labels
from ..frame.data.lazy import Unread
from ..frame.index.base import range_index
from ..io.csv.dialect import Dialect
from ..io.csv.reader import csv_reader, guess_from_all
from ..io.file_columns import FileColumn
from ..io.parquet.reader import parquet_reader
from ..io.reader import Reader
from . import explain, nodes
from .run import Run
from .terms import Term, term_of
from .writing import write

__all__ = ["Scan", "ScanGroups", "Term", "collect_all", "scan_csv", "scan_parquet"]

_HOW = ("inner", "left", "right", "outer", "left_anti", "right_anti")


class Scan:
    """A frame that is not read yet, of `ak.scan_parquet` or `ak.scan_csv`.

    `scan["name"]` is a term, `scan[term]` keeps the rows for which it is true, `scan[["a", "b"]]` chooses columns;
    `assign`, `groupby`, `merge`, `sort_values` and `head` are as a frame's, and their results are scans, too, whose
    rows have no labels. Nothing is read before `collect`, `batches` or `to_parquet`. Rows that do not fit in memory are
    spilled by pieces to files in ``ATOLL_SPILL_DIR``. Comparisons with a missing value are not true.

    Examples
    --------
    >>> import atoll as ak
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.parquet"
    >>> ak.DataFrame({"a": range(1000), "b": range(1000)}).to_parquet(path, row_group_size=100)
    >>> scan = ak.scan_parquet(path)
    >>> late = scan[(scan["a"] >= 996) & (scan["b"] != 997)][["b"]]
    >>> print(late.explain())
    read    1 of 10 parts of 1 file: columns a, b of a, b  [about 1.6 KB]
    filter  ((a >= 996) and (b != 997))
    give    columns b
    >>> late.collect()["b"].to_list()
    [996, 998, 999]
    >>> scan.assign(c=scan["a"] / 100).groupby("c").agg(n=("b", "size")).head(2).collect()
          c  n
    0  0.00  1
    1  0.01  1
    """

    def __init__(self, node: nodes.Node, retries: Mapping[int, Callable[[], bool]] | None = None) -> None:
        self._node, self._retries = node, dict(retries or {})
        self._took: float | None = None

    def _with(self, node: nodes.Node, *others: Scan) -> Scan:
        retries = dict(self._retries)
        for other in others:
            retries |= other._retries
        return Scan(node, retries)

    @property
    def columns(self) -> list[str]:
        """Names of the columns that `collect` gives."""
        return self._node.names

    @property
    def schema(self) -> Any:
        """Arrow's schema of the files' columns, where nothing has been made of them yet."""
        node = self._node
        while isinstance(node, (nodes.Choose, nodes.Filter, nodes.Head, nodes.Sort)):
            node = node.of
        if not isinstance(node, nodes.Source):
            raise ValueError("the schema of columns that are made is known when they are; collect() makes them")
        return node.reader.schema

    def _known(self, names: Sequence[str]) -> list[str]:
        known = self.columns
        for name in names:
            if name not in known:
                raise KeyError(f"no column {name!r}; there are {', '.join(map(repr, known))}")
        return list(names)

    def __getitem__(self, key: object) -> Any:
        if isinstance(key, Term):
            return self.filter(key)
        if isinstance(key, str):
            self._known([key])
            return term_of(key)
        if isinstance(key, (list, tuple)):
            return self._with(nodes.Choose(self._node, self._known(key)))
        raise TypeError(f"a scan is indexed by a name, a list of names, or a term, not {type(key).__name__}")

    def filter(self, term: Term) -> Scan:
        """The rows for which a term is true: the same as `scan[term]`."""
        names = self._node.names
        self._known([name for name in sorted(term.fields) if not _below(self._node, name)])
        made = nodes.filtered(self._node, term)
        return self._with(made if made.names == names else nodes.Choose(made, names))

    def assign(self, **terms: Any) -> Scan:
        """More columns, or others in place of some: terms, or values that all rows have."""
        made = {name: one if isinstance(one, Term) else _constant(one) for name, one in terms.items()}
        for one in made.values():
            self._known(sorted(one.fields))
        return self._with(nodes.Assign(self._node, made))

    def groupby(self, by: str | Sequence[str], *, dropna: bool = True) -> ScanGroups:
        """Rows by the values of columns; `agg` of it says what is wanted. Groups come in order of their keys."""
        return ScanGroups(self, self._known([by] if isinstance(by, str) else by), dropna)

    def merge(
        self, right: Scan, how: str = "inner", on: object = None, left_on: Any = None, right_on: Any = None,
        suffixes: tuple[str, str] = ("_x", "_y"),
    ) -> Scan:  # fmt: skip
        """The rows of two scans whose keys are equal; where both are spilled, in order of ranges of the first key."""
        if how not in _HOW:
            raise ValueError(f"how is one of {', '.join(_HOW)}, not {how!r}")
        left_on, right_on = (on, on) if on is not None else (left_on, right_on)
        if left_on is None or right_on is None:
            raise ValueError("say which columns are the keys: on=, or left_on= and right_on=")
        one, two = ([keys] if isinstance(keys, str) else list(keys) for keys in (left_on, right_on))
        if len(one) != len(two):
            raise ValueError("left_on and right_on are of one length")
        return self._with(
            nodes.Join(self._node, right._node, self._known(one), right._known(two), how, (suffixes[0], suffixes[1])),
            right,
        )

    def sort_values(self, by: str | Sequence[str], ascending: bool | Sequence[bool] = True) -> Scan:
        """Rows in order of columns; rows alike keep theirs, and missing values come last."""
        names = self._known([by] if isinstance(by, str) else by)
        ways = [ascending] * len(names) if isinstance(ascending, bool) else list(ascending)
        if len(ways) != len(names):
            raise ValueError(f"Length of ascending ({len(ways)}) != length of by ({len(names)})")
        return self._with(nodes.Sort(self._node, names, ways))

    def head(self, n: int = 5) -> Scan:
        """The first rows; no more is read than they need."""
        if n < 0:
            raise ValueError(f"n is 0 or more, not {n}")
        return self._with(nodes.Head(self._node, n))

    # -- what is asked --

    def explain(self) -> str:
        """A line for each step, the first one first: what is read, kept, made and given, and about how much that is.

        Once it has run also how many rows and bytes it was and in how many seconds, exchanged among PEs and spilled.
        """
        found = explain.lines(self._node, self.columns)
        found.append(f"give    columns {', '.join(self.columns)}")
        if self._took is not None:
            found.append(f"took    {self._took:.3f} s")
        return "\n".join(found)

    def collect(self) -> DataFrame:
        """The frame."""
        return collect_all([self])[0]

    def frame(self, dtype: Mapping[str, Any] | None = None) -> DataFrame:
        """The frame of the files' rows; each column is read when it is first used, and those never used cost nothing.

        Parameters
        ----------
        dtype : mapping, optional
            Types that columns then become, by name.

        Examples
        --------
        >>> import atoll as ak
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.parquet"
        >>> ak.DataFrame({"a": [3, 1, 2], "b": ["x", "y", "z"]}).to_parquet(path)
        >>> df = ak.scan_parquet(path).frame(dtype={"a": float})
        >>> df["a"].max()
        np.float64(3.0)
        """
        node = self._node
        names = node.names
        while isinstance(node, nodes.Choose):
            node = node.of
        rows = [part.rows for part in node.reader.parts] if isinstance(node, nodes.Source) else [None]
        if None in rows or not isinstance(node, nodes.Source):
            raise ValueError("a frame of columns that are read later is one of files that say how many rows they have")
        kinds = dtype or {}
        later = [Unread(FileColumn(node.reader, name, kinds.get(name))) for name in names]
        return made_frame(later, Labels(names), range_index(sum(one or 0 for one in rows)))

    def batches(self) -> Iterator[DataFrame]:
        """The rows as frames, concatenated, each of which fits in memory."""
        begin = time.perf_counter()
        with Run([self._node], [self.columns]) as run:
            yield from run.frames(self._node, self.columns)
        self._took = time.perf_counter() - begin

    def to_parquet(self, path: object, *, dataset: bool = False, **options: Any) -> None:
        """Writes the rows to a Parquet file, or to a directory to which each PE writes its own; they need not fit.

        Options are `compression`, `row_group_size`, and others of `pyarrow.parquet.ParquetWriter`.

        Examples
        --------
        >>> import atoll as ak
        >>> import pathlib, tempfile
        >>> here = pathlib.Path(tempfile.mkdtemp())
        >>> ak.DataFrame({"a": [3, 1, 2]}).to_parquet(here / "a.parquet")
        >>> ak.scan_parquet(here / "a.parquet").sort_values("a").to_parquet(here / "b.parquet")
        >>> ak.read_parquet(here / "b.parquet")["a"].to_list()
        [1, 2, 3]
        """

        def attempt() -> None:
            with Run([self._node], [self.columns]) as run:
                write(path, run.frames(self._node, self.columns), dataset, **options)

        begin = time.perf_counter()
        _again(attempt, self._retries)
        self._took = time.perf_counter() - begin

    def __repr__(self) -> str:
        names = ", ".join(dict.fromkeys(source.reader.name for source in _sources(self._node)))
        return f"<scan of {names}: columns {', '.join(self.columns)}>"


class ScanGroups:
    """Groups of a scan's rows, of `Scan.groupby`."""

    def __init__(self, scan: Scan, keys: list[str], dropna: bool) -> None:
        self._scan, self._keys, self._dropna = scan, keys, dropna

    def agg(self, figures: Mapping[str, str] | None = None, **named: tuple[str, str]) -> Scan:
        """Aggregates by name: ``total=("price", "sum")``, or a mapping from columns to aggregates. Keys are columns.

        Aggregates are those of a frame's groups. Float sums that are made of parts may differ in their last bits from
        those of rows that are all in memory.
        """
        wanted = dict(named)
        for column, figure in (figures or {}).items():
            wanted[column] = (column, figure)
        for name, (column, _) in wanted.items():
            self._scan._known([column])
            if name in self._keys:
                raise ValueError(f"{name!r} is a key already")
        return self._scan._with(nodes.Group(self._scan._node, self._keys, wanted, self._dropna))

    def size(self) -> Scan:
        """How many rows each group has, as column "size"."""
        return self.agg(size=(self._keys[0], "size"))


def _below(node: nodes.Node, name: str) -> bool:
    """Whether a column is there under a choice that leaves it out: filters may still ask for it."""
    while isinstance(node, nodes.Choose):
        node = node.of
        if name in node.names:
            return True
    return False


def _constant(value: object) -> Term:
    import pyarrow.compute as pc

    return Term(pc.scalar(value), frozenset())


def _sources(node: nodes.Node) -> list[nodes.Source]:
    if isinstance(node, nodes.Source):
        return [node]
    return [source for one in node.before() for source in _sources(one)]


def _again(attempt: Callable[[], Any], retries: Mapping[int, Callable[[], bool]]) -> Any:
    """Once more, where types that were guessed from a file's beginning do not hold for all of it."""
    try:
        return attempt()
    except ValueError as error:
        if "conversion error" not in str(error):
            raise
        changed = [retry() for retry in retries.values()]
        if not any(changed):
            raise
    return attempt()


def collect_all(scans: Sequence[Scan]) -> list[DataFrame]:
    """The frames of several scans; what they have in common (files, steps) is read and done once.

    Examples
    --------
    >>> import atoll as ak
    >>> import io
    >>> scan = ak.scan_csv(io.StringIO("a,b\\n1,2\\n1,3\\n"))
    >>> one, two = ak.collect_all([scan.groupby("a").agg({"b": "sum"}), scan[scan["b"] > 2]])
    >>> one["b"].to_list(), two["b"].to_list()
    ([5], [3])
    """
    retries: dict[int, Callable[[], bool]] = {}
    for scan in scans:
        retries |= scan._retries

    def attempt() -> list[DataFrame]:
        with Run([scan._node for scan in scans], [scan.columns for scan in scans]) as run:
            found = []
            for scan in scans:
                begin = time.perf_counter()
                found.append(run.frame(scan._node, scan.columns))
                scan._took = time.perf_counter() - begin
        return found

    frames: list[DataFrame] = _again(attempt, retries)
    return frames


def _scan(reader: Reader, retry: Callable[[], bool] | None = None) -> Scan:
    return Scan(nodes.Source(reader), {} if retry is None else {id(reader): retry})


def scan_parquet(path: Any, *, storage_options: Any = None) -> Scan:
    """A frame of Parquet files that is not read yet; `path` as in `ak.read_parquet`. See `Scan`."""
    return _scan(parquet_reader(path, storage_options))


def scan_csv(path: Any, *, dtype: Any = None, storage_options: Any = None, **dialect: Any) -> Scan:
    """A frame of text files that is not read yet; `dialect`: the fields of `atoll.io.csv.dialect.Dialect`."""
    if dialect.get("on_bad_lines") == "warn":
        raise ValueError('a scan may read lines more than once: on_bad_lines is "error" or "skip"')
    reader = csv_reader(path, dtype, Dialect(**dialect), storage_options)
    return _scan(reader, lambda: guess_from_all(reader, dtype))
