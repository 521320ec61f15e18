# SPDX-License-Identifier: Apache-2.0
"""Every way to write a file. `python writers.py HOW PATH STOP` writes the same one again and again, to be killed."""

import os
import sys
import time

import numpy as np

import atoll as ak
import atoll.arkouda as arkouda
from atoll.io import rows
from atoll.session.everywhere import everywhere
from atoll.storage import atomic, filesets

ROWS = 20_000


def frame(n):
    """Rows that all have the number `n`."""
    return ak.DataFrame({"n": ak.zeros(ROWS, dtype="int64") + n, "i": ak.arange(ROWS), "p": ak.arange(ROWS) % 3})


def array(n):
    return ak.asarray(frame(n)["n"])


WRITE = {
    "parquet": lambda path, n: frame(n).to_parquet(path),
    "data set": lambda path, n: frame(n).to_parquet(path, dataset=True),
    "partitions": lambda path, n: frame(n).to_parquet(path, partition_cols=["p"]),
    "arkouda": lambda path, n: arkouda.to_parquet({"n": arkouda.array(array(n)), "i": arkouda.arange(ROWS)}, str(path)),
    "csv": lambda path, n: frame(n).to_csv(path, index=False),
    "csv.gz": lambda path, n: frame(n).to_csv(path, index=False),
    "jsonl": lambda path, n: frame(n).to_json(path, orient="records", lines=True),
    "feather": lambda path, n: frame(n).to_feather(path),
    "orc": lambda path, n: frame(n).to_orc(path),
    "hdf": lambda path, n: frame(n).to_hdf(path),
    "zarr": lambda path, n: ak.to_zarr(path, frame(n)),
    "checkpoint": lambda path, n: ak.save_checkpoint(path, {"df": frame(n)}),
    "npy": lambda path, n: ak.save(path, array(n)),
    "npz": lambda path, n: ak.savez(path, n=array(n)),
    "txt": lambda path, n: ak.savetxt(path, array(n), fmt="%d"),
    "bytes": lambda path, n: array(n).tofile(path),
}
_READ = {
    "arkouda": lambda path: ak.read_parquet(f"{path}_LOCALE*"),
    "csv": ak.read_csv, "csv.gz": ak.read_csv, "jsonl": ak.read_json, "feather": ak.read_feather, "orc": ak.read_orc,
    "hdf": ak.read_hdf, "zarr": ak.read_zarr, "checkpoint": lambda path: ak.load_checkpoint(path)["df"],
    "npy": lambda path: {"n": ak.load(path)}, "npz": lambda path: {"n": ak.load(path)["n"]},
    "txt": lambda path: {"n": ak.loadtxt(path, dtype=int)}, "bytes": lambda path: {"n": ak.fromfile(path, int)},
}  # fmt: skip


def name(how):
    """A name with the ending that the writer wants."""
    return f"a.{how}" if how in ("csv.gz", "npy", "npz") else "a"


def numbers(how, path):
    """The numbers in the rows of what was written."""
    found = np.asarray(_READ.get(how, ak.read_parquet)(path)["n"].to_numpy())
    assert len(found) == ROWS
    return set(found.tolist())


def _stand(*_):
    """Stands still for ever."""
    print("here", flush=True)
    time.sleep(1000)


def process(here):
    """On a PE: its process."""
    return os.getpid()


def main(how, path, stop):
    import writers  # not __main__, which other PEs do not have

    with ak.init(2, 1):
        WRITE[how](path, 0)
        print(*everywhere(writers.process), flush=True)
        if stop == "flush":
            atomic.flush_all = filesets.flush_all = _stand
        elif stop == "renamed":
            atomic.discard = rows.discard = filesets.remove = _stand
        for n in range(1, 10_000):
            WRITE[how](path, n)
            if n == 1:
                print("here", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
