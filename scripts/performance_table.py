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
from atoll.bench.table import duration, rate

Record = dict[str, Any]


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
            f"{duration(own)} ± {spread:.0%}",
            f"{found['atoll']['gib_s']:.2f}" if found["atoll"]["bytes"] else "",
            duration(numpy) if numpy else "",
            f"{numpy / own:.2f}" if numpy else "",
            f"{best} {duration(peers[best])}" if best else "",
            f"{peers[best] / own:.2f}" if best else "",
            duration(limit) if limit else "",
            f"{limit / own:.0%}" if limit else "",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


#: Sizes shown of operations that were measured with many.
SHOWN = (8, 4096, 32768, 65536, 2**20, 2**22)


def communication(records: list[Record]) -> str:
    """One row per operation and size: each contender's time, or rate where there is one, and its ratio to Atoll's."""
    rows: dict[tuple[str, int], dict[str, Record]] = defaultdict(dict)
    for record in records:
        rows[record["name"], record["size"]][record["contender"]] = record
    contenders = list(dict.fromkeys(record["contender"] for record in records))
    sizes = defaultdict(set)
    for name, size in rows:
        sizes[name].add(size)
    lines = ["| operation | size | " + " | ".join(contenders) + " |", "|---|---" + "|---" * len(contenders) + "|"]
    for (name, size), found in rows.items():
        if len(sizes[name]) > 3 and size not in SHOWN:
            continue
        cells = [name, f"{size:,}" if size else ""]
        times = {contender: median(record["seconds"]) for contender, record in found.items()}
        for contender in contenders:
            if contender not in found:
                cells.append("")
                continue
            one, time = found[contender], times[contender]
            figure = rate(one["work"] / time, one["unit"]) if one["unit"] else duration(time)
            behind = f" ({time / times['atoll']:.2f} x)" if contender != "atoll" and "atoll" in times else ""
            cells.append(figure + behind)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    records = read([Path(name) for name in sys.argv[1:]])
    jobs = [record for record in records if "size_means" in record]
    if jobs:
        print(communication(jobs))
        return
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
