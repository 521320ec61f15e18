# SPDX-License-Identifier: Apache-2.0
"""`isinstance` across the border: pandas' frames, Series and indexes count as instances of Atoll's classes."""

from __future__ import annotations

import sys
from typing import Any

from ..extras import pandas_if_loaded
from ..frame.classes import Tabular
from .callers import Caller, caller


def _counts(cls: Any, value: object) -> bool:
    if type.__instancecheck__(cls, value):
        return True
    pandas = pandas_if_loaded()
    theirs = getattr(pandas, cls.__name__, None) if cls.__module__.startswith("atoll.") else None
    return isinstance(theirs, type) and caller(sys._getframe(1)) is Caller.USER and isinstance(value, theirs)


def count_instances_of_pandas() -> None:
    """Lets ``isinstance(value, pd.DataFrame)`` in a user's code be true of a frame of pandas, which a library gave."""
    Tabular.__instancecheck__ = _counts  # type: ignore[method-assign]
