# SPDX-License-Identifier: Apache-2.0
"""Arkouda's types: NumPy's, and `bigint`."""

from __future__ import annotations

import builtins
import sys
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from numpy import (
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    str_,
    uint8,
    uint16,
    uint32,
    uint64,
)
from numpy.dtypes import *

from ..objects import Word
from ._bigint import bigint, bigint_

if TYPE_CHECKING:
    from ...annotations import ColumnType

bool = np.bool_

Int = (int, np.integer)
INT_TYPES = (int, int8, int16, int32, int64, uint8, uint16, uint32, uint64)
FLOAT_TYPES = (float, float64, float32)

# Scripts ask for these unions' __args__, and `|` makes none of a tuple of types: UP007 is off for this file.
bool_scalars = Union[builtins.bool, np.bool_]
float_scalars: Any = Union[FLOAT_TYPES]
int_scalars: Any = Union[INT_TYPES]
numeric_scalars = Union[float_scalars, int_scalars]
numeric_and_bool_scalars = Union[bool_scalars, numeric_scalars]
str_scalars = Union[str, str_]
numpy_scalars = Union[float64, float32, int8, int16, int32, int64, bool_, str_, uint8, uint16, uint32, uint64]
all_scalars = Union[bool_scalars, numeric_scalars, numpy_scalars, str_scalars]

NUMBER_FORMAT_STRINGS = {
    "bool": "{}",
    "int64": "{:d}",
    "float64": "{:.17f}",
    "uint8": "{:d}",
    "np.float64": "{f}",
    "uint64": "{:d}",
    "bigint": "{:d}",
}


class DType(Word):
    """The names of types."""

    FLOAT = "float"
    FLOAT64 = "float64"
    FLOAT32 = "float32"
    COMPLEX64 = "complex64"
    COMPLEX128 = "complex128"
    INT = "int"
    INT8 = "int8"
    INT16 = "int16"
    INT32 = "int32"
    INT64 = "int64"
    UINT = "uint"
    UINT8 = "uint8"
    UINT16 = "uint16"
    UINT32 = "uint32"
    UINT64 = "uint64"
    BOOL = "bool"
    BIGINT = "bigint"
    STR = "str"


ARKOUDA_SUPPORTED_BOOLS = (builtins.bool, bool_)
ARKOUDA_SUPPORTED_INTS = (*INT_TYPES, bigint, bigint_)
ARKOUDA_SUPPORTED_FLOATS = FLOAT_TYPES
ARKOUDA_SUPPORTED_NUMBERS = (*INT_TYPES, *FLOAT_TYPES, bigint, bigint_)
ARKOUDA_SUPPORTED_DTYPES: tuple[Any, ...] = (bool_, float, float64, int, int64, uint64, uint8, bigint, str)
DTypes = frozenset(member.value for member in DType)
DTypeObjects = frozenset([bool_, float, float64, int, int64, str, str_, uint8, uint64])
NumericDTypes = frozenset(["bool_", "bool", "float", "float64", "int", "int64", "uint64", "bigint"])
ScalarDTypes = frozenset(["bool_", "float64", "int64"])
SeriesDTypes = {
    "string": str_,
    "<class 'str'>": str_,
    "int64": int64,
    "uint64": uint64,
    "<class 'numpy.int64'>": int64,
    "float64": float64,
    "<class 'numpy.float64'>": float64,
    "bool": bool_,
    "<class 'bool'>": bool_,
    "datetime64[ns]": int64,
    "timedelta64[ns]": int64,
}
bitType = uint64

#: What pandas calls elements, by their dtype's kind; "ui" is `bigint`'s.
INFERRED_TYPES = {"i": "integer", "u": "integer", "f": "floating", "b": "boolean", "ui": "integer"}

_CHAPEL = {"real": "float64", "complex": "complex128", "int": "int64", "uint": "uint64", "string": "str"}


def _is_bigint(x: object) -> builtins.bool:
    if isinstance(x, (bigint, bigint_)) or x is bigint or x is bigint_:
        return True
    name = x if isinstance(x, str) else getattr(x, "name", "")
    return isinstance(name, str) and name.lower() == "bigint"


def _of_int(x: int) -> Any:
    if -(1 << 63) <= x < 1 << 63:
        return np.dtype(int64)
    return np.dtype(uint64) if 0 <= x < 1 << 64 else bigint()


def dtype(x: Any) -> Any:
    """The type that something names or has: NumPy's, or `bigint`.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.dtype("bigint"), ak.dtype(2**63)
    (dtype(bigint), dtype('uint64'))
    """
    if _is_bigint(x):
        return bigint()
    if (isinstance(x, str) and x.lower() in ("str", "str_", "strings", "string")) or x in (str, str_):
        return np.dtype(str_)
    if isinstance(x, (builtins.bool, bool_)):
        return np.dtype(bool_)
    if isinstance(x, Int):
        return _of_int(int(x))
    if isinstance(x, float):
        return np.dtype(float64)
    try:
        return np.dtype(x)
    except TypeError as error:
        raise TypeError(f"{x!r} is no type that Arkouda has") from error


def dtype_for_chapel(type_name: str) -> Any:
    """The type that Chapel's name means.

    Examples
    --------
    >>> from atoll.arkouda.numpy.dtypes import dtype_for_chapel
    >>> dtype_for_chapel("real(32)")
    dtype('float32')
    """
    base, _, bits = type_name.rstrip(")").partition("(")
    if base not in _CHAPEL and base not in ("bool", "bigint"):
        raise TypeError(f"Arkouda has no type that corresponds to Chapel's {type_name!r}")
    name = _CHAPEL.get(base, base)
    return dtype(name.rstrip("0123456789") + bits if bits else name)


def _as_numpy(x: Any) -> np.dtype[Any]:
    if isinstance(x, (np.dtype, type)):
        return np.dtype(x)
    if isinstance(x, (int, float, np.number, bool_)):
        return np.asarray(x).dtype
    return np.dtype(getattr(x, "dtype", x))


def can_cast(from_dt: Any, to_dt: Any, casting: Any = "safe") -> builtins.bool:
    """Whether all values of one type, or one number, are in another.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.can_cast(ak.int64, ak.bigint), ak.can_cast(ak.bigint, ak.int64), ak.can_cast(5, ak.uint64)
    (True, False, True)
    """
    wide = [_is_bigint(x) or _is_bigint(getattr(x, "dtype", None)) for x in (from_dt, to_dt)]
    if wide[1]:
        return wide[0] or _as_numpy(from_dt).kind in "iu"
    target = _as_numpy(to_dt)
    if wide[0]:
        return target.kind in "fO"
    casting = casting or "safe"
    if isinstance(from_dt, int) and casting == "safe" and target.kind in "iu":
        limits = np.iinfo(target)
        return limits.min <= from_dt <= limits.max
    return builtins.bool(np.can_cast(_as_numpy(from_dt), target, casting=casting))


def result_type(*args: Any) -> Any:
    """The type of a result of operands or types: `bigint` with integers, float64 with floats.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.result_type(ak.bigint, ak.int64), ak.result_type(ak.bigint, ak.float64)
    (dtype(bigint), dtype('float64'))
    """
    found, wide, positive = [], False, False
    for one in args:
        kind = one
        if not isinstance(one, (np.dtype, type, str)) and not _is_bigint(one):
            kind = getattr(one, "dtype", None)
            if kind is None:
                kind = dtype(one) if isinstance(one, (int, float)) else np.result_type(one)
                positive |= isinstance(one, int) and one >= 0 and not isinstance(one, builtins.bool)
        if _is_bigint(kind):
            wide = True
        else:
            found.append(np.dtype(kind))
    if wide:
        return np.dtype(float64) if any(kind.kind == "f" for kind in found) else bigint()
    unsigned = [kind for kind in found if kind.kind == "u"]
    if unsigned and positive and all(kind.kind in "iu" for kind in found):
        return max(unsigned, key=lambda kind: kind.itemsize)
    return np.result_type(*found)


def resolve_scalar_dtype(val: object) -> str:
    """The name of a scalar's type.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.resolve_scalar_dtype(2**63), ak.resolve_scalar_dtype("a")
    ('uint64', 'str')
    """
    if isinstance(val, bigint_):
        return "bigint"
    if isinstance(val, (builtins.bool, bool_)):
        return "bool"
    if isinstance(val, (float, complex, np.inexact)):
        return "float64"
    if isinstance(val, Int):
        return "uint64" if getattr(val, "dtype", None) == uint64 else _of_int(int(val)).name
    if isinstance(val, str):
        return "str"
    return str(np.dtype(val.dtype)) if hasattr(val, "dtype") else str(type(val))


def _is_dtype_in_union(dtype: ColumnType, union_type: Any) -> builtins.bool:
    return dtype in getattr(union_type, "__args__", ())


def _val_isinstance_of_union(val: object, union_type: Any) -> builtins.bool:
    return isinstance(val, getattr(union_type, "__args__", ()))


def is_supported_int(num: Any) -> builtins.bool:
    """Whether a scalar is an integer that Arkouda takes."""
    return isinstance(num, ARKOUDA_SUPPORTED_INTS)


def is_supported_float(num: Any) -> builtins.bool:
    """Whether a scalar is a float that Arkouda takes."""
    return isinstance(num, ARKOUDA_SUPPORTED_FLOATS)


def is_supported_number(num: Any) -> builtins.bool:
    """Whether a scalar is a number that Arkouda takes."""
    return isinstance(num, ARKOUDA_SUPPORTED_NUMBERS)


def is_supported_bool(num: Any) -> builtins.bool:
    """Whether a scalar is a bool."""
    return isinstance(num, ARKOUDA_SUPPORTED_BOOLS)


def is_supported_dtype(scalar: Any) -> builtins.bool:
    """Whether a scalar is of a type that Arkouda has."""
    return isinstance(scalar, ARKOUDA_SUPPORTED_DTYPES)


def get_byteorder(dt: np.dtype[Any]) -> str:
    """ "<" or ">": which byte of a number comes first."""
    if dt.byteorder in "<>":
        return dt.byteorder
    return "<" if sys.byteorder == "little" else ">"


def get_server_byteorder() -> str:
    """The same of the session, as a word."""
    return sys.byteorder


intTypes = frozenset((dtype("int64"), dtype("uint64"), dtype("uint8")))

__all__ = [
    *(name for name in np.dtypes.__all__ if hasattr(np.dtypes, name)),
    "ARKOUDA_SUPPORTED_BOOLS", "ARKOUDA_SUPPORTED_DTYPES", "ARKOUDA_SUPPORTED_FLOATS", "ARKOUDA_SUPPORTED_INTS",
    "ARKOUDA_SUPPORTED_NUMBERS", "DType", "DTypeObjects", "DTypes", "NUMBER_FORMAT_STRINGS", "NumericDTypes",
    "ScalarDTypes", "SeriesDTypes", "all_scalars", "bigint", "bigint_", "bitType", "bool", "bool_", "bool_scalars",
    "can_cast", "complex128", "complex64", "dtype", "dtype_for_chapel", "float16", "float32", "float64",
    "float_scalars", "get_byteorder", "get_server_byteorder", "int16", "int32", "int64", "int8", "intTypes",
    "int_scalars", "is_supported_bool", "is_supported_dtype", "is_supported_float", "is_supported_int",
    "is_supported_number", "numeric_and_bool_scalars", "numeric_scalars", "numpy_scalars", "resolve_scalar_dtype",
    "result_type", "str_", "str_scalars", "uint16", "uint32", "uint64", "uint8",
]  # fmt: skip
