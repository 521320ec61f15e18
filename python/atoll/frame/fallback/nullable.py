# SPDX-License-Identifier: Apache-2.0
"""Aggregates of groups in the dtypes that pandas gives them when the values are nullable: Int64 and Float64."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.ndarray import ndarray
from ...columns.column import Column
from ...columns.foreign import Foreign
from ...columns.objects import Objects
from ..classes import frame, is_frame, is_series, series
from .limits import columns_of

if TYPE_CHECKING:
    from ...annotations import ArrayLike

#: Aggregates that keep whole numbers, and those that are floats.
_WHOLE = frozenset(("sum", "min", "max", "first", "last", "count", "prod"))
_FLOATS = frozenset(("mean", "std", "var", "median", "quantile", "sem"))


def as_nullable(groups: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], made: Any) -> Any:
    """The result of a method of groups, its aggregates of nullable columns in nullable dtypes."""
    func = args[0] if args else kwargs.get("func")
    how = func if name in ("agg", "aggregate") else name
    if is_series(made):
        if not isinstance(how, str) or groups._of.ndim == 2 or not _is_nullable(groups._of._values):
            return made
        return series(_converted(made._values, how), made._index, made._name)
    if not is_frame(made):
        return made
    held = list(made._columns)
    changed = False
    for place, label in enumerate(made._labels.values):
        source = _source(groups, label, how, kwargs)
        if source is not None and _is_nullable(source[0]):
            held[place], changed = _converted(held[place], source[1]), True
    return frame(held, made._labels, made._index) if changed else made


def _source(groups: Any, label: str, how: Any, kwargs: dict[str, Any]) -> tuple[Any, str] | None:
    """The column that a column of a result aggregates, and the aggregate's name."""
    of = groups._of
    if how is None:  # named aggregates
        pair = kwargs.get(label)
        if of.ndim == 1:
            return (of._values, pair) if isinstance(pair, str) else None
        if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(pair[1], str):
            return None
        label, how = pair
    elif isinstance(how, dict):
        how = how.get(label)
    elif isinstance(how, list):
        if of.ndim == 1:
            return (of._values, label) if isinstance(label, str) else None
        label, how = label if isinstance(label, tuple) and len(label) == 2 else (label, None)
    places = of._labels.places.get(label) if of.ndim == 2 else None
    return (of._columns[places[0]], how) if isinstance(how, str) and places and len(places) == 1 else None


def _is_nullable(column: object) -> bool:
    return type(column) is Column and column.dtype.kind in "iu"


def _converted(values: ArrayLike, how: str) -> Any:
    if how in _WHOLE:
        return _whole(values)
    return _floats(values) if how in _FLOATS else values


def _whole(values: Any) -> Any:
    return Column(values, None) if isinstance(values, ndarray) and values.dtype.kind in "iu" else values


def _floats(values: Any) -> Any:
    if not isinstance(values, ndarray) or values.dtype.kind != "f":
        return values
    import pandas as pd

    plain = values.to_numpy()
    return Foreign(pd.arrays.FloatingArray(plain, np.isnan(plain)))


def tests_as_nullable(made: Any, of: Any) -> Any:
    """Whether values are among others, which is of the nullable dtype where the values are."""

    def converted(test: Any, column: Any) -> Any:
        return Column(test, None) if type(column) is Column and isinstance(test, ndarray) else test

    if is_series(made):
        return series(converted(made._values, of._values), made._index, made._name)
    return frame(list(map(converted, made._columns, of._columns)), made._labels, made._index)


def bools_as_objects(made: Any, of: object) -> Any:
    """A result, its bools of which some are missing as objects, unless the values it is made of are nullable."""
    held = [made._values] if is_series(made) else list.copy(made._columns)
    places = [place for place, one in enumerate(held) if type(one) is Column and one.dtype.kind == "b"]
    if not places or not (is_series(of) or is_frame(of)) or any(type(one) is Column for one in columns_of(of)):
        return made
    for place in places:
        held[place] = Objects([np.nan if one is None else one for one in held[place].to_list()])
    return series(held[0], made._index, made._name) if is_series(made) else frame(held, made._labels, made._index)
