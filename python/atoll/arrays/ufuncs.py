# SPDX-License-Identifier: Apache-2.0
"""NumPy's elementwise functions, one line each, which makes the function public, documented and tested.

All names but those that begin with an underscore are exported.
"""

from .functions import binary_function as _binary
from .functions import unary_function as _unary

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
conjugate = _unary("conjugate", "The complex conjugate; x itself when it is real.")
conj = conjugate
absolute = _unary("absolute", "Magnitude of x.")
abs = absolute
fabs = _unary("fabs", "Magnitude of x in floating point.")
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
sinc = _unary("sinc", "sin(pi x) / (pi x), 1 at 0.")
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
bitwise_count = _unary("bitwise_count", "Number of bits set in the magnitude of x.", "[5, 6]")
