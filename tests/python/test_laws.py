# SPDX-License-Identifier: Apache-2.0
"""Laws of probability: the distribution functions of draws beside those of NumPy's generator, at fixed seeds."""

import numpy as np
import pytest

import atoll as ak

pytestmark = pytest.mark.usefixtures("every_session")
N = 20_000
#: Largest distance of two empirical distribution functions of N draws each, passed once in a thousand.
LIMIT = 1.95 * (2 / N) ** 0.5
_seen = {}

#: Where a law is drawn in several ways, parameters for each.
LAWS = [
    ("beta", 2.0, 3.0), ("beta", 0.3, 0.6), ("beta", 0.002, 0.004), ("beta", 0.5, 4.0), ("chisquare", 3.0),
    ("f", 4.0, 5.0), ("gamma", 2.5, 2.0), ("gamma", 0.4, 1.0), ("gamma", 1.0, 3.0), ("gumbel", 1.0, 2.0),
    ("laplace", 1.0, 2.0), ("logistic", 1.0, 2.0), ("noncentral_chisquare", 3.0, 2.0),
    ("noncentral_chisquare", 0.6, 2.0), ("noncentral_f", 3.0, 6.0, 2.0), ("pareto", 3.0), ("power", 0.4),
    ("power", 3.0), ("rayleigh", 2.0), ("standard_cauchy",), ("standard_gamma", 7.0), ("standard_t", 3.0),
    ("triangular", 0.0, 1.0, 3.0), ("triangular", 0.0, 0.0, 3.0), ("vonmises", 0.5, 2.0), ("vonmises", -3.0, 0.5),
    ("vonmises", 1.0, 1e-6), ("vonmises", 1.0, 1e-9), ("vonmises", 1.0, 2e6), ("wald", 1.0, 2.0),
    ("wald", 1000.0, 0.1), ("weibull", 0.7), ("weibull", 3.0), ("binomial", 10, 0.3), ("binomial", 10, 0.8),
    ("binomial", 1000, 0.2), ("binomial", 10**15, 0.4), ("binomial", 10**15, 3e-15), ("geometric", 0.2),
    ("geometric", 1.0), ("geometric", 1e-9), ("hypergeometric", 5, 7, 4), ("hypergeometric", 50, 70, 40),
    ("hypergeometric", 70, 50, 90), ("hypergeometric", 10**6, 10**7, 10**5), ("hypergeometric", 9, 5, 13),
    ("logseries", 0.6), ("logseries", 0.99), ("negative_binomial", 3.5, 0.4), ("poisson", 0.7), ("poisson", 9.9),
    ("poisson", 10.1), ("poisson", 1e6), ("poisson", 1e15), ("lognormal", 0.5, 0.4), ("normal", 1.0, 2.0),
    ("exponential", 2.0),
]  # fmt: skip


def distance(x, y):
    """The largest distance of the distribution functions of two samples."""
    both = np.concatenate([x, y])
    return abs(
        np.searchsorted(np.sort(x), both, "right") / x.size - np.searchsorted(np.sort(y), both, "right") / y.size
    ).max()


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_distribution(law):
    name, *parameters = law
    drawn = getattr(ak.random.default_rng(11), name)(*parameters, size=N)
    found = drawn.to_numpy()
    if law in _seen:  # the same bits in every session
        np.testing.assert_array_equal(found, _seen[law])
        return
    _seen[law] = found
    expected = getattr(np.random.default_rng(12), name)(*parameters, size=N)
    assert found.dtype == expected.dtype
    assert distance(found, expected) < LIMIT
    # A neighbour tells nothing of the next one.
    ranks = np.argsort(np.argsort(found, kind="stable"), kind="stable") / N - 0.5
    if len(np.unique(found)) > 100:
        assert abs((ranks[1:] * ranks[:-1]).mean() * 12) < 4 / N**0.5


def test_a_parameter_for_each_element():
    rng = ak.random.default_rng(3)
    means = ak.array([0.5, 20.0, 3000.0])
    drawn = rng.poisson(means, size=(4000, 3)).to_numpy()
    np.testing.assert_allclose(drawn.mean(axis=0), means.to_numpy(), rtol=0.06)
    np.testing.assert_allclose(drawn.var(axis=0), means.to_numpy(), rtol=0.12)
    again = ak.random.default_rng(3).poisson(3000.0, size=(4000, 3)).to_numpy()
    np.testing.assert_array_equal(drawn[:, 2], again[:, 2])  # an array of one number and the number: the same draws
    assert rng.gamma([1.0, 2.0]).shape == (2,)
    assert rng.hypergeometric(5, [5, 7], 3).dtype == np.int64
    assert isinstance(rng.poisson(3.0), np.int64) and isinstance(rng.gamma(3.0), np.float64)
    assert rng.standard_gamma(2.0, 5, dtype=np.float32).dtype == np.float32
    with pytest.raises(ValueError, match="Output size"):
        rng.poisson(means, size=(3, 4))


def test_integers_with_bounds_of_their_own():
    rng = ak.random.default_rng(4)
    low, high = np.array([0, -5, 2**62]), np.array([2, -3, 2**63 - 1])
    drawn = rng.integers(low, high, size=(2000, 3)).to_numpy()
    assert (drawn >= low).all() and (drawn < high).all()
    assert abs(drawn[:, 0].mean() - 0.5) < 0.05 and set(drawn[:, 1].tolist()) == {-5, -4}
    assert set(rng.integers([3], 4, size=100, endpoint=True, dtype=np.uint8).tolist()) == {3, 4}
    for bad in (([1, 2], 2), ([0.5], 2), ([-1], 2)):
        with pytest.raises((ValueError, TypeError)):
            rng.integers(*bad, dtype=np.uint8)


def test_draws_continue_the_stream():
    whole = ak.random.default_rng(5).binomial(100, 0.3, 100).to_numpy()
    rng = ak.random.default_rng(5)
    np.testing.assert_array_equal(np.concatenate([rng.binomial(100, 0.3, n).to_numpy() for n in (30, 70)]), whole)
    whole = ak.random.default_rng(5).multinomial(50, [0.2, 0.5, 0.3], 40).to_numpy()
    rng = ak.random.default_rng(5)
    parts = [rng.multinomial(50, [0.2, 0.5, 0.3], n).to_numpy() for n in (15, 25)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_vectors():
    rng = ak.random.default_rng(6)
    x = rng.multinomial(30, [0.2, 0.5, 0.3], 4000).to_numpy()
    assert (x.sum(axis=1) == 30).all() and x.dtype == np.int64
    np.testing.assert_allclose(x.mean(axis=0), [6, 15, 9], rtol=0.05)
    np.testing.assert_allclose(np.cov(x.T)[0, 1], -30 * 0.2 * 0.5, rtol=0.15)
    assert rng.multinomial([3, 4], [0.5, 0.5]).sum(axis=1).tolist() == [3, 4]
    x = rng.multivariate_hypergeometric([30, 50, 20], 40, 4000).to_numpy()
    assert (x.sum(axis=1) == 40).all()
    np.testing.assert_allclose(x.mean(axis=0), [12, 20, 8], rtol=0.05)
    for alpha in ([2.0, 3.0, 5.0], [0.02, 0.03, 0.05]):
        x = rng.dirichlet(alpha, 8000).to_numpy()
        np.testing.assert_allclose(x.sum(axis=1), 1)
        np.testing.assert_allclose(x.mean(axis=0), np.array(alpha) / sum(alpha), atol=0.02)
        total = sum(alpha)
        variance = [a * (total - a) / total**2 / (total + 1) for a in alpha]
        np.testing.assert_allclose(x.var(axis=0), variance, rtol=0.1)
    covariance = np.array([[2.0, -0.5], [-0.5, 1.0]])
    for method in ("svd", "eigh", "cholesky"):
        x = rng.multivariate_normal([1, -2], covariance, (20, 400), method=method).to_numpy()
        assert x.shape == (20, 400, 2)
        np.testing.assert_allclose(np.cov(x.reshape(-1, 2).T), covariance, atol=0.1)
    with pytest.warns(RuntimeWarning, match="positive-semidefinite"):
        rng.multivariate_normal([0, 0], [[1, 2], [2, 1]])


def test_permuted_and_spawn():
    rng = ak.random.default_rng(7)
    x = np.arange(60).reshape(3, 20)
    drawn = rng.permuted(x, axis=1).to_numpy()
    assert not np.array_equal(drawn, x) and (np.sort(drawn, axis=1) == x).all()
    assert len({tuple(row % 20) for row in drawn}) == 3  # each row in an order of its own
    drawn = rng.permuted(x).to_numpy()
    assert (np.sort(drawn, axis=None) == x.ravel()).all() and not np.array_equal(np.sort(drawn, axis=1), x)
    out = ak.zeros(4, int)
    assert rng.permuted(ak.arange(4), out=out) is out and sorted(out.tolist()) == [0, 1, 2, 3]
    children = [*ak.random.default_rng(8).spawn(2), ak.random.default_rng(9).spawn(1)[0]]
    first = [tuple(child.random(5).tolist()) for child in children]
    assert len(set(first)) == 3
    parent = ak.random.default_rng(8)
    assert tuple(parent.spawn(1)[0].random(5).tolist()) == first[0]
    assert tuple(parent.spawn(1)[0].random(5).tolist()) == first[1]


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("beta", (0, 1)), ("chisquare", (0,)), ("f", (1, -1)), ("gamma", (-1,)), ("gumbel", (0, -1)),
        ("laplace", (0, -1)), ("noncentral_chisquare", (1, -1)), ("pareto", (0,)), ("power", (0,)),
        ("rayleigh", (-1,)), ("standard_t", (0,)), ("triangular", (2, 1, 3)), ("triangular", (0, 4, 3)),
        ("triangular", (0, 0, 0)), ("triangular", ([0, 2], 1, 3)), ("vonmises", (0, -1)), ("wald", (0, 1)),
        ("weibull", (-1,)), ("binomial", (-1, 0.5)), ("binomial", (3, 1.5)), ("binomial", (3, [0.5, np.nan])),
        ("geometric", (0,)), ("hypergeometric", (3, 4, 8)), ("hypergeometric", (10**9, 1, 1)), ("logseries", (1,)),
        ("negative_binomial", (0, 0.5)), ("negative_binomial", (1, 0)), ("poisson", (-1,)), ("poisson", (1e19,)),
        ("multinomial", (-1, [0.5, 0.5])), ("multinomial", (3, [0.7, 0.7, 0.1])), ("multinomial", (3, [-0.1, 1.1])),
        ("multivariate_hypergeometric", ([3, 4], 8)), ("multivariate_hypergeometric", ([-3, 4], 1)),
        ("dirichlet", ([-1, 2],)), ("multivariate_normal", ([0, 0], [[1, 0]])),
    ],
    ids=str,
)  # fmt: skip
def test_bad_parameters(name, parameters):
    with pytest.raises(ValueError):
        getattr(np.random.default_rng(0), name)(*parameters)
    with pytest.raises(ValueError):
        getattr(ak.random.default_rng(0), name)(*parameters)


def test_every_law_of_numpys_is_here():
    theirs = {name for name in dir(np.random.Generator) if not name.startswith("_")} - {"bit_generator"}
    assert theirs <= set(dir(ak.random.Generator))
