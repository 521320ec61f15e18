# SPDX-License-Identifier: Apache-2.0
"""The job that campaign.py disturbs: does one kind of work again and again, and checks what it gets.

    python campaign_job.py WORK FOLDER [PES]

With PES it is a driver of so many PEs, else one PE of a job. What it writes has the number of the round in every row.
"""

import importlib
import itertools
import os
import sys
import time
from pathlib import Path

import numpy as np

import atoll as ak

ROWS = 20_000
TEXTS = np.array([str(one % 10) * 3 for one in range(ROWS)])


def frame(version: int) -> "ak.DataFrame":
    x = ak.arange(ROWS)
    return ak.DataFrame({"x": x, "version": x * 0 + version, "key": x * 7919 % ROWS, "text": TEXTS})


def arrays(folder: str, version: int) -> None:
    x = (ak.arange(ROWS) * 7919 + version) % ROWS
    assert int(x.sum()) == ROWS * (ROWS - 1) // 2
    assert bool((ak.sort(x) == ak.arange(ROWS)).all())
    assert bool((x[ak.argsort(x)] == ak.arange(ROWS)).all())
    assert int(ak.cumsum(x % 2)[-1]) == ROWS // 2
    assert x[x < 100].size == 100 and len(ak.unique(x % 17)) == 17


def frames(folder: str, version: int) -> None:
    one = frame(version)
    sums = one.assign(group=one["x"] % 10).groupby("group")["x"].sum()
    assert int(sums.sum()) == ROWS * (ROWS - 1) // 2 and len(sums) == 10
    both = one.merge(one, on="key")
    assert len(both) == ROWS and bool((both["x_x"] == both["x_y"]).all())
    assert bool((one.sort_values("key")["key"].to_numpy() == np.arange(ROWS)).all())


def parquet(folder: str, version: int) -> None:
    frame(version).to_parquet(f"{folder}/out")


def csv(folder: str, version: int) -> None:
    frame(version).to_csv(f"{folder}/out", index=False)


def json(folder: str, version: int) -> None:
    frame(version).to_json(f"{folder}/out", orient="records", lines=True)


def npy(folder: str, version: int) -> None:
    ak.save(f"{folder}/out", ak.arange(ROWS) + version * ROWS)


def spill(folder: str, version: int) -> None:
    """The input's rows in another order: its version is that of the campaign."""
    ak.scan_parquet(f"{folder}/in").sort_values("key").to_parquet(f"{folder}/out")


def join(folder: str, version: int) -> None:
    rows = ak.scan_parquet(f"{folder}/in")
    rows.merge(rows, on="key").to_parquet(f"{folder}/out")


def checkpoint(folder: str, version: int) -> None:
    ak.save_checkpoint(f"{folder}/out", {"frame": frame(version), "array": ak.arange(ROWS) + version})


WORKS = {one.__name__: one for one in (arrays, frames, parquet, csv, json, npy, spill, join, checkpoint)}


def meet(folder: Path) -> None:
    """Returns when all PEs of the job have loaded what their work loads: until then, PEs of a busy machine are apart by
    more than ATOLL_PEER_TIMEOUT."""
    for name in ("pandas", "pyarrow.parquet", "atoll.frame.groupby", "atoll.plan", "atoll.io.parquet"):
        importlib.import_module(name)
    folder.mkdir(exist_ok=True)
    (folder / os.environ["ATOLL_PE"]).touch()
    while len(os.listdir(folder)) < int(os.environ["ATOLL_NPES"]):
        time.sleep(0.01)


def main() -> int:
    work, folder, *pes = sys.argv[1:]
    if not pes:
        meet(Path(f"{folder}.loaded"))
    ak.init(int(pes[0])) if pes else ak.init()
    try:
        for version in itertools.count(1):
            WORKS[work](folder, version)
            if version == 2:
                print(f"ready {ak.pe()}", flush=True)
    except (ak.PeFailedError, TimeoutError) as error:
        text = f"told {time.monotonic()} {ak.pe() if pes else os.environ['ATOLL_PE']} {type(error).__name__} {error}"
        print(text.replace("\n", " "), flush=True)
        return 17
    return 0


if __name__ == "__main__":
    sys.exit(main())
