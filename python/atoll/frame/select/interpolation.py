# SPDX-License-Identifier: Apache-2.0
"""Missing numbers from curves through the values that are there, by the positions of their labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ... import extras
from ...arrays.creation import asarray
from ...arrays.ndarray import ndarray
from ...arrays.selection import flatnonzero, where
from ...columns.column import Column
from ...columns.window import cumulative as running
from ..data.dtypes import cast
from ..data.values import choose, isna

if TYPE_CHECKING:
    from ...annotations import ArrayLike

#: Methods that need no more than a missing value's neighbours.
_LOCAL = ("nearest", "slinear", "zero")


def along(values: ArrayLike, by_rows: Any, index: Any) -> Any:
    """Interpolates linearly by the positions of the labels instead of the rows."""
    line = _between(values, index, "slinear")
    return choose(isna(values) & ~isna(by_rows) & ~isna(line), line, by_rows)


def on_curve(values: Any, by_rows: Any, index: Any, method: str, options: dict[str, Any]) -> Any:
    """Values of SciPy's curves in place of the missing values that `by_rows` fills.

    A curve through all values is computed by one process, which gathers these values; the others are computed in place.
    """
    order = options.pop("order", None)
    if method in ("spline", "polynomial") and order is None:
        raise ValueError("You must specify the order of the spline or polynomial")
    if options and method != "spline":
        raise NotImplementedError(f"options {sorted(options)} are SciPy's")
    gone = isna(values)
    wanted = gone & ~isna(by_rows)
    several = int((~gone).sum()) > 1  # SciPy refuses single points
    if several and method in _LOCAL and index.is_monotonic_increasing and index.is_unique:
        made = _between(values, index, method)
        return where(wanted, made, np.nan) if not isinstance(values, ndarray) else where(gone & ~wanted, np.nan, made)
    at, numbers = _positions(index), _numbers(values)
    there, rows = flatnonzero(~gone), flatnonzero(wanted)
    if not there.size or not rows.size:
        return numbers
    curve = _curve(at[there].to_numpy(), numbers[there].to_numpy(), at[rows].to_numpy(), method, order, options)
    made = numbers.copy()
    made[rows] = asarray(np.asarray(curve, np.float64))
    return made


def _numbers(values: Any) -> Any:
    """Floats, NaN where they are missing."""
    return cast(values, np.float64) if isinstance(values, ndarray) else asarray(Column.to_numpy(values))


def _positions(index: Any) -> Any:
    labels = index._values
    return cast(labels if isinstance(labels, ndarray) else labels._values, np.float64)


def _between(values: ArrayLike, index: Any, method: str) -> Any:
    """Values by a missing value's neighbours and the positions of their labels; missing behind the last value."""
    gone, numbers, at = isna(values), _numbers(values), _positions(index)
    known = where(gone, np.nan, at)
    first, last = (asarray(fill(known)) for fill in (running.ffill, running.bfill))
    before, after = (asarray(fill(numbers)) for fill in (running.ffill, running.bfill))
    if method == "zero":
        return where(isna(after), np.nan, before)
    if method == "nearest":
        return where(isna(after) | isna(before), np.nan, where(at - first <= last - at, before, after))
    return where(gone, before + (at - first) * (after - before) / (last - first), numbers)


def _curve(x: Any, y: Any, new: Any, method: str, order: Any, options: dict[str, Any]) -> Any:
    """SciPy's values at new positions, NaN where the curve has none."""
    fit = extras.module("scipy.interpolate", f"interpolation by method {method!r}")
    if method in (*_LOCAL, "quadratic", "cubic", "polynomial"):
        kind = order if method == "polynomial" else method
        return fit.interp1d(x, y, kind=kind, fill_value=np.nan, bounds_error=False)(new)
    if method == "spline":
        if order <= 0:
            raise ValueError(f"order needs to be specified and greater than 0; got order: {order}")
        return fit.UnivariateSpline(x, y, k=order, **options)(new)
    if method == "krogh":
        return fit.krogh_interpolate(x, y, new)
    if method == "barycentric":
        return fit.barycentric_interpolate(x, y, new)
    if method == "pchip":
        return fit.pchip_interpolate(x, y, new)
    if method == "akima":
        return fit.Akima1DInterpolator(x, y)(new)
    if method == "cubicspline":
        return fit.CubicSpline(x, y)(new)
    return fit.BPoly.from_derivatives(x, y.reshape(-1, 1), orders=order)(new)  # from_derivatives, piecewise_polynomial
