# SPDX-License-Identifier: Apache-2.0
"""Columns: values of one kind, some of which may be missing."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import numpy as np

from ..arrays.array import Array
from ..arrays.creation import asarray, full, zeros
from ..arrays.interchange import arrow_of, validity_bits
from ..arrays.joining import concatenate
from ..arrays.keys import range_of
from ..arrays.selection import flatnonzero, take, where
from ..arrays.sets import unique
from ..arrays.sorting import argsort
from .operators import Arithmetic, Compared
from .printing import Printing
from .reductions import Reductions

if TYPE_CHECKING:
    from ..annotations import ArrayLike
    from ..arrays.ndarray import ndarray

#: Aggregates of groups that any values with an order have.
ORDINAL = frozenset(("first", "last", "min", "max", "count", "nunique", "mode", "argmin", "argmax"))

#: Converts an array of numbers and its validity to strings. Set by the class of strings.
text_makers: list[Callable[[Any, Any], Any]] = []

Self = TypeVar("Self", bound="Column")


class Unchanged:
    """Converts numbers to values that are these numbers. Data, so that an object with it can be published."""

    def __call__(self, numbers: ndarray) -> ndarray:
        return numbers


class Likewise:
    """Converts numbers to values of a column's kind. Data, so that an object with it can be published."""

    def __init__(self, column: Any) -> None:
        self._column = column

    def __call__(self, numbers: ndarray) -> Any:
        return self._column._like(numbers, None)


class Column(Arithmetic, Compared, Printing, Reductions):
    """A column of numbers or bools with missing values; `Strings` is the class of string columns.

    `ak.array` makes one of values with None among them. Operations give missing values where an operand's is
    missing; comparisons are three-valued, as those of pandas' nullable types; reductions, groups and conversions skip
    missing values. Without missing values results are plain arrays, at the cost of arrays. NaN is a value, not
    a missing one.

    Examples
    --------
    >>> import atoll as ak
    >>> a = ak.array([1, None, 3])
    >>> a + 1
    column([2, None, 4], dtype=int64)
    >>> a > 1
    column([False, None, True], dtype=bool)
    >>> a.sum(), a.null_count
    (np.int64(4), 1)
    """

    __slots__ = ("__weakref__", "_valid", "_values")
    _values: Any
    _valid: ndarray | None  # bool; None: nothing is missing
    _decides = 1  # the column with the largest value decides the class of a combination; plain numbers never do

    def __init__(self, values: Any, valid: Any = None) -> None:
        self._values = asarray(values)
        if self._values.ndim != 1:
            raise ValueError(f"a column is 1-dimensional, got shape {self._values.shape}")
        self._set_valid(valid)

    def _set_valid(self, valid: Any) -> None:
        self._valid = None if valid is None else asarray(valid, dtype=bool)
        if self._valid is not None and self._valid.shape != self.shape:
            raise ValueError(f"validity has shape {self._valid.shape}, the values {self.shape}")

    def _like(self: Self, values: Any, valid: ndarray | None) -> Self:
        """A column of the same class; without validity if no value is missing."""
        column = object.__new__(type(self))
        column._values, column._valid = values, valid
        return column

    # -- attributes --

    @property
    def values(self) -> ndarray:
        """The values; those of missing rows are arbitrary."""
        values: ndarray = self._values
        return values

    @property
    def valid(self) -> ndarray | None:
        """The validity mask: bool, True for values that are not missing; None when no value is missing."""
        return self._valid

    @property
    def dtype(self) -> Any:
        """NumPy dtype of the values."""
        return self._values.dtype

    @property
    def kind(self) -> str:
        """The kind of the values: the name of their dtype, or "text"."""
        return str(self.dtype)

    @property
    def size(self) -> int:
        """Number of rows."""
        return int(self._values.size)

    @property
    def shape(self) -> tuple[int]:
        """The same as a tuple, as arrays have it."""
        return (self.size,)

    @property
    def ndim(self) -> int:
        """Columns have one axis."""
        return 1

    @property
    def nbytes(self) -> int:
        """Bytes of values and validity, on all PEs together."""
        return int(self._values.nbytes) + (0 if self._valid is None else self.size)

    @property
    def null_count(self) -> int:
        """Number of missing values."""
        return 0 if self._valid is None else self.size - int(self._valid.sum())

    def __len__(self) -> int:
        return self.size

    __hash__ = None  # type: ignore[assignment]  # == is elementwise

    def __bool__(self) -> NoReturn:
        raise ValueError("The truth value of a column is ambiguous. Use a.any() or a.all()")

    def __setitem__(self, key: object, value: ArrayLike) -> NoReturn:
        raise TypeError("columns do not change in place; ak.where(mask, new, old) makes another one")

    # -- missing values --

    def isna(self) -> ndarray:
        """A mask of missing values: bool.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array(["a", None]).isna()
        array([False,  True])
        """
        return zeros(self.size, dtype=bool) if self._valid is None else ~self._valid

    def notna(self) -> ndarray:
        """A mask of values that are not missing: bool."""
        return full(self.size, True) if self._valid is None else self._valid.copy()

    isnull, notnull = isna, notna

    def dropna(self: Self) -> Self:
        """The values that are not missing.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array([3, None, 1]).dropna()
        column([3, 1], dtype=int64)
        """
        return self if self._valid is None else self._rows(flatnonzero(self._valid))._like_valid()

    def _like_valid(self: Self) -> Self:
        return self._like(self._values, None)

    def fillna(self, value: ArrayLike) -> Any:
        """The column with missing values replaced by `value`: an array if the values are numbers.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array([3, None, 1]).fillna(0)
        array([3, 0, 1])
        """
        if self._valid is None:
            return self._values
        return where(self._valid, self._values, asarray(value).astype(self._values.dtype))

    # -- rows --

    def _take(self, rows: ndarray) -> Any:
        return take(self._values, rows)

    def _rows(self: Self, rows: Any) -> Self:
        """These rows: int64, negative from the end."""
        rows = asarray(rows)
        if rows.dtype.kind not in "iu":
            raise IndexError("arrays used as indices must be of integer (or boolean) type")
        rows = rows.astype(np.int64)
        return self._like(self._take(rows), None if self._valid is None else take(self._valid, rows))

    def take(self: Self, rows: Any) -> Self:
        """The rows with these numbers; negative ones count from the end.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array(["a", "b", "c"]).take([2, 0])
        strings(['c', 'a'])
        """
        return self._rows(rows)

    def _slice(self, start: int, step: int, count: int) -> Any:
        return self._values[start : start + count] if step == 1 else self._values[start::step][:count]

    def _item(self, row: int) -> Any:
        return self._values[row]

    def __getitem__(self, key: object) -> Any:
        if isinstance(key, slice):
            start, step, count = range_of(key, self.size)
            if step < 0:
                return self._rows(asarray(np.arange(start, start + count * step, step)))
            valid = None if self._valid is None else self._valid[start : start + count * step : step][:count].copy()
            return self._like(self._slice(start, step, count), valid)
        if hasattr(key, "__index__") and not (isinstance(key, (Array, np.ndarray)) and key.ndim):
            row = operator.index(key)
            if not -self.size <= row < self.size:
                raise IndexError(f"index {row} is out of bounds for axis 0 with size {self.size}")
            row += self.size if row < 0 else 0
            return self._item(row) if self._valid is None or bool(self._valid[row]) else None
        return self._rows(self._row_numbers(key))

    def _row_numbers(self, key: Any) -> ndarray:
        """Row numbers of a mask or an index array; a missing value in a mask selects nothing."""
        if isinstance(key, Column):
            if key.dtype != np.bool_:
                raise IndexError("columns used as indices must be masks")
            key = key.fillna(False)
        rows = asarray(key if not isinstance(key, list) or key else np.zeros(0, np.int64))
        if rows.dtype != np.bool_:
            return rows
        if rows.shape != self.shape:
            raise IndexError(
                "boolean index did not match indexed array along axis 0; "
                f"size of axis is {self.size} but size of corresponding boolean axis is {rows.size}"
            )
        return flatnonzero(rows)

    def __iter__(self) -> Iterator[Any]:
        for begin in range(0, self.size, 4096):
            yield from self[begin : begin + 4096].to_list()

    def copy(self: Self) -> Self:
        """A column with the same values. Columns do not change, so nothing is copied."""
        return self._like(self._values, self._valid)

    def __deepcopy__(self: Self, memo: Any) -> Self:
        return self

    def __reduce__(self) -> Any:
        """Pickles the Arrow array, from which another process makes a column of the same kind."""
        return _restored, (type(self), self.to_arrow())

    # -- conversion --

    def to_list(self) -> list[Any]:
        """Python values, None where one is missing."""
        return self._with_none(self._values.tolist())

    def _with_none(self, values: list[Any]) -> list[Any]:
        """All rows' values, with None in the place of those that are missing."""
        if self._valid is None:
            return values
        return [value if there else None for value, there in zip(values, self._valid.tolist(), strict=True)]

    tolist = to_list

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """A NumPy array: of the values' dtype when no value is missing, else of objects, with None."""
        values: np.ndarray[Any, Any] = self._values.to_numpy()
        if self._valid is None:
            return values
        objects = values.astype(object)
        objects[~self._valid.to_numpy()] = None
        return objects

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        values = self.to_numpy()
        return values if dtype is None else values.astype(dtype)

    def to_arrow(self) -> Any:
        """A pyarrow array. With one PE it shares the values' memory; the validity is converted to a bitmap."""
        return arrow_of(self._values, self._valid)

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        capsules: tuple[Any, Any] = self.to_arrow().__arrow_c_array__(requested_schema)
        return capsules

    def __arrow_c_schema__(self) -> Any:
        return self[:0].to_arrow().type.__arrow_c_schema__()

    def __arrow_array__(self, type: Any = None) -> Any:
        array = self.to_arrow()
        return array if type is None else array.cast(type)

    def to_pandas(self) -> Any:
        """A pandas Series, of a nullable type when values are missing."""
        import pandas as pd

        return pd.Series(pd.array(self.to_list(), dtype=_pandas_type(self.dtype)))

    # -- arithmetic and comparison --

    def _compared(self, other: object, operation: Callable[[Any, Any], Any]) -> Any:
        return self._with(other, operation)

    def _with(self, other: object, operation: Callable[[Any, Any], Any]) -> Any:
        if isinstance(other, Column):
            if type(other) is not Column:
                return NotImplemented
            valid = both(self._valid, other._valid)
            return column_or_array(operation(self._values, other._values), valid)
        if other is None:
            values = operation(self._values, self._values)
            return Column(values, zeros(self.size, dtype=bool))
        return column_or_array(operation(self._values, other), self._valid)

    def __and__(self, other: object) -> Any:
        """Three-valued logic: False and a missing value is False."""
        return self._logical(other, operator.and_, False)

    def __or__(self, other: object) -> Any:
        """Three-valued logic: True or a missing value is True."""
        return self._logical(other, operator.or_, True)

    __rand__, __ror__ = __and__, __or__

    def _logical(self, other: Any, operation: Callable[[Any, Any], Any], decided: bool) -> Any:
        if self.dtype != np.bool_:
            return self._with(other, operation)
        right = other if isinstance(other, Column) else column_from_array(asarray(other))
        valid = both(self._valid, right._valid)
        values = operation(self._values, right._values)
        if valid is not None:
            known = [self._deciding(decided), right._deciding(decided)]
            valid = valid | known[0] | known[1]
            values = where(known[0] | known[1], decided, values)
        return column_or_array(values, valid)

    def _deciding(self, value: bool) -> ndarray:
        decides: ndarray = self._values == value
        return decides if self._valid is None else decides & self._valid

    def __invert__(self) -> Any:
        return column_or_array(~self._values, self._valid)

    def __neg__(self) -> Any:
        return column_or_array(-self._values, self._valid)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return column_or_array(abs(self._values), self._valid)

    def astype(self, dtype: Any) -> Any:
        """The values in another type; missing values stay missing. To `str`: strings, as Python writes the values.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array([1, None]).astype("float64")
        column([1.0, None], dtype=float64)
        >>> ak.array([1, None]).astype(str)
        strings(['1', None])
        """
        if dtype is str or (isinstance(dtype, str) and dtype in ("str", "string")):
            return text_makers[0](self._values, self._valid)
        return column_or_array(self._values.astype(dtype), self._valid)

    def apply(self, function: Callable[[Any], Any]) -> Any:
        """`function` of the values, an elementwise function of arrays; missing values stay missing.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array([4.0, None]).apply(ak.sqrt)
        column([2.0, None], dtype=float64)
        """
        return column_or_array(function(self._values), self._valid)

    # -- order --

    def _argsort(self) -> ndarray:
        return argsort(self._values)

    def argsort(self, *, descending: bool = False, nulls: str = "last") -> ndarray:
        """The rows in order of their values, equal ones in order of rows: int64.

        Parameters
        ----------
        descending : bool
            Largest first; equal values stay in order of rows.
        nulls : str
            Position of rows with missing values, which keep their order: "last" or "first".

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array(["b", None, "a"]).argsort()
        array([2, 0, 1])
        """
        if nulls not in ("first", "last"):
            raise ValueError(f"nulls go 'first' or 'last', not {nulls!r}")
        there = self.dropna()
        order = there._argsort()
        if descending:  # stable: the order from the end of the rows, backwards
            order = (there.size - 1) - there._rows(asarray(np.arange(there.size - 1, -1, -1)))._argsort()[::-1]
        if self._valid is None:
            return order
        missing = flatnonzero(~self._valid)
        order = take(flatnonzero(self._valid), order)
        return concatenate([order, missing] if nulls == "last" else [missing, order])

    def sort(self: Self, *, descending: bool = False, nulls: str = "last") -> Self:
        """The rows in order; see `argsort`. A new column: columns do not change.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array([3, None, 1]).sort(nulls="first")
        column([None, 1, 3], dtype=int64)
        """
        return self._rows(self.argsort(descending=descending, nulls=nulls))

    # -- methods that kinds override --

    def _together(self, columns: Sequence[Column]) -> Column:
        """Concatenates columns; this is the one that decides the class of the result."""
        return Column(concatenate([column.values for column in columns]), valid_of_all(columns))

    def _choose(self, mask: ndarray, yes: ArrayLike, no: ArrayLike) -> Any:
        """Values of `yes` where the mask is true, else of `no`: columns, arrays or scalars; this is one of them."""
        sides: list[tuple[Any, Any]]
        sides = [(value.values, value.valid) if isinstance(value, Column) else (value, None) for value in (yes, no)]
        sides = [(0, full(mask.size, False)) if values is None else (values, valid) for values, valid in sides]
        values = where(mask, sides[0][0], sides[1][0])
        return column_or_array(values, chosen_valid(mask, sides[0][1], sides[1][1]))

    def _key(self) -> tuple[ndarray, Any]:
        """Codes from 0 on in the order of the values, -1 for missing ones, and the table of values that they index.

        As `numbers`, but the table may have values that no row has.
        """
        return self.numbers()[:2]

    def _as_numbers(self) -> tuple[ndarray, Callable[[ndarray], Any]] | None:
        """Integers that compare like the values, and a function that converts such integers to values.

        None when only `_key` provides such integers. Those of missing values are arbitrary.
        """
        return (self._values, Unchanged()) if type(self) is Column else None

    def _fitting(self, other: Column) -> Column:
        """Converts another column for comparison with this one; values that this kind cannot have become missing."""
        return other

    def _paired(self, other: Column) -> tuple[ndarray, ndarray] | None:
        """Codes as from `_key`, of this column and of a fitting one, without concatenating both."""
        return None

    def _grouped(self, figure: str) -> tuple[ndarray, Callable[[ndarray, ndarray | None], Any]]:
        """Numbers to aggregate instead of the values, and a function that makes the result of aggregates and validity.

        TypeError when the kind has no such aggregate.
        """
        return self._values, column_or_array

    def _own_figure(self, figure: str, rows: Callable[[], ndarray], ngroups: int) -> Any:
        """An aggregate that the kind computes itself, given the group number of each row; None: use `_grouped`."""
        return None

    # -- the engine's side --

    def _bits(self) -> Any:
        """Arrow's validity bitmap, None when no value is missing."""
        return None if self._valid is None else validity_bits(self._valid)

    def _hiding(self: Self, missing: ndarray) -> Self:
        """The column with further values marked as missing."""
        return self._like(self._values, both(self._valid, ~missing))

    def _all_missing(self: Self, size: int) -> Self:
        """A column of this kind whose values are all missing."""
        return self._like(zeros(size, dtype=self._values.dtype), zeros(size, dtype=bool))

    def numbers(self) -> tuple[ndarray, Any, ndarray]:
        """Factorizes the column: the code of each row, the distinct values, and the first row of each.

        Returns
        -------
        numbers : ndarray of int64
            For each row the index of its value in `distinct`; -1 if it is missing.
        distinct : Column or ndarray
            Ascending.
        first : ndarray of int64
            The first row of each distinct value.
        """
        distinct, first, numbers = unique(self._there(), return_index=True, return_inverse=True)
        numbers, first = self._spread(numbers, first)
        return numbers, distinct, first

    def ranks(self) -> ndarray:
        """Numbers in the order of the values, the largest for missing ones: for sorting by several columns."""
        if self._valid is None and (plain := self._as_numbers()) is not None:
            return plain[0]
        numbers, distinct = self._key()
        return numbers if self._valid is None else where(numbers < 0, distinct.size, numbers)

    def _spread(self, numbers: ndarray, first: ndarray) -> tuple[ndarray, ndarray]:
        """Scatters results of the rows with a value to all rows."""
        if self._valid is None:
            return numbers, first
        rows = flatnonzero(self._valid)
        spread = full(self.size, -1, dtype=np.int64)
        spread[rows] = numbers
        return spread, take(rows, first)


def _restored(kind: type[Column], array: ArrayLike) -> Column:
    """Restores a pickled column of a kind from its Arrow array."""
    made: Any = asarray(array)
    if isinstance(made, kind):
        return made
    return kind(made)


def valid_of_all(columns: Sequence[Column]) -> ndarray | None:
    """The validity of concatenated columns."""
    if all(column.valid is None for column in columns):
        return None
    valid: ndarray = concatenate([column.notna() for column in columns])
    return valid


def chosen_valid(mask: ndarray, yes: ndarray | None, no: ndarray | None) -> ndarray | None:
    """The validity of values that a mask chooses from two columns."""
    if yes is None and no is None:
        return None
    there = [full(mask.size, True) if valid is None else valid for valid in (yes, no)]
    return (mask & there[0]) | (~mask & there[1])


def own_kind(values: Iterable[Any], otherwise: Column) -> Column:
    """The column that decides the class of a combination: the one with the largest `_decides`, not plain numbers."""
    kinds = [value for value in values if isinstance(value, Column) and type(value) is not Column]
    return max(kinds, key=lambda column: column._decides, default=otherwise)


def both(a: ndarray | None, b: ndarray | None) -> ndarray | None:
    """The conjunction of two validity masks."""
    return a if b is None else b if a is None else a & b


def column_from_array(values: ndarray) -> Column:
    """A column of an array, without missing values."""
    return Column(values if values.ndim else values.reshape(1))


def column_or_array(values: ndarray, valid: ndarray | None) -> Any:
    """An array if there is no validity mask, else a column."""
    return values if valid is None else Column(values, valid)


def as_column(values: ArrayLike) -> Column:
    """A column as it is; an array or array-like as a column."""
    if isinstance(values, Column):
        return values
    made: Any = asarray(values)
    return made if isinstance(made, Column) else column_from_array(made)


def _pandas_type(dtype: np.dtype[Any]) -> str:
    return "boolean" if dtype.kind == "b" else dtype.name.replace("int", "Int").replace("uI", "UI").replace("f", "F")
