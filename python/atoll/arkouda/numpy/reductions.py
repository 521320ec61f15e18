# SPDX-License-Identifier: Apache-2.0
"""Arkouda's reductions, and its functions of bits: Atoll's, made from tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import atoll

from ..objects import checked, entitled, lift, lower
from . import wide
from .arrays import SCALARS, combine, operand, pdarray
from .dtypes import Int, bigint, bigint_
from .dtypes import dtype as ak_dtype

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...annotations import ArrayLike

__all__ = [
    "all", "allclose", "any", "argmax", "argmaxk", "argmin", "argmink", "broadcast_if_needed", "clz", "corr", "cov",
    "ctz", "diff", "divmod", "dot", "fmod", "is_locally_sorted", "is_sorted", "max", "maxk", "mean", "min", "mink",
    "mod", "parity", "popcount", "power", "prod", "rotl", "rotr", "skew", "sqrt", "std", "sum", "var",
]  # fmt: skip


def _axes(axis: int | str | None, ndim: int) -> Any:
    """An axis or axes as Atoll takes them."""
    axes = axis if isinstance(axis, tuple) else () if axis is None else (axis,)
    for one in axes:
        if not isinstance(one, Int) or isinstance(one, bool):
            raise TypeError(f"an axis is a whole number, not {one!r}")
        if not -ndim <= one < ndim:
            raise IndexError(f"axis {one} is not valid for {ndim} dimensions")
    return tuple(int(one) for one in axes) if isinstance(axis, tuple) else None if axis is None else int(axis)


def _wide_reduced(name: str, a: pdarray) -> Any:
    column = a._a
    if name == "prod":
        return bigint_(wide.scan_fold(column, "*"))
    if name in ("argmin", "argmax"):
        value = column.min() if name == "argmin" else column.max()
        return np.int64(int(atoll.argmax(column == value)))
    found = getattr(column, name)()
    return np.bool_(found) if name in ("any", "all") else bigint_(found)


def _reduction(name: str) -> Any:
    @checked(pdarray)
    def reduce(pda: Any, axis: int | str | None = None, keepdims: bool = False) -> Any:
        axes = _axes(axis, pda.ndim)
        if isinstance(pda._a, wide.BigInts):
            if axes not in (None, 0, (0,)) or (pda.ndim > 1 and axes is not None):
                raise TypeError(f"{name} along an axis is not supported for bigint")
            return _wide_reduced(name, pda)
        if isinstance(axes, tuple) and not axes:
            axes = None
        if pda.size == 0 and name in ("min", "max", "argmin", "argmax"):
            raise ValueError(f"cannot take the {name} of an empty array")
        found = getattr(atoll, name)(pda._a, axis=axes, keepdims=keepdims)
        return lift(found)

    return entitled(reduce, name, f"NumPy's `{name}` of all elements, or along axes.")


any, all, sum, prod, min, max = (_reduction(name) for name in ("any", "all", "sum", "prod", "min", "max"))
argmin, argmax = _reduction("argmin"), _reduction("argmax")
_reduced_mean = _reduction("mean")


def mean(pda: Any, axis: int | str | None = None, keepdims: bool = False) -> Any:
    """The mean of all elements, or along axes."""
    if isinstance(pda, pdarray) and pda.dtype == bigint():
        pda = pda.astype("float64")
    return _reduced_mean(pda, axis, keepdims)


def _moment(name: str) -> Any:
    @checked(pdarray)
    def moment(pda: Any, ddof: Any = 0, axis: int | str | None = None, keepdims: bool = False) -> Any:
        if pda.dtype == bigint():
            pda = pda.astype("float64")
        if not isinstance(ddof, Int):
            raise TypeError(f"ddof must be a whole number; got {type(ddof).__name__} instead")
        if ddof >= pda.size and axis is None:
            raise ValueError("var: ddof must be less than the number of values")
        found = getattr(atoll, name)(pda._a, axis=_axes(axis, pda.ndim), ddof=int(ddof), keepdims=bool(keepdims))
        return lift(found)

    return entitled(moment, name, f"NumPy's `{name}` of all elements, or along axes.")


var, std = _moment("var"), _moment("std")


@checked(pdarray)
def is_sorted(pda: Any, axis: int | str | None = None, keepdims: bool = False) -> Any:
    """Whether the elements are in order, all together or along axes.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.is_sorted(ak.arange(3)), ak.is_sorted(ak.array([2, 1]))
    (np.True_, np.False_)
    """
    axes = _axes(axis, pda.ndim)
    if isinstance(pda._a, wide.BigInts):
        return np.bool_(bool((pda._a[1:] >= pda._a[:-1]).all()))
    if axes is None or isinstance(axes, int):
        axes = tuple(range(pda.ndim)) if axes is None else (axes,)
    axes = tuple(one % pda.ndim for one in axes)
    kept = [one for one in range(pda.ndim) if one not in axes]
    rows = atoll.transpose(pda._a, (*kept, *axes)).reshape([*(pda.shape[one] for one in kept), -1])
    found = (rows[..., 1:] >= rows[..., :-1]).all(axis=-1)
    if keepdims:
        found = atoll.reshape(found, [1 if one in axes else n for one, n in enumerate(pda.shape)])
    return lift(found) if kept or keepdims else np.bool_(bool(found))


@checked(pdarray)
def is_locally_sorted(pda: Any, axis: int | str | None = None, keepdims: bool = False) -> Any:
    """Whether each PE's part is in order: of one axis alone; otherwise as `is_sorted`."""
    if pda.ndim > 1 or isinstance(pda._a, wide.BigInts):
        return is_sorted(pda, axis, keepdims)
    block = -(-pda.size // atoll.pes())
    there = pda._a[1:] >= pda._a[:-1]
    return np.bool_(bool((there | (atoll.arange(1, pda.size) % block == 0)).all()))


# -- of two arrays --


@checked((SCALARS, pdarray), (SCALARS, pdarray))
def dot(pda1: Any, pda2: Any) -> Any:
    """NumPy's `dot`: products of arrays, or of an array and a number."""
    for one in (pda1, pda2):
        if isinstance(one, pdarray) and one.dtype == bigint():
            found = pda1 * pda2
            return sum(found) if isinstance(pda1, pdarray) and isinstance(pda2, pdarray) else found
    return lift(atoll.dot(lower(pda1), lower(pda2)))


@checked(pdarray, pdarray)
def cov(x: Any, y: Any) -> Any:
    """The covariance of two arrays, with n - 1."""
    if x.size != y.size:
        raise ValueError("the arrays must be of one size")
    return np.float64(atoll.cov(_real(x), _real(y))[0, 1])


@checked(pdarray, pdarray)
def corr(x: object, y: ArrayLike) -> Any:
    """Pearson's correlation of two arrays."""
    return np.float64(cov(x, y) / (std(x, ddof=1) * std(y, ddof=1)))


def _real(a: pdarray) -> Any:
    return a.astype("float64")._a


@checked(pdarray, pdarray)
def allclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements are close."""
    if "bigint" in (str(a.dtype), str(b.dtype)):
        raise TypeError("bigint is not supported: allclose compares floats")
    return bool(atoll.allclose(a._a, b._a, rtol=rtol, atol=atol, equal_nan=equal_nan))


@checked(pdarray)
def skew(pda: Any, bias: bool = True) -> Any:
    """The skewness of the elements."""
    real = _real(pda)
    deviation = real - real.mean()
    n = pda.size
    found = (deviation**3).mean() / (deviation**2).mean() ** 1.5
    return np.float64(found if bias else found * np.sqrt(n * (n - 1)) / (n - 2))


def _where(result: Any, original: Any, where: Any) -> Any:
    """`result` where a condition holds, elsewhere `original`."""
    if where is True or (isinstance(where, np.bool_) and bool(where)):
        return result
    if not isinstance(where, (bool, np.bool_, pdarray)):
        raise TypeError(f"where must be bool or pdarray; got {type(where).__name__} instead")
    if isinstance(where, pdarray) and where.dtype != np.bool_:
        raise TypeError(f"where must have dtype bool, got dtype {where.dtype} instead")
    if not isinstance(where, pdarray):
        return original
    kept = lower(original)
    if isinstance(kept, wide.BigInts) or isinstance(lower(result), wide.BigInts):
        return pdarray._of(wide.choose(where._a, wide.of_any(lower(result)), wide.of_any(kept)), where.shape)
    return pdarray._of(atoll.where(where._a, lower(result), kept).astype(np.result_type(result.dtype, original.dtype)))


@checked(pdarray, (int, float, np.number, pdarray))
def power(pda: Any, pwr: Any, where: object = True) -> Any:
    """`pda ** pwr`, where a condition holds; elsewhere `pda`.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.power(ak.arange(4), 3)
    array([0 1 8 27])
    """
    return _where(combine("**", pda, pwr), pda, where)


@checked(pdarray)
def sqrt(pda: Any, where: object = True) -> Any:
    """Square roots, where a condition holds; elsewhere `pda`."""
    return _where(lift(atoll.sqrt(_real(pda))), pda, where)


@checked((SCALARS, pdarray), (SCALARS, pdarray))
def divmod(x: ArrayLike, y: Any, where: object = True) -> Any:
    """`(x // y, x % y)`, where a condition holds; elsewhere `x`."""
    if not isinstance(x, pdarray) and not isinstance(y, pdarray):
        return x // y, x % y
    quotient, rest = combine("//", x, y), combine("%", x, y)
    if where is True:
        return quotient, rest
    original = x if isinstance(x, pdarray) else lift(atoll.full(quotient.shape, x))
    return _where(quotient, original, where), _where(rest, original, where)


def mod(dividend: Any, divisor: Any) -> Any:
    """`dividend % divisor`."""
    return combine("%", operand(dividend), operand(divisor))


@checked((SCALARS, pdarray), (SCALARS, pdarray))
def fmod(dividend: Any, divisor: Any) -> Any:
    """The rest of a division that rounds towards zero, of floats."""
    if not isinstance(dividend, pdarray) and not isinstance(divisor, pdarray):
        raise TypeError("one of the arguments must be a pdarray")
    kinds = [one.dtype if isinstance(one, pdarray) else ak_dtype(one) for one in (dividend, divisor)]
    if not [kind for kind in kinds if kind == np.float64]:
        raise TypeError("one of the arguments must be of floats")
    return lift(atoll.fmod(lower(dividend), lower(divisor)))


@checked(pdarray, pdarray)
def broadcast_if_needed(x1: Any, x2: Any) -> Any:
    """Both arrays with the shape they have together, and whether each was made for it."""
    if x1.shape == x2.shape:
        return x1, x2, False, False
    shape = np.broadcast_shapes(x1.shape, x2.shape)
    made = [lift(atoll.broadcast_to(one._a, shape).copy()) if one.shape != shape else one for one in (x1, x2)]
    return made[0], made[1], x1.shape != shape, x2.shape != shape


@checked(pdarray)
def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """NumPy's `diff`."""
    options = {key: lower(one) for key, one in (("prepend", prepend), ("append", append)) if one is not None}
    if a.dtype == bigint():
        for _ in range(n):
            a = a[1:] - a[:-1]
        return a
    return lift(atoll.diff(a._a, n=int(n), axis=int(axis), **options))


# -- the largest and the smallest --


def _extreme(name: str, largest: bool, places: bool) -> Any:
    @checked(pdarray, Int)
    def extreme(pda: Any, k: Any) -> Any:
        if k < 1:
            raise ValueError("k must be at least 1")
        if pda.size == 0:
            raise ValueError("the array must not be empty")
        k = int(k) if k < pda.size else pda.size
        order = atoll.argsort(pda._a)
        chosen = order[-k:] if largest else order[:k]
        return pdarray._of(chosen.copy()) if places else pda[pdarray._of(chosen)]

    what = "places" if places else "values"
    return entitled(
        extreme, name, f"The {what} of the `k` {'largest' if largest else 'smallest'} elements, in their order."
    )


mink, maxk = _extreme("mink", False, False), _extreme("maxk", True, False)
argmink, argmaxk = _extreme("argmink", False, True), _extreme("argmaxk", True, True)


# -- bits --


def _words(pda: Any) -> list[Any]:
    """The elements as words of 64 bits without a sign, the least significant first."""
    if not isinstance(pda, pdarray):
        raise TypeError(f"bits are counted of a pdarray, not of {type(pda).__name__}")
    if pda.dtype == bigint():
        if pda.max_bits < 0:
            raise ValueError("max_bits must be set to count bits of bigints")
        count = -(-pda.max_bits // 64)
        return [word.astype(np.uint64) for word in pda._a._values.widened(count).words[:count]]
    if pda.dtype.kind not in "iu":
        raise TypeError(f"bits are counted of integers, not of {pda.dtype}")
    return [pda._a.astype(np.uint64)]


def _ones(word: Any) -> Any:
    return atoll.bitwise_count(word).astype(np.int64)


def popcount(pda: Any) -> Any:
    """How many bits are set in each element.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.popcount(ak.arange(5))
    array([0 1 1 2 1])
    """
    words = _words(pda)
    total = _ones(words[0])
    for word in words[1:]:
        total = total + _ones(word)
    return _bits_as(pda, total)


def _bits_as(pda: Any, counts: Any) -> Any:
    kind = np.dtype(np.uint64) if pda.dtype == bigint() else pda.dtype
    return pdarray._of(counts.astype(kind).reshape(pda.shape))


def parity(pda: Any) -> Any:
    """Whether the number of set bits is odd: 1 or 0."""
    return _bits_as(pda, popcount(pda)._a.astype(np.int64) & 1)


def _smeared(word: Any) -> Any:
    """The word with all bits below its highest set one set."""
    for shift in (1, 2, 4, 8, 16, 32):
        word = word | (word >> np.uint64(shift))
    return word


def clz(pda: Any) -> Any:
    """How many bits before the highest one are 0."""
    words = _words(pda)
    bits = 64 if pda.dtype != bigint() else pda.max_bits
    length = atoll.zeros(words[0].shape, dtype=np.int64)
    for place, word in enumerate(words):
        length = atoll.where(word != 0, 64 * place + _ones(_smeared(word)), length)
    return _bits_as(pda, bits - length)


def ctz(pda: Any) -> Any:
    """How many bits behind the lowest one are 0; of zero, 0."""
    words = _words(pda)
    found = atoll.zeros(words[0].shape, dtype=np.int64)
    for place, word in reversed(list(enumerate(words))):
        lowest = _ones(~word & (word - np.uint64(1)))
        found = atoll.where(word != 0, 64 * place + lowest, found)
    return _bits_as(pda, found)


def _rotated(x: Any, rot: Any, left: bool) -> Any:
    if not isinstance(x, pdarray) and not isinstance(rot, pdarray):
        raise TypeError("one of the arguments of a rotation must be a pdarray")
    for one in (x, rot):
        if not isinstance(one, (pdarray, int, np.integer)) or (
            isinstance(one, pdarray) and one.dtype.kind not in ("i", "u", "ui", "b")
        ):
            raise TypeError("rotations are of integers by integers")
    if isinstance(x, pdarray) and x.dtype == bigint():
        bits = x.max_bits if x.max_bits >= 0 else getattr(rot, "max_bits", -1)
        if bits < 0:
            raise ValueError("max_bits must be set to rotate bigints")
        by = rot % bits
        there, away = ("<<", ">>") if left else (">>", "<<")
        return combine("|", combine(there, x, by), combine(away, x, bits - by))
    kind = x.dtype if isinstance(x, pdarray) else np.dtype(np.int64)
    if isinstance(rot, pdarray) and rot.dtype == bigint():
        rot = rot % 64
        rot = rot.astype("int64")
    word = x._a.astype(np.uint64) if isinstance(x, pdarray) else np.uint64(int(x) % (1 << 64))
    by = rot._a.astype(np.uint64) % np.uint64(64) if isinstance(rot, pdarray) else np.uint64(int(rot) % 64)
    back = (np.uint64(64) - by) % np.uint64(64)
    found = (word << by) | (word >> back) if left else (word >> by) | (word << back)
    return pdarray._of(found.astype(kind))


def rotl(x: ArrayLike, rot: Any) -> Any:
    """Each element's bits turned to the left."""
    return _rotated(x, rot, True)


def rotr(x: ArrayLike, rot: Any) -> Any:
    """Each element's bits turned to the right."""
    return _rotated(x, rot, False)


def _method(function: Callable[..., Any]) -> Any:
    def method(self: Any, *args: object, **options: object) -> Any:
        return function(self, *args, **options)

    return entitled(method, function.__name__, f"See `ak.{function.__name__}`.")


for _function in (
    any, all, sum, prod, min, max, argmin, argmax, mean, var, std, is_sorted, cov, corr, mink, maxk, argmink, argmaxk,
    popcount, parity, clz, ctz, rotl, rotr, dot, diff,
):  # fmt: skip
    setattr(pdarray, _function.__name__, _method(_function))
