# SPDX-License-Identifier: Apache-2.0
"""JSON records, one per contender and run: the measurement, the machine and the command."""

from __future__ import annotations

import datetime
import json
import lzma
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from atoll.bench import BenchError
from atoll.bench.peers import versions
from atoll.storage import checked_json

PACKAGE = Path(__file__).resolve().parent.parent

#: A line with this key is not a record: it names the experiment of the records after it.
HEAD_KEY = "experiment"
_FIGURES = checked_json.list_of(checked_json.number)
#: Fields of every record, and what they hold.
REQUIRED: dict[str, checked_json.Check] = {
    "name": checked_json.text, "contender": checked_json.text, "size": checked_json.count, "dtype": checked_json.text,
    "dist": checked_json.text, "pes": checked_json.count, "threads": checked_json.count,
    "seconds": checked_json.list_of(checked_json.number, least=1), "bytes": checked_json.count,
    "gib_s": checked_json.number, "checksum": checked_json.text,
}  # fmt: skip
#: Fields that some records have.
OPTIONAL: dict[str, checked_json.Check] = {
    "joules": _FIGURES, "job_joules": _FIGURES, "versions": checked_json.table_of(checked_json.text),
    "phases": checked_json.table_of(checked_json.number),
    **dict.fromkeys(("seed", "cores", "memory_bytes", "of", "work"), checked_json.count),
    **dict.fromkeys(("load_1m", "point_seconds", "moved_ratio", "per_second"), checked_json.number),
    **dict.fromkeys((
        "host", "processor", "simd", "kernel", "compiler", "python", "commit", "date", "command", "point", "size_means",
        "unit", "library", "repeat_with", "fabric", "hosts",
    ), checked_json.text),
}  # fmt: skip
RECORD = checked_json.record(REQUIRED, OPTIONAL)


def commit() -> str:
    """The checkout's commit, with `-dirty` when files differ from it."""
    command = ["git", "-C", str(PACKAGE), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return "unknown"


def compiler() -> str:
    """The compiler of `_core`, from its object file."""
    for library in PACKAGE.glob("_core*.so"):
        found = re.search(rb"GCC: \(([^)]*)\) ([0-9.]+)|clang version ([0-9.]+)", library.read_bytes())
        if found:
            return found.group().decode()
    return "unknown"


def from_kernel(path: str, pattern: str) -> str:
    try:
        found = re.search(pattern, Path(path).read_text(), re.MULTILINE)
    except OSError:
        return "unknown"
    return found.group(1).strip() if found else "unknown"


@cache
def machine() -> dict[str, Any]:
    """The description of machine and software that each record contains."""
    simd = "unknown"
    try:
        from atoll import _core

        simd = str(_core.info()["simd"])
    except ImportError:
        pass
    return {
        "host": platform.node(),
        "processor": from_kernel("/proc/cpuinfo", r"^model name\s*:\s*(.*)$"),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "simd": simd,
        "kernel": platform.release(),
        "compiler": compiler(),
        "python": platform.python_version(),
        "versions": versions(),
        "commit": commit(),
    }


def stamp(**fields: Any) -> dict[str, Any]:
    """A record: the fields, the machine, the date, the command."""
    return {
        **fields,
        **machine(),
        "load_1m": os.getloadavg()[0],
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "command": " ".join(["atoll", *sys.argv[1:]]),
    }


#: `--json -`: standard output, for callers on another host that share no file system.
STANDARD_OUTPUT = Path("-")


def write(records: Iterable[dict[str, Any]]) -> None:
    """Records as lines of the standard output."""
    for record in records:
        print(json.dumps(record), flush=True)


def append(path: Path, records: Iterable[dict[str, Any]]) -> None:
    with path.open("a") as file:
        for record in records:
            file.write(json.dumps(record) + "\n")


def _line(value: Any, key: str) -> None:
    checked_json.record({})(value, key)
    if HEAD_KEY not in value:
        RECORD(value, key)


def read(paths: Iterable[Path]) -> list[dict[str, Any]]:
    """All records of some files; those whose names end in .xz are unpacked."""
    records = []
    for path in paths:
        try:
            with lzma.open(path, "rt") if path.suffix == ".xz" else path.open() as file:
                lines = file.read().splitlines()
        except OSError as error:
            raise BenchError(f"cannot read {path}: {error.strerror}") from None
        except (lzma.LZMAError, EOFError) as error:
            raise BenchError(f"cannot unpack {path} ({error})") from None
        except UnicodeDecodeError as error:
            raise BenchError(f"{path} holds no records of measurements ({error})") from None
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                record = checked_json.parse(line, _line)
            except ValueError as error:
                raise BenchError(
                    f"{path}:{number} is no record of a measurement ({error}). Write it with `atoll bench run --json`?"
                ) from None
            if HEAD_KEY not in record:
                records.append(record)
    if not records:
        raise BenchError("there are no records in " + ", ".join(str(path) for path in paths))
    return records
