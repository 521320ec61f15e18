# SPDX-License-Identifier: Apache-2.0
"""Sweeps: a TOML file of names x sizes x dtypes x distributions x PEs x threads, each run in a process of its own."""

from __future__ import annotations

import itertools
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from atoll.bench import BenchError

#: Key of a sweep -> option of `atoll bench run`; each value is one or a list.
AXES = {
    "size": "--size", "dtype": "--dtype", "dist": "--dist", "pes": "--pes", "threads": "--threads",
    "hosts": "--hosts", "fabric": "--fabric",
}  # fmt: skip
#: Keys that are not multiplied out.
FIXED = {"names", "against", "trials", "seed", "memory"}


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def commands(sweep: dict[str, Any]) -> Iterator[list[str]]:
    """The words after `atoll bench run` of each point. Threads are read once per process by most peers: hence one
    process per point."""
    if unknown := set(sweep) - set(AXES) - FIXED:
        known = ", ".join(sorted({*AXES, *FIXED}))
        raise BenchError(f"a sweep has no key '{sorted(unknown)[0]}'. There are: {known}")
    if not sweep.get("names"):
        raise BenchError('a sweep needs names = ["argsort", …]')
    fixed = list(map(str, as_list(sweep["names"])))
    for key, option in (("against", "--against"), ("trials", "--trials"), ("seed", "--seed")):
        if key in sweep:
            fixed += [option, ",".join(map(str, as_list(sweep[key])))]
    if sweep.get("memory"):
        fixed.append("--memory")
    axes = [(AXES[key], as_list(sweep[key])) for key in AXES if key in sweep]
    for point in itertools.product(*(values for _, values in axes)):
        yield fixed + [str(word) for pair in zip((option for option, _ in axes), point, strict=True) for word in pair]


def read_sweeps(path: Path) -> list[dict[str, Any]]:
    try:
        content = tomllib.loads(path.read_text())
    except OSError as error:
        raise BenchError(f"cannot read {path}: {error.strerror}") from None
    except tomllib.TOMLDecodeError as error:
        raise BenchError(f"{path} is not TOML: {error}") from None
    sweeps = content.get("sweep")
    if not isinstance(sweeps, list) or not sweeps:
        raise BenchError(f"{path} has no [[sweep]]")
    return sweeps


def run_sweep(path: Path, json_file: Path | None) -> int:
    """Runs every point; returns the exit code of the first that failed, after all have run."""
    points = [words for sweep in read_sweeps(path) for words in commands(sweep)]
    first_failure = 0
    for number, words in enumerate(points, 1):
        print(f"[{number}/{len(points)}] atoll bench run {' '.join(words)}", flush=True)
        record = ["--json", str(json_file)] if json_file is not None else []
        done = subprocess.run([sys.executable, "-m", "atoll", "bench", "run", *words, *record], check=False)
        first_failure = first_failure or done.returncode
    return first_failure
