# SPDX-License-Identifier: Apache-2.0
"""An allreduce on machines of up to 4,096 nodes

Simulated message by message: carried out by hosts, and by network interfaces.
"""

import matplotlib.pyplot as plt

from atoll import sim

nodes = [16, 64, 256, 1024, 4096]
figure, ax = plt.subplots(figsize=(7, 4))
for algorithm in ["recursive_doubling", "tree4"]:
    for executor in ["host", "interface"]:
        times = [
            sim.simulate(
                "study", "allreduce", one, bytes=8, element_bytes=8, algorithm=algorithm, executor=executor
            )["time_s"] * 1e6
            for one in nodes
        ]  # fmt: skip
        ax.plot(nodes, times, marker="o", label=f"{algorithm}, {executor}")
ax.set(xscale="log", xlabel="nodes", ylabel="time in µs")
ax.set_xticks(nodes, [str(one) for one in nodes])
ax.legend()
