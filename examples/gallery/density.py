# SPDX-License-Identifier: Apache-2.0
"""Density of 10 million points

Counts are taken where the points are; only the 300 x 300 counts reach matplotlib.
"""

import matplotlib.pyplot as plt

import atoll as ak

rng = ak.random.default_rng(7)
angle = rng.uniform(0, 40, 10_000_000)
radius = angle + rng.standard_normal(10_000_000)
counts, _, _ = ak.histogram2d(radius * ak.cos(angle), radius * ak.sin(angle), bins=300)

figure, ax = plt.subplots(figsize=(5, 5))
ax.imshow(counts.to_ndarray() ** 0.5, cmap="magma", origin="lower")
ax.set_axis_off()
