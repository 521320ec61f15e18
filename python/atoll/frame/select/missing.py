# SPDX-License-Identifier: Apache-2.0
"""Missing values: where they are, leaving them out, filling them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.ndarray import ndarray
from ...arrays.selection import flatnonzero
from ...columns.datetime.datetimes import Datetimes
from ...columns.objects import Objects, is_missing
from ...columns.window import cumulative as running
from ..arithmetic.reductions import count
from ..classes import is_frame, is_series
from ..core import as_axis, column_or_level
from ..data.values import can_miss, choose, hasnans, is_scalar, isna, make, settle
from ..index.base import range_index
from ..window.across_columns import filled_from
from .interpolation import along, on_curve
from .placement import fitting

if TYPE_CHECKING:
    from ...annotations import ArrayLike


def filled(values: ArrayLike, value: Any, limit: int | None = None) -> Any:
    """Values with one where they are missing, of the first `limit`; or those of a column of as many rows."""
    if not can_miss(values):
        return values
    gone = isna(values)
    if limit is not None:
        if limit <= 0:
            raise ValueError("Limit must be greater than 0")
        return choose(gone & (gone.astype(np.int64).cumsum() <= limit), value, values)
    value = _as_floats(value, values)
    if not is_scalar(value):
        return choose(gone, value, values)
    if is_missing(value):
        return values
    if isinstance(values, Objects):
        return make([value if is_missing(one) else one for one in values.to_list()])
    if not isinstance(values, ndarray):
        value = fitting(value, values)
    return choose(gone, value, values)


def _as_floats(value: Any, values: Any) -> Any:
    """Numbers in the type of the floats that they go into, where that type holds them."""
    numbers = isinstance(value, ndarray) or (isinstance(value, np.number) and value.dtype.kind in "iuf")
    if not numbers or not isinstance(values, ndarray) or values.dtype.kind != "f" or value.dtype.kind not in "iuf":
        return value
    made = value.astype(values.dtype)
    same = (made == value) | (value != value)
    return made if bool(same.all()) else value


#: Methods that go by where labels lie.
_ALONG = ("index", "time", "values")
#: How pandas interpolates.
_METHODS = (
    "akima", "barycentric", "cubic", "cubicspline", "from_derivatives", "index", "krogh", "linear", "nearest", "pad",
    "pchip", "piecewise_polynomial", "polynomial", "quadratic", "slinear", "spline", "time", "values", "zero",
)  # fmt: skip


class Missing:
    """Missing values of Series and frames."""

    __slots__ = ()

    def isna(self: Any) -> Any:
        """Which values are missing.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.isna()
               a      b
        0  False  False
        1  False   True
        2  False  False
        """
        return self._each_column(isna)

    def notna(self: Any) -> Any:
        """Which values are there.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.notna()
              a      b
        0  True   True
        1  True  False
        2  True   True
        """
        return self._each_column(lambda values: ~isna(values))

    isnull, notnull = isna, notna

    def ffill(
        self: Any,
        *,
        axis: int | str | None = None,
        inplace: bool = False,
        limit: int | None = None,
        limit_area: Any = None,
    ) -> Any:
        """Missing values as the last one before them.

        Parameters
        ----------
        axis : {0 or 'index', 1 or 'columns'}, optional
            0: down the rows, a result for each column; 1: across the columns, a result for each row.
        inplace : bool, default False
            Whether this object changes, and None is returned.
        limit : int, optional
            How many neighbouring missing values are filled, at most.
        limit_area : {'inside', 'outside'}, optional
            Whether only gaps between values are filled, or only those before the first and behind the last one.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series([1.0, None, 3.0]).ffill().to_list()
        [1.0, 1.0, 3.0]
        """
        return self._or_itself(_carried(self, 1, axis, limit, limit_area), inplace)

    def bfill(
        self: Any,
        *,
        axis: int | str | None = None,
        inplace: bool = False,
        limit: int | None = None,
        limit_area: Any = None,
    ) -> Any:
        """Missing values as the next one behind them.

        Parameters
        ----------
        axis : {0 or 'index', 1 or 'columns'}, optional
            0: down the rows, a result for each column; 1: across the columns, a result for each row.
        inplace : bool, default False
            Whether this object changes, and None is returned.
        limit : int, optional
            How many neighbouring missing values are filled, at most.
        limit_area : {'inside', 'outside'}, optional
            Whether only gaps between values are filled, or only those before the first and behind the last one.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.bfill()
           a    b
        0  1  4.0
        1  2  6.0
        2  3  6.0
        """
        return self._or_itself(_carried(self, -1, axis, limit, limit_area), inplace)

    def interpolate(
        self: Any, method: str = "linear", *, axis: int | str | None = 0, limit: int | None = None,
        inplace: bool = False,
        limit_direction: Any = None, limit_area: Any = None, **options: object,
    ) -> Any:  # fmt: skip
        """Missing numbers on the line between their neighbours.

        Parameters
        ----------
        method : str, default 'linear'
            'linear', 'time', 'index', or one that SciPy or pandas does.
        axis : {0 or 'index', 1 or 'columns'}, default 0
            0: down the rows, a result for each column; 1: across the columns, a result for each row.
        limit : int, optional
            How many neighbouring missing values are filled, at most.
        inplace : bool, default False
            Whether this object changes, and None is returned.
        limit_direction : {'forward', 'backward', 'both'}, optional
            In which direction gaps are filled.
        limit_area : {'inside', 'outside'}, optional
            Whether only gaps between values are filled, or only those before the first and behind the last one.
        **options
            Options of SciPy's methods.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.interpolate()
           a    b
        0  1  4.0
        1  2  5.0
        2  3  6.0
        """
        if method not in _METHODS:
            raise ValueError(f"Can not interpolate with method={method}.")
        if self.ndim == 2 and as_axis(axis) == 1:
            turned = self.T.interpolate(
                method, limit=limit, limit_direction=limit_direction, limit_area=limit_area, **options
            )
            return self._or_itself(turned.T, inplace)
        if method == "pad":
            raise NotImplementedError("interpolate(method='pad') is ffill")
        if method == "time" and not isinstance(self._index._values, Datetimes):
            raise ValueError("time-weighted interpolation only works on Series or DataFrames with a DatetimeIndex")
        direction = limit_direction or "forward"

        def between(one: Any) -> Any:
            if not hasnans(one):
                return one
            made = settle(running.interpolate(one, "linear", limit, direction, limit_area))
            if method in _ALONG:
                return along(one, made, self._index)
            return made if method == "linear" else on_curve(one, made, self._index, method, dict(options))

        return self._or_itself(self._each_column(between), inplace)


def _carried(data: Any, step: int, axis: int | str | None, limit: int | None, limit_area: Any) -> Any:
    """Missing values as the nearest one before them (step 1) or behind them (-1), along the axis."""
    if data.ndim == 2 and axis is not None and as_axis(axis) == 1:
        _check_area(limit_area, None)
        return filled_from(data, step, limit)
    fill = running.ffill if step == 1 else running.bfill
    return data._each_column(lambda one: filled_along(one, fill, limit, limit_area))


def _check_area(area: Any, *also: Any) -> None:
    """Refuses the name of an area that is none, or none along rows."""
    if area not in ("inside", "outside", None) or (also and area is not None):
        raise ValueError(f"Invalid limit_area: expecting one of ['inside', 'outside'], got {area}.")


def filled_along(values: ArrayLike, fill: Callable[[Any, Any], Any], limit: int | None, area: Any = None) -> Any:
    """Missing values as `fill` has them, only between values that are there, or only outside them, by `area`."""
    _check_area(area)
    if not hasnans(values):
        return values
    made = settle(fill(values, limit))
    if area is None:
        return made
    outside = isna(running.ffill(values)) | isna(running.bfill(values))
    return choose(outside if area == "inside" else ~outside, values, made)


class SeriesMissing(Missing):
    """Missing values of a Series."""

    __slots__ = ()

    @property
    def hasnans(self: Any) -> bool:
        """Whether a value is missing."""
        return hasnans(self._values)

    def dropna(
        self: Any, *, axis: int | str = 0, inplace: bool = False, how: Any = None, ignore_index: bool = False
    ) -> Any:
        """The values that are there.

        Parameters
        ----------
        axis : None or 0, default 0
            A Series has one axis.
        inplace : bool, default False
            Whether this object changes, and None is returned.
        how : None
            No effect on a Series, as in pandas.
        ignore_index : bool, default False
            Whether the result is labelled 0, 1, 2, …

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df["b"].dropna()
        0    4.0
        2    6.0
        Name: b, dtype: float64
        """
        made = self._take(flatnonzero(~isna(self._values))) if can_miss(self._values) else self.copy()
        return self._or_inplace(made._with_index(range_index(len(made))) if ignore_index else made, inplace)

    def fillna(
        self: Any, value: Any, *, axis: int | str | None = None, inplace: bool = False, limit: int | None = None
    ) -> Any:
        """Another value where one is missing.

        Parameters
        ----------
        value : scalar, dict, Series or DataFrame
            The value; by column or by label.
        axis : None or 0
            A Series has one axis.
        inplace : bool, default False
            Whether this object changes, and None is returned.
        limit : int, optional
            How many neighbouring missing values are filled, at most.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series(["a", None]).fillna("?").to_list()
        ['a', '?']
        """
        if value is None:
            raise ValueError("Must specify a fill 'value'.")
        if isinstance(value, dict):
            value = type(self)(value)
        if is_series(value):
            if len(value) == 0:  # of no dtype that the result could have
                return self._or_itself(self.copy(), inplace)
            value = value._to_index(self._index)._values
        return self._or_itself(self._new(filled(self._values, value, limit)), inplace)


class FrameMissing(Missing):
    """Missing values of a frame."""

    __slots__ = ()

    def dropna(
        self: Any, *, axis: int | str | None = 0, how: str = "any", thresh: Any = None, subset: Any = None,
        inplace: bool = False,
        ignore_index: bool = False,
    ) -> Any:  # fmt: skip
        """The rows, or columns, in which nothing is missing (``how="all"``: something is there).

        Parameters
        ----------
        axis : {0 or 'index', 1 or 'columns'}, default 0
            Whether rows (0) or columns (1) are left out.
        how : {'any', 'all'}, default 'any'
            Whether one value has to be missing, or all.
        thresh : int, optional
            Values that have to be there, instead of `how`.
        subset : label or list of labels, optional
            The columns (or rows) that are looked at.
        inplace : bool, default False
            Whether this object changes, and None is returned.
        ignore_index : bool, default False
            Whether the result is labelled 0, 1, 2, …

        Examples
        --------
        >>> import atoll as ak
        >>> ak.DataFrame({"a": [1.0, None], "b": ["x", "y"]}).dropna()
             a  b
        0  1.0  x
        """
        if how not in ("any", "all"):
            raise ValueError(f"invalid how option: {how}")
        if as_axis(axis) == 1:
            least = thresh if thresh is not None else len(self) if how == "any" else 1
            kept = [place for place, one in enumerate(self._columns) if count(one) >= least]
            return self._or_inplace(self._at(kept), inplace)
        names = self._labels.values if subset is None else [subset] if is_scalar(subset) else list(subset)
        lost = [name for name in names if name not in self._labels.places]
        if lost:
            raise KeyError(lost)
        columns = [column_or_level(self, name) for name in names] if subset is not None else self._columns
        mask = None
        if thresh is not None:
            there = sum((~isna(one)).astype(np.int64) for one in columns)
            mask = there >= thresh
        else:
            for one in columns:
                if how == "any" and not can_miss(one):
                    continue
                there = ~isna(one)
                mask = there if mask is None else mask & there if how == "any" else mask | there
        made = self.copy() if mask is None else self._take(flatnonzero(mask))
        return self._or_inplace(made._with_index(range_index(len(made))) if ignore_index else made, inplace)

    def fillna(
        self: Any, value: Any, *, axis: int | str | None = None, inplace: bool = False, limit: int | None = None
    ) -> Any:
        """Another value where one is missing; by column, when a dict or a Series says so.

        Parameters
        ----------
        value : scalar, dict, Series or DataFrame
            The value; by column or by label.
        axis : {0 or 'index', 1 or 'columns'}, optional
            0: down the rows, a result for each column; 1: across the columns, a result for each row.
        inplace : bool, default False
            Whether this object changes, and None is returned.
        limit : int, optional
            How many neighbouring missing values are filled, at most.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.fillna(0)
           a    b
        0  1  4.0
        1  2  0.0
        2  3  6.0
        """
        if value is None:
            raise ValueError("Must specify a fill 'value'.")
        if is_series(value):
            value = dict(zip(value._index.to_list(), value.to_list(), strict=True))
        if is_frame(value):
            other = value.reindex(index=self._index, columns=self._labels)
            held = [filled(own, one, limit) for own, one in zip(self._columns, other._columns, strict=True)]
        elif isinstance(value, dict):
            held = []
            for label, column in zip(self._labels.values, self._columns, strict=True):
                one: Any = value.get(label)
                one = one._to_index(self._index)._values if is_series(one) else one
                held.append(column if label not in value else filled(column, one, limit))
        else:
            held = [filled(column, value, limit) for column in self._columns]
        return self._or_itself(self._new(held), inplace)
