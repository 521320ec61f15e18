# SPDX-License-Identifier: Apache-2.0
"""Creation of columns from foreign values, by the names of their types: one line for each kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays.array import are_texts
from ..arrays.creation import asarray
from ..extras import pandas_if_loaded
from .arrow import arrow_array, has_arrow, has_column
from .categorical.categorical import categorical_from_arrow
from .column import Column
from .datetime.tick import tick_of
from .text.strings import as_strings, strings, strings_from_arrow

if TYPE_CHECKING:
    from ..annotations import ArrayLike, DTypeLike

Maker = Callable[[Any], Any]


def column(values: ArrayLike, dtype: Any = None) -> Any:
    """The column of values that no array can hold; None for other values, which arrays handle."""
    if isinstance(values, Column):
        return values if dtype is None else values.astype(dtype)
    if _means_text(dtype):
        return strings(values)
    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
        return None
    wanted = None if dtype is None else np.dtype(dtype)
    if wanted is not None and wanted.kind in "Mm":
        return _ticks(values, wanted)
    if has_arrow(values):
        made = from_arrow(values)
        return made if wanted is None or made is None else made.astype(wanted)
    if wanted is None and are_texts(values):
        return as_strings(values)
    found = np.asarray(values)
    if found.ndim != 1:
        return None
    maker = _NUMPY.get(found.dtype.kind) if wanted is None else None
    if maker is not None:
        # NumPy converts numbers among strings to strings; such a mixture is not a string column.
        return maker(values if isinstance(values, (list, tuple)) and found.dtype.kind in "UST" else found)
    return _of_objects(np.asarray(values, dtype=object), wanted)


def _means_text(dtype: DTypeLike) -> bool:
    return (
        dtype is str
        or (isinstance(dtype, str) and dtype in ("str", "string"))
        or getattr(dtype, "kind", "") in ("U", "T")
    )


# -- kinds whose modules are imported when the first such column is made --


def _ticks(values: Any, dtype: Any) -> Any:
    from .datetime.creation import ticks

    return ticks(values, dtype)


def _uuids(values: ArrayLike) -> Any:
    from .numeric.addresses import uuids

    return uuids(values)


def _ticks_from_arrow(values: ArrayLike) -> Any:
    from .datetime.creation import ticks_from_arrow

    return ticks_from_arrow(values)


def _binary_from_arrow(values: ArrayLike) -> Any:
    from .text.binary import binary_from_arrow

    return binary_from_arrow(values)


def _decimals_from_arrow(values: ArrayLike) -> Any:
    from .numeric.decimals import decimals_from_arrow

    return decimals_from_arrow(values)


def _arrow_values(values: ArrayLike) -> Any:
    from .nested.arrow_values import ArrowValues

    return ArrowValues(values)


def _lists_from_arrow(values: ArrayLike) -> Any:
    from .nested.lists import lists_from_arrow

    return lists_from_arrow(values)


def _ticks_from_numpy(values: Any) -> Any:
    from .datetime.creation import ticks_from_numpy

    return ticks_from_numpy(values)


def _ip_address(values: ArrayLike) -> Any:
    from .numeric.addresses import ip_address

    return ip_address(values)


def _decimals(values: ArrayLike) -> Any:
    from .numeric.decimals import decimals

    return decimals(values)


def _ticks_from_objects(values: list[Any], missing: Any) -> Any:
    from .datetime.creation import ticks_from_objects

    return ticks_from_objects(values, missing)


def _bigint(values: ArrayLike) -> Any:
    from .numeric.bigints import bigint

    return bigint(values)


# -- Arrow --


def from_arrow(values: ArrayLike) -> Any:
    """The column, or array if that suffices, of an Arrow array.

    Parameters
    ----------
    values : object
        A pyarrow array or chunked array or object with Arrow's interface (`__arrow_c_array__`, `__arrow_c_stream__`).
    """
    import pyarrow as pa

    array = arrow_array(values)
    if not has_column(array.type):
        return _arrow_values(array)
    if getattr(array.type, "extension_name", "") == "arrow.uuid":
        return _uuids(array)
    for names, make in _ARROW.items():
        if any(getattr(pa.types, name)(array.type) for name in names.split()):
            return make(array)
    return _arrow_values(array)


def _numbers_from_arrow(array: Any) -> Any:
    import pyarrow as pa

    if array.null_count == 0:
        return asarray(array.to_numpy(zero_copy_only=False))
    filled = array.fill_null(False if pa.types.is_boolean(array.type) else 0).to_numpy(zero_copy_only=False)
    return Column(asarray(filled), asarray(array.is_valid().to_numpy(zero_copy_only=False)))


#: Column constructors by predicates of pyarrow's `types`; the first predicate that holds decides.
_ARROW: dict[str, Maker] = {
    "is_null is_string is_large_string is_string_view": strings_from_arrow,
    "is_boolean is_integer is_floating": _numbers_from_arrow,
    "is_timestamp is_date is_duration is_time": _ticks_from_arrow,
    "is_binary is_large_binary is_fixed_size_binary": _binary_from_arrow,
    "is_decimal": _decimals_from_arrow,
    "is_dictionary": categorical_from_arrow,
    "is_list is_large_list is_fixed_size_list": _lists_from_arrow,
}

# -- NumPy, lists, objects --

#: Column constructors for NumPy arrays, by the kind of the dtype.
_NUMPY: dict[str, Maker] = {
    "U": as_strings,
    "S": as_strings,
    "T": as_strings,
    "M": _ticks_from_numpy,
    "m": _ticks_from_numpy,
}


#: Column constructors for objects, by module and name of their type.
_OBJECTS: dict[tuple[str, str], Maker] = {
    ("uuid", "UUID"): _uuids,
    ("ipaddress", "IPv4Address"): _ip_address,
    ("ipaddress", "IPv6Address"): _ip_address,
    ("decimal", "Decimal"): _decimals,
}


def _is_big(values: np.ndarray[Any, Any]) -> bool:
    """Whether some Python integers among the objects do not fit 64 bits."""
    there = [value for value in values if type(value) is int]
    return bool(there) and not (min(there) >= -(2**63) and max(there) < (2**64 if min(there) >= 0 else 2**63))


def _is_null(value: ArrayLike) -> bool:
    """None, or a missing value of pandas or NumPy; NaN is a number."""
    pandas = pandas_if_loaded()
    return value is None or (pandas is not None and (value is pandas.NA or value is pandas.NaT))


def _of_objects(found: np.ndarray[Any, Any], dtype: Any) -> Any:
    """A column of Python objects, by the type of the first that is not missing; of numbers only if some are missing."""
    missing = np.fromiter(map(_is_null, found), bool, found.size)
    first = next((value for value in found if not (_is_null(value) or value != value)), None)
    if dtype is None and isinstance(first, str):
        return as_strings(found)
    if first is None:
        first = next((value for value in found if value is not None), None)  # NaT
    if dtype is None and tick_of(first) is not None:
        return _ticks_from_objects(found.tolist(), missing)
    if dtype is None and (maker := _OBJECTS.get((type(first).__module__, type(first).__name__))) is not None:
        return maker(found)
    if dtype is None and _is_big(found):
        return _bigint(found)
    if not missing.any():
        return None
    there = np.array(found[~missing].tolist(), dtype=dtype)
    if there.size == 0 and dtype is None:
        there = there.astype(np.float64)
    if there.dtype.kind not in "biuf":
        return None
    filled = np.zeros(found.size, there.dtype)
    filled[~missing] = there
    return Column(asarray(filled), asarray(~missing))
