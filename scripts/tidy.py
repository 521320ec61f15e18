# SPDX-License-Identifier: Apache-2.0
"""The rules of the tree that a machine can check. `python scripts/tidy.py` prints every breach, one per line."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import phrases
import python_layers
import python_types

ROOT = Path(__file__).resolve().parent.parent

#: A layer may include those before it. Siblings, at the same height, may not include one another.
LAYER_HEIGHT = {
    "base": 0,
    "device": 1,
    "fabric": 1,
    "runtime": 2,
    "messaging": 3,
    "bootstrap": 3,
    "coll": 3,
    "agg": 4,
    "portal": 4,
    "launch": 4,
    "array": 5,
    "shmem": 5,
    "sim": 5,
    "portals": 5,
    "gasnet": 5,
    "mpi": 5,
    "table": 6,
    "python": 7,
}

MAX_LINES = 600

LICENCE_SUFFIXES = {".c", ".cpp", ".hpp", ".h", ".py", ".pyi", ".cmake", ".toml"}

#: (pattern, where it is allowed, what to do instead)
BANNED: list[tuple[str, tuple[str, ...], str]] = [
    (
        r"\b(?:secure_)?getenv\s*\(",
        ("src/base/config.cpp", "src/gasnet/environment.cpp", "tests/shmem/", "tests/portals/", "tests/device/"),
        "declare the variable in src/base/config.cpp and read it there",
    ),
    (
        r"\bsetenv\s*\(|\bputenv\s*\(",
        ("src/base/config.cpp", "src/gasnet/environment.cpp", "src/launch/", "src/fabric/ofi/", "tests/"),
        "pass configuration as an argument",
    ),
    (
        r"\bclock_gettime\s*\(|\bgettimeofday\s*\(|\b(?:system|steady|high_resolution)_clock\b",
        ("src/base/", "src/gasnet/tools.cpp", "bench/shmem/"),
        "use now_ns() or Deadline of base/clock.hpp",
    ),
    (
        r"\brandom_device\b|\bmt19937|\bs?rand\s*\(\s*\)|\bdefault_random_engine\b|\bgetrandom\s*\(",
        ("src/base/", "src/launch/", "src/bootstrap/control/", "tests/"),
        "use base/random.hpp with a seed",
    ),
    (r"[<\"]rdma/", ("src/fabric/ofi/", "bench/raw_libfabric.hpp"), "libfabric is seen by src/fabric/ofi alone"),
    (
        r"\bmmap\s*\(|\bshm_open\s*\(",
        ("src/fabric/", "src/base/", "src/gasnet/tools.cpp", "tests/", "bench/shmem/"),
        "ask the fabric's memory for it",
    ),
    (r"\bstd::cout\b|(?<![\w.])printf\s*\(", ("tests/", "bench/", "examples/"), "use base/log.hpp, or raise"),
    (r"\busing namespace std\b", (), "name what you use"),
]

#: Python: (pattern, where it is allowed, what to do instead)
BANNED_PYTHON: list[tuple[str, tuple[str, ...], str]] = [
    (
        r"os\.environ\[\s*[\"']ATOLL_|os\.(?:environ\.get|getenv)\(\s*[\"']ATOLL_(?!PE\b|NPES\b|JOB\b)",
        ("tests/", "python/atoll/cli/", "python/atoll/bench/"),
        "let _core read it: the table in src/base/config.cpp knows type and range",
    ),
    (r"\bnp\.random\.seed\b", (), "use np.random.default_rng(seed)"),
]


def tracked_files() -> list[Path]:
    """Files of the checkout: tracked, or new and not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def without_comments(text: str) -> str:
    """C++ text with comments blanked; line numbers stay."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.DOTALL)


def line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def check_banned(files: list[Path]) -> Iterator[str]:
    for path in files:
        name = relative(path)
        if name.startswith(("scripts/", "third_party/")):
            continue
        if path.suffix in {".cpp", ".hpp", ".h"}:
            text, rules = without_comments(path.read_text()), BANNED
        elif path.suffix == ".py":
            text, rules = path.read_text(), BANNED_PYTHON
        else:
            continue
        for pattern, allowed, instead in rules:
            if name.startswith(allowed):
                continue
            for match in re.finditer(pattern, text):
                yield f"{name}:{line_of(text, match.start())}: '{match.group().strip()}' is not for here: {instead}"


def check_licence(files: list[Path]) -> Iterator[str]:
    for path in files:
        if path.suffix in LICENCE_SUFFIXES or path.name in {"CMakeLists.txt", "Makefile"}:
            lines = path.read_text().splitlines()[:2]
            if lines and not any("SPDX-License-Identifier: Apache-2.0" in line for line in lines):
                yield f"{relative(path)}:1: the first line must name the licence: SPDX-License-Identifier: Apache-2.0"


def check_length(files: list[Path]) -> Iterator[str]:
    """Docstrings are not counted: the public functions of Python have long ones, with examples that are tested."""
    for path in files:
        if path.suffix in {".c", ".cpp", ".hpp", ".h", ".py"}:
            text = path.read_text()
            count = len((re.sub(r'"""(?s:.*?)"""', "", text) if path.suffix == ".py" else text).splitlines())
            if count > MAX_LINES:
                yield f"{relative(path)}: {count} lines; look for the seam at which to part it (at most {MAX_LINES})"


def include_graph(files: list[Path]) -> dict[Path, list[tuple[Path, int]]]:
    """Each C++ file of src/ -> the files of src/ that it includes, with the line."""
    sources = [path for path in files if relative(path).startswith("src/") and path.suffix in {".cpp", ".hpp", ".h"}]
    roots = [path for path in (ROOT / "src").glob("*/include") if path.is_dir()]
    known = set(sources)
    graph: dict[Path, list[tuple[Path, int]]] = {}
    for path in sources:
        text = without_comments(path.read_text())
        edges = []
        for match in re.finditer(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', text, flags=re.MULTILINE):
            layer_folder = ROOT / "src" / relative(path).split("/")[1]
            for base in [path.parent, layer_folder, *roots]:
                target = (base / match.group(1)).resolve()
                if target in known:
                    edges.append((target, line_of(text, match.start())))
                    break
        graph[path] = edges
    return graph


def layer_of(path: Path) -> str:
    return relative(path).split("/")[1]


def folder_of(path: Path) -> str:
    """The folder in which a file's idea lives: include/atoll/array/kernel and array/kernel are one."""
    parts = list(path.relative_to(ROOT / "src").parts[:-1])
    if len(parts) >= 3 and parts[1] == "include":
        parts = parts[:1] + parts[4:]
    return "/".join(parts)


def find_cycle(edges: dict[str, set[str]]) -> list[str]:
    """One cycle of a graph, or nothing."""
    state: dict[str, int] = {}
    trail: list[str] = []

    def visit(node: str) -> list[str]:
        state[node] = 1
        trail.append(node)
        for target in sorted(edges.get(node, ())):
            if state.get(target) == 1:
                return [*trail[trail.index(target) :], target]
            if target not in state and (found := visit(target)):
                return found
        trail.pop()
        state[node] = 2
        return []

    for node in sorted(edges):
        if node not in state and (found := visit(node)):
            return found
    return []


def check_includes(files: list[Path]) -> Iterator[str]:
    graph = include_graph(files)
    folders: dict[str, set[str]] = {}
    for path, edges in graph.items():
        for target, line in edges:
            here, there = layer_of(path), layer_of(target)
            height_here, height_there = LAYER_HEIGHT.get(here), LAYER_HEIGHT.get(there)
            if height_here is None or height_there is None:
                yield f"{relative(path)}:{line}: layer '{here}' or '{there}' is not in scripts/tidy.py's table"
            elif here != there and height_there > height_here:
                yield f"{relative(path)}:{line}: '{here}' may not include '{there}', which is above it"
            elif height_here == height_there and here != there:
                yield f"{relative(path)}:{line}: '{here}' and '{there}' are siblings and may not include one another"
            source, destination = folder_of(path), folder_of(target)
            # A layer's top folder binds its sub-folders together: only cycles among those count.
            if source != destination and "/" in source and "/" in destination:
                folders.setdefault(source, set()).add(destination)
    if cycle := find_cycle(folders):
        yield f"folders include one another in a circle: {' -> '.join(cycle)}"
    by_file = {relative(path): {relative(target) for target, _ in edges} for path, edges in graph.items()}
    if cycle := find_cycle(by_file):
        yield f"files include one another in a circle: {' -> '.join(cycle)}"


def python_modules(files: list[Path]) -> dict[str, Path]:
    """The modules of python/ by their dotted names; compiled ones by their stubs."""
    named = {}
    for path in files:
        if relative(path).startswith("python/") and path.suffix in {".py", ".pyi"}:
            parts = path.relative_to(ROOT / "python").with_suffix("").parts
            named[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return named


def check_python_layers(files: list[Path]) -> Iterator[str]:
    """The layers of python/atoll depend on those below them, and modules do not depend on one another in circles."""
    yield from python_layers.check_layers(python_modules(files))


def check_python_types(files: list[Path]) -> Iterator[str]:
    """The share of `Any` among parameters and results of python/atoll does not grow."""
    yield from python_types.check_types(python_modules(files))


def declared_variables() -> set[str]:
    return set(re.findall(r'"(ATOLL_[A-Z_]+)"', (ROOT / "src/base/config.cpp").read_text()))


def check_variables(files: list[Path]) -> Iterator[str]:
    """Every ATOLL_ variable that is declared is documented, and every one that documents name is declared."""
    declared = declared_variables()
    document = ROOT / "docs/configuration.md"
    documented = set(re.findall(r"`(ATOLL_[A-Z_]+)`", document.read_text())) if document.exists() else set()
    for name in sorted(declared - documented):
        yield f"docs/configuration.md: {name} is not documented: run `make docs`"
    for path in files:
        if path.suffix != ".md":
            continue
        text = path.read_text()
        for match in re.finditer(r"\bATOLL_[A-Z]+(?:_[A-Z]+)*\b", text):
            # CMake options and assertion macros share the prefix.
            if re.match(r"ATOLL_(BUILD|SANITIZE|EXPECT|ASSERT|ENSURE|VALIDATE)", match.group()):
                continue
            if match.group() not in declared:
                yield f"{relative(path)}:{line_of(text, match.start())}: there is no variable {match.group()}"


def check_exports() -> Iterator[str]:
    """_core exports its init function alone, so that it cannot clash with another library in the process."""
    for library in sorted((ROOT / "python/atoll").glob("_core*.so")):
        symbols = subprocess.run(
            ["nm", "-D", "--defined-only", "--format=posix", str(library)], capture_output=True, text=True, check=True
        )
        for line in symbols.stdout.splitlines():
            symbol, kind = line.split()[:2]
            if symbol not in {"PyInit__core", "_init", "_fini"} and kind in "TDBR":
                yield f"{library.name}: exports {symbol}: hide it"


def check_phrases(files: list[Path]) -> Iterator[str]:
    texts = {relative(path): path.read_text(errors="replace") for path in files if path.suffix in phrases.PROSE}
    return phrases.breaches(texts)


CHECKS = {
    "banned calls": check_banned,
    "licence lines": check_licence,
    "file length": check_length,
    "includes": check_includes,
    "python layers": check_python_layers,
    "python types": check_python_types,
    "variables": check_variables,
    "phrases": check_phrases,
}


def main() -> int:
    files = tracked_files()
    breaches = [breach for check in CHECKS.values() for breach in check(files)]
    breaches += check_exports()
    print("\n".join(breaches) or "tidy")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
