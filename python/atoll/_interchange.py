# SPDX-License-Identifier: Apache-2.0
"""Exchange: conversion to NumPy, DLPack, the buffer protocol, pickling, and NumPy's own functions on our arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._array import expr_of, ndarray, require_out, wrap
from ._dtypes import DTYPE_OF, Casting
from ._session import current

_PICKLE_LIMIT = 1 << 30  # bytes


def to_numpy(array: ndarray, copy: bool | None) -> np.ndarray[Any, Any]:
    """See `ndarray.to_numpy`."""
    expr = array._read()
    if copy:
        return expr.to_numpy(True)
    if copy is None:
        values = expr.to_numpy(None).view(array.dtype)  # else NumPy takes int64 for another of its own
        if expr.session.pes == 1:
            values.flags.writeable = False  # else a write could change what pending expressions read
        return values
    if array._view is not None:
        raise ValueError("a view has no memory of its own to share; use copy=None or copy=True, or share its base")
    shared = expr.to_numpy(False).view(array.dtype)
    array._version = math.nan  # from now on it may change at any time
    return shared


def as_numpy(array: ndarray, dtype: Any, copy: bool | None) -> np.ndarray[Any, Any]:
    """np.asarray(array): read-only and without a copy when the session has one PE."""
    wanted = None if dtype is None else np.dtype(dtype)
    if wanted is not None and wanted != array.dtype:
        if copy is False:
            raise ValueError(f"Unable to avoid copy while converting {array.dtype} to {wanted}")
        return to_numpy(array, None).astype(wanted)
    return to_numpy(array, copy)


def buffer(array: ndarray, flags: int) -> memoryview:
    """The buffer protocol (Python 3.12 and later): writable when the consumer asks for that."""
    writable = bool(flags & 1)  # PyBUF_WRITABLE
    shared: Any = to_numpy(array, False if writable and array._view is None else None)
    return memoryview(shared)


def dlpack(array: ndarray, **kwargs: Any) -> Any:
    """A DLPack capsule; its consumer shares memory when the session has one PE."""
    copy = kwargs.pop("copy", None)
    return to_numpy(
        array, bool(copy) if copy is not None else (array._view is not None or array._expr.session.pes > 1)
    ).__dlpack__(**{name: value for name, value in kwargs.items() if value is not None})


def _rebuild(values: np.ndarray[Any, Any]) -> ndarray:
    from ._creation import array

    return array(values)


def reduce_for_pickle(array: ndarray) -> Any:
    """Pickles the values; they come back in the session of the process that loads them."""
    if array.nbytes > _PICKLE_LIMIT:
        raise ValueError(
            f"an array of {array.nbytes / 2**30:.1f} GiB is too large to pickle (limit 1 GiB). "
            "Save its parts: a[:n].to_numpy()"
        )
    return _rebuild, (to_numpy(array, True),)


# -- NumPy's protocols --

_REDUCERS = {
    "add": "sum",
    "multiply": "prod",
    "minimum": "min",
    "maximum": "max",
    "logical_and": "all",
    "logical_or": "any",
}
_SCANS = {"add": "cumsum", "multiply": "cumprod", "maximum": "cummax", "minimum": "cummin"}


def array_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """np.add(a, b), np.add.reduce(a), … when one of the arrays is ours."""
    from ._reductions import reduce, scan
    from ._ufuncs import BY_NAME

    name = ufunc.__name__
    out = kwargs.pop("out", None)
    if type(out) is tuple:
        if len(out) > 1:
            raise TypeError(f"out= is not available for np.{name}, which has {len(out)} results")
        out = out[0]
    result: Any = NotImplemented
    if method == "__call__" and name in ("matmul", "vecdot"):
        from ._products import matmul

        result = matmul(*inputs)
    elif method == "__call__" and name in BY_NAME:
        result = _call(BY_NAME[name], name, inputs, out, kwargs)
        if type(out) is ndarray:
            return result
    elif method == "reduce" and name in _REDUCERS:
        result = reduce(
            _REDUCERS[name],
            inputs[0],
            kwargs.get("axis", 0),
            kwargs.get("dtype"),
            None,
            kwargs.get("keepdims", False),
            kwargs.get("initial"),
            kwargs.get("where", True),
            True,
        )
    elif method == "accumulate" and name in _SCANS:
        result = scan(_SCANS[name], inputs[0], kwargs.get("axis", 0), kwargs.get("dtype"), None)
    elif method == "outer" and name in BY_NAME:
        first, second = wrap(expr_of(inputs[0]).alias()), wrap(expr_of(inputs[1]).alias())
        result = BY_NAME[name](first.reshape(first.shape + (1,) * second.ndim), second)
    elif method == "at" and name in ("add", "subtract"):
        from ._indexing import add_at

        values = inputs[2] if name == "add" else -wrap(expr_of(inputs[2]).alias())
        add_at(require_out(inputs[0]), inputs[1], values)
        return None
    if result is NotImplemented:
        shown = f"np.{name}" if method == "__call__" else f"np.{name}.{method}"
        raise TypeError(f"{shown} is not available for atoll arrays; convert them first: a.to_numpy()")
    if out is None:
        return result
    if type(out) is ndarray:
        out[...] = result
    else:
        out[...] = result.to_numpy() if type(result) is ndarray else result
    return out


def _call(function: Any, name: str, inputs: tuple[Any, ...], out: Any, kwargs: dict[str, Any]) -> Any:
    options = {key: value for key, value in kwargs.items() if key in ("where", "dtype", "casting")}
    if out is not None and type(out) is ndarray:
        options["out"] = out
    unknown = set(kwargs) - {"where", "dtype", "casting", "order", "subok"}
    if unknown:
        raise TypeError(f"np.{name} of atoll arrays does not take {', '.join(sorted(unknown))}")
    return function(*inputs, **options)


def array_function(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """np.sort(a), np.concatenate([a, b]), …: our function of the same name."""
    import atoll

    name = function.__name__
    ours = getattr(atoll, name, None) if name in atoll.__all__ and function.__module__.startswith("numpy") else None
    if name in _FALL_BACK:
        ours = _FALL_BACK[name]
    if ours is None:
        raise TypeError(f"np.{name} is not available for atoll arrays; convert them first: a.to_numpy()")
    if kwargs:
        kwargs = {key: value for key, value in kwargs.items() if not (key in ("like", "subok") or value is np._NoValue)}
    return ours(*args, **kwargs)


def _array_repr(arr: ndarray, *_: Any, **__: Any) -> str:
    return repr(arr)


def _array_str(a: ndarray, *_: Any, **__: Any) -> str:
    return str(a)


def _array2string(a: ndarray, *args: Any, **kwargs: Any) -> str:
    from ._printing import array2string

    return array2string(a, *args, **kwargs)


def _shape(a: ndarray) -> tuple[int, ...]:
    return a.shape


def _ndim(a: ndarray) -> int:
    return a.ndim


def _size(a: ndarray, axis: Any = None) -> int:
    return a.size if axis is None else a.shape[axis]


def _copyto(dst: Any, src: Any, casting: Casting = "same_kind", where: Any = True) -> None:
    values = src.to_numpy() if type(src) is ndarray and type(dst) is not ndarray else src
    if type(dst) is not ndarray:
        np.copyto(dst, values, casting=casting, where=np.asarray(where))
    elif where is True:
        dst[...] = values
    else:
        from ._selection import putmask

        putmask(dst, where, values)


def _result_type(*args: Any) -> np.dtype[Any]:
    return np.result_type(*(one.dtype if type(one) is ndarray else one for one in args))


def _can_cast(from_: Any, to: Any, casting: Casting = "safe") -> bool:
    return np.can_cast(from_.dtype if type(from_) is ndarray else from_, to, casting)


def _isrealobj(x: Any) -> bool:
    return True


_FALL_BACK: dict[str, Any] = {
    "array_repr": _array_repr,
    "array_str": _array_str,
    "array2string": _array2string,
    "shape": _shape,
    "ndim": _ndim,
    "size": _size,
    "copyto": _copyto,
    "result_type": _result_type,
    "can_cast": _can_cast,
    "isrealobj": _isrealobj,
}

__all__ = ["DTYPE_OF", "current"]
