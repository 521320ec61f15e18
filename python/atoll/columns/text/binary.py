# SPDX-License-Identifier: Apache-2.0
"""Columns of bytes."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _core
from ...arrays.array import expr_of
from ...arrays.creation import asarray, full
from ...session import current
from ..arrow import arrow_array, has_arrow
from ..column import chosen_valid
from ..objects import object_array
from .encodings import encoding_of, error_of
from .sequences import Sequences
from .strings import texts_of

if TYPE_CHECKING:
    from ...annotations import ArrayLike
    from ...arrays.ndarray import ndarray

__all__ = ["Binary", "binary"]


class Binary(Sequences):
    """A column of bytes of any length, of which some may be missing; in order of their bytes.

    `ak.binary` makes one of bytes or of an Arrow array, `str.encode` of strings.

    Examples
    --------
    >>> import atoll as ak
    >>> a = ak.binary([b"\\xff\\x00", None, b"ab"])
    >>> a
    binary([b'\\xff\\x00', None, b'ab'])
    >>> a.len(), a == b"ab"
    (column([2, None, 2], dtype=int64), column([False, None, True], dtype=bool))
    >>> ak.array(["é"]).str.encode("utf-8").decode("utf-8")
    strings(['é'])
    """

    __slots__ = ()
    _name = "bytes"

    def __init__(self, values: Any) -> None:
        made = binary(values)
        self._values, self._valid = made._values, made._valid

    @property
    def dtype(self) -> Any:
        """NumPy dtype of bytes of any length: objects."""
        return np.dtype(object)

    @property
    def kind(self) -> str:
        """The dtype: "bytes"."""
        return "bytes"

    @property
    def str(self) -> Binary:
        """The column itself, as pandas has `.str` of bytes: `decode`, `len`."""
        return self

    def len(self) -> Any:
        """Bytes of each: int64."""
        return self._measure("byte_len")

    def decode(self, encoding: Any = "utf-8", errors: Any = "strict") -> Any:
        """The strings that these bytes are in an encoding.

        Parameters
        ----------
        encoding : str
            utf-8, ascii, latin-1, utf-16-le, utf-16-be, utf-32-le or utf-32-be, and their other names.
        errors : {"strict", "ignore", "replace"}
            What becomes of bytes that are none: ValueError, nothing, or U+FFFD.
        """
        call = [encoding_of(encoding)]
        return texts_of(_core.text_map(self._values, "decode", call, [error_of(errors)]), self._valid)

    def fillna(self, value: ArrayLike) -> Any:
        """The column with bytes, or those of another column, where some are missing."""
        return self if self._valid is None else self._choose(self._valid, self.values, value)

    def astype(self, dtype: Any) -> Any:
        """To `str`: the strings that they are in UTF-8."""
        if dtype is not str and dtype not in ("str", "string"):
            raise TypeError(f"bytes do not become {dtype}; decode() makes texts of them")
        return self.decode()

    # -- to others --

    def to_list(self) -> list[Any]:
        """Python's bytes, None where some are missing."""
        offsets, data = _core.text_buffers(self._values)
        every = data.tobytes()
        return self._with_none([every[begin:end] for begin, end in itertools.pairwise(offsets.tolist())])

    tolist = to_list

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """A NumPy array of objects: bytes, None where some are missing."""
        return object_array(self.to_list())

    def to_arrow(self) -> Any:
        """A pyarrow array of type large_binary. With one PE it shares the column's memory."""
        import pyarrow as pa

        offsets, data = _core.text_buffers(self._values)
        buffers = [self._bits(), pa.py_buffer(offsets), pa.py_buffer(data)]
        return pa.Array.from_buffers(pa.large_binary(), self.size, buffers, null_count=self.null_count)

    def to_pandas(self) -> Any:
        """A pandas Series of Arrow's bytes."""
        import pandas as pd

        return pd.Series(pd.arrays.ArrowExtensionArray(self.to_arrow()))

    def __repr__(self) -> Any:
        return self._repr("binary", [])

    # -- what kinds do in their own way --

    def _one_of(self, other: object) -> bytes | None:
        return bytes(other) if isinstance(other, (bytes, bytearray, memoryview)) else None

    def _several_of(self, other: object) -> Any:
        return other if isinstance(other, Binary) else binary(other) if isinstance(other, (list, tuple)) else None

    def _choose(self, mask: ndarray, yes: Any, no: Any) -> Any:
        sides = [self._side(value, mask.size) for value in (yes, no)]
        values = _core.text_where(expr_of(mask), sides[0]._values, sides[1]._values)
        return self._like(values, chosen_valid(mask, sides[0]._valid, sides[1]._valid))

    def _side(self, value: ArrayLike, size: int) -> Binary:
        if isinstance(value, Binary):
            return value
        if value is None or self._one_of(value) is not None:
            one: Binary = binary([value])._rows(full(size, 0, dtype=np.int64))
            return one
        return binary(value)


def binary(values: Any) -> Binary:
    """A column of bytes.

    Parameters
    ----------
    values : array_like
        Bytes, None for missing ones: a list, a NumPy array of objects or of dtype S (without the zeros at their ends),
        a pandas Series, an Arrow array of binary values of any width. In an SPMD session every PE passes the same
        values.

    Raises
    ------
    TypeError
        An element that is no bytes.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.binary([b"b", b"a"]).sort()
    binary([b'a', b'b'])
    """
    if isinstance(values, Binary):
        return values
    if has_arrow(values) and not isinstance(getattr(values, "dtype", None), np.dtype):
        return binary_from_arrow(arrow_array(values))
    rows = [None if value is None or value != value else value for value in values]
    for i, row in enumerate(rows):
        if row is not None and not isinstance(row, (bytes, bytearray, memoryview)):
            raise TypeError(f"element {i} is {type(row).__name__}, not bytes. Encode texts first, with str.encode()")
    lengths = np.fromiter((0 if row is None else len(row) for row in rows), np.int64, len(rows))
    data = b"".join(row for row in rows if row is not None)
    missing = np.fromiter((row is None for row in rows), bool, len(rows))
    return _of_buffers(np.concatenate([[0], lengths.cumsum()]), data, asarray(~missing) if missing.any() else None)


def binary_from_arrow(array: Any) -> Binary:
    """The column of an Arrow array of bytes, of any or of a fixed width."""
    import pyarrow as pa

    kind = array.type
    known = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)
    if not any(is_kind(kind) for is_kind in known):
        raise TypeError(f"bytes are not {kind}")
    array = array.cast(pa.large_binary())
    valid = asarray(array.is_valid().to_numpy(zero_copy_only=False)) if array.null_count else None
    if len(array) == 0:
        return _of_buffers(np.zeros(1, np.int64), b"", None)
    _, offsets, data = array.buffers()
    places = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
    return _of_buffers(places, data if data is not None and data.size else b"", valid)


def _of_buffers(offsets: Any, data: Any, valid: ndarray | None) -> Binary:
    """The column of Arrow's buffers, which are used where they lie if that may be."""
    places = offsets.astype(np.int64, copy=False)
    found = np.frombuffer(data, np.uint8) if len(memoryview(data)) else np.zeros(64, np.uint8)
    return binary_of(_core.text_from_buffers(current(), places, found, (places, found), True), valid)


def binary_of(values: _core.Texts, valid: ndarray | None) -> Binary:
    """The column of the engine's bytes."""
    column: Binary = object.__new__(Binary)
    column._values, column._valid = values, valid
    return column
