# SPDX-License-Identifier: Apache-2.0
"""The base class of arrays: a handle of a lazy distributed expression, and conversion of values to expressions.

Functions take `Array` and are in a lower layer than `ndarray`, the public class, which binds them as methods:
nothing here needs it, and `wrap` makes one by the constructor that it registers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..session import current, memory_is_here
from . import engine
from .dtypes import (
    BOOL,
    COMPLEX128,
    DTYPE_OF,
    FLOAT64,
    INT64,
    SCALAR_KIND,
    SCALAR_OF,
    WEAK_COMPLEX,
    WEAK_FLOAT,
    WEAK_INT,
    DTypeLike,
    code_of,
    result_code,
)

if TYPE_CHECKING:
    from ..annotations import ArrayLike, Device
    from .ndarray import ndarray
    from .views import View


class Columnar:
    """Base class of columns: values that no array can hold. Defined here because functions of arrays refuse them."""

    __slots__ = ()


#: Makes a column of values that no array can hold, or returns None when no column can either. Set by `columns`.
column_makers: list[Callable[[Any, Any], Any]] = []


#: Applies elementwise functions, by NumPy's names, to columns. Set by `columns`.
column_operations: list[Callable[[str, tuple[Any, ...]], Any]] = []


def of_columns(name: str, operands: tuple[Any, ...]) -> Any:
    """Applies an elementwise function to columns; NotImplemented when columns do not have it."""
    for apply in column_operations:
        found = apply(name, operands)
        if found is not NotImplemented:
            return found
    return NotImplemented


def column_of(values: ArrayLike, dtype: DTypeLike) -> Any:
    """The column of values that no array can hold; None when no column can either."""
    return next((made for make in column_makers if (made := make(values, dtype)) is not None), None)


class Array:
    """An array as functions use it: its expression, shape and dtype, and its elements as Python values."""

    __slots__ = ("__weakref__", "_code", "_expr", "_version", "_view")
    _expr: engine.Expr  # of a view: as of the last read
    _code: int  # of the dtype
    _view: View | None
    _version: float  # counts changes, for the views of this array; NaN when memory is shared: always changed

    # -- the engine's side --

    def _read(self) -> engine.Expr:
        """The current expression; a view reads its base again when that has changed."""
        view = self._view
        if view is not None and view.version != view.base._version:
            self._expr = view.read()
            view.version = view.base._version
        return self._expr

    def _store(self, value: engine.Expr) -> None:
        """Replaces all elements by `value`, of the same dtype and shape."""
        expr, view = self._expr, self._view
        if value.shape != expr.shape:
            raise ValueError(
                f"non-broadcastable output operand with shape {shape_text(expr.shape)} "
                f"doesn't match the broadcast shape {shape_text(value.shape)}"
            )
        if view is None:
            expr.assign(value)
            self._version += 1
        else:
            view.write(value)
            self._expr = value.alias()
            view.version = view.base._version

    # -- attributes --

    @property
    def shape(self) -> tuple[int, ...]:
        """Length of each axis."""
        return self._expr.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy dtype of the elements."""
        return DTYPE_OF[self._expr.dtype]

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self._expr.ndim

    @property
    def size(self) -> int:
        """Number of elements."""
        return self._expr.size

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements, on all PEs together."""
        return self._expr.size * self.dtype.itemsize

    @property
    def base(self) -> ndarray | None:
        """The array that this one is a view of, or None."""
        return None if self._view is None else self._view.base

    def __len__(self) -> int:
        shape = self._expr.shape
        if not shape:
            raise TypeError("len() of unsized object")
        return shape[0]

    # -- conversion --

    def tolist(self) -> Any:
        """The elements as nested Python lists."""
        return self._read().to_numpy(True).tolist()

    def tobytes(self) -> bytes:
        """The elements' bytes in C order."""
        return self._read().to_numpy(True).tobytes()

    def to_numpy(self, copy: bool | None = True) -> np.ndarray[Any, Any]:
        """The whole array as a NumPy array on this PE.

        Parameters
        ----------
        copy : bool or None
            True: an independent copy. False: share memory, so that changes on either side are seen on the other
            (one PE only; else ValueError). None: read-only without a copy where possible, else a
            copy; it keeps its values when the array changes.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.arange(3).to_numpy()
        array([0, 1, 2])
        """
        expr = self._read()
        if copy:
            return expr.to_numpy(True)
        if copy is None:
            values = expr.to_numpy(None).view(self.dtype)  # NumPy may otherwise use another of its two int64 types
            if memory_is_here(expr.session):
                values.flags.writeable = False  # a write could change the input of pending expressions
            return values
        if self._view is not None:
            raise ValueError("a view has no memory of its own to share; use copy=None or copy=True, or share its base")
        shared = expr.to_numpy(False).view(self.dtype)
        self._version = math.nan  # from now on it may change at any time
        return shared

    def to_ndarray(self) -> np.ndarray[Any, Any]:
        """The whole array as an independent NumPy array (Arkouda's name).

        Examples
        --------
        >>> import atoll as ak
        >>> ak.ones(2).to_ndarray()
        array([1., 1.])
        """
        return self._read().to_numpy(True)

    def copy(self) -> ndarray:
        """An independent array with the same elements."""
        return wrap(self._apart())

    def _apart(self) -> engine.Expr:
        """An expression of the same elements that no change of this array reaches, by NumPy's side of it neither."""
        expr = self._read()
        if not math.isnan(self._version):
            return expr.alias()
        return engine.from_numpy(expr.session, expr.to_numpy(None).view(self.dtype), True)

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> ndarray:
        return self.copy()

    def __bool__(self) -> bool:
        if self._expr.size != 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
                if self._expr.size
                else "The truth value of an empty array is ambiguous. Use `array.size > 0` to see whether it is empty."
            )
        return bool(self._read().item())

    def __int__(self) -> int:
        return int(self._scalar())

    def __float__(self) -> float:
        return float(self._scalar())

    def __complex__(self) -> complex:
        return complex(self._scalar())

    def __index__(self) -> int:
        if self.ndim or self.dtype.kind not in "iu":
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        return int(self._read().item())

    def _scalar(self) -> Any:
        if self._expr.size != 1:
            raise TypeError("only length-1 arrays can be converted to Python scalars")
        return self._read().item()

    def __format__(self, spec: str) -> str:
        if self.ndim == 0:
            return format(SCALAR_OF[self._expr.dtype](self._read().item()), spec)
        if spec:
            raise TypeError("unsupported format string passed to ak.ndarray.__format__")
        return str(self)

    def local(self) -> np.ndarray[Any, Any]:
        """This PE's rows as a read-only NumPy array, without a copy.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.arange(3).local()
        array([0, 1, 2])
        """
        rows = self._read().local().view(self.dtype)
        rows.flags.writeable = False
        return rows

    def local_block(self) -> np.ndarray[Any, Any]:
        """This PE's rows in place, as a writable NumPy array.

        For example, mpi4py may send from it or receive into it. Changes on either side are seen on the other. It is
        collective in a job; between two collective calls, each PE may change its rows at any time.

        Raises
        ------
        ValueError
            Of a view, which has no memory of its own, and of complex arrays, whose parts lie apart.

        Examples
        --------
        >>> import atoll as ak
        >>> a = ak.arange(3)
        >>> a.local_block()[:] = 7
        >>> a
        array([7, 7, 7])
        """
        expr = self._read()
        if self._view is not None:
            raise ValueError("a view has no memory of its own: take the block of its base, or of a copy")
        if self.dtype.kind == "c":
            raise ValueError(
                "the parts of complex arrays lie apart: take the blocks of a.real.copy() and a.imag.copy()"
            )
        rows = expr.local().view(self.dtype)
        self._version = math.nan  # from now on it may change at any time
        return rows


_new: Any = object.__new__
_public: Any = Array


def public(cls: Any) -> None:
    """Makes `cls` the public class of arrays, which `wrap` constructs."""
    global _public
    _public = cls


def wrap(expr: engine.Expr) -> ndarray:
    """A new array for an expression that belongs to no other array."""
    array: ndarray = _new(_public)
    array._expr = expr
    array._code = expr.dtype
    array._view = None
    array._version = 0
    return array


def expr_of(x: Any) -> engine.Expr:
    """The expression of an array or array-like; NumPy's values are copied, because they may change."""
    if isinstance(x, Array):
        return x._expr if x._view is None else x._read()
    return expr_from(x, None, True)


def as_array(a: Any) -> ndarray:
    """An Atoll array as it is, other values converted."""
    array: Any = a
    return array if isinstance(a, Array) else wrap(expr_from(a, None, True))


def require_out(out: Any) -> ndarray:
    """`out` if it is an Atoll array; NumPy also passes it as a tuple of one."""
    if type(out) is tuple and len(out) == 1:
        out = out[0]
    if not isinstance(out, Array):
        raise TypeError("out must be an ak.ndarray (make one with ak.empty)")
    return as_array(out)


def require_cpu(device: Device) -> None:
    """ValueError unless `device` is where all arrays are: the processors, "cpu" (or None)."""
    if device is not None and device != "cpu":
        raise ValueError(f"there is no device {device!r}: arrays are in the memory of the processors, device='cpu'")


def shape_text(shape: Sequence[int]) -> str:
    """A shape as NumPy's messages write it."""
    return "(" + ",".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


# -- conversion of other values --


def are_texts(values: ArrayLike) -> bool:
    """Whether it is a list of strings only. NumPy would allocate the longest string's size for each to find out."""
    return isinstance(values, (list, tuple)) and bool(values) and all(type(value) is str for value in values)


def numpy_from(values: Any, dtype: DTypeLike) -> np.ndarray[Any, Any]:
    """A C-contiguous NumPy array of a supported dtype with these values, the same memory when possible."""
    found = np.asarray(values) if dtype is None else np.asarray(values, dtype=DTYPE_OF[code_of(dtype)])
    code = code_of(found.dtype)
    return np.asarray(found, dtype=DTYPE_OF[code], order="C")


def expr_from(values: Any, dtype: DTypeLike, copy: bool) -> engine.Expr:
    """The expression of array-like values: a Python or NumPy scalar, nested lists, a NumPy array, a pandas Series …"""
    if isinstance(values, Array):
        expr = values._read()
        return values._apart() if dtype is None or code_of(dtype) == expr.dtype else engine.cast(expr, code_of(dtype))
    if isinstance(values, Columnar):
        raise TypeError("a column is no array: take its values, or fill what is missing with fillna")
    session = current()
    kind = SCALAR_KIND.get(type(values))
    if kind is not None and dtype is None:
        if kind == WEAK_INT and not -(2**63) <= values < 2**63:
            return engine.from_numpy(session, numpy_from(values, None), True)
        code = {WEAK_INT: INT64, WEAK_FLOAT: FLOAT64, WEAK_COMPLEX: COMPLEX128}.get(kind, kind)
        return engine.scalar(session, values if kind < 0 else values if kind == BOOL else values.item(), code)
    if type(values) is range and len(values) > 1000:
        code = INT64 if dtype is None else code_of(dtype)
        return engine.arange(session, values.start, values.step, len(values), code)
    if isinstance(values, (list, tuple)) and any(isinstance(value, Array) for value in values):
        return _stacked(values, dtype)
    if not isinstance(values, np.ndarray) and hasattr(values, "__dlpack__") and not hasattr(values, "__array__"):
        values = np.from_dlpack(values)
    if _is_columnar(values):
        raise TypeError("values are missing, or of a kind, which an array cannot hold")
    if dtype is None and are_texts(values):
        code_of(str)  # says what to do
    found = numpy_from(values, dtype)
    copy = copy or not isinstance(values, np.ndarray) or not found.flags.writeable
    return engine.from_numpy(session, found, copy)


def _is_columnar(values: Any) -> bool:
    """Whether values of Arrow or pandas have missing ones, which NumPy turns into NaN, or a dtype that NumPy lacks."""
    package = type(values).__module__.partition(".")[0]
    if package == "pyarrow":
        kind = getattr(values, "type", None)
        return bool(values.null_count) or not (
            kind is None or str(kind).strip("u")[:3] in ("int", "flo", "hal", "dou", "boo")
        )
    if package != "pandas" or isinstance(values.dtype, np.dtype):
        return False
    return values.dtype.kind not in "biuf" or bool(values.isna().any())


def _stacked(values: Sequence[Any], dtype: DTypeLike) -> engine.Expr:
    """Values of one shape as the rows of one expression, in their common dtype."""
    rows = [expr_from(value, dtype, True) for value in values]
    if any(row.shape != rows[0].shape for row in rows):
        raise ValueError("all input arrays must have the same shape")
    code = result_code(*(row.dtype for row in rows))
    return engine.concatenate([engine.reshape(engine.cast(row, code), (1, *row.shape)) for row in rows])
