# SPDX-License-Identifier: Apache-2.0
"""How the types of files' columns are held: which of the engine's arrays, and what column is made of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import _core
from ..arrays.array import wrap
from ..arrays.creation import asarray
from ..arrays.selection import take
from ..columns.categorical.categorical import Categorical
from ..columns.column import column_or_array
from ..columns.creation import from_arrow
from ..columns.datetime.tick import zone_name
from ..columns.text.strings import texts_of
from ..session.everywhere import TEXT

if TYPE_CHECKING:
    from ..annotations import ArrayLike

#: Digits of decimals that fit in 8 bytes.
WORD = 18
#: Digits of decimals whose whole numbers floats have.
EXACT = 15


class Storage(NamedTuple):
    """A column's way from Arrow's chunks to the engine."""

    kind: int  # code of the dtype of what PEs leave, or TEXT
    prepare: Callable[[Any], Any]  # chunks as they are left
    make: Callable[[Any, Any], Any]  # the column, of values and validity
    categories: bool = False  # chunks have dictionaries, which are to become one


def storage_of(kind: Any) -> Storage | None:
    """How columns of that type of Arrow's are held; None: as a whole, on every PE, before they are columns."""
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(kind):
        held = storage_of(kind.value_type)
        known = held is not None and not types.is_null(kind.value_type)
        return Storage(_core.DTYPES["int64"], _as_it_is, _numbers, True) if known else None
    if types.is_string(kind) or types.is_large_string(kind):
        return Storage(TEXT, _as_it_is, _texts)
    if types.is_string_view(kind) or types.is_null(kind):
        return Storage(TEXT, lambda array: array.cast(pa.large_string()), _texts)
    if types.is_float16(kind):
        return Storage(_core.DTYPES["float32"], lambda array: array.cast(pa.float32()), _numbers)
    if types.is_decimal128(kind) and kind.precision <= WORD:
        return Storage(_core.DTYPES["int64"], _words_of, lambda values, valid: _decimals(values, valid, kind))
    if types.is_boolean(kind):
        return Storage(_core.DTYPES["bool"], _as_it_is, _numbers)
    if types.is_integer(kind) or types.is_floating(kind):
        name = {"float": "float32", "double": "float64"}.get(str(kind), str(kind))
        return Storage(_core.DTYPES[name], _as_it_is, _numbers)
    if types.is_timestamp(kind) or types.is_date(kind) or types.is_duration(kind) or types.is_time(kind):
        return Storage(_core.DTYPES["int64"], _ticks_of, lambda values, valid: _ticks(values, valid, kind))
    return None


def floats_of(kind: Any) -> Storage | None:
    """How decimals are held as floats that are exactly theirs, rounded once; None where that is not simple."""
    import pyarrow as pa

    if not pa.types.is_decimal128(kind) or kind.precision > EXACT:
        return None

    def prepare(array: Any) -> Any:
        words = _words_of(array)
        gone = words.is_null().to_numpy(zero_copy_only=False) if words.null_count else None
        return pa.array(words.fill_null(0).to_numpy() / 10.0**kind.scale, mask=gone)

    return Storage(_core.DTYPES["float64"], prepare, _numbers)


def _as_it_is(array: ArrayLike) -> Any:
    return array


def _numbers(values: Any, valid: Any) -> Any:
    return column_or_array(wrap(values), None if valid is None else wrap(valid))


def _texts(values: Any, valid: Any) -> Any:
    return texts_of(values, None if valid is None else wrap(valid))


def _words_of(array: Any) -> Any:
    import pyarrow as pa

    words = np.frombuffer(array.buffers()[1], np.int64, 2 * len(array), offset=16 * array.offset)[::2]
    numbers = pa.array(words)
    if not array.null_count:
        return numbers
    return pa.array(words, mask=array.is_null().to_numpy(zero_copy_only=False))


def _decimals(values: Any, valid: Any, kind: Any) -> Any:
    from ..columns.numeric.decimals import decimals_of
    from ..columns.numeric.wide import Limbs

    made = Limbs.of_array(wrap(values)).widened(2)
    return decimals_of(made, None if valid is None else wrap(valid), kind.precision, kind.scale)


def _ticks_of(array: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_date64(array.type):
        array = array.cast(pa.date32())
    return array.view(pa.int32()).cast(pa.int64()) if array.type.bit_width == 32 else array


def _ticks(values: Any, valid: Any, kind: Any) -> Any:
    import pyarrow as pa

    from ..columns.datetime import creation as making
    from ..columns.datetime.ticks import CLASSES

    del making
    letter = "m" if pa.types.is_duration(kind) else "t" if pa.types.is_time(kind) else "M"
    zone = zone_name(kind.tz) if pa.types.is_timestamp(kind) and kind.tz is not None else None
    unit = "D" if pa.types.is_date(kind) else kind.unit
    return CLASSES[letter]._made(wrap(values), None if valid is None else wrap(valid), unit, zone)


class Dictionary:
    """On one PE: the distinct values of a column's dictionaries, in the order in which they came."""

    def __init__(self, pe: int, pes: int) -> None:
        self._pe, self._pes = pe, pes
        self._lock = threading.Lock()
        self.values: Any = None

    def codes(self, array: Any) -> Any:
        """For each row the number of its value among this PE's, times the number of PEs, and this PE's."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if array.dictionary.null_count:  # a value that is missing is a row without one
            array = array.dictionary_decode().dictionary_encode()
        with self._lock:
            if self.values is None:
                self.values = array.dictionary.slice(0, 0)
            places = pc.index_in(array.dictionary, value_set=self.values)
            if places.null_count:
                new = array.dictionary.filter(places.is_null()).unique()
                self.values = pa.concat_arrays([self.values, new])
                places = pc.index_in(array.dictionary, value_set=self.values)
        numbers = places.to_numpy(zero_copy_only=False).astype(np.int64) * self._pes + self._pe
        return pa.array(numbers).take(array.indices)


def categorical_of(codes: Any, dictionaries: Sequence[Any], ordered: bool) -> Any:
    """The column of categories, of the codes that the PEs left and of their dictionaries."""
    import pyarrow as pa
    import pyarrow.compute as pc

    known = [values for values in dictionaries if values is not None]
    table = pa.chunked_array(known).unique() if known else pa.array([], pa.string())
    pes = len(dictionaries)
    values = codes.values if hasattr(codes, "valid") else codes
    if pes > 1:
        places = np.zeros(max(max(map(len, known), default=0) * pes, 1), np.int64)
        for pe, own in enumerate(dictionaries):
            if own is not None and len(own):
                places[np.arange(len(own)) * pes + pe] = pc.index_in(own, value_set=table).to_numpy()
        values = take(asarray(places), values)
    return Categorical._made(values, getattr(codes, "valid", None), from_arrow(table), ordered)
