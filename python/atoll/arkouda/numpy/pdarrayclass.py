# SPDX-License-Identifier: Apache-2.0
"""Arkouda's module of that name: the class of arrays, and functions of it."""

from ..objects import RegistrationError
from .arrays import (
    SUPPORTED_INDEX_REDUCTION_OPS,
    SUPPORTED_REDUCTION_OPS,
    SUPPORTED_STATS_REDUCTION_OPS,
    clear,
    pdarray,
)
from .reductions import *
from .reductions import __all__ as _names

__all__ = [
    *_names, "SUPPORTED_INDEX_REDUCTION_OPS", "SUPPORTED_REDUCTION_OPS", "SUPPORTED_STATS_REDUCTION_OPS",
    "RegistrationError", "clear", "pdarray",
]  # fmt: skip
