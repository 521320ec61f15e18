# SPDX-License-Identifier: Apache-2.0
"""Frames and Series one behind another, or side by side."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from ...arrays.creation import full
from ...arrays.joining import concatenate
from ...arrays.ndarray import ndarray
from ...columns.categorical.categorical import Categorical
from ..classes import CLASSES, frame, is_frame, is_series, series
from ..core import as_axis
from ..data.column_labels import Labels
from ..data.lazy import Columns
from ..data.values import broadcast, is_scalar, join_rows, make
from ..index.base import make_index, range_index
from ..index.sets import in_one_zone, with_labels
from .align import align_rows, columns_for, placed, union_of


def concat(
    objs: Any, *, axis: int | str | None = 0, join: str = "outer", ignore_index: bool = False, keys: Any = None,
    levels: Any = None,
    names: object = None, verify_integrity: bool = False, sort: bool = False, copy: bool | None = None,
    union_categories: bool = False,
) -> Any:  # fmt: skip
    """Frames and Series one behind another, or with ``axis=1`` side by side by their labels.

    Parameters
    ----------
    objs : sequence or mapping
        What is to be joined; None among them is left out. A mapping gives `keys`.
    axis : {0, 1}
        Rows or columns.
    join : {"outer", "inner"}
        Labels of the other axis: those of any, or those of all.
    ignore_index : bool
        Numbers instead of the labels along `axis`.
    keys, names : sequence
        One more level of labels, which says where each row or column is from, and the levels' names.
    verify_integrity : bool
        ValueError when labels repeat.
    sort : bool
        Labels of the other axis in order.
    union_categories : bool
        Columns of different categories get all of them; else they become columns of their values.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.concat([ak.Series([1, 2]), ak.Series([3])], ignore_index=True).to_list()
    [1, 2, 3]
    """
    if is_frame(objs) or is_series(objs) or is_scalar(objs):
        raise TypeError(
            "first argument must be an iterable of pandas objects, you passed an object of type "
            f'"{type(objs).__name__}"'
        )
    if join not in ("inner", "outer"):
        raise ValueError("Only can inner (intersect) or outer (union) join the other axis")
    if isinstance(objs, Mapping):
        keys = list(objs) if keys is None else keys
        objs = [objs[key] for key in keys]
    pairs = list(zip(objs, keys, strict=True)) if keys is not None else [(one, None) for one in objs]
    pairs = [pair for pair in pairs if pair[0] is not None]
    if not pairs:
        raise ValueError("No objects to concatenate")
    parts = [one for one, _ in pairs]
    for one in parts:
        if not (is_frame(one) or is_series(one)):
            raise TypeError(
                f"cannot concatenate object of type '{type(one)}'; only Series and DataFrame objs are valid"
            )
    labels = None if keys is None else [key for _, key in pairs]
    if as_axis(axis) == 1:
        return _side_by_side(parts, join, ignore_index, labels, names, sort)
    made = _stacked(parts, join, sort, union_categories)
    if ignore_index:
        return made._with_index(range_index(len(made)))
    index = _joined_index(parts, labels, names)
    if verify_integrity and not index.is_unique:
        raise ValueError("Indexes have overlapping values")
    return made._with_index(index)


def _joined_index(parts: list[Any], keys: Any, names: Any) -> Any:
    index = parts[0]._index
    if len(parts) > 1:
        index = index.append([part._index for part in parts[1:]])
    if keys is None:
        return index
    rows = concatenate([full(len(part), place) for place, part in enumerate(parts)])
    outer = make_index(list(keys))
    columns = [*outer._take(rows)._labels_of_index, *index._labels_of_index]
    own = list(names) if names is not None else []
    titles = own + [None] * (outer.nlevels - len(own)) if len(own) <= outer.nlevels else own
    titles = titles if len(titles) == len(columns) else [*titles, *index.names]
    return CLASSES["MultiIndex"]._of(columns, titles)


def _joined(parts: list[Any], union: bool, lacking: Collection[int] = ()) -> Any:
    """Values one behind another; of categories those that all have, or with `union` all of any. Parts that lack the
    column, of which nothing is known, have no say in it."""
    held = [part for place, part in enumerate(parts) if place not in lacking]
    if not any(isinstance(part, Categorical) for part in held):
        return join_rows(parts)
    if not union and not all(_alike(held[0], part) for part in held[1:]):
        return join_rows([part.decode() if isinstance(part, Categorical) else part for part in parts])
    if lacking and all(isinstance(part, Categorical) for part in held):
        parts = [held[0]._all_missing(part.size) if place in lacking else part for place, part in enumerate(parts)]
    if not union:  # the first ones' order holds
        parts = [part.set_categories(held[0].categories) for part in parts]
    return join_rows(parts)


def _alike(one: object, other: object) -> bool:
    """Whether both are of the same categories; in the same order where it means something."""
    if not (isinstance(one, Categorical) and isinstance(other, Categorical)) or one.ordered != other.ordered:
        return False
    a, b = make_index(one.categories), make_index(other.categories)
    if a.size != b.size or a.dtype != b.dtype:
        return False
    return bool(a.equals(b)) or (not one.ordered and bool(np.asarray(a.isin(b)).all()))


def _stacked(parts: list[Any], join: str, sort: bool, union: bool) -> Any:
    size = range_index(sum(map(len, parts)))
    if all(is_series(part) for part in parts):
        names = {part._name for part in parts}
        values = _joined([part._values for part in parts], union)
        return series(values, size, names.pop() if len(names) == 1 else None)
    frames = [part if is_frame(part) else part.to_frame() for part in parts]
    held = list(dict.fromkeys(label for part in frames for label in part._labels.values))
    if join == "inner":
        held = [label for label in held if all(label in part._labels.places for part in frames)]
    if sort:
        held = sorted(held)
    first = frames[0]._labels
    if all(part._labels.values == held for part in frames):
        columns = [list(part._columns) for part in frames]
        labels = first
    else:
        labels = Labels(held, first.names)
        columns = [list(Columns(columns_for(part, labels))) for part in frames]
    return frame(
        [
            _joined(list(column), union, {at for at, part in enumerate(frames) if label not in part._labels.places})
            for label, column in zip(labels.values, zip(*columns, strict=True), strict=True)
        ],
        labels,
        size,
    )


def _side_by_side(parts: list[Any], join: str, ignore_index: bool, keys: Any, names: Any, sort: bool) -> Any:
    frames, titles = [], []
    unnamed = 0
    for place, part in enumerate(parts):
        if is_series(part):
            label = part._name
            if label is None:
                label, unnamed = unnamed, unnamed + 1
            if keys is not None and all(is_series(one) for one in parts):
                label = keys[place]
            part = part.to_frame()._new([part._values], Labels([label]))
        frames.append(part)
        titles.append(None if keys is None else keys[place])
    indexes = in_one_zone(*(one._index for one in frames))
    frames = [part if part._index is one else part._with_index(one) for part, one in zip(frames, indexes, strict=True)]
    index = indexes[0]
    moments = all(hasattr(one, "tz") for one in indexes)  # these pandas has in order
    for part in frames[1:]:
        if not index._same(part._index):
            index = align_rows(index, part._index, "inner").index if join == "inner" else None
            if index is None:
                index = union_of(list(indexes), sort=None if sort or moments else False)
                break
    columns: list[Any] = []
    labels: list[Any] = []
    for part, title in zip(frames, titles, strict=True):
        rows = None if part._index._same(index) else part._index._indexer(index)
        columns.extend(placed(column, rows) for column in part._columns)
        nested = keys is not None and not all(is_series(one) for one in parts)
        labels.extend(
            (title, *(one if isinstance(one, tuple) else (one,))) if nested else one for one in part._labels.values
        )
    if ignore_index:
        return frame(columns, Labels(range(len(columns))), index)
    if labels and keys is not None and isinstance(labels[0], tuple):
        depth = len(labels[0])
        own = list(names) if names is not None else [None]
        rest = frames[0]._labels.names
        return frame(columns, Labels(labels, [*own, *rest][:depth] + [None] * (depth - len(own) - len(rest))), index)
    return frame(columns, Labels(labels, frames[0]._labels.names if keys is None else (names or [None])), index)


def _one_more(column: Any, value: Any) -> Any:
    """A value for the end of a column, in the column's dtype where that holds it."""
    made = make([value])
    numbers = isinstance(made, ndarray) and isinstance(column, ndarray) and made.dtype != column.dtype
    if not numbers or "".join(sorted({made.dtype.kind, column.dtype.kind})) not in ("i", "u", "iu", "f"):
        return made
    small = made.astype(column.dtype)
    return small if bool(((small == made) | (made != made)).all()) else made


def with_row(of: Any, label: str, column_key: Any, value: Any) -> Any:
    """The rows and one more, with a label that was not there."""
    levels = label if isinstance(label, tuple) and of._index.nlevels > 1 else (label,)
    if len(of) == 0 and of._index.nlevels == 1:
        index = make_index([label])._renamed(of._index.name)
    else:
        pairs = zip(of._index._labels_of_index, levels, strict=True)
        index = with_labels(of._index, [join_rows([one, make([part])]) for one, part in pairs])
    if of.ndim == 1:
        values = join_rows([of._values, _one_more(of._values, value)]) if len(of) else make([value])
        return series(values, index, of._name)
    if isinstance(column_key, slice) or column_key is None:
        wanted = of._labels.values
    else:
        wanted = [column_key] if is_scalar(column_key) else list(column_key)
    if is_series(value):
        value = value.to_dict()
    if isinstance(value, dict):
        given = value
    elif is_scalar(value):
        given = dict.fromkeys(wanted, value)
    else:
        if len(value) != len(wanted):
            raise ValueError("cannot set a row with mismatched columns")
        given = dict(zip(wanted, value, strict=True))
    columns = []
    for name, column in zip(of._labels.values, of._columns, strict=True):
        one = _one_more(column, given.get(name, np.nan))
        columns.append(join_rows([column, one]) if column.size else one)
    fresh = [name for name in given if name not in of._labels.places]
    for name in fresh:
        columns.append(join_rows([broadcast(np.nan, len(of)), make([given[name]])]))
    return frame(columns, Labels([*of._labels.values, *fresh], of._labels.names), index)
