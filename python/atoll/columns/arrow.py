# SPDX-License-Identifier: Apache-2.0
"""Import of values through Arrow's interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ..annotations import ArrayLike

#: Digits of the decimals that columns hold, Arrow's decimal128.
MOST_DIGITS = 38


def has_arrow(values: ArrayLike) -> bool:
    """Whether values have Arrow's interface, or are pandas values of an extension dtype."""
    if hasattr(values, "__arrow_c_array__") or hasattr(values, "__arrow_c_stream__"):
        return True
    package = type(values).__module__.partition(".")[0]
    return package == "pandas" and not isinstance(getattr(values, "dtype", np.dtype("O")), np.dtype)


def arrow_array(values: ArrayLike) -> Any:
    """A single pyarrow array of values with Arrow's interface."""
    import pyarrow as pa

    array = values
    if not isinstance(values, (pa.Array, pa.ChunkedArray)):
        array = pa.chunked_array(values) if hasattr(values, "__arrow_c_stream__") else pa.array(values)
    return _plain(array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array)


def _plain(array: Any) -> Any:
    """The array in the encoding that columns have: no runs, no views, no half floats, booleans as bits."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = array.type
    if pa.types.is_run_end_encoded(kind):
        return _plain(pc.run_end_decode(array))
    if pa.types.is_list_view(kind) or pa.types.is_large_list_view(kind):
        # A cast of pyarrow 26 writes 0 as the last offset.
        lengths = pc.list_value_length(array).fill_null(0).to_numpy(zero_copy_only=False)
        offsets = pa.array(np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)]))
        return pa.LargeListArray.from_arrays(offsets, array.flatten(), mask=array.is_null())
    if pa.types.is_binary_view(kind):
        return array.cast(pa.large_binary())
    if pa.types.is_float16(kind):
        return array.cast(pa.float32())
    if getattr(kind, "extension_name", "") == "arrow.bool8":
        return array.cast(pa.bool_())
    return array


def has_column(kind: Any) -> bool:
    """Whether columns or arrays hold values of an Arrow type in a form of their own."""
    import pyarrow as pa

    is_of = pa.types
    if is_of.is_list(kind) or is_of.is_large_list(kind) or is_of.is_fixed_size_list(kind) or is_of.is_dictionary(kind):
        return has_column(kind.value_type)
    if is_of.is_decimal(kind):
        return bool(kind.precision <= MOST_DIGITS)
    if getattr(kind, "extension_name", "") == "arrow.uuid":
        return True
    other = isinstance(kind, pa.BaseExtensionType) or is_of.is_nested(kind) or is_of.is_interval(kind)
    return not other
