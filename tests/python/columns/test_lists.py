# SPDX-License-Identifier: Apache-2.0
"""Columns of lists, against Python's lists, pandas and pyarrow."""

import itertools
import math
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from texts import many, same

import atoll as ak

pytestmark = pytest.mark.usefixtures("two_sessions")

WORDS = st.sampled_from(["fig", "pear", "", "é"])
NUMBERS = st.integers(-3, 3)


def rows_of(elements, nulls=True):
    rows = st.lists(elements, max_size=5)
    return st.lists(st.none() | rows if nulls else rows, max_size=12)


numbers, words = rows_of(NUMBERS), rows_of(WORDS)
#: Of any kind.
lists = numbers | words | rows_of(st.none() | NUMBERS) | rows_of(st.lists(NUMBERS, max_size=2))


def each(rows, function):
    return [None if row is None else function(row) for row in rows]


@given(lists, st.data())
def test_rows(rows, data):
    column, n = ak.lists(rows), len(rows)
    same(column, rows)
    assert column.null_count == rows.count(None) and column.size == n
    same(column.list.len(), each(rows, len))
    arrow = column.to_arrow()
    arrow.validate(full=True)
    assert arrow.to_pylist() == rows
    same(ak.lists(arrow), rows)
    same(ak.lists(arrow[1:]), rows[1:])
    picked = data.draw(st.lists(st.integers(-n, n - 1), max_size=12)) if n else []
    same(column[np.array(picked, np.int64)], [rows[i] for i in picked])
    part = data.draw(st.slices(n)) if n else slice(None)
    same(column[part], rows[part])
    same(ak.concatenate([column, column[part]]), rows + rows[part])
    mask = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    others = rows[::-1]
    chosen = [a if c else b for a, b, c in zip(rows, others, mask, strict=True)]
    same(ak.where(ak.array(mask, dtype=bool), column, ak.lists(others)), chosen)
    same(column.dropna(), [row for row in rows if row is not None])
    assert [column[i] for i in picked[:2]] == [rows[i] for i in picked[:2]]
    same(
        column == ak.lists(others),
        [None if a is None or b is None else a == b for a, b in zip(rows, others, strict=True)],
    )
    same(column != column, each(rows, lambda row: False))


@given(lists, st.integers(-6, 6), st.data())
def test_elements(rows, at, data):
    column = ak.lists(rows)
    same(ak.lists([*rows, [], None]).list.flatten(), [value for row in rows if row is not None for value in row])
    same(column.list.get(at), each(rows, lambda row: row[at] if -len(row) <= at < len(row) else None))
    bounds = st.none() | st.integers(-6, 6)
    start, stop, step = data.draw(bounds), data.draw(bounds), data.draw(bounds.filter(lambda k: k != 0))
    same(column.list.slice(start, stop, step), each(rows, lambda row: row[start:stop:step]))
    found, origin = column.explode(return_rows=True)
    same(origin, [i for i, row in enumerate(rows) for _ in row or [None]])
    exploded = [value for row in rows for value in (row or [None])]
    same(found, exploded)


@given(numbers)
def test_figures(rows):
    column = ak.lists([None if row is None else np.array(row, np.int64) for row in rows])
    some = [row for row in rows if row is not None]
    if not any(some):
        return
    same(column.sum(), each(rows, sum))
    same(column.prod(), each(rows, math.prod))
    same(column.max(), each(rows, lambda row: max(row, default=None)))
    same(column.min(), each(rows, lambda row: min(row, default=None)))
    same(column.any(), each(rows, any))
    same(column.all(), each(rows, all))
    same(column.nunique(), each(rows, lambda row: len(set(row))))
    same(column.argmax(), each(rows, lambda row: row.index(max(row)) if row else None))
    same(column.argmin(), each(rows, lambda row: row.index(min(row)) if row else None))
    same(column.mean(), each(rows, lambda row: np.mean(row) if row else None))
    same(column.XOR(), each(rows, lambda row: int(np.bitwise_xor.reduce(row)) if row else None))
    same(column.apply(lambda x: x * x), each(rows, lambda row: [value * value for value in row]))
    same(column.aggregate("sum"), each(rows, sum))


def test_products_of_floats_depend_on_data_alone():
    rows = [np.linspace(0.5, 1.5, n) for n in (0, 1, 2, 3, 64, 1000)]
    assert ak.lists(rows).prod().tolist() == pytest.approx([row.prod() for row in rows])


@given(st.sampled_from([NUMBERS, WORDS]).flatmap(lambda kind: st.tuples(rows_of(kind), rows_of(kind, nulls=False))))
def test_sets(pair):
    rows = list(zip(*pair, strict=False))
    if not any(x or y for x, y in rows):
        return  # nothing says what kind
    left, right = map(list, zip(*rows, strict=True))
    a = ak.lists([*left, [value for row in rows for part in row for value in part or []]])
    left = a.to_list()
    right = [*right, left[-1]]
    b = ak.lists(right)
    for name, combine in (
        ("union", set.__or__), ("intersect", set.__and__), ("setdiff", set.__sub__), ("setxor", set.__xor__)
    ):  # fmt: skip
        expected = [None if x is None else sorted(combine(set(x), set(y))) for x, y in zip(left, right, strict=True)]
        same(getattr(a, name)(b), expected)
    same(a.unique(), each(left, lambda row: sorted(set(row))))
    some = left[-1][:2]
    same(a.filter(some), each(left, lambda row: [value for value in row if value not in some]))
    runs, times = b.remove_repeats(return_multiplicity=True)
    grouped = [[(value, len(list(run))) for value, run in itertools.groupby(row)] for row in right]
    same(runs, [[value for value, _ in row] for row in grouped])
    same(times, [[count for _, count in row] for row in grouped])
    low, high = a.hash()
    hashes = list(zip(low.tolist(), high.tolist(), strict=True))
    for i, x in enumerate(left):
        for j, y in enumerate(left[:i]):
            assert (hashes[i] == hashes[j]) == ((x or []) == (y or []))


@given(rows_of(NUMBERS, nulls=False), st.integers(1, 3), st.booleans())
def test_parts_as_arkouda_has_them(rows, n, proper):
    rows = [[7, 8], *rows]
    column = ak.lists(rows)
    assert column.lengths.tolist() == list(map(len, rows))
    same(ak.SegArray(column.segments, column.values), rows)
    long = [row for row in rows if len(row) >= n + proper]
    for name, part in (("get_prefixes", lambda row: row[:n]), ("get_suffixes", lambda row: row[-n:])):
        found, which = getattr(column, name)(n, proper=proper)
        assert [list(row) for row in zip(*(one.tolist() for one in found), strict=True)] == [part(row) for row in long]
        same(which, [len(row) >= n + proper for row in rows])
    grams, origin = column.get_ngrams(n)
    expected = [(i, tuple(row[k : k + n])) for i, row in enumerate(rows) for k in range(len(row) - n + 1)]
    assert list(zip(origin.tolist(), zip(*(one.tolist() for one in grams), strict=True), strict=True)) == expected
    of_length = column.get_length_n(n, return_origins=False)
    assert [list(row) for row in zip(*(one.tolist() for one in of_length), strict=True)] == [
        r for r in rows if len(r) == n
    ]
    same(column.get_jth(n, default=-9)[0], [row[n] if len(row) > n else -9 for row in rows])
    same(column.get_jth(-1, compressed=True, return_origins=False), [row[-1] for row in rows if row])
    chosen = [i for i, row in enumerate(rows) if row][::2]
    changed = [[*row[:-1], 50 + chosen.index(i)] if i in chosen else row for i, row in enumerate(rows)]
    same(column.set_jth(np.array(chosen), -1, 50 + np.arange(len(chosen))), changed)
    same(column.append(column, axis=1), [row + row for row in rows])
    same(column.prepend(ak.lists([[1]])), [[1], *rows])
    same(column.append_single(9), [[*row, 9] for row in rows])
    same(column.prepend_single(np.arange(len(rows))), [[i, *row] for i, row in enumerate(rows)])
    same(ak.Lists.concat([column, column, column], axis=1), [row * 3 for row in rows])


def test_many_rows():
    rng = np.random.default_rng(3)
    lengths = rng.integers(0, 9, 2000)
    values = rng.integers(0, 50, lengths.sum())
    rows = [part.tolist() for part in np.split(values, lengths.cumsum()[:-1])]
    column = ak.SegArray(lengths.cumsum() - lengths, values)
    same(column, rows)
    order = rng.permutation(2000)
    same(column[order], [rows[i] for i in order])
    same(column.unique(), [sorted(set(row)) for row in rows])
    same(column.sum(), [sum(row) for row in rows])
    same(
        ak.groupby(ak.array(order % 7)).first(column), [rows[int(np.flatnonzero(order % 7 == k)[0])] for k in range(7)]
    )
    same(ak.Lists.from_multi_array([values[:50], values[50:100]]), np.stack([values[:50], values[50:100]], 1).tolist())


@given(st.lists(st.none() | st.text("ab-1 ", max_size=8), max_size=15))
def test_texts_taken_apart(values):
    column = ak.strings(values)
    same(column.str.split(expand=False), each(values, str.split))
    same(column.str.split("-", expand=False), each(values, lambda v: v.split("-")))
    same(column.str.rsplit("-", n=1, expand=False), each(values, lambda v: v.rsplit("-", 1)))
    same(column.str.findall("[ab]+"), each(values, lambda v: re.findall("[ab]+", v)))
    same(column.str.findall("([ab])-"), each(values, lambda v: re.findall("([ab])-", v)))
    pairs = column.str.findall("([ab])(1*)")
    same(pairs, each(values, lambda v: [list(pair) for pair in re.findall("([ab])(1*)", v)]))
    (first, second), rows = column.str.extractall("([ab])(1)?")
    if any(value is not None and re.search("[ab]", value) for value in values):
        expected = pd.Series(values, dtype=object).str.extractall("([ab])(1)?")
        same(first, expected[0])
        same(second, [None if value != value or value is None else value for value in expected[1]])
        same(rows, expected.index.get_level_values(0))


def test_from_all_sources_of_lists():
    rows = [[1, 2], [], [3]]
    for made in (
        rows, tuple(map(tuple, rows)), [np.array(row, np.int64) for row in rows], pd.Series(rows), pa.array(rows),
        pa.array(rows, pa.large_list(pa.int16())), pa.chunked_array([rows[:1], rows[1:]]),
    ):  # fmt: skip
        same(ak.lists(made), rows)
    same(ak.lists(np.arange(6).reshape(2, 3)), [[0, 1, 2], [3, 4, 5]])
    same(ak.lists(ak.arange(6).reshape(3, 2)), [[0, 1], [2, 3], [4, 5]])
    same(ak.lists(pa.array([[1, 2], None], pa.list_(pa.int64(), 2))), [[1, 2], None])
    series = ak.lists([["a"], None]).to_pandas()
    assert series.list.len().tolist()[0] == 1
    assert ak.lists([["a"]]).kind == "list[text]"
    assert repr(ak.lists([[1, 2], None, []])) == "lists([[1, 2], None, []])"
    assert [part.tolist() for part in ak.lists(rows).to_numpy()] == rows
    long = ak.lists([[text] for text in many(500)])
    assert long[137] == [many(500)[137]]


def test_refusals():
    column = ak.lists([[1, 2], [3]])
    with pytest.raises(TypeError, match="row 1 is no list but int"):
        ak.lists([[1], 2])
    with pytest.raises(TypeError, match="lists are made of lists"):
        ak.lists(pa.array([1, 2]))
    for attempt in (lambda: ak.unique(column), lambda: ak.groupby(column), lambda: ak.join(column, column)):
        with pytest.raises(TypeError, match="unhashable type: 'list'"):
            attempt()
    with pytest.raises(TypeError, match="lists have no order"):
        column.sort()
    with pytest.raises(TypeError, match="cannot perform the operation add"):
        column + 1
    with pytest.raises(TypeError, match="texts have no sum"):
        ak.lists([["a"]]).sum()
    with pytest.raises(ValueError, match="Segments must start at zero"):
        ak.SegArray([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="Segments must start at zero"):
        ak.SegArray([0, 4], [1, 2, 3])
    with pytest.raises(ValueError, match="in bounds"):
        column.set_jth([1], 1, 0)
    with pytest.raises(ValueError, match="same size"):
        column.append(ak.lists([[1]]), axis=1)
    with pytest.raises(TypeError, match="do not go into one column"):
        ak.concatenate([column, ak.array([1, 2])])
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        column.list.slice(0, 1, 0)
    with pytest.raises(IndexError):
        column[5]
