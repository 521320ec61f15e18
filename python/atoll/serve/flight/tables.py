# SPDX-License-Identifier: Apache-2.0
"""Published frames as tables: their names, Arrow schemas, and rows in pieces."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from ...frame.data.dtypes import as_arrow
from ...frame.data.values import cut
from ...frame.dataframe import DataFrame
from ...frame.index.index import RangeIndex
from ...session.session import Session
from ..client import names
from ..client.connect import connect

#: Rows that travel from the server at once.
PIECE_ROWS = 1 << 18


def distinct(labels: Iterable[str]) -> list[str]:
    """The labels, later ones with a number where SQL, which ignores case, would take them for an earlier one.

    >>> distinct(["a", "b", "A", "a_2"])
    ['a', 'b', 'A_2', 'a_2_2']
    """
    taken: set[str] = set()
    made = []
    for label in labels:
        name, count = label, 1
        while name.casefold() in taken:
            count += 1
            name = f"{label}_{count}"
        taken.add(name.casefold())
        made.append(name)
    return made


class Table:
    """A published frame at the time of a query. Later versions of its name do not change it."""

    def __init__(self, name: str, frame: DataFrame, lock: threading.Lock) -> None:
        self.name, self._rows, self._lock = name, len(frame), lock
        with lock:
            # The labels of rows are columns, unless they only count the rows.
            counted = frame.index.name is None and isinstance(frame.index, RangeIndex)
            shown = frame if counted else frame.reset_index()
            self._columns = list(shown._columns)
            kinds = [as_arrow(cut(column, slice(0, 0))).type for column in self._columns]
        labels = distinct(str(label) for label in shown._labels.values)
        self.schema: pa.Schema = pa.schema(
            pa.field(label, _plain(kind)) for label, kind in zip(labels, kinds, strict=True)
        )

    def batches(self, columns: Sequence[int]) -> Iterator[pa.RecordBatch]:
        """Columns, by place, of all rows."""
        wanted = pa.schema([self.schema.field(place) for place in columns])
        for start in range(0, self._rows, PIECE_ROWS):
            rows = slice(start, min(start + PIECE_ROWS, self._rows))
            with self._lock:
                pieces = [as_arrow(cut(self._columns[place], rows)) for place in columns]
            pieces = [one.cast(field.type) for one, field in zip(pieces, wanted, strict=True)]
            yield from pa.Table.from_arrays(pieces, schema=wanted).to_batches()


def _plain(kind: Any) -> Any:
    """The type of values of a dictionary, whose dictionaries may differ between pieces; other types as they are."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


class Tables:
    """The published frames of a server, over one session with the role `read`. Safe to use from several threads."""

    def __init__(self, server: str) -> None:
        self.server = server
        self._lock = threading.Lock()
        self._session: Session | None = None
        self.names()

    def _ask(self, question: Callable[[], Any]) -> Any:
        """An answer of the server; a session that was lost is made again for the next question."""
        with self._lock:
            if self._session is None:
                self._session = connect(self.server, role="read")
            try:
                return question()
            except ConnectionError:
                self._drop()
                raise

    def _drop(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.shutdown()

    def names(self) -> dict[str, str]:
        """Table → the name that its frame is published under."""
        found = [name for name, about in self._ask(names.published).items() if about["kind"] == "DataFrame"]
        return dict(zip(distinct(found), found, strict=True))

    def get(self, table: str) -> Table | None:
        """The table of a name; None where there is none."""
        published = self.names().get(table)
        return None if published is None else self._attached(table, published)

    def named_in(self, statement: str) -> list[Table]:
        """The tables whose names occur in a statement, as they are now."""
        text = statement.casefold()
        wanted = [(table, published) for table, published in self.names().items() if table.casefold() in text]
        return [found for one in wanted if (found := self._attached(*one)) is not None]

    def _attached(self, table: str, published: str) -> Table | None:
        """A table; None where its frame is not published any more."""
        try:
            frame = self._ask(lambda: names.attach(published))
        except KeyError:
            return None
        return Table(table, frame, self._lock)

    def close(self) -> None:
        """Ends the session."""
        with self._lock:
            self._drop()
