# SPDX-License-Identifier: Apache-2.0
"""Elementwise functions and operators against NumPy: types, values, scalars, out= and where=."""

import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracle import DTYPES, FLOATS, INTEGERS, same, values

import atoll as ak
from atoll import _core
from atoll.arrays import functions
from atoll.arrays.dtypes import FLOAT64, INT64, UINT64, Promotion, promote
from atoll.arrays.elementwise import SAME_OPERATION

pytestmark = pytest.mark.usefixtures("one_session")

UNARY = [*functions.UNARY, "spacing"]
#: Their second operands are of another type, or have to be small.
CHOSEN = {"ldexp", "power", "left_shift", "right_shift"}
BINARY = [name for name in functions.BINARY if name not in CHOSEN]
COMPARISONS = ["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"]
#: What the engine has for its own use.
PRIVATE = {"cast", "where", "unit_interval", "multiply_high"}
#: Transcendental functions may differ from NumPy's in the last bits.
ULPS = 8


def quietly(function, *args, **kwargs):
    with np.errstate(all="ignore"):
        return function(*args, **kwargs)


def compare(name, *operands, ulps=ULPS, **options):
    """Both answers, or both the same kind of error."""
    try:
        expected = quietly(getattr(np, name), *operands, **options)
    except (TypeError, ValueError, OverflowError) as error:
        with pytest.raises(type(error) if type(error).__module__ == "builtins" else TypeError):
            getattr(ak, name)(*[ak.array(x) if isinstance(x, np.ndarray) else x for x in operands], **options)
        return
    found = getattr(ak, name)(*[ak.array(x) if isinstance(x, np.ndarray) else x for x in operands], **options)
    if np.asarray(expected).dtype == np.float16:  # float32 here
        wide = [x.astype(np.float32) if isinstance(x, np.ndarray) else x for x in operands]
        expected = quietly(getattr(np, name), *wide, **options).astype(np.float32)
    same(found, expected, ulps)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", UNARY)
def test_unary(name, dtype):
    x = values(dtype, 37)
    if name == "reciprocal" and np.dtype(dtype).kind in "iu":
        x[x == 0] = 1  # what NumPy makes of 1 // 0 depends on the type
    compare(name, x)


@pytest.mark.parametrize("left", DTYPES)
@pytest.mark.parametrize("name", BINARY)
def test_binary_of_all_types(name, left):
    for right in DTYPES:
        compare(name, values(left, 37), values(right, 37, seed=1))


def test_every_operation_of_the_engine_is_public():
    made = {*functions.UNARY, *functions.BINARY}
    assert set(_core.OPS) - {SAME_OPERATION.get(name, name) for name in made} == PRIVATE
    assert made <= set(ak.__all__)


def test_dtypes_of_functions_that_are_not_ufuncs():
    assert promote("sinc", (INT64,)) == Promotion(FLOAT64, FLOAT64, 0, 0)  # as np.sinc
    assert promote("multiply_high", (UINT64, UINT64)) == Promotion(UINT64, UINT64, 0, 0)  # there is none: as operands
    assert promote("unit_interval", (UINT64,)) == Promotion(UINT64, FLOAT64, 0, 0)  # as the engine says


@pytest.mark.parametrize("name", ["left_shift", "right_shift"])
def test_shifts(name):
    for dtype in INTEGERS:
        compare(name, values(dtype, 20, special=False), np.arange(20).astype(dtype) % 7)


def test_power():
    for dtype in [*INTEGERS, *FLOATS]:
        base = values(dtype, 20, special=False)
        compare("power", base, (np.arange(20) % 4).astype(dtype))
        compare("power", base, 2)
        compare("power", base, 0.5)
    with pytest.raises(ValueError, match="negative integer powers"):
        ak.arange(3) ** -1
    with pytest.raises(ValueError, match="negative integer powers"):
        ak.arange(3) ** ak.array([1, -1, 2])
    same(ak.arange(3) ** np.int64(2), np.arange(3) ** 2)


@pytest.mark.parametrize("exponent", [2, 1, 0.5, -1, np.float64(2), np.int32(2), 3])
@pytest.mark.parametrize("dtype", FLOATS)
def test_powers_that_are_other_functions(dtype, exponent):
    base = np.array([0.0, -0.0, 1.5, -2, np.inf, -np.inf, np.nan, np.finfo(dtype).max, np.finfo(dtype).tiny], dtype)
    with np.errstate(all="ignore"):
        expected = base**exponent
    same(ak.array(base) ** exponent, expected, ulps=1)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_quotients_by_one_number(dtype):
    limits = np.iinfo(dtype)
    rng = np.random.default_rng(1)
    numbers = [limits.min, limits.max, 0, 1, limits.min + 1, limits.max - 1]
    numbers = np.append(rng.integers(limits.min, limits.max, 200, dtype, endpoint=True), np.array(numbers, dtype))
    some = rng.integers(1, limits.max, 10, dtype)
    for divisor in (0, 1, 2, 3, 7, 10, 60, 64, 100, limits.max, limits.max // 2 + 1, limits.min, limits.min + 1, *some):
        one = np.dtype(dtype).type(divisor)
        with np.errstate(all="ignore"):
            same(ak.array(numbers) // one, numbers // one)
            same(ak.array(numbers) % one, numbers % one)


def test_ldexp():
    compare("ldexp", values("float64", 20), np.arange(20) - 10)
    compare("ldexp", values("float32", 20), 3)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["add", "multiply", "divide", "maximum", "remainder", *COMPARISONS])
@pytest.mark.parametrize(
    "scalar", [True, 3, -2, 300, 2**40, 2.5, np.int8(3), np.uint64(2**63), np.float32(1.5), np.float64(-1)]
)
def test_scalars(name, dtype, scalar):
    x = values(dtype, 20)
    compare(name, x, scalar)
    compare(name, scalar, x)


def test_int64_against_uint64_is_exact():
    x = np.array([-1, 0, 2**62, 2**63 - 1], np.int64)
    y = np.array([2**64 - 1, 0, 2**62 + 1, 2**63], np.uint64)
    for name in COMPARISONS:
        compare(name, x, y)
        compare(name, y, x)


@pytest.mark.parametrize("op", ["add", "sub", "mul", "truediv", "floordiv", "mod", "lt", "le", "gt", "ge", "eq", "ne"])
def test_operators(op):
    function = getattr(operator, op)
    x, y = values("float64", 30), values("int32", 30, special=False)
    for left, right in ((x, y), (y, x), (x, 2), (2, x), (y, 3.5)):
        a, b = (ak.array(v) if isinstance(v, np.ndarray) else v for v in (left, right))
        same(function(a, b), quietly(function, left, right), 2)


@pytest.mark.parametrize("op", ["and_", "or_", "xor", "lshift", "rshift"])
def test_bit_operators(op):
    function = getattr(operator, op)
    x, y = np.arange(20), np.arange(20) % 5
    same(function(ak.array(x), ak.array(y)), function(x, y))
    same(function(7, ak.array(y)), function(7, y))
    if op != "lshift" and op != "rshift":
        same(function(ak.array(x > 3), ak.array(y > 2)), function(x > 3, y > 2))


def test_unary_operators_and_divmod():
    x = np.array([-7, 3, 8])
    a = ak.array(x)
    for function in (operator.neg, operator.pos, operator.abs, operator.invert):
        same(function(a), function(x))
    same(round(a), x)
    same(divmod(a, 3), divmod(x, 3))
    same(divmod(100, a), divmod(100, x))
    same(ak.modf(ak.array([1.5, -2.25, np.inf])), np.modf([1.5, -2.25, np.inf]))


def test_broadcasting():
    x, y = np.arange(12).reshape(3, 4), np.arange(3).reshape(3, 1)
    same(ak.array(x) + ak.array(y), x + y)
    same(ak.array(x) + np.arange(4), x + np.arange(4))
    same(ak.array(y) + ak.arange(4), y + np.arange(4))
    same(ak.arange(3) + [1, 2, 3], np.arange(3) + [1, 2, 3])  # noqa: RUF005
    with pytest.raises(ValueError, match="could not be broadcast together"):
        ak.arange(3) + ak.arange(4)


def test_out_where_and_dtype():
    x, y = values("float64", 20, special=False), values("float64", 20, seed=3, special=False)
    out = np.zeros(20)
    mine = ak.zeros(20)
    assert ak.add(ak.array(x), y, out=mine) is mine
    same(mine, np.add(x, y, out=out))
    ak.multiply(ak.array(x), y, out=mine, where=x > 0)
    same(mine, np.multiply(x, y, out=out, where=x > 0))
    same(ak.add(ak.arange(3), 1, dtype=np.float32), np.add(np.arange(3), 1, dtype=np.float32, casting="same_kind"))
    same(ak.sqrt(ak.arange(3), dtype=np.float32), np.sqrt(np.arange(3), dtype=np.float32, casting="same_kind"))
    with pytest.raises(TypeError, match="same_kind"):
        ak.add(ak.ones(3), 1.5, out=ak.arange(3))
    with pytest.raises(ValueError, match="non-broadcastable output"):
        ak.add(ak.ones(3), 1.5, out=ak.ones(2))
    with pytest.raises(TypeError, match=r"ak\.ndarray"):
        ak.add(ak.ones(3), 1.5, out=np.ones(3))


@pytest.mark.parametrize("op", ["iadd", "isub", "imul", "itruediv", "ifloordiv", "imod"])
def test_in_place(op):
    function = getattr(operator, op)
    for dtype in ("int64", "float32", "float64"):
        x = values(dtype, 20, special=False)
        a = ak.array(x)
        before, earlier = a, a * 2
        expected_earlier = x * 2
        try:
            x = quietly(function, x, 3)
        except TypeError:
            with pytest.raises(TypeError, match="Cannot cast ufunc"):
                function(a, 3)
            continue
        a = function(a, 3)
        assert a is before
        same(a, x)
        same(earlier, expected_earlier)


def test_in_place_rules():
    a = ak.arange(5)
    with pytest.raises(TypeError, match="same_kind"):
        a += 1.5
    with pytest.raises(ValueError, match="non-broadcastable output operand"):
        a += ak.ones((2, 5), int)
    same(a, np.arange(5))
    a += a
    a *= a
    same(a, (2 * np.arange(5)) ** 2)
    b = ak.arange(5, dtype=np.int8)
    with pytest.raises(OverflowError):
        b += 300
    same(b, np.arange(5, dtype=np.int8))


def test_lazy_values_do_not_depend_on_when_they_are_computed():
    a = ak.arange(10)
    b = a + 1
    c = b * 2
    a += 100
    b[3] = -5
    same(c, (np.arange(10) + 1) * 2)
    a[...] = 0
    expected = np.arange(10) + 1
    expected[3] = -5
    same(b, expected)
    same(b, expected)


def test_where_clip_round():
    x, y = values("float64", 20), values("int64", 20)
    for a, b in ((x, y), (x, 0), (1, y), (2.5, y), (True, False), (1, 2.5), (np.float32(1), y), (3, 4)):
        expected = np.where(x > 0, a, b)
        same(ak.where(ak.array(x) > 0, *(ak.array(v) if isinstance(v, np.ndarray) else v for v in (a, b))), expected)
    same(ak.where(ak.array(y)), np.where(y))
    for low, high in ((None, 3), (-1, None), (-2, 2), (-2.5, 2.5)):
        same(ak.clip(ak.array(x), low, high), np.clip(x, low, high))
        same(ak.array(y).clip(low, high), y.clip(low, high))
    same(ak.clip(ak.arange(5, dtype=np.uint8), -1, 300), np.arange(5, dtype=np.uint8))
    for decimals in (0, 1, 2, -1):
        same(ak.round(ak.array(x), decimals), np.round(x, decimals), 2)
        same(ak.array(y % 1000).round(decimals), (y % 1000).round(decimals))
    same(ak.nan_to_num(ak.array(x)), np.nan_to_num(x))
    same(ak.isclose(ak.array(x), x, equal_nan=True), np.isclose(x, x, equal_nan=True))
    assert ak.allclose(x, x, equal_nan=True) and not ak.allclose(x, x + 1)


@given(
    hnp.arrays(st.sampled_from([np.int16, np.int64, np.float32, np.float64]), hnp.array_shapes(max_dims=3, max_side=5)),
    st.sampled_from(["add", "multiply", "less", "maximum", "subtract"]),
    st.one_of(st.integers(-100, 100), st.floats(-10, 10)),
)
def test_random_operands(x, name, scalar):
    compare(name, x, scalar)
    compare(name, x, x)
    compare(name, scalar, x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_astype(dtype):
    for target in DTYPES:
        x = values(dtype, 20, special=False)
        same(ak.array(x).astype(target), quietly(x.astype, target))
    with pytest.raises(TypeError, match="Cannot cast"):
        ak.ones(3).astype(int, casting="same_kind")


def test_wrong_operands():
    a = ak.arange(3)
    for other in (None, "x", {}, object()):
        with pytest.raises(TypeError):
            a + other
    for call in (lambda: a // 1j, lambda: a % 1j, lambda: ak.cbrt(a * 1j), lambda: ak.floor(a * 1j)):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(TypeError):
        ak.ones(3) & 1
    with pytest.raises(TypeError, match="boolean subtract"):
        ak.ones(3, bool) - ak.ones(3, bool)
    with pytest.raises(TypeError):
        -ak.ones(3, bool)
    assert (a == ak.arange(3)).all()
    with pytest.raises(TypeError):
        hash(a)
