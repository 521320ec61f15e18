# SPDX-License-Identifier: Apache-2.0
"""Columns of categories, against pandas."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from texts import same

import atoll as ak

pytestmark = pytest.mark.usefixtures("two_sessions")

NAMES = ["pear", "fig", "", "apple", "kiwi"]
values = st.lists(st.sampled_from([*NAMES, None]), max_size=25)


def nullable(series):
    return [None if value is None or value is pd.NA or value != value else value for value in series]


def alike(column, expected):
    """Whether a column is what pandas has."""
    assert isinstance(column, ak.Categorical)
    expected = expected.array if isinstance(expected, pd.Series) else expected
    assert column.codes.dtype == expected.codes.dtype
    same(column.codes, expected.codes)
    same(column.categories, expected.categories)
    assert column.ordered == expected.ordered
    same(column, nullable(expected))


@given(values, st.permutations(NAMES), st.integers(0, 5), st.booleans())
def test_made(rows, names, some, ordered):
    alike(ak.Categorical(rows), pd.Categorical(rows))
    among = names[:some] or NAMES
    known = pd.Categorical([value if value in among else None for value in rows], names[:some] or None, ordered)
    column = ak.Categorical(rows, names[:some] or None, ordered)
    alike(column, known)
    same(column.isna(), known.isna())
    assert column.to_numpy().tolist() == nullable(known)
    assert column.to_arrow().to_pylist() == nullable(known)
    assert column.to_arrow().type.ordered == ordered
    alike(ak.array(column.to_arrow()), known)
    alike(ak.array(column.to_arrow()[1:]), known[1:])
    alike(ak.array(known), known)
    alike(ak.array(pd.Series(known)), known)
    back = column.to_pandas()
    assert back.dtype == "category" and nullable(back) == nullable(known)
    alike(ak.Categorical(column), known)
    alike(ak.Categorical.from_codes(column.codes, column.categories, ordered), known)
    assert [column[i] for i in range(len(rows))] == nullable(known)


@pytest.mark.parametrize("kind", [np.int64, np.float64, np.uint8])
def test_categories_of_numbers(kind):
    numbers = np.array([3, 1, 3, 200, 1], kind)
    column = ak.Categorical(numbers)
    alike(column, pd.Categorical(numbers))
    same(column.decode(), numbers)
    same(column == 3, numbers == 3)
    assert ak.Categorical([1.5, np.nan]).null_count == 1
    many = np.arange(400) % 200
    alike(ak.Categorical(many), pd.Categorical(many))


@given(values, st.permutations(NAMES), st.data())
def test_changes_of_categories(rows, names, data):
    column, known = ak.Categorical(rows, names), pd.Categorical(rows, names)
    alike(column.set_categories(names[1:3]), known.set_categories(names[1:3]))
    alike(column.set_categories([*names, "x"], ordered=True), known.set_categories([*names, "x"], ordered=True))
    alike(column.set_categories(["1", "2"], rename=True), known.set_categories(["1", "2"], rename=True))
    alike(column.add_categories(["x", "y"]), known.add_categories(["x", "y"]))
    alike(column.remove_categories(names[3:]), known.remove_categories(names[3:]))
    alike(column.remove_unused_categories(), known.remove_unused_categories())
    alike(column.rename_categories({"fig": "FIG"}), known.rename_categories({"fig": "FIG"}))
    alike(column.rename_categories(str.upper), known.rename_categories(str.upper))
    other = data.draw(st.permutations(names))
    alike(column.reorder_categories(other, ordered=True), known.reorder_categories(other, ordered=True))
    alike(column.as_ordered().as_unordered(), known)


@given(values, st.permutations(NAMES), st.data())
def test_rows_and_order(rows, names, data):
    column, known = ak.Categorical(rows, names, True), pd.Categorical(rows, names, True)
    n = len(rows)
    picked = data.draw(st.lists(st.integers(0, n - 1), max_size=20)) if n else []
    alike(column[np.array(picked, np.int64)], known[np.array(picked, np.int64)])
    mask = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    alike(column[ak.array(mask, dtype=bool)], known[np.array(mask, bool)])
    alike(column[1::2], known[1::2])
    alike(column.sort(), known.sort_values())
    same(column.argsort(), pd.Series(known).argsort(kind="stable").tolist())
    present = [value for value in rows if value is not None]
    assert column.min() == min(present, key=names.index, default=None)
    assert column.max() == max(present, key=names.index, default=None)
    same(column == "fig", [None if value is None else value == "fig" for value in rows])
    same(column <= "fig", [None if v is None else names.index(v) <= names.index("fig") for v in rows])
    same(column != column[::1], [None if value is None else False for value in rows])
    same(column == "no fruit", [None if value is None else False for value in rows])
    alike(column.fillna("kiwi"), pd.Series(known).fillna("kiwi"))
    alike(ak.where(ak.array(mask, dtype=bool), column, "fig"), pd.Series(known).where(mask, "fig"))
    alike(ak.where(ak.array(mask, dtype=bool), column, None), pd.Series(known).where(mask, None))
    unordered = column.as_unordered()
    same(unordered == unordered.reorder_categories(names[::-1]), [None if v is None else True for v in rows])


@given(values, values)
def test_together(left, right):
    a, b = ak.Categorical(left), ak.Categorical(right)
    known = [
        pd.Categorical(values, dtype=pd.CategoricalDtype(pd.Index(sorted(set(values) - {None}), dtype=str)))
        for values in (left, right)
    ]
    alike(ak.concatenate([a, b]), pd.api.types.union_categoricals(known))
    same(ak.concatenate([a, ak.strings(right)]), left + right)
    own, other = set(left) - {None}, set(right) - {None}
    assert set(ak.intersect1d(a, b).to_list()) == own & other
    assert set(ak.setdiff1d(a, b).to_list()) == own - other
    same(ak.isin(a, b), [value is not None and value in other for value in left])
    same(ak.isin(a, ["fig", "nothing"]), [value == "fig" for value in left])
    same(ak.isin(ak.strings(left), b), [value is not None and value in other for value in left])
    values, counts = ak.value_counts(a)
    expected = pd.Series(pd.Categorical(left)).value_counts(sort=False)
    assert values.to_list() == expected.index.tolist() and counts.tolist() == expected.tolist()
    pairs = [(i, j) for i, x in enumerate(left) for j, y in enumerate(right) if x is not None and x == y]
    for keys in (a, b), (a, ak.strings(right)), (ak.strings(left), b):
        rows = ak.join(*keys)
        assert list(zip(rows.left.tolist(), rows.right.tolist(), strict=True)) == pairs


@pytest.mark.parametrize("observed", [True, False])
@pytest.mark.parametrize("dropna", [True, False])
def test_groups(observed, dropna):
    rng = np.random.default_rng(5)
    names = [None if i == 3 else NAMES[i] for i in rng.integers(0, 4, 200)]
    keys, numbers = pd.Categorical(names, ["kiwi", "pear", "fig", ""]), rng.integers(0, 9, 200)
    other = pd.Categorical(rng.integers(0, 3, 200), [2, 0, 5, 1])
    frame = pd.DataFrame({"k": keys, "o": other, "v": numbers, "c": keys.as_ordered()})
    groups = ak.groupby(ak.Categorical(names, keys.categories), dropna, observed)
    v = ak.array(numbers)
    expected = frame.groupby("k", observed=observed, dropna=dropna)
    same(groups.keys, nullable(expected.size().index))
    same(groups.size(), expected.size())
    for figure in ("sum", "count", "min", "max", "first", "mean", "nunique", "median", "std"):
        found = getattr(groups, figure)(v)
        known = nullable(getattr(expected.v, figure)())
        assert [None if x != x else x for x in found.tolist()] == pytest.approx(known)
    numbers = groups.ngroup()
    same(groups.keys[numbers[numbers >= 0]], [name for name in names if not (dropna and name is None)])
    same(groups.agg({"a": (v, "sum")})["a"], expected.v.sum())
    ordered = ak.Categorical(names, keys.categories, True)
    for figure in ("min", "max", "first", "last", "nunique", "count"):
        same(getattr(groups, figure)(ordered), nullable(getattr(expected.c, figure)()))
    both = ak.groupby(
        [ak.Categorical(names, keys.categories), ak.Categorical(other.tolist(), [2, 0, 5, 1])], dropna, observed
    )
    sizes = frame.groupby(["k", "o"], observed=observed, dropna=dropna).size()
    same(both.size(), sizes)
    for level, key in enumerate(both.keys):
        same(key, nullable(sizes.index.get_level_values(level)))
    spread = groups.broadcast(groups.size())
    same(spread, nullable(expected.v.transform("size")))


def test_arrow_dictionaries_with_repeats():
    array = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3, None]), pa.array(["a", "b", "a", None]))
    same(ak.array(array), ["a", "b", "a", None, None])
    same(ak.array(array).categories, ["a", "b"])


def test_methods_of_texts():
    column = ak.Categorical(["fig", "pear", None, "fig"])
    same(column.str.len(), [3, 4, None, 3])
    same(column.str.upper(), ["FIG", "PEAR", None, "FIG"])
    same(column.astype(str), ["fig", "pear", None, "fig"])
    with pytest.raises(AttributeError, match=r"Can only use \.str accessor"):
        ak.Categorical([1, 2]).str.len()


def test_prints():
    column = ak.Categorical(["a", None], ["b", "a"])
    assert repr(column) == "categorical(['a', None], categories=['b', 'a'])"
    assert repr(column.as_ordered()) == "categorical(['a', None], categories=['b' < 'a'])"


def test_refusals():
    column = ak.Categorical(["a", "b"])
    with pytest.raises(ValueError, match="must be unique"):
        ak.Categorical(["a"], ["a", "a"])
    with pytest.raises(ValueError, match="cannot be null"):
        ak.Categorical(["a"], ["a", None])
    with pytest.raises(ValueError, match="codes need to be between -1"):
        ak.Categorical.from_codes([0, 2], ["a", "b"])
    with pytest.raises(ValueError, match=r"must not include old categories: \{'a'\}"):
        column.add_categories("a")
    with pytest.raises(ValueError, match="removals must all be in old categories"):
        column.remove_categories("z")
    with pytest.raises(ValueError, match="same number of items"):
        column.rename_categories(["x"])
    with pytest.raises(ValueError, match="not the same as in old categories"):
        column.reorder_categories(["a", "c"])
    for attempt in (lambda: column < "b", lambda: column.max(), lambda: ak.groupby(ak.array([1, 1])).max(column)):
        with pytest.raises(TypeError, match=r"not ordered|Unordered"):
            attempt()
    with pytest.raises(TypeError, match="can only be compared if 'categories' are the same"):
        column == ak.Categorical(["a", "c"])  # noqa: B015
    with pytest.raises(TypeError, match="which is not a category"):
        column.as_ordered() < "c"  # noqa: B015
    with pytest.raises(TypeError, match="all categories must be the same"):
        ak.concatenate([column.as_ordered(), ak.Categorical(["c"], ordered=True)])
    with pytest.raises(TypeError, match="dtype of categories must be the same"):
        ak.concatenate([column, ak.Categorical([1])])
    with pytest.raises(TypeError, match="new category"):
        column[:1].fillna("c") if column[:1].null_count else ak.where(ak.array([True, False]), column, "c")
    for figure in ("sum", "mean"):
        with pytest.raises(TypeError, match="does not support"):
            getattr(column, figure)()
        with pytest.raises(TypeError, match="does not support"):
            getattr(ak.groupby(ak.array([1, 1])), figure)(column)
