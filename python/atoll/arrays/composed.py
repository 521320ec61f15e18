# SPDX-License-Identifier: Apache-2.0
"""NumPy's elementwise functions that are composed of others."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

import numpy as np

from . import engine
from .array import Array, as_array, expr_of, wrap
from .dtypes import BOOL, BOUNDS, DTYPE_OF, KIND_OF, SCALAR_KIND, code_of, fit_scalar, promote, result_code
from .functions import finish
from .pair import Pair
from .sizes import c_long
from .ufuncs import (
    absolute,
    copysign,
    equal,
    floor_divide,
    isfinite,
    isinf,
    isnan,
    maximum,
    minimum,
    nextafter,
    remainder,
    rint,
    trunc,
)
from .views import Part, step_into

if TYPE_CHECKING:
    from ..annotations import ArrayLike, Out
    from .ndarray import ndarray

__all__ = [
    "allclose",
    "around",
    "array_equal",
    "cast",
    "clip",
    "divmod",
    "fix",
    "imag",
    "isclose",
    "isneginf",
    "isposinf",
    "modf",
    "nan_to_num",
    "real",
    "round",
    "spacing",
]


def choose(condition: ArrayLike, x: ArrayLike, y: ArrayLike) -> ndarray:
    """`where` with three arguments."""
    mask = expr_of(condition)
    kinds = [SCALAR_KIND.get(type(value), 99) for value in (x, y)]
    exprs: list[Any] = [None if kind < 0 else expr_of(value) for kind, value in zip(kinds, (x, y), strict=True)]
    if kinds[0] < 0 and kinds[1] < 0:
        code = int(builtins.max(expr_of(x).dtype, expr_of(y).dtype))
    else:
        code = result_code(*(kind if kind < 0 else expr.dtype for kind, expr in zip(kinds, exprs, strict=True)))
    operands = [
        engine.scalar(mask.session, fit_scalar(value, code), code) if expr is None else expr
        for value, expr in zip((x, y), exprs, strict=True)
    ]
    return wrap(engine.apply(engine.OPS["where"], code, code, (mask, *operands)))


def spacing(x: ArrayLike, /) -> ndarray:
    """Distance to the next representable value away from zero.

    Examples
    --------
    >>> import atoll as ak
    >>> float(ak.spacing(ak.array([1.0]))[0]) == 2.0**-52
    True
    """
    values = wrap(expr_of(x).alias())
    if KIND_OF[values._expr.dtype] != "f":
        values = values.astype(DTYPE_OF[promote("spacing", (values._expr.dtype,)).result])
    size = absolute(values)
    return copysign(nextafter(size, float("inf")) - size, values)


def divmod(x1: ArrayLike, x2: ArrayLike, /) -> tuple[ndarray, ndarray]:
    """Floor quotient and remainder.

    Examples
    --------
    >>> import atoll as ak
    >>> quotient, rest = ak.divmod(ak.array([7, 8]), 3)
    >>> quotient, rest
    (array([2, 2]), array([1, 2]))
    """
    return floor_divide(x1, x2), remainder(x1, x2)


def modf(x: ArrayLike, /) -> tuple[ndarray, ndarray]:
    """Fraction and whole part, both with the sign of x.

    Examples
    --------
    >>> import atoll as ak
    >>> fraction, whole = ak.modf(ak.array([1.5, -2.25]))
    >>> fraction, whole
    (array([ 0.5 , -0.25]), array([ 1., -2.]))
    """
    values = wrap(expr_of(x).alias())
    if KIND_OF[values._expr.dtype] != "f":
        values = values.astype(DTYPE_OF[promote("modf", (values._expr.dtype,)).result])
    whole = trunc(values)
    fraction = choose(isinf(values), 0.0, values - whole)
    return copysign(fraction, values), whole


def clip(
    a: ArrayLike, min: Any = None, max: Any = None, out: ndarray | None = None, *, a_min: Any = None, a_max: Any = None
) -> ndarray:
    """Elements limited to [min, max]; None means no limit on that side. `a_min` and `a_max` are NumPy's older names.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.clip(ak.arange(5), 1, 3)
    array([1, 1, 2, 3, 3])
    """
    low = a_min if min is None else min
    high = a_max if max is None else max
    result = as_array(a)
    code = result._expr.dtype
    if KIND_OF[code] in "iu":  # a Python integer beyond the type's range limits nothing
        if type(low) is int and low < BOUNDS[code][0]:
            low = None
        if type(high) is int and high > BOUNDS[code][1]:
            high = None
    if low is not None:
        result = maximum(result, low)
    if high is not None:
        result = minimum(result, high)
    if out is None:
        return result.copy() if result is a else result
    return finish(result, out, True, "clip", (), "same_kind")


def _decimals(decimals: Any) -> int:
    digits = int(c_long(decimals))
    if not -(1 << 31) <= digits < 1 << 31:
        raise OverflowError("Python int too large to convert to C int")
    return digits


def round(a: ArrayLike, decimals: int = 0, out: ndarray | None = None) -> ndarray:
    """Elements rounded to a number of decimals, halves to even.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.round(ak.array([1.25, 2.5, -0.5]))
    array([ 1.,  2., -0.])
    """
    values = as_array(a)
    code, digits = values._expr.dtype, _decimals(decimals)
    if KIND_OF[code] in "fc":
        if digits == 0:
            result = rint(values)
        elif digits > 0:
            result = rint(values * 10.0**digits) / 10.0**digits
        else:
            result = rint(values / 10.0**-digits) * 10.0**-digits
    elif code == BOOL and digits == 0:
        result = rint(values)
    elif digits >= 0 or code == BOOL:
        result = values.copy()
    elif digits < -19:  # half of 10^20 is more than any integer
        result = values * 0
    else:
        result = (rint(values / 10**-digits) * 10**-digits).astype(values.dtype)
    return finish(result, out, True, "round", (), "same_kind")


around = round


def fix(x: ArrayLike, out: ndarray | None = None) -> ndarray:
    """Nearest integer towards zero; as `trunc`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fix(ak.array([1.9, -1.9]))
    array([ 1., -1.])
    """
    return trunc(x, out)


def nan_to_num(
    x: ArrayLike, copy: bool = True, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> ndarray:
    """NaN and infinities replaced by numbers: 0 and the type's greatest and least values unless given.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.nan_to_num(ak.array([1.0, float("nan")]))
    array([1., 0.])
    """
    values = as_array(x)
    if KIND_OF[values._expr.dtype] == "c":
        re, im = (nan_to_num(part, True, nan, posinf, neginf) for part in (values.real, values.imag))
        whole = wrap(Pair(re._read(), im._read()))  # type: ignore[arg-type]
        if not copy and isinstance(x, Array):
            x._store(whole._expr)
            return values
        return whole
    if KIND_OF[values._expr.dtype] != "f":
        return values.copy()
    limits = np.finfo(values.dtype)
    high = float(limits.max) if posinf is None else posinf
    low = float(limits.min) if neginf is None else neginf
    result = choose(isnan(values), float(nan), values)
    result = choose(values == float("inf"), high, result)
    result = choose(values == float("-inf"), low, result)
    if not copy and isinstance(x, Array):
        x._store(result._expr)
        return values
    return result


def isclose(a: ArrayLike, b: ArrayLike, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> ndarray:
    """Whether ``|a - b| <= atol + rtol * |b|``.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.isclose(ak.array([1.0, 2.0]), [1.0 + 1e-9, 2.1])
    array([ True, False])
    """
    x, y = wrap(expr_of(a).alias()), wrap(expr_of(b).alias())
    if KIND_OF[y._expr.dtype] not in "fc":
        y = y.astype(np.float64)
    close = (absolute(x - y) <= atol + rtol * absolute(y)) & isfinite(y) | (x == y)
    answer: ndarray = close | (isnan(x) & isnan(y)) if equal_nan else close
    return answer


def allclose(a: ArrayLike, b: ArrayLike, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements are close; see `isclose`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.allclose(ak.ones(3), 1.0)
    True
    """
    return bool(isclose(a, b, rtol, atol, equal_nan).all())


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    """Whether two arrays have the same shape and elements.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.array_equal(ak.arange(3), [0, 1, 2])
    True
    """
    x, y = wrap(expr_of(a1).alias()), wrap(expr_of(a2).alias())
    if x.shape != y.shape:
        return False
    same = x == y
    return bool((same | (isnan(x) & isnan(y)) if equal_nan else same).all())


def isposinf(x: ArrayLike, out: Out = None) -> ndarray:
    """Whether x is positive infinity.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.isposinf(ak.array([1.0, float("inf")]))
    array([False,  True])
    """
    return equal(x, float("inf"), out=out)


def isneginf(x: ArrayLike, out: Out = None) -> ndarray:
    """Whether x is negative infinity.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.isneginf(ak.array([1.0, float("-inf")]))
    array([False,  True])
    """
    return equal(x, float("-inf"), out=out)


def cast(x: Any, dtype: Any) -> ndarray:
    """The values in another type, lazily; Arkouda's `cast` is `ak.cast`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.cast(ak.array([1.5, 2.5]), int)
    array([1, 2])
    """
    return wrap(engine.cast(expr_of(x), code_of(dtype)))


def _part(array: ndarray, which: int) -> ndarray:
    step = Part(which)
    return step_into(array, step, step.get(array._read()), False)


def real(val: Any) -> ndarray:
    """The real part, a view; of a real array, itself.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.real(ak.array([1 + 2j]))
    array([1.])
    """
    array = as_array(val)
    return _part(array, 0) if KIND_OF[array._expr.dtype] == "c" else array


def imag(val: Any) -> ndarray:
    """The imaginary part, a view; of a real array, zeros.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.imag(ak.array([1 + 2j]))
    array([2.])
    """
    array = as_array(val)
    if KIND_OF[array._expr.dtype] == "c":
        return _part(array, 1)
    expr = array._read()
    return wrap(engine.full(expr.session, expr.shape, expr.dtype, 0))
