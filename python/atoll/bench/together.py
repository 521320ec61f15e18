# SPDX-License-Identifier: Apache-2.0
"""Array benchmarks on the PEs of a job (`atoll run … atoll bench run argsort`): every PE runs the script. PE 0
times, runs the other contenders, shows the table and writes the records."""

from __future__ import annotations

from typing import Any

from atoll.bench import peers
from atoll.bench.registry import Setup, Timed


def in_job() -> bool:
    """Whether other PEs run this benchmark too."""
    if not peers.is_here("atoll"):
        return False
    import atoll as ak
    from atoll.session import in_job as started

    return started() and ak.pes() > 1


def leads() -> bool:
    """Whether this process is the one that reports: PE 0, or the only one."""
    if not in_job():
        return True
    import atoll as ak

    return ak.pe() == 0


def setup() -> Setup:
    """The job's shape."""
    import atoll as ak

    return Setup(ak.pes(), ak.init().threads)


def from_first(number: int) -> int:
    """PE 0's number, on every PE; all must call this."""
    import atoll as ak

    return int(ak.array([number])[0])


def timed_together(timed: Timed) -> Timed:
    """Times a run from the common start of all PEs until the last has ended."""
    import atoll as ak

    def run() -> Any:
        answer = timed.run()
        ak.barrier()
        return answer

    def reset() -> None:
        if timed.reset is not None:
            timed.reset()
        ak.barrier()

    return Timed(run, timed.export, reset, from_first)


def phases() -> dict[str, float]:
    """Seconds that PE 0 has spent so far in the phases that operations report."""
    import atoll as ak

    return {name.removesuffix("_ns"): ns / 1e9 for name, ns in ak.stats().items() if name.endswith("_ns")}


def bytes_moved() -> int:
    """Bytes that PE 0 has sent to other PEs or fetched from them so far."""
    import atoll as ak

    counters = ak.stats()
    return counters["bytes_put"] + counters["bytes_got"] + counters["bytes_sent"]
