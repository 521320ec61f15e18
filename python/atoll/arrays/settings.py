# SPDX-License-Identifier: Apache-2.0
"""NumPy's settings that apply here too: print options, and floating-point error handling of NumPy scalars.

Elementwise operations of Atoll arrays never warn or raise: `errstate` affects only NumPy scalars.
"""

from numpy import (
    base_repr,
    binary_repr,
    errstate,
    format_float_positional,
    format_float_scientific,
    get_printoptions,
    geterr,
    geterrcall,
    printoptions,
    set_printoptions,
    seterr,
    seterrcall,
)

__all__ = [
    "base_repr",
    "binary_repr",
    "errstate",
    "format_float_positional",
    "format_float_scientific",
    "get_printoptions",
    "geterr",
    "geterrcall",
    "printoptions",
    "set_printoptions",
    "seterr",
    "seterrcall",
]
