# SPDX-License-Identifier: Apache-2.0
"""Two tones in noise

A Fourier transform of four million samples; the strongest bins are found before anything is collected.
"""

import matplotlib.pyplot as plt

import atoll as ak

rate, count = 44_100, 1 << 22
t = ak.arange(count) / rate
signal = 0.02 * ak.sin(2 * ak.pi * 440 * t) + 0.01 * ak.sin(2 * ak.pi * 1_000 * t)
signal = signal + ak.random.default_rng(3).standard_normal(count)
power = ak.abs(ak.fft.rfft(signal)) ** 2 / count
frequency = ak.fft.rfftfreq(count, 1 / rate)
shown = (frequency > 400) & (frequency < 1_100) & (power > 8)

figure, ax = plt.subplots(figsize=(7, 4))
ax.vlines(frequency[shown].to_ndarray(), 1, power[shown].to_ndarray(), linewidth=1)
ax.set(xlabel="frequency in Hz", ylabel="power", yscale="log")
