# SPDX-License-Identifier: Apache-2.0
"""Convolution of long sequences, by transforms: integers exact, floats within the error of the largest sum."""

import numpy as np
import pytest

import atoll as ak
from atoll.fft import convolution

pytestmark = pytest.mark.usefixtures("two_sessions")
SIZES = [(1500, 1025), (1100, 3001), (1025, 1025)]


@pytest.fixture(autouse=True)
def by_transforms(monkeypatch):
    monkeypatch.setattr(convolution, "_by_passes", None)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "uint64"])
def test_whole_numbers_are_exact(dtype, mode):
    rng = np.random.default_rng(5)
    for sizes in SIZES:
        if dtype == "bool":
            a, v = (rng.random(size) < 0.01 for size in sizes)
        else:
            limits = np.iinfo(dtype)
            a, v = (rng.integers(limits.min, limits.max, size, dtype, endpoint=True) for size in sizes)
            a[:3] = limits.min, limits.max, limits.max
        for name in ("convolve", "correlate"):
            found = getattr(ak, name)(ak.array(a), ak.array(v), mode)
            expected = getattr(np, name)(a, v, mode)
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found.to_numpy(), expected)


def test_digits_give_whole_numbers_again():
    values = np.array([0, 1, -1, 2**63 - 1, -(2**63), 12345678901234567, -987654321])
    for bits in (2, 7, 11, 20):
        total = np.zeros(values.size, np.int64)
        for place, digit in enumerate(convolution._digits(ak.array(values), bits)):
            assert int(abs(digit).max()) <= 1 << (bits - 1)
            total += digit.to_numpy() << (bits * place)
        np.testing.assert_array_equal(total, values)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_floats(dtype, mode):
    rng = np.random.default_rng(6)
    unit = np.finfo(dtype).eps
    for sizes in SIZES:
        a, v = (rng.normal(size=size) for size in sizes)
        if dtype.startswith("c"):
            a, v = a + 1j * rng.normal(size=a.size), v - 2j * rng.normal(size=v.size)
        a, v = a.astype(dtype), v.astype(dtype)
        for name in ("convolve", "correlate"):
            found = getattr(ak, name)(ak.array(a), ak.array(v), mode)
            expected = getattr(np, name)(a, v, mode)
            assert found.dtype == expected.dtype
            np.testing.assert_allclose(found.to_numpy(), expected, rtol=0, atol=100 * unit * abs(expected).max())


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300])
def test_floats_that_are_too_large_or_not_finite_go_by_passes(monkeypatch, value):
    monkeypatch.undo()
    monkeypatch.setattr(convolution, "_MOST_PASSES", 64)
    a, v = np.ones(110), np.ones(70)
    a[3] = value
    v[2] = 1e20
    found = ak.convolve(ak.array(a), ak.array(v)).to_numpy()
    np.testing.assert_allclose(found, np.convolve(a, v), rtol=1e-12)


def test_complex_correlation_conjugates_the_second(monkeypatch):
    monkeypatch.undo()
    a, v = np.array([1 + 2j, 3j, 4]), np.array([1j, 2 - 1j])
    for mode in ("full", "same", "valid"):
        np.testing.assert_array_equal(ak.correlate(ak.array(a), ak.array(v), mode).to_numpy(), np.correlate(a, v, mode))
        np.testing.assert_array_equal(ak.correlate(ak.array(v), ak.array(a), mode).to_numpy(), np.correlate(v, a, mode))
