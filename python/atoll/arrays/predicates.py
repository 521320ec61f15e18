# SPDX-License-Identifier: Apache-2.0
"""Predicates and properties of arrays, dtypes and values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .array import Array, as_array
from .composed import imag, real
from .creation import asarray
from .dtypes import DTypeLike
from .ufuncs import absolute, arctan2, equal, isfinite, not_equal
from .views import lying_in, strides_of

if TYPE_CHECKING:
    from ..annotations import ArrayLike, Axes
    from .ndarray import ndarray

__all__ = [
    "angle",
    "array_equiv",
    "asarray_chkfinite",
    "common_type",
    "iscomplex",
    "iscomplexobj",
    "isfortran",
    "isreal",
    "isrealobj",
    "isscalar",
    "issubdtype",
    "iterable",
    "may_share_memory",
    "min_scalar_type",
    "mintypecode",
    "ndim",
    "promote_types",
    "real_if_close",
    "require",
    "shape",
    "shares_memory",
    "size",
    "typename",
]


# -- types --


def promote_types(type1: DTypeLike, type2: DTypeLike) -> np.dtype[Any]:
    """The smallest type that both may safely be cast to.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.promote_types("int8", "uint8")
    dtype('int16')
    """
    return np.promote_types(np.dtype(type1), np.dtype(type2))


def issubdtype(arg1: Any, arg2: Any) -> bool:
    """Whether a type lies below another in NumPy's hierarchy.

    Examples
    --------
    >>> import atoll as ak
    >>> import numpy as np
    >>> ak.issubdtype(ak.int8, np.integer)
    True
    """
    return bool(np.issubdtype(arg1, arg2))


def min_scalar_type(a: Any, /) -> np.dtype[Any]:
    """The smallest type that holds a scalar's value; of an array, its type.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.min_scalar_type(300)
    dtype('uint16')
    """
    if isinstance(a, Array):
        return a.dtype if a.ndim else np.min_scalar_type(a.dtype.type(as_array(a).item()))
    return np.min_scalar_type(a)


def common_type(*arrays: Any) -> type:
    """The floating-point type that arrays have in common; float64 for integers.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.common_type(ak.zeros(2, "float32"), ak.zeros(2, "float32"))
    <class 'numpy.float32'>
    """
    return np.common_type(*(np.empty(0, as_array(one).dtype) for one in arrays))


def mintypecode(typechars: Any, typeset: str = "GDFgdf", default: str = "d") -> str:
    """The character of the smallest type of a set that others may be cast to.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.mintypecode(["d", "f"])
    'd'
    """
    return np.mintypecode(typechars, typeset, default)


def typename(char: Any) -> str:
    """The description of a type character.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.typename("d")
    'double precision'
    """
    return np.typename(char)


# -- shapes --


def shape(a: Any) -> tuple[int, ...]:
    """Length of each axis.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.shape([[1, 2, 3]])
    (1, 3)
    """
    return a.shape if isinstance(a, Array) else np.shape(a)


def ndim(a: Any) -> int:
    """Number of axes.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.ndim([[1, 2, 3]])
    2
    """
    return a.ndim if isinstance(a, Array) else np.ndim(a)


def size(a: ArrayLike, axis: Axes = None) -> int:
    """Number of elements, or the length of an axis, or of several together.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.size(ak.zeros((2, 3)), 1)
    3
    """
    if axis is None:
        return math.prod(shape(a))
    return math.prod(shape(a)[one] for one in (axis if isinstance(axis, tuple) else (axis,)))


def isscalar(element: Any) -> bool:
    """Whether an object is a scalar of Python or NumPy; arrays without axes are not scalars.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.isscalar(3.5), ak.isscalar(ak.array(3.5))
    (True, False)
    """
    return np.isscalar(element)


def iterable(y: ArrayLike) -> bool:
    """Whether the object can be iterated over.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.iterable(ak.zeros(2)), ak.iterable(3)
    (True, False)
    """
    return y.ndim > 0 if isinstance(y, Array) else np.iterable(y)


# -- memory --


def shares_memory(a: ArrayLike, b: ArrayLike, /, max_work: int | None = None) -> bool:
    """Whether two arrays may have elements in common, so that an assignment to one may change the other.

    True for views of the same array or of one another, for a NumPy array that shares the memory of an Atoll array (the
    result of `np.asarray` on one PE, `local`, `local_block`, `to_numpy(False)`), and for the reverse.

    Parameters
    ----------
    a, b : array_like
        Arrays of Atoll or NumPy.
    max_work : int, optional
        Effort to find an element that views have in common, as in NumPy; None is unlimited.

    Examples
    --------
    >>> import atoll as ak
    >>> import numpy as np
    >>> a = ak.arange(4)
    >>> ak.shares_memory(a, a[1:]), ak.shares_memory(a, a + 1), ak.shares_memory(a, np.zeros(4))
    (True, False, False)
    """
    return _overlap(np.shares_memory, a, b, max_work)


def may_share_memory(a: ArrayLike, b: ArrayLike, /, max_work: int | None = None) -> bool:
    """As `shares_memory`, but by default compares only where the elements begin and end.

    Examples
    --------
    >>> import atoll as ak
    >>> a = ak.arange(4)
    >>> ak.may_share_memory(a[::2], a[1::2]), ak.shares_memory(a[::2], a[1::2])
    (True, False)
    """
    return _overlap(np.may_share_memory, a, b, max_work)


def _overlap(question: Any, a: ArrayLike, b: ArrayLike, max_work: int | None) -> bool:
    """NumPy's answer about the memory of both."""
    if isinstance(a, Array) and isinstance(b, Array):
        base, other = (as_array(one if one.base is None else one.base) for one in (a, b))
        if base is other:  # as if the base were contiguous in memory
            places = np.lib.stride_tricks.as_strided(np.empty(0, base.dtype), base.shape, strides_of(base))
            return bool(question(lying_in(a, places), lying_in(b, places), max_work=max_work))
        if not (math.isnan(base._version) and math.isnan(other._version)):  # neither sees the other's changes
            return False
    first: Any = _memory(a) if isinstance(a, Array) else a
    second: Any = _memory(b) if isinstance(b, Array) else b
    return first is not None and second is not None and bool(question(first, second, max_work=max_work))


def _memory(array: Array) -> np.ndarray[Any, Any] | None:
    """This PE's memory of the elements as a NumPy array; None when it has no memory that could be shared."""
    base = array if array.base is None else array.base
    if base.dtype.kind == "c":  # the parts lie apart
        return None
    if base._expr.session.kind == "remote":
        return None
    if base._expr.session.pes > 1:
        return base.local()
    return lying_in(array, base.to_numpy(None))


def isfortran(a: ArrayLike) -> bool:
    """Whether elements are in Fortran order: never, unlike NumPy's transposed views.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.isfortran(ak.zeros((2, 3)))
    False
    """
    return False


def require(a: Any, dtype: DTypeLike = None, requirements: Any = None) -> ndarray:
    """An array with these properties, by NumPy's letters: all are supported except those of Fortran order.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.require([1, 2], float, ["C", "W"])
    array([1., 2.])
    """
    wanted = {str(one).upper() for one in ([requirements] if isinstance(requirements, str) else requirements or ())}
    if wanted & {"F", "FORTRAN", "F_CONTIGUOUS"}:
        raise ValueError("order='F' is not available: elements are in C order")
    result = asarray(a, dtype)
    own = bool(wanted & {"O", "OWNDATA", "E", "ENSUREARRAY"}) and result.base is not None
    return result.copy() if own else result


def asarray_chkfinite(a: Any, dtype: DTypeLike = None, order: str | None = None) -> ndarray:
    """As `asarray`; ValueError when there is a NaN or an infinity.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.asarray_chkfinite([1.0, 2.0])
    array([1., 2.])
    """
    result = asarray(a, dtype, order=order)
    if result.dtype.kind in "fc" and not bool(isfinite(result).all()):
        raise ValueError("array must not contain infs or NaNs")
    return result


# -- values --


def array_equiv(a1: Any, a2: Any) -> bool:
    """Whether two arrays are equal, one of them perhaps repeated to the other's shape.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.array_equiv([1, 2], [[1, 2], [1, 2]])
    True
    """
    x, y = as_array(a1), as_array(a2)
    try:
        np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        return False
    return bool(equal(x, y).all())


def isreal(x: ArrayLike) -> Any:
    """Whether each element has no imaginary part.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.isreal(ak.zeros(2))
    array([ True,  True])
    """
    return ~iscomplex(x)


def iscomplex(x: ArrayLike) -> Any:
    """Whether each element has an imaginary part.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.iscomplex(ak.zeros(2))
    array([False, False])
    """
    return not_equal(imag(x), 0)


def isrealobj(x: ArrayLike) -> bool:
    """Whether the type is real.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.isrealobj(ak.zeros(2))
    True
    """
    return not iscomplexobj(x)


def iscomplexobj(x: Any) -> bool:
    """Whether the type is complex.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.iscomplexobj(ak.zeros(2))
    False
    """
    return x.dtype.kind == "c" if isinstance(x, Array) else bool(np.iscomplexobj(x))


def real_if_close(a: ArrayLike, tol: float = 100) -> ndarray:
    """The real parts, when no imaginary part is larger than `tol` times the type's precision, or than `tol` itself if
    that is at most 1; else, and when it is real, the array itself.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.real_if_close(ak.arange(2))
    array([0, 1])
    """
    array = as_array(a)
    if array.dtype.kind != "c":
        return array
    limit = tol * float(np.finfo(array.dtype).eps) if tol > 1 else tol
    return real(array) if bool((absolute(imag(array)) < limit).all()) else array


def angle(z: Any, deg: bool = False) -> Any:
    """The angle of each element with the positive real axis.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.angle(ak.array([1.0, -2.0]), deg=True)
    array([  0., 180.])
    """
    values = as_array(z)
    if values.dtype.kind == "c":
        turned = arctan2(imag(values), real(values))
    else:
        turned = arctan2(0, values)
    return turned * turned.dtype.type(180 / math.pi) if deg else turned
