# SPDX-License-Identifier: Apache-2.0
"""Import of values through Arrow's interface."""

from __future__ import annotations

from typing import Any

import numpy as np


def has_arrow(values: Any) -> bool:
    """Whether values have Arrow's interface, or are pandas values of an extension dtype."""
    if hasattr(values, "__arrow_c_array__") or hasattr(values, "__arrow_c_stream__"):
        return True
    package = type(values).__module__.partition(".")[0]
    return package == "pandas" and not isinstance(getattr(values, "dtype", np.dtype("O")), np.dtype)


def arrow_array(values: Any) -> Any:
    """A single pyarrow array of values with Arrow's interface."""
    import pyarrow as pa

    array = values
    if not isinstance(values, (pa.Array, pa.ChunkedArray)):
        array = pa.chunked_array(values) if hasattr(values, "__arrow_c_stream__") else pa.array(values)
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
