# SPDX-License-Identifier: Apache-2.0
"""Columns of strings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _core
from ...arrays.array import Array, as_array, expr_of
from ...arrays.creation import asarray, full
from ...extras import pandas_if_loaded
from ...session import current
from ..arrow import arrow_array, has_arrow
from ..column import Column, both, chosen_valid, text_makers
from .split import SplitMethods

if TYPE_CHECKING:
    from ...annotations import ArrayLike
    from ...arrays.ndarray import ndarray


class Strings(SplitMethods):
    """A column of strings, of which some may be missing: UTF-8 of any length. `ak.array` and `ak.strings` make one.

    Strings compare, sort and group by code points. Methods have pandas' `.str` names and results, with and without
    `.str` before them: what pandas makes of each string, None where a string is missing.

    Examples
    --------
    >>> import atoll as ak
    >>> names = ak.array(["pear", "fig", None])
    >>> names.str.upper()
    strings(['PEAR', 'FIG', None])
    >>> names == "fig"
    column([False, True, None], dtype=bool)
    >>> ak.array(["pear", "fig"]) + " tree"
    strings(['pear tree', 'fig tree'])
    """

    __slots__ = ()
    _name = "texts"

    def __init__(self, values: Any, valid: Any = None) -> None:
        if isinstance(values, Strings):
            self._values, self._valid = values._values, values._valid
        else:
            made = strings(values)
            self._values, self._valid = made._values, made._valid
        if valid is not None:
            self._set_valid(both(self._valid, asarray(valid, dtype=bool)))

    # -- what it is --

    @property
    def dtype(self) -> Any:
        """NumPy's dtype of strings of any length."""
        return np.dtypes.StringDType()

    @property
    def kind(self) -> Any:
        """The dtype: "text"."""
        return "text"

    @property
    def str(self) -> Strings:
        """The column itself: its methods are those of pandas' `.str`."""
        return self

    # -- rows --

    def fillna(self, value: ArrayLike) -> Strings:
        """The column with a string, or those of another column, where one is missing.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array(["a", None]).fillna("?")
        strings(['a', '?'])
        """
        return self if self._valid is None else where_texts(self._valid, self.values, value)

    # -- to others --

    def to_list(self) -> list[Any]:
        """Python strings, None where one is missing."""
        valid = None if self._valid is None else self._valid.to_numpy()
        return _core.text_to_objects(*_core.text_buffers(self._values), valid, None)

    tolist = to_list

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """A NumPy array of dtype StringDType when nothing is missing, else of objects, with None."""
        dtype: Any = np.dtypes.StringDType() if self._valid is None else object
        return np.array(self.to_list(), dtype=dtype)

    def to_arrow(self) -> Any:
        """A pyarrow array of type large_string. With one PE it shares the column's memory.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array(["a", None]).to_arrow().to_pylist()
        ['a', None]
        """
        import pyarrow as pa

        offsets, texts = _core.text_buffers(self._values)
        buffers = [self._bits(), pa.py_buffer(offsets), pa.py_buffer(texts)]
        return pa.Array.from_buffers(pa.large_string(), self.size, buffers, null_count=self.null_count)

    def to_pandas(self) -> Any:
        """A pandas Series of pandas' dtype for strings."""
        import pandas as pd

        return pd.Series(self.to_list(), dtype="string")

    def __repr__(self) -> Any:
        return self._repr("strings", [])

    # -- comparison --

    def _one_of(self, other: object) -> Any:
        return other.encode() if isinstance(other, str) else None

    def _several_of(self, other: Any) -> Any:
        return as_strings(other)

    # -- the engine's side --

    def _choose(self, mask: ndarray, yes: ArrayLike, no: ArrayLike) -> Strings:
        return where_texts(mask, yes, no)

    def _other(self, values: ArrayLike) -> Strings:
        return broadcast_text(values, self.size)


def texts_of(values: _core.Texts, valid: ndarray | None = None) -> Strings:
    """The column of the engine's strings."""
    column: Strings = object.__new__(Strings)
    column._values, column._valid = values, valid
    return column


def strings(values: ArrayLike) -> Strings:
    """A column of strings.

    Parameters
    ----------
    values : array_like
        Strings, and None or NaN for missing ones: a list, a NumPy array of dtype object, U, S (UTF-8) or StringDType, a
        pandas Series, or a pyarrow string array. Numbers become strings as Python writes them. With one PE the memory
        of a pyarrow array of large strings is shared. In an SPMD session every PE passes the same values.

    Raises
    ------
    TypeError
        An element that is no text.
    ValueError
        Bytes that are not UTF-8, surrogates, offsets that fall; values of several dimensions.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.strings(["b", "a", None])
    strings(['b', 'a', None])
    """
    made = as_strings(values)
    if made is None and isinstance(values, Column):
        return values.astype("str")
    if made is None and isinstance(values, Array) and values.ndim == 1:
        return _of_numbers(as_array(values), None)
    if made is None:
        raise TypeError(f"strings are made of texts, not of {type(values).__name__}")
    return made


def as_strings(values: Any) -> Strings | None:
    """A column of strings of what holds strings; None of what is something else."""
    if isinstance(values, Column):
        return values if isinstance(values, Strings) else None
    if isinstance(values, (str, bytes, Array)) or not hasattr(values, "__len__"):
        return None
    if has_arrow(values):
        return strings_from_arrow(arrow_array(values))
    if not isinstance(values, (list, tuple)):
        values = np.asarray(values)
        if values.ndim != 1:
            raise ValueError(f"a column is 1-dimensional, got shape {values.shape}")
        if values.dtype.kind in "US":
            return _from_padded(values)
        if values.dtype.kind not in "OT":
            return None
        values = values.astype(object).tolist()
    pandas = pandas_if_loaded()  # only if pandas is imported can values be its NA
    return _made(_core.text_from_objects(current(), values, None if pandas is None else pandas.NA))


def _made(pair: tuple[_core.Texts, Any]) -> Strings:
    texts, valid = pair
    return texts_of(texts, None if valid is None else asarray(valid))


def _from_padded(values: np.ndarray[Any, Any]) -> Strings:
    width = max(values.dtype.itemsize // (4 if values.dtype.kind == "U" else 1), 1)
    values = np.ascontiguousarray(values.astype(values.dtype.newbyteorder("=")))
    if values.dtype.itemsize == 0:
        return _made(_core.text_from_objects(current(), [""] * values.size, None))
    cells = values.view(np.uint32 if values.dtype.kind == "U" else np.uint8).reshape(values.size, width)
    return _made(_core.text_from_padded(current(), cells))


def strings_from_arrow(array: Any) -> Strings | None:
    """The column of a pyarrow array of strings, or of nothing but missing ones; None of others."""
    import pyarrow as pa

    kinds = (pa.types.is_null, pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if not any(kind(array.type) for kind in kinds):
        return None
    array = array.cast(pa.large_string())
    if len(array) == 0:
        return _made(_core.text_from_objects(current(), [], None))
    _, offsets, texts = array.buffers()
    where_to = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
    data = np.frombuffer(texts, np.uint8) if texts is not None and texts.size else np.zeros(64, np.uint8)
    made = _core.text_from_buffers(current(), where_to, data, array)
    valid = None if array.null_count == 0 else asarray(array.is_valid().to_numpy(zero_copy_only=False))
    return texts_of(made, valid)


def where_texts(condition: ndarray, yes: ArrayLike, no: ArrayLike) -> Strings:
    """Strings of `yes` where the condition is true, else of `no`; either may be one string."""
    columns = [broadcast_text(value, condition.size) for value in (yes, no)]
    valids = [column._valid for column in columns]
    values = _core.text_where(expr_of(condition), columns[0]._values, columns[1]._values)
    return texts_of(values, chosen_valid(condition, *valids))


def broadcast_text(value: ArrayLike, size: int) -> Strings:
    """A column as it is, one string (or None) as a column of that length."""
    if value is None or isinstance(value, str):
        one = strings([value])
        return one._rows(full(size, 0, dtype=np.int64))
    column = strings(value)
    if column.size != size:
        raise ValueError(f"columns of {column.size} and {size} rows do not go together")
    return column


def _of_numbers(values: ndarray, valid: ndarray | None) -> Strings:
    return texts_of(_core.text_of_numbers(expr_of(values)), valid)


text_makers.append(_of_numbers)
