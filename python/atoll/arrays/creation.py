# SPDX-License-Identifier: Apache-2.0
"""Creation of arrays: from values, from NumPy arrays, and by shape."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..session import current, memory_is_here
from . import engine
from .array import Array, as_array, column_of, expr_from, expr_of, numpy_from, require_cpu, wrap
from .dtypes import (
    BOOL,
    DTYPE_OF,
    FLOAT32,
    FLOAT64,
    INT64,
    KIND_OF,
    SCALAR_KIND,
    WEAK_FLOAT,
    DTypeLike,
    code_of,
    fit_scalar,
    result_code,
)
from .ufuncs import floor, log10, sign

if TYPE_CHECKING:
    from ..annotations import ArrayLike, Device
    from .ndarray import ndarray

__all__ = [
    "arange",
    "array",
    "asanyarray",
    "asarray",
    "ascontiguousarray",
    "copy",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "from_local",
    "full",
    "full_like",
    "geomspace",
    "identity",
    "linspace",
    "logspace",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
]


Shape: TypeAlias = "int | Sequence[int]"
_MOST_ELEMENTS = 2**60  # eight bytes each still fit in 63 bits


def shape_of(shape: Any) -> tuple[int, ...]:
    """A valid shape; ValueError for a negative length, MemoryError for more elements than an address space holds."""
    try:
        lengths = (
            (operator.index(shape),) if not isinstance(shape, (tuple, list)) else tuple(map(operator.index, shape))
        )
    except TypeError:
        several = isinstance(shape, (np.ndarray, Sequence, Array)) and not isinstance(shape, str)
        if not several:
            raise TypeError(f"expected a shape, a whole number or a tuple of them, not {shape!r}") from None
        lengths = tuple(map(operator.index, shape))
    if any(length < 0 for length in lengths):
        raise ValueError("negative dimensions are not allowed")
    if len(lengths) > 32:
        raise ValueError(f"maximum supported dimension for an array is 32, found {len(lengths)}")
    if math.prod(lengths) > _MOST_ELEMENTS or any(length >> 63 for length in lengths):
        raise MemoryError(f"Unable to allocate an array with shape {lengths}: no machine has so much memory. Smaller?")
    return lengths


def _check_order(order: str | None) -> None:
    if order not in (None, "C", "A", "K"):
        if order == "F":
            raise ValueError("order='F' is not available: elements are in C order. Make the transposed shape, then .T")
        raise ValueError(f"order must be one of 'C', 'A', or 'K' (got {order!r})")


def array(
    object: Any, dtype: DTypeLike = None, *, copy: bool | None = True, order: str = "K", subok: bool = False,
    ndmin: int = 0,
) -> ndarray:  # fmt: skip
    """A new array from values.

    Parameters
    ----------
    object : array_like
        A scalar, (nested) list, range, NumPy array, pandas Series, DLPack or other array. In an SPMD session every PE
        passes the same values. Strings, and values that include None, make a column.
    dtype : dtype, optional
        Type of the elements; by default what NumPy would choose.
    copy : bool or None
        False or None share a NumPy array's memory when the session has one PE, as `asarray` does.
    order : {'K', 'A', 'C'}
        Elements are in C order whatever it is; "F" raises.
    subok : bool
        Ignored: there are no subclasses.
    ndmin : int
        Minimum number of axes; new ones are prepended.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.array([[1, 2], [3, 4]]).sum(axis=0)
    array([4, 6])
    """
    _check_order(order)
    if copy is not True:
        result = asarray(object, dtype)
    else:
        try:
            result = wrap(expr_from(object, dtype, True))
        except TypeError:
            if (column := column_of(object, dtype)) is None:
                raise
            return column
    missing = ndmin - result.ndim
    return result.reshape((1,) * missing + result.shape) if missing > 0 else result


def asarray(
    a: Any, dtype: DTypeLike = None, order: str | None = None, *, device: Any = None, copy: bool | None = None
) -> ndarray:
    """An array from values, without a copy where possible.

    An atoll array of the right type is returned as it is. A C-contiguous NumPy array is shared when the session has one
    PE: changes on one side are then seen on the other, and lazy expressions see the values at the time they run.

    Examples
    --------
    >>> import atoll as ak
    >>> import numpy as np
    >>> values = np.zeros(3)
    >>> shared = ak.asarray(values)
    >>> shared.shape
    (3,)
    """
    require_cpu(device)
    _check_order(order)
    if isinstance(a, Array) and copy is not True and (dtype is None or a._expr.dtype == code_of(dtype)):
        return as_array(a)
    share = copy is not True and isinstance(a, np.ndarray) and memory_is_here(current())
    try:
        result = wrap(expr_from(a, dtype, not share))
    except TypeError:
        if (column := column_of(a, dtype)) is None:
            raise
        return column
    if share:
        result._version = math.nan
    return result


asanyarray = asarray


def ascontiguousarray(a: Any, dtype: DTypeLike = None) -> ndarray:
    """As `asarray` with at least one axis: all arrays here are contiguous.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.ascontiguousarray(5).shape
    (1,)
    """
    result = asarray(a, dtype)
    return result if result.ndim else result.reshape(1)


def copy(a: ArrayLike, order: str = "K", subok: bool = False) -> ndarray:
    """An independent array with the same elements; `order` may be any but "F", `subok` is for subclasses, of which
    there are none.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.copy(ak.arange(3))
    array([0, 1, 2])
    """
    return array(a, order=order, subok=subok)


def full(shape: Shape, fill_value: Any, dtype: DTypeLike = None, order: str = "C", *, device: Any = None) -> ndarray:
    """A new array filled with one value (or with an array that broadcasts to the shape).

    Examples
    --------
    >>> import atoll as ak
    >>> ak.full((2, 2), 7)
    array([[7, 7],
           [7, 7]])
    """
    require_cpu(device)
    lengths = shape_of(shape)
    _check_order(order)
    kind = SCALAR_KIND.get(type(fill_value))
    if kind is None:
        values = asarray(fill_value)
        result = empty(lengths, values.dtype if dtype is None else dtype)
        result[...] = values
        return result
    code = expr_of(fill_value).dtype if dtype is None else code_of(dtype)
    with np.errstate(all="ignore"):
        value = fit_scalar(fill_value, code) if kind < 0 else np.asarray(fill_value).astype(DTYPE_OF[code]).item()
    return wrap(engine.full(current(), lengths, code, value))


def zeros(shape: Shape, dtype: DTypeLike = float, order: str = "C", *, device: Device = None) -> ndarray:
    """A new array of zeros.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.zeros(3)
    array([0., 0., 0.])
    """
    require_cpu(device)
    _check_order(order)
    return wrap(engine.full(current(), shape_of(shape), code_of(float if dtype is None else dtype), 0))


def ones(shape: Shape, dtype: DTypeLike = float, order: str = "C", *, device: Device = None) -> ndarray:
    """A new array of ones.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.ones(2, dtype=int)
    array([1, 1])
    """
    require_cpu(device)
    _check_order(order)
    return wrap(engine.full(current(), shape_of(shape), code_of(float if dtype is None else dtype), 1))


def empty(shape: Shape, dtype: DTypeLike = float, order: str = "C", *, device: Device = None) -> ndarray:
    """A new array with arbitrary elements, to be assigned to.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.empty((2, 3)).shape
    (2, 3)
    """
    require_cpu(device)
    _check_order(order)
    return wrap(engine.empty(current(), shape_of(shape), code_of(float if dtype is None else dtype)))


def _like(a: Any, dtype: DTypeLike, order: str, shape: Any) -> tuple[Any, Any]:
    _check_order(order)
    model = asarray(a)
    return (model.shape if shape is None else shape), (model.dtype if dtype is None else dtype)


def full_like(
    a: Any, fill_value: Any, dtype: DTypeLike = None, order: str = "K", subok: bool = True, shape: Any = None, *,
    device: Any = None,
) -> ndarray:  # fmt: skip
    """As `full`, with shape and dtype of `a`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.full_like(ak.arange(2), 5)
    array([5, 5])
    """
    require_cpu(device)
    shape, dtype = _like(a, dtype, order, shape)
    return full(shape, fill_value, dtype)


def zeros_like(
    a: Any, dtype: DTypeLike = None, order: str = "K", subok: bool = True, shape: Any = None, *, device: Any = None
) -> ndarray:
    """As `zeros`, with shape and dtype of `a`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.zeros_like(ak.arange(2))
    array([0, 0])
    """
    require_cpu(device)
    shape, dtype = _like(a, dtype, order, shape)
    return zeros(shape, dtype)


def ones_like(
    a: Any, dtype: DTypeLike = None, order: str = "K", subok: bool = True, shape: Any = None, *, device: Any = None
) -> ndarray:
    """As `ones`, with shape and dtype of `a`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.ones_like(ak.arange(2))
    array([1, 1])
    """
    require_cpu(device)
    shape, dtype = _like(a, dtype, order, shape)
    return ones(shape, dtype)


def empty_like(
    prototype: Any,
    /,
    dtype: DTypeLike = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> ndarray:
    """As `empty`, with shape and dtype of `prototype`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.empty_like(ak.arange(2)).dtype
    dtype('int64')
    """
    require_cpu(device)
    shape, dtype = _like(prototype, dtype, order, shape)
    return empty(shape, dtype)


def eye(
    N: int, M: int | None = None, k: int = 0, dtype: DTypeLike = float, order: str = "C", *, device: Device = None
) -> ndarray:
    """A matrix with ones on diagonal `k` and zeros elsewhere.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.eye(2)
    array([[1., 0.],
           [0., 1.]])
    """
    require_cpu(device)
    _check_order(order)
    rows, columns = shape_of((N, N if M is None else M))
    diagonal = min(max(int(k), -rows), columns)  # beyond them there is none
    ones_at: ndarray = (arange(rows) + diagonal).reshape(rows, 1) == arange(columns)
    return ones_at.astype(dtype)


def identity(n: int, dtype: DTypeLike = float) -> ndarray:
    """The square `eye`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.identity(1)
    array([[1.]])
    """
    return eye(n, dtype=dtype)


def plain(value: ArrayLike) -> Any:
    """A number as a Python scalar."""
    if isinstance(value, Array):
        return as_array(value).item()
    if isinstance(value, (np.generic, np.ndarray)):
        return value.item()
    if not isinstance(value, (bool, int, float, complex)):
        raise TypeError(f"expected a number, not {value!r}")
    return value


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: DTypeLike = None, *, device: Any = None) -> ndarray:
    """Evenly spaced values from `start` (0 when only one number is given) up to, not including, `stop`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.arange(2, 10, 3)
    array([2, 5, 8])
    """
    require_cpu(device)
    start, stop, step = plain(start), None if stop is None else plain(stop), 1 if step is None else plain(step)
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise ZeroDivisionError("division by zero: the step of arange must not be 0")
    floating = any(isinstance(value, float) for value in (start, stop, step))
    if floating:
        length = (stop - start) / step
        if math.isnan(length):
            raise ValueError("arange: cannot compute length")
        if length > _MOST_ELEMENTS:
            raise ValueError("Maximum allowed size exceeded")
        count = max(0, math.ceil(length))
    else:
        start, stop, step = int(start), int(stop), int(step)
        count = max(0, -((start - stop) // step))
        if count > _MOST_ELEMENTS:
            raise ValueError("Maximum allowed size exceeded")
    code = (FLOAT64 if floating else INT64) if dtype is None else code_of(dtype)
    if code == BOOL and count > 2:
        raise TypeError("arange() is only supported for booleans when the result has at most length 2.")
    if floating and KIND_OF[code] != "f":
        first, second = fit_scalar(start, code), fit_scalar(start + step, code)  # as NumPy: both are rounded first
        start, step = first, second - first
    if not count:
        start, step = 0, 1
    elif code < FLOAT32:  # as NumPy: the first two must fit, later values may wrap around
        fit_scalar(start, code)
        if count > 1 and not floating:
            fit_scalar(start + step, code)
    if code >= FLOAT32:
        # NumPy's spacing is the difference of the first two values, in the array's type.
        scalar = DTYPE_OF[code].type
        if count > 1:
            start, step = float(scalar(start)), float(scalar(start + step) - scalar(start))
    return wrap(engine.arange(current(), start, step, count, code))


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Any:
    """`num` evenly spaced values from `start` to `stop`, which may be arrays: then along a new `axis`.

    Parameters
    ----------
    endpoint : bool
        Whether `stop` is the last value.
    retstep : bool
        Also return the spacing.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.linspace(0, 1, 5)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    require_cpu(device)
    count = operator.index(num)
    if count < 0:
        raise ValueError(f"Number of samples, {count}, must be non-negative.")
    intervals = count - 1 if endpoint else count
    if np.ndim(start) or np.ndim(stop):
        return _between(as_array(start), as_array(stop), count, intervals, retstep, dtype, axis)
    first, last = plain(start), plain(stop)
    if isinstance(first, complex) or isinstance(last, complex):
        return _complex_between(complex(first), complex(last), count, endpoint, retstep, dtype)
    first, last = float(first), float(last)
    step = (last - first) / intervals if intervals > 0 else math.nan
    if dtype is None:
        kinds = [SCALAR_KIND.get(type(end), FLOAT64) for end in (start, stop)]
        code = result_code(WEAK_FLOAT, *kinds) if FLOAT32 in kinds else FLOAT64
    else:
        code = code_of(dtype)
    index = wrap(engine.arange(current(), 0, 1, shape_of(count)[0], FLOAT64))
    if intervals <= 0:
        values = index * (last - first) + first
    elif step == 0:
        values = index / intervals * (last - first) + first
    else:
        values = index * step + first
    if endpoint and count > 1:
        values[-1] = last
    if KIND_OF[code] in "iu":
        values = floor(values)
    result = values.astype(DTYPE_OF[code], copy=False)
    return (result, np.float64(step)) if retstep else result


def _complex_between(first: complex, last: complex, count: int, endpoint: bool, retstep: bool, dtype: DTypeLike) -> Any:
    """`linspace` of complex numbers."""
    ends = (first.real, last.real), (first.imag, last.imag)
    parts = [linspace(one, other, count, endpoint) for one, other in ends]
    values = parts[0] + parts[1] * 1j
    intervals = count - 1 if endpoint else count
    result = values if dtype is None else values.astype(dtype)
    return (result, np.complex128((last - first) / intervals if intervals > 0 else math.nan)) if retstep else result


def _between(
    start: ndarray, stop: ndarray, count: int, intervals: int, retstep: bool, dtype: DTypeLike, axis: int
) -> Any:
    """`linspace` of arrays."""
    wide = result_code(start._expr.dtype, stop._expr.dtype)
    first, last = (one.astype(DTYPE_OF[max(wide, FLOAT32) if wide >= FLOAT32 else FLOAT64]) for one in (start, stop))
    distance: ndarray = last - first
    index = arange(count, dtype=distance.real.dtype).reshape((-1,) + (1,) * distance.ndim)
    step: Any = distance / intervals if intervals > 0 else math.nan
    if intervals > 0 and not bool((step == 0).any()):
        values = index * step + first
    else:
        values = index / max(intervals, 1) * distance + first
    if intervals == count - 1 and count > 1:
        values[-1] = last
    code = distance._expr.dtype if dtype is None else code_of(dtype)
    place = operator.index(axis)
    if not -values.ndim <= place < values.ndim:
        raise np.exceptions.AxisError(place, values.ndim)
    order = list(range(1, values.ndim))
    order.insert(place % values.ndim, 0)
    values = (floor(values) if KIND_OF[code] in "iu" else values).transpose(order).astype(DTYPE_OF[code])
    return (values, step) if retstep else values


def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: float = 10.0, dtype: DTypeLike = None,
    axis: int = 0,
) -> ndarray:  # fmt: skip
    """`base` to the powers that `linspace` gives.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.logspace(0, 2, 3)
    array([  1.,  10., 100.])
    """
    values = base ** linspace(start, stop, num, endpoint, axis=axis)
    return values if dtype is None else values.astype(dtype)


def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: DTypeLike = None, axis: int = 0
) -> ndarray:
    """Values whose ratios are equal, from `start` to `stop`: of one sign, or complex; arrays as in `linspace`.

    Complex values lie on a spiral, on a line or circle around 0 if both ends do.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.geomspace(1, 8, 4)
    array([1., 2., 4., 8.])
    >>> ak.geomspace(-1, -8, 4)
    array([-1., -2., -4., -8.])
    """
    first, last = (as_array(one) for one in (start, stop))
    if bool((first == 0).any()) or bool((last == 0).any()):
        raise ValueError("Geometric sequence cannot include zero")
    # Values are rotated so that the first end is real and positive, and rotated back at the end.
    wide = DTYPE_OF[code_of(np.result_type(first.dtype, last.dtype, 1.0, np.zeros((), dtype)))]
    first, last = first.astype(wide), last.astype(wide)
    turn: Any = sign(first)
    ends: list[Any] = [first / turn, last / turn]
    if not first.ndim and not last.ndim:
        ends, turn = [wide.type(one.item()) for one in ends], turn.item()
    low, high = (np.log10(one) if isinstance(one, np.generic) else log10(one) for one in ends)
    values: Any = logspace(low, high, num, endpoint, dtype=wide)
    if values.size:
        values[0] = ends[0]
    if endpoint and values.shape[0] > 1:
        values[-1] = ends[1]
    values = values * turn
    if axis and values.ndim > 1:
        order = list(range(1, values.ndim))
        order.insert(axis % values.ndim, 0)
        values = values.transpose(order)
    return values if dtype is None else values.astype(dtype)


def from_local(rows: Any) -> ndarray:
    """One array from the rows that each PE passes, in the order of the PEs. Collective.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.from_local([1, 2]).size == 2 * ak.pes()
    True
    """
    session = current()
    if session.kind in ("driver", "remote"):
        return array(rows)
    return wrap(engine.from_local(session, numpy_from(rows, None)))


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> ndarray:
    """An array from any object with the DLPack protocol in CPU memory.

    Examples
    --------
    >>> import atoll as ak
    >>> import numpy as np
    >>> ak.from_dlpack(np.arange(3))
    array([0, 1, 2])
    """
    require_cpu(device)
    values = np.from_dlpack(x)
    return wrap(expr_from(values, None, True)) if copy is not False else asarray(values)
