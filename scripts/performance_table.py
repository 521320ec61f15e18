# SPDX-License-Identifier: Apache-2.0
"""Prints recorded runs as the Markdown tables of docs/performance-*.md: performance_table.py RECORDS.jsonl…"""

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


def markdown(rows: list[dict[str, str]]) -> str:
    """A table of the rows' columns, but of those that are empty, and of `data` where names alone tell rows apart."""
    if not rows:
        return ""
    named = len({row["benchmark"] for row in rows}) == len(rows)
    heads = [head for head in rows[0] if any(row[head] for row in rows) and not (named and head == "data")]
    cells = [heads, *([row[head] for head in heads] for row in rows)]
    first, *others = ["| " + " | ".join(line) + " |" for line in cells]
    return "\n".join([first, "|" + "---|" * len(heads), *others])


def levels_of(records: list[Record]) -> list[str]:
    return [level for level in (*LEVELS, "baseline", "unknown") if any(record["simd"] == level for record in records)]


def own_times(records: list[Record]) -> dict[Setting, float]:
    """Atoll's median seconds."""
    found = by_setting(records).items()
    return {setting: median(one["atoll"]["seconds"]) for setting, one in found if "atoll" in one}


def table(records: list[Record], of_threads: dict[Setting, float]) -> str:
    """One row per benchmark: Atoll's time and rate, NumPy, the fastest peer, the hand-written loop, and Atoll's speed
    beside one PE of as many threads, whose seconds `of_threads` has."""
    rows = []
    for setting, found in by_setting(records).items():
        times = {contender: median(record["seconds"]) for contender, record in found.items()}
        if "atoll" not in times:
            continue
        own = times.pop("atoll")
        spread = (max(found["atoll"]["seconds"]) - min(found["atoll"]["seconds"])) / 2 / own
        limit, numpy = times.pop("limit", None), times.get("numpy")
        peers = {contender: each for contender, each in times.items() if contender != "numpy"}
        best = min(peers, key=lambda contender: peers[contender]) if peers else None
        rows.append({
            "benchmark": setting[0],
            "data": data_of(setting),
            "Atoll": f"{duration(own)} ± {spread:.0%}",
            "GiB/s": f"{found['atoll']['gib_s']:.2f}" if found["atoll"]["bytes"] else "",
            "of 1 PE": f"{of_threads[setting] / own:.0%}" if setting in of_threads else "",
            "NumPy": duration(numpy) if numpy else "",
            "x NumPy": f"{numpy / own:.2f}" if numpy else "",
            "best peer": f"{best} {duration(peers[best])}" if best else "",
            "x best peer": f"{peers[best] / own:.2f}" if best else "",
            "limit": duration(limit) if limit else "",
            "of limit": f"{limit / own:.0%}" if limit else "",
        })  # fmt: skip
    return markdown(rows)


def levels_table(records: list[Record], levels: list[str]) -> str:
    """One row per benchmark, and of each SIMD level: Atoll's time, and how it stands to NumPy, to the fastest of all
    peers and to the hand-written loop."""
    rows = []
    at = {level: by_setting([record for record in records if record["simd"] == level]) for level in levels}
    for setting in by_setting(records):
        row = {"benchmark": setting[0], "data": data_of(setting)}
        for level in levels:
            found = at[level].get(setting, {})
            times = {contender: median(record["seconds"]) for contender, record in found.items()}
            own, limit = times.pop("atoll", None), times.pop("limit", None)
            best = min(times, key=lambda contender: times[contender]) if times else None
            numpy = times.get("numpy")
            row |= {
                f"{level}: Atoll": duration(own) if own else "",
                f"{level}: x NumPy": f"{numpy / own:.2f}" if own and numpy else "",
                f"{level}: x best peer": f"{times[best] / own:.2f} {best}" if own and best else "",
                f"{level}: of limit": f"{limit / own:.0%}" if own and limit else "",
            }
        rows.append(row)
    return markdown(rows)


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
    simd = " and ".join(levels_of(records))
    print(f"Machine: {one['processor']}, {one['cores']} cores, SIMD {simd}, {one['memory_bytes'] / 2**30:.0f} GiB;")
    print(f"Linux {one['kernel']}; {one['compiler']}; Python {one['python']}; {versions}.")
    print(f"Commit {one['commit']}, {one['date'][:10]}.")
    of_shape = {shape: [one for one in records if (one["pes"], one["threads"]) == shape] for shape in shapes}
    for (pes, threads), some in of_shape.items():
        print(f"\n### {pes} PE{'s' if pes > 1 else ''} x {threads} thread{'s' if threads > 1 else ''}\n")
        levels = levels_of(some)
        alike = of_shape.get((1, pes * threads), []) if pes > 1 else []
        of_threads = own_times([one for one in alike if one["simd"] in levels])
        print(table(some, of_threads) if len(levels) == 1 else levels_table(some, levels))


if __name__ == "__main__":
    main()
