# SPDX-License-Identifier: Apache-2.0
"""Of which arguments pandas makes indexes, because ours would give them other dtypes or other values."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...columns.objects import is_missing
from ..index.base import IndexCore

#: Class methods of an index, and `new` for the class itself, by the class' name.
_INTERVALS = ("new", "from_breaks", "from_arrays", "from_tuples")


def is_of_pandas(kind: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether pandas makes an index: `name` is that of a class method, or "new"."""
    data: Any = args[0] if args else next((kwargs[key] for key in ("data", "breaks", "left") if key in kwargs), None)
    if kind == "IntervalIndex" and name in _INTERVALS:
        return kwargs.get("dtype") is not None or (hasattr(data, "__len__") and len(data) == 0)
    if name != "new":
        return False
    if kind == "DatetimeIndex":
        return _is_no_datetime(kwargs.get("dtype")) or (_has_zone(kwargs) and _are_integers(data))
    return kind == "Index" and isinstance(data, list) and _are_typed_and_missing(data)


def _has_zone(kwargs: dict[str, Any]) -> bool:
    return kwargs.get("tz") is not None or "," in str(kwargs.get("dtype"))


def _is_no_datetime(dtype: object) -> bool:
    known = ("datetime64", "M8", "<M8", ">M8", "<class 'numpy.datetime64")
    return dtype is not None and not str(dtype).startswith(known)


def _are_integers(data: Any) -> bool:
    """Whether these are numbers of units, which are of UTC, while strings are of the zone's clock."""
    if isinstance(data, list):
        return bool(data) and isinstance(data[0], (int, np.integer))
    if isinstance(data, IndexCore):
        return data.nlevels == 1 and getattr(data.dtype, "kind", "O") in "iu"
    return isinstance(data, np.ndarray) and data.dtype.kind in "iu"


def _are_typed_and_missing(data: list[Any]) -> bool:
    """Whether all is missing, and something says of which dtype."""
    typed = any(isinstance(one, (np.datetime64, np.timedelta64)) for one in data)
    return typed and all(map(is_missing, data))


def date_range(
    start: Any = None, end: Any = None, periods: Any = None, freq: Any = None, tz: Any = None,
    normalize: Any = False, name: Any = None, *, inclusive: Any = "both", unit: Any = None, **options: object,
) -> bool:  # fmt: skip
    """Datetimes from both ends, or a number of them from one; ends of one zone and in microseconds."""
    if options or (inclusive != "both" and periods is not None):
        return False
    ends = [one for one in (start, end) if hasattr(one, "tzinfo")]
    zoned = {one.tzinfo is None for one in ends}
    return len(zoned) < 2 and all(getattr(one, "unit", "us") == "us" for one in ends)
