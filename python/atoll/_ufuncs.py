# SPDX-License-Identifier: Apache-2.0
"""NumPy's elementwise functions, made from one table, and those composed of them."""

from __future__ import annotations

import builtins
from typing import Any, Protocol

import numpy as np

from . import _core
from ._array import expr_of, ndarray, require_out, wrap
from ._dtypes import BOOL, DTYPE_OF, KIND_OF, SCALAR_KIND, Casting, code_of, fit_scalar, promote, result_code
from ._elementwise import _SAME_OPERATION, binary, check_output, kind_of, op_of, unary


class UnaryFunction(Protocol):
    """An elementwise function of one array."""

    __name__: str

    def __call__(
        self, x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: Casting = "same_kind"
    ) -> ndarray: ...


class BinaryFunction(Protocol):
    """An elementwise function of two arrays."""

    __name__: str

    def __call__(
        self,
        x1: Any,
        x2: Any,
        /,
        out: Any = None,
        *,
        where: Any = True,
        dtype: Any = None,
        casting: Casting = "same_kind",
    ) -> ndarray: ...


_DOC = """{summary}

Parameters
----------
{operands} : array_like
    {what}
out : ndarray, optional
    Where to put the result.
where : array_like of bool, optional
    Compute only where this is True; elsewhere `out` keeps its elements (without `out` they are 0).
dtype : dtype, optional
    Compute in, and return, this type.

Returns
-------
ndarray
    Lazy: computed when its values are needed.

Examples
--------
>>> import atoll as ak
>>> import numpy as np
>>> {example}
True
"""


def finish(result: ndarray, out: Any, where: Any, name: str, kinds: tuple[int, ...], casting: Casting) -> ndarray:
    """Applies `out` and `where` to the result of an elementwise function."""
    if out is None:
        if where is True:
            return result
        mask, value = expr_of(where), result._expr
        zero = _core.scalar(value.session, 0, value.dtype)
        return wrap(_core.apply(_core.OPS["where"], value.dtype, value.dtype, (mask, value, zero)))
    target = require_out(out)
    value, code = result._expr, target._expr.dtype
    check_output(name, kinds, value.dtype, code, casting)
    if value.dtype != code:
        value = _core.cast(value, code)
    if where is not True:
        value = _core.apply(_core.OPS["where"], code, code, (expr_of(where), value, target._read()))
    if value.shape != target.shape:
        try:
            value = _core.broadcast_to(value, target.shape)
        except ValueError:
            target._store(value)  # the error in NumPy's words
    target._store(value)
    return target


def _given_type(name: str, dtype: Any, operands: tuple[Any, ...], casting: Casting) -> ndarray:
    """The function computed in `dtype`: the operands must be castable to it."""
    code = code_of(dtype)
    types = promote(name, (code,) * len(operands))
    if types.result != code:
        raise TypeError(f"No loop matching the specified signature and casting was found for ufunc {name}")
    exprs = [expr_of(x) for x in operands]
    for operand, expr in zip(operands, exprs, strict=True):
        if type(operand) not in (bool, int, float) and not np.can_cast(DTYPE_OF[expr.dtype], DTYPE_OF[code], casting):
            raise TypeError(
                f"Cannot cast ufunc '{name}' input from {DTYPE_OF[expr.dtype]!r} to {DTYPE_OF[code]!r} "
                f"with casting rule '{casting}'"
            )
    return wrap(_core.apply(op_of(name), code, code, exprs))


def _unary(name: str, summary: str, example: str = "[0.25, 0.5]") -> UnaryFunction:
    compute = unary(name)

    def function(
        x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: Casting = "same_kind"
    ) -> ndarray:
        if out is None and where is True and dtype is None:
            return compute(x)
        result = compute(x) if dtype is None else _given_type(name, dtype, (x,), casting)
        return finish(result, out, where, name, (kind_of(x),), casting)

    function.__name__ = function.__qualname__ = name
    shown = f"bool(ak.allclose(ak.{name}({example}), np.{name}({example})))"
    function.__doc__ = _DOC.format(summary=summary, operands="x", what="Values.", example=shown)
    return function


def _binary(name: str, summary: str, left: str = "[5.0, 6.5]", right: str = "[2.0, 4.0]") -> BinaryFunction:
    compute = binary(name)

    def function(
        x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: Casting = "same_kind"
    ) -> ndarray:
        if out is None and where is True and dtype is None:
            return compute(x1, x2)
        result = compute(x1, x2) if dtype is None else _given_type(name, dtype, (x1, x2), casting)
        return finish(result, out, where, name, (kind_of(x1), kind_of(x2)), casting)

    function.__name__ = function.__qualname__ = name
    shown = f"bool(ak.allclose(ak.{name}({left}, {right}), np.{name}({left}, {right})))"
    function.__doc__ = _DOC.format(
        summary=summary, operands="x1, x2", what="Values; they broadcast against each other.", example=shown
    )
    return function


_ints = ("[5, 6]", "[2, 3]")
_bools = ("[True, False]", "[True, True]")

add = _binary("add", "Sum of two arrays.")
subtract = _binary("subtract", "Difference of two arrays.")
multiply = _binary("multiply", "Product of two arrays.")
divide = _binary("divide", "Quotient of two arrays, in floating point.")
true_divide = divide
floor_divide = _binary("floor_divide", "Largest integer not above the quotient; integers divided by 0 give 0.")
remainder = _binary("remainder", "Remainder with the sign of the divisor, as Python's %; integers modulo 0 give 0.")
mod = remainder
fmod = _binary("fmod", "Remainder with the sign of the dividend, as C's fmod.")
power = _binary("power", "First array to the power of the second.")
pow = power
float_power = _binary("float_power", "First array to the power of the second, always in float64.")
arctan2 = _binary("arctan2", "Angle of the point (x2, x1), in radians.")
hypot = _binary("hypot", "Length of the hypotenuse of a right triangle with these legs.")
logaddexp = _binary("logaddexp", "log(exp(x1) + exp(x2)).")
logaddexp2 = _binary("logaddexp2", "log2(2**x1 + 2**x2).")
maximum = _binary("maximum", "The greater of two; NaN when either is NaN.")
minimum = _binary("minimum", "The lesser of two; NaN when either is NaN.")
fmax = _binary("fmax", "The greater of two; the other when one is NaN.")
fmin = _binary("fmin", "The lesser of two; the other when one is NaN.")
copysign = _binary("copysign", "Magnitude of the first with the sign of the second.")
nextafter = _binary("nextafter", "The next representable value after x1 towards x2.")
heaviside = _binary("heaviside", "0 for negative x1, 1 for positive, x2 at zero.")
ldexp = _binary("ldexp", "x1 times 2 to the power x2.", "[0.5, 1.5]", "[2, 3]")
gcd = _binary("gcd", "Greatest common divisor.", *_ints)
lcm = _binary("lcm", "Least common multiple.", *_ints)
bitwise_and = _binary("bitwise_and", "Bits set in both.", *_ints)
bitwise_or = _binary("bitwise_or", "Bits set in either.", *_ints)
bitwise_xor = _binary("bitwise_xor", "Bits set in one but not both.", *_ints)
left_shift = _binary("left_shift", "Bits of x1 moved left by x2.", *_ints)
bitwise_left_shift = left_shift
right_shift = _binary("right_shift", "Bits of x1 moved right by x2.", *_ints)
bitwise_right_shift = right_shift
greater = _binary("greater", "x1 > x2.")
greater_equal = _binary("greater_equal", "x1 >= x2.")
less = _binary("less", "x1 < x2.")
less_equal = _binary("less_equal", "x1 <= x2.")
equal = _binary("equal", "x1 == x2.")
not_equal = _binary("not_equal", "x1 != x2.")
logical_and = _binary("logical_and", "Whether both are true (not zero).", *_bools)
logical_or = _binary("logical_or", "Whether either is true (not zero).", *_bools)
logical_xor = _binary("logical_xor", "Whether one but not both is true (not zero).", *_bools)

negative = _unary("negative", "-x.")
positive = _unary("positive", "+x.")
absolute = _unary("absolute", "|x|.")
abs = absolute
fabs = _unary("fabs", "|x| in floating point.")
sign = _unary("sign", "-1, 0 or 1 by the sign of x; NaN stays NaN.")
rint = _unary("rint", "Nearest integer, halves to even.")
floor = _unary("floor", "Largest integer not above x.")
ceil = _unary("ceil", "Smallest integer not below x.")
trunc = _unary("trunc", "x without its fraction.")
exp = _unary("exp", "e to the power x.")
exp2 = _unary("exp2", "2 to the power x.")
expm1 = _unary("expm1", "exp(x) - 1, exact for small x.")
log = _unary("log", "Natural logarithm.")
log2 = _unary("log2", "Logarithm to base 2.")
log10 = _unary("log10", "Logarithm to base 10.")
log1p = _unary("log1p", "log(1 + x), exact for small x.")
sqrt = _unary("sqrt", "Square root; NaN for negative numbers.")
square = _unary("square", "x times x.")
cbrt = _unary("cbrt", "Cube root.")
reciprocal = _unary("reciprocal", "1 / x, in the type of x.")
sin = _unary("sin", "Sine of an angle in radians.")
cos = _unary("cos", "Cosine of an angle in radians.")
tan = _unary("tan", "Tangent of an angle in radians.")
arcsin = _unary("arcsin", "Inverse sine, in radians.")
asin = arcsin
arccos = _unary("arccos", "Inverse cosine, in radians.")
acos = arccos
arctan = _unary("arctan", "Inverse tangent, in radians.")
atan = arctan
atan2 = arctan2
sinh = _unary("sinh", "Hyperbolic sine.")
cosh = _unary("cosh", "Hyperbolic cosine.")
tanh = _unary("tanh", "Hyperbolic tangent.")
arcsinh = _unary("arcsinh", "Inverse hyperbolic sine.")
asinh = arcsinh
arccosh = _unary("arccosh", "Inverse hyperbolic cosine.", "[1.5, 2.0]")
acosh = arccosh
arctanh = _unary("arctanh", "Inverse hyperbolic tangent.")
atanh = arctanh
degrees = _unary("degrees", "Radians to degrees.")
rad2deg = degrees
radians = _unary("radians", "Degrees to radians.")
deg2rad = radians
isnan = _unary("isnan", "Whether x is NaN.")
isinf = _unary("isinf", "Whether x is infinite.")
isfinite = _unary("isfinite", "Whether x is neither NaN nor infinite.")
signbit = _unary("signbit", "Whether the sign bit is set: true for -0.0 also.")
logical_not = _unary("logical_not", "Whether x is zero or False.", "[True, False]")
invert = _unary("invert", "All bits flipped; for bool, not.", "[5, 6]")
bitwise_not = invert
bitwise_invert = invert
bitwise_count = _unary("bitwise_count", "Number of bits set in |x|.", "[5, 6]")


def spacing(x: Any, /) -> ndarray:
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


def divmod(x1: Any, x2: Any, /) -> tuple[ndarray, ndarray]:
    """Floor quotient and remainder.

    Examples
    --------
    >>> import atoll as ak
    >>> quotient, rest = ak.divmod(ak.array([7, 8]), 3)
    >>> quotient, rest
    (array([2, 2]), array([1, 2]))
    """
    return floor_divide(x1, x2), remainder(x1, x2)


def modf(x: Any, /) -> tuple[ndarray, ndarray]:
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
        values = values.astype(np.float64)
    whole = trunc(values)
    fraction = where(isinf(values), 0.0, values - whole)
    return copysign(fraction, values), whole


def where(condition: Any, x: Any = None, y: Any = None, /) -> Any:
    """Elements of `x` where the condition holds, of `y` elsewhere; with the condition alone, as `nonzero`.

    Examples
    --------
    >>> import atoll as ak
    >>> a = ak.arange(5)
    >>> ak.where(a > 2, a, -a)
    array([ 0, -1, -2,  3,  4])
    """
    if x is None and y is None:
        from ._selection import nonzero

        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    mask = expr_of(condition)
    kinds = [SCALAR_KIND.get(type(value), 99) for value in (x, y)]
    exprs: list[Any] = [None if kind < 0 else expr_of(value) for kind, value in zip(kinds, (x, y), strict=True)]
    if kinds[0] < 0 and kinds[1] < 0:
        code = int(builtins.max(expr_of(x).dtype, expr_of(y).dtype))
    else:
        code = result_code(*(kind if kind < 0 else expr.dtype for kind, expr in zip(kinds, exprs, strict=True)))
    operands = [
        _core.scalar(mask.session, fit_scalar(value, code), code) if expr is None else expr
        for value, expr in zip((x, y), exprs, strict=True)
    ]
    return wrap(_core.apply(_core.OPS["where"], code, code, (mask, *operands)))


def clip(
    a: Any, a_min: Any = None, a_max: Any = None, out: ndarray | None = None, *, min: Any = None, max: Any = None
) -> ndarray:
    """Elements limited to [a_min, a_max]; None means no limit on that side.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.clip(ak.arange(5), 1, 3)
    array([1, 1, 2, 3, 3])
    """
    low = a_min if min is None else min
    high = a_max if max is None else max
    result = a if type(a) is ndarray else wrap(expr_of(a))
    code = result._expr.dtype
    if KIND_OF[code] in "iu":  # a Python integer beyond the type's range limits nothing
        from ._dtypes import BOUNDS

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


def round(a: Any, decimals: int = 0, out: ndarray | None = None) -> ndarray:
    """Nearest value with so many decimals, halves to even.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.round(ak.array([1.25, 2.5, -0.5]))
    array([ 1.,  2., -0.])
    """
    values = a if type(a) is ndarray else wrap(expr_of(a))
    code, digits = values._expr.dtype, int(decimals)
    if KIND_OF[code] == "f":
        if digits == 0:
            result = rint(values)
        elif digits > 0:
            result = rint(values * 10.0**digits) / 10.0**digits
        else:
            result = rint(values / 10.0**-digits) * 10.0**-digits
    elif digits >= 0 or code == BOOL:
        result = values.copy()
    else:
        result = (rint(values / 10**-digits) * 10**-digits).astype(values.dtype)
    return finish(result, out, True, "round", (), "same_kind")


around = round


def fix(x: Any, out: ndarray | None = None) -> ndarray:
    """Nearest integer towards zero; as `trunc`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fix(ak.array([1.9, -1.9]))
    array([ 1., -1.])
    """
    return trunc(x, out)


def nan_to_num(
    x: Any, copy: bool = True, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> ndarray:
    """NaN and infinities replaced by numbers: 0 and the type's greatest and least values unless given.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.nan_to_num(ak.array([1.0, float("nan")]))
    array([1., 0.])
    """
    values = x if type(x) is ndarray else wrap(expr_of(x))
    if KIND_OF[values._expr.dtype] != "f":
        return values.copy()
    limits = np.finfo(values.dtype)
    high = float(limits.max) if posinf is None else posinf
    low = float(limits.min) if neginf is None else neginf
    result = where(isnan(values), float(nan), values)
    result = where(values == float("inf"), high, result)
    result = where(values == float("-inf"), low, result)
    if not copy and type(x) is ndarray:
        x._store(result._expr)
        return x
    return result


def isclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> ndarray:
    """Whether |a - b| <= atol + rtol * |b|.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.isclose(ak.array([1.0, 2.0]), [1.0 + 1e-9, 2.1])
    array([ True, False])
    """
    x, y = wrap(expr_of(a).alias()), wrap(expr_of(b).alias())
    if KIND_OF[y._expr.dtype] != "f":
        y = y.astype(np.float64)
    close = (absolute(x - y) <= atol + rtol * absolute(y)) & isfinite(y) | (x == y)
    answer: ndarray = close | (isnan(x) & isnan(y)) if equal_nan else close
    return answer


def allclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
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


def isposinf(x: Any) -> ndarray:
    """Whether x is positive infinity.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.isposinf(ak.array([1.0, float("inf")]))
    array([False,  True])
    """
    return equal(x, float("inf"))


def isneginf(x: Any) -> ndarray:
    """Whether x is negative infinity.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.isneginf(ak.array([1.0, float("-inf")]))
    array([False,  True])
    """
    return equal(x, float("-inf"))


def cast_to(x: Any, dtype: Any) -> ndarray:
    """The values in another type, lazily; Arkouda's `cast` is `ak.cast`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.cast(ak.array([1.5, 2.5]), int)
    array([1, 2])
    """
    return wrap(_core.cast(expr_of(x), code_of(dtype)))


#: Ufuncs by NumPy's name, for NumPy calls on our arrays.
BY_NAME: dict[str, Any] = {name: globals()[name] for name in (*_core.OPS, *_SAME_OPERATION) if name in globals()}
BY_NAME.update(divmod=divmod, modf=modf, spacing=spacing)
