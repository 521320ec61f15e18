# SPDX-License-Identifier: Apache-2.0
"""Values one by one: conditions, limits, maps, functions, other kinds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import arange, asarray
from ...arrays.ndarray import ndarray
from ...arrays.repeating import repeat
from ...arrays.selection import where
from ...columns.categorical.categorical import Categorical
from ...columns.column import Column, as_column
from ...columns.functions.functions import unique
from ...columns.nested.lists import Lists
from ...columns.objects import Objects, is_missing
from ...columns.text.strings import Strings
from ..classes import frame, is_frame, is_series, series
from ..combine.align import columns_for
from ..core import as_axis
from ..data.column_labels import Labels
from ..data.dtypes import cast, to_list
from ..data.lazy import Columns, as_they_are
from ..data.values import (
    choose,
    fits,
    gaps,
    hasnans,
    hide,
    is_scalar,
    isna,
    make,
    nullable,
    settle,
    take,
    take_or_miss,
)
from ..index.base import IndexCore, index_of, range_index
from ..own.batches import mapped_batches
from ..own.elements import called, each, is_shared, made_of, of_each, part_of
from ..own.rows import each_row
from ..select.indexers import mask_values
from ..select.placement import row_column

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...annotations import Level
    from ..dataframe import DataFrame
    from ..series import Series


def mapped(values: object, mapper: Any, na_action: Any = None, errors: str = "raise") -> Any:
    """Maps each value by a function, a dict or a Series. A dict is looked up once for each distinct value.

    Of categories each is mapped once: they stay categories where all become different ones, in pandas' way."""
    if na_action not in (None, "ignore"):
        raise ValueError(f"na_action must either be 'ignore' or None, {na_action} was passed")
    if isinstance(values, Categorical):
        return _mapped_categories(values, mapper, na_action)
    if callable(mapper) and not isinstance(mapper, dict):
        return each(values, mapper, na_action, errors)
    table = mapper
    if not (isinstance(mapper, dict) or is_series(mapper)):
        raise TypeError(f"'{type(mapper).__name__}' object is not callable")
    if isinstance(mapper, dict) and not hasattr(mapper, "__missing__"):
        if not mapper:
            return hide(values, isna(values) | True)
        keys, found = make(list(mapper)), make(list(mapper.values()))
        if not (fits(keys, values) or type(keys) is type(values)) or isinstance(keys, Objects):
            return make([mapper.get(one, np.nan) for one in to_list(values)])
        table = series(found, index_of(keys))
    elif isinstance(mapper, dict):
        return make([mapper[one] for one in to_list(values)])
    own, labels = table._index, index_of(values)
    rows = IndexCore._matched(own, labels) if table is not mapper else own._indexer(labels)
    return take_or_miss(table._values, rows, gaps(rows))


def _mapped_categories(values: Categorical, mapper: object, na_action: str | None) -> Any:
    found = mapped(values.categories, mapper)
    gone = values.codes < 0
    missing = np.nan
    if na_action != "ignore" and bool(gone.any()):
        missing = mapper(np.nan) if callable(mapper) and not isinstance(mapper, dict) else missing
    if is_missing(missing) and not hasnans(found) and int(unique(found).size) == int(found.size):
        return Categorical.from_codes(values.codes.astype(np.int64), found, values.ordered)
    codes = where(gone, 0, values.codes).astype(np.int64)
    return choose(gone, missing, take(found, codes)) if bool(gone.any()) else take(found, codes)


def replaced(values: Any, pairs: list[tuple[Any, Any]], regex: bool = False) -> Any:
    """Values with some of them exchanged for others, all at once."""
    made = values
    if isinstance(values, Objects):
        table = {old: new for old, new in pairs if not is_missing(old)}
        return make([table.get(one, one) if not isinstance(one, (list, dict)) else one for one in to_list(values)])
    for old, new in pairs:
        if is_missing(old):
            mask = isna(values)
        elif isinstance(old, re.Pattern) or (regex and isinstance(old, str)):
            if isinstance(values, Strings):
                if isinstance(new, str):
                    made = made.str.replace(old, new, regex=True)
                else:
                    made = choose(as_column(values.str.contains(old)).fillna(False), new, made)
            continue
        elif not fits(old, values):
            continue
        else:
            mask = values == old
            mask = mask.fillna(False) if isinstance(mask, Column) else mask
        if isinstance(made, ndarray) and made.dtype.kind in "iu" and isinstance(new, float) and not mask.any():
            continue
        made = choose(mask, new, made) if bool(mask.any()) else made
    return made


def _pairs(to_replace: Any, value: Any) -> list[tuple[Any, Any]]:
    if isinstance(to_replace, dict):
        return list(to_replace.items())
    if is_scalar(to_replace) or isinstance(to_replace, re.Pattern):
        return [(to_replace, value)]
    olds = list(to_replace)
    news = [value] * len(olds) if is_scalar(value) else list(value)
    if len(olds) != len(news):
        raise ValueError(f"Replacement lists must match in length. Expecting {len(olds)} got {len(news)} ")
    return list(zip(olds, news, strict=True))


def _reduction_of(func: Callable[..., Any]) -> Any:
    """NumPy's reductions as the methods of their names: NumPy itself would pass arguments that pandas does not have."""
    name = getattr(func, "__name__", "")
    if getattr(np, name, None) is func and name in ("sum", "mean", "min", "max", "prod", "std", "var", "median"):
        return lambda one, *args, **kwargs: getattr(one, name)(*args, **kwargs)
    return func


class Elementwise:
    """Conditions, kinds and functions of Series and frames."""

    __slots__ = ()

    def where(
        self: Any,
        cond: Any,
        other: object = np.nan,
        *,
        inplace: bool = False,
        axis: int | str | None = None,
        level: Level = None,
    ) -> Any:
        """The values where a condition holds, elsewhere another (or none).

        Parameters
        ----------
        cond : array_like of bool, Series, DataFrame or callable
            The condition for each element; a callable is given this object.
        other : scalar, Series, DataFrame or callable, default nan
            What the other elements become; missing unless given.
        inplace : bool, default False
            Whether this object changes, and None is returned.
        axis : {0 or 'index', 1 or 'columns'}, optional
            Along which axis `other` belongs to the labels.
        level : int or label, optional
            The level of a MultiIndex, by place or name.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series([1, 2, 3]).where(lambda s: s > 1, 0).to_list()
        [0, 2, 3]
        """
        return self._or_itself(self._conditional(cond, other, False), inplace)

    def mask(
        self: Any,
        cond: Any,
        other: object = np.nan,
        *,
        inplace: bool = False,
        axis: int | str | None = None,
        level: Level = None,
    ) -> Any:
        """The values where a condition does not hold, elsewhere another (or none).

        Parameters
        ----------
        cond : array_like of bool, Series, DataFrame or callable
            The condition for each element; a callable is given this object.
        other : scalar, Series, DataFrame or callable, default nan
            What the other elements become; missing unless given.
        inplace : bool, default False
            Whether this object changes, and None is returned.
        axis : {0 or 'index', 1 or 'columns'}, optional
            Along which axis `other` belongs to the labels.
        level : int or label, optional
            The level of a MultiIndex, by place or name.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.mask(s > 2, 0)
        a    0
        b    1
        c    2
        dtype: int64
        """
        return self._or_itself(self._conditional(cond, other, True), inplace)

    def infer_objects(self: Any, copy: bool | None = None) -> Any:
        """Columns of objects in the kind of their values.

        Parameters
        ----------
        copy : bool, optional
            No effect, as in pandas 3.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series([1, 2], dtype=object).infer_objects().dtype
        dtype('int64')
        """
        return self._each_column(lambda values: make(to_list(values)) if isinstance(values, Objects) else values)

    def convert_dtypes(
        self: Any, infer_objects: bool = True, convert_string: bool = True, convert_integer: bool = True,
        convert_boolean: bool = True, convert_floating: bool = True, dtype_backend: str = "numpy_nullable",
    ) -> Any:  # fmt: skip
        """Columns in kinds that allow missing values: floats that are whole as integers.

        Parameters
        ----------
        infer_objects : bool, default True
            Whether the dtype of columns of objects is found out.
        convert_string : bool, default True
            Whether strings are converted.
        convert_integer : bool, default True
            Whether integers are converted, and floats that are whole.
        convert_boolean : bool, default True
            Whether bools are converted.
        convert_floating : bool, default True
            Whether other floats are converted.
        dtype_backend : str, default 'numpy_nullable'
            'numpy_nullable' or 'pyarrow': the kind of the resulting dtypes.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.convert_dtypes().dtypes
        a    Int64
        b    Int64
        dtype: object
        """
        wanted = {"b": convert_boolean, "i": convert_integer, "u": convert_integer, "f": convert_floating}
        return self._each_column(lambda one: _nullable_kind(one, wanted, infer_objects))


def _nullable_kind(values: Any, wanted: dict[str, bool], infer: bool) -> Any:
    if isinstance(values, Objects) and infer:
        values = make(values.to_numpy())
    if not isinstance(values, ndarray) or values.dtype.kind not in wanted:
        return values
    if values.dtype.kind == "f" and wanted["i"]:
        held = nullable(values)
        there = held._there() if isinstance(held, Column) else held
        if there.size and bool((there == there.round(0)).all()):
            return cast(values, "Int64")
    if not wanted[values.dtype.kind]:
        return values
    return cast(values, values.dtype.name.capitalize()) if values.dtype.kind == "f" else Column(values)


class SeriesElementwise(Elementwise):
    """Values of a Series."""

    __slots__ = ()

    def _conditional(self: Any, cond: Any, other: Any, invert: bool) -> Series:
        cond = cond(self) if callable(cond) else cond
        other = np.nan if other is None else other(self) if callable(other) else other
        if is_series(cond) and not cond._index._same(self._index):
            cond = cond._to_index(self._index, fill_value=invert)
        keep = mask_values(self, cond)
        keep = ~keep if invert else keep
        if is_series(other):
            other = other._to_index(self._index)._values
        elif not is_scalar(other):
            other = make(other)
        if is_scalar(other) and keep.all():
            return self.copy()
        return self._new(choose(keep, self._values, other))

    def astype(self: Any, dtype: object, copy: bool | None = None, errors: str = "raise") -> Series:
        """The values as another kind.

        Parameters
        ----------
        dtype : dtype or dict
            The dtype; of a frame also a dict of columns and dtypes.
        copy : bool, optional
            No effect, as in pandas 3: the result shares memory until one of the two changes.
        errors : {'raise', 'ignore'}, default 'raise'
            'ignore': columns that cannot be converted stay as they are.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.astype("float64")
        a    3.0
        b    1.0
        c    2.0
        dtype: float64
        """
        if isinstance(dtype, dict):
            dtype = dtype[self._name]
        try:
            return self._new(cast(self._values, dtype))
        except (ValueError, TypeError):
            if errors == "ignore":
                return self.copy()
            raise

    def between(self: Any, left: object, right: object, inclusive: str = "both") -> Any:
        """Which values lie between two, both included unless said otherwise.

        Parameters
        ----------
        left : scalar or array_like
            The lower limit.
        right : scalar or array_like
            The upper limit.
        inclusive : {'both', 'neither', 'left', 'right'}, default 'both'
            Which limits belong to the range.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.between(2, 3)
        a     True
        b    False
        c     True
        dtype: bool
        """
        if inclusive not in ("both", "left", "right", "neither"):
            raise ValueError("Inclusive has to be either string of 'both','left', 'right', or 'neither'.")
        low = self >= left if inclusive in ("both", "left") else self > left
        return low & (self <= right if inclusive in ("both", "right") else self < right)

    def clip(
        self: Any, lower: Any = None, upper: Any = None, *, axis: int | str | None = None, inplace: bool = False
    ) -> Any:
        """Values below one limit and above another replaced by it.

        Parameters
        ----------
        lower : scalar or array_like, optional
            Smaller values become this.
        upper : scalar or array_like, optional
            Larger values become this.
        axis : None or 0
            A Series has one axis.
        inplace : bool, default False
            Whether this object changes, and None is returned.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.clip(2, 2)
        a    2
        b    2
        c    2
        dtype: int64
        """
        made = self
        if lower is not None and not (is_scalar(lower) and is_missing(lower)):
            made = made.mask(made < lower, lower)
        if upper is not None and not (is_scalar(upper) and is_missing(upper)):
            made = made.mask(made > upper, upper)
        return self._or_itself(made.copy() if made is self else made, inplace)

    def map(self: Any, arg: object = None, na_action: str | None = None, *, errors: str = "raise") -> Series:
        """Maps each value by a function, a dict or a Series; missing where a dict has no entry.

        Functions that change nothing, and whose results depend on the value alone, run in worker processes where the
        rows take long. With ``errors="null"`` a value for which the function raises has a missing result.

        Parameters
        ----------
        arg : callable, dict or Series, optional
            What each value becomes.
        na_action : {None, 'ignore'}
            'ignore': missing values stay missing, and are not given to the function.
        errors : {'raise', 'null'}, default 'raise'
            'null': where the function raises the result is missing.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series(["cat", "dog"]).map({"cat": "kitten"}).to_list()
        ['kitten', nan]
        """
        return self._new(mapped(self._values, arg, na_action, errors))

    def apply(
        self: Any,
        func: Callable[..., Any],
        convert_dtype: Any = None,
        args: Any = (),
        *,
        by_row: Any = "compat",
        **kwargs: object,
    ) -> Any:
        """A function of each value; NumPy's functions take all at once.

        Parameters
        ----------
        func : callable or str
            The function, or the name of a method.
        convert_dtype : bool, optional
            No effect, as in pandas 3.
        args : tuple, default ()
            Further arguments of `func`.
        by_row : {'compat', False}, default 'compat'
            False: `func` is given the whole Series.
        **kwargs
            Further arguments of `func`, by name.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.apply(lambda x: x * 10)
        a    30
        b    10
        c    20
        dtype: int64
        """
        if isinstance(func, str):
            return getattr(self, func)(*args, **kwargs)
        if isinstance(func, (list, dict)):
            return self.agg(func)
        if isinstance(func, np.ufunc):
            return func(self, *args, **kwargs)
        call = func if not args and not kwargs else lambda one: func(one, *args, **kwargs)
        # Arguments may be changed by the function, so calls that have some stay in this process.
        alone = call is not func or is_shared(self._values)
        held = called(of_each(part_of(self._values), call), len(self), func, alone)
        if len(held) and is_series(held[0]):
            return type_of_frame(self)(held)._with_index(self._index)
        return self._new(made_of(held) if len(held) else self._values)

    def transform(
        self: Any, func: Callable[..., Any], axis: int | str | None = 0, *args: object, **kwargs: object
    ) -> Any:
        """As `apply`, of functions that keep the rows; several give a frame.

        Parameters
        ----------
        func : callable, str, list or dict
            The function, or the name of a method; several make several columns.
        axis : None or 0, default 0
            A Series has one axis.
        *args
            Further arguments of `func`.
        **kwargs
            Further arguments of `func`, by name.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.transform(lambda x: x * 10)
        a    30
        b    10
        c    20
        dtype: int64
        """
        if isinstance(func, (list, tuple)):
            names = [one if isinstance(one, str) else one.__name__ for one in func]
            parts = [self.transform(one, axis, *args, **kwargs) for one in func]
            return frame([one._values for one in parts], Labels(names), self._index)
        made = self.apply(func, args=args, **kwargs)
        if not (is_series(made) or is_frame(made)) or len(made) != len(self):
            raise ValueError("Function did not transform")
        return made

    def replace(
        self: Any, to_replace: Any = None, value: object = None, *, inplace: bool = False, regex: Any = False
    ) -> Any:
        """Values exchanged for others: one, several, a dict of them, or by regular expressions.

        Parameters
        ----------
        to_replace : scalar, list, dict or regular expression, optional
            What is replaced; a dict has the replacements, or those of each column.
        value : scalar or list, optional
            The replacement.
        inplace : bool, default False
            Whether this object changes, and None is returned.
        regex : bool or pattern, default False
            Whether strings are regular expressions; or the expression itself.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.replace({1: 10})
        a     3
        b    10
        c     2
        dtype: int64
        """
        if to_replace is None and regex is not False:
            to_replace, regex = regex, True
        return self._or_itself(self._new(replaced(self._values, _pairs(to_replace, value), bool(regex))), inplace)

    def explode(self: Any, ignore_index: bool = False) -> Series:
        """A row for each element of the lists.

        Parameters
        ----------
        ignore_index : bool, default False
            Whether the result is labelled 0, 1, 2, …

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series([[1, 2], [3]]).explode()
        0    1
        0    2
        1    3
        dtype: int64
        """
        rows, values = exploded(self._values)
        index = range_index(values.size) if ignore_index else self._index._take(rows)
        return series(values, index, self._name)

    def repeat(self: Any, repeats: Any, axis: int | str | None = None) -> Series:
        """Each row several times.

        Parameters
        ----------
        repeats : int or array_like of int
            How often each row comes; one number for all, or one for each.
        axis : None or 0
            A Series has one axis.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.repeat(2)
        a    3
        a    3
        b    1
        b    1
        c    2
        c    2
        dtype: int64
        """
        return self._take(repeat(arange(len(self)), repeats))

    def case_when(self: Any, caselist: Any) -> Any:
        """The values replaced where the first of some conditions holds: pairs of a condition and what is put there.

        Parameters
        ----------
        caselist : list of pairs
            Conditions and their replacements, the first that holds counts.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([1, 5, 9])
        >>> s.case_when([(s > 6, 100), (s > 3, 10)]).to_list()
        [1, 10, 100]
        """
        if not isinstance(caselist, list) or not caselist:
            raise ValueError("provide at least one boolean condition, with a corresponding replacement.")
        made = self
        for pair in reversed(caselist):
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise ValueError("a condition and a replacement, as a tuple, are asked for")
            condition, replacement = (one(self) if callable(one) else one for one in pair)
            made = made.mask(condition, replacement)
        return made


def type_of_frame(self: Any) -> Any:
    """The class of frames."""
    return type(self.to_frame())


def exploded(values: Any) -> tuple[Any, Any]:
    """For each element of some lists its row, and the elements."""
    if isinstance(values, Lists):
        elements, rows = values.explode(return_rows=True)
        return rows, settle(elements)
    if not isinstance(values, Objects):
        return arange(values.size), values
    rows, held = [], []
    for row, one in enumerate(to_list(values)):
        parts = list(one) if isinstance(one, (list, tuple, set, np.ndarray)) else [one]
        for part in parts or [np.nan]:
            rows.append(row)
            held.append(part)
    return asarray(np.array(rows, dtype=np.int64)), make(held)


class FrameElementwise(Elementwise):
    """Values of a frame."""

    __slots__ = ()

    def _conditional(self: Any, cond: Any, other: Any, invert: bool) -> DataFrame:
        cond = cond(self) if callable(cond) else cond
        other = np.nan if other is None else other(self) if callable(other) else other
        if is_frame(cond):
            cond = cond.reindex(index=self._index, columns=self._labels, fill_value=invert)
            masks = list(cond._columns)
        elif np.ndim(cond) == 2:
            masks = [make(np.asarray(cond)[:, place]) for place in range(len(self._columns))]
        else:
            masks = [mask_values(self, cond)] * len(self._columns)
        if is_frame(other):
            others: list[Any] = Columns(columns_for(other._to_index(self._index), self._labels))
        elif is_series(other):
            others = [other._to_index(self._index)._values] * len(masks)
        else:
            others = [other if is_scalar(other) else make(other)] * len(masks)
        held = []
        for column, mask, one in zip(self._columns, masks, others, strict=True):
            keep = asarray(as_column(mask).fillna(False))
            keep = ~keep if invert else keep
            held.append(column if keep.all() else choose(keep, column, one))
        return self._new(held)

    def astype(self: Any, dtype: Any, copy: bool | None = None, errors: str = "raise") -> DataFrame:
        """The columns as another kind; some of them, by a dict.

        Parameters
        ----------
        dtype : dtype or dict
            The dtype; of a frame also a dict of columns and dtypes.
        copy : bool, optional
            No effect, as in pandas 3: the result shares memory until one of the two changes.
        errors : {'raise', 'ignore'}, default 'raise'
            'ignore': columns that cannot be converted stay as they are.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.astype({"a": "float32"}).dtypes
        a    float32
        b    float64
        dtype: object
        """
        if is_series(dtype):
            dtype = dict(zip(dtype._index.to_list(), dtype.to_list(), strict=True))
        if isinstance(dtype, dict):
            lost = [label for label in dtype if label not in self._labels.places]
            if lost:
                raise KeyError(
                    "Only a column name can be used for the key in a dtype mappings argument. "
                    f"{lost[0]!r} not found in columns."
                )
            pairs = zip(self._labels.values, self._each(), strict=True)
            return self._new(
                [
                    one.astype(dtype[label], errors=errors)._values if label in dtype else one._values
                    for label, one in pairs
                ]
            )
        return self._new([one.astype(dtype, errors=errors)._values for one in self._each()])

    def clip(
        self: Any, lower: Any = None, upper: Any = None, *, axis: int | str | None = None, inplace: bool = False
    ) -> Any:
        """Values below one limit and above another replaced by it.

        Parameters
        ----------
        lower : scalar or array_like, optional
            Smaller values become this.
        upper : scalar or array_like, optional
            Larger values become this.
        axis : {0 or 'index', 1 or 'columns'}, optional
            0: down the rows, a result for each column; 1: across the columns, a result for each row.
        inplace : bool, default False
            Whether this object changes, and None is returned.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.clip(lower=2, upper=5)
           a    b
        0  2  4.0
        1  2  NaN
        2  3  5.0
        """
        if is_series(lower) or is_series(upper):
            made = self
            if lower is not None:
                made = made.mask(made.lt(lower, axis=axis), lower) if as_axis(axis) == 0 else made
            if upper is not None:
                made = made.mask(made.gt(upper, axis=axis), upper) if as_axis(axis) == 0 else made
            return self._or_itself(made, inplace)
        each = []
        for limit in (lower, upper):
            if is_scalar(limit) or (axis is not None and as_axis(axis) == 0):
                each.append([limit] * len(self._columns))
            elif len(limit) != len(self._columns):
                raise ValueError(f"Unable to coerce to Series, length must be {len(self._columns)}: given {len(limit)}")
            else:
                each.append(list(limit))
        rows = zip(self._each(), *each, strict=True)
        return self._or_itself(self._new([one.clip(low, high)._values for one, low, high in rows]), inplace)

    def map(self: Any, func: Callable[..., Any], na_action: str | None = None, **kwargs: object) -> DataFrame:
        """A function of each element.

        Parameters
        ----------
        func : callable
            The function.
        na_action : {None, 'ignore'}
            'ignore': missing values stay missing, and are not given to the function.
        **kwargs
            Further arguments of `func`, by name.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.map(lambda x: x * 10)
            a     b
        0  10  40.0
        1  20   NaN
        2  30  60.0
        """
        return self._new([mapped(one, lambda value: func(value, **kwargs), na_action) for one in self._columns])

    def apply(
        self: Any,
        func: Callable[..., Any],
        axis: int | str | None = 0,
        raw: bool = False,
        result_type: Any = None,
        args: Any = (),
        **kwargs: object,
    ) -> Any:
        """A function of each column, or with ``axis=1`` of each row.

        Parameters
        ----------
        func : callable or str
            The function, or the name of a method.
        axis : {0 or 'index', 1 or 'columns'}, default 0
            0: the function is given each column; 1: each row.
        raw : bool, default False
            Whether `func` is given NumPy arrays instead of Series.
        result_type : {None, 'expand', 'reduce', 'broadcast'}
            What lists become for ``axis=1``: columns, one object, or the columns of this frame.
        args : tuple, default ()
            Further arguments of `func`.
        **kwargs
            Further arguments of `func`, by name.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.DataFrame({"a": [1, 2], "b": [3, 5]}).apply(lambda column: column.max() - column.min())
        a    1
        b    2
        dtype: int64
        """
        if isinstance(func, str):
            return getattr(self, func)(*args, **({"axis": axis} if axis else {}), **kwargs)
        if isinstance(func, (list, dict)):
            return self.agg(func, axis)
        if isinstance(func, np.ufunc):
            return func(self)
        func = _reduction_of(func)
        if as_axis(axis) == 0:
            made = [func(one.to_numpy() if raw else one, *args, **kwargs) for one in self._each()]
            return self._of_columns(made)
        rows = each_row(self, func, raw, args, kwargs) if result_type is None else None
        if isinstance(rows, np.ndarray):
            return series(asarray(rows), self._index)
        if rows is None:
            rows = [func(row.to_numpy() if raw else row, *args, **kwargs) for _, row in self.iterrows()]
        if result_type == "broadcast" and rows:
            made = [list(row) if not is_scalar(row) else [row] * len(self._columns) for row in rows]
            return type(self)(made)._with_index(self._index).set_axis(self.columns, axis=1)
        if rows and is_series(rows[0]):
            made = type(self)([dict(zip(row._index.to_list(), row.to_list(), strict=True)) for row in rows])
            return made._with_index(self._index)
        if result_type == "expand" and rows and not is_scalar(rows[0]):
            return type(self)([list(row) for row in rows])._with_index(self._index)
        return series(make(rows) if rows else make([], np.float64), self._index)

    def map_batches(
        self: Any,
        function: Callable[..., Any],
        schema: object = None,
        *,
        format: str = "arrow",
        batch_rows: int = 65536,
    ) -> DataFrame:
        """A function of batches of rows; what it returns, one behind the other, under new labels 0, 1, 2, …

        Each PE calls it for its own rows. With one PE, worker processes do, one for each core, if there are several
        batches. So it must not rely on its calls' order, or on changes of what it shares with this process.

        Parameters
        ----------
        function : callable
            Gets a batch and returns rows: a dict of columns, a pyarrow table or batch, a frame of pandas or Polars.
        schema : mapping or pyarrow schema, optional
            Names and types of the result, to which its columns are cast; a column that is missing is an error.
        format : str
            What the function gets: "arrow" (a pyarrow table), "numpy" (a dict of arrays), "pandas" or "polars".
        batch_rows : int
            How many rows a batch has at most.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"x": [1, 2, 3]})
        >>> df.map_batches(lambda batch: {"y": batch["x"] * 2}, format="numpy")
           y
        0  2
        1  4
        2  6
        """
        return type(self)(mapped_batches(self, function, format, batch_rows, schema))

    def map_partitions(
        self: Any,
        function: Callable[..., Any],
        *args: object,
        schema: object = None,
        format: str = "pandas",
        **kwargs: object,
    ) -> DataFrame:
        """As `map_batches` with all rows of a PE, or of a worker process, at once, and pandas' frames by default.

        Parameters
        ----------
        function : callable
            The function.
        *args
            Further arguments of the function.
        schema : dict, optional
            Column → dtype of the result; found out by a call with the first rows unless given.
        format : {'pandas', 'arrow', 'numpy', 'frame'}, default 'pandas'
            What the function is given and returns.
        **kwargs
            Further arguments of the function, by name.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.DataFrame({"x": [1, 2, 3]}).map_partitions(lambda part: part.assign(y=part.x + 1)).y.to_list()
        [2, 3, 4]
        """

        def call(part: Any) -> Any:
            return function(part, *args, **kwargs)

        return type(self)(mapped_batches(self, call if args or kwargs else function, format, None, schema))

    def _of_columns(self: Any, made: list[Any]) -> Any:
        """Joins the results of a function for each column: Series become a frame, scalars a Series."""
        if made and all(is_series(one) for one in made):
            if all(one._index._same(made[0]._index) for one in made):
                return frame([one._values for one in made], self._labels, made[0]._index)
            return type(self)(dict(zip(self._labels.values, made, strict=True)))
        if made and all(isinstance(one, (ndarray, np.ndarray)) and np.ndim(one) == 1 for one in made):
            return frame([make(one) for one in made], self._labels, range_index(len(made[0])))
        if made and all(isinstance(one, list) for one in made) and len({len(one) for one in made}) == 1:
            return frame([make(one) for one in made], self._labels, range_index(len(made[0])))
        return self._per_column(row_column(made, [make([one]) for one in made]) if made else make([], np.float64))

    def transform(
        self: Any, func: Callable[..., Any], axis: int | str | None = 0, *args: object, **kwargs: object
    ) -> Any:
        """As `apply`, of functions that keep the rows.

        Parameters
        ----------
        func : callable, str, list or dict
            The function, or the name of a method; several make several columns.
        axis : {0 or 'index', 1 or 'columns'}, default 0
            0: down the rows, a result for each column; 1: across the columns, a result for each row.
        *args
            Further arguments of `func`.
        **kwargs
            Further arguments of `func`, by name.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.transform(lambda column: column * 10)
            a     b
        0  10  40.0
        1  20   NaN
        2  30  60.0
        """
        if isinstance(func, dict):
            return frame([self[label].transform(one)._values for label, one in func.items()], Labels(func), self._index)
        made = self.apply(func, axis, args=args, **kwargs)
        if not is_frame(made) or len(made) != len(self):
            raise ValueError("Function did not transform")
        return made

    def replace(
        self: Any, to_replace: Any = None, value: object = None, *, inplace: bool = False, regex: Any = False
    ) -> Any:
        """Values exchanged for others, in all columns, or in some by a dict.

        Parameters
        ----------
        to_replace : scalar, list, dict or regular expression, optional
            What is replaced; a dict has the replacements, or those of each column.
        value : scalar or list, optional
            The replacement.
        inplace : bool, default False
            Whether this object changes, and None is returned.
        regex : bool or pattern, default False
            Whether strings are regular expressions; or the expression itself.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.replace(1, 100)
             a    b
        0  100  4.0
        1    2  NaN
        2    3  6.0
        """
        if to_replace is None and regex is not False:
            to_replace, regex = regex, True
        nested = isinstance(to_replace, dict) and any(isinstance(one, dict) for one in to_replace.values())
        by_column = isinstance(to_replace, dict) and value is not None and not nested
        held = []
        for label, column in zip(self._labels.values, self._columns, strict=True):
            if nested or by_column:
                if label not in to_replace:
                    held.append(column)
                    continue
                new = value[label] if isinstance(value, dict) else value
                pairs = _pairs(to_replace[label], new)
            elif isinstance(value, dict):
                pairs = _pairs(to_replace, value[label]) if label in value else []
            else:
                pairs = _pairs(to_replace, value)
            held.append(replaced(column, pairs, bool(regex)))
        return self._or_itself(self._new(held), inplace)

    def explode(self: Any, column: Any, ignore_index: bool = False) -> Any:
        """A row for each element of a column's lists.

        Parameters
        ----------
        column : label or list of labels
            The columns of lists.
        ignore_index : bool, default False
            Whether the result is labelled 0, 1, 2, …

        Examples
        --------
        >>> import atoll as ak
        >>> ak.DataFrame({"k": ["x", "y"], "v": [[1, 2], [3]]}).explode("v")
           k  v
        0  x  1
        0  x  2
        1  y  3
        """
        names = [column] if is_scalar(column) or isinstance(column, tuple) else list(column)
        first, values = exploded(self._column(names[0]))
        made = self._take(first)
        made._set_column(names[0], values)
        for name in names[1:]:
            rows, values = exploded(self._column(name))
            if not bool((rows == first).all()):
                raise ValueError("columns must have matching element counts")
            made._set_column(name, values)
        return made._with_index(range_index(len(made))) if ignore_index else made

    def isetitem(self: Any, loc: int, value: object) -> None:
        """Sets the column at a place.

        Parameters
        ----------
        loc : int
            The place.
        value : scalar or array_like
            The column's values.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.isetitem(0, [7, 8, 9])
        >>> df
           a    b
        0  7  4.0
        1  8  NaN
        2  9  6.0
        """
        column = self._as_column(value)
        held = as_they_are(self._columns)
        self._hold([column if place == loc else one for place, one in enumerate(held)])
