# SPDX-License-Identifier: Apache-2.0
"""Prints which share of the lines the tests have executed, by folder.

`coverage_report.py cxx` reads the counts that a build of the preset `coverage` has written, `coverage_report.py cxx
--reset` removes them, and `coverage_report.py python` reads the data of coverage.py, of all processes.
"""

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# By file, relative to the root: by line, whether it was executed.
Lines = dict[str, dict[int, bool]]


def add_report(found: Lines, report: dict) -> None:
    """Adds what gcov says of one object. A line of a header or template is executed if it was in any object."""
    for file in report["files"]:
        path = Path(report["current_working_directory"], file["file"]).resolve()
        if not path.is_relative_to(ROOT / "src"):
            continue
        lines = found.setdefault(str(path.relative_to(ROOT)), {})
        for line in file["lines"]:
            number = line["line_number"]
            lines[number] = lines.get(number, False) or line["count"] > 0


def read_cxx(build: Path) -> Lines:
    """Lines of src in the objects whose tests have run. Objects that never ran have no counts, and are left out."""
    counts = sorted(build.rglob("*.gcda"))
    if not counts:
        sys.exit(f"no counts in {build}. Run the tests of the preset 'coverage' first (make coverage)?")
    found: Lines = {}
    with tempfile.TemporaryDirectory() as folder:
        for i in range(0, len(counts), 50):
            command = ["gcov", "--json-format", "--hash-filenames", *map(str, counts[i : i + 50])]
            subprocess.run(command, cwd=folder, check=True, capture_output=True)
            for report in Path(folder).glob("*.gcov.json.gz"):
                with gzip.open(report, "rt") as text:
                    add_report(found, json.load(text))
                report.unlink()
    return found


def read_python() -> Lines:
    """Statements of the package atoll, in all processes that the tests have started."""
    subprocess.run([sys.executable, "-m", "coverage", "combine", "--quiet"], cwd=ROOT, check=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "coverage.json")
        command = [sys.executable, "-m", "coverage", "json", "--quiet", "-o", str(path)]
        subprocess.run(command, cwd=ROOT, check=True)
        report = json.loads(path.read_text())
    return {
        file: dict.fromkeys(one["executed_lines"], True) | dict.fromkeys(one["missing_lines"], False)
        for file, one in report["files"].items()
    }


def folder_of(path: str) -> str:
    """Layer of a C++ file, package of a Python file: src/base, python/atoll/frame."""
    parts = Path(path).parts[:-1]
    return "/".join(parts[: 2 if parts[0] == "src" else 3])


def table(found: Lines) -> Iterable[str]:
    """One line for each folder, and one for all of them."""
    executed: dict[str, int] = defaultdict(int)
    lines: dict[str, int] = defaultdict(int)
    for path, counts in found.items():
        for name in (folder_of(path), "all"):
            lines[name] += len(counts)
            executed[name] += sum(counts.values())
    for name in [*sorted(lines.keys() - {"all"}), "all"]:
        share = executed[name] / lines[name] if lines[name] else 0
        yield f"{name:28} {executed[name]:7} of {lines[name]:7} lines {share:7.1%}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("language", choices=["cxx", "python"])
    parser.add_argument("build", nargs="?", type=Path, default=ROOT / "build/coverage")
    parser.add_argument("--reset", action="store_true", help="remove the counts of earlier runs (cxx)")
    options = parser.parse_args()
    if options.reset:
        for path in options.build.rglob("*.gcda"):
            path.unlink()
        return
    print("\n".join(table(read_cxx(options.build) if options.language == "cxx" else read_python())))


if __name__ == "__main__":
    main()
