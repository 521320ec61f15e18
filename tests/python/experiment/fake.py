# SPDX-License-Identifier: Apache-2.0
"""An experiment kind that measures nothing: its points return synthetic records, fast enough for tests.

python fake.py FILE RESULTS      runs an experiment of this kind
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from atoll.experiment import PointFailed, strategy
from atoll.experiment.run import run

CONTENDERS = ("atoll", "numpy", "polars")


def record(contender="atoll", seconds=(1.0, 1.1, 0.9, 1.05, 0.95), **fields):
    """A record as a benchmark writes it, with what a test wants in it."""
    base = {"name": "sort", "size": 1000, "dtype": "int64", "dist": "u64", "seed": 1, "pes": 1, "threads": 1}
    base |= {"bytes": 8000, "gib_s": 1.0, "checksum": "cafe", "host": "here", "commit": "abcdef012345", "cores": 2}
    return {**base, "contender": contender, "seconds": list(seconds), **fields}


class Fake:
    def __init__(self, plan, skip_missing):
        self.plan = plan

    def check(self):
        return self.plan

    def prepare(self, say):
        say("prepared")

    def run(self, point):
        if point.seed == 13:
            raise PointFailed("it is the thirteenth")
        time.sleep(0.002)
        return [record(one, name=point.benchmark, size=point.size or 1000, seed=point.seed or 1) for one in CONTENDERS]


if __name__ == "__main__":
    strategy.KINDS["fake"] = Fake
    sys.exit(run(Path(sys.argv[1]), Path(sys.argv[2])))
