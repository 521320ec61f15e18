# SPDX-License-Identifier: Apache-2.0
"""Operations across the columns of each row: ``axis=1`` of `shift`, `diff`, cumulative and similar methods."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...arrays.creation import arange, full
from ...arrays.ndarray import ndarray
from ...arrays.repeating import tile
from ...arrays.ufuncs import maximum, minimum
from ...columns.column import Column, as_column
from ...columns.functions.ranks import rank_of
from ...columns.objects import Objects
from ...columns.window.cumulative import column_or_values
from ..arithmetic.operators import computed
from ..classes import series
from ..combine.align import missing_column
from ..data.values import broadcast, choose, isna, join_rows

_JOINED: dict[str, Callable[[Any, Any], Any]] = {
    "sum": operator.add, "prod": operator.mul, "min": minimum, "max": maximum,
}  # fmt: skip


def _in_one_kind(of: Any) -> list[Any]:
    """The columns, numbers in the one kind that holds them all, as those of a row are."""
    held = list(of._columns)
    if all(isinstance(one, ndarray) for one in held) and len({one.dtype.kind == "b" for one in held}) == 1:
        kind = np.result_type(*(one.dtype for one in held))
        return [one.astype(kind) for one in held]
    return held


def shifted(of: Any, periods: int, fill_value: Any = None) -> Any:
    """Each column's values some columns further."""
    held = list(of._columns)
    made = []
    for place in range(len(held)):
        source = place - periods
        if 0 <= source < len(held):
            made.append(held[source])
        else:
            made.append(missing_column(len(of)) if fill_value is None else broadcast(fill_value, len(of)))
    return of._new(made)


def changed(of: Any, periods: int) -> Any:
    """Each value less the one some columns before."""
    pairs = zip(of._columns, shifted(of, periods)._columns, strict=True)
    return of._new([computed(operator.sub, own, before) for own, before in pairs])


def grown(of: Any, periods: int) -> Any:
    """By which part each value has grown since some columns before."""
    pairs = zip(of._columns, shifted(of, periods)._columns, strict=True)
    return of._new([computed(operator.truediv, own, before) - 1 for own, before in pairs])


def cumulated(of: Any, kind: str, skipna: bool) -> Any:
    """Cumulative aggregates across columns."""
    join = _JOINED[kind]
    made: list[Any] = []
    so_far: Any = None
    for column in _in_one_kind(of):
        gone = isna(column)
        if so_far is None:
            so_far = column
        elif not skipna:
            so_far = join(so_far, column)
        else:
            lost = isna(so_far)
            together = join(so_far, column)
            so_far = choose(gone, so_far, choose(lost, column, together))
        made.append(choose(gone, np.nan, so_far) if skipna and bool(gone.any()) else so_far)
    return of._new(made)


def ranked(of: Any, method: str, na_option: str, ascending: bool, pct: bool) -> Any:
    """The place of each value among those of its row: of all columns together, in groups by row."""
    size, held = len(of), list(of._columns)
    if not held:
        return of
    if len({one.dtype.kind == "b" for one in held if isinstance(one, ndarray) or type(one) is Column}) == 2:
        held = [one.astype(np.int64) if one.dtype.kind == "b" else one for one in held]
    together = as_column(join_rows(held))
    if isinstance(together, Objects):
        try:
            sorted(together.dropna().to_list())
        except TypeError as error:
            raise TypeError(
                f"values of a row have to compare: choose columns, or numeric_only=True ({error})"
            ) from None
    rows = tile(arange(size), len(held))
    places = rank_of(column_or_values(together), rows, size, method, ascending, na_option, pct)
    return of._new([places[place * size : (place + 1) * size] for place in range(len(held))])


def filled_from(of: Any, step: int, limit: int | None = None) -> Any:
    """Missing values as those of the column before (step 1) or behind (step -1), as far as `limit`."""
    held = _in_one_kind(of)[::step]
    made: list[Any] = []
    for column in held:
        gone = isna(column)
        before = made[-1] if made and limit is None else None
        if limit is not None and made:
            before = _nearest(held[max(len(made) - limit, 0) : len(made)])
        made.append(column if before is None or not bool(gone.any()) else choose(gone, before, column))
    return of._new(made[::step])


def _nearest(columns: list[Any]) -> Any:
    found = columns[0]
    for one in columns[1:]:
        found = choose(isna(one), found, one)
    return found


def counted_distinct(of: Any, dropna: bool = True) -> Any:
    """How many distinct values each row has."""
    count: Any = full(len(of), 0, dtype=np.int64)
    missing: Any = full(len(of), False)
    held = list(of._columns)
    for place, column in enumerate(held):
        gone = isna(column)
        missing = missing | gone
        new: Any = ~gone
        for before in held[:place]:
            same = column == before
            new = new & ~(same.fillna(False) if isinstance(same, Column) else same)
        count = count + new.astype(np.int64)
    made = count if dropna else count + missing.astype(np.int64)
    return series(made if len(of) else made.astype(np.float64), of._index)  # nothing is a float, as in pandas
