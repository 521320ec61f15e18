# SPDX-License-Identifier: Apache-2.0
"""Values of a frame's columns: arrays, and columns of other kinds. Creating, taking and concatenating them.

Missing values of floats are NaN; every other kind has validity. Where integers come to miss values they become
float64, as in pandas; columns that allow missing integers (``Int64``) keep them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import arange, array, asarray, full, zeros
from ...arrays.indexing import sliced
from ...arrays.joining import concatenate as concatenate_arrays
from ...arrays.ndarray import ndarray
from ...arrays.selection import flatnonzero
from ...arrays.selection import take as take_array
from ...arrays.selection import where as where_array
from ...arrays.ufuncs import isnan
from ...columns.arrow import has_arrow
from ...columns.categorical.categorical import Categorical
from ...columns.column import Column
from ...columns.creation import column as make_column
from ...columns.creation import from_arrow
from ...columns.datetime.period import Period
from ...columns.datetime.periods import Periods
from ...columns.datetime.tick import tick_of
from ...columns.datetime.ticks import Ticks
from ...columns.functions.functions import concatenate, where
from ...columns.interval.interval import Interval
from ...columns.interval.intervals import Intervals
from ...columns.nested.arrow_values import joined
from ...columns.nested.lists import lists
from ...columns.objects import Objects, is_missing, object_array
from ...columns.text.strings import Strings, strings
from ...extras import pandas_if_loaded
from .dtypes import all_missing, cast, is_foreign, kind_of, to_list

if TYPE_CHECKING:
    from ...annotations import ArrayLike, DTypeLike


def is_scalar(value: object) -> bool:
    """Whether a value is one, rather than rows of them."""
    return isinstance(value, (str, bytes)) or not (hasattr(value, "__len__") or hasattr(value, "__iter__"))


def settle(values: ArrayLike) -> Any:
    """Values as frames keep them: floats with NaN for missing ones, arrays where no kind is needed."""
    if type(values) is Column and values.dtype.kind == "f":
        if values.valid is None:
            return values.values
        return where_array(values.valid, values.values, np.nan).astype(values.dtype)
    return values


def make(data: Any, dtype: DTypeLike = None) -> Any:
    """A column of what a caller gives: values of one kind, as pandas would infer it."""
    if (hasattr(data, "_values") and hasattr(data, "_index")) or hasattr(data, "_labels_of_index"):  # a Series
        data = data._values
    if dtype in (object, "object") and (
        isinstance(data, (list, tuple)) or (isinstance(data, np.ndarray) and data.dtype == object and data.ndim == 1)
    ):
        return Objects(data)  # these very objects: None stays None
    if isinstance(data, (ndarray, Column)):
        if data.ndim != 1:
            raise ValueError("Data must be 1-dimensional")
        values = data.copy() if isinstance(data, ndarray) else settle(data)
    else:
        values = _inferred(data)
    return values if dtype is None else as_given(values, dtype)


def as_given(values: Any, dtype: Any) -> Any:
    """Values in the dtype that a caller gives for them; ValueError or OverflowError where integers cannot say them."""
    made = cast(values, dtype)
    if isinstance(values, ndarray) and isinstance(made, ndarray) and made.dtype.kind in "iu":
        if values.dtype.kind not in "iuf" or np.can_cast(values.dtype, made.dtype) or bool((made == values).all()):
            return made
        if values.dtype.kind == "f":
            raise ValueError("Trying to coerce float values to integers")
        raise OverflowError(f"The elements provided in the data cannot all be casted to the dtype {made.dtype}")
    return made


def _inferred(data: Any) -> Any:
    if isinstance(data, range):
        return arange(data.start, data.stop, data.step)
    pandas = pandas_if_loaded()
    if pandas is not None and isinstance(data, (pandas.Series, pandas.Index, pandas.api.extensions.ExtensionArray)):
        return _from_pandas(pandas, data)
    if has_arrow(data):
        return _from_arrow(data)
    if isinstance(data, np.ndarray):
        made = _from_numpy(data)
        # As in pandas, objects that are numbers or bools stay objects; strings and datetimes become their own kinds.
        return Objects(data) if data.dtype == object and (isinstance(made, ndarray) or type(made) is Column) else made
    if isinstance(data, dict):
        raise TypeError("a column is not made of a dict")
    data = data if isinstance(data, list) else list(data)
    if data and isinstance(data[0], str):  # the most frequent first: nothing is looked at twice
        try:
            return strings(data)
        except TypeError:
            return _from_numpy(object_array(data))
    return _from_list(data)


def _from_list(data: list[Any]) -> Any:
    if not data:
        return Objects([])
    kinds = set(map(type, data))
    if kinds == {type(None)}:
        return Objects(data)  # None stays None, as in pandas
    if any(issubclass(one, (list, tuple, dict, set)) for one in kinds):
        return _nested(data)
    try:
        found = np.array(data)
    except (ValueError, OverflowError):
        return Objects(data)
    if kinds == {int} and found.dtype.kind == "f":  # of 64 bits, some without a sign
        try:
            return asarray(np.array(data, np.uint64))
        except OverflowError:
            return Objects(data)
    if found.ndim == 1 and found.dtype.kind in "biufcM":
        if found.dtype.kind in "iuf" and bool in kinds:
            return Objects(data)
        return _of_times(found) if found.dtype.kind == "M" else asarray(found)
    if found.ndim == 1 and found.dtype.kind == "m" and kinds == {np.timedelta64}:
        return _of_times(found)
    return _from_numpy(object_array(data))


def _of_times(found: np.ndarray[Any, Any]) -> Any:
    """Single datetimes or timedeltas of NumPy as a column: of seconds where their unit is longer, as in pandas."""
    letter = found.dtype.kind
    unit = np.datetime_data(found.dtype)[0]
    return _from_numpy(found if unit in ("s", "ms", "us", "ns") else found.astype(f"{letter}8[s]"))


def _from_numpy(found: np.ndarray[Any, Any]) -> Any:
    if found.ndim != 1:
        raise ValueError(f"Per-column arrays must each be 1-dimensional, got shape {found.shape}")
    kind = found.dtype.kind
    if kind in "biufc":
        return array(np.ascontiguousarray(found))  # a copy: columns do not change when the caller's array does
    if kind in "UT":
        return strings(found)
    if kind in "mM":
        return make_column(found.copy())
    if kind != "O":
        raise TypeError(f"a column does not hold {found.dtype}")
    missing = np.fromiter(map(is_missing, found), bool, found.size)
    there = found[~missing]
    kinds = {type(one) for one in there}
    if not kinds:
        if any(type(one).__name__ == "NaTType" for one in found):
            return make_column(np.full(found.size, "NaT", "M8[s]"))
        return asarray(np.full(found.size, np.nan)) if found.size else Objects([])
    if kinds <= {str, np.str_}:
        return strings([None if gone else one for one, gone in zip(found, missing, strict=True)])
    if kinds <= {bool, np.bool_}:
        return Objects(found) if missing.any() else asarray(there, bool)
    if kinds in ({np.timedelta64}, {np.datetime64}):  # the first is one of NumPy's integers
        filled = np.full(found.size, "NaT", np.array(list(there)).dtype)
        filled[~missing] = list(there)
        return _of_times(filled)
    if all(issubclass(one, (int, float, np.integer, np.floating)) and one is not bool for one in kinds):
        floats = missing.any() or any(issubclass(one, (float, np.floating)) for one in kinds)
        numbers = there.astype(np.float64) if floats else np.array(there.tolist())
        if numbers.dtype.kind not in "iuf":
            return Objects(found)
        filled = np.full(found.size, np.nan if floats else 0, numbers.dtype)
        filled[~missing] = numbers
        return asarray(filled)
    spans = _of_spans(found, kinds)
    if spans is not None:
        return spans
    if tick_of(there[0]) is not None and len(kinds) == 1:
        return make_column(found)
    return Objects(found)


def _of_spans(found: np.ndarray[Any, Any], kinds: set[type]) -> Any:
    """Intervals, or periods, of one kind as a column; None of anything else."""
    if len(kinds) > 1:
        return None
    (kind,) = kinds
    try:
        if issubclass(kind, Interval) or (kind.__name__ == "Interval" and hasattr(kind, "closed_left")):
            return Intervals.of(found)
        if issubclass(kind, Period) or (kind.__name__ == "Period" and hasattr(kind, "freqstr")):
            return Periods.of(found)
    except ValueError:  # of several lengths, or closed at different sides
        return None
    return None


def _from_pandas(pandas: Any, data: Any) -> Any:
    dtype = data.dtype
    if is_foreign(dtype):
        raise NotImplementedError(
            f"columns do not hold {dtype} (only pandas has that dtype). Is another one wide enough?"
        )
    if isinstance(dtype, np.dtype):
        return _from_numpy(data.to_numpy())
    if str(dtype) == "str":
        return strings(data.to_numpy(dtype=object))
    if str(dtype) in ("boolean",) or str(dtype).lstrip("U").startswith(("Int", "Float")):
        missing = np.asarray(data.isna())
        filled = pandas.array(data).to_numpy(dtype=dtype.numpy_dtype, na_value=0)
        return settle(Column(asarray(filled), asarray(~missing) if missing.any() else None))
    if str(dtype).startswith("interval["):
        array = data.array
        return Intervals(make(array.left), make(array.right), array.closed) if len(array) else Intervals.of([])
    if str(dtype).startswith("period["):
        gone = np.asarray(data.isna())
        ordinals = np.where(gone, 0, data.array.asi8)
        return Periods(asarray(ordinals), dtype.freq.freqstr if hasattr(dtype.freq, "freqstr") else str(dtype)[7:-1],
                       asarray(~gone) if gone.any() else None)  # fmt: skip
    if str(dtype) == "category" and not isinstance(dtype.categories.dtype, np.dtype):
        array = data if isinstance(data, pandas.Categorical) else data.array
        return Categorical.from_codes(asarray(array.codes.astype(np.int64)), make(dtype.categories), dtype.ordered)
    return _from_arrow(data)


def _from_arrow(data: Any) -> Any:
    return settle(from_arrow(data))


def _nested(data: list[Any]) -> Any:
    """Lists of values of one kind as a column of lists; what else has several parts as objects."""
    if all(isinstance(one, list) or is_missing(one) for one in data):
        try:
            return lists([None if not isinstance(one, list) else one for one in data])
        except (TypeError, ValueError):
            return Objects(data)
    return Objects(data)


def broadcast(value: Any, size: int, dtype: DTypeLike = None) -> Any:
    """One value in every row."""
    if dtype is None and isinstance(value, (bool, int, float, complex, np.bool_, np.number)):
        return full(size, value)
    one = make([value], dtype)
    return take(one, zeros(size, dtype=np.int64))


# -- missing values --


def isna(values: Any) -> Any:
    """Which values are missing: an array of bools."""
    if isinstance(values, ndarray):
        return isnan(values) if values.dtype.kind in "fc" else zeros(values.size, dtype=bool)
    return values.isna()


def can_miss(values: Any) -> bool:
    """Whether a value may be missing; only then it is worth to look."""
    return values.dtype.kind in "fc" if isinstance(values, ndarray) else values.valid is not None


def hasnans(values: ArrayLike) -> bool:
    """Whether a value is missing."""
    return can_miss(values) and bool(isna(values).any())


def nullable(values: Any) -> Any:
    """Floats as a column in which NaN is missing, when there is one: groups and joins know NaN as a value."""
    if isinstance(values, ndarray) and values.dtype.kind == "f":
        gone = isnan(values)
        if gone.any():
            return Column(values, ~gone)
    return values


def hide(values: Any, gone: Any) -> Any:
    """The values with some missing."""
    if isinstance(values, ndarray):
        if values.dtype.kind == "b":
            return Column(values, ~gone)
        kind = values.dtype if values.dtype.kind in "fc" else np.float64
        return where_array(gone, np.nan, values.astype(kind)).astype(kind)
    return values._hiding(gone)


# -- rows --


def take(values: Any, rows: Any) -> Any:
    """The rows with these numbers, none of them negative."""
    return take_array(values, rows) if isinstance(values, ndarray) else values.take(rows)


def take_or_miss(values: Any, rows: Any, gone: Any) -> Any:
    """The rows with these numbers; where `gone` says so, a missing value. `gone` is None when nothing is."""
    if gone is None:
        return take(values, rows)
    if values.size == 0:
        return all_missing(values, rows.size)
    return hide(take(values, where_array(gone, 0, rows)), gone)


def gaps(rows: Any) -> Any:
    """Which of some row numbers are -1; None when none is."""
    gone = rows < 0
    return gone if gone.any() else None


def cut(values: Any, rows: slice) -> Any:
    """A slice of the rows, which keeps its values."""
    return sliced(values, rows) if isinstance(values, ndarray) else values[rows]


def rows_of_mask(mask: object) -> Any:
    """The row numbers that a mask means."""
    return flatnonzero(mask)


def join_rows(parts: Sequence[Any]) -> Any:
    """Columns one behind another, in a kind that holds all their values."""
    if len(parts) == 1:
        return parts[0]
    if (held := joined(list(parts))) is not None:
        return held
    kinds = [kind_of(part) for part in parts]
    if all(isinstance(part, ndarray) for part in parts):
        if len({kind.kind == "b" for kind in kinds}) == 1:
            return concatenate_arrays(list(parts))
        return _as_objects(parts)
    if all(type(part) in (Column,) or isinstance(part, ndarray) for part in parts):
        if len({part.dtype.kind == "b" for part in parts}) == 1:
            return settle(concatenate(list(parts)))
        return _as_objects(parts)
    if len({_class_of(part) for part in parts}) == 1 and not isinstance(parts[0], Objects):
        return concatenate(list(parts))
    full_parts = [part for part in parts if not (part.size == 0 or bool(isna(part).all()))]
    if len({_class_of(part) for part in full_parts}) == 1 and isinstance(full_parts[0], Column):
        empty = full_parts[0]  # columns without a value take the kind of the others
        if not isinstance(empty, Objects):
            kind = _class_of(empty)
            return concatenate([part if _class_of(part) is kind else empty._all_missing(part.size) for part in parts])
    return _as_objects(parts)


def _class_of(part: Any) -> Any:
    """The kind of a column; strings are one, however they are held."""
    return Strings if isinstance(part, Strings) else type(part)


def _as_objects(parts: Sequence[Any]) -> Objects:
    return Objects([value for part in parts for value in to_list(part)])


def choose(mask: Any, yes: Any, no: Any) -> Any:
    """Values of `yes` where the mask is true, else of `no`; either may be one value."""
    size = mask.size
    if is_scalar(yes) and is_missing(yes):
        return hide(no if not is_scalar(no) else broadcast(no, size), mask)
    if is_scalar(no) and is_missing(no):
        return hide(yes if not is_scalar(yes) else broadcast(yes, size), ~mask)
    if fits(yes, no) or fits(no, yes):
        return settle(where(mask, yes, no))
    sides = [broadcast(side, size) if is_scalar(side) else side for side in (yes, no)]
    chosen = mask.to_numpy()
    pairs = zip(chosen, to_list(sides[0]), to_list(sides[1]), strict=True)
    return Objects([a if there else b for there, a, b in pairs])


def fits(value: Any, column: Any) -> bool:
    """Whether a value, or values, go into a column of that kind (or one that NumPy's rules make of both)."""
    if is_scalar(column):
        return is_scalar(value) and isinstance(value, str) == isinstance(column, str)
    if isinstance(column, Objects):
        return False
    if isinstance(column, Strings):
        return isinstance(value, (str, Strings))
    if isinstance(column, ndarray) or type(column) is Column:
        if isinstance(value, ndarray) or type(value) is Column:
            return bool((value.dtype.kind == "b") == (column.dtype.kind == "b"))
        if isinstance(value, (bool, np.bool_)):
            return bool(column.dtype.kind == "b")
        return isinstance(value, (int, float, complex, np.number)) and column.dtype.kind != "b"
    if isinstance(column, Categorical):
        return type(value) is Categorical or fits(value, column.categories)
    if isinstance(column, Ticks) and isinstance(value, str):
        return True
    return not isinstance(value, (ndarray, Strings, Objects, str)) or type(value) is type(column)


def scalar(value: object) -> Any:
    """One value as pandas gives it: NaN for a missing one."""
    return np.nan if value is None else value
