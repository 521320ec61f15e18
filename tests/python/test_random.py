# SPDX-License-Identifier: Apache-2.0
"""The generator: ranges, moments, independence of how the draws are cut and of the session."""

import numpy as np
import pytest
from oracle import same

import atoll as ak

pytestmark = pytest.mark.usefixtures("every_session")
_seen = {}


def test_streams_do_not_depend_on_the_session():
    rng = ak.random.default_rng(12345)
    drawn = {
        "random": rng.random(101),
        "float32": rng.random(11, dtype=np.float32),
        "integers": rng.integers(-5, 1000, (10, 7)),
        "bytes": rng.integers(0, 256, 33, dtype=np.uint8),
        "normal": rng.normal(3, 2, 50),
        "exponential": rng.exponential(2, 50),
        "permutation": rng.permutation(40),
        "choice": rng.choice(100, 20, replace=False),
    }
    for name, values in drawn.items():
        found = values.to_numpy()
        np.testing.assert_array_equal(found, _seen.setdefault(name, found))


def test_draws_continue_the_stream():
    whole = ak.random.default_rng(5).random(100).to_numpy()
    rng = ak.random.default_rng(5)
    parts = np.concatenate([rng.random(30).to_numpy(), rng.random((7, 10)).to_numpy().ravel()])
    np.testing.assert_array_equal(parts, whole)
    assert rng.random() not in whole
    assert not ak.array_equal(ak.random.default_rng(6).random(100), whole)


def test_moments():
    rng = ak.random.default_rng(1)
    n = 100_000
    u, g, e = rng.uniform(2, 4, n), rng.normal(1, 3, n), rng.exponential(0.5, n)
    assert u.min() >= 2 and u.max() < 4 and abs(u.mean() - 3) < 0.02
    assert abs(g.mean() - 1) < 0.05 and abs(g.std() - 3) < 0.05
    assert e.min() >= 0 and abs(e.mean() - 0.5) < 0.01
    counts = ak.bincount(rng.integers(0, 10, n))
    assert counts.size == 10 and counts.min() > 9_500 and counts.max() < 10_500
    z = rng.zipf(1.5, n)
    assert z.min() == 1 and abs((z == 1).mean() - 0.3828) < 0.05


def test_integers_of_every_type():
    rng = ak.random.default_rng(2)
    for dtype in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64):
        info = np.iinfo(dtype)
        x = rng.integers(info.min, info.max, 1000, dtype=dtype, endpoint=True)
        assert x.dtype == dtype and x.max() > info.max - info.max // 50 - 2
    assert set(rng.integers(3, size=200).tolist()) == {0, 1, 2}
    assert set(rng.integers(0, 2, 50, dtype=bool).tolist()) == {True, False}
    assert isinstance(rng.integers(10), np.int64)
    assert isinstance(rng.random(), np.float64)


def test_permutation_shuffle_choice():
    rng = ak.random.default_rng(3)
    same(ak.sort(rng.permutation(100)), np.arange(100))
    x = ak.arange(20).reshape(10, 2)
    y = rng.permutation(x)
    same(ak.sort(y[:, 0]), np.arange(0, 20, 2))
    same(y[:, 1] - y[:, 0], np.ones(10, int))
    rng.shuffle(x)
    same(ak.sort(x[:, 0]), np.arange(0, 20, 2))
    drawn = rng.choice(ak.array([10, 20, 30]), (4, 5))
    assert drawn.shape == (4, 5) and set(drawn.ravel().tolist()) <= {10, 20, 30}
    assert ak.unique(rng.choice(50, 50, replace=False)).size == 50
    assert set(rng.choice(3, 200, p=[0.5, 0.0, 0.5]).tolist()) == {0, 2}
    assert set(rng.choice(3, 2, replace=False, p=[0.5, 0.0, 0.5]).tolist()) == {0, 2}


def test_arkoudas_names():
    a = ak.randint(0, 10, 50, seed=4)
    assert a.dtype == np.int64 and a.min() >= 0 and a.max() < 10
    same(a, ak.randint(0, 10, 50, seed=4).to_ndarray())
    assert ak.randint(0, 10, 5).size == 5
    same(ak.random.randint(10, size=50, seed=4), a.to_ndarray())
    assert 0 <= ak.random.randint(3) < 3
    assert ak.uniform(5, 1, 2, seed=1).min() >= 1
    assert ak.standard_normal(5).shape == (5,)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda r: r.integers(5, 5), ValueError),
        (lambda r: r.integers(0, 300, 3, dtype=np.uint8), ValueError),
        (lambda r: r.integers(0, 5, 3, dtype=float), TypeError),
        (lambda r: r.integers(1.5, 3), ValueError),
        (lambda r: r.random(-1), ValueError),
        (lambda r: r.random("x"), TypeError),
        (lambda r: r.random(3, dtype=int), TypeError),
        (lambda r: r.normal(0, -1, 3), ValueError),
        (lambda r: r.normal(0, np.nan, 3), ValueError),
        (lambda r: r.uniform(2, 1, 3), ValueError),
        (lambda r: r.uniform(0, np.inf, 3), OverflowError),
        (lambda r: r.exponential(-1, 3), ValueError),
        (lambda r: r.zipf(1.0, 3), ValueError),
        (lambda r: r.choice(3, 5, replace=False), ValueError),
        (lambda r: r.choice(3, 2, p=[0.5, 0.6, 0.1]), ValueError),
        (lambda r: r.choice(3, 2, p=[0.5, 0.5]), ValueError),
        (lambda r: r.choice(0, 2), ValueError),
        (lambda r: r.shuffle([1, 2]), TypeError),
        (lambda r: r.random(2**62), MemoryError),
    ],
)
def test_bad_parameters(call, error):
    with pytest.raises(error):
        call(ak.random.default_rng(0))


def test_a_stream_continues_from_its_state():
    rng = ak.random.default_rng(11)
    rng.random(5)
    state = rng.bit_generator.state
    expected = [rng.normal(size=4).to_numpy(), rng.integers(0, 100, 3).to_numpy(), rng.spawn(1)[0].random(2).to_numpy()]
    other = ak.random.default_rng(0)
    other.bit_generator.state = state
    found = [other.normal(size=4).to_numpy(), other.integers(0, 100, 3).to_numpy()]
    found.append(other.spawn(1)[0].random(2).to_numpy())
    for one, two in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, two)
    for wrong in ({}, {"bit_generator": "PCG64"}, 3):
        with pytest.raises(ValueError, match="state must be"):
            other.bit_generator.state = wrong
