# SPDX-License-Identifier: Apache-2.0
"""Frames that are not read yet: filters and the choice of columns reach into the reader."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from ..frame import DataFrame
from .csv import csv_reader, guess_from_all
from .dialect import Dialect
from .parquet import ParquetReader, parquet_reader
from .reader import Reader
from .reading import fields_of, read_columns

__all__ = ["Scan", "Term", "scan_csv", "scan_parquet"]


class Term:
    """An expression of a scan's columns: what comparisons, arithmetic and `& | ~` make of `scan["name"]`."""

    __slots__ = ("expression",)
    __hash__ = None  # type: ignore[assignment]  # == makes another term

    def __init__(self, expression: Any) -> None:
        self.expression = expression

    def isin(self, values: Sequence[Any]) -> Term:
        """Whether the value is one of these."""
        import pyarrow as pa

        return Term(self.expression.isin(pa.array(list(values))))

    def isna(self) -> Term:
        """Whether the value is missing."""
        return Term(self.expression.is_null())

    def notna(self) -> Term:
        """Whether the value is there."""
        return Term(~self.expression.is_null())

    def __invert__(self) -> Term:
        return Term(~self.expression)

    def __bool__(self) -> bool:
        raise ValueError("The truth value of a term is not known before it is read. Use & | ~ in place of and, or, not")


def _binary(name: str) -> Any:
    def method(self: Term, other: Any) -> Term:
        value = other.expression if isinstance(other, Term) else other
        return Term(getattr(self.expression, name)(value))

    return method


for _name in ("eq", "ne", "lt", "le", "gt", "ge", "and", "or", "add", "sub", "mul", "truediv"):
    setattr(Term, f"__{_name}__", _binary(f"__{_name}__"))


class Scan:
    """A frame that is not read yet, of `ak.scan_parquet` or `ak.scan_csv`.

    `scan["name"]` is a term, `scan[term]` keeps the rows for which it is true, `scan[["a", "b"]]` chooses columns;
    nothing is read before `collect`.

    Examples
    --------
    >>> import atoll as ak
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.parquet"
    >>> ak.DataFrame({"a": range(1000), "b": range(1000)}).to_parquet(path, row_group_size=100)
    >>> scan = ak.scan_parquet(path)
    >>> late = scan[(scan["a"] >= 996) & (scan["b"] != 997)][["b"]]
    >>> print(late.explain())
    read    1 of 10 parts of 1 file: columns a, b of a, b
    filter  ((a >= 996) and (b != 997))
    give    columns b
    >>> late.collect()["b"].to_list()
    [996, 998, 999]
    """

    def __init__(
        self, reader: Reader, columns: Sequence[str] | None = None, where: Any = None, retry: Any = None
    ) -> None:
        self._reader, self._columns, self._where, self._retry = reader, columns, where, retry
        self._took: float | None = None

    @property
    def columns(self) -> list[str]:
        """Names of the columns that `collect` gives."""
        return self._reader.names(self._columns)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, Term):
            where = key.expression if self._where is None else self._where & key.expression
            fields_of(where, self._reader.schema)
            return Scan(self._reader, self._columns, where, self._retry)
        if isinstance(key, str):
            import pyarrow.compute as pc

            self._reader.names([key])
            return Term(pc.field(key))
        if isinstance(key, (list, tuple)):
            known = self.columns
            for name in key:
                if name not in known:
                    raise KeyError(f"no column {name!r}; there are {', '.join(map(repr, known))}")
            return Scan(self._reader, list(key), self._where, self._retry)
        raise TypeError(f"a scan is indexed by a name, a list of names, or a term, not {type(key).__name__}")

    def filter(self, term: Term) -> Scan:
        """The rows for which a term is true: the same as `scan[term]`."""
        chosen: Scan = self[term]
        return chosen

    def _needed(self) -> list[str]:
        wanted = self.columns
        return wanted + [
            name
            for name in ([] if self._where is None else fields_of(self._where, self._reader.schema))
            if name not in wanted
        ]

    def explain(self) -> str:
        """What is read, kept and given; behind it, once it has been read, in how many seconds."""
        reader, needed = self._reader, self._needed()
        parts = list(reader.parts)
        if isinstance(reader, ParquetReader):
            parts = [part for part in parts if reader.size_of(part, needed, self._where)]
        files = len({part.file for part in reader.parts})
        shown = ", ".join(name for name in reader.schema.names if name in needed)
        lines = [
            f"read    {len(parts)} of {len(reader.parts)} parts of {files} file{'s' if files != 1 else ''}: "
            f"columns {shown} of {', '.join(reader.schema.names)}"
        ]
        if self._where is not None:
            lines.append(f"filter  {self._where}")
        lines.append(f"give    columns {', '.join(self.columns)}")
        if self._took is not None:
            lines.append(f"took    {self._took:.3f} s")
        return "\n".join(lines)

    def collect(self) -> DataFrame:
        """The frame."""
        begin = time.perf_counter()
        try:
            columns = read_columns(self._reader, self._columns, self._where)
        except ValueError as error:
            if self._retry is None or "conversion error" not in str(error) or not self._retry():
                raise
            columns = read_columns(self._reader, self._columns, self._where)
        self._took = time.perf_counter() - begin
        return DataFrame(columns)

    def __repr__(self) -> str:
        return f"<scan of {self._reader.name}: columns {', '.join(self.columns)}>"


def scan_parquet(path: Any, *, storage_options: Any = None) -> Scan:
    """A frame of Parquet files that is not read yet; `path` as in `ak.read_parquet`. See `Scan`."""
    return Scan(parquet_reader(path, storage_options))


def scan_csv(path: Any, *, dtype: Any = None, storage_options: Any = None, **dialect: Any) -> Scan:
    """A frame of text files that is not read yet; `dialect`: the fields of `atoll.io.dialect.Dialect`."""
    reader = csv_reader(path, dtype, Dialect(**dialect), storage_options)
    return Scan(reader, retry=lambda: guess_from_all(reader, dtype))
