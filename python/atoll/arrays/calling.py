# SPDX-License-Identifier: Apache-2.0
"""Functions of single values and iteration over elements, which run in the process that runs the script.

They are for few values and for existing scripts: an expression of arrays runs on all PEs and is much faster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .array import Array, as_array
from .creation import arange, array, linspace
from .joining import concatenate, stack
from .manipulation import broadcast_to
from .polynomials import polyval

if TYPE_CHECKING:
    from ..annotations import ArrayLike
    from .ndarray import ndarray

__all__ = [
    "broadcast", "c_", "frompyfunc", "index_exp", "mgrid", "ndenumerate", "ndindex", "nditer", "ogrid",
    "poly1d", "r_", "s_", "vectorize",
]  # fmt: skip

ndindex = np.ndindex
s_, index_exp = np.s_, np.index_exp


def _collected(value: ArrayLike) -> Any:
    return value.to_numpy() if isinstance(value, Array) else value


def _spread(made: Any) -> Any:
    """NumPy arrays as Atoll arrays, where Atoll supports the dtype."""
    if isinstance(made, tuple):
        return tuple(map(_spread, made))
    return array(made) if isinstance(made, np.ndarray) and made.ndim and made.dtype.kind in "biufc" else made


class vectorize(np.vectorize):
    """Makes a function of arrays from one of single values: called once per element, on one PE that gathers them.

    Examples
    --------
    >>> import atoll as ak
    >>> @ak.vectorize
    ... def larger(a, b):
    ...     return a if a > b else b
    >>> larger(ak.array([1, 5]), 3)
    array([3, 5])
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        held = map(_collected, args)
        return _spread(super().__call__(*held, **{name: _collected(value) for name, value in kwargs.items()}))


def frompyfunc(func: Callable[..., Any], /, nin: int, nout: int, **options: object) -> Callable[..., Any]:
    """Makes a function of arrays from one of single values; the result has the common dtype of the values.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.frompyfunc(lambda a, b: a * 10 + b, 2, 1)(ak.array([1, 2]), 3)
    array([13, 23])
    """
    of_numpy = np.frompyfunc(func, nin, nout, **options)

    def function(*args: Any) -> Any:
        made = of_numpy(*map(_collected, args))
        plain = [np.array(one.tolist()) if isinstance(one, np.ndarray) else one
                 for one in (made if nout > 1 else (made,))]  # fmt: skip
        results = tuple(map(_spread, plain))
        return results if nout > 1 else results[0]

    return function


class ndenumerate:
    """Iterates over the indices and values of an array.

    Examples
    --------
    >>> import atoll as ak
    >>> list(ak.ndenumerate(ak.array([[1, 2]])))
    [((0, 0), np.int64(1)), ((0, 1), np.int64(2))]
    """

    def __init__(self, arr: Any) -> None:
        self._each = iter(np.ndenumerate(np.asarray(_collected(as_array(arr)))))

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return next(self._each)


def nditer(op: str, flags: Any = None, op_flags: Any = None, *args: Any, **options: Any) -> np.nditer:
    """NumPy's read-only iterator over the elements of arrays, which are gathered on one PE.

    Parameters are NumPy's.

    Raises
    ------
    ValueError
        `op_flags` ask to write: assign to an array by indexes or masks, or by functions of whole arrays.

    Examples
    --------
    >>> import atoll as ak
    >>> [int(x + y) for x, y in ak.nditer([ak.array([[1], [2]]), ak.array([10, 20])])]
    [11, 21, 12, 22]
    """
    several = isinstance(op, (list, tuple))
    held = [np.asarray(_collected(as_array(one))) for one in (op if several else [op])]
    wanted = [] if op_flags is None else [op_flags] if op_flags and isinstance(op_flags[0], str) else list(op_flags)
    if any(flag in ("readwrite", "writeonly") for each in wanted for flag in each):
        raise ValueError("nditer reads arrays; to change them, assign by indexes or masks, or whole arrays at once")
    return np.nditer(held if several else held[0], flags or (), op_flags, *args, **options)


def broadcast(*arrays: Any) -> np.broadcast:
    """The broadcast of arrays of different shapes: `shape`, `size`, `nd`, and an iterator over tuples of elements.

    Elements are gathered on one PE; `broadcast_shapes` needs no elements.

    Examples
    --------
    >>> import atoll as ak
    >>> both = ak.broadcast(ak.array([[1], [2]]), ak.array([3, 4]))
    >>> both.shape, [(int(x), int(y)) for x, y in both]
    ((2, 2), [(1, 3), (1, 4), (2, 3), (2, 4)])
    """
    return np.broadcast(*(_collected(as_array(one)) for one in arrays))


class poly1d(np.poly1d):
    """A polynomial by its coefficients, the highest power first: NumPy's class, extended to Atoll arrays.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.poly1d([1, 0, 2])(ak.array([1.0, 3.0]))
    array([ 3., 11.])
    """

    def __init__(self, c_or_r: Any, r: bool = False, variable: str | None = None) -> None:
        super().__init__(_collected(c_or_r), r, variable)

    def __call__(self, val: Any) -> Any:
        return polyval(self.coeffs, val) if isinstance(val, Array) else super().__call__(val)


class _Grid:
    """Coordinates of a grid given by slices in brackets: full arrays, or with `sparse` one vector per axis."""

    def __init__(self, sparse: bool) -> None:
        self._sparse = sparse

    def __getitem__(self, key: object) -> Any:
        parts = key if isinstance(key, tuple) else (key,)
        axes = [_axis_of(one) for one in parts]
        if not isinstance(key, tuple):
            return axes[0]
        kind = np.result_type(*(one.dtype for one in axes))
        shape = tuple(int(one.size) for one in axes)
        open_axes = [
            one.astype(kind).reshape((1,) * place + (-1,) + (1,) * (len(axes) - place - 1))
            for place, one in enumerate(axes)
        ]
        return tuple(open_axes) if self._sparse else stack([broadcast_to(one, shape) for one in open_axes])


def _axis_of(part: Any) -> ndarray:
    if not isinstance(part, slice):
        raise TypeError(f"a grid is made of slices, not of {part!r}")
    start, step = 0 if part.start is None else part.start, 1 if part.step is None else part.step
    if isinstance(step, complex):
        return linspace(start, part.stop, int(abs(step)))
    return arange(start, part.stop, step)


#: Full coordinate arrays of a grid given by slices in brackets: ``mgrid[0:2, 0:3]``.
mgrid = _Grid(False)
#: The same with one vector per axis, which broadcast.
ogrid = _Grid(True)


class _Rows:
    """Concatenates arrays, values and slices given in brackets."""

    def __getitem__(self, key: object) -> Any:
        return concatenate([_row(one) for one in (key if isinstance(key, tuple) else (key,))])


class _Columns:
    """Stacks arrays given in brackets as columns."""

    def __getitem__(self, key: object) -> Any:
        held = [_row(one) for one in (key if isinstance(key, tuple) else (key,))]
        return concatenate([one.reshape(-1, 1) if one.ndim == 1 else one for one in held], axis=1)


def _row(part: Any) -> Any:
    if isinstance(part, str):
        raise NotImplementedError("directives as texts are not known here: use concatenate or stack")
    if isinstance(part, slice):
        return _axis_of(part)
    made = as_array(part)
    return made if made.ndim else made.reshape(1)


#: Concatenates arrays, values and slices: ``r_[0:3, 7, a]``.
r_ = _Rows()
#: Stacks arrays as columns: ``c_[a, b]``.
c_ = _Columns()
