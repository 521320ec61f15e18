# SPDX-License-Identifier: Apache-2.0
"""Which operands of operators Atoll computes exactly as pandas does: see limits.py."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

from ...arrays.ndarray import ndarray
from ...columns.datetime.periods import Periods
from ...columns.datetime.ticks import Ticks
from ...columns.foreign import Foreign
from ...columns.objects import Objects
from ..classes import is_frame, is_series
from ..index.base import IndexCore
from .limits import Limit, columns_of


def _holds_objects(other: Any) -> bool:
    """Whether an operand has objects, of which pandas knows each."""
    if isinstance(other, np.ndarray):
        return other.dtype == object
    if is_frame(other) or is_series(other):
        return any(isinstance(one, (Objects, Foreign)) for one in columns_of(other))
    return isinstance(other, IndexCore) and other.nlevels == 1 and isinstance(other._values, (Objects, Foreign))


def _operates(self: Any, other: Any = None) -> bool:
    """Single values: numbers beside numbers, and offsets beside datetimes without a zone."""
    if isinstance(other, (np.timedelta64, np.datetime64)) and np.isnat(other):
        return False
    if type(other).__module__.startswith("pandas.") and hasattr(other, "_from_sequence"):  # an array of pandas
        return False
    held = columns_of(self)
    if any(isinstance(one, Periods) for one in held) or _holds_objects(other):
        return False
    if hasattr(other, "normalize") and hasattr(other, "rollback"):  # an offset
        naive = all(isinstance(one, Ticks) and getattr(one, "tz", None) is None for one in held)
        return naive and other.n != 0 and not other.normalize
    if held and all(isinstance(one, ndarray) for one in held):
        return not isinstance(other, (np.timedelta64, np.datetime64, datetime.date, datetime.timedelta))
    return True


#: Of operators of frames and Series, by name.
OF_OPERATORS: dict[str, Limit] = {
    f"__{side}{name}__": _operates
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")
    for side in ("", "r", "i")
} | {f"__{name}__": _operates for name in ("eq", "ne", "lt", "le", "gt", "ge", "and", "or", "xor")}
