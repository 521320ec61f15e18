# SPDX-License-Identifier: Apache-2.0
"""Arkouda's elementwise functions: Atoll's, made from a table, with Arkouda's checks, `where` and `out`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import atoll

from ...arrays.array import Array
from ..objects import checked, entitled, lift, lower
from . import wide
from .arrays import SCALARS, pdarray
from .casting import ErrorMode, cast
from .dtypes import Int, bigint, float64
from .dtypes import dtype as ak_dtype
from .reductions import _where
from .strings import Strings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...annotations import ArrayLike

__all__ = [
    "ErrorMode",
    "abs",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "array_equal",
    "cast",
    "ceil",
    "clip",
    "cos",
    "cosh",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "deg2rad",
    "exp",
    "expm1",
    "eye",
    "fabs",
    "floor",
    "histogram",
    "histogram2d",
    "histogramdd",
    "isfinite",
    "isinf",
    "isnan",
    "log",
    "log1p",
    "log2",
    "log10",
    "logical_not",
    "matmul",
    "maximum",
    "median",
    "minimum",
    "nextafter",
    "percentile",
    "putmask",
    "quantile",
    "rad2deg",
    "round",
    "sign",
    "sin",
    "sinh",
    "square",
    "take",
    "tan",
    "tanh",
    "transpose",
    "tril",
    "triu",
    "trunc",
    "value_counts",
    "vecdot",
]  # fmt: skip

#: Functions of one array, what types they take, and whether they answer in floats.
_UNARY = dict.fromkeys(("log", "log10", "log2", "log1p", "exp", "expm1"), ("iuf", True)) | {
    "isnan": ("biuf", False), "isinf": ("biuf", False), "isfinite": ("biuf", False), "abs": ("biuf", False),
    "fabs": ("biuf", True), "sign": ("iuf", False),
}  # fmt: skip

#: Functions that also take `where`: elsewhere the elements are kept.
_MASKED = (
    "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh",
    "rad2deg", "deg2rad",
)  # fmt: skip


def _refuse(pda: Any, kinds: str, name: str) -> None:
    if pda.dtype == bigint() or pda.dtype.kind not in kinds:
        raise TypeError(f"{name} is not implemented for {pda.dtype}")


def _unary(name: str, kinds: str, floats: bool) -> Any:
    @checked(pdarray)
    def function(pda: Any) -> Any:
        if name == "abs" and pda.dtype == bigint():
            return pda.__abs__()
        _refuse(pda, kinds, name)
        values = pda._a
        if floats:
            values = values.astype(np.float64)
        elif values.dtype.kind == "b" and name.startswith("is"):
            values = values.astype(np.int64)
        return lift(getattr(atoll, name)(values))

    return entitled(function, name, f"NumPy's `{name}`, element by element.")


def _masked(name: str) -> Any:
    @checked(pdarray, (bool, np.bool_, pdarray))
    def function(pda: Any, where: object = True) -> Any:
        _refuse(pda, "biuf", name)
        return _where(lift(getattr(atoll, name)(pda._a.astype(np.float64))), pda, where)

    return entitled(function, name, f"NumPy's `{name}` where a condition holds; elsewhere the elements.")


for _name, (_kinds, _floats) in _UNARY.items():
    globals()[_name] = _unary(_name, _kinds, _floats)
for _name in _MASKED:
    globals()[_name] = _masked(_name)


@checked(pdarray)
def round(pda: Any, decimals: Any = None) -> Any:
    """Rounded to that many decimals.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.round(ak.array([1.26, 2.5]), 1)
    array([1.3 2.5])
    """
    return lift(atoll.round(pda._a, int(decimals or 0)))


@checked(pdarray, (bool, np.bool_, pdarray))
def square(pda: Any, where: object = True) -> Any:
    """`pda * pda` where a condition holds; elsewhere `pda`."""
    return _where(pda * pda, pda, where)


def logical_not(x: object) -> Any:
    """Whether each element is zero."""
    return x == 0 if isinstance(x, pdarray) else np.bool_(not x)


@checked((pdarray, *SCALARS), (pdarray, *SCALARS))
def nextafter(x1: Any, x2: Any) -> Any:
    """The float after each of `x1` towards `x2`."""
    for one in (x1, x2):
        if isinstance(one, pdarray) and (one.dtype == bigint() or one.dtype.kind not in "iuf"):
            raise TypeError(f"nextafter is not implemented for {one.dtype}")
    first, second = (one._a.astype(np.float64) if isinstance(one, pdarray) else float(one) for one in (x1, x2))
    if isinstance(first, Array) or isinstance(second, Array):
        return lift(atoll.nextafter(first, second))
    return np.nextafter(first, second)


def _scan(name: str) -> Any:
    @checked(pdarray)
    def scan(pda: Any, axis: int | str | None = None) -> Any:
        if pda.dtype == bigint():
            raise TypeError(f"{name} is not implemented for bigint")
        if axis is not None and not -pda.ndim <= axis < pda.ndim:
            raise ValueError(f"axis {axis} is out of bounds for {pda.ndim} dimensions")
        return lift(getattr(atoll, name)(pda._a, axis=axis))

    return entitled(scan, name, f"NumPy's `{name}`, of all elements or along an axis.")


cumsum, cumprod = _scan("cumsum"), _scan("cumprod")


# -- with `out` --


def _with_out(values: ArrayLike, out: object, where: object) -> Any:
    """A result put into `out`, where a condition holds."""
    if where is not None and not isinstance(where, (bool, np.bool_, pdarray)):
        raise TypeError(f"where must be bool or pdarray; got {type(where).__name__} instead")
    if isinstance(where, pdarray) and where.dtype != np.bool_:
        raise TypeError("where must be of bools")
    if out is None:
        if where is None or where is True or (isinstance(where, np.bool_) and bool(where)):
            return lift(values) if isinstance(values, Array) and values.ndim else values
        raise ValueError("where needs an out array")
    if not isinstance(out, pdarray):
        raise TypeError(f"out must be a pdarray; got {type(out).__name__} instead")
    shape = np.broadcast_shapes(getattr(values, "shape", ()), lower(where).shape if isinstance(where, pdarray) else ())
    if np.broadcast_shapes(shape, out.shape) != out.shape:
        raise ValueError(f"a result of shape {shape} does not fit out of shape {out.shape}")
    made = atoll.broadcast_to(atoll.asarray(values), out.shape)
    if not np.can_cast(made.dtype, out.dtype, "same_kind"):
        raise TypeError(f"cannot cast {made.dtype} to {out.dtype}")
    condition = True if where is None else lower(where)
    if condition is True or (not isinstance(condition, Array) and bool(condition)):
        out._a = made.astype(out.dtype).copy()
    elif isinstance(condition, Array):
        out._a = atoll.where(atoll.broadcast_to(condition, out.shape), made, out._a).astype(out.dtype)
    return out


def _rounding(name: str) -> Any:
    @checked((pdarray, *SCALARS))
    def function(pda: Any, /, out: object = None, *, where: object = None) -> Any:
        if isinstance(pda, pdarray):
            _refuse(pda, "biuf", name)
        values = lower(pda)
        kind = getattr(values, "dtype", np.asarray(values).dtype).kind
        made = values if kind in "iu" else getattr(atoll if isinstance(values, Array) else np, name)(values)
        return _with_out(made, out, where)

    return entitled(function, name, f"NumPy's `{name}`, with `out` and `where`.")


floor, ceil, trunc = _rounding("floor"), _rounding("ceil"), _rounding("trunc")


@checked((pdarray, *SCALARS), (pdarray, *SCALARS))
def arctan2(x1: Any, x2: Any, /, out: object = None, *, where: object = None) -> Any:
    """Angles of points (x2, x1), with `out` and `where`."""
    sides = [one._a.astype(np.float64) if isinstance(one, pdarray) else np.float64(one) for one in (x1, x2)]
    found = (atoll if any(isinstance(one, Array) for one in sides) else np).arctan2(*sides)
    return _with_out(found, out, where)


# -- of two arrays --


def _pairwise(name: str) -> Any:
    @checked((pdarray, *SCALARS), (pdarray, *SCALARS))
    def function(x1: ArrayLike, x2: ArrayLike) -> Any:
        if not isinstance(x1, pdarray) and not isinstance(x2, pdarray):
            return getattr(np, name)(x1, x2)
        if any(isinstance(one, pdarray) and one.dtype == bigint() for one in (x1, x2)):
            raise TypeError(f"{name} is not implemented for bigint")
        return lift(getattr(atoll, name)(lower(x1), lower(x2)))

    return entitled(function, name, f"NumPy's `{name}`.")


minimum, maximum = _pairwise("minimum"), _pairwise("maximum")


@checked(pdarray)
def clip(pda: Any, lo: Any, hi: Any) -> Any:
    """Elements below `lo` and above `hi` replaced by these; None sets no bound."""
    if lo is None and hi is None:
        raise ValueError("either lo or hi must be given")
    return lift(atoll.clip(pda._a, lower(lo), lower(hi)))


@checked(pdarray, pdarray)
def matmul(pda_L: Any, pda_R: Any) -> Any:
    """NumPy's `matmul`."""
    return lift(atoll.matmul(pda_L._a, pda_R._a))


@checked(pdarray, pdarray)
def vecdot(x1: Any, x2: Any, axis: Any = None) -> Any:
    """Sums of products along an axis."""
    return lift(atoll.vecdot(x1._a, x2._a, axis=-1 if axis is None else int(axis)))


def array_equal(pda_a: Any, pda_b: Any, equal_nan: bool = False) -> bool:
    """Whether two arrays have the same shape and elements."""
    texts = [isinstance(one, Strings) for one in (pda_a, pda_b)]
    if pda_a.shape != pda_b.shape or texts[0] != texts[1]:
        return False
    if texts[0] or bigint() in (pda_a.dtype, pda_b.dtype):
        return bool((pda_a == pda_b).all())
    return bool(atoll.array_equal(pda_a._a, pda_b._a, equal_nan=equal_nan and pda_a.dtype.kind == "f"))


def putmask(A: Any, mask: Any, Values: Any) -> None:
    """Sets elements of `A` where `mask` holds to those of `Values` with the same number, which repeat.

    Raises
    ------
    RuntimeError
        A mask of another shape; values of a type that that of `A` does not hold.
    """
    allowed = {"f": "fiub", "i": "ib", "u": "ub", "b": "b"}
    if A.size != mask.size or A.shape != mask.shape:
        raise RuntimeError("mask and array must have the same shape")
    if A.dtype == bigint() or Values.dtype == bigint():
        if A.dtype != bigint():
            raise RuntimeError(f"Types {A.dtype} and {Values.dtype} are incompatible in putmask")
    elif Values.dtype.kind not in allowed[A.dtype.kind]:
        raise RuntimeError(f"Types {A.dtype} and {Values.dtype} are incompatible in putmask")
    rows = atoll.arange(A.size) % max(Values.size, 1)
    repeated = Values.flatten()[lift(rows)].reshape(A.shape)
    if A.dtype == bigint():
        A._a = wide.choose(mask._a.reshape(-1), wide.of_any(repeated._a), A._a)
    else:
        A._a = atoll.where(mask._a, repeated._a.astype(A.dtype), A._a)


@checked(Int, Int, Int)
def eye(N: Any, M: Any, k: Any = 0, dt: Any = float64) -> Any:
    """NumPy's `eye`."""
    return lift(atoll.eye(int(N), int(M), int(k), dtype=ak_dtype(dt)))


@checked(pdarray, Int)
def tril(pda: Any, diag: Any = 0) -> Any:
    """The elements on and below a diagonal; zero above."""
    return lift(atoll.tril(pda._a, int(diag)))


@checked(pdarray, Int)
def triu(pda: Any, diag: Any = 0) -> Any:
    """The elements on and above a diagonal; zero below."""
    return lift(atoll.triu(pda._a, int(diag)))


@checked(pdarray)
def transpose(pda: Any, axes: Sequence[int] | None = None) -> Any:
    """The axes in another order."""
    order = None if axes is None else tuple(int(one) for one in axes)
    if order is not None and sorted(one % pda.ndim for one in order) != list(range(pda.ndim)):
        raise ValueError(f"axes {order} are no permutation of {pda.ndim} axes")
    return lift(atoll.transpose(pda._a, order).copy())


def take(a: Any, indices: Any, axis: int | None = None) -> Any:
    """The elements with these numbers, along an axis.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.take(ak.arange(5) * 10, ak.array([3, 1]))
    array([30 10])
    """
    return a.take(indices, axis=axis)


# -- aggregates --


@checked(pdarray, Int)
def histogram(pda: Any, bins: Any = 10, range: Any = None) -> Any:
    """Counts in bins of equal width, and the edges of the bins."""
    if bins < 1:
        raise ValueError("bins must be 1 or greater")
    values = pda._a.astype(np.float64) if pda.dtype.kind == "u" else pda._a
    counts, edges = atoll.histogram(values, int(bins), None if range is None else tuple(float(x) for x in range))
    return lift(counts.astype(np.int64)), lift(atoll.asarray(edges))


def _each(bins: Any, count: int) -> list[int]:
    several = [bins] * count if isinstance(bins, Int) else [int(one) for one in bins]
    if len(several) != count or any(one < 1 for one in several):
        raise ValueError("the number of bins must be positive, and given once or for each dimension")
    return [int(one) for one in several]


def histogram2d(x: object, y: ArrayLike, bins: object = 10, range: Any = None) -> Any:
    """Counts of pairs in bins, and the edges of both axes."""
    counts, (first, second) = histogramdd([x, y], bins, range)
    return counts, first, second


def histogramdd(sample: Any, bins: object = 10, range: Any = None) -> Any:
    """Counts of points in bins of any number of dimensions, and the edges of each.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.histogramdd([ak.arange(4), ak.arange(4)], 2)[0].tolist()
    [[2.0, 0.0], [0.0, 2.0]]
    """
    if not isinstance(sample, (list, tuple)) or not all(isinstance(one, pdarray) for one in sample):
        raise TypeError("sample must be a list of pdarrays")
    if len({one.size for one in sample}) != 1:
        raise ValueError("all arrays must be of one size")
    points = atoll.stack([one._a.astype(np.float64) for one in sample], axis=1)
    counts, edges = atoll.histogramdd(points, _each(bins, len(sample)), range)
    return lift(counts), [lift(atoll.asarray(one)) for one in edges]


@checked((pdarray, "Strings", "Categorical"))
def value_counts(pda: Any) -> Any:
    """The distinct values in order, and how often each is there."""
    from ..pandas.groupbyclass import GroupBy

    flat = pda.flatten() if getattr(pda, "ndim", 1) > 1 else pda
    return GroupBy(flat).size()


@checked(pdarray)
def median(pda: Any) -> Any:
    """The median of all elements."""
    return np.float64(atoll.median(pda._a.astype(np.float64)))


def count_nonzero(pda: Any) -> Any:
    """How many elements are not zero; of strings, not empty."""
    if isinstance(pda, Strings):
        return (pda.get_lengths() > 0).sum()
    if pda.dtype == bigint():
        return (pda != 0).sum()
    return np.int64(atoll.count_nonzero(pda._a))


def _quantile(
    a: ArrayLike, q: object, axis: int | str | None, method: str, keepdims: bool, most: float, name: str
) -> Any:
    if not isinstance(a, pdarray):
        raise TypeError(f"{name} is of pdarrays, not of {type(a).__name__}")
    places = q.to_ndarray() if isinstance(q, pdarray) else q
    values = np.asarray(places, np.float64)
    if not ((values >= 0) & (values <= most)).all():
        raise ValueError(f"q of {name} must lie between 0 and {most:g}")
    axis = tuple(axis) if isinstance(axis, list) else axis
    found = getattr(atoll, name)(
        a._a.astype(np.float64), values if values.ndim else float(values), axis=axis, method=method, keepdims=keepdims
    )
    return lift(atoll.asarray(found).copy()) if isinstance(found, Array) and found.ndim else np.float64(found)


def quantile(
    a: ArrayLike, q: object = 0.5, axis: int | str | None = None, method: str = "linear", keepdims: bool = False
) -> Any:
    """NumPy's `quantile`, in float64."""
    return _quantile(a, q, axis, method, keepdims, 1, "quantile")


def percentile(
    a: ArrayLike, q: object = 0.5, axis: int | str | None = None, method: str = "linear", keepdims: bool = False
) -> Any:
    """NumPy's `percentile`, in float64."""
    return _quantile(a, q, axis, method, keepdims, 100, "percentile")


pdarray.value_counts = lambda self: value_counts(self)
pdarray.logical_not = lambda self: logical_not(self)
