# SPDX-License-Identifier: Apache-2.0
"""Element types: conversion between NumPy dtypes and the engine's codes, and type promotion of operations."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from .. import _core
from ..annotations import DTypeLike as DTypeLike

BOOL, INT8, INT64, UINT8, UINT64, FLOAT32, FLOAT64 = (
    _core.DTYPES[name] for name in ("bool", "int8", "int64", "uint8", "uint64", "float32", "float64")
)
#: Complex elements are pairs of the engine's real ones; their codes follow the engine's own.
COMPLEX64, COMPLEX128 = len(_core.DTYPES), len(_core.DTYPES) + 1

#: NumPy's casting rules.
Casting: TypeAlias = Literal["no", "equiv", "safe", "same_kind", "unsafe"]

_names = sorted(_core.DTYPES, key=_core.DTYPES.__getitem__)
#: NumPy dtype and scalar type by code.
DTYPE_OF: list[np.dtype[Any]] = [*map(np.dtype, (*_names, "complex64", "complex128"))]
SCALAR_OF: list[type[np.generic]] = [dtype.type for dtype in DTYPE_OF]
KIND_OF: list[str] = [dtype.kind for dtype in DTYPE_OF]
#: Least and greatest value of the integer types and bool, by code.
BOUNDS: dict[int, tuple[int, int]] = {
    code: (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    for code, dtype in enumerate(DTYPE_OF)
    if dtype.kind in "biu"
}
#: The kind of a Python or NumPy scalar: a dtype code, or one of those that adapt to the array (NEP 50).
WEAK_INT, WEAK_FLOAT, WEAK_COMPLEX = -1, -2, -3
SCALAR_KIND: dict[type, int] = {
    bool: BOOL,
    int: WEAK_INT,
    float: WEAK_FLOAT,
    complex: WEAK_COMPLEX,
    **{scalar: code for code, scalar in enumerate(SCALAR_OF)},
    np.longlong: INT64,
    np.ulonglong: UINT64,
}

_code_cache: dict[Any, int] = dict(_core.DTYPES)
_code_cache.update({dtype: code for code, dtype in enumerate(DTYPE_OF)})
_code_cache.update({scalar: code for code, scalar in enumerate(SCALAR_OF)})
_code_cache.update({bool: BOOL, int: INT64, float: FLOAT64, complex: COMPLEX128})

_ADVICE = {
    "S": "Texts are columns, of one dimension: ak.strings(values)",
    "U": "Texts are columns, of one dimension: ak.strings(values)",
    "T": "Texts are columns, of one dimension: ak.strings(values)",
    "O": "Convert it first, e.g. np.asarray(values, dtype=np.float64)",
    "c": "Use complex64 or complex128",
    "M": "Dates are columns, of one dimension: ak.array(values)",
    "m": "Durations are columns, of one dimension: ak.array(values)",
    "V": "Pass its fields one by one: values['name']",
    "f": "Use float32 or float64",
}


def code_of(dtype: Any) -> int:
    """The engine's code of any value that NumPy accepts as a dtype; TypeError with advice for unsupported ones."""
    try:
        return _code_cache[dtype]
    except (KeyError, TypeError):
        pass
    found = np.dtype(dtype)
    code = _code_cache.get(found.newbyteorder("=")) if found.kind in "biufc" else None
    if code is None:
        raise TypeError(
            "atoll arrays hold bool, int8 to int64, uint8 to uint64, float32, float64, complex64 and complex128, not "
            f"{found}. "
            f"{_ADVICE.get(found.kind, 'Convert it first')}."
        )
    with contextlib.suppress(TypeError):
        _code_cache[dtype] = code
    return code


class Promotion(NamedTuple):
    """The types in which an elementwise operation computes and returns, for given operand types."""

    compute: int  # operands are cast to this
    result: int
    low: int  # a weak integer operand must lie between low and high …
    high: int  # … (both 0 when there is none, or any value will do)

    @property
    def is_complex(self) -> bool:
        """Whether the operation is computed by a rule for complex numbers instead of an engine loop."""
        return self.compute >= COMPLEX64


def _supported(dtype: np.dtype[Any]) -> int:
    # NumPy answers float16 for e.g. sqrt(int8); the next wider type stands in for it.
    return FLOAT32 if dtype == np.float16 else code_of(dtype)


_WEAK_TYPES: dict[int, type] = {WEAK_INT: int, WEAK_FLOAT: float, WEAK_COMPLEX: complex}
_COMPARISONS = frozenset({"less", "less_equal", "greater", "greater_equal", "equal", "not_equal"})


def promote(name: str, kinds: Sequence[int]) -> Promotion:
    """Types of operation `name` on operands of these kinds, found by asking NumPy, so its errors are NumPy's too."""
    ufunc: Any = getattr(np, name, None)
    if not isinstance(ufunc, np.ufunc):
        return _promote_other(name, ufunc, kinds)
    given = tuple(_WEAK_TYPES.get(kind) or DTYPE_OF[kind] for kind in kinds)
    resolved = ufunc.resolve_dtypes((*given, *(None,) * ufunc.nout))
    inputs, output = [_supported(d) for d in resolved[: ufunc.nin]], _supported(resolved[ufunc.nin])
    compute = inputs[0]
    if KIND_OF[output] == "f" and KIND_OF[compute] not in "fc":
        compute = output  # divide
    elif name in ("isnan", "isinf", "isfinite") and KIND_OF[compute] not in "fc":
        compute = FLOAT64
    elif name in _COMPARISONS and inputs[0] != inputs[-1]:
        compute = -1  # int64 against uint64: no common type is exact, the caller splits it
    if compute == BOOL and any(kind >= COMPLEX64 or kind == WEAK_COMPLEX for kind in kinds):
        compute = COMPLEX128  # the truth value of complex numbers is computed by a rule
    low, high = 0, 0
    if WEAK_INT in kinds and compute in BOUNDS:
        low, high = BOUNDS[compute]
    return Promotion(compute, output, low, high)


def _promote_other(name: str, function: Callable[..., Any], kinds: Sequence[int]) -> Promotion:
    """Types of an operation that is not a NumPy ufunc: those of NumPy's function if there is one, else the operands'
    common type, or floats when the operation has only floating-point loops."""
    _, loops, result = _core.LOOPS[name]
    if function is not None:
        ones = [np.ones(1, DTYPE_OF[kind]) if kind >= 0 else _WEAK_TYPES[kind](1) for kind in kinds]
        output = _supported(function(*ones).dtype)
    else:
        output = result_code(*kinds)
        if KIND_OF[output] not in loops + "c":
            output = result_code(output, WEAK_FLOAT)
    compute = output if KIND_OF[output] in loops + "c" else FLOAT64
    low, high = BOUNDS[compute] if WEAK_INT in kinds and compute in BOUNDS else (0, 0)
    return Promotion(compute, code_of(result) if result else output, low, high)


def result_code(*kinds: int) -> int:
    """The common type of operands of these kinds, as np.result_type."""
    # Python scalars are passed as weak types.
    return _supported(
        np.result_type(*({WEAK_INT: 0, WEAK_FLOAT: 0.0, WEAK_COMPLEX: 0j}.get(kind, DTYPE_OF[kind]) for kind in kinds))
    )


def check_cast(source: int, target: int, casting: Casting) -> None:
    """TypeError, in NumPy's words, when `casting` does not allow source to become target."""
    if source != target and not np.can_cast(DTYPE_OF[source], DTYPE_OF[target], casting):
        raise TypeError(
            f"Cannot cast array data from {DTYPE_OF[source]!r} to {DTYPE_OF[target]!r} "
            f"according to the rule '{casting}'"
        )


def fit_scalar(value: Any, code: int) -> bool | int | float | complex:
    """A Python value that the type can hold; OverflowError or ValueError in NumPy's words when it cannot."""
    if code == BOOL:
        return bool(value)
    if code >= COMPLEX64:
        return complex(value)
    if code >= FLOAT32:
        return float(value)
    if isinstance(value, (float, np.floating)):
        return int(value)  # NumPy's own errors: NaN is a ValueError, infinity an OverflowError
    if not isinstance(value, int):
        cell = np.empty((), DTYPE_OF[code])
        cell[()] = value  # NumPy's rules for its own scalars: too large is an error, -1 is 255 in uint8
        return int(cell)
    number = int(value)
    low, high = BOUNDS[code]
    if not low <= number <= high:
        raise OverflowError(f"Python integer {number} out of bounds for {DTYPE_OF[code]}")
    return number


if TYPE_CHECKING:
    from collections.abc import Callable
