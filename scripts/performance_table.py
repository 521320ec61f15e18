# SPDX-License-Identifier: Apache-2.0
"""Prints recorded runs as the Markdown tables of docs/performance.md: performance_table.py RECORDS.jsonl…"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "python"))

from atoll.bench.levels import LEVELS
from atoll.bench.record import read
from atoll.bench.table import duration, rate

Record = dict[str, Any]


Setting = tuple[str, str, str, int]


def by_setting(records: list[Record]) -> dict[Setting, dict[str, Record]]:
    """The last record of each contender."""
    found: dict[Setting, dict[str, Record]] = defaultdict(dict)
    for record in records:
        found[record["name"], record["dtype"], record["dist"], record["size"]][record["contender"]] = record
    return found


def data_of(setting: Setting) -> str:
    _, dtype, dist, size = setting
    return f"{dtype} {dist}, {size:,}"


def table(records: list[Record]) -> str:
    """One row per benchmark: Atoll's time and rate, NumPy, the fastest peer, the hand-written loop."""
    lines = [
        "| benchmark | data | Atoll | GiB/s | NumPy | x NumPy | best peer | x best peer | limit | of limit |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for setting, found in by_setting(records).items():
        times = {contender: median(record["seconds"]) for contender, record in found.items()}
        if "atoll" not in times:
            continue
        own = times.pop("atoll")
        spread = (max(found["atoll"]["seconds"]) - min(found["atoll"]["seconds"])) / 2 / own
        limit, numpy = times.pop("limit", None), times.get("numpy")
        peers = {contender: each for contender, each in times.items() if contender != "numpy"}
        best = min(peers, key=lambda contender: peers[contender]) if peers else None
        cells = [
            setting[0],
            data_of(setting),
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


def levels_table(records: list[Record], levels: list[str]) -> str:
    """One row per benchmark, and of each SIMD level: Atoll's time, and how it stands to NumPy, to the fastest of all
    peers and to the hand-written loop."""
    columns = [f"{level}: {what}" for level in levels for what in ("Atoll", "x NumPy", "x best peer", "of limit")]
    lines = ["| benchmark | data | " + " | ".join(columns) + " |", "|---|---" + "|---" * len(columns) + "|"]
    at = {level: by_setting([record for record in records if record["simd"] == level]) for level in levels}
    for setting in by_setting(records):
        cells = [setting[0], data_of(setting)]
        for level in levels:
            found = at[level].get(setting, {})
            times = {contender: median(record["seconds"]) for contender, record in found.items()}
            own, limit = times.pop("atoll", None), times.pop("limit", None)
            if own is None:
                cells += [""] * 4
                continue
            best = min(times, key=lambda contender: times[contender]) if times else None
            cells += [
                duration(own),
                f"{times['numpy'] / own:.2f}" if "numpy" in times else "",
                f"{times[best] / own:.2f} {best}" if best else "",
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
    levels = [level for level in (*LEVELS, "baseline", "unknown") if any(record["simd"] == level for record in records)]
    simd = " and ".join(levels)
    print(f"Machine: {one['processor']}, {one['cores']} cores, SIMD {simd}, {one['memory_bytes'] / 2**30:.0f} GiB;")
    print(f"Linux {one['kernel']}; {one['compiler']}; Python {one['python']}; {versions}.")
    print(f"Commit {one['commit']}, {one['date'][:10]}.")
    for pes, threads in shapes:
        print(f"\n### {pes} PE{'s' if pes > 1 else ''} x {threads} thread{'s' if threads > 1 else ''}\n")
        of_shape = [record for record in records if (record["pes"], record["threads"]) == (pes, threads)]
        print(table(of_shape) if len(levels) == 1 else levels_table(of_shape, levels))


if __name__ == "__main__":
    main()
