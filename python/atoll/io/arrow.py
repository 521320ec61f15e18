# SPDX-License-Identifier: Apache-2.0
"""Arrow's own formats: files (Feather) and streams, whose record batches are what PEs share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import extras
from ..session.everywhere import once
from ..storage.places import Place, place_of
from ..storage.source import reading
from .reader import Part, Reader
from .reading import expression, read_columns
from .schemas import key_types, typed_keys, unified, with_keys
from .writing import write_tables

if TYPE_CHECKING:
    from ..annotations import Files

_ROWS = 1 << 20  # of a record batch
_ENDINGS = (".feather", ".arrow", ".arrows", ".ipc")


class ArrowReader(Reader):
    """Files of record batches; a stream is read as one part, because where its batches lie is not known."""

    def __init__(self, place: Place, schema: Any, keys: Any, parts: list[Part], streams: set[str]) -> None:
        self.place, self.parts, self.streams, self.keys = place, parts, streams, keys
        self.schema = with_keys(schema, keys)

    def read(self, part: Part, columns: Sequence[str], where: Any) -> Iterable[Any]:
        """Record batches, looked through before they are used: the format lets files say anything."""
        import pyarrow as pa
        from pyarrow import ipc

        with self.place.open(part.file) as source:
            if part.file in self.streams:
                batches: Iterable[Any] = ipc.open_stream(source)
            else:
                found = ipc.open_file(source)
                wanted = [at for at, name in enumerate(found.schema.names) if name in columns]
                options = ipc.IpcReadOptions(included_fields=wanted or [0], use_threads=False)
                batches = [ipc.open_file(source, options=options).get_batch(part.number)]
            for batch in batches:
                batch.validate(full=True)
                yield typed_keys(pa.table(batch), part, columns, self.schema)


def arrow_reader(where: Files, storage_options: dict[str, Any] | None = None) -> ArrowReader:
    """A reader of files in Arrow's file or stream format."""
    extras.module("pyarrow.ipc", "reading Arrow's format")
    return once(_plan, place_of(where, _ENDINGS, storage_options))


def _plan(place: Place) -> ArrowReader:
    from pyarrow import ipc

    keys, values = key_types(place)
    parts, schemas, streams = [], [], set()
    for file, of_file in zip(place.files, values, strict=True):
        with reading(file), place.open(file) as source:
            if bytes(source.read(6)) == b"ARROW1":
                found = ipc.open_file(source)
                count, size = found.num_record_batches, place.size(file)
                parts += [Part(file, at, size // count, keys=of_file, unit="record batch") for at in range(count)]
            else:
                source.seek(0)
                found = ipc.open_stream(source)
                streams.add(file)
                parts.append(Part(file, 0, place.size(file), keys=of_file, unit="stream"))
            schemas.append(found.schema)
    return ArrowReader(place, unified(schemas, place.files), keys, parts, streams)


def arrow_columns(
    where: Files, columns: Sequence[str] | None = None, *, filters: object = None,
    storage_options: dict[str, Any] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Columns of files in Arrow's format (Feather) or of its streams, by name; parameters as `parquet_columns`.

    Examples
    --------
    >>> import atoll as ak
    >>> import io
    >>> from atoll.io.arrow import arrow_columns, write_arrow
    >>> stream = io.BytesIO()
    >>> write_arrow(stream, {"a": ak.arange(3)})
    >>> arrow_columns(io.BytesIO(stream.getvalue()))
    {'a': array([0, 1, 2])}
    """
    return read_columns(arrow_reader(where, storage_options), columns, expression(filters))


class _Batches:
    """Writes tables as record batches of bounded size: each is what a PE reads at a time."""

    def __init__(self, writer: Any) -> None:
        self._writer = writer

    def __enter__(self) -> _Batches:
        return self

    def __exit__(self, kind: str, *_: object) -> None:
        if kind is None:
            self._writer.close()

    def write(self, table: Any) -> None:
        for batch in table.to_batches(max_chunksize=_ROWS):
            self._writer.write_batch(batch)


def write_arrow(
    where: Files, columns: Mapping[str, Any], *, compression: str | None = "lz4", stream: bool = False,
    storage_options: dict[str, Any] | None = None,
) -> None:  # fmt: skip
    """Writes columns in Arrow's file format (what `to_feather` writes), or as a stream."""

    def opened(sink: Any, schema: object) -> _Batches:
        from pyarrow import ipc

        options = ipc.IpcWriteOptions(compression=compression)
        return _Batches((ipc.new_stream if stream else ipc.new_file)(sink, schema, options=options))

    write_tables(where, columns, opened, storage_options)
