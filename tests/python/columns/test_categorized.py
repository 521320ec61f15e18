# SPDX-License-Identifier: Apache-2.0
"""Methods of columns of categories give what pandas' Categorical gives."""

import numpy as np
import pandas as pd
import pytest

import atoll as ak

ROWS = ["b", "a", None, "b", "c", "a", "b"]
KNOWN = ["c", "b", "a", "z"]


@pytest.fixture(params=[1, 3], autouse=True)
def session(request):
    ak.shutdown()
    with ak.init(pes=request.param, threads=1):
        yield


def pair():
    return ak.Categorical(ROWS, categories=KNOWN, ordered=True), pd.Categorical(ROWS, categories=KNOWN, ordered=True)


def listed(values):
    found = values.to_list() if hasattr(values, "to_list") else list(values)
    return [None if one is None or one != one else one for one in found]


@pytest.mark.parametrize(
    "how",
    [
        lambda c: c.unique(), lambda c: c.sort_values(), lambda c: c.sort_values(ascending=False, na_position="first"),
        lambda c: c.repeat(2), lambda c: c.shift(2), lambda c: c.shift(-1), lambda c: c.shift(1, fill_value="c"),
        lambda c: c.map({"a": "x", "b": "y", "c": "w", "z": "v"}), lambda c: c.map(lambda v: v if v != v else v + "!"),
        lambda c: c.delete([0, 2]), lambda c: c.insert(1, "c"), lambda c: c.insert(-1, None),
        lambda c: c.isin(["a", "q"]), lambda c: c.factorize()[1], lambda c: c.factorize()[0],
        lambda c: c.map({"a": 1, "b": 1}),
    ],
)  # fmt: skip
def test_rows(how):
    ours, theirs = map(how, pair())
    assert listed(ours) == listed(theirs)
    if isinstance(theirs, pd.Categorical):
        assert ours.categories.tolist() == theirs.categories.tolist()
        assert ours.ordered == theirs.ordered


def test_counts():
    ours, theirs = pair()
    for dropna in (True, False):
        got, expected = ours.value_counts(dropna), theirs.value_counts(dropna)
        assert listed(got.index) == listed(expected.index)
        assert got.to_list() == expected.to_list()
    assert ours.describe().counts.to_list() == theirs.describe().counts.to_list()
    np.testing.assert_allclose(ours.describe().freqs.to_numpy(), theirs.describe().freqs.to_numpy())


def test_places():
    ours, theirs = pair()
    assert (ours.argmin(), ours.argmax()) == (theirs.argmin(), theirs.argmax())
    ordered, of_pandas = ours.dropna().sort_values(), theirs.dropna().sort_values()
    for side in ("left", "right"):
        assert int(ordered.searchsorted("b", side)) == of_pandas.searchsorted("b", side)
        assert ordered.searchsorted(["c", "z"], side).tolist() == of_pandas.searchsorted(["c", "z"], side).tolist()
    for keep in ("first", "last", False):
        assert ours.duplicated(keep).tolist() == pd.Series(theirs).duplicated(keep).tolist()
    assert ours.equals(ours.copy()) and not ours.equals(ours.set_ordered(False)) and not ours.equals(ours.shift(1))


def test_values_that_are_not_categories_are_refused():
    ours, _ = pair()
    with pytest.raises(TypeError, match="must be in categories"):
        ours.searchsorted("q")
    with pytest.raises(TypeError, match="new category"):
        ours.insert(0, "q")
    with pytest.raises(TypeError, match="list-like"):
        ours.isin("a")
    with pytest.raises(TypeError, match="not ordered"):
        ours.as_unordered().argmin()
