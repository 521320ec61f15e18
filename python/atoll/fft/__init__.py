# SPDX-License-Identifier: Apache-2.0
"""Discrete Fourier transforms, by NumPy's names: of any length, along any axes.

Each PE transforms its rows and, along the first axis, its share of the columns. A long vector is cut into a matrix
whose rows and columns are transformed in turn, so that it needs to fit no PE.
"""

from .frequencies import fftfreq, fftshift, ifftshift, rfftfreq
from .several import fft2, fftn, ifft2, ifftn, irfft2, irfftn, rfft2, rfftn
from .single import fft, hfft, ifft, ihfft, irfft, rfft

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft", "irfft",
    "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip
