# SPDX-License-Identifier: Apache-2.0
"""shares_memory and may_share_memory, of Atoll arrays and of NumPy's."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

import atoll as ak

VIEWS = [
    lambda a: a,
    lambda a: a[1:],
    lambda a: a[:2],
    lambda a: a[::2],
    lambda a: a[1::2],
    lambda a: a.T,
    lambda a: a[:, 1:3],
    lambda a: a[:, ::-2],
    lambda a: a.reshape(-1),
    lambda a: a.reshape(-1)[5:7],
    lambda a: a[2, 3],
    lambda a: a[2:3, 3:4],
    lambda a: a[:0],
    lambda a: a.view("int32"),
    lambda a: a[1:2].T[::3],
]


def pair():
    x = np.arange(24).reshape(4, 6)
    return ak.array(x), x


def test_views_of_one_array(two_sessions):
    a, x = pair()
    for one in VIEWS:
        for other in VIEWS:
            for name in ("shares_memory", "may_share_memory"):
                expected = getattr(np, name)(one(x), other(x))
                assert getattr(ak, name)(one(a), other(a)) == expected
                assert getattr(np, name)(one(a), other(a)) == expected


def test_numpys_views_of_our_memory(one_session):
    a, _ = pair()
    x = np.asarray(a)
    for one in VIEWS:
        for other in VIEWS:
            assert ak.shares_memory(one(a), other(x)) == np.shares_memory(one(x), other(x))
            assert np.may_share_memory(other(x), one(a)) == np.may_share_memory(other(x), one(x))
    assert not ak.shares_memory(a + 0, x)
    assert not ak.shares_memory(a, x.copy())
    a[0, 0] = 7  # NumPy's array keeps its values
    assert not ak.shares_memory(a, x)
    shared = a.to_numpy(False)
    assert ak.shares_memory(a, shared)
    assert not ak.shares_memory(a[1:], shared[:1])
    assert ak.shares_memory(a, a.local())


def test_our_arrays_on_numpys_memory(one_session):
    x = np.arange(10.0)
    a, b = ak.asarray(x), ak.asarray(x)
    assert ak.shares_memory(a, x)
    assert ak.shares_memory(x[3:], a)
    assert not ak.shares_memory(a[:3], x[3:])
    assert not ak.shares_memory(ak.array(x), x)
    assert ak.shares_memory(a, b)


def test_parts_of_several_pes(two_sessions):
    a, x = pair()
    assert ak.shares_memory(a, a.local())
    assert not ak.shares_memory(a, x)
    assert not ak.shares_memory(ak.array(1j) + a, a.local())


def test_neither_is_ours():
    x = np.arange(4)
    assert ak.shares_memory(x, x[1:])
    assert not ak.shares_memory(x[:1], x[1:])
    assert ak.may_share_memory(x[::2], x[1::2])


@pytest.mark.parametrize("algorithm", ["lloyd", "elkan"])
def test_clusters_of_scikit_learn(two_sessions, algorithm):
    points = np.random.default_rng(5).normal(size=(90, 3)) + np.repeat(np.arange(3), 30)[:, None] * 9
    ours = KMeans(3, random_state=0, n_init=1, algorithm=algorithm).fit(ak.array(points))
    theirs = KMeans(3, random_state=0, n_init=1, algorithm=algorithm).fit(points)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_array_equal(ours.predict(ak.array(points)), theirs.predict(points))
