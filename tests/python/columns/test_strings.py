# SPDX-License-Identifier: Apache-2.0
"""String columns: creation, indexing, comparison, order; against Python's strings."""

import bisect

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from texts import HARD, full_texts, many, same, texts

import atoll as ak

pytestmark = pytest.mark.usefixtures("every_session")


@given(texts)
def test_back_as_they_came(values):
    column = ak.strings(values)
    assert isinstance(column, ak.Strings)
    assert len(column) == column.size == len(values)
    same(column, values)
    same(column.isna(), [value is None for value in values])
    assert column.null_count == values.count(None)
    assert list(column) == values
    arrow = column.to_arrow()
    arrow.validate(full=True)
    assert arrow.to_pylist() == values
    same(ak.strings(arrow), values)
    same(ak.strings(arrow[1:]), values[1:])
    assert column.to_numpy().tolist() == values


def test_from_all_sources_of_strings():
    values = ["pear", "", "fig é 😀", "a\0b"]
    for made in (
        values, tuple(values), np.array(values), np.array(values, dtype=object),
        np.array(values, np.dtypes.StringDType()),
        pd.Series(values), pd.Series(values, dtype="string"), pa.array(values), pa.array(values, pa.string_view()),
        pa.chunked_array([values[:1], values[1:]]), pa.array(values).dictionary_encode(),
    ):  # fmt: skip
        same(ak.array(made), values)
    same(ak.array(np.array([b"ab", b"c"])), ["ab", "c"])
    same(ak.array(["x", np.nan, None, pd.NA]), ["x", None, None, None])
    same(ak.array(["1", "2"], dtype="str"), ["1", "2"])
    same(ak.array(pa.array(["a", None, "b", "c"])[1:3]), [None, "b"])
    assert isinstance(ak.array([1, 2]), ak.ndarray)


def test_many_with_one_giant_among_them():
    values = [chr(97 + i * 7919 % 26) * (i % 11) + str(i % 97) for i in range(70_000)]
    values[33] = "m" * 1_000_000  # as a list of texts it takes its own room, not that of 70,000 as long
    column = ak.array(values)
    ordered = sorted(values)
    assert column.sort().to_list() == ordered
    assert ak.argsort(column).tolist() == sorted(range(len(values)), key=values.__getitem__)
    assert ak.unique(column).to_list() == sorted(set(values))
    missing = ak.array([None, *values])
    assert missing.sort(nulls="first").to_list() == [None, *ordered]


def test_prints():
    assert repr(ak.array(["a'b", None, "\n"])) == "strings([\"a'b\", None, '\\n'])"
    assert repr(ak.strings([])) == "strings([])"
    long = repr(ak.array(many(1000)))
    assert "..." in long and long.endswith("size=1000)") and len(long) < 300


@pytest.mark.parametrize("name", HARD)
def test_order(name):
    values = HARD[name]
    column = ak.strings(values)
    expected = sorted(range(len(values)), key=lambda i: values[i])
    same(column.argsort(), expected)
    same(ak.sort(column), sorted(values))
    backwards = sorted(range(len(values)), key=lambda i: values[i], reverse=True)
    same(ak.argsort(column, descending=True), backwards)
    distinct, first, inverse, counts = ak.unique(column, return_index=True, return_inverse=True, return_counts=True)
    place = {text: i for i, text in enumerate(sorted(set(values)))}
    same(distinct, sorted(set(values)))
    same(first, [values.index(text) for text in sorted(set(values))])
    same(inverse, [place[text] for text in values])
    same(counts, [values.count(text) for text in sorted(set(values))])


@given(texts)
def test_order_with_missing_ones(values):
    column = ak.strings(values)
    rows = range(len(values))
    there = sorted((i for i in rows if values[i] is not None), key=lambda i: values[i])
    missing = [i for i in rows if values[i] is None]
    same(column.argsort(), there + missing)
    same(column.argsort(nulls="first"), missing + there)
    same(column.sort(), [values[i] for i in there + missing])
    same(column.dropna(), [value for value in values if value is not None])
    same(column.fillna("?"), ["?" if value is None else value for value in values])
    numbers = np.arange(len(values)) % 3
    order = sorted(rows, key=lambda i: (numbers[i], values[i] is None, values[i] or ""))
    same(ak.coargsort([ak.array(numbers), column]), order)
    present = [value for value in values if value is not None]
    assert column.min() == min(present, default=None)
    assert column.max() == max(present, default=None)


@given(texts, st.data())
def test_rows(values, data):
    column, n = ak.strings(values), len(values)
    rows = data.draw(st.lists(st.integers(-n, n - 1), max_size=30)) if n else []
    same(column[np.array(rows, np.int64)], [values[i] for i in rows])
    mask = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    same(column[ak.array(mask, dtype=bool)], [value for value, wanted in zip(values, mask, strict=True) if wanted])
    part = data.draw(st.slices(n)) if n else slice(None)
    same(column[part], values[part])
    for i in rows[:3]:
        assert column[i] == values[i]
    same(ak.concatenate([column, column[part], column]), values + values[part] + values)
    others = values[::-1]
    chosen = [a if c else b for a, b, c in zip(values, others, mask, strict=True)]
    same(ak.where(ak.array(mask, dtype=bool), column, ak.strings(others)), chosen)
    same(
        ak.where(ak.array(mask, dtype=bool), column, "no"),
        [a if c else "no" for a, c in zip(values, mask, strict=True)],
    )


@given(texts, st.data())
def test_comparisons(values, data):
    others = data.draw(st.permutations(values))
    one = data.draw(st.sampled_from(values)) if values else "a"
    a, b = ak.strings(values), ak.strings(others)
    for compare in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
        expected = [
            None if x is None or y is None else getattr(x, compare)(y) for x, y in zip(values, others, strict=True)
        ]
        same(getattr(a, compare)(b), expected)
        expected = [None if x is None or one is None else getattr(x, compare)(one) for x in values]
        same(getattr(a, compare)(one), expected)


@given(texts, texts)
def test_sets(left, right):
    a, b = ak.strings(left), ak.strings(right)
    own, other = set(left) - {None}, set(right) - {None}
    same(ak.union1d(a, b), sorted(own | other))
    same(ak.intersect1d(a, b), sorted(own & other))
    same(ak.setdiff1d(a, b), sorted(own - other))
    same(ak.setxor1d(a, b), sorted(own ^ other))
    same(ak.isin(a, b), [value in other for value in left])
    same(ak.in1d(a, b, invert=True), [value not in other for value in left])
    table, values = sorted(own), [value for value in right if value is not None]
    same(ak.searchsorted(ak.strings(table), ak.strings(values)), [bisect.bisect_left(table, v) for v in values])
    same(
        ak.searchsorted(ak.strings(table), ak.strings(values), side="right"),
        [bisect.bisect_right(table, v) for v in values],
    )


@pytest.mark.parametrize("dropna", [True, False])
def test_groups(dropna):
    keys = many(1500, 6, "ab", 3, nulls=0.1)
    values = [None if i % 7 == 0 else i % 50 for i in range(1500)]
    words = many(1500, 7, "cde", 2, nulls=0.3)
    frame = pd.DataFrame(
        {"k": pd.array(keys, "string"), "v": pd.array(values, "Int64"), "w": pd.array(words, "string")}
    )
    expected = frame.groupby("k", dropna=dropna)
    g = ak.groupby(ak.strings(keys), dropna=dropna)
    v, w = ak.array(values), ak.strings(words)

    def nullable(series):
        return [None if pd.isna(value) else value for value in series]

    same(g.keys, nullable(expected.size().index))
    same(g.size(), expected.size())
    same(g.ngroup(), [-1 if n != n else int(n) for n in expected.ngroup()])
    same(g.cumcount(), [-1 if pd.isna(k) and dropna else c for k, c in zip(frame.k, expected.cumcount(), strict=True)])
    for figure in ("sum", "count", "min", "max", "first", "last", "nunique"):
        same(getattr(g, figure)(v), nullable(getattr(expected.v, figure)()))
    for figure in ("count", "min", "max", "first", "last", "nunique"):
        same(getattr(g, figure)(w), nullable(getattr(expected.w, figure)()))
    assert g.mean(v).tolist() == pytest.approx(expected.v.mean().tolist())
    both = frame.groupby(["k", "w"], dropna=dropna)
    pairs = ak.groupby([ak.strings(keys), w], dropna=dropna)
    for level, key in enumerate(pairs.keys):
        same(key, nullable(both.size().index.get_level_values(level)))
    same(pairs.size(), both.size())
    with pytest.raises(TypeError, match="texts have no sum"):
        g.sum(w)


@pytest.mark.parametrize("how", ["inner", "left", "right", "outer", "semi", "anti"])
def test_joins(how):
    left, right = many(300, 8, "ab", 4, nulls=0.1), many(100, 9, "ab", 4, nulls=0.1)
    pairs = [(i, j) for i, a in enumerate(left) for j, b in enumerate(right) if a is not None and a == b]
    matched = {i for i, _ in pairs}, {j for _, j in pairs}
    alone = [(i, -1) for i in range(300) if i not in matched[0]], [(-1, j) for j in range(100) if j not in matched[1]]
    expected = {
        "inner": pairs, "left": pairs + alone[0], "right": pairs + alone[1], "outer": pairs + alone[0] + alone[1],
        "semi": sorted(matched[0]), "anti": [i for i, _ in alone[0]],
    }[how]  # fmt: skip
    rows = ak.join(ak.strings(left), ak.strings(right), how)
    if rows.right is None:
        same(rows.left, expected)
    else:
        assert sorted(zip(rows.left.tolist(), rows.right.tolist(), strict=True)) == sorted(expected)


def test_refusals():
    with pytest.raises(ValueError, match=r"text 1 is not UTF-8: byte 0xff at position 1"):
        ak.array(np.array([b"ok", b"a\xff"]))
    with pytest.raises(ValueError, match="surrogate"):
        ak.array(["ok", "\ud800"])
    with pytest.raises(TypeError, match="element 1 is <class 'int'>, not a text"):
        ak.array(["ok", 3])
    broken = pa.Array.from_buffers(
        pa.large_string(), 2, [None, pa.py_buffer(np.array([0, 5, 3])), pa.py_buffer(b"abcdefgh")]
    )
    with pytest.raises(ValueError, match="offsets must not fall"):
        ak.strings(broken)
    broken = pa.Array.from_buffers(pa.large_string(), 1, [None, pa.py_buffer(np.array([0, 1])), pa.py_buffer(b"\xc3")])
    with pytest.raises(ValueError, match="not UTF-8"):
        ak.strings(broken)
    column = ak.array(["a", "b"])
    with pytest.raises(IndexError, match="index 2 is out of bounds for axis 0 with size 2"):
        column[2]
    with pytest.raises(IndexError, match="index -3 is out of bounds"):
        column.take([0, -3])
    with pytest.raises(IndexError, match="boolean index did not match"):
        column[ak.array([True])]
    with pytest.raises(ValueError, match="columns of 2 and 1 rows"):
        _ = column == ak.array(["a"])
    with pytest.raises(TypeError, match="do not change in place"):
        column[0] = "c"
    with pytest.raises(TypeError, match="a column is no array"):
        ak.sqrt(column)
    with pytest.raises(TypeError, match="texts and numbers"):
        ak.concatenate([column, ak.arange(2)])
    with pytest.raises(ValueError, match="ambiguous"):
        bool(column)
    same(column, ["a", "b"])


@given(full_texts)
def test_hashing_decides_nothing(values):
    """Rows repeat often enough for the hash table."""
    values = values * 5
    distinct, inverse = ak.unique(ak.strings(values), return_inverse=True)
    same(distinct, sorted(set(values)))
    same(distinct[inverse], values)
