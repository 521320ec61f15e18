# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of complex numbers: a rule for each elementwise operation, composed of operations on the parts.

Square roots and functions composed of them: W. Kahan, Branch Cuts for Complex Elementary Functions, 1987.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import engine
from .array import wrap
from .composed import choose
from .pair import Pair
from .ufuncs import (
    absolute,
    arcsinh,
    arctan2,
    copysign,
    cos,
    cosh,
    equal,
    exp,
    expm1,
    hypot,
    isfinite,
    isinf,
    isnan,
    less,
    less_equal,
    log,
    log1p,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    not_equal,
    rint,
    sin,
    sinh,
    sqrt,
    tan,
)  # fmt: skip

if TYPE_CHECKING:
    from ..annotations import ArrayLike
    from .ndarray import ndarray

Parts = tuple[Any, Any]

_INF = math.inf


def _rule(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a function of parts as the rule of an operation: it returns parts, or a real array."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        def apply(*operands: Pair) -> Any:
            found = function(*((wrap(one.re.alias()), wrap(one.im.alias())) for one in operands))
            return Pair(found[0]._read(), found[1]._read()) if type(found) is tuple else found._read()

        engine.RULES[name] = apply
        return function

    return register


def _times_i(z: Parts) -> Parts:
    return -z[1], z[0]


def _over_i(z: Parts) -> Parts:
    return z[1], -z[0]


def _scaled(z: Parts, factor: float) -> Parts:
    return z[0] * factor, z[1] * factor


# -- parts --


@_rule("conjugate")
def _conjugate(z: Parts) -> Parts:
    return +z[0], -z[1]


@_rule("absolute")
def _absolute(z: Parts) -> ndarray:
    return hypot(z[0], z[1])


@_rule("sign")
def _sign(z: Parts) -> Parts:
    size = _absolute(z)
    zero = equal(size, 0)
    length = choose(zero, 1.0, size)
    return choose(zero, 0.0, z[0] / length), choose(zero, 0.0, z[1] / length)


def _each(name: str, action: Callable[[Any], Any]) -> None:
    _rule(name)(lambda z: (action(z[0]), action(z[1])))


_each("negative", lambda part: -part)
_each("positive", lambda part: +part)
_each("rint", rint)


# -- arithmetic --


@_rule("add")
def _add(a: Parts, b: Parts) -> Parts:
    return a[0] + b[0], a[1] + b[1]


@_rule("subtract")
def _subtract(a: Parts, b: Parts) -> Parts:
    return a[0] - b[0], a[1] - b[1]


@_rule("multiply")
def _multiply(a: Parts, b: Parts) -> Parts:
    return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]


@_rule("square")
def _square(z: Parts) -> Parts:
    return z[0] * z[0] - z[1] * z[1], z[0] * z[1] + z[1] * z[0]


@_rule("divide")
def _divide(a: Parts, b: Parts) -> Parts:
    """Smith's method: divides by the larger part first, so that no intermediate result overflows."""
    wide = less_equal(absolute(b[1]), absolute(b[0]))
    zero = equal(b[0], 0) & equal(b[1], 0)
    large, small = choose(wide, b[0], b[1]), choose(wide, b[1], b[0])
    ratio = choose(zero, 0.0, small / large)
    scale = 1.0 / choose(zero, absolute(large), large + small * ratio)
    first, second = choose(wide, a[0], a[1]), choose(wide, a[1], a[0])
    re = (first + second * ratio) * scale
    im = (second - first * ratio) * scale
    return re, choose(wide, im, -im)


@_rule("reciprocal")
def _reciprocal(z: Parts) -> Parts:
    wide = less(absolute(z[1]), absolute(z[0]))
    large, small = choose(wide, z[0], z[1]), choose(wide, z[1], z[0])
    ratio = small / large
    scale = large + small * ratio
    one, other = 1.0 / scale, ratio / scale
    return choose(wide, one, other), choose(wide, -other, -one)


@_rule("power")
def _power(a: Parts, b: Parts) -> Parts:
    if b[0].size == 1 and a[0].size >= 1:
        # A small integer exponent: repeated squaring, as in NumPy, which is more exact than logarithms.
        exponent = complex(b[0].item(), b[1].item())
        if exponent.imag == 0 and exponent.real == int(exponent.real if math.isfinite(exponent.real) else 0.5) and (
            abs(exponent.real) < 100
        ):  # fmt: skip
            return _whole_power(a, b, int(exponent.real))
    logarithm = _log(a)
    found = _exp(_multiply(b, logarithm))
    base_zero = equal(a[0], 0) & equal(a[1], 0)
    power_zero = equal(b[0], 0) & equal(b[1], 0)
    grows = less(0, b[0])
    at_zero = choose(power_zero, 1.0, choose(grows, 0.0, math.nan)), choose(power_zero | grows, 0.0, math.nan)
    return (
        choose(power_zero, 1.0, choose(base_zero, at_zero[0], found[0])),
        choose(power_zero, 0.0, choose(base_zero, at_zero[1], found[1])),
    )


def _whole_power(a: Parts, b: Parts, exponent: int) -> Parts:
    shape, base, left = b[0].shape, a, abs(exponent)
    result: Parts | None = None
    while left:
        if left & 1:
            result = base if result is None else _multiply(result, base)
        left >>= 1
        if left:
            base = _square(base)
    if result is None:
        session, code = a[0]._expr.session, a[0]._expr.dtype
        one, zero = (wrap(engine.full(session, a[0].shape, code, number)) for number in (1, 0))
        result = one, zero
    if exponent < 0:
        result = _reciprocal(result)
    if len(shape) > a[0].ndim:  # the exponent has more axes, of length 1
        result = result[0].reshape(shape), result[1].reshape(shape)
    return result


# -- comparisons: by real part, then imaginary part --


@_rule("equal")
def _equal(a: Parts, b: Parts) -> ndarray:
    return equal(a[0], b[0]) & equal(a[1], b[1])


@_rule("not_equal")
def _not_equal(a: Parts, b: Parts) -> ndarray:
    return not_equal(a[0], b[0]) | not_equal(a[1], b[1])


def _before(strict: Callable[..., Any]) -> Callable[[Parts, Parts], ndarray]:
    def compare(a: Parts, b: Parts) -> ndarray:
        known = logical_not(isnan(a[1]) | isnan(b[1]))
        return (less(a[0], b[0]) & known) | (equal(a[0], b[0]) & strict(a[1], b[1]))

    return compare


_less, _less_equal = _rule("less")(_before(less)), _rule("less_equal")(_before(less_equal))
_rule("greater")(lambda a, b: _less(b, a))
_rule("greater_equal")(lambda a, b: _less_equal(b, a))


def _where(condition: ArrayLike, a: Parts, b: Parts) -> Parts:
    return choose(condition, a[0], b[0]), choose(condition, a[1], b[1])


def _where_rule(condition: Any, a: Pair, b: Pair) -> Pair:
    def part(x: Any, y: Any) -> Any:
        return engine.apply(engine.OPS["where"], x.dtype, x.dtype, (condition, x, y))

    return Pair(part(a.re, b.re), part(a.im, b.im))


engine.RULES["where"] = _where_rule


def _unknown(z: Parts) -> ndarray:
    return isnan(z[0]) | isnan(z[1])


_rule("maximum")(lambda a, b: _where(_less_equal(b, a) | _unknown(a), a, b))
_rule("minimum")(lambda a, b: _where(_less_equal(a, b) | _unknown(a), a, b))
_rule("fmax")(lambda a, b: _where(_less_equal(b, a) | _unknown(b), a, b))
_rule("fmin")(lambda a, b: _where(_less_equal(a, b) | _unknown(b), a, b))


# -- predicates --

_rule("isnan")(_unknown)
_rule("isinf")(lambda z: logical_or(isinf(z[0]), isinf(z[1])))
_rule("isfinite")(lambda z: logical_and(isfinite(z[0]), isfinite(z[1])))


def _truth(z: Parts) -> ndarray:
    return not_equal(z[0], 0) | not_equal(z[1], 0)


_rule("logical_not")(lambda z: logical_not(_truth(z)))
_rule("logical_and")(lambda a, b: logical_and(_truth(a), _truth(b)))
_rule("logical_or")(lambda a, b: logical_or(_truth(a), _truth(b)))
_rule("logical_xor")(lambda a, b: logical_xor(_truth(a), _truth(b)))


# -- powers of e, and logarithms --


@_rule("exp")
def _exp(z: Parts) -> Parts:
    size = exp(z[0])
    flat = equal(z[1], 0)
    nothing = equal(z[0], -_INF) & logical_not(isfinite(z[1]))  # 0, whatever the direction
    re = choose(nothing, 0.0, choose(flat, size, size * cos(z[1])))
    return choose(equal(z[0], _INF) & logical_not(isfinite(z[1])), _INF, re), choose(
        nothing, 0.0, choose(flat, z[1], size * sin(z[1]))
    )


@_rule("expm1")
def _expm1(z: Parts) -> Parts:
    half = sin(z[1] / 2)
    found = expm1(z[0]) * cos(z[1]) - 2 * half * half
    lost = logical_not(isfinite(z[1]))
    re = choose(lost & equal(z[0], -_INF), -1.0, choose(lost & equal(z[0], _INF), _INF, found))
    return re, _exp(z)[1]


_rule("exp2")(lambda z: _exp(_scaled(z, math.log(2))))


@_rule("log")
def _log(z: Parts) -> Parts:
    across, along = absolute(z[0]), absolute(z[1])
    large, small = maximum(across, along), minimum(across, along)
    # Near the unit circle the logarithm of the absolute value would lose digits.
    near = (large > 0.5) & (large < 1.5) & (small < 1.5)
    close = 0.5 * log1p((large - 1) * (large + 1) + small * small)
    return choose(near, close, log(hypot(z[0], z[1]))), arctan2(z[1], z[0])


@_rule("log1p")
def _log1p(z: Parts) -> Parts:
    small = (absolute(z[0]) < 0.5) & (absolute(z[1]) < 0.5)
    far, angle = _log((z[0] + 1, z[1]))
    return choose(small, 0.5 * log1p(z[0] * (z[0] + 2) + z[1] * z[1]), far), angle


_rule("log2")(lambda z: _scaled(_log(z), 1 / math.log(2)))
_rule("log10")(lambda z: _scaled(_log(z), 1 / math.log(10)))


@_rule("sqrt")
def _sqrt(z: Parts) -> Parts:
    across = absolute(z[0])
    # Halve before adding, and scale large or small numbers by a power of 4, so that nothing overflows or underflows.
    size = maximum(across, absolute(z[1]))
    tiny = size < 1e-30
    up = choose(tiny, 2.0**100, 1.0).astype(z[0].dtype)
    a, b = across * up, z[1] * up
    root = sqrt(0.5 * a + 0.5 * hypot(a, b)) / sqrt(up)
    zero = equal(root, 0)
    other = absolute(z[1]) / choose(zero, 1.0, root + root)
    left = less(z[0], 0)
    re = choose(left, other, root)
    im = choose(left, copysign(root, z[1]), copysign(other, z[1]))
    # Infinities have their own limits.
    endless = isinf(z[1])
    far_left, far_right = equal(z[0], -_INF), equal(z[0], _INF)
    re = choose(endless, _INF, choose(far_left, choose(isnan(z[1]), math.nan, 0.0), choose(far_right, _INF, re)))
    flat = choose(isnan(z[1]), z[1], copysign(0.0 * up, z[1]))
    im = choose(endless, z[1], choose(far_left, copysign(_INF * up, z[1]), choose(far_right, flat, im)))
    return re, im


# -- angles --


@_rule("sinh")
def _sinh(z: Parts) -> Parts:
    lost = (equal(z[0], 0) | isinf(z[0])) & logical_not(isfinite(z[1]))  # the real part keeps its limit
    return choose(lost, z[0], sinh(z[0]) * cos(z[1])), choose(equal(z[1], 0), z[1], cosh(z[0]) * sin(z[1]))


@_rule("cosh")
def _cosh(z: Parts) -> Parts:
    lost = logical_not(isfinite(z[1]))
    im = choose(equal(z[0], 0) & lost, 0.0, sinh(z[0]) * sin(z[1]))
    return (
        choose(isinf(z[0]) & lost, _INF, cosh(z[0]) * cos(z[1])),
        choose(equal(z[1], 0), z[1] * copysign(1.0, z[0]), im),
    )


@_rule("tanh")
def _tanh(z: Parts) -> Parts:
    far = absolute(z[0]) > 22
    x = choose(far, 0.0, z[0])
    t, s = tan(z[1]), sinh(x)
    beta, rho = 1 + t * t, sqrt(1 + s * s)
    scale = 1 + beta * s * s
    decay = exp(-2 * absolute(z[0]))
    steep = isinf(t)
    re = choose(steep, rho / choose(equal(s, 0), 1.0, s), beta * rho * s / scale)
    im = choose(equal(z[1], 0), z[1], choose(steep, 1 / t, t / scale))
    endless = isinf(z[0])
    lost = logical_not(isfinite(z[1]) | endless | equal(z[0], 0))
    re = choose(far, copysign(1.0, z[0]), choose(equal(z[0], 0), z[0], re))
    far_im = choose(endless, copysign(0.0, z[1]), 4 * sin(z[1]) * cos(z[1]) * decay)
    return choose(lost, math.nan, re), choose(far, far_im, im)


_rule("sin")(lambda z: _over_i(_sinh(_times_i(z))))
_rule("cos")(lambda z: _cosh(_times_i(z)))
_rule("tan")(lambda z: _over_i(_tanh(_times_i(z))))


def _around_one(z: Parts) -> tuple[Parts, Parts]:
    """The square roots of 1 - z and 1 + z."""
    return _sqrt((1 - z[0], -z[1])), _sqrt((1 + z[0], z[1]))


def _limits(z: Parts, re: Any, im: Any, at_infinity: Parts, on_axis: Parts) -> Parts:
    """The parts, replaced by their limits where z is infinite, or has a part 0 beside a NaN."""
    endless, axis = isinf(z[0]) | isinf(z[1]), equal(z[0], 0) & isnan(z[1])
    return tuple(
        choose(endless, limit, choose(axis, other, part))
        for part, limit, other in zip((re, im), at_infinity, on_axis, strict=True)
    )  # type: ignore[return-value]


@_rule("arcsin")
def _arcsin(z: Parts) -> Parts:
    below, above = _around_one(z)
    re = arctan2(z[0], below[0] * above[0] - below[1] * above[1])
    im = arcsinh(below[0] * above[1] - below[1] * above[0])
    far = arctan2(z[0], absolute(z[1])), copysign(_INF, z[1])
    return _limits(z, re, im, far, (z[0], z[1]))


@_rule("arccos")
def _arccos(z: Parts) -> Parts:
    below, above = _around_one(z)
    re, im = 2 * arctan2(below[0], above[0]), arcsinh(above[0] * below[1] - above[1] * below[0])
    far = arctan2(absolute(z[1]), z[0]), -copysign(_INF, z[1])
    return _limits(z, re, im, far, (math.pi / 2, z[1]))


@_rule("arccosh")
def _arccosh(z: Parts) -> Parts:
    below, above = _sqrt((z[0] - 1, z[1])), _sqrt((z[0] + 1, z[1]))
    re, im = arcsinh(below[0] * above[0] + below[1] * above[1]), 2 * arctan2(below[1], above[0])
    return _limits(z, re, im, (_INF, arctan2(z[1], z[0])), (z[1], math.pi / 2))


_rule("arcsinh")(lambda z: _over_i(_arcsin(_times_i(z))))


@_rule("arctanh")
def _arctanh(z: Parts) -> Parts:
    far = maximum(absolute(z[0]), absolute(z[1])) > 1e8
    x, y = choose(far, 0.0, z[0]), choose(far, 0.0, z[1])
    re = choose(far, _reciprocal(z)[0], 0.25 * log1p(4 * x / ((1 - x) * (1 - x) + y * y)))
    turned = choose(isnan(z[1]), z[1], copysign(math.pi / 2, z[1]))
    im = choose(far, turned, 0.5 * arctan2(2 * y, (1 - x) * (1 + x) - y * y))
    return _limits(z, re, im, (copysign(0.0, z[0]), turned), (z[0], z[1]))


_rule("arctan")(lambda z: _over_i(_arctanh(_times_i(z))))


@_rule("sinc")
def _sinc(z: Parts) -> Parts:
    turned = _scaled(z, math.pi)
    zero = equal(z[0], 0) & equal(z[1], 0)
    found = _divide(_over_i(_sinh(_times_i(turned))), turned)
    return choose(zero, 1.0, found[0]), choose(zero, 0.0, found[1])
