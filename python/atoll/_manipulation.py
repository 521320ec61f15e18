# SPDX-License-Identifier: Apache-2.0
"""Shape and arrangement: reshaping and transposing (views), joining, splitting, repeating, reversing."""

from __future__ import annotations

import builtins
import itertools
import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core
from ._array import expr_of, ndarray, require_out, wrap
from ._dtypes import check_cast, code_of, result_code
from ._views import Reshape, Transpose, step_into


def _axis(axis: Any, ndim: int) -> int:
    number = operator.index(axis)
    if not -ndim <= number < ndim:
        raise np.exceptions.AxisError(number, ndim)
    return number + ndim if number < 0 else number


def _axes(axis: Any, ndim: int) -> list[int]:
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    found = [_axis(one, ndim) for one in given]
    if len(set(found)) != len(found):
        raise ValueError("repeated axis")
    return found


def as_array(a: Any) -> ndarray:
    """An array of ours as it is, anything else converted."""
    return a if type(a) is ndarray else wrap(expr_of(a))


# -- views --


def reshape_to(a: ndarray, shape: Any, order: str, copy: bool | None, temporary: bool) -> ndarray:
    """The elements in another shape; a view unless a copy is asked for."""
    if order not in ("C", "A", "K"):
        if order == "F":
            raise ValueError("order='F' is not available: elements are in C order. Use a.T.reshape(shape[::-1]).T")
        raise ValueError(f"order must be 'C', not {order!r}")
    expr = a._read()
    try:
        lengths = [operator.index(shape)]
    except TypeError:
        lengths = [operator.index(length) for length in shape]
    size, unknown = expr.size, [place for place, length in enumerate(lengths) if length == -1]
    if builtins.any(length < -1 for length in lengths):
        raise ValueError("negative dimensions not allowed")
    if len(unknown) > 1:
        raise ValueError("can only specify one unknown dimension")
    known = math.prod(length for length in lengths if length != -1)
    if unknown and known and size % known == 0:
        lengths[unknown[0]] = size // known
        known = size
    if known != size or (unknown and lengths[unknown[0]] == -1):
        text = "(" + ",".join(map(str, lengths)) + ("," if len(lengths) == 1 else "") + ")"
        raise ValueError(f"cannot reshape array of size {size} into shape {text}")
    wanted = tuple(lengths)
    value = expr.alias() if wanted == expr.shape else _core.reshape(expr, wanted)
    return wrap(value) if copy else step_into(a, Reshape(wanted), value, temporary)


def reshape(a: Any, /, shape: Any, order: str = "C", *, copy: bool | None = None) -> ndarray:
    """The elements in another shape, in C order; one length may be -1. A view: writing to it writes to `a`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.reshape(ak.arange(6), (2, -1))
    array([[0, 1, 2],
           [3, 4, 5]])
    """
    return reshape_to(as_array(a), shape, order, copy, type(a) is not ndarray)


def ravel(a: Any, order: str = "C") -> ndarray:
    """The elements in one axis; a view.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.ravel(ak.ones((2, 2)))
    array([1., 1., 1., 1.])
    """
    return reshape_to(as_array(a), (-1,), order, None, type(a) is not ndarray)


def transpose_axes(a: ndarray, axes: Any, temporary: bool) -> ndarray:
    """The axes in another order (None: reversed); a view."""
    expr = a._read()
    ndim = expr.ndim
    if axes is None:
        order = tuple(range(ndim))[::-1]
    else:
        given = list(axes) if isinstance(axes, (tuple, list)) else [axes]
        if len(given) != ndim:
            raise ValueError("axes don't match array")
        order = tuple(_axis(one, ndim) for one in given)
        if len(set(order)) != ndim:
            raise ValueError("repeated axis in transpose")
    same = order == tuple(range(ndim))
    return step_into(a, Transpose(order), expr.alias() if same else _core.transpose(expr, order), temporary)


def transpose(a: Any, axes: Any = None) -> ndarray:
    """The axes reversed, or in the given order; a view.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.transpose(ak.arange(6).reshape(2, 3)).shape
    (3, 2)
    """
    return transpose_axes(as_array(a), axes, type(a) is not ndarray)


permute_dims = transpose


def matrix_transpose(x: Any, /) -> ndarray:
    """The last two axes exchanged; a view.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.matrix_transpose(ak.zeros((2, 3))).shape
    (3, 2)
    """
    return swapaxes(x, -1, -2)


def swapaxes(a: Any, axis1: int, axis2: int) -> ndarray:
    """Two axes exchanged; a view.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.swapaxes(ak.zeros((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    array = as_array(a)
    order = list(range(array.ndim))
    first, second = _axis(axis1, array.ndim), _axis(axis2, array.ndim)
    order[first], order[second] = order[second], order[first]
    return transpose_axes(array, order, False)


def moveaxis(a: Any, source: Any, destination: Any) -> ndarray:
    """Axes moved to other places, the others in their order; a view.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.moveaxis(ak.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    array = as_array(a)
    origin, target = _axes(source, array.ndim), _axes(destination, array.ndim)
    if len(origin) != len(target):
        raise ValueError("`source` and `destination` arguments must have the same number of elements")
    order = [axis for axis in range(array.ndim) if axis not in origin]
    for place, axis in sorted(zip(target, origin, strict=True)):
        order.insert(place, axis)
    return transpose_axes(array, order, False)


def squeeze(a: Any, axis: Any = None) -> ndarray:
    """Without the axes of length 1; a view.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.squeeze(ak.zeros((1, 3, 1))).shape
    (3,)
    """
    array = as_array(a)
    shape = array.shape
    drop = [place for place, length in enumerate(shape) if length == 1] if axis is None else _axes(axis, array.ndim)
    if builtins.any(shape[place] != 1 for place in drop):
        raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return reshape_to(array, [length for place, length in enumerate(shape) if place not in drop], "C", None, False)


def expand_dims(a: Any, axis: Any) -> ndarray:
    """With new axes of length 1 at these places of the result; a view.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.expand_dims(ak.zeros(3), 0).shape
    (1, 3)
    """
    array = as_array(a)
    ndim = array.ndim + (len(axis) if isinstance(axis, (tuple, list)) else 1)
    places, lengths = _axes(axis, ndim), iter(array.shape)
    return reshape_to(array, [1 if place in places else next(lengths) for place in range(ndim)], "C", None, False)


def atleast_1d(a: Any) -> ndarray:
    """With at least one axis.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.atleast_1d(5).shape
    (1,)
    """
    array = as_array(a)
    return array if array.ndim else array.reshape(1)


def atleast_2d(a: Any) -> ndarray:
    """With at least two axes, new ones in front.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.atleast_2d(ak.zeros(3)).shape
    (1, 3)
    """
    array = as_array(a)
    return array if array.ndim > 1 else array.reshape((1,) * (2 - array.ndim) + array.shape)


def broadcast_to(array: Any, shape: Any) -> ndarray:
    """The elements repeated along axes of length 1 to fill a shape, lazily.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.broadcast_to(ak.arange(2), (2, 2))
    array([[0, 1],
           [0, 1]])
    """
    from ._creation import shape_of

    return wrap(_core.broadcast_to(expr_of(array), shape_of(shape)))


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """The shape that arrays of these shapes broadcast to.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.broadcast_shapes((3, 1), (4,))
    (3, 4)
    """
    return np.broadcast_shapes(*shapes)


def broadcast_arrays(*args: Any) -> tuple[ndarray, ...]:
    """Arrays broadcast to their common shape.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.broadcast_arrays(ak.arange(2), 1)[1]
    array([1, 1])
    """
    arrays = [as_array(one) for one in args]
    shape = np.broadcast_shapes(*(one.shape for one in arrays))
    return tuple(broadcast_to(one, shape) for one in arrays)


# -- joining --


def concatenate(
    arrays: Sequence[Any], axis: int | None = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind"
) -> ndarray:
    """Arrays one after the other along an existing axis (None: flattened).

    Examples
    --------
    >>> import atoll as ak
    >>> ak.concatenate([ak.arange(2), [7.5]])
    array([0. , 1. , 7.5])
    """
    if type(arrays) is not ndarray and not isinstance(arrays, (list, tuple)):
        raise TypeError(f"concatenate needs a list of arrays, not {type(arrays).__name__}")
    parts = [expr_of(one) for one in arrays]
    if not parts:
        raise ValueError("need at least one array to concatenate")
    code = result_code(*(part.dtype for part in parts)) if dtype is None else code_of(dtype)
    for part in parts:
        check_cast(part.dtype, code, casting)
    parts = [part if part.dtype == code else _core.cast(part, code) for part in parts]
    if axis is None:
        parts, axis = [_core.reshape(part, (part.size,)) for part in parts], 0
    ndim = parts[0].ndim
    if ndim == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    place = _axis(axis, ndim)
    for number, part in enumerate(parts):
        if part.ndim != ndim:
            raise ValueError(
                "all the input array dimensions except for the concatenation axis must match exactly, but along the "
                f"array at index 0 has {ndim} dimension(s) and the array at index {number} has {part.ndim} dimension(s)"
            )
        for other, (mine, first) in enumerate(zip(part.shape, parts[0].shape, strict=True)):
            if other != place and mine != first:
                raise ValueError(
                    "all the input array dimensions except for the concatenation axis must match exactly, but along "
                    f"dimension {other}, the array at index 0 has size {first} and the array at index {number} has "
                    f"size {mine}"
                )
    if place:
        order = list(range(ndim))
        order[0], order[place] = place, 0
        joined = _core.transpose(_core.concatenate([_core.transpose(part, order) for part in parts]), order)
    else:
        joined = _core.concatenate(parts)
    if out is None:
        return wrap(joined)
    require_out(out)[...] = wrap(joined)
    return out  # type: ignore[no-any-return]


concat = concatenate


def stack(arrays: Sequence[Any], axis: int = 0) -> ndarray:
    """Arrays of one shape along a new axis.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.stack([ak.arange(2), ak.arange(2)])
    array([[0, 1],
           [0, 1]])
    """
    parts = [as_array(one) for one in arrays]
    if not parts:
        raise ValueError("need at least one array to stack")
    shape = parts[0].shape
    if builtins.any(part.shape != shape for part in parts):
        raise ValueError("all input arrays must have the same shape")
    place = _axis(axis, len(shape) + 1)
    wider = (*shape[:place], 1, *shape[place:])
    return concatenate([wrap(_core.reshape(part._read(), wider)) for part in parts], place)


def hstack(tup: Sequence[Any]) -> ndarray:
    """Arrays side by side: along axis 1, or axis 0 when 1-d.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.hstack([[1], [2, 3]])
    array([1, 2, 3])
    """
    parts = [atleast_1d(one) for one in tup]
    return concatenate(parts, 0 if parts and parts[0].ndim == 1 else 1)


def vstack(tup: Sequence[Any]) -> ndarray:
    """Arrays below each other: along axis 0, 1-d arrays as rows.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.vstack([[1, 2], [3, 4]])
    array([[1, 2],
           [3, 4]])
    """
    return concatenate([atleast_2d(one) for one in tup], 0)


def column_stack(tup: Sequence[Any]) -> ndarray:
    """1-d arrays as the columns of a matrix.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.column_stack([[1, 2], [3, 4]])
    array([[1, 3],
           [2, 4]])
    """
    parts = [as_array(one) for one in tup]
    return concatenate([part.reshape(-1, 1) if part.ndim < 2 else part for part in parts], 1)


def append(arr: Any, values: Any, axis: int | None = None) -> ndarray:
    """`arr` followed by `values`: flattened, or along an axis.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.append(ak.arange(2), 9)
    array([0, 1, 9])
    """
    return concatenate([as_array(arr), as_array(values)], axis)


def insert(arr: Any, obj: int, values: Any, axis: int | None = None) -> ndarray:
    """A copy with `values` inserted before position `obj`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.insert(ak.arange(3), 1, 9)
    array([0, 9, 1, 2])
    """
    array = as_array(arr)
    if axis is None:
        array, axis = ravel(array), 0
    place = _axis(axis, array.ndim)
    length = array.shape[place]
    position = operator.index(obj)
    if not -length <= position <= length:
        raise IndexError(f"index {position} is out of bounds for axis {place} with size {length}")
    position += length if position < 0 else 0
    new = as_array(values).astype(array.dtype)
    if new.ndim < array.ndim:
        new = new.reshape((1,) * (array.ndim - new.ndim) + new.shape)
        if array.ndim > 1 or place:
            new = broadcast_to(new, (*array.shape[:place], new.shape[place], *array.shape[place + 1 :]))
    before = (slice(None),) * place
    return concatenate([array[(*before, slice(None, position))], new, array[(*before, slice(position, None))]], place)


def delete(arr: Any, obj: Any, axis: int | None = None) -> ndarray:
    """A copy without the elements (or slices along an axis) at these positions.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.delete(ak.arange(4), [1, 3])
    array([0, 2])
    """
    array = as_array(arr)
    if axis is None:
        array, axis = ravel(array), 0
    place = _axis(axis, array.ndim)
    keep = np.ones(array.shape[place], bool)
    try:
        keep[obj.to_numpy() if type(obj) is ndarray else obj] = False
    except IndexError as error:
        raise IndexError(str(error)) from None
    return array[(slice(None),) * place + (np.flatnonzero(keep),)]  # type: ignore[no-any-return]


# -- splitting --


def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[ndarray]:
    """Views of parts along an axis: so many nearly equal ones, or cut at these positions.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.array_split(ak.arange(5), 2)
    [array([0, 1, 2]), array([3, 4])]
    """
    array = as_array(ary)
    place = _axis(axis, array.ndim)
    length = array.shape[place]
    if isinstance(indices_or_sections, (list, tuple, np.ndarray, ndarray)):
        cuts = [0, *(int(cut) for cut in indices_or_sections), length]
    else:
        sections = operator.index(indices_or_sections)
        if sections <= 0:
            raise ValueError("number sections must be larger than 0.")
        each, extra = divmod(length, sections)
        cuts = [part * each + builtins.min(part, extra) for part in range(sections + 1)]
    before = (slice(None),) * place
    return [array[(*before, slice(low, high))] for low, high in itertools.pairwise(cuts)]


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[ndarray]:
    """As `array_split`; the parts of a number of sections must be equal.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.split(ak.arange(4), 2)
    [array([0, 1]), array([2, 3])]
    """
    if isinstance(indices_or_sections, (int, np.integer)) and indices_or_sections > 0:
        array = as_array(ary)
        if array.shape[_axis(axis, array.ndim)] % indices_or_sections:
            raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


# -- repeating and reversing --


def repeat(a: Any, repeats: Any, axis: int | None = None) -> ndarray:
    """Each element (or slice along an axis) several times in a row.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.repeat(ak.arange(3), 2)
    array([0, 0, 1, 1, 2, 2])
    """
    array = as_array(a)
    if axis is None:
        array, axis = wrap(_core.reshape(array._read(), (array.size,))), 0
    place = _axis(axis, array.ndim)
    length = array.shape[place]
    counts = as_array(repeats)
    if counts.dtype.kind not in "biu":
        raise TypeError("Cannot cast array data from dtype('float64') to dtype('int64') according to the rule 'safe'")
    from ._creation import arange

    if counts.size == 1:
        each = int(counts.item())
        if each < 0:
            raise ValueError("repeats may not contain negative values.")
        positions = arange(length * each) // builtins.max(each, 1)
    else:
        if counts.shape != (length,):
            raise ValueError(f"operands could not be broadcast together with shape ({length},) {counts.shape}")
        if counts.size and int(counts.min()) < 0:
            raise ValueError("repeats may not contain negative values.")
        from ._reductions import cumsum

        ends = cumsum(counts.astype(np.int64))
        total = int(ends[-1]) if length else 0
        positions = wrap(_core.searchsorted(ends._expr, arange(total)._expr, "right"))
    return array[(slice(None),) * place + (positions,)]  # type: ignore[no-any-return]


def tile(A: Any, reps: Any) -> ndarray:
    """The array several times along each axis.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.tile(ak.arange(2), 3)
    array([0, 1, 0, 1, 0, 1])
    """
    array = as_array(A)
    times = [operator.index(one) for one in (reps if isinstance(reps, (tuple, list)) else (reps,))]
    if builtins.any(one < 0 for one in times):
        raise ValueError("negative dimensions are not allowed")
    ndim = builtins.max(array.ndim, len(times))
    times = [1] * (ndim - len(times)) + times
    shape = (1,) * (ndim - array.ndim) + array.shape
    pairs = [length for pair in zip(times, shape, strict=True) for length in pair]
    spread = [length for one in shape for length in (1, one)]
    wide = _core.broadcast_to(_core.reshape(array._read(), spread), pairs)
    return wrap(_core.reshape(wide, [n * length for n, length in zip(times, shape, strict=True)]))


def flip(m: Any, axis: Any = None) -> ndarray:
    """The order of elements reversed along axes (None: all); a view.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.flip(ak.arange(3))
    array([2, 1, 0])
    """
    array = as_array(m)
    axes = range(array.ndim) if axis is None else _axes(axis, array.ndim)
    return array[tuple(slice(None, None, -1) if place in axes else slice(None) for place in range(array.ndim))]  # type: ignore[no-any-return]


def flipud(m: Any) -> ndarray:
    """Reversed along axis 0.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.flipud(ak.arange(3))
    array([2, 1, 0])
    """
    return flip(m, 0)


def fliplr(m: Any) -> ndarray:
    """Reversed along axis 1.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fliplr(ak.arange(4).reshape(2, 2))
    array([[1, 0],
           [3, 2]])
    """
    return flip(m, 1)


def roll(a: Any, shift: Any, axis: Any = None) -> ndarray:
    """Elements moved along axes, those pushed out coming in again at the other end.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.roll(ak.arange(5), 2)
    array([3, 4, 0, 1, 2])
    """
    array = as_array(a)
    if axis is None:
        return wrap(_core.reshape(roll(wrap(_core.reshape(array._read(), (array.size,))), shift, 0)._expr, array.shape))
    axes = _axes_repeated(axis, array.ndim)
    shifts = list(shift) if isinstance(shift, (tuple, list)) else [shift]
    if len(shifts) == 1:
        shifts *= len(axes)
    elif len(axes) == 1:
        axes *= len(shifts)
    if len(shifts) != len(axes):
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    result = array
    for number, place in zip(shifts, axes, strict=True):
        length = array.shape[place]
        offset = operator.index(number) % length if length else 0
        if offset:
            before = (slice(None),) * place
            parts = [result[(*before, slice(length - offset, None))], result[(*before, slice(None, length - offset))]]
            result = concatenate(parts, place)
    return result.copy() if result is array else result


def _axes_repeated(axis: Any, ndim: int) -> list[int]:
    return [_axis(one, ndim) for one in (axis if isinstance(axis, (tuple, list)) else (axis,))]


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> ndarray:
    """Differences of neighbours along an axis, taken `n` times.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.diff(ak.array([1, 4, 9]))
    array([3, 5])
    """
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    array = as_array(a)
    if array.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    place = _axis(axis, array.ndim)
    if prepend is not None or append is not None:
        array = concatenate([_edge(one, array, place) for one in (prepend, array, append) if one is not None], place)
    before = (slice(None),) * place
    from ._ufuncs import not_equal, subtract

    combine = not_equal if array.dtype == bool else subtract
    for _ in range(n):
        array = combine(array[(*before, slice(1, None))], array[(*before, slice(None, -1))])
    return array.copy() if n == 0 else array


def _edge(value: Any, array: ndarray, place: int) -> ndarray:
    edge = as_array(value)
    if edge.ndim == 0:
        shape = list(array.shape)
        shape[place] = 1
        return broadcast_to(edge, shape)
    return edge


def ediff1d(ary: Any) -> ndarray:
    """Differences of neighbours in the flattened array.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.ediff1d(ak.array([1, 4, 9]))
    array([3, 5])
    """
    return diff(ravel(ary))


def trim_zeros(filt: Any) -> ndarray:
    """Without leading and trailing zeros.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.trim_zeros(ak.array([0, 1, 0, 2, 0]))
    array([1, 0, 2])
    """
    from ._indexing import flatnonzero

    array = as_array(filt)
    places = flatnonzero(array)
    return array[int(places[0]) : int(places[-1]) + 1] if places.size else array[:0]  # type: ignore[no-any-return]


def meshgrid(*xi: Any, indexing: str = "xy") -> tuple[ndarray, ...]:
    """Coordinate matrices from coordinate vectors.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.meshgrid(ak.arange(2), ak.arange(3))[0].shape
    (3, 2)
    """
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    vectors = [ravel(one) for one in xi]
    places = list(range(len(vectors)))
    if indexing == "xy" and len(vectors) > 1:
        places[0], places[1] = 1, 0
    shape = [0] * len(vectors)
    for place, vector in zip(places, vectors, strict=True):
        shape[place] = vector.size
    grids = []
    for place, vector in zip(places, vectors, strict=True):
        lengths = [1] * len(vectors)
        lengths[place] = vector.size
        grids.append(broadcast_to(vector.reshape(lengths), shape))
    return tuple(grids)
