# SPDX-License-Identifier: Apache-2.0
"""Simulation of collectives: their time on 32,768 nodes, under noise, or offloaded to network interfaces.

The simulated steps are those that Atoll's collectives run, produced by the same code.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from atoll.sim.machine import load, presets
from atoll.sim.point import Point
from atoll.sim.source import SimError

__all__ = ["SimError", "machines", "simulate"]


def machines() -> list[str]:
    """Names of the machines that come with Atoll.

    Examples
    --------
    >>> from atoll import sim
    >>> "study" in sim.machines()
    True
    """
    return list(presets())


def simulate(
    machine: str | Path, collective: str, nodes: int, *, bytes: int = 0, noise: str | None = None, **settings: Any
) -> dict[str, Any]:
    """Simulates a collective on a machine.

    Parameters
    ----------
    machine
        A name of `machines()`, or the path of a TOML file.
    collective
        As ``atoll sim list`` names them: barrier, broadcast, allreduce, …
    nodes
        Number of nodes of the machine.
    bytes
        Size of the vector, or of each block.
    noise
        None: the machine's; ``none``, or interruptions of each host: ``25 us at 1 kHz``, ``random 25 us at 1 kHz``.
    **settings
        algorithm, root, pes_per_node, executor (host, core, interface), pace (together, back to back), repeats,
        seed, memory_bytes, threads (that share the simulation, where no links are shared; the result is the same).

    Returns
    -------
    dict
        Settings and results, in SI units: time_s (the mean of the repeats), messages, energy_j, …

    Raises
    ------
    SimError
        The machine's file is invalid.
    ValueError
        Unknown collective, algorithm or setting, or invalid number of nodes for the machine.
    MemoryError
        The schedules take more than `memory_bytes`.

    Examples
    --------
    >>> from atoll import sim
    >>> host = sim.simulate("study", "barrier", 4096, algorithm="dissemination")
    >>> offloaded = sim.simulate("study", "barrier", 4096, algorithm="dissemination", executor="interface")
    >>> host["messages"] == offloaded["messages"] == 4096 * 12
    True
    >>> host["time_s"] > offloaded["time_s"]
    True
    """
    try:
        chosen = load(machine) if noise is None else load(machine).with_noise(noise)
        point = Point(chosen, collective, nodes, bytes=bytes, **settings)
    except TypeError as error:
        raise ValueError(str(error).replace("Point.__init__() got an", "there is no such setting:")) from None
    return point.record(point.run())
