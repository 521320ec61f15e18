# SPDX-License-Identifier: Apache-2.0
"""Functions of batches of rows: each PE calls them for its own rows, on one PE worker processes do."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ... import extras
from ...io.rows import inputs_of, table_of
from ...session import current
from ...session.everywhere import everywhere
from ...session.forked import Failure, in_workers, worker_count
from ...session.portable import packed, unpacked
from .repeatable import is_repeatable

FORMATS = ("arrow", "numpy", "pandas", "polars")
_MOST = 2048  # batches that workers are given at once


def mapped_batches(frame: Any, function: Callable[..., Any], form: str, rows: int | None, schema: object) -> Any:
    """An Arrow table of what a function makes of batches of a frame's rows, in order.

    Parameters
    ----------
    form : str
        What the function gets; one of FORMATS.
    rows : int, optional
        Rows of a batch; None: all rows of a PE, or of a worker process, at once.
    schema : mapping or pyarrow schema, optional
        Names and types of the results; their columns are cast to these.
    """
    pa = extras.module("pyarrow", "functions of batches")
    if form not in FORMATS:
        raise ValueError(f"format={form!r} (functions get {', '.join(FORMATS)}). Which of them?")
    if rows is not None and rows < 1:
        raise ValueError(f"batch_rows={rows} (a batch has rows). Pass 1 or more?")
    wanted = _schema(schema)
    named = {str(label): column for label, column in zip(frame._labels.values, frame._columns, strict=True)}
    found = inputs_of(named) if current().pes > 1 and len(frame) and named else None
    if found is None:
        parts = _beside(function, frame.to_arrow(), form, rows, wanted)
    else:
        arrays, kept = found
        answers = everywhere(_on_pe, packed(function), kept, form, rows, _sent(wanted), inputs=arrays)
        parts = [_received(one) for one in answers if one is not None]
    parts = [part for part in parts if part.num_rows] or parts[:1]
    return pa.concat_tables(parts, promote_options="permissive")


def _on_pe(here: Any, code: bytes, kept: Any, form: str, rows: int | None, schema: Any) -> bytes | None:
    """On a PE: the results for its rows; None where it has none, but on the first one, which tells the types."""
    table = table_of(here, kept)
    if not table.num_rows and here.pe:
        return None
    function, wanted = unpacked(code), None if schema is None else _received(schema).schema
    step = rows or max(table.num_rows, 1)
    made = [_table(function(_batch(part, form)), wanted) for part in _cut(table, step)]
    import pyarrow as pa

    return _sent(pa.concat_tables(made, promote_options="permissive"))


def _beside(function: Callable[..., Any], table: Any, form: str, rows: int | None, wanted: object) -> list[Any]:
    """The results for the rows of this process, by workers if there are several batches.

    Threads of a library do not exist in a forked process, and a library that waits for its threads would wait without
    an end. So workers call only functions whose code shows what it uses, and never with batches of Polars.
    """
    workers = worker_count() if form != "polars" and is_repeatable(function) else 1
    step = rows or max(-(-table.num_rows // workers), 1)
    parts = _cut(table, step)
    made: list[Any] = []
    for begin in range(0, len(parts), _MOST):
        some = parts[begin : begin + _MOST]
        if workers == 1 or len(parts) == 1:
            made += [_table(function(_batch(part, form)), wanted) for part in some]
            continue
        answer = partial(_answer, function, some, form, wanted)
        for one in in_workers(answer, len(some), workers):
            if isinstance(one, Failure):
                one.error.add_note(f"In a worker process:\n{one.traceback}")
                raise one.error
            made.append(_received(one))
    return made


def _answer(function: Callable[..., Any], parts: list[Any], form: str, wanted: object, at: int) -> bytes:
    found = _sent(_table(function(_batch(parts[at], form)), wanted))
    assert found is not None
    return found


def _cut(table: Any, step: int) -> list[Any]:
    return [table.slice(begin, step) for begin in range(0, max(table.num_rows, 1), step)]


def _batch(table: Any, form: str) -> Any:
    """Rows as a function gets them."""
    if form == "pandas":
        return table.to_pandas()
    if form == "numpy":
        return {name: table[name].to_numpy() for name in table.column_names}
    if form == "polars":
        return extras.module("polars", "batches of Polars").DataFrame(table)
    return table.combine_chunks()


def _table(made: Any, wanted: Any) -> Any:
    """The returned batch of a function as an Arrow table of the requested types."""
    import pyarrow as pa

    if isinstance(made, pa.RecordBatch):
        table = pa.Table.from_batches([made])
    elif isinstance(made, (pa.Table, dict)) or (hasattr(made, "__arrow_c_stream__") and not hasattr(made, "iloc")):
        table = made if isinstance(made, pa.Table) else pa.table(made)
    elif hasattr(made, "iloc") and getattr(made, "ndim", 0) == 2:
        plain = made.to_pandas() if type(made).__module__.startswith("atoll.") else made
        table = pa.Table.from_pandas(plain, preserve_index=False).replace_schema_metadata(None)
    else:
        raise TypeError(
            f"a function of batches returned {type(made).__name__} (rows are expected). Return a dict of columns, a "
            "pyarrow table, or a frame?"
        )
    if wanted is None:
        return table
    lacking = [name for name in wanted.names if name not in table.column_names]
    if lacking:
        raise ValueError(f"the result has no columns {lacking} of schema= (it has {table.column_names}). Add them?")
    return table.select(wanted.names).cast(wanted)


def _schema(schema: Any) -> Any:
    """Names and types as Arrow has them."""
    import numpy as np
    import pyarrow as pa

    if schema is None or isinstance(schema, pa.Schema):
        return schema
    fields = []
    for name, kind in dict(schema).items():
        if kind is str or kind in ("str", "string"):
            kind = pa.large_string()
        fields.append((name, kind if isinstance(kind, pa.DataType) else pa.from_numpy_dtype(np.dtype(kind))))
    return pa.schema(fields)


def _sent(table: Any) -> bytes | None:
    """A table, or a schema, as bytes of Arrow's stream format."""
    import pyarrow as pa

    if table is None:
        return None
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table if isinstance(table, pa.Schema) else table.schema) as writer:
        if not isinstance(table, pa.Schema):
            writer.write_table(table)
    found: bytes = sink.getvalue().to_pybytes()
    return found


def _received(data: bytes) -> Any:
    import pyarrow as pa

    return pa.ipc.open_stream(data).read_all()
