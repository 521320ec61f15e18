# SPDX-License-Identifier: Apache-2.0
"""Joins against pandas."""

import numpy as np
import pandas as pd
import pytest
from oracle import same

import atoll as ak

pytestmark = pytest.mark.usefixtures("every_session")

KEYS = {
    "dense": lambda rng, n: [rng.integers(0, 40, n)],
    "sparse": lambda rng, n: [rng.integers(-(2**62), 2**62, 50)[rng.integers(0, 50, n)]],
    "unique": lambda rng, n: [rng.permutation(3 * n)[:n]],
    "floats": lambda rng, n: [np.where(rng.random(n) < 0.1, np.nan, np.round(rng.normal(0, 3, n), 1))],
    "two": lambda rng, n: [rng.integers(0, 5, n).astype(np.int8), rng.integers(0, 9, n).astype(np.uint16)],
    "wide": lambda rng, n: [
        rng.normal(0, 1, 9)[rng.integers(0, 9, n)],
        rng.integers(0, 2**62, 5)[rng.integers(0, 5, n)],
    ],
}


def expected(left, right, how):
    """Row numbers by pandas, in our order."""
    names = [f"k{i}" for i in range(len(left))]
    a = pd.DataFrame(dict(zip(names, left, strict=True))).assign(left=np.arange(len(left[0])))
    b = pd.DataFrame(dict(zip(names, right, strict=True))).assign(right=np.arange(len(right[0])))
    pairs = a.merge(b, on=names, how=how)
    pairs = pairs[["left", "right"]].fillna(-1).astype(np.int64)
    if how == "outer":
        alone = pairs[pairs.left < 0].sort_values("right")
        return pd.concat([pairs[pairs.left >= 0].sort_values(["left", "right"]), alone])
    return pairs.sort_values(["right", "left"] if how == "right" else ["left", "right"])


@pytest.mark.parametrize(("n", "m"), [(0, 0), (0, 5), (5, 0), (1, 1), (300, 200), (2001, 77)])
@pytest.mark.parametrize("kind", KEYS)
def test_pairs_are_pandas(kind, n, m):
    rng = np.random.default_rng(n + m)
    pool = KEYS[kind](rng, n + m)
    left, right = [key[:n] for key in pool], [key[n:] for key in pool]
    lefts, rights = [ak.array(key) for key in left], [ak.array(key) for key in right]
    for how in ("inner", "left", "right", "outer"):
        rows, want = ak.join(lefts, rights, how), expected(left, right, how)
        same(rows.left, want.left.to_numpy())
        same(rows.right, want.right.to_numpy())
    partners = expected(left, right, "inner").left.unique()
    semi, anti = ak.join(lefts, rights, "semi"), ak.join(lefts, rights, "anti")
    assert semi.right is None
    assert anti.right is None
    same(semi.left, np.sort(partners).astype(np.int64))
    same(anti.left, np.setdiff1d(np.arange(n), partners))


def test_a_key_that_repeats_and_columns_by_rows():
    left, right = ak.zeros(300, dtype=np.int64), ak.zeros(200, dtype=np.int64)
    rows = ak.join(left, right)
    same(rows.left, np.repeat(np.arange(300), 200))
    same(rows.right, np.tile(np.arange(200), 300))
    name = ak.array([10.0, 20.0])
    rows = ak.join(ak.array([2, 1, 2]), ak.array([1, 2]))
    same(name[rows.right], np.array([20.0, 10.0, 20.0]))


def test_cross():
    rows = ak.join(ak.arange(3), ak.arange(2), "cross")
    same(rows.left, np.array([0, 0, 1, 1, 2, 2]))
    same(rows.right, np.array([0, 1, 0, 1, 0, 1]))


def test_types_meet():
    same(ak.join(ak.array([1.0, 2.5]), ak.array([1, 2])).left, np.array([0]))
    same(ak.join(ak.array([True, False]), ak.array([0, 1], dtype=np.uint8)).right, np.array([1, 0]))
    same(ak.join(ak.array([-1, 3], dtype=np.int8), ak.array([3, 255], dtype=np.uint8)).left, np.array([1]))
    with pytest.raises(TypeError, match="int64 and uint64 have no common type"):
        ak.join(ak.array([1]), ak.array([1], dtype=np.uint64))


def test_errors_of_bad_input_contain_advice():
    with pytest.raises(ValueError, match="no join 'iner'; there are inner"):
        ak.join(ak.arange(2), ak.arange(2), "iner")
    with pytest.raises(ValueError, match="as many keys on either side, got 2 and 1"):
        ak.join([ak.arange(2), ak.arange(2)], ak.arange(2))
    with pytest.raises(ValueError, match="one length, got 2 and 3"):
        ak.join([ak.arange(2), ak.arange(3)], [ak.arange(2), ak.arange(2)])
    with pytest.raises(ValueError, match="1-dimensional"):
        ak.join(ak.zeros((2, 2)), ak.arange(2))
    big = ak.zeros(1_000_000, dtype=np.int64)
    with pytest.raises(MemoryError):
        ak.join(big, big)
    same(ak.join(ak.arange(2), ak.arange(2)).left, np.arange(2))
