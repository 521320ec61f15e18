# SPDX-License-Identifier: Apache-2.0
"""Builds what people install, into dist/: a source distribution, a wheel for Python 3.11, and one for 3.12 and later.

`python scripts/wheels.py [sdist] [cp311] [cp312-abi3]` builds what is named, or all. A wheel holds every library that
it needs but glibc, and runs on every x86-64 processor of level 2 (since 2009): better instructions are chosen at run
time. What is left out, for want of a Python to build with, is said.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from pythons import NEXT, find_python, unpack_python

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "wheel"
DIST = ROOT / "dist"
LIMIT_BYTES = 25_000_000

#: What a program may ask of the system: glibc.
GLIBC = {
    "libc.so.6",
    "libm.so.6",
    "libmvec.so.1",
    "libdl.so.2",
    "librt.so.1",
    "libpthread.so.0",
    "ld-linux-x86-64.so.2",
}
GLIBC |= {"ld-linux-aarch64.so.1"}

#: Wheel -> the first and the last version of Python that can build it.
NEXT_TAG = "cp312-abi3"
WHEELS = {"cp311": ((3, 11), (3, 11)), NEXT_TAG: ((3, 12), (3, 99))}


def say(text: str) -> None:
    print(f"== {text}", flush=True)


def run(*command: str | Path, **options: object) -> str:
    """What the command printed; where it fails, this program ends with all that it said."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)  # type: ignore[call-overload]
    if done.returncode != 0:
        sys.exit(f"{done.stdout}{done.stderr}wheel: '{' '.join(map(str, command))}' failed ({done.returncode})")
    return str(done.stdout)


def environment(python: str, name: str, *groups: str) -> Path:
    """The folder of programs of a virtual environment that has these groups of requirements of pyproject.toml."""
    folder = WORK / f"env-{name}"
    requirements = run(sys.executable, ROOT / "scripts" / "requirements.py", *groups).split("\n")[:-1]
    stamp = folder / "made-of.txt"
    made_of = "\n".join([python, *requirements])
    if not stamp.exists() or stamp.read_text() != made_of:
        shutil.rmtree(folder, ignore_errors=True)
        run(python, "-m", "venv", "--without-pip", folder)
        pip = [sys.executable, "-m", "pip", "--python", folder / "bin" / "python", "--disable-pip-version-check"]
        run(*pip, "install", "--quiet", "--prefer-binary", "pip", *requirements)
        stamp.write_text(made_of)
    return folder / "bin"


def follow(command: list[str], log: Path, environ: dict[str, str]) -> None:
    """Runs a build, says where it stands every ten seconds, and keeps all that it prints in `log`."""
    told = time.monotonic()
    with log.open("w") as kept:
        build = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environ, cwd=ROOT
        )
        assert build.stdout is not None
        for line in build.stdout:
            kept.write(line)
            words = line.strip()
            if words.startswith("***") or (words.startswith("[") and time.monotonic() - told > 10):
                print(f"   {words.strip('* ')[:110]}", flush=True)
                told = time.monotonic()
    if build.wait() != 0:
        tail = "".join(log.read_text().splitlines(keepends=True)[-40:])
        sys.exit(f"{tail}wheel: the build failed; all of it is in {log.relative_to(ROOT)}")


def variables(programs: Path) -> dict[str, str]:
    """With these programs first. Builds that differ in little share what ccache keeps, unless it is told otherwise: so
    the compiler has the name by which CMake finds it, and not one that a Python remembers."""
    found = {"CXX": "c++", **os.environ, "PATH": f"{programs}{os.pathsep}{os.environ.get('PATH', '')}"}
    found.setdefault("CMAKE_BUILD_PARALLEL_LEVEL", os.environ.get("JOBS", str(len(os.sched_getaffinity(0)))))
    if (ccache := shutil.which("ccache")) and not run(ccache, "-k", "base_dir").strip():
        found |= {"CCACHE_BASEDIR": str(ROOT), "CCACHE_NOHASHDIR": "1"}
    return found


def compile_wheel(programs: Path, tag: str) -> Path:
    raw = WORK / f"raw-{tag}"
    shutil.rmtree(raw, ignore_errors=True)
    command = [str(programs / "python"), "-m", "pip", "wheel", "-v", "--no-deps", "--no-build-isolation"]
    command += ["--disable-pip-version-check", "-w", str(raw)]
    command += ["-C", f"build-dir=build/wheel-{tag}", "-C", "cmake.define.ATOLL_STANDALONE=ON", "."]
    follow(command, WORK / f"{tag}.log", variables(programs))
    return next(raw.glob("*.whl"))


def repair(tools: Path, wheel: Path) -> Path:
    """Puts the libraries that the wheel needs inside, and names the oldest glibc that it runs with."""
    with tempfile.TemporaryDirectory(dir=WORK) as folder:
        run(tools / "auditwheel", "repair", "-w", folder, wheel, env=variables(tools))
        (made,) = Path(folder).glob("*.whl")
        tag = made.name.split("-", 2)[2].rsplit("-", 1)[0]
        for old in DIST.glob(f"atoll-*-{tag}-*.whl"):
            old.unlink()
        return Path(shutil.move(made, DIST / made.name))


def asked_of_system(wheel: Path, tools: Path) -> dict[str, list[str]]:
    """Each program and library of a wheel -> the libraries that it needs and that are not in the wheel."""
    asked = {}
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as packed:
        inside = {Path(name).name for name in packed.namelist()}
        for name in packed.namelist():
            if packed.read(name)[:4] == b"\x7fELF":
                needed = run(tools / "patchelf", "--print-needed", packed.extract(name, folder)).split()
                asked[name] = [library for library in needed if library not in inside]
    return asked


def check(wheel: Path, tools: Path, python: Path) -> None:
    """Ends this program where a wheel needs what not every system has, is too large, or does not load."""
    for name, libraries in asked_of_system(wheel, tools).items():
        if foreign := sorted(set(libraries) - GLIBC):
            sys.exit(f"wheel: {name} in {wheel.name} needs {', '.join(foreign)}, which not every system has")
    if wheel.stat().st_size > LIMIT_BYTES:
        sys.exit(f"wheel: {wheel.name} has {wheel.stat().st_size:,} bytes; more than {LIMIT_BYTES:,} are too many")
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder)
        run(python, "-c", "import _core", env={**os.environ, "PYTHONPATH": f"{folder}/atoll"})


def make_sdist(tools: Path) -> Path:
    for old in DIST.glob("atoll-*.tar.gz"):
        old.unlink()
    made = run(
        tools / "python", "-c", "from scikit_build_core.build import build_sdist as b; print(b('dist'))", cwd=ROOT
    )
    return DIST / made.split()[-1]


def make_wheel(tag: str, tools: Path) -> Path | None:
    """The wheel in dist/, or None where there is no Python to build it with."""
    first, last = WHEELS[tag]
    python = find_python(first, last)
    if python is None and tag == NEXT_TAG:
        say(f"{tag}: no Python {first[0]}.{first[1]} or later here; unpacking Debian's {NEXT} into build/")
        python = unpack_python(tools / "patchelf")
    if python is None:
        return None
    say(f"{tag}: compiling for {python}; the log is build/wheel/{tag}.log")
    programs = environment(python, tag, "build")
    raw = compile_wheel(programs, tag)
    say(f"{tag}: putting libraries inside")
    made = repair(tools, raw)
    check(made, tools, programs / "python")
    return made


def main(wanted: list[str]) -> int:
    if unknown := set(wanted) - {"sdist", *WHEELS}:
        sys.exit(f"wheel: what is {', '.join(sorted(unknown))}? There are sdist, {', '.join(WHEELS)}")
    WORK.mkdir(parents=True, exist_ok=True)
    DIST.mkdir(exist_ok=True)
    say("tools")
    tools = environment(sys.executable, "tools", "build", "wheel")
    made, left_out = [], []
    if not wanted or "sdist" in wanted:
        say("source distribution")
        made.append(make_sdist(tools))
    for tag in WHEELS:
        if not wanted or tag in wanted:
            wheel = make_wheel(tag, tools)
            if wheel is None:
                left_out.append(tag)
            else:
                made.append(wheel)
    for path in made:
        print(f"{path.stat().st_size / 1e6:6.1f} MB  {path.relative_to(ROOT)}")
    for tag in left_out:
        print(
            f"left out: {tag}. No Python 3.{WHEELS[tag][0][1]} with its headers was found (PYTHON, .venv, the PATH, "
            "pyenv, uv). Install one, then again",
            file=sys.stderr,
        )
    return 1 if left_out else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
