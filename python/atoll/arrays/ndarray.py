# SPDX-License-Identifier: Apache-2.0
"""The public array class: binds the functions of the lower layers as NumPy's operators and methods."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Iterator
from sys import getrefcount
from types import GenericAlias
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from . import (
    bits,
    composed,
    diagonals,
    engine,
    histograms,
    index_tricks,
    indexing,
    interchange,
    manipulation,
    padding,
    printing,
    products,
    reductions,
    repeating,
    scans,
    selection,
    sorting,
    statistics,
    ufuncs,
)
from . import files as files
from .array import Array, public, require_cpu, wrap
from .dtypes import DTYPE_OF, Casting, DTypeLike, check_cast, code_of
from .elementwise import comparison, operators, unary
from .flags import Flags
from .flat import Flat
from .views import ITEM_TEMPORARY, METHOD_TEMPORARY, PROPERTY_TEMPORARY, as_type, strides_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..annotations import ArrayLike


class ndarray(Array):
    """A distributed array: NumPy's interface, elements spread in blocks along axis 0 over the PEs of the session.

    Arithmetic is lazy: a chain of elementwise operations runs as one pass over memory when its values are needed
    (printing, reductions, sorting, indexing by data, conversion to NumPy). Shapes and dtypes are checked at once.
    Basic slices, `reshape`, `ravel`, `T` and similar functions give views, as in NumPy. Make arrays with `ak.array`,
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

    __slots__ = ()

    def __new__(cls, *args: object, **kwargs: object) -> NoReturn:
        raise TypeError("make arrays with ak.array, ak.zeros, ak.empty, ak.arange, …, not by calling ak.ndarray")

    def __init_subclass__(cls, **kwargs: object) -> None:
        raise TypeError("ak.ndarray cannot be subclassed; keep an array as an attribute instead")

    @property
    def T(self) -> ndarray:
        """View with the axes reversed."""
        temporary = getrefcount(self) <= PROPERTY_TEMPORARY
        return manipulation.transpose_axes(self, None, temporary)

    @property
    def mT(self) -> ndarray:
        """View with the last two axes exchanged: each matrix transposed."""
        return manipulation.matrix_transpose(self)

    @property
    def device(self) -> str:
        """The device of the elements: always "cpu"."""
        return "cpu"

    @property
    def real(self) -> ndarray:
        """The real parts, a view; of a real array, itself."""
        return composed.real(self)

    @real.setter
    def real(self, value: ArrayLike) -> None:
        composed.real(self)[...] = value

    @property
    def imag(self) -> ndarray:
        """The imaginary parts, a view; of a real array, zeros."""
        return composed.imag(self)

    @imag.setter
    def imag(self, value: ArrayLike) -> None:
        if self.dtype.kind != "c":
            raise TypeError("array does not have imaginary part to set")
        composed.imag(self)[...] = value

    @property
    def flags(self) -> Flags:
        """The memory layout, as if the base were contiguous, and whether elements may be written."""
        return Flags(self)

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next along each axis, as if the base were contiguous in memory."""
        return strides_of(self)

    @property
    def data(self) -> memoryview:
        """The elements as a read-only buffer, without a copy when the session has one PE."""
        values: Any = self.to_numpy(None)
        return memoryview(values)

    @property
    def flat(self) -> Flat:
        """The elements in C order: an iterator over them that may be indexed and assigned to.

        Examples
        --------
        >>> import atoll as ak
        >>> a = ak.arange(6).reshape(2, 3)
        >>> a.flat[4]
        np.int64(4)
        >>> a.flat[1:4] = 9
        >>> a
        array([[0, 9, 9],
               [9, 4, 5]])
        """
        return Flat(self)

    @flat.setter
    def flat(self, value: ArrayLike) -> None:
        Flat(self)[:] = value

    # -- conversion --

    def item(self, *args: object) -> bool | int | float:
        """One element as a Python scalar; without arguments the only one."""
        if args:
            index = args[0] if len(args) == 1 else args
            value = indexing.get(manipulation.ravel(self) if len(args) == 1 and self.ndim > 1 else self, index, False)
            return value.item()
        return self._read().item()

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
        if DTYPE_OF[expr.dtype].kind == "c" and DTYPE_OF[code].kind not in "cb":
            message = "Casting complex values to real discards the imaginary part"
            warnings.warn(message, np.exceptions.ComplexWarning, stacklevel=2)
        if expr.dtype == code:
            return wrap(expr.alias()) if copy else self
        return wrap(engine.cast(expr, code))

    def view(self, dtype: DTypeLike = None) -> ndarray:
        """The same elements, or their bytes as another type: a view.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array([1.0]).view("int64")
        array([4607182418800017408])
        """
        code = self._expr.dtype if dtype is None else code_of(dtype)
        return as_type(self, code, DTYPE_OF[code].itemsize)

    def byteswap(self, inplace: bool = False) -> ndarray:
        """Each element with its bytes in the opposite order; with `inplace` in the array itself.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array([1, 256], dtype="int16").byteswap()
        array([256,   1], dtype=int16)
        """
        result = bits.swapped(self)
        if not inplace:
            return result
        self._store(result._expr)
        return self

    def getfield(self, dtype: DTypeLike, offset: int = 0) -> ndarray:
        """Part of each element's bytes as another type: a view.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.array([258], dtype="int16").getfield("int8", 1)
        array([1], dtype=int8)
        """
        code = code_of(dtype)
        size = DTYPE_OF[code].itemsize
        if offset < 0 or offset + size > self.itemsize:
            raise ValueError(
                f"new type of {size} bytes at offset {offset} does not fit elements of {self.itemsize} bytes"
            )
        wide = self.reshape((*self.shape, 1)).view(np.uint8)[..., offset : offset + size]
        return wide.view(DTYPE_OF[code]).reshape(self.shape) if size > 1 else wide.view(DTYPE_OF[code])[..., 0]

    def setfield(self, val: Any, dtype: DTypeLike, offset: int = 0) -> None:
        """Assigns to what `getfield` gives."""
        self.getfield(dtype, offset)[...] = val

    def tofile(self, fid: Any, sep: str = "", format: str = "%s") -> None:
        """Writes the elements to a file: their bytes in C order, or with `sep` a string."""
        files.write_raw(self, fid, sep, format)

    def dumps(self) -> bytes:
        """The array as `pickle.dumps` gives it."""
        return pickle.dumps(self)

    def dump(self, file: object) -> None:
        """Writes what `dumps` gives."""
        with files.opened(file, "wb") as stream:
            stream.write(self.dumps())

    def evaluate(self) -> ndarray:
        """Computes the elements now, if they are still an unevaluated expression; returns the array itself."""
        self._read().evaluate()
        return self

    def __repr__(self) -> str:
        return printing.repr_of(self)

    def __str__(self) -> str:
        return printing.text_of(self)

    def __reduce__(self) -> Any:
        return interchange.reduce_for_pickle(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return interchange.as_numpy(self, dtype, copy)

    def __buffer__(self, flags: int) -> memoryview:
        return interchange.buffer(self, flags)

    def _repr_html_(self) -> str:
        return interchange.html_of(self)

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        return interchange.arrow_c_array(self, requested_schema)

    def __arrow_c_schema__(self) -> Any:
        return interchange.arrow_c_schema(self)

    def to_device(self, device: str, /, *, stream: Any = None) -> ndarray:
        """The array itself: "cpu" is the only device."""
        require_cpu(device)
        if stream is not None:
            raise ValueError("device 'cpu' has no streams")
        return self

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        return interchange.array_namespace(api_version)

    def __dlpack__(
        self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None
    ) -> Any:
        return interchange.dlpack(self, copy, stream=stream, max_version=max_version, dl_device=dl_device)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)  # kDLCPU

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: object) -> Any:
        return interchange.array_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        return interchange.array_function(function, args, kwargs)

    # -- indexing --

    def __getitem__(self, key: object) -> Any:
        temporary = getrefcount(self) <= ITEM_TEMPORARY
        return indexing.get(self, key, temporary)

    def __setitem__(self, key: object, value: ArrayLike) -> None:
        indexing.put(self, key, value)

    def __iter__(self) -> Iterator[Any]:
        return indexing.iterate(self)

    def __contains__(self, value: ArrayLike) -> bool:
        return bool((self == value).any())

    take = selection.take
    nonzero = selection.nonzero
    put = index_tricks.put
    choose = index_tricks.choose
    diagonal = diagonals.diagonal
    trace = diagonals.trace

    def compress(self, condition: Any, axis: int | None = None) -> ndarray:
        """See `ak.compress`."""
        return selection.compress(condition, self, axis)

    def fill(self, value: ArrayLike) -> None:
        """Sets all elements to `value`."""
        indexing.put(self, ..., value)

    # -- operators --

    __add__, __radd__, __iadd__ = operators("add", "+")
    __sub__, __rsub__, __isub__ = operators("subtract", "-")
    __mul__, __rmul__, __imul__ = operators("multiply", "*")
    __truediv__, __rtruediv__, __itruediv__ = operators("divide", "/")
    __floordiv__, __rfloordiv__, __ifloordiv__ = operators("floor_divide", "//")
    __mod__, __rmod__, __imod__ = operators("remainder", "%")
    __pow__, __rpow__, __ipow__ = operators("power", "**")
    __and__, __rand__, __iand__ = operators("bitwise_and", "&")
    __or__, __ror__, __ior__ = operators("bitwise_or", "|")
    __xor__, __rxor__, __ixor__ = operators("bitwise_xor", "^")
    __lshift__, __rlshift__, __ilshift__ = operators("left_shift", "<<")
    __rshift__, __rrshift__, __irshift__ = operators("right_shift", ">>")
    __lt__, __le__ = comparison("less", "<"), comparison("less_equal", "<=")
    __gt__, __ge__ = comparison("greater", ">"), comparison("greater_equal", ">=")
    __eq__: Any = comparison("equal", "==")
    __ne__: Any = comparison("not_equal", "!=")
    __hash__ = None  # type: ignore[assignment]  # == is elementwise, so arrays are not hashable, as NumPy's
    __neg__, __pos__, __abs__, __invert__ = unary("negative"), unary("positive"), unary("absolute"), unary("invert")

    def __divmod__(self, other: object) -> tuple[ndarray, ndarray]:
        return self // other, self % other

    def __rdivmod__(self, other: object) -> tuple[ndarray, ndarray]:
        return other // self, other % self

    def __matmul__(self, other: Any) -> Any:
        """a @ b; see `ak.matmul`."""
        return products.matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        """b @ a; see `ak.matmul`."""
        return products.matmul(other, self)

    # -- elementwise methods --

    clip = composed.clip
    round = composed.round
    __round__ = composed.round

    def conj(self) -> ndarray:
        """Conjugates; the array itself when it is real."""
        return ufuncs.conjugate(self) if self.dtype.kind == "c" else self

    conjugate = conj

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
        return reductions.reduce("sum", self, axis, dtype, out, keepdims, initial, where, keep)

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
        return reductions.reduce("prod", self, axis, dtype, out, keepdims, initial, where, keep)

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
        return reductions.reduce("min", self, axis, None, out, keepdims, initial, where, keep)

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
        return reductions.reduce("max", self, axis, None, out, keepdims, initial, where, keep)

    def any(self, axis: Any = None, out: ndarray | None = None, keepdims: bool = False, where: Any = True) -> Any:
        """See `ak.any`."""
        keep = getrefcount(self) > METHOD_TEMPORARY
        return reductions.reduce("any", self, axis, None, out, keepdims, None, where, keep)

    def all(self, axis: Any = None, out: ndarray | None = None, keepdims: bool = False, where: Any = True) -> Any:
        """See `ak.all`."""
        keep = getrefcount(self) > METHOD_TEMPORARY
        return reductions.reduce("all", self, axis, None, out, keepdims, None, where, keep)

    def argmin(self, axis: int | None = None, out: ndarray | None = None, keepdims: bool = False) -> Any:
        """See `ak.argmin`."""
        keep = getrefcount(self) > METHOD_TEMPORARY
        return reductions.arg_reduce("argmin", self, axis, out, keepdims, keep)

    def argmax(self, axis: int | None = None, out: ndarray | None = None, keepdims: bool = False) -> Any:
        """See `ak.argmax`."""
        keep = getrefcount(self) > METHOD_TEMPORARY
        return reductions.arg_reduce("argmax", self, axis, out, keepdims, keep)

    cumsum = scans.cumsum
    cumprod = scans.cumprod

    def mean(
        self, axis: Any = None, dtype: DTypeLike = None, out: ndarray | None = None, keepdims: bool = False,
        *, where: Any = True,
    ) -> Any:  # fmt: skip
        """See `ak.mean`."""
        keep = getrefcount(self) > METHOD_TEMPORARY
        return statistics.mean_of(self, axis, dtype, out, keepdims, where, keep)

    var = statistics.var
    std = statistics.std
    ptp = statistics.ptp

    # -- shape --

    def reshape(self, *shape: Any, order: str = "C", copy: bool | None = None) -> ndarray:
        """See `ak.reshape`."""
        wanted = shape[0] if len(shape) == 1 else shape
        temporary = getrefcount(self) <= METHOD_TEMPORARY
        return manipulation.reshape_to(self, wanted, order, copy, temporary)

    def resize(self, *new_shape: Any, refcheck: bool = True) -> None:
        """Changes the shape of this array in place: elements keep their order, and zeros are appended.

        Raises
        ------
        ValueError
            The array is a view, or, unless `refcheck` is False, something else refers to it: a view of it would have
            lost its elements.

        Examples
        --------
        >>> import atoll as ak
        >>> a = ak.array([1, 2, 3])
        >>> a.resize(2, 2)
        >>> a
        array([[1, 2],
               [3, 0]])
        """
        if self._view is not None:
            raise ValueError("cannot resize this array: it does not own its data. Use ak.resize, which gives another")
        if refcheck and getrefcount(self) > METHOD_TEMPORARY + 1:
            raise ValueError(
                "cannot resize an array that something else refers to, maybe a view of it. Use ak.resize, which gives "
                "another, or refcheck=False"
            )
        shape = new_shape[0] if len(new_shape) == 1 else new_shape
        padding.resize_in_place(self, shape)

    def setflags(self, write: bool | None = None, align: bool | None = None, uic: bool | None = None) -> None:
        """Accepts flags that already hold; ValueError for any change.

        Arrays and their views are writable; diagonals and broadcast arrays are not.
        """
        if write is not None and bool(write) != self.flags.writeable:
            what = "cannot set WRITEABLE flag to True of this array" if write else "arrays cannot be made read-only"
            raise ValueError(f"{what}; copy it, or give NumPy's of it away: a.to_numpy()")
        if align is False or uic:
            raise ValueError("arrays are aligned always, and no copies of others that are written back")

    @property
    def ctypes(self) -> Any:
        """NumPy's `ctypes` of the elements: their address, for C functions. The memory is shared.

        Raises
        ------
        ValueError
            The elements are not contiguous in this process's memory: views, complex numbers, or several PEs.
        """
        return self.to_numpy(False).ctypes

    def __class_getitem__(cls, item: object) -> Any:
        """``ndarray[shape, dtype]``, for annotations."""
        return GenericAlias(cls, item)

    def ravel(self, order: str = "C") -> ndarray:
        """See `ak.ravel`."""
        temporary = getrefcount(self) <= METHOD_TEMPORARY
        return manipulation.ravel_of(self, order, temporary)

    def flatten(self, order: str = "C") -> ndarray:
        """A flat copy."""
        return manipulation.reshape_to(self, (-1,), order, True, True)

    def transpose(self, *axes: Any) -> ndarray:
        """See `ak.transpose`."""
        wanted = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes or None
        temporary = getrefcount(self) <= METHOD_TEMPORARY
        return manipulation.transpose_axes(self, wanted, temporary)

    swapaxes = manipulation.swapaxes
    squeeze = manipulation.squeeze
    repeat = repeating.repeat

    # -- order --

    def sort(
        self, axis: int = -1, kind: str | None = None, order: Any = None, *,
        stable: bool | None = None, descending: bool = False,
    ) -> None:  # fmt: skip
        """Sorts in place; see `ak.sort`."""
        self._store(sorting.sort(self, axis, kind, order, stable=stable, descending=descending)._expr)

    def partition(self, kth: Any, axis: int = -1, kind: str = "introselect", order: str | None = None) -> None:
        """Sorts in place, so that each element of `kth` has its sorted position; see `ak.partition`."""
        self._store(sorting.partition(self, kth, axis, kind, order)._expr)

    argpartition = sorting.argpartition
    argsort = sorting.argsort
    searchsorted = histograms.searchsorted
    dot = products.dot


public(ndarray)
