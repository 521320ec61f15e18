# SPDX-License-Identifier: Apache-2.0
"""Numbers with missing ones among them, against pandas' nullable types."""

import decimal
import operator

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from texts import same

import atoll as ak
from atoll.columns.objects import Objects

pytestmark = pytest.mark.usefixtures("every_session")

numbers = st.lists(st.one_of(st.none(), st.integers(-100, 100)), max_size=30)
truths = st.lists(st.one_of(st.none(), st.booleans()), max_size=30)


def column(values, dtype="int64"):
    """A column also where nothing is missing."""
    filled = np.array([0 if value is None else value for value in values], dtype)
    return ak.Column(ak.array(filled), ak.array(np.array([value is not None for value in values], bool)))


def nullable(series):
    return [None if value is pd.NA else value for value in series]


@given(numbers, st.data())
def test_operators(values, data):
    others = data.draw(st.permutations(values))
    a, b = column(values), column(others)
    x, y = pd.Series(values, dtype="Int64"), pd.Series(others, dtype="Int64")
    for name in ("add", "sub", "mul", "eq", "ne", "lt", "le", "gt", "ge"):
        operation = getattr(operator, name)
        same(operation(a, b), nullable(operation(x, y)))
        same(operation(a, 3), nullable(operation(x, 3)))
        same(operation(7, a), nullable(operation(7, x)))
        same(operation(a, ak.array(np.arange(len(values)))), nullable(operation(x, pd.Series(np.arange(len(values))))))
    same(a // 7, nullable(x // 7))
    same(a % 7, nullable(x % 7))
    same(-a, nullable(-x))
    same(abs(a), nullable(abs(x)))
    same(a + None, [None] * len(values))
    same(a.astype("float64") / 2, nullable(x / 2))


@given(truths, st.data())
def test_three_valued_logic(values, data):
    others = data.draw(st.permutations(values))
    a, b = column(values, "bool"), column(others, "bool")
    x, y = pd.Series(values, dtype="boolean"), pd.Series(others, dtype="boolean")
    same(a & b, nullable(x & y))
    same(a | b, nullable(x | y))
    same(a ^ b, nullable(x ^ y))
    same(~a, nullable(~x))
    for one in (True, False):
        same(a & one, nullable(x & one))
        same(one | a, nullable(one | x))
    rows = ak.array(np.arange(len(values)))
    same(column(range(len(values)))[a], [i for i, value in enumerate(values) if value])
    assert a.any() == x.any() and a.all() == x.all()
    same(ak.where(a, rows, -1), [i if value else -1 for i, value in enumerate(values)])


@given(numbers)
def test_reductions_and_order(values):
    a, x = column(values), pd.Series(values, dtype="Int64")
    there = [value for value in values if value is not None]
    assert (a.sum(), a.prod(), a.count(), a.null_count) == (
        sum(there), np.prod(np.array(there, np.int64)), len(there), values.count(None),
    )  # fmt: skip
    assert a.min() == min(there, default=None) and a.max() == max(there, default=None)
    for name in ("mean", "var", "std"):
        expected = getattr(x, name)()
        assert getattr(a, name)() == (None if expected is pd.NA else pytest.approx(expected))
    missing = [i for i, value in enumerate(values) if value is None]
    order = sorted((i for i in range(len(values)) if values[i] is not None), key=lambda i: values[i])
    same(a.argsort(), order + missing)
    same(a.argsort(nulls="first"), missing + order)
    down = sorted((i for i in range(len(values)) if values[i] is not None), key=lambda i: -values[i])
    same(ak.argsort(a, descending=True), down + missing)
    distinct, counts = ak.unique(a, return_counts=True)
    same(distinct, sorted(set(there)))
    same(counts, [there.count(value) for value in sorted(set(there))])
    same(a.isna(), [value is None for value in values])
    same(a.dropna(), there)
    same(a.fillna(5), [5 if value is None else value for value in values])
    same(ak.isin(a, [1, 2, 3]), [value in (1, 2, 3) for value in values])
    same(ak.concatenate([a, a]), values + values)


def test_to_and_from_others():
    values = [1, None, 3]
    for made in (
        values,
        pd.array(values, "Int64"),
        pd.Series(values, dtype="Int64"),
        pa.array(values),
        np.array(values, object),
    ):
        got = ak.array(made)
        assert got.dtype == np.int64
        same(got, values)
        assert got.to_arrow().to_pylist() == values
        assert nullable(got.to_pandas()) == values
        assert got.to_numpy().tolist() == values
    same(ak.array([None, 1.5]), [None, 1.5])
    same(ak.array([True, None]), [True, None])
    same(ak.array(pa.array([True, None])), [True, None])
    assert ak.array([None, 2], dtype="float32").dtype == np.float32
    assert ak.isna(ak.array([np.nan, None, 1.0])).tolist() == [True, True, False]
    assert ak.isna(ak.array([np.nan, 1.0])).tolist() == [True, False]
    same(ak.array([np.nan, None]).isna(), [False, True])
    assert repr(ak.array(values)) == "column([1, None, 3], dtype=int64)"
    same(ak.array([4.0, None]).apply(ak.sqrt), [2.0, None])


def test_nothing_missing_costs_nothing():
    """Results are arrays, whose arithmetic is lazy and fused."""
    a = ak.Column(ak.arange(5))
    for result in (a + 1, a > 2, -a, a.astype("float64"), a.fillna(0)):
        assert isinstance(result, ak.ndarray)
    before = ak.stats()["commands"]
    _ = (a + 1) * 2
    assert ak.stats()["commands"] == before


def test_keys_with_missing_ones():
    keys, values = [1, None, 1, 2, None], [1.0, 2.0, None, 4.0, 5.0]
    frame = pd.DataFrame({"k": pd.array(keys, "Int64"), "v": pd.array(values, "Float64")})
    for dropna in (True, False):
        g, expected = ak.groupby(ak.array(keys), dropna=dropna), frame.groupby("k", dropna=dropna)
        same(g.keys, nullable(expected.size().index))
        same(g.sum(ak.array(values)), nullable(expected.v.sum()))
        same(g.median(ak.array(values)), nullable(expected.v.median()))
    rows = ak.join(ak.array(keys), ak.array([None, 2, 1]))
    assert (rows.left.tolist(), rows.right.tolist()) == ([0, 2, 3], [2, 2, 1])


def test_refusals():
    a = ak.array([1, None])
    with pytest.raises(ValueError, match="validity has shape"):
        ak.Column(ak.arange(3), ak.array([True]))
    with pytest.raises(ValueError, match="1-dimensional"):
        ak.Column(ak.zeros((2, 2)))
    with pytest.raises(ValueError, match="could not be broadcast"):
        a + ak.arange(3)
    with pytest.raises(IndexError, match="must be masks"):
        a[a]
    with pytest.raises(ValueError, match="nulls go 'first' or 'last'"):
        a.sort(nulls="middle")
    with pytest.raises(IndexError, match="index 2 is out of bounds"):
        a[2]


def test_arrays_before_columns():
    a, b = ak.array([10, 20]), ak.array([1, None])
    assert (a - b).to_list() == [9, None]
    assert (a > b).to_list() == [True, None]


def test_an_array_beside_a_column():
    """Whichever stands first: an array does not say that a column of numbers equals nothing."""
    array, column = ak.array([True, True, False]), ak.array([True, None, True])
    for equal, unequal in ((array == column, array != column), (column == array, column != array)):
        assert equal.to_list() == [True, None, False]
        assert unequal.to_list() == [False, None, True]
    assert (ak.array([1, 2, 3]) == ak.array([1, None, 4])).to_list() == [True, None, False]
    assert (ak.array([1, 2]) == ak.array(["1", "2"])).tolist() == [False, False]
    objects = Objects([1, "x", decimal.Decimal(3), None])
    for equal, unequal in (
        (ak.arange(1, 5) == objects, ak.arange(1, 5) != objects),
        (objects == ak.arange(1, 5), objects != ak.arange(1, 5)),
    ):
        assert equal.tolist() == [True, False, True, False]
        assert unequal.tolist() == [False, True, False, True]
