# SPDX-License-Identifier: Apache-2.0
"""Columns of values that no array holds: texts, and values some of which are missing."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..arrays.creation import asarray
from .column import Column
from .strings import Strings, as_strings, strings


def column(values: Any, dtype: Any = None) -> Column | None:
    """A column of values among which some are texts or missing; None of others, which are for arrays to judge."""
    if isinstance(values, Column):
        return values if dtype is None else values.astype(dtype)
    if _means_text(dtype):
        return strings(values)
    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
        return None
    if dtype is None and (texts := _texts(values)) is not None:
        return texts
    return _numbers(values, dtype)


def _means_text(dtype: Any) -> bool:
    return (
        dtype is str
        or (isinstance(dtype, str) and dtype in ("str", "string"))
        or getattr(dtype, "kind", "") in ("U", "T")
    )


def _texts(values: Any) -> Strings | None:
    if hasattr(values, "__arrow_c_array__") or hasattr(values, "__arrow_c_stream__"):
        return as_strings(values)
    found = np.asarray(values)
    if found.ndim != 1 or found.dtype.kind not in "OUST":
        return None
    if found.dtype.kind == "O":
        first = next((value for value in found if not (_is_null(value) or value != value)), None)
        if not isinstance(first, str):
            return None
        return as_strings(found)
    # NumPy makes texts of numbers that stand among texts: those were none.
    if isinstance(values, (list, tuple)):
        return as_strings(values)
    return as_strings(found)


def _is_null(value: Any) -> bool:
    """None, or pandas' missing value; NaN is a number."""
    pandas = sys.modules.get("pandas")
    return value is None or (pandas is not None and value is pandas.NA)


def _numbers(values: Any, dtype: Any) -> Column | None:
    """Numbers with missing ones among them."""
    if hasattr(values, "__arrow_c_array__") or hasattr(values, "__arrow_c_stream__"):
        return _from_arrow(values, dtype)
    found = np.asarray(values, dtype=object)
    if found.ndim != 1 or found.size == 0:
        return None
    missing = np.fromiter(map(_is_null, found), bool, found.size)
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


def _from_arrow(values: Any, dtype: Any) -> Column | None:
    import pyarrow as pa

    array = values
    if not isinstance(values, (pa.Array, pa.ChunkedArray)):
        array = pa.chunked_array(values) if hasattr(values, "__arrow_c_stream__") else pa.array(values)
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if array.null_count == 0 or not (
        pa.types.is_integer(array.type) or pa.types.is_floating(array.type) or pa.types.is_boolean(array.type)
    ):
        return None
    filled = array.fill_null(False if pa.types.is_boolean(array.type) else 0).to_numpy(zero_copy_only=False)
    valid = array.is_valid().to_numpy(zero_copy_only=False)
    return Column(asarray(filled, dtype=dtype), asarray(valid))
