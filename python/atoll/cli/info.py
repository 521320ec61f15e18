# SPDX-License-Identifier: Apache-2.0
"""`atoll info`: version, processor, memory, SIMD level, fabrics and why one is missing, configuration."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from atoll.cli.common import CommandError
from atoll.cli.config_table import accepted, to_markdown
from atoll.tune import Line, TuneError, read


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", action="store_true", help="every ATOLL_* variable: value, default, meaning")
    parser.add_argument("--fabrics", action="store_true", help="how PEs reach one another, and why a way is missing")
    parser.add_argument(
        "--collectives",
        action="store_true",
        help="every collective, its algorithms, which ATOLL_COLL forces, and the table of ATOLL_COLL_TABLE",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="for programs")
    form.add_argument("--markdown", action="store_true", help="the configuration as the page docs/configuration.md")


def gather() -> dict[str, Any]:
    try:
        from atoll import _core
    except ImportError as error:
        raise CommandError(
            f"the compiled part of Atoll is missing ({error}). In a checkout: `make`, then again"
        ) from None
    try:
        return _core.info()
    except ValueError as error:
        raise CommandError(str(error)) from None


def gib(value: float) -> str:
    return f"{value / 2**30:.1f} GiB"


def describe(found: dict[str, Any]) -> list[tuple[str, str]]:
    numa = found.get("numa", [])
    rows = [
        ("version", str(found["version"])),
        ("processor", f"{found['processor']}, {found['cores']} cores"),
        ("NUMA domains", str(max(1, len(numa)))),
        ("memory", f"{gib(found['memory_bytes'])}, {gib(found['memory_available_bytes'])} available"),
        ("SIMD level", str(found["simd"])),
        ("L2 cache", f"{found['l2_bytes'] / 2**20:.1f} MiB per core"),
        ("network", str(found["network"])),
        ("interfaces", ", ".join(found["interfaces"]) or "none"),
    ]
    for name, missing in found["fabrics"].items():
        rows.append((f"fabric {name}", "ready" if not missing else f"missing: {missing}"))
    return rows


def setting(config: list[Any], name: str) -> str:
    return next((str(row[1]) for row in config if row[0] == name), "")


def tuned(config: list[Any]) -> list[Line]:
    """The table of ATOLL_COLL_TABLE."""
    path = setting(config, "ATOLL_COLL_TABLE")
    try:
        return read(Path(path)) if path else []
    except TuneError as error:
        raise CommandError(f"ATOLL_COLL_TABLE: {error}") from None


def collectives(config: list[Any]) -> dict[str, dict[str, Any]]:
    """Every collective: its algorithms, and the one that ATOLL_COLL forces ("auto": by size, PEs and nodes)."""
    from atoll import _core

    forced = dict(choice.split("=", 1) for choice in setting(config, "ATOLL_COLL").split(",") if "=" in choice)
    lines = tuned(config)
    return {
        name: {
            "algorithms": algorithms,
            "chosen": forced.get(name, "auto"),
            "table": [asdict(line) for line in lines if line.collective == name],
        }
        for name, algorithms in _core.sim_collectives().items()
    }


def main(arguments: argparse.Namespace) -> int:
    found = gather()
    if arguments.collectives:
        known = collectives(found["config"])
        if arguments.json:
            print(json.dumps(known, indent=2))
            return 0
        width = max(map(len, known))
        for name, about in known.items():
            print(f"{name:<{width}}  {about['chosen']:<18}  {' '.join(about['algorithms'])}")
        if path := setting(found["config"], "ATOLL_COLL_TABLE"):
            print(f"\nATOLL_COLL_TABLE={path}:")
            for line in tuned(found["config"]):
                sizes = f"to {line.bytes:,} B" if line.bytes else "any longer size"
                print(f"{line.collective:<{width}}  {line.pes} PEs, {line.nodes} nodes, {sizes}: {line.algorithm}")
        return 0
    if arguments.markdown:
        print(to_markdown(found["config"]), end="")
        return 0
    if arguments.json:
        print(json.dumps(found, indent=2, default=str))
        return 0
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console()
    if arguments.config:
        table = Table("variable", "value", "default", "accepts", "meaning", box=box.SIMPLE_HEAD)
        for name, value, default, kind, choices, meaning in found["config"]:
            table.add_row(name, str(value), str(default), accepted(kind, choices).replace("`", ""), meaning)
        console.print(table)
        return 0
    rows = describe(found)
    if arguments.fabrics:
        rows = [row for row in rows if row[0].startswith(("fabric", "network", "interfaces"))]
        rows += [(row[0], str(row[1]) or "not set") for row in found["config"] if row[0].startswith("ATOLL_FABRIC")]
    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        console.print(f"[bold]{name:<{width}}[/bold] {text}", soft_wrap=True, highlight=False)
    return 0
