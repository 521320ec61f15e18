# SPDX-License-Identifier: Apache-2.0
"""Categorical columns: a table of distinct values, and a code for each row."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.array import Array
from ...arrays.creation import arange, asarray, full
from ...arrays.histograms import bincount
from ...arrays.selection import take, where
from ...arrays.sorting import sort as sort_array
from ..column import ORDINAL, Column, as_column, both, chosen_valid, column_or_array, valid_of_all
from ..functions.functions import concatenate, sort, unique
from ..objects import object_array
from .codes import checked, code_type, filled, places_in, same_table, several, size_of, without_nan
from .methods import Categorized

if TYPE_CHECKING:
    from ...annotations import ArrayLike
    from ...arrays.ndarray import ndarray

__all__ = ["Categorical"]

_UNORDERED = "Categorical is not ordered for operation {0}\nyou can use .as_ordered() to make it an ordered one"


class Categorical(Categorized):
    """A categorical column, with missing values: a small integer code per row, and the table of categories.

    Sorting, grouping, joining and comparing use only codes. The order of the categories is that of the column;
    where `ordered`, values can be compared by it. Methods have pandas' names and results, with and without `.cat`.

    Parameters
    ----------
    values : array_like
        Values, None or NaN for missing ones; a pandas.Categorical, an Arrow dictionary array.
    categories : array_like, optional
        The categories in their order, each once; values that are not among them are missing. By default all values in
        ascending order.
    ordered : bool, optional
        Whether the categories are ordered.

    Raises
    ------
    ValueError
        Categories that are not distinct, or missing.

    Examples
    --------
    >>> import atoll as ak
    >>> c = ak.Categorical(["low", "high", None, "low"], categories=["low", "high"], ordered=True)
    >>> c
    categorical(['low', 'high', None, 'low'], categories=['low' < 'high'])
    >>> c < "high", c.max()
    (column([True, False, None, True], dtype=bool), 'high')
    >>> ak.groupby(c).size()
    array([2, 1])
    """

    __slots__ = ("_categories", "_ordered")
    _decides = 2
    _values: ndarray  # codes; arbitrary valid ones for missing values
    _categories: Any  # an array or a column without missing values
    _ordered: bool

    def __init__(self, values: Any, categories: Any = None, ordered: bool | None = None) -> None:
        made: Any = asarray(values)
        if isinstance(made, Categorical):
            known = made if categories is None else made.set_categories(categories)
            codes, valid, table = known._values, known._valid, known._categories
            ordered = made._ordered if ordered is None else ordered
        else:
            column = without_nan(as_column(made))
            if categories is None:
                numbers, table = column._key()
            else:
                table = checked(categories)
                numbers = places_in(column, table)
            codes, valid = filled(numbers)
        self._set(codes, valid, table, bool(ordered))

    def _set(self, codes: ndarray, valid: ndarray | None, categories: Any, ordered: bool) -> None:
        self._values = codes.astype(code_type(size_of(categories)))
        self._valid, self._categories, self._ordered = valid, categories, ordered

    @classmethod
    def _made(cls, codes: ndarray, valid: ndarray | None, categories: Any, ordered: bool) -> Categorical:
        column: Categorical = object.__new__(cls)
        column._set(codes, valid, categories, ordered)
        return column

    def _like(self, values: Any, valid: ndarray | None) -> Any:
        return self._made(values, valid, self._categories, self._ordered)

    @classmethod
    def from_codes(cls, codes: Any, categories: Any, ordered: bool = False) -> Categorical:
        """A column from codes, -1 for missing values.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Categorical.from_codes([1, -1, 0], ["a", "b"])
        categorical(['b', None, 'a'], categories=['a', 'b'])
        """
        numbers, table = asarray(codes), checked(categories)
        if numbers.ndim != 1 or (numbers.dtype.kind not in "iu" and numbers.size):
            raise ValueError("codes need to be array-like integers")
        if numbers.size and (int(numbers.min()) < -1 or int(numbers.max()) >= size_of(table)):
            raise ValueError("codes need to be between -1 and len(categories)-1")
        return cls._made(*filled(numbers.astype(np.int64)), table, ordered)

    # -- attributes --

    @property
    def codes(self) -> ndarray:
        """The code of each row, -1 for missing values, in the smallest integer dtype."""
        return self._values.copy() if self._valid is None else where(self._valid, self._values, self._none())

    def _none(self) -> Any:
        return self._values.dtype.type(-1)

    @property
    def categories(self) -> Any:
        """The categories in their order: an array, or a column of their kind."""
        return self._categories

    @property
    def ordered(self) -> bool:
        """Whether the categories are ordered."""
        return self._ordered

    @property
    def cat(self) -> Categorical:
        """The column itself: its methods are those of pandas' `.cat`."""
        return self

    @property
    def str(self) -> Any:
        """Methods of strings, computed once for each category.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Categorical(["fig", "pear", "fig"]).str.len()
        array([3, 4, 3])
        """
        return _OfCategories(self)

    @property
    def values(self) -> Any:
        """The column itself, without its missing values' mask."""
        return self._like(self._values, None)

    @property
    def dtype(self) -> Any:
        """NumPy dtype of the categories."""
        return self._categories.dtype

    @property
    def kind(self) -> Any:
        """The dtype: "category"."""
        return "category"

    @property
    def nbytes(self) -> int:
        """Bytes of codes, categories and validity, on all PEs together."""
        return super().nbytes + int(self._categories.nbytes)

    def decode(self) -> Any:
        """The values themselves: an array or a column of the categories' kind.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Categorical([30, 10, 30]).decode()
        array([30, 10, 30])
        """
        return self._spread_of(self._categories)

    def _spread_of(self, of_categories: Any) -> Any:
        """Spreads a result per category to the rows."""
        if size_of(of_categories) == 0:
            return as_column(of_categories)._all_missing(self.size)
        taken = of_categories[self._values.astype(np.int64)]
        if self._valid is None:
            return taken
        return taken._hiding(~self._valid) if isinstance(taken, Column) else Column(taken, self._valid)

    def astype(self, dtype: Any) -> Any:
        """The values in another type, "category": as they are."""
        if isinstance(dtype, builtins.str) and dtype == "category":
            return self
        return self._spread_of(as_column(self._categories).astype(dtype))

    def apply(self, function: Callable[[Any], Any]) -> Any:
        """`function` of the categories, to the rows: an elementwise function."""
        return self._spread_of(function(self._categories))

    # -- conversion --

    def _item(self, row: int) -> Any:
        return self._categories[int(self._values[row])]

    def to_list(self) -> list[Any]:
        """Python values, None for missing ones."""
        known = np.empty(size_of(self._categories) + 1, dtype=object)
        known[:-1] = self._categories.tolist()
        listed: list[Any] = known[self.codes.to_numpy()].tolist()
        return listed

    tolist = to_list

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """A NumPy array of the values: of the categories' type when nothing is missing, else of objects, with None."""
        if self._valid is None and size_of(self._categories):
            values: np.ndarray[Any, Any] = self._categories.to_numpy()[self._values.to_numpy()]
            return values
        return object_array(self.to_list())

    def __reduce__(self) -> Any:
        return Categorical.from_codes, (self.codes, self._categories, self._ordered)

    def to_arrow(self) -> Any:
        """A pyarrow DictionaryArray.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Categorical(["b", None]).to_arrow().type
        DictionaryType(dictionary<values=large_string, indices=int8, ordered=0>)
        """
        import pyarrow as pa

        missing = None if self._valid is None else ~self._valid.to_numpy()
        codes = pa.array(self._values.to_numpy(None), mask=missing)
        return pa.DictionaryArray.from_arrays(codes, as_column(self._categories).to_arrow(), ordered=self._ordered)

    def to_pandas(self) -> Any:
        """A pandas Series of dtype category."""
        import pandas as pd

        held = self._categories
        if isinstance(held, Column):
            made = held.to_pandas()
            categories = pd.Index(made.astype("str") if made.dtype == "string" else made)
        else:
            categories = pd.Index(held.to_numpy())
        return pd.Series(pd.Categorical.from_codes(self.codes.to_numpy(), categories, ordered=self._ordered))

    def __repr__(self) -> builtins.str:
        between = " < " if self._ordered else ", "
        categories = between.join(as_column(self._categories)._shown())
        return self._repr("categorical", [f"categories=[{categories}]"])

    # -- categories --

    def as_ordered(self) -> Categorical:
        """The column with ordered categories."""
        return self._made(self._values, self._valid, self._categories, True)

    def as_unordered(self) -> Categorical:
        """The column with unordered categories."""
        return self._made(self._values, self._valid, self._categories, False)

    def set_categories(self, new_categories: Any, ordered: bool | None = None, rename: bool = False) -> Categorical:
        """With these categories; values that are not among them become missing.

        Parameters
        ----------
        new_categories : array_like
            Categories in their order.
        ordered : bool, optional
            Whether the order means something; by default as before.
        rename : bool
            The new categories take the old ones' places, instead of standing for themselves.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Categorical(["a", "b"]).set_categories(["b", "c"])
        categorical([None, 'b'], categories=['b', 'c'])
        """
        table = checked(new_categories)
        ordered = self._ordered if ordered is None else ordered
        if rename:
            codes = self.codes.astype(np.int64)
            return self._made(*filled(where(codes < size_of(table), codes, -1)), table, ordered)
        return self._made(*self._mapped(places_in(as_column(self._categories), table)), table, ordered)

    def _mapped(self, places: ndarray) -> tuple[ndarray, ndarray | None]:
        """Codes and validity after category i gets code places[i], or is removed (-1)."""
        if places.size == 0:
            return self._values, self._valid
        codes, valid = filled(take(places, self._values.astype(np.int64)))
        return codes, both(valid, self._valid)

    def add_categories(self, new_categories: Any) -> Categorical:
        """The column with one or several categories appended. ValueError for existing ones."""
        new = several(new_categories)
        known = places_in(as_column(new), self._categories) >= 0
        if bool(known.any()):
            raise ValueError(f"new categories must not include old categories: {set(new[known].tolist())}")
        table = checked(concatenate([self._categories, new]))
        return self._made(self._values, self._valid, table, self._ordered)

    def remove_categories(self, removals: Any) -> Categorical:
        """The column without some categories, whose rows become missing. ValueError for unknown ones.

        As in pandas, the remaining categories are sorted unless they are ordered.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Categorical(["a", "b"]).remove_categories("a")
        categorical([None, 'b'], categories=['b'])
        """
        gone = several(removals)
        places = places_in(as_column(gone), self._categories)
        if bool((places < 0).any()):
            raise ValueError(f"removals must all be in old categories: {set(gone[places < 0].tolist())}")
        kept = full(size_of(self._categories), True)
        kept[places] = False
        remaining = self._keeping(kept)
        return remaining if self._ordered else remaining.set_categories(sort(remaining._categories))

    def _keeping(self, kept: ndarray) -> Categorical:
        places = where(kept, kept.astype(np.int64).cumsum() - 1, -1)
        return self._made(*self._mapped(places), self._categories[kept], self._ordered)

    def remove_unused_categories(self) -> Categorical:
        """The column without unused categories."""
        return self._keeping(self._counts() > 0)

    reset_categories = remove_unused_categories  # Arkouda's name

    def _counts(self) -> ndarray:
        """Number of rows of each category: int64."""
        return asarray(bincount(self.codes.astype(np.int64) + 1, minlength=size_of(self._categories) + 1)[1:])

    def rename_categories(self, new_categories: Any) -> Categorical:
        """With other names for the categories: a list of all, a mapping of some, or a function of each.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Categorical(["a", "b"]).rename_categories({"a": "apple"})
        categorical(['apple', 'b'], categories=['apple', 'b'])
        """
        if isinstance(new_categories, Mapping):
            new_categories = [new_categories.get(value, value) for value in self._categories.tolist()]
        elif callable(new_categories):
            new_categories = [new_categories(value) for value in self._categories.tolist()]
        table = checked(new_categories)
        if size_of(table) != size_of(self._categories):
            raise ValueError("new categories need to have the same number of items as the old categories!")
        return self._made(self._values, self._valid, table, self._ordered)

    def reorder_categories(self, new_categories: Any, ordered: bool | None = None) -> Categorical:
        """With the categories in another order. ValueError unless they are the same."""
        table = checked(new_categories)
        places = places_in(as_column(self._categories), table)
        if size_of(table) != size_of(self._categories) or bool((places < 0).any()):
            raise ValueError("items in new_categories are not the same as in old categories")
        return self.set_categories(table, ordered)

    # -- comparison --

    def _compared(self, other: Any, operation: Callable[[Any, Any], Any]) -> Any:
        equality = operation in (operator.eq, operator.ne)
        if not (equality or self._ordered):
            raise TypeError("Unordered Categoricals can only compare equality or not")
        if other is None:
            return Column(full(self.size, False), full(self.size, False))
        if isinstance(other, Categorical):
            codes = self._codes_of(other)
            return column_or_array(operation(self._values, codes), both(self._valid, other._valid))
        if isinstance(other, (Column, Array, np.ndarray, list, tuple)) and getattr(other, "ndim", None) != 0:
            if not equality:
                raise TypeError("a Categorical is in order with Categoricals and its own categories alone")
            return operation(self.decode(), other)
        code = self._code(other)
        if code >= 0:
            return column_or_array(operation(self._values, code), self._valid)
        if not equality:
            raise TypeError(f"Cannot compare a Categorical with the given scalar, {other!r}, which is not a category")
        return column_or_array(full(self.size, operation is operator.ne), self._valid)

    def _code(self, value: ArrayLike) -> int:
        """The code of a category, -1 for other values."""
        if isinstance(value, (builtins.str, bytes)) != (as_column(self._categories).kind == "text"):
            return -1
        equal = self._categories == value
        return int(equal.argmax()) if equal.size and bool(equal.any()) else -1

    def _codes_of(self, other: Categorical) -> ndarray:
        """Another column's codes in this one's categories; TypeError where they differ."""
        if self._ordered == other._ordered and same_table(self._categories, other._categories):
            return other._values
        if not self._ordered and not other._ordered and size_of(self._categories) == size_of(other._categories):
            places = places_in(as_column(other._categories), self._categories)
            if not bool((places < 0).any()):
                return other._mapped(places)[0]
        raise TypeError("Categoricals can only be compared if 'categories' are the same.")

    def _with(self, other: object, operation: Callable[[Any, Any], Any]) -> Any:
        raise TypeError(f"Categoricals cannot perform the operation {operation.__name__}; decode() gives their values")

    # -- order and distinct values --

    def _extreme(self, name: builtins.str) -> Any:
        if not self._ordered:
            raise TypeError(_UNORDERED.format(name))
        there = self._there()
        return self._categories[int(getattr(there, name)())] if there.size else None

    def min(self) -> Any:
        """The first category that a row has, None when there is none; TypeError unless ordered."""
        return self._extreme("min")

    def max(self) -> Any:
        """The last category that a row has, None when there is none; TypeError unless ordered."""
        return self._extreme("max")

    def _reduced(self, name: builtins.str) -> Any:
        raise TypeError(f"'Categorical' does not support operation '{name}'; decode() gives the values")

    def numbers(self) -> tuple[ndarray, Any, ndarray]:
        """See `Column.numbers`."""
        numbers, distinct, first = super().numbers()
        return numbers, self._like(distinct, None), first

    def fillna(self, value: ArrayLike) -> Any:
        """The column with missing values replaced by a category; TypeError for other values."""
        return self if self._valid is None else self._choose(self._valid, self.values, value)

    # -- methods that kinds override --

    def _nothing(self, size: int) -> tuple[ndarray, ndarray]:
        return full(size, 0, dtype=np.int64), full(size, False)

    def _all_missing(self, size: int) -> Any:
        return self._like(*self._nothing(size))

    def _key(self) -> tuple[ndarray, Any]:
        return self.codes, self._like(arange(size_of(self._categories)), None)

    def _fitting(self, other: Column) -> Categorical:
        if isinstance(other, Categorical):
            return other
        return self._made(*filled(places_in(other, self._categories)), self._categories, self._ordered)

    def _paired(self, other: Any) -> tuple[ndarray, ndarray] | None:
        if same_table(self._categories, other._categories):
            return self.codes, other.codes
        codes, valid = other._mapped(places_in(as_column(other._categories), self._categories))
        return self.codes, (codes if valid is None else where(valid, codes, -1)).astype(self._values.dtype)

    def _together(self, columns: Sequence[Column]) -> Column:
        if not all(isinstance(column, Categorical) for column in columns):
            return as_column(
                concatenate([column.decode() if isinstance(column, Categorical) else column for column in columns])
            )
        own: Any = columns
        codes, table = unify(own)
        return self._made(concatenate(codes), valid_of_all(columns), table, own[0]._ordered)

    def _choose(self, mask: ndarray, yes: ArrayLike, no: ArrayLike) -> Any:
        sides = [self._side(value, mask.size) for value in (yes, no)]
        codes, table = unify(sides)
        valid = chosen_valid(mask, sides[0]._valid, sides[1]._valid)
        return self._made(where(mask, codes[0], codes[1]), valid, table, self._ordered)

    def _side(self, values: Any, size: int) -> Categorical:
        """A column of categories as it is, of values among them, or of one of them."""
        if isinstance(values, Categorical):
            return values
        if isinstance(values, (Column, Array)):
            found = self._fitting(as_column(values))
            if found.null_count > as_column(values).null_count:
                raise TypeError("Cannot set values that are not categories; add_categories first")
            return found
        code = -1 if values is None else self._code(values)
        if code < 0 and values is not None:
            raise TypeError(f"Cannot setitem on a Categorical with a new category ({values}), set the categories first")
        if code < 0:
            return self._made(*self._nothing(size), self._categories, self._ordered)
        return self._made(full(size, code), None, self._categories, self._ordered)

    def _grouped(self, figure: builtins.str) -> tuple[ndarray, Callable[[ndarray, ndarray | None], Any]]:
        if figure not in ORDINAL:
            raise TypeError(f"category type does not support {figure} operations")
        if figure in ("min", "max", "argmin", "argmax") and not self._ordered:
            raise TypeError(_UNORDERED.format(figure))
        return self._values, self._like


class _OfCategories:
    """String methods of the categories, with results spread to the rows."""

    __slots__ = ("_column",)

    def __init__(self, column: Categorical) -> None:
        self._column = column

    def __getattr__(self, name: str) -> Callable[..., Any]:
        table = self._column.categories
        if as_column(table).kind != "text":
            raise AttributeError("Can only use .str accessor with string values!")
        method = getattr(table.str, name)

        def spread(*args: object, **options: object) -> Any:
            found = method(*args, **options)
            if isinstance(found, tuple):
                return tuple(self._column._spread_of(one) for one in found)
            return self._column._spread_of(found)

        return spread


def categorical_from_arrow(array: Any) -> Categorical:
    """The column of an Arrow array of a dictionary type."""
    table: Any = asarray(array.dictionary)
    if array.dictionary.null_count or len(array.dictionary.unique()) < len(array.dictionary):
        return Categorical(asarray(array.dictionary_decode()), ordered=array.type.ordered)
    codes = asarray(array.indices.fill_null(0).to_numpy(zero_copy_only=False))
    valid = asarray(array.indices.is_valid().to_numpy(zero_copy_only=False)) if array.null_count else None
    return Categorical._made(codes, valid, table, array.type.ordered)


def unify(columns: Sequence[Categorical]) -> tuple[list[ndarray], Any]:
    """The columns' codes in categories that all share: those of the first, then of the others what is new.

    TypeError when the categories are of different kinds, or differ and their order means something.
    """
    first = columns[0]
    if all(same_table(first._categories, column._categories) for column in columns[1:]):
        if any(column._ordered != first._ordered for column in columns):
            raise TypeError("Categorical.ordered must be the same")
        return [column._values for column in columns], first._categories
    if any(column._ordered for column in columns):
        raise TypeError("to union ordered Categoricals, all categories must be the same")
    tables = [column._categories for column in columns if column._categories.size]
    if len({as_column(table).kind for table in tables}) > 1:
        raise TypeError("dtype of categories must be the same")
    every = concatenate(tables)
    _, met = unique(every, return_index=True)
    table = every[sort_array(met)]
    codes = [column._mapped(places_in(as_column(column._categories), table))[0] for column in columns]
    return codes, table
