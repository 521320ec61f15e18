# SPDX-License-Identifier: Apache-2.0
"""Soak test: mixed work for any time; memory, descriptors and threads of all processes of a session must not grow.

python tests/python/soak.py --seconds 3600 [--pes 3] [--pause 2]
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from campaign import family

import atoll as ak

KEPT = {"ATOLL_POOL_SIZE": "64M", "ATOLL_MEMORY_LIMIT": "512M"}
#: Allocators keep some of what they were given, more in the one round than in the other.
SLACK_BYTES = 24 << 20
#: Figures of columns that are kept with them come and go.
KEPT_BYTES = 1 << 20
ROWS = 50_000
TEXTS = np.array([str(one % 100) for one in range(ROWS)])


def round_of_work(folder: Path, number: int) -> None:
    """Arrays, columns, frames, files, a spilled sort, a failing operation and a cycle that the collector finds."""
    rng = ak.random.default_rng(number)
    values = rng.random(ROWS)
    order = ak.argsort(values)
    assert bool((ak.sort(values) == values[order]).all())
    x = ak.arange(ROWS)
    frame = ak.DataFrame({"x": x, "key": x * 7919 % ROWS, "group": x % 10, "text": TEXTS, "value": values})
    assert len(frame.groupby("group")["value"].mean()) == 10
    assert len(frame.merge(frame[["key"]], on="key")) == ROWS
    frame.to_parquet(folder / "rows")
    assert int(ak.read_parquet(folder / "rows")["x"].sum()) == ROWS * (ROWS - 1) // 2
    ak.scan_parquet(folder / "rows").sort_values("key").to_parquet(folder / "sorted")
    frame.head(2000).to_csv(folder / "few.csv", index=False)
    assert len(ak.read_csv(folder / "few.csv")) == 2000
    with contextlib.suppress(ValueError):
        x.reshape(7, 11)
    cycle: list[object] = [frame, np.zeros(10)]
    cycle.append(cycle)


def sample(pids: list[int]) -> dict[str, list[int]]:
    """Of each process: bytes of its own in memory, descriptors, threads."""
    found: dict[str, list[int]] = {"memory": [], "descriptors": [], "threads": []}
    for pid in pids:
        status = Path(f"/proc/{pid}/status").read_text()
        figures = dict(line.split(":", 1) for line in status.splitlines())
        found["memory"].append((int(figures["RssAnon"].split()[0]) + int(figures["RssShmem"].split()[0])) << 10)
        found["descriptors"].append(len(os.listdir(f"/proc/{pid}/fd")))
        found["threads"].append(int(figures["Threads"]))
    return found


def soak(seconds: float, pes: int, pause: float = 0) -> list[str]:
    """Runs rounds of work for so many seconds, with a pause after each; returns the measures that have grown."""
    ak.shutdown()
    with tempfile.TemporaryDirectory() as name, ak.init(pes=pes, threads=1):
        pids = family(os.getpid())
        begin, number, samples, held = time.monotonic(), 0, [], []
        while (spent := time.monotonic() - begin) < seconds or number < 6:
            round_of_work(Path(name), number)
            number += 1
            time.sleep(pause)
            if spent > seconds / 4 or number > 3:  # what is kept for reuse has come together by then
                gc.collect()  # else arrays of cycles come and go
                samples.append(sample(pids))
                held.append(ak.stats()["memory_in_use"])
        print(f"{number} rounds in {spent:.0f} s. At first {samples[0]}, {held[0]} bytes of arrays")
        print(f"at last {samples[-1]}, {held[-1]} bytes of arrays")
        return grown(samples, held)


def grown(samples: list[dict[str, list[int]]], held: list[int]) -> list[str]:
    half = len(samples) // 2
    found = []
    for kind, slack in (("memory", SLACK_BYTES), ("descriptors", 0), ("threads", 0)):
        for process in range(len(samples[0][kind])):
            before = max(one[kind][process] for one in samples[:half])
            after = min(one[kind][process] for one in samples[half:]) if slack == 0 else samples[-1][kind][process]
            if after > before + slack:
                found.append(f"{kind} of process {process}: at most {before} in the first half, {after} at last")
    if held[-1] > held[0] + KEPT_BYTES:
        found.append(f"bytes of arrays: {held[0]} at first, {held[-1]} at last")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--pes", type=int, default=3)
    parser.add_argument("--pause", type=float, default=0, help="seconds of rest after each round")
    given = parser.parse_args()
    found = soak(given.seconds, given.pes, given.pause)
    print("\n".join(found) or "all is as it was")
    return 1 if found else 0


if __name__ == "__main__":
    os.environ.update({**KEPT, "ATOLL_PROGRESS": "off"})
    sys.exit(main())
