# SPDX-License-Identifier: Apache-2.0
"""The array class: a handle on a lazy distributed expression, with NumPy's methods thin over the function modules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from sys import getrefcount
from typing import Any, NoReturn

import numpy as np

from . import _core, _elementwise
from ._dtypes import DTYPE_OF, SCALAR_OF, Casting, DTypeLike, check_cast, code_of
from ._elementwise import binary, in_place, operator, operator_of, reflected, unary
from ._session import current
from ._views import ITEM_TEMPORARY, METHOD_TEMPORARY, PROPERTY_TEMPORARY, View

_operations = {
    name: binary(name)
    for name in (
        *("add", "subtract", "multiply", "divide", "floor_divide", "remainder", "power"),
        *("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"),
        *("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"),
    )
}
_forward = {name: operator_of(name, operation) for name, operation in _operations.items()}
_backward = {name: operator(reflected(operation)) for name, operation in _operations.items()}
_update = {name: operator(in_place(name, operation)) for name, operation in _operations.items()}


class ndarray:
    """A distributed array: NumPy's interface, elements spread in blocks along axis 0 over the PEs of the session.

    Arithmetic is lazy: a chain of elementwise operations runs as one pass over memory when its values are needed
    (printing, reductions, sorting, indexing by data, conversion to NumPy). Shapes and dtypes are checked at once.
    Basic slices, `reshape`, `ravel`, `T` and the like are views, as in NumPy. Make arrays with `ak.array`,
    `ak.arange`, `ak.zeros` and the other creation functions.

    Examples
    --------
    >>> import atoll as ak
    >>> a = ak.arange(6)
    >>> (a * a + 1).sum()
    np.int64(61)
    >>> b = a[::2]
    >>> b[:] = 0
    >>> a
    array([0, 1, 0, 3, 0, 5])
    """

    __slots__ = ("__weakref__", "_code", "_expr", "_version", "_view")
    _expr: _core.Expr  # of a view: as last read
    _code: int  # of the dtype
    _view: View | None
    _version: float  # counts changes, for the views of this array; NaN when memory is shared: always changed

    def __new__(cls, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError("make arrays with ak.array, ak.zeros, ak.empty, ak.arange, …, not by calling ak.ndarray")

    def __init_subclass__(cls, **kwargs: Any) -> None:
        raise TypeError("ak.ndarray cannot be subclassed; keep an array as an attribute instead")

    # -- the engine's side --

    def _read(self) -> _core.Expr:
        """The expression now; of a view, from the base when that has changed."""
        view = self._view
        if view is not None and view.version != view.base._version:
            self._expr = view.read()
            view.version = view.base._version
        return self._expr

    def _store(self, value: _core.Expr) -> None:
        """Replaces all elements by `value`, of the same dtype and shape."""
        expr, view = self._expr, self._view
        if value.shape != expr.shape:
            raise ValueError(
                f"non-broadcastable output operand with shape {_shape_text(expr.shape)} "
                f"doesn't match the broadcast shape {_shape_text(value.shape)}"
            )
        if view is None:
            expr.assign(value)
            self._version += 1
        else:
            view.write(value)
            self._expr = value.alias()
            view.version = view.base._version

    # -- what it is --

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

    @property
    def T(self) -> ndarray:
        """View with the axes reversed."""
        temporary = getrefcount(self) <= PROPERTY_TEMPORARY
        return _manipulation.transpose_axes(self, None, temporary)

    @property
    def real(self) -> ndarray:
        """The array itself: all dtypes are real."""
        return self

    @property
    def flat(self) -> Iterator[Any]:
        """Iterator over the elements in C order."""
        return iter(_manipulation.ravel(self))

    def __len__(self) -> int:
        shape = self._expr.shape
        if not shape:
            raise TypeError("len() of unsized object")
        return shape[0]

    # -- conversion --

    def item(self, *args: Any) -> bool | int | float:
        """One element as a Python scalar; without arguments the only one."""
        if args:
            index = args[0] if len(args) == 1 else args
            value = _indexing.get(_manipulation.ravel(self) if len(args) == 1 and self.ndim > 1 else self, index, False)
            return value.item()
        return self._read().item()

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
        return _interchange.to_numpy(self, copy)

    def to_ndarray(self) -> np.ndarray[Any, Any]:
        """The whole array as an independent NumPy array (Arkouda's name).

        Examples
        --------
        >>> import atoll as ak
        >>> ak.ones(2).to_ndarray()
        array([1., 1.])
        """
        return self._read().to_numpy(True)

    def astype(self, dtype: DTypeLike, copy: bool = True, casting: Casting = "unsafe") -> ndarray:
        """The elements in another type, lazily.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array([1.5, -2.5]).astype(int)
        array([ 1, -2])
        """
        expr, code = self._read(), code_of(dtype)
        check_cast(expr.dtype, code, casting)
        if expr.dtype == code:
            return wrap(expr.alias()) if copy else self
        return wrap(_core.cast(expr, code))

    def copy(self) -> ndarray:
        """An independent array with the same elements."""
        return wrap(self._read().alias())

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

    def _scalar(self) -> bool | int | float:
        if self._expr.size != 1:
            raise TypeError("only length-1 arrays can be converted to Python scalars")
        return self._read().item()

    def __repr__(self) -> str:
        return _printing.array_repr(self)

    def __str__(self) -> str:
        return _printing.array_str(self)

    def __format__(self, spec: str) -> str:
        if self.ndim == 0:
            return format(SCALAR_OF[self._expr.dtype](self._read().item()), spec)
        if spec:
            raise TypeError("unsupported format string passed to ak.ndarray.__format__")
        return str(self)

    def __reduce__(self) -> Any:
        return _interchange.reduce_for_pickle(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return _interchange.as_numpy(self, dtype, copy)

    def __buffer__(self, flags: int) -> memoryview:
        return _interchange.buffer(self, flags)

    def __dlpack__(self, **kwargs: Any) -> Any:
        return _interchange.dlpack(self, **kwargs)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)  # kDLCPU

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return _interchange.array_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return _interchange.array_function(function, args, kwargs)

    # -- indexing --

    def __getitem__(self, key: Any) -> Any:
        temporary = getrefcount(self) <= ITEM_TEMPORARY
        return _indexing.get(self, key, temporary)

    def __setitem__(self, key: Any, value: Any) -> None:
        _indexing.put(self, key, value)

    def __iter__(self) -> Iterator[Any]:
        return _indexing.iterate(self)

    def __contains__(self, value: Any) -> bool:
        return bool((self == value).any())

    def take(self, indices: Any, axis: int | None = None) -> ndarray:
        """See `ak.take`."""
        return _selection.take(self, indices, axis)

    def compress(self, condition: Any, axis: int | None = None) -> ndarray:
        """See `ak.compress`."""
        return _selection.compress(condition, self, axis)

    def nonzero(self) -> tuple[ndarray, ...]:
        """See `ak.nonzero`."""
        return _selection.nonzero(self)

    def fill(self, value: Any) -> None:
        """Sets all elements to `value`."""
        _indexing.put(self, ..., value)

    # -- operators --

    __add__, __radd__, __iadd__ = _forward["add"], _backward["add"], _update["add"]
    __sub__, __rsub__, __isub__ = _forward["subtract"], _backward["subtract"], _update["subtract"]
    __mul__, __rmul__, __imul__ = _forward["multiply"], _backward["multiply"], _update["multiply"]
    __truediv__, __rtruediv__, __itruediv__ = _forward["divide"], _backward["divide"], _update["divide"]
    __floordiv__, __rfloordiv__ = _forward["floor_divide"], _backward["floor_divide"]
    __ifloordiv__ = _update["floor_divide"]
    __mod__, __rmod__, __imod__ = _forward["remainder"], _backward["remainder"], _update["remainder"]
    __pow__, __rpow__, __ipow__ = _forward["power"], _backward["power"], _update["power"]
    __and__, __rand__, __iand__ = _forward["bitwise_and"], _backward["bitwise_and"], _update["bitwise_and"]
    __or__, __ror__, __ior__ = _forward["bitwise_or"], _backward["bitwise_or"], _update["bitwise_or"]
    __xor__, __rxor__, __ixor__ = _forward["bitwise_xor"], _backward["bitwise_xor"], _update["bitwise_xor"]
    __lshift__, __rlshift__, __ilshift__ = _forward["left_shift"], _backward["left_shift"], _update["left_shift"]
    __rshift__, __rrshift__, __irshift__ = _forward["right_shift"], _backward["right_shift"], _update["right_shift"]
    __lt__, __le__, __gt__, __ge__ = (
        _forward["less"],
        _forward["less_equal"],
        _forward["greater"],
        _forward["greater_equal"],
    )
    __eq__: Any = _forward["equal"]
    __ne__: Any = _forward["not_equal"]
    __hash__ = None  # type: ignore[assignment]  # == is elementwise, so arrays are not hashable, as NumPy's
    __neg__, __pos__, __abs__, __invert__ = unary("negative"), unary("positive"), unary("absolute"), unary("invert")

    def __divmod__(self, other: Any) -> tuple[ndarray, ndarray]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[ndarray, ndarray]:
        return other // self, other % self

    def __matmul__(self, other: Any) -> Any:
        return _products.matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return _products.matmul(other, self)

    def __round__(self, ndigits: int = 0) -> ndarray:
        return _ufuncs.round(self, ndigits)

    # -- elementwise methods --

    def clip(self, min: Any = None, max: Any = None, out: ndarray | None = None) -> ndarray:
        """See `ak.clip`."""
        return _ufuncs.clip(self, min, max, out=out)

    def round(self, decimals: int = 0, out: ndarray | None = None) -> ndarray:
        """See `ak.round`."""
        return _ufuncs.round(self, decimals, out=out)

    def conj(self) -> ndarray:
        """The array itself: all dtypes are real."""
        return self

    # -- reductions and scans --

    def sum(
        self,
        axis: Any = None,
        dtype: DTypeLike = None,
        out: ndarray | None = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Any:
        """See `ak.sum`."""
        keep = getrefcount(self) > METHOD_TEMPORARY
        return _reductions.reduce("sum", self, axis, dtype, out, keepdims, initial, where, keep)

    def prod(
        self,
        axis: Any = None,
        dtype: DTypeLike = None,
        out: ndarray | None = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Any:
        """See `ak.prod`."""
        keep = getrefcount(self) > METHOD_TEMPORARY
        return _reductions.reduce("prod", self, axis, dtype, out, keepdims, initial, where, keep)

    def min(
        self,
        axis: Any = None,
        out: ndarray | None = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Any:
        """See `ak.min`."""
        keep = getrefcount(self) > METHOD_TEMPORARY
        return _reductions.reduce("min", self, axis, None, out, keepdims, initial, where, keep)

    def max(
        self,
        axis: Any = None,
        out: ndarray | None = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Any:
        """See `ak.max`."""
        keep = getrefcount(self) > METHOD_TEMPORARY
        return _reductions.reduce("max", self, axis, None, out, keepdims, initial, where, keep)

    def any(self, axis: Any = None, out: ndarray | None = None, keepdims: bool = False, where: Any = True) -> Any:
        """See `ak.any`."""
        keep = getrefcount(self) > METHOD_TEMPORARY
        return _reductions.reduce("any", self, axis, None, out, keepdims, None, where, keep)

    def all(self, axis: Any = None, out: ndarray | None = None, keepdims: bool = False, where: Any = True) -> Any:
        """See `ak.all`."""
        keep = getrefcount(self) > METHOD_TEMPORARY
        return _reductions.reduce("all", self, axis, None, out, keepdims, None, where, keep)

    def argmin(self, axis: int | None = None, out: ndarray | None = None, keepdims: bool = False) -> Any:
        """See `ak.argmin`."""
        keep = getrefcount(self) > METHOD_TEMPORARY
        return _reductions.arg_reduce("argmin", self, axis, out, keepdims, keep)

    def argmax(self, axis: int | None = None, out: ndarray | None = None, keepdims: bool = False) -> Any:
        """See `ak.argmax`."""
        keep = getrefcount(self) > METHOD_TEMPORARY
        return _reductions.arg_reduce("argmax", self, axis, out, keepdims, keep)

    def cumsum(self, axis: int | None = None, dtype: DTypeLike = None, out: ndarray | None = None) -> ndarray:
        """See `ak.cumsum`."""
        return _reductions.cumsum(self, axis, dtype, out)

    def cumprod(self, axis: int | None = None, dtype: DTypeLike = None, out: ndarray | None = None) -> ndarray:
        """See `ak.cumprod`."""
        return _reductions.cumprod(self, axis, dtype, out)

    def mean(
        self, axis: Any = None, dtype: DTypeLike = None, out: ndarray | None = None, keepdims: bool = False,
        *, where: Any = True,
    ) -> Any:  # fmt: skip
        """See `ak.mean`."""
        keep = getrefcount(self) > METHOD_TEMPORARY
        return _statistics.mean_of(self, axis, dtype, out, keepdims, where, keep)

    def var(
        self, axis: Any = None, dtype: DTypeLike = None, out: ndarray | None = None, ddof: float = 0,
        keepdims: bool = False, *, where: Any = True, correction: float | None = None,
    ) -> Any:  # fmt: skip
        """See `ak.var`."""
        return _statistics.var(self, axis, dtype, out, ddof, keepdims, where=where, correction=correction)

    def std(
        self, axis: Any = None, dtype: DTypeLike = None, out: ndarray | None = None, ddof: float = 0,
        keepdims: bool = False, *, where: Any = True, correction: float | None = None,
    ) -> Any:  # fmt: skip
        """See `ak.std`."""
        return _statistics.std(self, axis, dtype, out, ddof, keepdims, where=where, correction=correction)

    def ptp(self, axis: Any = None, out: ndarray | None = None, keepdims: bool = False) -> Any:
        """See `ak.ptp`."""
        return _statistics.ptp(self, axis, out, keepdims)

    # -- shape --

    def reshape(self, *shape: Any, order: str = "C", copy: bool | None = None) -> ndarray:
        """See `ak.reshape`."""
        wanted = shape[0] if len(shape) == 1 else shape
        temporary = getrefcount(self) <= METHOD_TEMPORARY
        return _manipulation.reshape_to(self, wanted, order, copy, temporary)

    def ravel(self, order: str = "C") -> ndarray:
        """See `ak.ravel`."""
        temporary = getrefcount(self) <= METHOD_TEMPORARY
        return _manipulation.reshape_to(self, (-1,), order, None, temporary)

    def flatten(self, order: str = "C") -> ndarray:
        """A flat copy."""
        return _manipulation.reshape_to(self, (-1,), order, True, True)

    def transpose(self, *axes: Any) -> ndarray:
        """See `ak.transpose`."""
        wanted = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes or None
        temporary = getrefcount(self) <= METHOD_TEMPORARY
        return _manipulation.transpose_axes(self, wanted, temporary)

    def swapaxes(self, axis1: int, axis2: int) -> ndarray:
        """See `ak.swapaxes`."""
        return _manipulation.swapaxes(self, axis1, axis2)

    def squeeze(self, axis: Any = None) -> ndarray:
        """See `ak.squeeze`."""
        return _manipulation.squeeze(self, axis)

    def repeat(self, repeats: Any, axis: int | None = None) -> ndarray:
        """See `ak.repeat`."""
        return _repeating.repeat(self, repeats, axis)

    # -- order --

    def sort(self, axis: int = -1, kind: str | None = None) -> None:
        """Sorts in place; see `ak.sort`."""
        self._store(_sorting.sort(self, axis)._expr)

    def argsort(self, axis: int | None = -1, kind: str | None = None) -> ndarray:
        """See `ak.argsort`."""
        return _sorting.argsort(self, axis)

    def searchsorted(self, v: Any, side: str = "left", sorter: Any = None) -> Any:
        """See `ak.searchsorted`."""
        return _tables.searchsorted(self, v, side, sorter)

    def dot(self, other: Any) -> Any:
        """See `ak.dot`."""
        return _products.dot(self, other)

    def evaluate(self) -> ndarray:
        """Computes the elements now, if they are still an unevaluated expression; returns the array itself."""
        self._read().evaluate()
        return self

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


_new: Any = object.__new__


def wrap(expr: _core.Expr) -> ndarray:
    """The array of an expression that no other array holds."""
    array: ndarray = _new(ndarray)
    array._expr = expr
    array._code = expr.dtype
    array._view = None
    array._version = 0
    return array


def expr_of(x: Any) -> _core.Expr:
    """The expression of an array, or of what can be made one; values from NumPy are copied, as they may change."""
    if type(x) is ndarray:
        array: ndarray = x
        return array._expr if array._view is None else array._read()
    return _creation.expr_from(x, None, True)


def _shape_text(shape: Sequence[int]) -> str:
    return "(" + ",".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


def require_out(out: Any) -> ndarray:
    """`out` when it is an array of ours; NumPy also passes it as a tuple of one."""
    if type(out) is tuple and len(out) == 1:
        out = out[0]
    if type(out) is not ndarray:
        raise TypeError("out must be an ak.ndarray (make one with ak.empty)")
    return out


_elementwise.bind(ndarray, wrap, expr_of)

# These modules need the class, and the class needs them when its methods run.
from . import (  # noqa: E402
    _creation,
    _indexing,
    _interchange,
    _manipulation,
    _printing,
    _products,
    _reductions,
    _repeating,
    _selection,
    _sorting,
    _statistics,
    _tables,
    _ufuncs,
)

__all__ = ["current", "expr_of", "ndarray", "require_out", "wrap"]
