# SPDX-License-Identifier: Apache-2.0
"""Interchange: conversion to NumPy, DLPack, the buffer protocol, pickling, and NumPy's functions on Atoll arrays."""

from __future__ import annotations

from html import escape
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import extras
from ..session import memory_is_here
from .array import Array
from .at import apply_at
from .bits import frexp
from .composed import divmod, modf, spacing
from .creation import array
from .folds import outer_by
from .functions import BINARY, UFUNCS
from .products import matmul, matvec, vecdot, vecmat
from .standard import VERSIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..annotations import Out
    from .ndarray import ndarray

_PICKLE_LIMIT = 1 << 30  # bytes


def as_numpy(array: ndarray, dtype: Any, copy: bool | None) -> np.ndarray[Any, Any]:
    """np.asarray(array): read-only and without a copy when the session has one PE."""
    wanted = None if dtype is None else np.dtype(dtype)
    if wanted is not None and wanted != array.dtype:
        if copy is False:
            raise ValueError(f"Unable to avoid copy while converting {array.dtype} to {wanted}")
        return array.to_numpy(None).astype(wanted)
    return array.to_numpy(copy)


def buffer(array: ndarray, flags: int) -> memoryview:
    """The buffer protocol (Python 3.12 and later): writable when the consumer asks for that."""
    writable = bool(flags & 1)  # PyBUF_WRITABLE
    shared: Any = array.to_numpy(False if writable and array._view is None else None)
    return memoryview(shared)


def dlpack(array: ndarray, copy: bool | None, **kwargs: Any) -> Any:
    """A DLPack capsule; its consumer shares memory when the session has one PE."""
    apart = array._view is not None or array.dtype.kind == "c" or not memory_is_here(array._expr.session)
    try:
        values = array.to_numpy(apart if copy is None else copy)
    except ValueError as error:
        raise BufferError(str(error)) from None  # DLPack requires BufferError
    return values.__dlpack__(**{name: value for name, value in kwargs.items() if value is not None})


def _rebuild(values: np.ndarray[Any, Any]) -> ndarray:
    return array(values)


def reduce_for_pickle(array: ndarray) -> Any:
    """Pickles the values; loading creates an array in the session of the loading process."""
    if array.nbytes > _PICKLE_LIMIT:
        raise ValueError(
            f"an array of {array.nbytes / 2**30:.1f} GiB is too large to pickle (limit 1 GiB). "
            "Save its parts: a[:n].to_numpy()"
        )
    return _rebuild, (array.to_numpy(),)


# -- notebooks --


def html_of(array: ndarray) -> str:
    """The array as a notebook shows it: its shape, dtype and PEs, and its ends as text."""
    pes = array._expr.session.pes
    about = f"shape {array.shape}, dtype {array.dtype}, {array.nbytes:,} bytes on {pes} PE{'s' if pes > 1 else ''}"
    return f"<div><p>{escape(about)}</p><pre>{escape(repr(array))}</pre></div>"


# -- Arrow --


def arrow_of(array: ndarray, valid: Array | None = None) -> Any:
    """The elements as a pyarrow array. With one PE it shares the memory of numbers; bools are packed into bits.

    The rows of an array of several axes are lists of fixed size. Where `valid`, an array of bools, is False, the
    value is null. NaN is a value.
    """
    pa = extras.module("pyarrow", "Arrow's interface")
    if array.dtype.kind == "c":
        raise TypeError(f"Arrow has no type for {array.dtype} (its numbers are real). Pass .real and .imag?")
    if array.ndim == 0:
        raise TypeError("an array of no dimension is no Arrow array (those have rows). Pass array.reshape(1)?")
    values = array.to_numpy(None)
    if array.ndim > 1:
        made = pa.array(values.reshape(-1))
        for extent in reversed(array.shape[1:]):
            made = pa.FixedSizeListArray.from_arrays(made, extent)
        return made
    if valid is None:
        return pa.array(values)
    packed = np.packbits(values, bitorder="little") if values.dtype == np.bool_ else values
    buffers = [validity_bits(valid), pa.py_buffer(packed)]
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), array.size, buffers)


def validity_bits(valid: Array) -> Any:
    """Arrow's validity bitmap of an array of bools."""
    import pyarrow as pa

    return pa.py_buffer(np.packbits(valid.to_numpy(None), bitorder="little"))


def arrow_c_array(array: ndarray, requested_schema: Any = None) -> tuple[Any, Any]:
    """The capsules of Arrow's C data interface."""
    capsules: tuple[Any, Any] = arrow_of(array).__arrow_c_array__(requested_schema)
    return capsules


def arrow_c_schema(array: ndarray) -> Any:
    """The capsule of the array's Arrow type."""
    return arrow_of(array[:0] if array.ndim else array).type.__arrow_c_schema__()


# -- NumPy's protocols --

_PRODUCTS: dict[str, Any] = {"matmul": matmul, "vecdot": vecdot, "matvec": matvec, "vecmat": vecmat}


UFUNCS.update(divmod=divmod, modf=modf, spacing=spacing, frexp=frexp)


def array_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """np.add(a, b), np.add.reduce(a), … when one of the arrays is an Atoll array."""

    name = ufunc.__name__
    out = kwargs.pop("out", None)
    if type(out) is tuple:
        if len(out) > 1:
            raise TypeError(f"out= is not available for np.{name}, which has {len(out)} results")
        out = out[0]
    result: Any = NotImplemented
    if method == "__call__" and name in _PRODUCTS:
        result = _PRODUCTS[name](*inputs, **{key: kwargs[key] for key in ("axis", "dtype") if key in kwargs})
    elif method == "__call__" and name in UFUNCS:
        result = _call(UFUNCS[name], name, inputs, out, kwargs)
        if isinstance(out, Array):
            return result
    elif method in ("reduce", "accumulate", "reduceat") and name in BINARY:
        if isinstance(out, Array):
            return getattr(BINARY[name], method)(*inputs, out=out, **kwargs)
        result = getattr(BINARY[name], method)(*inputs, **kwargs)
    elif method == "outer" and name in UFUNCS:
        result = outer_by(name, *inputs, **kwargs)
    elif method == "at" and name in UFUNCS:
        apply_at(name, *inputs)
        return None
    if result is NotImplemented:
        shown = f"np.{name}" if method == "__call__" else f"np.{name}.{method}"
        raise TypeError(f"{shown} is not available for atoll arrays; convert them first: a.to_numpy()")
    if out is None:
        return result
    out[...] = result.to_numpy() if isinstance(result, Array) and not isinstance(out, Array) else result
    return out


def _call(function: Callable[..., Any], name: str, inputs: tuple[Any, ...], out: Out, kwargs: dict[str, Any]) -> Any:
    options = {key: value for key, value in kwargs.items() if key in ("where", "dtype", "casting")}
    if isinstance(out, Array):
        options["out"] = out
    unknown = set(kwargs) - {"where", "dtype", "casting", "order", "subok"}
    if unknown:
        raise TypeError(f"np.{name} of atoll arrays does not take {', '.join(sorted(unknown))}")
    return function(*inputs, **options)


#: The public functions by name, and their package, which fills this in at the end of its import.
NAMESPACE: dict[str, Any] = {}
PACKAGE: list[ModuleType] = []


def array_namespace(api_version: str | None) -> ModuleType:
    """The package, as a namespace of the array API standard; see `ak.__array_namespace_info__`."""
    if api_version is not None and api_version not in VERSIONS:
        raise ValueError(f"version {api_version!r} of the array API is not available; these are: {', '.join(VERSIONS)}")
    return PACKAGE[0]


def array_function(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """np.sort(a), np.concatenate([a, b]), …: calls Atoll's function of the same name."""
    name = function.__name__
    package, _, part = function.__module__.partition(".")
    if part in ("linalg", "fft"):
        ours = getattr(NAMESPACE[part], name, None)
        name = f"{part}.{name}"
    elif part.startswith("lib."):
        ours = NAMESPACE.get(name)
        name = f"{part}.{name}"
    else:
        ours = NAMESPACE.get(name) if package == "numpy" else None
    if ours is None:
        raise TypeError(f"np.{name} is not available for atoll arrays; convert them first: a.to_numpy()")
    if kwargs:
        kwargs = {key: value for key, value in kwargs.items() if not (key in ("like", "subok") or value is np._NoValue)}
    return ours(*args, **kwargs)
