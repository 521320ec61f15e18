# SPDX-License-Identifier: Apache-2.0
"""PEs on the nodes of a Ray cluster: an actor on each node starts an agent, and Ray's own work goes on beside it."""

from __future__ import annotations

from typing import Any

from .. import extras
from .remote_start import RemoteStart, start_here


class _Starter:
    """An actor. Ray ends its process, and what that has started, when no process has a reference to it any more."""

    def start(self, words: list[str], secret: str) -> None:
        """Starts an agent on the actor's node."""
        start_here(words, secret)


class Nodes:
    """The nodes of the Ray cluster that this process is connected to; it connects where it is not.

    Raises
    ------
    ModuleNotFoundError
        Ray is not installed.
    ValueError
        The cluster has no nodes.
    """

    def __init__(self) -> None:
        self._ray: Any = extras.module("ray", "ak.init(ray=True)")
        if not self._ray.is_initialized():
            self._ray.init()
        #: Host → processors that Ray may use there, and the id of its node.
        self.found: dict[str, tuple[int, str]] = {}
        for node in self._ray.nodes():
            if node["Alive"]:
                cores = int(node["Resources"].get("CPU", 0)) or 1
                before, name = self.found.get(node["NodeManagerAddress"], (0, node["NodeID"]))
                self.found[node["NodeManagerAddress"]] = before + cores, name
        if not self.found:
            raise ValueError("the Ray cluster has no nodes (PEs run on them). Add one first?")
        self._actors: list[Any] = []

    def hosts(self, pes: int | None) -> list[str]:
        """The hosts of a job: PE 0 is this process; without `pes`, one PE for each processor that Ray may use."""
        if pes is None:
            return ["localhost:1", *(f"{host}:{cores}" for host, (cores, _) in self.found.items())]
        if pes == 1:
            return ["localhost:1"]
        shares = [(pes - 1) // len(self.found)] * len(self.found)
        for place in range((pes - 1) % len(self.found)):
            shares[place] += 1
        return ["localhost:1", *(f"{host}:{share}" for host, share in zip(self.found, shares, strict=True) if share)]

    def remote_start(self) -> RemoteStart:
        """Starts agents by an actor on each node; that of this process directly."""
        scheduling: Any = extras.module("ray.util.scheduling_strategies", "ak.init(ray=True)")

        def start(host: str, words: list[str], secret: str) -> None:
            if host == "localhost":
                start_here(words, secret)
                return
            place = scheduling.NodeAffinitySchedulingStrategy(self.found[host][1], soft=False)
            actor = self._ray.remote(_Starter).options(num_cpus=0, scheduling_strategy=place).remote()
            self._ray.get(actor.start.remote(words, secret))
            self._actors.append(actor)

        return RemoteStart(start)

    def close(self) -> None:
        """Ends the actors, once the PEs have ended."""
        if self._ray.is_initialized():
            for actor in self._actors:
                self._ray.kill(actor)
        self._actors.clear()
