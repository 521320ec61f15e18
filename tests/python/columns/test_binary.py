# SPDX-License-Identifier: Apache-2.0
"""Columns of bytes, encodings, lines and further string methods, against Python and pandas."""

import textwrap

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from texts import same, texts

import atoll as ak

pytestmark = pytest.mark.usefixtures("two_sessions")

bytes_or_none = st.lists(st.none() | st.binary(max_size=6), max_size=15)
prose = st.lists(st.none() | st.text("ab -\t\né!—", max_size=30), max_size=10)
CODECS = ["utf-8", "ascii", "latin-1", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]


def each(values, function):
    return [None if value is None else function(value) for value in values]


@given(bytes_or_none, st.data())
def test_bytes_as_a_column(values, data):
    column, n = ak.binary(values), len(values)
    same(column, values)
    same(column.len(), each(values, len))
    there = sorted((i for i in range(n) if values[i] is not None), key=lambda i: values[i])
    same(column.argsort(), there + [i for i in range(n) if values[i] is None])
    present = [value for value in values if value is not None]
    assert column.min() == min(present, default=None)
    assert column.max() == max(present, default=None)
    distinct, counts = ak.unique(column, return_counts=True)
    same(distinct, sorted(set(present)))
    same(counts, [values.count(value) for value in sorted(set(present))])
    one = data.draw(st.sampled_from(present)) if present else b"x"
    same(column == one, each(values, lambda v: v == one))
    same(column < one, each(values, lambda v: v < one))
    same(ak.concatenate([column, column[::-1]]), values + values[::-1])
    same(ak.where(column.isna(), one, column), [one if value is None else value for value in values])
    same(column.fillna(one), [one if value is None else value for value in values])
    arrow = column.to_arrow()
    arrow.validate(full=True)
    assert arrow.to_pylist() == values
    same(ak.array(arrow), values)
    same(ak.array(arrow[1:]), values[1:])
    rows = ak.join(column, ak.binary([one]))
    same(rows.left, [i for i, value in enumerate(values) if value == one])


def test_fixed_width_and_numpy():
    same(ak.array(pa.array([b"ab", None], pa.binary(2))), [b"ab", None])
    same(ak.binary(np.array([b"ab", b"c"])), [b"ab", b"c"])
    assert repr(ak.binary([b"a", None])) == "binary([b'a', None])"
    assert ak.binary([b"a"]).to_pandas().dtype == pd.ArrowDtype(pa.large_binary())
    assert ak.groupby(ak.array([1, 1])).first(ak.binary([b"\xff", b"b"])).to_list() == [b"\xff"]
    with pytest.raises(TypeError, match="element 1 is str, not bytes"):
        ak.binary([b"a", "b"])
    with pytest.raises(TypeError, match="bytes have no sum"):
        ak.groupby(ak.array([1])).sum(ak.binary([b"a"]))


@pytest.mark.parametrize("codec", CODECS)
@given(values=texts)
def test_encodings(codec, values):
    column = ak.strings(values)
    for errors in ("ignore", "replace"):
        same(column.str.encode(codec, errors), each(values, lambda v, errors=errors: v.encode(codec, errors)))
    try:
        expected = each(values, lambda v: v.encode(codec))
    except UnicodeEncodeError:
        with pytest.raises(ValueError, match="codec can't encode character"):
            column.str.encode(codec)
    else:
        same(column.str.encode(codec), expected)
        same(column.str.encode(codec).decode(codec), values)


@pytest.mark.parametrize("codec", CODECS)
@given(values=bytes_or_none | st.lists(st.text(max_size=3).map(lambda v: v.encode("utf-8")[1:]), max_size=9))
def test_decodings(codec, values):
    column = ak.binary(values)
    wide = not codec.startswith(("utf-8", "asc", "lat"))
    for errors in ("ignore", "replace"):
        if wide and any(value is not None and _replaces_otherwise(value, codec) for value in values):
            continue
        same(column.decode(codec, errors), each(values, lambda v, errors=errors: v.decode(codec, errors)))
    try:
        expected = each(values, lambda v: v.decode(codec))
    except UnicodeDecodeError:
        with pytest.raises(ValueError, match="codec can't decode bytes"):
            column.decode(codec)
    else:
        same(column.decode(codec), expected)


def _replaces_otherwise(value, codec):
    """Whether a unit is cut off or has no partner, where Python's decoders have rules of their own."""
    try:
        value.decode(codec)
    except UnicodeDecodeError:
        return True
    return False


@given(prose, st.integers(1, 12), st.booleans(), st.booleans(), st.booleans(), st.booleans())
def test_lines(values, width, tabs, drop, long, hyphens):
    options = {"expand_tabs": tabs, "drop_whitespace": drop, "break_long_words": long, "break_on_hyphens": hyphens}
    column = ak.strings(values)
    same(column.str.wrap(width, **options), each(values, lambda v: "\n".join(textwrap.wrap(v, width, **options))))
    indents = {"initial_indent": "* ", "subsequent_indent": "  ", "replace_whitespace": False, "tabsize": 3}
    if width <= 2:
        with pytest.raises(ValueError, match="an indent of 2 characters leaves no room"):
            column.str.wrap(width, **indents)
        return
    same(column.str.wrap(width, **indents), each(values, lambda v: "\n".join(textwrap.wrap(v, width, **indents))))


@given(prose, st.none() | st.integers(-5, 5), st.none() | st.integers(-5, 5))
def test_slice_replace(values, start, stop):
    known = (
        pd.Series(values, dtype=object).str.slice_replace(start, stop, "é-")
        if any(v is not None for v in values)
        else values
    )
    same(ak.strings(values).str.slice_replace(start, stop, "é-"), [None if v is None or v != v else v for v in known])


@given(st.lists(st.none() | st.text("ab|", max_size=5), min_size=1, max_size=10))
def test_dummies(values):
    found = ak.strings(values).str.get_dummies()
    parts = {part for value in values if value is not None for part in value.split("|")} - {""}
    assert list(found) == sorted(parts)
    for name, column in found.items():
        same(column, [int(value is not None and name in value.split("|")) for value in values])


@given(
    st.lists(st.none() | st.lists(st.none() | st.text("aé", max_size=3), max_size=4), max_size=12),
    st.text("-é", max_size=2),
)
def test_lists_of_texts_as_one(values, sep):
    expected = each(values, lambda row: None if None in row else sep.join(row))
    same(ak.lists([*values, ["x"]]).str.join(sep), [*expected, "x"])


def test_refusals():
    column = ak.strings(["a"])
    with pytest.raises(ValueError, match="invalid width 0"):
        column.str.wrap(0)
    with pytest.raises(LookupError, match="unknown encoding"):
        column.str.encode("no such")
    with pytest.raises(LookupError, match="take one of utf-8"):
        column.str.encode("cp500")
    with pytest.raises(LookupError, match="unknown error handler"):
        column.str.encode("ascii", errors="bad")
    with pytest.raises(TypeError, match="lists of texts"):
        ak.lists([[1]]).str.join("-")
