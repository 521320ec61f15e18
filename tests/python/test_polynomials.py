# SPDX-License-Identifier: Apache-2.0
"""Fitting polynomials: NumPy's coefficients, covariances and warnings."""

import warnings

import numpy as np
import pytest

import atoll as ak

pytestmark = pytest.mark.usefixtures("every_session")

X = np.linspace(-2.0, 3.0, 57)
Y = 0.5 * X**3 - X + np.sin(7 * X)


def close(found, expected, rtol=1e-9):
    assert isinstance(found, ak.ndarray)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.to_numpy(), expected, rtol=rtol, atol=1e-12)


@pytest.mark.parametrize("degree", [0, 1, 3, 8])
def test_coefficients(degree):
    close(ak.polyfit(ak.array(X), ak.array(Y), degree), np.polyfit(X, Y, degree))


def test_weights_and_several_sets():
    weights, both = 1 + X**2, np.stack([Y, -2 * Y + 1], 1)
    close(ak.polyfit(ak.array(X), ak.array(both), 2, w=ak.array(weights)), np.polyfit(X, both, 2, w=weights))


@pytest.mark.parametrize("scale", [True, "unscaled"])
def test_covariance(scale):
    for values in (Y, np.stack([Y, Y**2], 1)):
        found = ak.polyfit(ak.array(X), ak.array(values), 2, cov=scale)
        for one, other in zip(found, np.polyfit(X, values, 2, cov=scale), strict=True):
            close(one, other)
    with pytest.raises(ValueError, match="exceed order"):
        ak.polyfit(ak.array(X[:3]), ak.array(Y[:3]), 2, cov=True)


def test_everything():
    found, expected = ak.polyfit(ak.array(X), ak.array(Y), 3, full=True), np.polyfit(X, Y, 3, full=True)
    for one, other in zip((found[0], found[1], found[3]), (expected[0], expected[1], expected[3]), strict=True):
        close(one, other)
    assert found[2] == expected[2] and found[4] == expected[4]


def test_an_ill_conditioned_fit_is_as_near_as_numpys():
    x = 1e3 + np.linspace(0, 1, 300)
    y = (x - 1e3) ** 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.RankWarning)
        ours = np.polyval(ak.polyfit(ak.array(x), ak.array(y), 2).to_numpy(), x)
        theirs = np.polyval(np.polyfit(x, y, 2), x)
    assert abs(ours - y).max() <= 10 * abs(theirs - y).max() + 1e-9


def test_too_few_points_warn():
    with pytest.warns(np.exceptions.RankWarning):
        ak.polyfit(ak.array([1.0, 1.0]), ak.array([2.0, 2.0]), 1)
