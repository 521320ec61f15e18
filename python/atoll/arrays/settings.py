# SPDX-License-Identifier: Apache-2.0
"""NumPy's settings and texts, which hold here too: how arrays are printed, and what its scalars do about errors.

Elementwise operations of arrays here never warn or raise: `errstate` acts on what happens to NumPy's scalars.
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
