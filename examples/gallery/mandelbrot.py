# SPDX-License-Identifier: Apache-2.0
"""The Mandelbrot set

Each step is one fused pass over all cores: product, sum, comparison and count.
"""

import matplotlib.pyplot as plt

import atoll as ak

x, y = ak.linspace(-2.1, 0.7, 900), ak.linspace(-1.2, 1.2, 780)
c = x + 1j * y.reshape(-1, 1)
z, steps = ak.zeros_like(c), ak.zeros(c.shape, "int64")
for _ in range(60):
    inside = ak.abs(z) < 2
    z = ak.where(inside, z * z + c, z)
    steps = steps + inside

figure, ax = plt.subplots(figsize=(6, 5))
ax.imshow(steps.to_ndarray(), extent=(-2.1, 0.7, -1.2, 1.2), cmap="twilight_shifted", origin="lower")
ax.set(xlabel="real part", ylabel="imaginary part")
