# SPDX-License-Identifier: Apache-2.0
"""PEs inside the workers of a Dask cluster: Dask starts the agents, and its own work goes on beside them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from .remote_start import RemoteStart, start_here


def hosts_of(client: Any) -> dict[str, list[str]]:
    """The addresses of the cluster's workers by host. ValueError when there are no workers."""
    found: dict[str, list[str]] = {}
    for address in client.scheduler_info(n_workers=-1)["workers"]:
        found.setdefault(urlsplit(address).hostname or "127.0.0.1", []).append(address)
    if not found:
        raise ValueError("the Dask cluster has no workers (PEs run on their hosts). Scale it up first?")
    return found


def remote_start(client: Any, hosts: dict[str, list[str]]) -> RemoteStart:
    """Starts agents by a worker of each host; that of this process directly."""

    def start(host: str, words: list[str], secret: str) -> None:
        if host == "localhost":
            start_here(words, secret)
        else:
            client.run(start_here, words, secret, workers=hosts[host][:1])

    return RemoteStart(start)
