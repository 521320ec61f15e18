# SPDX-License-Identifier: Apache-2.0
"""Prints recorded runs as the Markdown tables of docs/performance.md: performance_table.py RECORDS.jsonl…"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "python"))

from atoll.bench.record import read

Record = dict[str, Any]


def seconds(value: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def table(records: list[Record]) -> str:
    """One row per benchmark: Atoll's time and rate, NumPy, the fastest peer, the hand-written loop."""
    by_setting: dict[tuple[str, str, str, int], dict[str, Record]] = defaultdict(dict)
    for record in records:
        by_setting[record["name"], record["dtype"], record["dist"], record["size"]][record["contender"]] = record
    lines = [
        "| benchmark | data | Atoll | GiB/s | NumPy | x NumPy | best peer | x best peer | limit | of limit |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for (name, dtype, dist, size), found in by_setting.items():
        times = {contender: median(record["seconds"]) for contender, record in found.items()}
        if "atoll" not in times:
            continue
        own = times.pop("atoll")
        spread = (max(found["atoll"]["seconds"]) - min(found["atoll"]["seconds"])) / 2 / own
        limit, numpy = times.pop("limit", None), times.get("numpy")
        peers = {contender: each for contender, each in times.items() if contender != "numpy"}
        best = min(peers, key=lambda contender: peers[contender]) if peers else None
        cells = [
            name,
            f"{dtype} {dist}, {size:,}",
            f"{seconds(own)} ± {spread:.0%}",
            f"{found['atoll']['gib_s']:.2f}" if found["atoll"]["bytes"] else "",
            seconds(numpy) if numpy else "",
            f"{numpy / own:.2f}" if numpy else "",
            f"{best} {seconds(peers[best])}" if best else "",
            f"{peers[best] / own:.2f}" if best else "",
            seconds(limit) if limit else "",
            f"{limit / own:.0%}" if limit else "",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    records = read([Path(name) for name in sys.argv[1:]])
    shapes = sorted({(record["pes"], record["threads"]) for record in records})
    one = records[-1]
    versions = ", ".join(f"{name} {version}" for name, version in one["versions"].items())
    print(
        f"Machine: {one['processor']}, {one['cores']} cores, SIMD {one['simd']}, {one['memory_bytes'] / 2**30:.0f} GiB;"
    )
    print(f"Linux {one['kernel']}; {one['compiler']}; Python {one['python']}; {versions}.")
    print(f"Commit {one['commit']}, {one['date'][:10]}.")
    for pes, threads in shapes:
        print(f"\n### {pes} PE{'s' if pes > 1 else ''} x {threads} thread{'s' if threads > 1 else ''}\n")
        print(table([record for record in records if (record["pes"], record["threads"]) == (pes, threads)]))


if __name__ == "__main__":
    main()
