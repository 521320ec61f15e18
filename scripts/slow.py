# SPDX-License-Identifier: Apache-2.0
"""`make test-slow`: runs its pieces one after another, and prints what became of each, and how long it took.

    python scripts/slow.py [--list] [--resume] [PIECE ...] [-- ARGUMENTS OF PYTEST]

A piece that fails does not stop the others. A piece whose Debian packages cannot be installed is skipped. The output of
each is in build/slow/PIECE.log, and its result in build/slow/results.json: with `--resume`, pieces that passed are left
out.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "slow"
JOBS = os.environ.get("JOBS", "2")
LIMIT_S = 9000  # of one test
MAKE = "make --no-print-directory"
INSTALL = "scripts/system-packages"


@dataclasses.dataclass(frozen=True)
class Piece:
    """Shell commands, then slow Python tests. Neither runs where scripts/system-packages cannot install a group."""

    name: str
    about: str
    commands: tuple[str, ...] = ()
    tests: str = ""
    packages: str = ""


def under(preset: str) -> tuple[str, ...]:
    return (
        f"cmake --preset {preset} >/dev/null",
        f"cmake --build --preset {preset} -j {JOBS}",
        f"ctest --test-dir build/{preset} --output-on-failure --no-tests=error -j {JOBS}",
    )


RELEASE = f"ctest --test-dir build/release --output-on-failure --no-tests=error -j {JOBS}"
FORGERIES = "(Members|Strangers|ProtectedLink|Protected|Challenge|Seal|KeyPair|FuzzCorpus)$"
FUZZ = f"FUZZ_SECONDS=${{FUZZ_SECONDS:-60}} FUZZ_ROUNDS=${{FUZZ_ROUNDS:-500}} {MAKE} fuzz"
CAMPAIGN = "tests/python/test_campaign.py"
REPLAYS = "tests/hosts/test_replays.py"
FUZZED = "tests/python/io/test_broken.py tests/python/experiment/test_broken_plans.py"  # by `make fuzz`
SURVIVAL = """tests/python/session/test_survival.py tests/python/test_ends.py tests/python/test_faults.py
    tests/python/test_stopped.py tests/python/test_launcher_kills.py tests/python/io/test_killed_writers.py"""
LIBRARIES = """tests/python/frame/test_libraries.py tests/python/frame/test_pandas_suite.py
    tests/python/frame/test_tpch.py tests/python/test_interoperability.py tests/python/test_dask.py
    tests/python/test_jupyter.py"""

#: In the order in which they run: what takes long comes last.
PIECES = (
    Piece("fast", "the fast tests, C++ and Python", (f"{MAKE} test",)),
    Piece("cxx", "slow C++ tests", (f"{RELEASE} -L slow",)),
    Piece("replays", "replayed, changed and forged traffic", (f"{RELEASE} -R '{FORGERIES}'",), REPLAYS),
    Piece("programs", "random programs of arrays and frames beside NumPy and pandas",
          tests="tests/python/test_fuzz.py tests/python/frame/test_programs.py"),
    Piece("server", "the server: checkpoints, dashboard, broken frames", tests="tests/python/server"),
    Piece("survival", "ends, losses and stops of PEs in every operation", tests=SURVIVAL),
    Piece("interrupts", "interrupts in every operation", tests="tests/python/test_forwarded_interrupts.py"),
    Piece("hosts", "jobs over hosts in network namespaces", tests=f"tests/hosts --ignore={REPLAYS}"),
    Piece("launchers", "other launchers: Slurm, PMIx, MPICH's, Open MPI's",
          tests="tests/python/test_launchers.py tests/slurm"),
    Piece("libraries", "libraries, suites and benchmarks of others over Atoll", tests=LIBRARIES),
    Piece("kills", "200 random kills and 50 stops, and checks of what is left", tests=f"{CAMPAIGN} -k kills"),
    Piece("fuzz", "libFuzzer on each C++ reader, broken files of each format on 1 and 3 PEs", (FUZZ,),
          packages="fuzz"),
    Piece("soak", "an hour of work: memory, descriptors and threads do not grow", tests=f"{CAMPAIGN} -k flat"),
    Piece("wheels", "the wheels, in bare systems", tests="tests/wheels", packages="trees"),
    Piece("dev", "C++ tests under the address and undefined-behaviour sanitizers", under("dev")),
    Piece("tsan", "C++ tests under the thread sanitizer", under("tsan")),
    Piece("aarch64", "C++ tests for aarch64, under emulation", (f"{MAKE} test-aarch64",), packages="aarch64"),
)  # fmt: skip


def paths(piece: Piece) -> list[str]:
    return [word for word in piece.tests.split() if word.startswith("tests/")]


def rest() -> Piece:
    """The slow Python tests of no other piece."""
    others = [path for piece in PIECES for path in paths(piece)] + FUZZED.split()
    return Piece(
        "rest", "the other slow Python tests", tests=" ".join(["tests", *(f"--ignore={one}" for one in others)])
    )


def pieces() -> dict[str, Piece]:
    return {piece.name: piece for piece in (*PIECES[:4], rest(), *PIECES[4:])}


def run(piece: Piece, arguments: list[str]) -> tuple[str, str]:
    """Its state, and the last line that sums up."""
    commands = list(piece.commands)
    if piece.tests:
        pytest = [sys.executable, "-m", "pytest", "-m", "slow", f"--timeout={LIMIT_S}"]
        commands.append(shlex.join([*pytest, *piece.tests.split(), *arguments]))
    with (FOLDER / f"{piece.name}.log").open("w+") as log:

        def succeeds(command: str) -> bool:
            print(f"+ {command}", file=log, flush=True)
            done = subprocess.run(command, shell=True, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT, check=False)
            return done.returncode == 0

        if piece.packages and not succeeds(f"{INSTALL} {piece.packages}"):
            return "skipped", f"its Debian packages cannot be installed ({INSTALL} {piece.packages})"
        passed = all(succeeds(command) for command in commands)
        log.seek(0)
        lines = log.read().splitlines()
    return "passed" if passed else "FAILED", summary(lines)


def summary(lines: list[str]) -> str:
    """What ctest and pytest say of all their tests."""
    sums = [re.sub(r"^=+ | =+$", "", line) for line in lines if re.search(r"tests failed out of|^=.* in [\d.]+s", line)]
    return "; ".join(sums[-3:])


def read(kept: Path) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = json.loads(kept.read_text()) if kept.exists() else {}
    return found


def note(kept: Path, name: str, result: dict[str, object]) -> dict[str, dict[str, object]]:
    """Adds a result to the file, which another call may have changed meanwhile; returns the results of all pieces."""
    results = {**read(kept), name: result}
    results = {one: results[one] for one in pieces() if one in results}
    part = kept.with_suffix(f".{os.getpid()}")
    part.write_text(json.dumps(results, indent=1) + "\n")
    part.replace(kept)
    return results


def table(results: dict[str, dict[str, object]]) -> str:
    rows = [("piece", "state", "seconds", "")]
    rows += [(name, str(one["state"]), str(one["seconds"]), str(one["summary"])) for name, one in results.items()]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return "\n".join(
        f"{name:{widths[0]}}  {state:{widths[1]}}  {seconds:>{widths[2]}}  {said}".rstrip()
        for name, state, seconds, said in rows
    )


def main() -> int:
    known = pieces()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--list", action="store_true", help="print the pieces alone")
    parser.add_argument("--resume", action="store_true", help="leave out what has passed")
    parser.add_argument("pieces", nargs="*", metavar="PIECE", help=", ".join(known))
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    given = parser.parse_args(words[:end])
    if unknown := [name for name in given.pieces if name not in known]:
        print(f"test-slow: there is no piece {', '.join(unknown)}. One of {', '.join(known)}?", file=sys.stderr)
        return 2
    if given.list:
        print("\n".join(f"{piece.name:12}{piece.about}" for piece in known.values()))
        return 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    kept = FOLDER / "results.json"
    if not (given.resume or given.pieces):
        kept.unlink(missing_ok=True)
    results = read(kept)
    chosen = given.pieces or list(known)
    if given.resume:
        chosen = [name for name in chosen if results.get(name, {}).get("state") != "passed"]
    for name in chosen:
        print(f"== {name}: {known[name].about}", flush=True)
        began = time.monotonic()
        state, said = run(known[name], words[end + 1 :])
        result = {"state": state, "seconds": round(time.monotonic() - began), "summary": said}
        results = note(kept, name, result)
        print(f"   {state}: build/slow/{name}.log", flush=True)
    print(table(results))
    return 1 if any(results[name]["state"] == "FAILED" for name in chosen) else 0


if __name__ == "__main__":
    sys.exit(main())
