# SPDX-License-Identifier: Apache-2.0
"""Joins by order against pandas and by definition."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import same

import atoll as ak

pytestmark = pytest.mark.usefixtures("two_sessions")

sides = st.lists(st.tuples(st.integers(0, 3), st.integers(-20, 20)), max_size=40)


def table(rows, dtype=np.int64):
    rows = sorted(rows, key=lambda row: row[1])
    return np.array([row[0] for row in rows], np.int64), np.array([row[1] for row in rows], dtype)


@given(
    sides,
    sides,
    st.sampled_from(["backward", "forward", "nearest"]),
    st.booleans(),
    st.one_of(st.none(), st.integers(0, 4)),
    st.sampled_from([np.int64, np.float64, np.uint8]),
)
def test_asof(left, right, direction, exact, tolerance, dtype):
    if dtype == np.uint8:
        left, right = ([(by, key + 20) for by, key in side] for side in (left, right))
    (left_by, a), (right_by, b) = table(left, dtype), table(right, dtype)
    one = pd.DataFrame({"key": a, "by": left_by})
    other = pd.DataFrame({"key": b, "by": right_by, "row": np.arange(len(b))})
    options = {"direction": direction, "allow_exact_matches": exact, "tolerance": tolerance}
    for by in (None, "by"):
        expected = pd.merge_asof(one, other if by else other[["key", "row"]], on="key", by=by, **options).row
        found = ak.join_asof(
            ak.array(a), ak.array(b), by=(ak.array(left_by), ak.array(right_by)) if by else None, **options
        )
        same(found.left, np.arange(len(a)))
        same(found.right, expected.fillna(-1).to_numpy(np.int64))


@pytest.mark.parametrize("names", [np.array([-128, 127, 0], np.int8), np.array([2**64 - 1, 2**63, 5], np.uint64)])
def test_asof_by_numbers_at_the_ends_of_their_types(names):
    day, other_day = ak.array([1, 2, 3, 4]), ak.array([0, 1, 2])
    rows = ak.join_asof(day, other_day, by=(ak.array(names[[0, 1, 2, 0]]), ak.array(names[[1, 0, 1]])))
    same(rows.right, np.array([1, 2, -1, 1]))


def test_asof_by_several_and_texts():
    day, other_day = ak.array([1, 2, 2, 3]), ak.array([0, 2, 3])
    name, other_name = ak.array(["a", "b", None, "a"]), ak.array(["a", "b", "a"])
    same(ak.join_asof(day, other_day, by=(name, other_name)).right, np.array([0, 1, -1, 2]))
    part, other_part = ak.array([1, 1, 1, 2]), ak.array([1, 1, 1])
    rows = ak.join_asof(day, other_day, by=([name, part], [other_name, other_part]))
    same(rows.right, np.array([0, 1, -1, -1]))
    # A missing part equals nothing, whatever the other one is.
    rows = ak.join_asof(day, other_day, by=([part, name], [other_part, ak.array([None, None, "a"])]))
    same(rows.right, np.full(4, -1))


@given(
    st.lists(st.integers(-5, 5), max_size=20), st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), max_size=20)
)
def test_between(keys, intervals):
    key = np.array(keys, np.int64)
    low, high = (np.array([one[i] for one in intervals], np.int64) for i in (0, 1))
    inside = {
        "both": lambda k, a, b: (a <= k) & (k <= b),
        "left": lambda k, a, b: (a <= k) & (k < b),
        "right": lambda k, a, b: (a < k) & (k <= b),
        "neither": lambda k, a, b: (a < k) & (k < b),
    }
    for closed, of in inside.items():
        left, right = np.nonzero(of(key[:, None], low[None], high[None]))
        rows = ak.join_between(ak.array(key), ak.array(low), ak.array(high), closed)
        same(rows.left, left)
        same(rows.right, right)


@given(*[st.lists(st.tuples(st.integers(-9, 9), st.integers(-1, 4)), max_size=20) for _ in range(2)])
def test_overlaps(left, right):
    a, b = (np.array([row[0] for row in side], np.float64) for side in (left, right))
    a_end, b_end = (np.array([row[0] + row[1] for row in side], np.float64) for side in (left, right))
    ends = [ak.array(one) for one in (a, a_end, b, b_end)]
    real = (a <= a_end)[:, None] & (b <= b_end)[None]
    expected = np.nonzero(real & (a[:, None] <= b_end[None]) & (b[None] <= a_end[:, None]))
    same(ak.join_overlaps(*ends), (expected[0], expected[1]))
    real = (a < a_end)[:, None] & (b < b_end)[None]
    expected = np.nonzero(real & (a[:, None] < b_end[None]) & (b[None] < a_end[:, None]))
    same(ak.join_overlaps(*ends, closed="neither"), (expected[0], expected[1]))


@pytest.mark.parametrize("shift", [0, 7, -7, 3000, -3000, 20_000])
def test_rows_whose_partners_other_pes_have(shift):
    """Of 5,000 rows a side on several PEs: near their own, of the next PE, all of one end, none."""
    rng = np.random.default_rng(shift + 30_000)
    left, right = np.sort(rng.integers(0, 10_000, 5000)), np.sort(rng.integers(0, 10_000, 5001)) + shift
    for direction, side in (("backward", "right"), ("forward", "left")):
        expected = np.searchsorted(right, left, side=side) - (1 if direction == "backward" else 0)
        expected[expected == len(right)] = -1
        same(ak.join_asof(ak.array(left), ak.array(right), direction=direction).right, expected)


@pytest.mark.parametrize("at", [1, 2499, 2500, 3333, 3334, 4999])
def test_keys_out_of_order_anywhere(at):
    ordered = ak.arange(5000)
    wrong = np.arange(5000)
    wrong[at] = wrong[at - 1] - 1
    with pytest.raises(ValueError, match="left keys must be sorted"):
        ak.join_asof(ak.array(wrong), ordered)
    with pytest.raises(ValueError, match="right keys must be sorted"):
        ak.join_asof(ordered, ak.array(wrong))
    with pytest.raises(ValueError, match="right keys must be sorted"):
        ak.join_asof(ordered, ak.array(wrong), by=(ordered, ordered))


def test_missing_ends_and_bad_input():
    rows = ak.join_between(ak.array([1, None, 3]), ak.array([0, None]), ak.array([9, 9]))
    same(rows.left, np.array([0, 2]))
    with pytest.raises(ValueError, match="left keys must be sorted"):
        ak.join_asof(ak.array([2, 1]), ak.array([1]))
    with pytest.raises(ValueError, match="null values on right side"):
        ak.join_asof(ak.array([1.0]), ak.array([np.nan]))
    with pytest.raises(ValueError, match="direction invalid: up"):
        ak.join_asof(ak.array([1]), ak.array([1]), direction="up")
    with pytest.raises(ValueError, match="tolerance must be positive"):
        ak.join_asof(ak.array([1]), ak.array([1]), tolerance=-1)
    with pytest.raises(TypeError, match="numbers or dates"):
        ak.join_asof(ak.array(["a"]), ak.array(["a"]))
    with pytest.raises(TypeError, match="no common type"):
        ak.join_asof(ak.array([1]), ak.array([1], dtype=np.uint64))
    with pytest.raises(ValueError, match="closed must be"):
        ak.join_between(ak.array([1]), ak.array([1]), ak.array([1]), "up")
    with pytest.raises(ValueError, match="one length, got 1 and 2"):
        ak.join_between(ak.array([1]), ak.array([1]), ak.array([1, 2]))
    n = 3_000_000
    with pytest.raises(MemoryError, match="pairs need some"):
        ak.join_between(ak.zeros(n), ak.zeros(n), ak.ones(n))
