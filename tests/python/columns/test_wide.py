# SPDX-License-Identifier: Apache-2.0
"""Columns of values wider than 64 bits, against Python's int and Decimal and Arrow."""

import decimal
import operator
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kinds import check_as_column, each, rowwise
from texts import same

import atoll as ak

pytestmark = pytest.mark.usefixtures("two_sessions")

big = (
    st.integers(-(2**200), 2**200)
    | st.integers(-9, 9)
    | st.sampled_from([2**63, -(2**63), 2**64 - 1, 2**128, -(2**127)])
)
bigs = st.lists(st.none() | big, min_size=1, max_size=12)


def decimals_of(digits, scale):
    numbers = st.integers(-(10**digits) + 1, 10**digits - 1).map(lambda n: Decimal(n).scaleb(-scale))
    return st.lists(st.none() | numbers, min_size=1, max_size=12)


@given(bigs)
def test_big_integers_as_a_column(values):
    column = check_as_column(ak.bigint, values, 7)
    same(column.astype(str), each(values, str))
    assert column.sum() == sum(value for value in values if value is not None)
    halves = [sum(v for v in values[k::2] if v is not None) for k in range(min(len(values), 2))]
    same(ak.groupby(ak.array(np.arange(len(values)) % 2)).sum(column), halves)
    limbs = column.dropna()
    same(
        ak.bigint_from_uint_arrays((limbs & (2**192 - 1)).bigint_to_uint_arrays()),
        [v % 2**192 for v in values if v is not None],
    )


@given(st.lists(st.tuples(st.none() | big, big.filter(bool)), min_size=1, max_size=12))
def test_arithmetic_of_big_integers(pairs):
    left, right = map(list, zip(*pairs, strict=True))
    a, b = ak.bigint(left), ak.bigint(right)
    for name in ("add", "sub", "mul", "floordiv", "mod", "and_", "or_", "xor"):
        operation = getattr(operator, name)
        same(operation(a, b), rowwise(left, right, operation))
        same(operation(a, right[0]), each(left, lambda v, op=operation: op(v, right[0])))
        same(operation(5, b), each(right, lambda v, op=operation: op(5, v)))
    shifts = [abs(v) % 150 for v in right]
    same(a << ak.array(shifts), rowwise(left, shifts, operator.lshift))
    same(a >> ak.array(shifts), rowwise(left, shifts, operator.rshift))
    small = [s % 7 for s in shifts]
    same(a ** ak.array(small), rowwise(left, small, operator.pow))
    for operation in (operator.neg, operator.invert, abs):
        same(operation(a), each(left, operation))


@given(st.integers(1, 140), st.lists(st.tuples(big, big.filter(bool)), min_size=1, max_size=8))
def test_big_integers_of_some_bits(bits, pairs):
    left, right = map(list, zip(*pairs, strict=True))
    own = [value % 2**bits for value in left]
    a = ak.bigint(left, max_bits=bits)
    same(a, own)
    for name in ("add", "sub", "mul"):
        operation = getattr(operator, name)
        same(operation(a, ak.bigint(right)), [operation(x, y) % 2**bits for x, y in zip(own, right, strict=True)])
    same(a**5, [x**5 % 2**bits for x in own])
    same(a << 3, [(x << 3) % 2**bits for x in own])
    same(~a, [~x % 2**bits for x in own])
    same(a.rotl(5), [((x << 5 % bits) | (x >> (bits - 5 % bits))) % 2**bits for x in own])
    same(a.rotr(5).rotl(5), own)


def test_array_makes_big_integers_where_64_bits_do_not_do():
    assert isinstance(ak.array([2**64, 1]), ak.BigInts)
    assert isinstance(ak.array([2**63, 1]), ak.ndarray)
    same(ak.bigint(np.array([2**63, 5], np.uint64)), [2**63, 5])
    same(ak.bigint(ak.array([-5, 7])), [-5, 7])
    same(ak.bigint([-3, 200]).astype(np.int16), [-3, 200])
    assert repr(ak.bigint([2**70, None], max_bits=80)) == "bigints([1180591620717411303424, None], max_bits=80)"
    assert ak.bigint([1, 2**70]).to_arrow().to_pylist() == [1, 2**70]


@given(decimals_of(30, 6))
def test_decimals_as_a_column(values):
    column = check_as_column(ak.decimals, values, Decimal("2.5"))
    arrow = column.to_arrow()
    arrow.validate(full=True)
    assert arrow.to_pylist() == values
    same(ak.array(arrow), values)
    same(ak.array(arrow[1:]), values[1:])
    with decimal.localcontext(prec=80):
        same(column.astype(str), each(values, lambda v: format(v.quantize(Decimal(1).scaleb(-column.scale)), "f")))
    same(ak.decimals(column.astype(str).to_list()), values)
    with decimal.localcontext(prec=80):
        assert column.sum() == sum((v for v in values if v is not None), Decimal(0))
        halves = [sum((v for v in values[k::2] if v is not None), Decimal(0)) for k in range(min(len(values), 2))]
    same(ak.groupby(ak.array(np.arange(len(values)) % 2)).sum(column), halves)
    floats = [value for value in column.astype(float).tolist() if value is not None]
    assert floats == pytest.approx([float(value) for value in values if value is not None], rel=1e-14)


@given(decimals_of(12, 3), decimals_of(9, 5))
def test_arithmetic_of_decimals_is_that_of_arrow(left, right):
    n = min(len(left), len(right))
    left, right = left[:n], right[:n]
    x, y = pa.array(left, pa.decimal128(12, 3)), pa.array(right, pa.decimal128(9, 5))
    a, b = ak.array(x), ak.array(y)
    for ours, arrow in ((operator.add, pc.add), (operator.sub, pc.subtract), (operator.mul, pc.multiply)):
        found, expected = ours(a, b), arrow(x, y)
        same(found, expected.to_pylist())
        assert found.to_arrow().type == expected.type
    nonzero = [None if v == 0 else v for v in right]
    found, expected = a / ak.array(pa.array(nonzero, y.type)), pc.divide(x, pa.array(nonzero, y.type))
    same(found, expected.to_pylist())
    assert found.to_arrow().type == expected.type
    same(a + 1, each(left, lambda v: v + 1))
    same(2 - a, each(left, lambda v: 2 - v))
    same(-a, each(left, operator.neg))
    same(abs(a), each(left, abs))
    same(a.round(1), each(left, lambda v: v.quantize(Decimal("0.1"))))
    same(a.rescale(12, 2), each(left, lambda v: v.quantize(Decimal("0.01"))))
    same(a.astype(np.int64), each(left, int))


def test_decimals_made():
    same(ak.decimals([1, "2.5", None, Decimal("-0.125")]), [Decimal(1), Decimal("2.5"), None, Decimal("-0.125")])
    same(ak.decimals(np.array([3, -4])), [Decimal(3), Decimal(-4)])
    same(ak.array(pa.array([Decimal("1.5")], pa.decimal256(20, 1))), [Decimal("1.5")])
    assert ak.array(pa.array([None], pa.decimal128(5, 2))).null_count == 1
    assert ak.decimals(["1.5"]).to_pandas().dtype == pd.ArrowDtype(pa.decimal128(2, 1))
    assert repr(ak.decimals(["1.50", None])) == "decimals(['1.50', None], dtype=decimal128(3, 2))"
    assert ak.decimals(["1", "2", None]).mean() == Decimal("1.5")
    same(ak.array([Decimal("1.5"), None]), [Decimal("1.5"), None])


def test_refusals():
    a, b = ak.decimals(["9.9"]), ak.bigint([2**70, 0])
    with pytest.raises(TypeError, match="is a float, which is no exact decimal"):
        ak.decimals([1.5])
    with pytest.raises(TypeError, match="no exact decimal"):
        a + 1.5
    with pytest.raises(ValueError, match="element 0 is no decimal number: 'x'"):
        ak.decimals(["x"])
    with pytest.raises(ValueError, match="more than 38 digits"):
        ak.decimals(["1e40"])
    with pytest.raises(ValueError, match=r"more than the 1 digits of decimal128\(1, 0\)"):
        a.rescale(1, 0)
    with pytest.raises(ZeroDivisionError):
        a / 0
    with pytest.raises(OverflowError, match="does not fit int8"):
        ak.decimals(["200"]).astype("int8")
    with pytest.raises(ZeroDivisionError):
        1 // b
    with pytest.raises(ValueError, match="negative shift count"):
        b << -1
    with pytest.raises(ValueError, match="negative exponent"):
        b**-1
    with pytest.raises(OverflowError, match="bits; give max_bits"):
        b ** (2**40)
    with pytest.raises(OverflowError, match="does not fit int64"):
        b.astype("int64")
    with pytest.raises(TypeError, match=r"element 1 is no whole number: 1\.5"):
        ak.bigint([1, 1.5])
    with pytest.raises(TypeError, match="takes no float"):
        b * 1.5
    with pytest.raises(ValueError, match="rows do not go together"):
        b + ak.bigint([1, 2, 3])
    with pytest.raises(ValueError, match="Must set max_bits"):
        b.rotl(1)
    with pytest.raises(TypeError, match="bigint has no mean by group"):
        ak.groupby(ak.array([1, 1])).mean(b)
