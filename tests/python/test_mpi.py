# SPDX-License-Identifier: Apache-2.0
"""MPI as a toolchain: exported symbols, the header in all languages, wrappers, installation."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / "build/release/mpi"
GENERATE = ROOT / "src/mpi/generate/generate.py"

#: What the doors of one process share.
PROCESS = "_ZN3atl7runtime12ProcessPlaceIvE4slotE"

needs_mpi = pytest.mark.skipif(not (TREE / "bin/mpicc").exists(), reason="needs a built MPI")

SMALL = """
#include <mpi.h>
int main(int argc, char **argv) {
  MPI_Status status;
  int rank = -1, mine = 1, all = 0, sizes[sizeof(MPI_Status) == 32 ? 1 : -1];
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Sendrecv(&rank, 1, MPI_INT, 0, 0, sizes, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &status);
  return MPI_Finalize() != MPI_SUCCESS || all != 2;
}
"""

#: Run as programs 0 (two ranks) and 1 (one).
NUMBER = """
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int *number, found, size, last = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &found);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(number, &last, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return !found || *number != atoi(argv[argc - 1]) || size != 3 || last != 1;
}
"""


def run(*words: str | Path, timeout_s: float = 120) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=timeout_s)


@needs_mpi
def test_exports_the_abi_and_nothing_else() -> None:
    if shutil.which("nm") is None:
        pytest.skip("needs nm")
    listed = run("nm", "-D", "--defined-only", "--format=posix", TREE / "lib/libmpi_abi.so.1")
    kinds = {line.split()[0]: line.split()[1] for line in listed.stdout.splitlines()}
    table = json.loads((ROOT / "build/release/src/mpi/generated/api.json").read_text())
    names = {function["name"] for function in table["functions"]}
    assert len(names) == 664
    declared = (TREE / "include/mpi-ext.h").read_text()
    recovery = set(re.findall(r"\b(P?MPIX?_\w+)\(", declared))
    assert recovery >= {"MPIX_Comm_shrink", "PMPIX_Comm_shrink", "MPI_Comm_shrink"}
    # Of the standard's C, though not of its ABI: variables, which C programs compare with.
    statuses = {f"MPI_{kind}_{name}_IGNORE" for kind in ("F", "F08") for name in ("STATUS", "STATUSES")}
    for_fortran = {"atoll_mpi_keep_copies"}  # called by the library of mpi_f08
    assert set(kinds) == names | {"P" + name for name in names} | recovery | statuses | {PROCESS} | for_fortran
    functions = kinds.keys() - statuses
    strong = [name for name in functions if name.startswith("MPI_") and kinds[name] not in "Ww"]
    assert strong == [], "a profiling library could not replace these"


@needs_mpi
@pytest.mark.parametrize(
    ("wrapper", "standard"), [("mpicc", "c99"), ("mpicc", "gnu17"), ("mpicxx", "c++11"), ("mpicxx", "c++20")]
)
def test_a_program_compiles_clean_and_runs(tmp_path: Path, wrapper: str, standard: str) -> None:
    source = tmp_path / ("small.c" if wrapper == "mpicc" else "small.cpp")
    source.write_text(SMALL)
    made = run(
        TREE / "bin" / wrapper,
        f"-std={standard}",
        "-Wall",
        "-Wextra",
        "-Wpedantic",
        "-Werror",
        source,
        "-o",
        tmp_path / "small",
    )
    assert made.returncode == 0, made.stderr
    started = run(TREE / "bin/mpiexec", "-n", "2", tmp_path / "small")
    assert started.returncode == 0, started.stderr


@needs_mpi
def test_the_wrapper_shows_its_command() -> None:
    shown = run(TREE / "bin/mpicc", "-show", "a.c").stdout
    assert f"-I{TREE}/include" in shown
    assert "-lmpi_abi" in shown
    parts = {"compile": f"-I{TREE}/include", "incdirs": f"{TREE}/include", "libdirs": f"{TREE}/lib", "libs": "mpi_abi"}
    for part, text in parts.items():
        assert run(TREE / "bin/mpicc", f"--showme:{part}").stdout.strip() == text
    assert run(TREE / "bin/mpicc", "-cc=other", "-show", "a.c").stdout.split()[0] == "other"
    wrong = run(TREE / "bin/mpicc", "--showme:nonsense")
    assert wrong.returncode == 2
    assert "there is no --showme:nonsense" in wrong.stderr
    # CMake asks for this alone.
    if (TREE / "include/mpi.mod").exists():
        assert run(TREE / "bin/mpifort", "--showme:compile").stdout.startswith("-fallow-argument-mismatch -I")
        assert "-fallow" not in run(TREE / "bin/mpifort", "-fc=other", "-show", "a.f90").stdout


@needs_mpi
def test_others_build_systems_find_it_where_it_is_installed(tmp_path: Path) -> None:
    build = TREE.parent
    if None in map(shutil.which, ("cmake", "pkg-config")) or not (build / "cmake_install.cmake").exists():
        pytest.skip("needs cmake, pkg-config and the build tree")
    made = run("cmake", "--install", build, "--component", "mpi", "--prefix", tmp_path / "a place")
    assert made.returncode == 0, made.stderr
    prefix = (tmp_path / "a place").rename(tmp_path / "place")  # nothing in it knows where it was installed
    (tmp_path / "small.c").write_text(SMALL)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(small C)\nfind_package(MPI 5.0 REQUIRED COMPONENTS C)\n"
        "add_executable(small small.c)\ntarget_link_libraries(small MPI::MPI_C)\n"
        'file(WRITE ${CMAKE_BINARY_DIR}/launcher "${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG}")\n'
    )
    made = run("cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DMPI_HOME={prefix}")
    assert made.returncode == 0, made.stderr
    assert run("cmake", "--build", tmp_path / "build").returncode == 0
    launcher = (tmp_path / "build/launcher").read_text().split()
    assert launcher[0] == str(prefix / "bin/mpiexec")
    started = run(*launcher, "2", tmp_path / "build/small")
    assert started.returncode == 0, started.stderr
    described = prefix / "lib/pkgconfig/atoll-mpi.pc"
    flags = run("pkg-config", "--cflags", "--libs", described).stdout
    made = run("cc", tmp_path / "small.c", "-o", tmp_path / "small", *flags.split())
    assert made.returncode == 0, made.stderr
    assert run(prefix / "bin/mpiexec", "-n", "2", tmp_path / "small").returncode == 0


@needs_mpi
@pytest.mark.slow
def test_a_program_runs_on_the_other_library_of_its_interface(tmp_path: Path) -> None:
    """MPICH's, of the extra `launchers`: compiled there it runs here, and the other way round."""
    theirs = Path(sys.executable).parent
    if not (theirs / "mpicc_abi").exists():
        pytest.skip("needs MPICH's mpicc_abi")
    (tmp_path / "small.c").write_text(SMALL)
    for wrapper, name in ((theirs / "mpicc_abi", "theirs"), (TREE / "bin/mpicc", "ours")):
        made = run(wrapper, tmp_path / "small.c", "-o", tmp_path / name)
        assert made.returncode == 0, made.stderr
    library = (Path(sys.prefix) / "lib/libmpi_abi.so.1").resolve(strict=True).parent
    for started in (
        run("env", f"LD_LIBRARY_PATH={TREE}/lib", TREE / "bin/mpiexec", "-n", "2", tmp_path / "theirs"),
        run("env", f"LD_LIBRARY_PATH={library}", theirs / "mpiexec.hydra", "-n", "2", tmp_path / "ours"),
    ):
        assert started.returncode == 0, started.stderr


@needs_mpi
def test_several_programs_know_their_numbers(tmp_path: Path) -> None:
    (tmp_path / "number.c").write_text(NUMBER)
    assert run(TREE / "bin/mpicc", tmp_path / "number.c", "-o", tmp_path / "number").returncode == 0
    one = ["-n", "2", tmp_path / "number", "0"]
    started = run(TREE / "bin/mpiexec", *one, ":", "-n", "1", "-wdir", tmp_path, "./number", "1")
    assert started.returncode == 0, started.stderr
    hosts = ["--hosts", "reef:2,shoal:1", "--address", "127.0.0.1", "--launch-agent", "env ATOLL_NODE_NAME={host}"]
    started = run(TREE / "bin/mpiexec", *hosts, *one, ":", "-n", "1", "-wdir", tmp_path, "./number", "1")
    assert started.returncode == 0, started.stderr


def test_documentation_matches_the_table(tmp_path: Path) -> None:
    document = ROOT / "docs/mpi.md"
    copy = Path(shutil.copy(document, tmp_path))
    assert run(sys.executable, "-B", GENERATE, "--document", copy).returncode == 0
    assert copy.read_text() == document.read_text(), "run `make docs`"


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ('name = "Odd"\nargument = "void"', "environment.toml: Odd: unknown keys ['argument']"),
        (
            'name = "Odd"\narguments = "const int|MPI_Count sizes[]"',
            "environment.toml: Odd: 'lengths' says nothing of ['sizes']",
        ),
    ],
)
def test_a_wrong_row_is_named(tmp_path: Path, row: str, sentence: str) -> None:
    shutil.copytree(GENERATE.parent.parent, tmp_path / "src/mpi")
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    table = tmp_path / "src/mpi/api/environment.toml"
    table.write_text(f"{table.read_text()}\n[[function]]\n{row}\n")
    made = run(sys.executable, "-B", tmp_path / "src/mpi/generate/generate.py", tmp_path / "out")
    assert made.returncode != 0
    assert sentence in made.stderr


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, **more}


@needs_mpi
def test_find_library_finds_mpi_where_it_is_installed(tmp_path: Path) -> None:
    if shutil.which("ld") is None:
        pytest.skip("needs ld, which ctypes asks")
    if "libmpi.so" in subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout:
        pytest.skip("the linker's cache, which ctypes asks first, has another MPI")
    made = run("cmake", "--install", TREE.parent, "--component", "mpi", "--prefix", tmp_path / "place")
    assert made.returncode == 0, made.stderr
    asked = (
        "import ctypes, ctypes.util\n"
        "version = ctypes.create_string_buffer(8192)\n"
        "ctypes.CDLL(ctypes.util.find_library('mpi')).MPI_Get_library_version(version, ctypes.byref(ctypes.c_int()))\n"
        "print(version.value.decode())\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", asked],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(LD_LIBRARY_PATH=str(tmp_path / "place/lib")),
    )
    assert found.stdout.startswith("Atoll "), found.stderr


@needs_mpi
@pytest.mark.slow
def test_python_packages_run_as_documented(tmp_path: Path) -> None:
    """The recipes of docs/mpi.md, with packages from the registry."""
    made = run(sys.executable, "-m", "venv", tmp_path / "venv", timeout_s=900)
    assert made.returncode == 0, made.stderr
    pip, python = tmp_path / "venv/bin/pip", tmp_path / "venv/bin/python"
    for words in (["--no-binary=mpi4py", "mpi4py"], ["numba-mpi"]):
        installed = subprocess.run(
            [str(pip), "install", "-q", "--no-cache-dir", *words],
            capture_output=True,
            text=True,
            timeout=1800,
            env=environment(MPI4PY_BUILD_MPICC=str(TREE / "bin/mpicc"), CFLAGS="-O0"),
        )
        if installed.returncode != 0 and "No matching distribution" in installed.stderr:
            pytest.skip("needs a package registry")
        assert installed.returncode == 0, installed.stderr
    (tmp_path / "sum.py").write_text(
        "from mpi4py import MPI\nworld = MPI.COMM_WORLD\n"
        "print(world.allreduce(world.rank + 1), MPI.Get_library_version())\n"
    )
    started = run(TREE / "bin/mpiexec", "-n", "2", python, tmp_path / "sum.py")
    assert started.stdout.count("3 Atoll ") == 2, started.stderr
    (tmp_path / "compiled.py").write_text(
        "import numba, numba_mpi, numpy as np\n"
        "@numba.njit\n"
        "def total():\n"
        "    mine, all_of = np.full(1, numba_mpi.rank() + 1.0), np.zeros(1)\n"
        "    numba_mpi.allreduce(mine, all_of)\n"
        "    return all_of[0]\n"
        "print(total())\n"
    )
    preload = f"LD_PRELOAD={TREE}/lib/libmpi.so"
    started = run(TREE / "bin/mpiexec", "-n", "2", "-x", preload, python, tmp_path / "compiled.py")
    assert started.stdout.split() == ["3.0", "3.0"], started.stderr
