# SPDX-License-Identifier: Apache-2.0
"""Arkouda's groups, categories, series and frames."""

import pandas as pd
import pytest

import atoll.arkouda as ak

pytestmark = pytest.mark.usefixtures("two_sessions")
KEYS, VALUES = [2, 1, 2, 3, 1, 2], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


@pytest.mark.parametrize("name", ["sum", "mean", "min", "max", "prod", "var", "std", "median", "first"])
def test_figures_of_groups(name):
    keys, found = getattr(ak.GroupBy(ak.array(KEYS)), name)(ak.array(VALUES))
    expected = getattr(pd.Series(VALUES).groupby(KEYS), name)()
    assert keys.tolist() == expected.index.tolist()
    assert found.tolist() == pytest.approx(expected.tolist(), nan_ok=True)


def test_groups_of_several_columns_broadcast_and_find():
    groups = ak.GroupBy([ak.array(KEYS), ak.array(["a", "b", "a", "a", "b", "b"])])
    (numbers, texts), sizes = groups.size()
    told = dict(zip(zip(numbers.tolist(), texts.tolist(), strict=True), sizes.tolist(), strict=True))
    assert told == {(1, "b"): 2, (2, "a"): 2, (2, "b"): 1, (3, "a"): 1}
    spread = groups.broadcast(sizes).tolist()
    assert spread == [told[one] for one in zip(KEYS, ["a", "b", "a", "a", "b", "b"], strict=True)]
    assert ak.find(ak.array([3, 1]), ak.array([5, 3, 1])).tolist() == [1, 2]


def test_categories():
    words = ak.Categorical(ak.array(["b", "a", "b", "c"]))
    assert words.tolist() == ["b", "a", "b", "c"]
    assert (words == "b").tolist() == [True, False, True, False]
    assert words[ak.argsort(words)].tolist() == ["a", "b", "b", "c"]
    found, counts = ak.GroupBy(words).size()
    assert dict(zip(found.tolist(), counts.tolist(), strict=True)) == {"a": 1, "b": 2, "c": 1}


def test_series():
    one = ak.Series(ak.array([3, 1, 2]), index=ak.array([10, 20, 30]))
    assert one.loc[20] == 1
    assert one.sort_values().index.tolist() == [20, 30, 10]
    assert (one + one).to_pandas().tolist() == [6, 2, 4]
    assert ak.Series(ak.array([1, 1, 2])).value_counts().to_pandas().to_dict() == {1: 2, 2: 1}


def test_frames():
    frame = ak.DataFrame({"k": KEYS, "v": VALUES})
    assert frame.groupby("k").sum("v")["v"].tolist() == [7.0, 10.0, 4.0]
    assert frame.sort_values("v", ascending=False)["k"].tolist() == KEYS[::-1]
    assert frame[frame["k"] == 2]["v"].tolist() == [1.0, 3.0, 6.0]
    assert frame.tail(1).to_pandas()["v"].tolist() == [6.0]
    pd.testing.assert_frame_equal(frame.to_pandas(), pd.DataFrame({"k": KEYS, "v": VALUES}))


def test_frames_merge():
    left = ak.DataFrame({"k": ak.array([1, 2, 3]), "a": ak.array([10, 20, 30])})
    right = ak.DataFrame({"k": ak.array([2, 3, 3]), "b": ak.array([5, 6, 7])})
    both = ak.merge(left, right, on="k").to_pandas().sort_values(["k", "b"])
    assert both[["a", "b"]].to_numpy().tolist() == [[20, 5], [30, 6], [30, 7]]


def test_joins_by_time():
    a, at = ak.array([1, 1, 2]), ak.array([0, 10, 20])
    for predicate, expected in (("true_dt", 5), ("abs_dt", 3), ("pos_dt", 3)):
        left, right = ak.join_on_eq_with_dt(a, a, at, at, 5, predicate)
        assert left.size == right.size == expected


def test_indexes():
    index = ak.MultiIndex([ak.array([1, 1, 2]), ak.array(["x", "y", "x"])])
    assert index.nlevels == 2
    assert index.lookup([ak.array([1, 2]), ak.array(["y", "x"])]).tolist() == [False, True, True]
    assert ak.Index(ak.array([3, 1])).argsort().tolist() == [1, 0]
