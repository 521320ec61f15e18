# SPDX-License-Identifier: Apache-2.0
"""Sorts as many random integers as memory comfortably allows, checks the answers, and has NumPy do the same.

    python examples/sort_at_scale.py [--size 1e8]
    atoll run -n 4 python examples/sort_at_scale.py

The numbers are a function of the seed alone: the same on any number of PEs and threads. Operations of more than a
second show a progress bar on a terminal.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import atoll as ak

GIB = 2**30
#: Bytes of memory to leave for each element: input, answer, what sorting needs in between, and NumPy's copies.
BYTES_PER_ELEMENT = 128
LARGEST = 1_000_000_000
#: NumPy sorts on one thread: larger data would take it minutes.
NUMPY_LARGEST = 100_000_000


def comfortable_size() -> int:
    """The largest 1, 2 or 5 times a power of ten that fits."""
    fits = min(LARGEST, ak.get_config()["memory_available_bytes"] // BYTES_PER_ELEMENT)
    power = 10 ** (len(str(fits)) - 1)
    return max(lead * power for lead in (1, 2, 5) if lead * power <= fits)


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """The answer, and the seconds until every PE had its part."""
    ak.barrier()
    start = time.perf_counter()
    answer = work()
    ak.barrier()
    return answer, time.perf_counter() - start


def is_sorted(values: Any) -> bool:
    return bool((values[1:] >= values[:-1]).all())


def fingerprint(values: Any) -> tuple[int, int]:
    """Does not depend on order, and changes when elements do: two sums, of the values and of a mix of their bits."""
    mixed = (values ^ (values >> 29)) * 0x2545F4914F6CDD1D
    return int(values.sum()), int((mixed ^ (mixed >> 32)).sum())


def is_permutation(order: Any) -> bool:
    seen = ak.zeros(order.size, bool)
    seen[order] = True
    return bool(seen.all())


def require(condition: bool, what: str) -> None:
    if not condition:
        raise SystemExit(f"WRONG: {what}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Sort and argsort random int64 at scale.")
    parser.add_argument("--size", type=lambda text: int(float(text)), help="elements (default: what memory allows)")
    parser.add_argument("--seed", type=int, default=2013)
    arguments = parser.parse_args()

    session = ak.init()
    size = arguments.size or comfortable_size()
    main_pe = ak.pe() == 0
    console = Console(quiet=not main_pe, highlight=False)
    shape = f"{session.pes} PE{'s' if session.pes > 1 else ''} x {session.threads} thread{'s' * (session.threads > 1)}"
    console.print(f"[bold]{size:,} random int64[/bold] ({size * 8 / GIB:.2f} GiB), {shape}")

    limits = np.iinfo(np.int64)
    make = ak.random.default_rng(arguments.seed).integers
    values, seconds = timed(lambda: make(limits.min, limits.max, size, dtype=np.int64).evaluate())
    console.print(f"  made          {seconds:6.2f} s")
    before = fingerprint(values)

    rows = {}
    for name, work in (
        ("sort", lambda: ak.sort(values).evaluate()),
        ("argsort", lambda: ak.argsort(values).evaluate()),
    ):
        # The first run touches new memory; the second uses it again, as a program does that sorts more than once.
        first = timed(work)[1]
        answer, again = timed(work)
        console.print(f"  {name:<13} {again:6.2f} s  {size * 8 / again / GIB:5.2f} GiB/s   (first: {first:.2f} s)")
        in_order = answer if name == "sort" else values[answer]
        require(is_sorted(in_order), f"{name} is not in order")
        require(fingerprint(in_order) == before, f"{name} lost or changed elements")
        if name == "argsort":
            require(is_permutation(answer), "argsort is not a permutation")
        del answer, in_order
        console.print(f"  {name} checked: in order, and a permutation")
        rows[name] = (first, again)
    require(fingerprint(values) == before, "sorting changed its input")

    if session.pes > 1:
        return
    few = min(size, NUMPY_LARGEST)
    given = values[:few].to_numpy()
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("")
    for head in ("NumPy", "Atoll, first", "Atoll, again", "Atoll GiB/s", "times as fast"):
        table.add_column(head, justify="right")
    for name, work in (("sort", lambda: np.sort(given)), ("argsort", lambda: np.argsort(given, stable=True))):
        console.print(f"  NumPy's {name} of {few:,} on one thread …")
        answer, numpy_s = timed(work)
        if few == size:
            own = (ak.sort if name == "sort" else ak.argsort)(values).to_numpy()
            require(np.array_equal(own, answer), f"{name} differs from NumPy's")
            del own
        numpy_rate, own_rate = few * 8 / numpy_s / GIB, size * 8 / rows[name][1] / GIB
        first, again = rows[name]
        cells = (
            f"{numpy_s:.2f} s",
            f"{first:.2f} s",
            f"{again:.2f} s",
            f"{own_rate:.2f}",
            f"{own_rate / numpy_rate:.1f}",
        )
        table.add_row(f"[bold]{name}[/bold]", *cells)
    console.print(table)
    if few == size:
        console.print("  both equal NumPy's answers, element by element")


if __name__ == "__main__":
    main()
