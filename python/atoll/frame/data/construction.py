# SPDX-License-Identifier: Apache-2.0
"""Making Series and frames of dicts, records, arrays, pandas and Arrow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.ndarray import ndarray
from ...columns.column import Column
from ...columns.objects import Objects
from ...extras import pandas_if_loaded
from ..classes import frame, is_frame, is_series, series
from ..combine.align import missing_column, union_of
from ..index.base import IndexCore, make_index, range_index
from .column_labels import Labels, labels_of
from .dtypes import cast
from .lazy import as_they_are
from .values import as_given, broadcast, is_scalar, make

if TYPE_CHECKING:
    from ...annotations import DTypeLike


def series_parts(data: Any, index: Any, dtype: DTypeLike, name: str | None) -> tuple[Any, Any, Any]:
    """Values, index and name of a Series that is to be made."""
    index = None if index is None else make_index(index)
    data = _computed(data)
    if is_frame(data):
        raise TypeError("a Series is one column; choose one of the frame's, frame[label]")
    if is_series(data):
        name = data._name if name is None else name
        made = data if index is None else data.reindex(index)
        return made._values if dtype is None else cast(made._values, dtype), made._index, name
    pandas = pandas_if_loaded()
    if pandas is not None and isinstance(data, pandas.Series):
        name = data.name if name is None else name
        own = make_index(data.index)
        if index is None:
            return make(data, dtype), own, name
        return series_parts(series(make(data), own, name), index, dtype, name)
    if isinstance(data, Mapping):
        if index is None:
            keys = list(data)
            index = make_index(keys) if keys else range_index(0)
            return make(list(data.values()), dtype), index, name
        return make([data.get(label, np.nan) for label in index.to_list()], dtype), index, name
    if data is None:
        size = 0 if index is None else index.size
        values = Objects([]) if dtype is None and not size else missing_column(size)
        values = values if dtype is None else cast(values, dtype)
        return values, range_index(0) if index is None else index, name
    if is_scalar(data):
        index = range_index(1) if index is None else index
        return broadcast(data, index.size, dtype), index, name
    if isinstance(data, IndexCore) and name is None:
        name = data.names[0]
    values = make(data, dtype)
    if index is None:
        index = range_index(values.size)
    elif index.size != values.size:
        raise ValueError(f"Length of values ({values.size}) does not match length of index ({index.size})")
    return values, index, name


def _computed(data: Any) -> Any:
    """The rows of a frame or Series of Dask, which has only a plan of them; other data as they are."""
    return data.compute() if hasattr(data, "__dask_graph__") else data


def frame_parts(data: object, index: object, columns: object, dtype: DTypeLike) -> tuple[list[Any], Labels, Any]:
    """Columns, labels and index of a frame that is to be made."""
    held, labels, own = _parts(data, index, columns)
    if dtype is None:
        return held, labels, own
    as_dtype = cast if is_frame(data) else as_given
    return [as_dtype(one, dtype) for one in held], labels, own


def _parts(data: Any, index: Any, columns: Any) -> tuple[list[Any], Labels, Any]:
    index = None if index is None else make_index(index)
    data = _computed(data)
    if data is None:
        data = {}
    if is_series(data):
        data = data.to_frame()
        if columns is not None and len(list(columns)) == 1 and data._labels.values[0] == 0:
            data = data._new(as_they_are(data._columns), labels_of(columns))
    if not is_frame(data):
        pandas = pandas_if_loaded()
        if pandas is not None and isinstance(data, pandas.DataFrame):
            data = frame(
                [make(data.iloc[:, place]) for place in range(data.shape[1])],
                labels_of(data.columns),
                make_index(data.index),
            )
        elif hasattr(data, "__arrow_c_stream__") and not isinstance(data, (list, dict)):
            data = frame(*_from_arrow(data))
        elif hasattr(data, "__dataframe__") and not isinstance(data, Mapping):
            from pyarrow.interchange import from_dataframe

            data = frame(*_from_arrow(from_dataframe(data)))
    if is_frame(data):
        if index is not None or columns is not None:
            data = data.reindex(index=index, columns=columns)
        return as_they_are(data._columns), data._labels, data._index
    if isinstance(data, Mapping):
        return _from_dict(dict(data), index, columns)
    if isinstance(data, np.ndarray) and data.dtype.names:
        return _from_dict({name: data[name] for name in data.dtype.names}, index, columns)
    if isinstance(data, (np.ndarray, ndarray)):
        return _from_array(data, index, columns)
    if isinstance(data, (IndexCore, Column)):
        return _from_dict({0: data}, index, None) if columns is None else _named([data], index, columns)
    if not (hasattr(data, "__iter__") or hasattr(data, "__len__")) or isinstance(data, (str, bytes)):
        raise ValueError("DataFrame constructor not properly called!")
    return _from_rows(list(data), index, columns)


def _from_dict(data: dict[Any, Any], index: Any, columns: object) -> tuple[list[Any], Labels, Any]:
    names: list[Any] = [None]
    if columns is not None:
        wanted = labels_of(columns)
        names = wanted.names
        data = {label: data.get(label) for label in wanted.values}
    if index is None:
        index = _index_of(data)
    held = []
    for value in data.values():
        if value is None and columns is not None:
            held.append(Objects([np.nan] * index.size) if index.size == 0 else missing_column(index.size))
        elif is_series(value):
            held.append(value._values if value._index._same(index) else value.reindex(index)._values)
        elif isinstance(value, Mapping):
            found = [value.get(label, np.nan) for label in index.to_list()]
            held.append(make(found) if found else missing_column(0))
        elif is_scalar(value):
            held.append(broadcast(value, index.size))
        else:
            column = make(value)
            if column.size != index.size:
                raise ValueError(f"Length of values ({column.size}) does not match length of index ({index.size})")
            held.append(missing_column(0) if column.size == 0 and isinstance(value, (list, tuple)) else column)
    labels = list(data)
    if columns is None and labels and all(isinstance(one, tuple) for one in labels):
        return held, labels_of(labels), index
    return held, Labels(labels, names), index


def _index_of(data: dict[Any, Any]) -> Any:
    """The index of columns: that of Series among them, else the rows."""
    pandas = pandas_if_loaded()
    for label, value in data.items():
        if pandas is not None and isinstance(value, pandas.Series):
            data[label] = series(make(value), make_index(value.index), value.name)
    indexes = [value._index for value in data.values() if is_series(value)]
    if indexes:
        return union_of(indexes)
    keyed = [value for value in data.values() if isinstance(value, Mapping)]
    if keyed:
        return make_index(list(dict.fromkeys(label for value in keyed for label in value)))
    for label, value in data.items():  # what can be gone through but once
        if not is_scalar(value) and not hasattr(value, "__len__"):
            data[label] = list(value)
    sizes = {len(value) for value in data.values() if not is_scalar(value) and value is not None}
    if len(sizes) > 1:
        raise ValueError("All arrays must be of the same length")
    if not sizes and any(value is not None for value in data.values()):
        raise ValueError("If using all scalar values, you must pass an index")
    return range_index(sizes.pop() if sizes else 0)


def _from_array(data: Any, index: Any, columns: Any) -> tuple[list[Any], Labels, Any]:
    if data.ndim == 1:
        data = data.reshape(-1, 1)
    if data.ndim != 2:
        raise ValueError(f"Must pass 2-d input. shape={data.shape}")
    held = [make(data[:, place]) for place in range(data.shape[1])]
    return _named(held, index, columns, data.shape[0])


def _named(held: list[Any], index: Any, columns: object, size: int | None = None) -> tuple[list[Any], Labels, Any]:
    """Columns in the order of their labels."""
    held = [make(one) for one in held]
    size = size if size is not None else held[0].size if held else 0
    labels = Labels(range(len(held))) if columns is None else labels_of(columns)
    index = range_index(size) if index is None else index
    if len(labels) != len(held) or index.size != size:
        raise ValueError(f"Shape of passed values is {(size, len(held))}, indices imply {(index.size, len(labels))}")
    return held, labels, index


def _from_rows(rows: list[Any], index: Any, columns: object) -> tuple[list[Any], Labels, Any]:
    if rows and is_dataclass(rows[0]):
        rows = [{field.name: getattr(row, field.name) for field in fields(row)} for row in rows]
    if rows and is_series(rows[0]):
        if index is None:
            names = [row._name for row in rows]
            numbers = range_index(len(rows))
            index = numbers if all(name is None for name in names) else make_index(names)
        rows = [dict(zip(row._index.to_list(), row.to_list(), strict=True)) for row in rows]
    if rows and all(isinstance(row, Mapping) for row in rows):
        labels = list(dict.fromkeys(label for row in rows for label in row)) if columns is None else columns
        labels = labels_of(labels)
        held = [make([row.get(label, np.nan) for row in rows]) for label in labels.values]
        return held, labels, range_index(len(rows)) if index is None else index
    if rows and hasattr(rows[0], "_fields") and columns is None:
        columns = list(rows[0]._fields)
    if rows and isinstance(rows[0], (list, tuple, range, np.ndarray)):
        width = max(len(row) for row in rows)
        if columns is not None and len(labels_of(columns)) != width:
            raise ValueError(f"{len(labels_of(columns))} columns passed, passed data had {width} columns")
        filled = [[*row, *[None] * (width - len(row))] for row in rows]
        return _named([make([row[place] for row in filled]) for place in range(width)], index, columns, len(rows))
    if not rows:
        labels = Labels([]) if columns is None else labels_of(columns)
        size = 0 if index is None else index.size
        return [Objects([np.nan] * size) for _ in labels.values], labels, range_index(0) if index is None else index
    return _named([make(rows)], index, columns, len(rows))


def _from_arrow(data: object) -> tuple[list[Any], Labels, Any]:
    import pyarrow as pa

    table = data if isinstance(data, pa.Table) else pa.table(data)
    held = [make(column) for column in table.columns]
    return held, Labels(table.column_names), range_index(table.num_rows)
