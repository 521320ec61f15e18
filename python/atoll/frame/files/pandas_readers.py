# SPDX-License-Identifier: Apache-2.0
"""Files that pandas' own readers read, each on one process, and what comes of them as frames."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any

from ...io.reading import expression
from ...storage.places import place_of
from ...storage.source import reading
from .. import DataFrame, Series


class Chunks:
    """Frames of some rows each, as pandas reads them."""

    def __init__(self, reader: Any, where: Any) -> None:
        """`where` is named in errors; without it they are pandas' own."""
        self._reader = reader
        self._where = "<stream>" if hasattr(where, "read") else where

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return self._framed(lambda: next(self._reader))

    def get_chunk(self, size: int | None = None) -> Any:
        """The next rows."""
        return self._framed(lambda: self._reader.get_chunk(size))

    def _framed(self, read: Callable[[], Any]) -> Any:
        with nullcontext() if self._where is None else reading(self._where):
            try:
                found = read()
            except StopIteration:
                found = None
        if found is None:
            raise StopIteration
        return DataFrame(found)

    def read(self, nrows: int | None = None) -> Any:
        """The rows that are left, or some of them."""
        given = () if nrows is None else (nrows,)  # the reader of JSON has no such parameter
        return self._framed(lambda: self._reader.read(*given))

    def close(self) -> None:
        """Closes the file."""
        self._reader.close()

    def __enter__(self) -> Chunks:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def files_of(where: object, endings: tuple[str, ...], storage_options: dict[str, Any] | None) -> list[Any]:
    """The files that a path, pattern or directory means; a stream, or what pandas opens itself, as it is."""
    if hasattr(where, "read") or storage_options is not None:
        return [where]
    place = place_of(where, endings)
    return [where] if place.system is not None else list(place.files)


def read_each(
    read: Callable[[Any], Any], files: Sequence[Any], filters: object, columns: Any = None, numbered: bool = True
) -> Any:
    """The files' rows one behind the other, those that pass the filters; `numbered`: their labels are numbers."""
    import pandas

    found = []
    for file in files:
        with reading(file if isinstance(file, str) else "<stream>"):
            found.append(read(file))
    whole: Any = found[0] if len(found) == 1 else pandas.concat(found, ignore_index=numbered)
    if isinstance(whole, pandas.Series):
        return Series(whole)
    if filters is not None:
        import pyarrow as pa

        whole = pa.Table.from_pandas(whole).filter(expression(filters)).to_pandas()
    return DataFrame(whole if columns is None else whole[list(columns)])
