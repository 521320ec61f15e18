# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms of many lengths beside NumPy's; long vectors as matrices; there and back."""

import numpy as np
import pytest

import atoll as ak
from atoll.fft import rows

pytestmark = pytest.mark.usefixtures("every_session")
_seen = {}


def signal(*shape):
    rng = np.random.default_rng(shape)
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


def close(found, expected, unit=1e-14):
    assert found.dtype == expected.dtype and found.shape == expected.shape
    np.testing.assert_allclose(found.to_numpy(), expected, atol=unit * max(1.0, abs(expected).max()))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 12, 49, 61, 64, 67, 134, 210, 997, 1024])
def test_lengths(n):
    for x in (signal(n), signal(3, n), signal(n).real):
        close(ak.fft.fft(ak.array(x)), np.fft.fft(x))
        close(ak.fft.ifft(ak.array(x)), np.fft.ifft(x))
    x = signal(n, 3)
    close(ak.fft.fft(ak.array(x), axis=0), np.fft.fft(x, axis=0))


@pytest.mark.parametrize("n", [2048, 2310, 2311])  # a square of factors, many of them, a prime
def test_long_vectors(monkeypatch, n):
    monkeypatch.setattr(rows, "_LONG", 1000)
    assert (rows._sides(n) is None) == (n == 2311)
    x = signal(n)
    found = ak.fft.fft(ak.array(x))
    close(found, np.fft.fft(x))
    np.testing.assert_array_equal(_seen.setdefault(n, found.to_numpy()), found.to_numpy())  # the same in every session
    close(ak.fft.ifft(found), x)
    close(ak.fft.rfft(ak.array(x.real)), np.fft.rfft(x.real))
    close(ak.fft.irfft(ak.fft.rfft(ak.array(x.real)), n), x.real)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_three_axes(dtype):
    x = signal(6, 10, 14).astype(dtype)
    unit = 1e-14 if dtype == "complex128" else 1e-6
    close(ak.fft.fftn(ak.array(x)), np.fft.fftn(x), unit)
    close(ak.fft.ifftn(ak.fft.fftn(ak.array(x))), x, unit)
    close(ak.fft.irfftn(ak.fft.rfftn(ak.array(x.real)), x.shape), x.real, unit)
