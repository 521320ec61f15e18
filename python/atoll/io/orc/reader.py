# SPDX-License-Identifier: Apache-2.0
"""ORC: stripes are what PEs share."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ... import extras
from ...session.everywhere import once
from ...storage.places import Place, place_of
from ...storage.source import reading
from ..reader import Part, Reader
from ..reading import expression, read_columns
from ..schemas import key_types, typed_keys, unified, with_keys
from ..writing import write_tables
from .streams import OrcFile, Remembered

if TYPE_CHECKING:
    from ...annotations import Files

_ROWS = 1 << 18  # that are written at a time: signals are handled in between


class OrcReader(Reader):
    """Files of stripes."""

    def __init__(self, place: Place, schema: Any, keys: Any, parts: list[Part]) -> None:
        self.place, self.parts, self.keys = place, parts, keys
        self.schema = with_keys(schema, keys)

    def read(self, part: Part, columns: Sequence[str], where: Any) -> Iterable[Any]:
        """One stripe."""
        import pyarrow as pa
        from pyarrow import orc

        with self.place.open(part.file) as source:
            far = self.place.system is not None
            file = OrcFile(source, far)
            source.seek(0)
            found = orc.ORCFile(Remembered(file) if far else source)
            there = [name for name in columns if name in found.schema.names] or found.schema.names[:1]
            file.check(part.number, there)
            batch = found.read_stripe(part.number, columns=there)
            yield typed_keys(pa.table(batch), part, columns, self.schema)


def _plan(place: Place) -> OrcReader:
    from pyarrow import orc

    keys, values = key_types(place)
    parts, schemas = [], []
    for file, of_file in zip(place.files, values, strict=True):
        with reading(file), place.open(file) as source:
            OrcFile(source)  # says what is wrong with its tail
            source.seek(0)
            found = orc.ORCFile(source)
            schemas.append(found.schema)
            count, size = found.nstripes, place.size(file)
            parts += [Part(file, at, size // count, keys=of_file, unit="stripe") for at in range(count)]
    return OrcReader(place, unified(schemas, place.files), keys, parts)


def orc_columns(
    where: Files, columns: Sequence[str] | None = None, *, filters: object = None,
    storage_options: dict[str, Any] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Columns of ORC files, by name; parameters as `parquet_columns`.

    Examples
    --------
    >>> import atoll as ak
    >>> import io
    >>> from atoll.io.orc import orc_columns, write_orc
    >>> stream = io.BytesIO()
    >>> write_orc(stream, {"a": ak.arange(3)})
    >>> orc_columns(io.BytesIO(stream.getvalue()))
    {'a': array([0, 1, 2])}
    """
    extras.module("pyarrow.orc", "reading ORC")
    return read_columns(once(_plan, place_of(where, (".orc",), storage_options)), columns, expression(filters))


def write_orc(
    where: Files, columns: Mapping[str, Any], *, storage_options: dict[str, Any] | None = None, **options: object
) -> None:
    """Writes columns to an ORC file; `options` are those of `pyarrow.orc.ORCWriter`."""

    def opened(sink: Any, schema: object) -> _Stripes:
        return _Stripes(extras.module("pyarrow.orc", "writing ORC").ORCWriter, sink, options)

    write_tables(where, columns, opened, storage_options)


class _Stripes:
    """Writes tables as stripes."""

    def __init__(self, make: Callable[..., Any], sink: Any, options: Mapping[str, Any]) -> None:
        self._sink = _Patient(sink)
        self._writer = make(self._sink, **options)

    def __enter__(self) -> _Stripes:
        return self

    def __exit__(self, kind: str, error: BaseException | None, _: Any) -> None:
        self._sink.failure = self._sink.failure or error
        if error is None:
            self._writer.close()
            self._sink.check()
        else:
            with contextlib.suppress(Exception):
                self._writer.close()

    def write(self, table: Any) -> None:
        for begin in range(0, max(table.num_rows, 1), _ROWS):
            self._writer.write(table.slice(begin, _ROWS))
            self._sink.check()


class _Patient(io.RawIOBase):
    """A stream that takes all bytes behind a failure, too, and tells of it when it is asked.

    Arrow's ORC writer ends the process when a stream raises while it closes.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.failure: BaseException | None = None

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        if self.failure is None:
            try:
                self._stream.write(data)
            except BaseException as error:
                self.failure = error
        return len(data)

    def check(self) -> None:
        """Raises the failure."""
        if self.failure is not None:
            raise self.failure
