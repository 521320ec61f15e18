# SPDX-License-Identifier: Apache-2.0
"""Functions of arrays that reduce, scan, compare and compute, of columns: of the values that are not missing."""

from __future__ import annotations

import builtins
import inspect
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays import composed, quantiles, reductions, repeating, sorting, statistics
from ...arrays.array import Columnar, column_operations
from ...arrays.creation import array, full
from ...arrays.manipulation import _axis
from ..column import Column, as_column
from ..datetime.ticks import Ticks
from ..window.cumulative import cummax, cummin, cumsum
from .functions import _also, _is_column, concatenate, where
from .rearrange import _beside

if TYPE_CHECKING:
    from ...annotations import ArrayLike, Axis, Out

__all__ = [
    "all", "amax", "amin", "any", "argmax", "argmin", "array_equal", "clip", "diff", "ediff1d", "max", "mean",
    "median", "min",
    "nanmax", "nanmean", "nanmedian", "nanmin", "nansum", "percentile", "ptp", "quantile", "sum",
]  # fmt: skip


def _reducing(of_arrays: Any, method: str) -> Any:
    """The function of arrays; of a column its method. Other parameters than the axis are for arrays."""
    signature = inspect.signature(of_arrays)
    name, *others = signature.parameters

    def of_columns(*args: object, **kwargs: object) -> Any:
        bound = signature.bind(*args, **kwargs)
        for one in others:
            given, default = bound.arguments.get(one), signature.parameters[one].default
            if one == "axis":
                _axis(0 if given is None else given, 1)
            elif one in bound.arguments and given is not default:
                raise TypeError(
                    f"{of_arrays.__name__} of a column takes no {one} (it has one axis). Reduce its values?"
                )
        column = as_column(bound.arguments[name])
        figure = getattr(column, method, None)
        if method in _own and isinstance(column, Ticks):
            return _own[method](column)
        if figure is None:
            raise TypeError(f"a column of {column.kind} has no {method}")
        return figure()

    return _also(of_arrays)(of_columns)


def _extreme_row(column: Any, name: str) -> np.int64:
    rows = np.flatnonzero(column.notna().to_numpy()) if column.valid is not None else None
    place = getattr(column._there(), name)()
    return np.int64(place if rows is None else rows[int(place)])


def _mean(column: Any) -> Any:
    """The mean; of timedeltas rounded towards zero, as in NumPy."""
    if column._letter != "m" or not column.count():
        return column.mean()
    total, count = int(column.sum().astype(np.int64)), column.count()
    return column._scalar(abs(total) // count * (1 if total >= 0 else -1))


def _median(column: object) -> Any:
    return _fraction(column, 0.5, "midpoint")


def _truths(column: Any) -> Any:
    """Which values are true: a datetime or timedelta that is not 0 of its unit, and NaT, as in NumPy."""
    there = column._values != 0
    return there if column.valid is None else there | ~column.valid


_own: dict[str, Any] = {
    "any": lambda column: _truths(column).any(),
    "all": lambda column: _truths(column).all(),
    "argmin": lambda column: _extreme_row(column, "argmin"),
    "argmax": lambda column: _extreme_row(column, "argmax"),
    "ptp": lambda column: column.max() - column.min(),
    "mean": _mean,
    "median": _median,
}

any, all = _reducing(reductions.any, "any"), _reducing(reductions.all, "all")
min = amin = _reducing(reductions.min, "min")
max = amax = _reducing(reductions.max, "max")
nanmin, nanmax = _reducing(reductions.nanmin, "min"), _reducing(reductions.nanmax, "max")
argmin, argmax = _reducing(reductions.argmin, "argmin"), _reducing(reductions.argmax, "argmax")
sum, nansum = _reducing(reductions.sum, "sum"), _reducing(reductions.nansum, "sum")
mean, nanmean = _reducing(statistics.mean, "mean"), _reducing(statistics.nanmean, "mean")
median, nanmedian = _reducing(quantiles.median, "median"), _reducing(quantiles.nanmedian, "median")
ptp = _reducing(statistics.ptp, "ptp")


def _fraction(column: Any, q: Any, method: str) -> Any:
    """Quantiles of datetimes and timedeltas, rounded as NumPy's: towards the nearer of the two neighbours."""
    if not isinstance(column, Ticks):
        raise TypeError(f"a column of {column.kind} has no quantiles here: take its values")
    there = sorting.sort(column._there())
    if not there.size:
        return None
    wanted = np.asarray(q.to_numpy() if hasattr(q, "to_numpy") else q, np.float64)
    low, high, weight = quantiles._positions(np.array([[there.size]]), wanted.reshape(-1, 1), method)
    first, second = (there[place.reshape(-1)].to_numpy().view(column.dtype) for place in (low, high))
    found = first if method in quantiles._ONE_ELEMENT else quantiles._lerp(first, second, weight.reshape(-1))
    return found[0] if not wanted.ndim else array(found)


def _fractions(of_arrays: Any, whole: float) -> Any:
    def of_columns(a: Any, q: Any, axis: Axis = None, *, method: str = "linear") -> Any:
        _axis(0 if axis is None else axis, 1)
        of_arrays([0.0], q)  # checks it
        share = q.to_numpy() if hasattr(q, "to_numpy") else q
        return _fraction(as_column(a), np.true_divide(share, whole), method)

    return _also(of_arrays)(of_columns)


quantile, percentile = _fractions(quantiles.quantile, 1.0), _fractions(quantiles.percentile, 100.0)


# -- neighbours --


@_also(repeating.diff)
def diff(a: ArrayLike, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    column: Any = as_column(a)
    _axis(axis, 1)
    parts = [_beside(column, one) for one in (prepend,) if one is not None] + [column]
    parts += [_beside(column, one) for one in (append,) if one is not None]
    column = concatenate(parts) if len(parts) > 1 else column
    for _ in range(n):
        column = column[1:] - column[:-1]
    return column


@_also(repeating.ediff1d)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    differences: Any = diff(ary)
    parts: list[Any] = [] if to_begin is None else [_beside(differences, to_begin)]
    parts.append(differences)
    if to_end is not None:
        parts.append(_beside(differences, to_end))
    return concatenate(parts) if len(parts) > 1 else differences


# -- row by row --


@_also(composed.clip)
def clip(
    a: ArrayLike, min: Any = None, max: Any = None, out: Out = None, *, a_min: Any = None, a_max: Any = None
) -> Any:
    if out is not None:
        raise TypeError("out= is for arrays (columns do not change in place). Take the result?")
    column: Any = as_column(a)
    low, high = (one if other is None else other for one, other in ((min, a_min), (max, a_max)))
    if low is not None:
        column = where(column < low, low, column)
    return column if high is None else where(column > high, high, column)


@_also(composed.array_equal)
def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    first, second = as_column(a1), as_column(a2)
    if first.size != second.size:
        return False
    same = as_column(first == second).fillna(False)
    return bool((same | (first.isna() & second.isna()) if equal_nan else same).all())


def _nearer(chooses: Any, ignores_missing: bool) -> Any:
    """maximum, fmin and so on of two, of which one at least is a column."""

    def operation(x: Any, y: Any) -> Any:
        column: Any = x if isinstance(x, Column) else as_column(y)
        x, y = (one if isinstance(one, Column) or np.ndim(one) == 0 else as_column(one) for one in (x, y))
        first = chooses(x, y) if isinstance(x, Column) else chooses(y, x)
        mine, other = (x, y) if isinstance(x, Column) else (y, x)
        found = where(as_column(first).fillna(False), mine, other)
        missing = [one.isna() for one in (x, y) if isinstance(one, Column) and one.valid is not None]
        if not missing:
            return found
        if ignores_missing:
            return where(mine.isna(), other, where(other.isna(), mine, found)) if isinstance(other, Column) else where(
                mine.isna(), other, found)  # fmt: skip
        lost = missing[0] if len(missing) == 1 else missing[0] | missing[1]
        return as_column(found)._hiding(lost) if column.size else found

    return operation


def _sign(x: Any) -> Any:
    return x._like(x._values // abs(x._values).clip(1, None), x.valid)


_OPERATIONS: dict[str, Any] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "true_divide": operator.truediv, "floor_divide": operator.floordiv, "remainder": operator.mod, "equal": operator.eq,
    "not_equal": operator.ne, "less": operator.lt, "less_equal": operator.le, "greater": operator.gt,
    "greater_equal": operator.ge, "maximum": _nearer(operator.ge, False), "minimum": _nearer(operator.le, False),
    "fmax": _nearer(operator.ge, True), "fmin": _nearer(operator.le, True), "absolute": operator.abs,
    "negative": operator.neg, "positive": operator.pos, "sign": _sign,
    "add.reduce": sum, "maximum.reduce": max, "minimum.reduce": min,
    "add.accumulate": cumsum, "maximum.accumulate": cummax, "minimum.accumulate": cummin,
    "isnan": lambda x: x.isna(), "isfinite": lambda x: x.notna(), "isinf": lambda x: full(x.size, False),
}  # fmt: skip
_OF_TIME = frozenset(("sign", "isnan", "isfinite", "isinf"))


def _elementwise(name: str, operands: tuple[Any, ...]) -> Any:
    """The implementation for columns; NotImplemented when no operand is a column, or columns have none."""
    if name not in _OPERATIONS or not builtins.any(isinstance(one, Columnar) or _is_column(one) for one in operands):
        return NotImplemented
    given = [as_column(one) if _is_column(one) else one for one in operands]
    if name in _OF_TIME and not isinstance(given[0], Ticks):
        return NotImplemented
    return _OPERATIONS[name](*given)


column_operations.append(_elementwise)
