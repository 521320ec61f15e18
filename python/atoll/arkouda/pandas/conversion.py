# SPDX-License-Identifier: Apache-2.0
"""Arrays of pandas' Series."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..numpy.dtypes import SeriesDTypes
from ..numpy.pdarraycreation import array

if TYPE_CHECKING:
    from ...annotations import ColumnType

__all__ = ["from_series"]


def from_series(series: Any, dtype: ColumnType = None) -> Any:
    """The array of a pandas Series; datetimes and timedeltas as nanoseconds.

    Raises
    ------
    ValueError
        A type that is not bool, float64, int64, text, datetimes or timedeltas.

    Examples
    --------
    >>> import pandas as pd
    >>> import atoll.arkouda as ak
    >>> ak.from_series(pd.Series([1.5, 2.5]))
    array([1.5 2.5])
    """
    if not hasattr(series, "to_numpy") or not hasattr(series, "index"):
        raise TypeError(f'type of argument "series" must be pandas.Series; got {type(series).__name__} instead')
    if series.dtype.kind in "Mm":
        unit = "datetime64[ns]" if series.dtype.kind == "M" else "timedelta64[ns]"
        return array(series.to_numpy(dtype=unit).astype("int64"))
    name = str(dtype) if dtype else series.dtype.name
    if name in ("object", "str", "string[python]", "string[pyarrow]"):
        name = "string"
    if name not in SeriesDTypes:
        raise ValueError(
            f"dtype {name} is unsupported. Supported dtypes are bool, float64, int64, string, datetime64[ns] and "
            "timedelta64[ns]"
        )
    kind: Any = SeriesDTypes[name]
    if kind is np.str_:
        return array(np.array([str(one) for one in series], dtype=object) if len(series) else [], dtype="str_")
    return array(series.to_numpy(dtype=kind))
