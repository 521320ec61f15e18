# SPDX-License-Identifier: Apache-2.0
"""Arkouda's `array_api`: the array API standard, whose functions are Atoll's, found by their names."""

from __future__ import annotations

import sys as _sys
import types as _types
from typing import TYPE_CHECKING, Any

import numpy as _np

import atoll as _atoll

from ..numpy import dtypes as _own
from ..numpy.arrays import pdarray as _pdarray
from ..objects import entitled as _entitled
from . import array_object
from .array_object import Array

if TYPE_CHECKING:
    from ...annotations import Device, DTypeLike

#: The standard's functions, by the modules that Arkouda keeps them in; the last name is Atoll's where it differs.
_MODULES = {
    "creation_functions": (
        "arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like tril "
        "triu zeros zeros_like"
    ),
    "data_type_functions": "astype can_cast finfo iinfo isdtype result_type",
    "elementwise_functions": (
        "abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert "
        "bitwise_or bitwise_right_shift bitwise_xor ceil conj cos cosh divide equal exp expm1 floor "
        "floor_divide greater greater_equal imag isfinite isinf isnan less less_equal log log10 log1p log2 "
        "logaddexp logical_and logical_not logical_or logical_xor multiply negative not_equal positive pow "
        "real remainder round sign sin sinh sqrt square subtract tan tanh trunc"
    ),
    "indexing_functions": "take",
    "linalg": "matmul matrix_transpose tensordot vecdot",
    "manipulation_functions": (
        "broadcast_arrays broadcast_to concat expand_dims flip moveaxis permute_dims repeat reshape roll "
        "squeeze stack tile unstack"
    ),
    "searching_functions": "argmax argmin nonzero searchsorted where",
    "set_functions": "unique_all unique_counts unique_inverse unique_values",
    "sorting_functions": "argsort sort",
    "statistical_functions": "cumulative_prod cumulative_sum max mean min prod std sum var",
    "utility_functions": "all any clip diff pad trapezoid trapz",
}
_OTHER_NAMES = {"trapz": "trapezoid", "permute_dims": "transpose"}
#: Functions that refuse types, with the words of Arkouda's server.
_REFUSED = {"clip": ("bool", "bigint"), "diff": ("bigint",), "pad": ("bigint",), "trapz": ("bigint",)}

int8, int16, int32, int64 = _np.int8, _np.int16, _np.int32, _np.int64
uint8, uint16, uint32, uint64 = _np.uint8, _np.uint16, _np.uint32, _np.uint64
float32, float64, complex64, complex128 = _np.float32, _np.float64, _np.complex64, _np.complex128
bool_ = _np.bool_
e, inf, nan, pi, newaxis = _np.e, _np.inf, _np.nan, _np.pi, None


def _lowered(thing: object) -> Any:
    if isinstance(thing, Array):
        return thing._array._a
    if isinstance(thing, _pdarray):
        return thing._a
    if isinstance(thing, (tuple, list)):
        return type(thing)(_lowered(one) for one in thing)
    return thing


def _lifted(thing: Any) -> Any:
    if isinstance(thing, (_atoll.ndarray, _np.generic)):
        return Array._new(thing.copy() if isinstance(thing, _atoll.ndarray) else thing)
    if isinstance(thing, tuple) and hasattr(thing, "_fields"):
        return type(thing)(*(_lifted(one) for one in thing))
    if isinstance(thing, (tuple, list)):
        return type(thing)(_lifted(one) for one in thing)
    return thing


def _function(name: str) -> Any:
    original = getattr(_atoll, _OTHER_NAMES.get(name, name), None)
    original = original if original is not None else getattr(_atoll.linalg, name)

    def call(*args: object, **options: Any) -> Any:
        for one in args:
            kind = str(getattr(one, "dtype", ""))
            if kind in _REFUSED.get(name, ()):
                raise RuntimeError(f"Error executing command: {name} does not support dtype {kind}")
        if "dtype" in options and options["dtype"] is not None:
            options["dtype"] = _own.dtype(options["dtype"])
        return _lifted(original(*(_lowered(one) for one in args), **{k: _lowered(v) for k, v in options.items()}))

    return _entitled(call, name, f"`{name}` of the array API standard.")


for _module_name, _names in _MODULES.items():
    _module = _types.ModuleType(f"{__name__}.{_module_name}", f"The standard's {_module_name.replace('_', ' ')}.")
    for _name in _names.split():
        globals()[_name] = _function(_name)
        setattr(_module, _name, globals()[_name])
    _sys.modules[_module.__name__] = globals()[_module_name] = _module
for _module_name in ("_constants", "_dtypes", "_typing"):
    _module = _types.ModuleType(f"{__name__}.{_module_name}", "Names of the standard.")
    _sys.modules[_module.__name__] = globals()[_module_name] = _module

_plain_asarray = globals()["asarray"]


def asarray(obj: object, /, *, dtype: DTypeLike = None, device: Device = None, copy: bool | None = None) -> Array:
    """The array of Arkouda's, NumPy's or Python's values."""
    if isinstance(obj, (Array, _pdarray)):
        made = obj._array if isinstance(obj, Array) else obj
        if dtype is not None and made.dtype != _own.bigint():
            made = made.astype(_own.dtype(dtype))
        return Array._new(made.copy() if copy else made)
    return _plain_asarray(obj, dtype=dtype)


globals()["creation_functions"].asarray = asarray
set_functions = globals()["set_functions"]

__all__ = sorted(name for name in globals() if not name.startswith("_"))
