# SPDX-License-Identifier: Apache-2.0
"""Each PE's own rows of columns as Arrow's tables, and files that all PEs write together."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..arrays.array import Array, expr_of
from ..columns.categorical.categorical import Categorical
from ..columns.column import Column
from ..columns.datetime.ticks import Ticks
from ..columns.text.strings import Strings
from ..session.everywhere import everywhere
from ..storage.atomic import directory_beside
from ..storage.session_files import replacing


class Kept(NamedTuple):
    """How a column's rows are found again among the rows that a PE sees."""

    name: str
    text: bool
    has_valid: bool
    kind: Any = None  # Arrow's type, of ticks
    categories: Any = None  # an array of Arrow's


def inputs_of(columns: Mapping[str, Any]) -> tuple[list[Any], list[Kept]] | None:
    """The engine's handles of the columns and what they are; None when one is of a kind that has to be gathered."""
    import pyarrow as pa

    arrays, texts, kept = [], [], []
    for name, column in columns.items():
        valid = column.valid if isinstance(column, Column) else None
        kind = categories = None
        if isinstance(column, Strings):
            texts.append(column._values)
        elif isinstance(column, Ticks):
            kind = column[:0].to_arrow().type
            if kind.bit_width != 64 or pa.types.is_date64(kind):
                return None
            arrays.append(expr_of(column._values))
        elif isinstance(column, Categorical):
            categories = column._categories.to_arrow() if isinstance(column._categories, Column) else None
            categories = pa.array(column._categories.to_numpy()) if categories is None else categories
            arrays.append(expr_of(column._values))
        elif type(column) is Column or (isinstance(column, Array) and column.dtype.kind in "biuf" and column.ndim == 1):
            arrays.append(expr_of(column._values if isinstance(column, Column) else column))
        else:
            return None
        if valid is not None:
            arrays.append(expr_of(valid))
        kept.append(Kept(name, isinstance(column, Strings), valid is not None, kind, categories))
    return [*arrays, *texts], kept


def table_of(here: Any, kept: Sequence[Kept]) -> Any:
    """On a PE: its rows as a table, which lies where they do."""
    import pyarrow as pa

    views = iter(here.rows())
    found: dict[str, Any] = {}
    arrays: dict[str, tuple[Any, Any]] = {}
    for one in kept:
        arrays[one.name] = (None if one.text else next(views), next(views) if one.has_valid else None)
    for one in kept:
        values, valid = arrays[one.name]
        bits = None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))
        if one.text:
            offsets, text = next(views), next(views)
            buffers = [bits, pa.py_buffer(offsets), pa.py_buffer(text)]
            found[one.name] = pa.Array.from_buffers(pa.large_string(), len(offsets) - 1, buffers)
            continue
        array = pa.array(values)
        if one.kind is not None:
            array = array.view(one.kind)
        if bits is not None:
            plain = array.buffers()
            array = pa.Array.from_buffers(array.type, len(array), [bits, *plain[1:]], offset=array.offset)
        if one.categories is not None:
            array = pa.DictionaryArray.from_arrays(array, one.categories)
        found[one.name] = array
    return pa.table(found)


def together(path: str, write: Callable[..., Any], *args: object, inputs: Sequence[Any] = ()) -> None:
    """Every PE calls `write(here, aside, *args)` with a directory, which then takes the place of `path`."""
    with replacing(path, directory_beside) as aside:
        everywhere(write, aside, *args, inputs=inputs)


def write_all(handle: int, data: memoryview, at: int) -> None:
    """Writes all of it from there on."""
    while len(data):
        written = os.pwrite(handle, data[: 1 << 26], at)  # signals are handled in between
        data, at = data[written:], at + written
