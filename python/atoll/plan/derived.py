# SPDX-License-Identifier: Apache-2.0
"""A reader behind another: rows are left out and columns made of others on the PE that reads a part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..io.reader import Part, Reader
from .terms import Term, term_of


class Derived(Reader):
    """Rows of a reader for which a term is true, with more columns."""

    def __init__(self, base: Reader, where: Term | None, made: Mapping[str, Term]) -> None:
        self.base, self.where, self.made = base, where, dict(made)
        self.parts = base.parts if where is None else [replace(part, rows=None) for part in base.parts]
        empty = base.schema.empty_table()
        if where is not None:
            empty.filter(where.expression)  # what does not go together is an error here
        names = [*base.schema.names, *(name for name in made if name not in base.schema.names)]
        self.schema = _projected(empty, names, self.made).schema if made else base.schema

    def shares(self, pes: int) -> list[range]:
        return self.base.shares(pes)

    def cut(self, count: int) -> list[Reader]:
        return [Derived(base, self.where, self.made) for base in self.base.cut(count)]

    def needed(self, columns: Sequence[str]) -> list[str]:
        """Columns of the base that are read for these."""
        found = dict.fromkeys(name for name in columns if name not in self.made)
        for name in columns:
            if name in self.made:
                found |= dict.fromkeys(sorted(self.made[name].fields))
        if self.where is not None:
            found |= dict.fromkeys(sorted(self.where.fields))
        return list(found)

    def read(self, part: Part, columns: Sequence[str], where: Any) -> Iterable[Any]:
        """Tables of these columns; `where` is for what reads this."""
        import pyarrow as pa

        expression = None if self.where is None else self.where.expression
        needed = self.needed(columns) or self.base.schema.names[:1]
        for batch in self.base.read(part, needed, expression if self.base.filters else None):
            table = batch if isinstance(batch, pa.Table) else pa.Table.from_batches([batch])
            if expression is not None and not self.base.filters:
                table = table.filter(expression)
            yield _projected(table, columns, self.made)

    def source(self) -> Reader:
        """The reader of files below."""
        return self.base.source() if isinstance(self.base, Derived) else self.base


def _projected(table: Any, columns: Sequence[str], made: Mapping[str, Term]) -> Any:
    if not any(name in made for name in columns):
        return table.select(list(columns))
    from pyarrow import acero

    terms = [(made[name] if name in made else term_of(name)).expression for name in columns]
    steps = [
        acero.Declaration("table_source", acero.TableSourceNodeOptions(table)),
        acero.Declaration("project", acero.ProjectNodeOptions(terms, list(columns))),
    ]
    return acero.Declaration.from_sequence(steps).to_table(use_threads=False)
