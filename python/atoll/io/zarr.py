# SPDX-License-Identifier: Apache-2.0
"""Zarr: arrays in chunks, each a file of its own; PEs read and write whole chunks."""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import extras
from ..arrays.array import Array, expr_of, wrap
from ..arrays.creation import asarray
from ..arrays.files import pieces
from ..columns.column import Column
from ..columns.datetime.ticks import Ticks
from ..columns.text.strings import Strings
from ..session.everywhere import everywhere, once
from ..storage.atomic import directory_beside
from ..storage.session_files import replacing, target_here
from ..storage.source import reading
from .reader import Part, Reader
from .reading import check_room, read_columns
from .writing import agree, check_step, checked, writes

if TYPE_CHECKING:
    from ..annotations import PathLike
    from ..arrays.ndarray import ndarray

#: Default maximum bytes of a chunk; also the bytes that one PE writes at a time.
_CHUNK, _PIECE = 32 << 20, 64 << 20
_MOST_PARTS = 4096  # of a store with very small chunks, some are read together


class ZarrReader(Reader):
    """The arrays of a store, with one axis or flat; parts are runs of chunks along the first axis."""

    by_column = True

    def __init__(
        self, path: str, names: Sequence[tuple[str, str]], schema: Any, parts: list[Part], options: Any
    ) -> None:
        self.path, self.members, self.schema, self.parts, self.options = path, dict(names), schema, parts, options

    def read(self, part: Part, columns: Sequence[str], where: Any) -> Iterable[Any]:
        """Some rows."""
        import pyarrow as pa

        found = {}
        for name in columns:
            values = _member(self.path, self.members[name], self.options)[part.number : part.end]
            found[name] = _arrow(np.ascontiguousarray(values).reshape(-1), self.schema.field(name).type)
        yield pa.table(found)


def _member(path: str, name: str, options: Any) -> Any:
    zarr = extras.module("zarr", "reading and writing Zarr")
    return zarr.open_array(path, path=name or None, mode="r", storage_options=options)


def _arrow(values: Any, kind: Any) -> Any:
    import pyarrow as pa

    return pa.array(values.astype(object) if values.dtype.kind in "OT" else values, type=kind)


def _arrow_type(array: Any, name: str) -> Any:
    import pyarrow as pa

    kind = np.dtype(array.dtype)
    if kind.kind in "OTU":
        return pa.large_string()
    if kind.kind not in "biufM":
        raise TypeError(f"array {name!r} holds {kind}, which no column does")
    return pa.from_numpy_dtype(kind.newbyteorder("="))


def _plan(path: str, wanted: Sequence[str] | None, options: Any) -> tuple[ZarrReader, tuple[int, ...] | None]:
    """The reader, and the shape of a store that is one array."""
    import pyarrow as pa

    zarr = extras.module("zarr", "reading and writing Zarr")
    with reading(path):
        found = zarr.open(path, mode="r", storage_options=options)
        alone = isinstance(found, zarr.Array)
        members = {"": found} if alone else {name: one for name, one in found.members() if isinstance(one, zarr.Array)}
    if not alone:  # in the order that `to_zarr` notes, else in that of their names
        told = [name for name in found.attrs.get("columns", []) if name in members]
        members = {name: members[name] for name in [*told, *sorted(set(members) - set(told))]}
    if wanted is not None:
        lost = [name for name in wanted if name not in members]
        if lost:
            raise KeyError(f"no array {lost[0]!r} in {path}; there are {', '.join(map(repr, members)) or 'none'}")
        members = {name: members[name] for name in wanted}
    if not alone and any(one.ndim != 1 for one in members.values()):
        several = next(name for name, one in members.items() if one.ndim != 1)
        raise ValueError(f"array {several!r} of {path} has {members[several].ndim} axes: read it alone, by its path")
    lengths = {one.shape[0] if one.ndim else 1 for one in members.values()}
    if len(lengths) > 1:
        raise ValueError(f"{path} has arrays of {min(lengths)} and {max(lengths)} rows, no table: name those you want")
    rows = lengths.pop() if lengths else 0
    schema = pa.schema([(name or "values", _arrow_type(one, name)) for name, one in members.items()])
    each = sum(np.dtype(one.dtype).itemsize * math.prod(one.shape[1:]) for one in members.values())
    with reading(path):
        check_room(rows, each)
    step = max((one.chunks[0] for one in members.values() if one.ndim), default=1) or 1
    step *= max(1, rows // (step * _MOST_PARTS))
    per_row = math.prod(found.shape[1:]) if alone else 1
    parts = [
        Part(
            path, begin, max(min(step, rows - begin) * each, 1), rows=min(step, rows - begin) * per_row,
            unit="row", end=min(begin + step, rows),
        )
        for begin in range(0, rows, max(step, 1))
    ]  # fmt: skip
    reader = ZarrReader(path, [(name or "values", name) for name in members], schema, parts, options)
    return reader, found.shape if alone else None


def zarr_values(
    path: PathLike, columns: Sequence[str] | None, storage_options: dict[str, Any] | None
) -> ndarray | dict[str, Any]:
    """The array of a Zarr store, or the columns of a group by their names."""
    where = os.fspath(path)
    reader, shape = once(_plan, where, columns, storage_options)
    made = read_columns(reader)
    if shape is None:
        return made
    if not shape:
        array = _member(where, "", storage_options)
        return asarray(array[()])
    return made["values"] if len(shape) == 1 else made["values"].reshape(shape)


def to_zarr(path: PathLike, data: Any, *, chunks: int | None = None, **options: object) -> None:
    """Writes an array, or a mapping or frame of columns as a group, to a Zarr store, a directory.

    It appears whole or not at all. Each PE writes its own rows where chunks end where PEs' rows do.

    Parameters
    ----------
    path : str or path
        The directory.
    data : array, mapping or DataFrame
        What to write. Columns that miss values have no form in Zarr: fill them first.
    chunks : int, optional
        Rows of a chunk.
    options
        Others of `zarr.create_array`: ``compressors`` and so on.

    Examples
    --------
    >>> import atoll as ak
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.zarr"
    >>> ak.to_zarr(path, ak.DataFrame({"a": [1, 2], "t": ["x", "y"]}))
    >>> ak.read_zarr(path)
       a  t
    0  1  x
    1  2  y
    """
    extras.module("zarr", "reading and writing Zarr")
    where, _ = target_here(os.fspath(path), expands=False)
    if hasattr(data, "_columns"):
        data = data._named()
    if isinstance(data, Mapping):
        for name in data:
            if isinstance(name, str):
                check_step(name, "column name")
        if "zarr.json" in data:
            raise ValueError("column name 'zarr.json' is that of a store's own file. Rename the column?")
        columns = {name: _writable(name, one) for name, one in checked(data).items()}
    else:
        columns = {"": _writable("", data)}
    with replacing(where, directory_beside) as aside:
        plans = {name: _planned(one, chunks) for name, one in columns.items()}
        once(_create, aside, {name: plan[:3] for name, plan in plans.items()}, options)
        for name, one in columns.items():
            _write(aside, name, one, *plans[name][2:])


def _writable(name: str, column: Any) -> Any:
    column = column if isinstance(column, (Array, Column)) else asarray(column)
    if isinstance(column, Column) and column.valid is not None and not bool(column.valid.all()):
        raise TypeError(f"column {name!r} misses values, for which Zarr has no form; fill them first")
    if isinstance(column, (Array, Strings, Ticks)):
        return column
    if type(column) is Column:
        return column.values
    raise TypeError(f"column {name!r} of {column.kind} has no form in Zarr; convert it with astype")


def _planned(column: Any, chunks: int | None) -> tuple[tuple[int, ...], str, int, list[int]]:
    """Shape, type, rows of a chunk, and the rows of each PE; none of these when one PE writes all."""
    shape = column.shape if isinstance(column, Array) else (len(column),)
    kind = "str" if isinstance(column, Strings) else np.dtype(column.dtype).str
    rows = shape[0] if shape else 1
    if isinstance(column, Strings) or not shape:
        return shape, kind, chunks or max(rows, 1), []
    row_bytes = max(np.dtype(column.dtype).itemsize * int(np.prod(shape[1:])), 1)
    most = max(_CHUNK // row_bytes, 1)
    own = everywhere(_count, inputs=[_handle(column)])
    full = [count for count in own if count]
    block = full[0] if full else 1
    if chunks is None:
        chunks = next(
            (block // parts for parts in range(1, 4096) if block % parts == 0 and block // parts <= most), most
        )
    alike = all(count % chunks == 0 for count in full[:-1])
    return shape, kind, chunks, own if alike else []


def _handle(column: Any) -> Any:
    return expr_of(column._values if isinstance(column, Column) else column)


def _count(here: Any) -> int:
    return len(here.rows()[0])


def _create(aside: str, members: Mapping[str, tuple[tuple[int, ...], str, int]], options: Mapping[str, Any]) -> None:
    zarr = extras.module("zarr", "reading and writing Zarr")
    if list(members) != [""]:
        zarr.create_group(aside, attributes={"columns": list(members)})
    for name, (shape, kind, rows) in members.items():
        chunks = (rows, *(max(length, 1) for length in shape[1:])) if shape else ()
        dtype = str if kind == "str" else np.dtype(kind)
        zarr.create_array(aside, name=name or None, shape=shape, chunks=chunks, dtype=dtype, **options)


def _write(aside: str, name: str, column: object, rows: int, own: Sequence[int]) -> None:
    """Each PE its rows, or one PE all of them, some chunks at a time."""
    if own:
        kind = str(column.dtype) if isinstance(column, Ticks) else ""
        everywhere(_write_own, aside, name, kind, list(accumulate(own, initial=0)), inputs=[_handle(column)])
        return
    parts = _texts(column, rows) if isinstance(column, Strings) else pieces(_plain(column))
    failure: BaseException | None = None
    if writes():
        try:
            with _all_written():
                _write_parts(_opened(aside, name), parts, rows, column)
        except BaseException as error:
            failure = error
    agree(failure, iter(parts))


def _write_parts(array: Any, parts: Iterable[Any], rows: int, column: object) -> None:
    begin = 0
    held: list[Any] = []
    for part in parts:
        if not array.shape:
            array[()] = part
            break
        held.append(part)
        together = np.concatenate(held)
        whole = len(together) // rows * rows  # a chunk that is begun waits for the rest of it
        array[begin : begin + whole] = _ticks(together[:whole], column)
        begin, held = begin + whole, [together[whole:]]
    if array.shape and held and len(held[0]):
        array[begin:] = _ticks(held[0], column)


def _plain(column: object) -> Any:
    return wrap(expr_of(column._values)) if isinstance(column, Column) else column


def _ticks(values: Any, column: Any) -> Any:
    return values.view(column.dtype) if isinstance(column, Ticks) else values


def _texts(column: Strings, rows: int) -> Iterable[Any]:
    step = max(rows, 1)
    for begin in range(0, max(len(column), 1), step):
        yield np.array(column[begin : begin + step].to_list(), dtype=np.dtypes.StringDType())


@contextlib.contextmanager
def _all_written() -> Iterator[None]:
    """Ends when Zarr's threads have: after one chunk has failed, they go on with others."""
    try:
        yield
    except BaseException:
        from zarr.core.sync import sync

        async def others() -> None:
            await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}), return_exceptions=True)

        sync(others())
        raise


def _opened(aside: str, name: str) -> Any:
    zarr = extras.module("zarr", "reading and writing Zarr")
    return zarr.open_array(aside, path=name or None, mode="r+")


def _write_own(here: Any, aside: str, name: str, kind: str, begins: Sequence[int]) -> None:
    """On a PE: its rows, which end where chunks do."""
    (values,) = here.rows()
    if not len(values):
        return
    array = _opened(aside, name)
    values = values.view(kind) if kind else values
    step = max(array.chunks[0], _PIECE // max(values[:1].nbytes, 1) // array.chunks[0] * array.chunks[0])
    with _all_written():
        for at in range(0, len(values), step):
            begin = begins[here.pe] + at
            array[begin : begin + len(values[at : at + step])] = values[at : at + step]
