# SPDX-License-Identifier: Apache-2.0
"""OpenSHMEM as a toolchain: exported symbols, the header in all languages, wrappers, installation."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python/atoll"
GENERATE = ROOT / "src/shmem/generate/generate.py"

needs_shmem = pytest.mark.skipif(not (PACKAGE / "bin/oshcc").exists(), reason="needs a built OpenSHMEM")

RING = """
#include <shmem.h>
#include <stdio.h>
long inbox;
int main(void) {
  shmem_init();
  int me = shmem_my_pe(), n = shmem_n_pes();
  shmem_long_p(&inbox, me + 1, (me + 1) % n);
  shmem_barrier_all();
  long from = inbox - 1;
  if (from != (me + n - 1) % n) return 1;
  if (me == 0) printf("ring of %d\\n", n);
  shmem_finalize();
  return 0;
}
"""

#: Children that leave in every way; whether the library ends itself at exit is the argument.
FORK = """
#include <shmem.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static long word;
int main(int argc, char **argv) {
  if (argc > 1) start_pes(0);
  else shmem_init();
  int me = shmem_my_pe(), n = shmem_n_pes();
  for (int way = 0; way < 3; ++way) {
    pid_t child = fork();
    if (child == 0) {
      if (way == 0) exit(0);
      if (way == 1) execlp("true", "true", (char *)0);
      _exit(0);
    }
    int status = 1;
    if (waitpid(child, &status, 0) != child || status != 0) return 10 + way;
    shmem_long_atomic_inc(&word, (me + 1) % n);
    shmem_barrier_all();
    if (word != way + 1) return 20 + way;
    shmem_barrier_all();
  }
  if (WEXITSTATUS(system("exit 3")) != 3) return 30;
  if (argc == 1) shmem_finalize();
  return 0;
}
"""

#: One call of each kind of generic name, through const and plain pointers, with and without a context.
GENERIC = """
#include <shmem.h>
#include <shmemx.h>
#include <pshmem.h>
#include <mpp/shmem.h>
static shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
int use(long *x, const long *y, float *f, uint64_t *u, signed char *c);
int use(long *x, const long *y, float *f, uint64_t *u, signed char *c) {
  shmem_p(x, 1, 0);
  shmem_p(ctx, x, 1, 0);
  shmem_put(x, y, 1, 0);
  shmem_get_nbi(ctx, x, y, 1, 0);
  shmem_put_signal(ctx, f, f, 1, u, 1, SHMEM_SIGNAL_ADD, 0);
  shmem_ibput(c, c, 2, 2, 1, 1, 0);
  shmem_atomic_inc(x, 0);
  shmem_atomic_or(u, 1, 0);
  shmem_atomic_set(f, 1, 0);
  shmem_atomic_fetch_add_nbi(ctx, x, x, 1, 0);
  shmem_signal_set(ctx, u, 1, 0);
  shmem_signal_set(u, 1, 0);
  shmem_wait_until(x, SHMEM_CMP_NE, 7);
  return (int)(shmem_g(y, 0) + shmem_g(ctx, x, 0) + shmem_atomic_fetch(y, 0) + shmem_g(&y[shmem_g(x, 0)], 0)) +
         shmem_test_all(u, 1, 0, SHMEM_CMP_EQ, 1);
}
"""

PLAIN = """
#include <shmem.h>
long use(long *x, const long *y, shmem_ctx_t ctx);
long use(long *x, const long *y, shmem_ctx_t ctx) {
  shmem_ctx_long_put(ctx, x, y, 1, 0);
  shmem_quiet();
  return shmem_long_g(y, 0) + shmem_long_atomic_fetch_inc(x, _my_pe());
}
"""

STANDARDS = [
    *[("c", standard, PLAIN) for standard in ("c99", "gnu99")],
    *[("c", standard, GENERIC) for standard in ("c11", "gnu11", "c17", "gnu17")],
    *[("c++", standard, GENERIC) for standard in ("c++11", "gnu++11", "c++14", "c++17", "c++20")],
]


def run(*words: str | Path, timeout_s: float = 120, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=timeout_s, **options)


def build_ring(folder: Path, *words: str | Path, text: str = RING) -> Path:
    (folder / "ring.c").write_text(text)
    made = run(*words, folder / "ring.c", "-o", folder / "ring")
    assert made.returncode == 0, made.stderr
    return folder / "ring"


@needs_shmem
def test_exports_the_table_and_nothing_else() -> None:
    if shutil.which("nm") is None:
        pytest.skip("needs nm")
    listed = run("nm", "-D", "--defined-only", "--format=posix", PACKAGE / "lib/libatoll_shmem.so.1")
    symbols = {line.split()[0].split("@")[0]: line.split()[1] for line in listed.stdout.splitlines()}
    symbols.pop("ATOLL_SHMEM_1", None)  # the version itself
    assert symbols.pop("_ZN3atl7runtime12ProcessPlaceIvE4slotE"), "what the doors of one process share"
    assert [name for name in symbols if not re.match(r"p?shmemx?_", name)] == []
    declared = set(
        re.findall(r"\b(p?shmem_\w+)\(", (PACKAGE / "include/shmem.h").read_text().split("-- inline forms")[0])
    )
    declared = {name for name in declared if not name.startswith("shmemx_")}
    assert {name for name in symbols if re.match(r"p?shmem_", name)} == declared
    strong = [name for name, kind in symbols.items() if name.startswith("shmem_") and kind not in "Ww"]
    assert strong == [], "a profiling library could not replace these"


def test_documentation_matches_the_table(tmp_path: Path) -> None:
    document = ROOT / "docs/openshmem.md"
    copy = Path(shutil.copy(document, tmp_path))
    assert run(sys.executable, "-B", GENERATE, "--document", copy).returncode == 0
    assert copy.read_text() == document.read_text(), "run `make docs`"


def test_a_wrong_row_is_named(tmp_path: Path) -> None:
    shutil.copytree(GENERATE.parent.parent, tmp_path / "src/shmem")
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    table = tmp_path / "src/shmem/api/setup.toml"
    table.write_text(table.read_text() + '\n[[function]]\nname = "odd"\nreturn = "int"\n')
    made = run(sys.executable, "-B", tmp_path / "src/shmem/generate/generate.py", tmp_path / "out")
    assert made.returncode != 0
    assert "setup.toml: odd: unknown keys ['return']" in made.stderr


@needs_shmem
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize(("language", "standard", "text"), STANDARDS, ids=[standard for _, standard, _ in STANDARDS])
def test_header_compiles_clean(tmp_path: Path, compiler: str, language: str, standard: str, text: str) -> None:
    stem = {"gcc": {"c": "gcc", "c++": "g++"}, "clang": {"c": "clang", "c++": "clang++"}}[compiler][language]
    # Debian's clang is there by its version, too.
    name = next(filter(shutil.which, [stem, *(f"{stem}-{version}" for version in range(20, 10, -1))]), None)
    if name is None:
        pytest.skip(f"needs {stem}")
    (tmp_path / "use").write_text(text)
    for level in ("-O0", "-O2"):
        warnings = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
        words = [name, "-x", language, f"-std={standard}", level, *warnings, f"-I{PACKAGE / 'include'}"]
        made = run(*words, "-c", tmp_path / "use", "-o", tmp_path / "use.o")
        assert made.returncode == 0, made.stderr


@needs_shmem
@pytest.mark.parametrize("pes", [1, 3])
def test_wrappers_build_and_run(tmp_path: Path, pes: int) -> None:
    ring = build_ring(tmp_path, PACKAGE / "bin/oshcc", "-O2")
    done = run(PACKAGE / "bin/oshrun", "-np", str(pes), ring)
    assert (done.returncode, done.stdout) == (0, f"ring of {pes}\n"), done.stderr


@needs_shmem
@pytest.mark.parametrize("start", [[], ["start_pes"]])
def test_forked_children_leave_the_job_alone(tmp_path: Path, start: list[str]) -> None:
    program = build_ring(tmp_path, PACKAGE / "bin/oshcc", "-O2", text=FORK)
    done = run(PACKAGE / "bin/oshrun", "-np", "3", program, *start)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@needs_shmem
def test_wrappers_show_their_commands(tmp_path: Path) -> None:
    shown = run(
        PACKAGE / "bin/oshcc", "--showme", "-DTEXT=a b", "x.c", env={"ATOLL_CC": "ccx", "PATH": "/usr/bin:/bin"}
    )
    assert re.match(r"ccx -I\S+/include '-DTEXT=a b' x\.c -L\S+/lib -Wl,-rpath,\S+/lib -latoll_shmem", shown.stdout)
    assert run(PACKAGE / "bin/oshcc", "-show", "-c", "x.c").stdout.split()[-1] == "x.c"
    assert run(PACKAGE / "bin/oshc++", "--showme:compile").stdout.startswith("-I")
    flags = run(PACKAGE / "bin/oshc++", "--showme:link").stdout.split()
    ring = build_ring(tmp_path, "cc", f"-I{PACKAGE / 'include'}", *flags, "-Wl,--no-as-needed", *flags)
    assert run(PACKAGE / "bin/oshrun", "-n", "2", ring).stdout == "ring of 2\n"


@needs_shmem
def test_a_profiler_sees_calls(tmp_path: Path) -> None:
    profiler = "#include <pshmem.h>\n#include <stdio.h>\nvoid shmem_long_p(long *dest, long value, int pe) {\n"
    profiler += '  puts("seen");\n  pshmem_long_p(dest, value, pe);\n}\n'
    (tmp_path / "profiler.c").write_text(profiler)
    ring = build_ring(tmp_path, PACKAGE / "bin/oshcc", "-O2", "-DSHMEM_NO_INLINE", tmp_path / "profiler.c")
    assert run(PACKAGE / "bin/oshrun", "-np", "1", ring).stdout == "seen\nring of 1\n"


@needs_shmem
def test_installs_into_any_folder(tmp_path: Path) -> None:
    build = (PACKAGE / "bin/oshcc").resolve().parents[2]
    if shutil.which("cmake") is None or not (build / "cmake_install.cmake").exists():
        pytest.skip("needs cmake and the build tree")
    prefix = tmp_path / "a place"
    made = run("cmake", "--install", build, "--component", "shmem", "--prefix", prefix)
    assert made.returncode == 0, made.stderr
    moved = prefix.rename(tmp_path / "another place")  # nothing in it knows where it was installed
    ring = build_ring(tmp_path, moved / "bin/oshcc")
    assert run(moved / "bin/oshrun", "-np", "2", ring).stdout == "ring of 2\n"
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(ring C)\nfind_package(AtollShmem 0.1 REQUIRED)\n"
        "add_executable(ring ring.c)\ntarget_link_libraries(ring Atoll::shmem)\n"
    )
    made = run("cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={moved}")
    assert made.returncode == 0, made.stderr
    assert run("cmake", "--build", tmp_path / "build").returncode == 0
    assert run(moved / "bin/oshrun", "-np", "2", tmp_path / "build/ring").stdout == "ring of 2\n"


@needs_shmem
@pytest.mark.slow
def test_shmem4py_runs_as_documented(tmp_path: Path) -> None:
    """The recipe of docs/openshmem.md with the package's own tests, all from the registry."""
    made = run(sys.executable, "-m", "venv", tmp_path / "venv", timeout_s=900)
    assert made.returncode == 0, made.stderr
    pip, python = tmp_path / "venv/bin/pip", tmp_path / "venv/bin/python"
    oshcc = f"'{PACKAGE}/bin/oshcc' -DPySHMEM_VENDOR_Sandia=1"
    for words in (
        ["install", "--no-cache-dir", "--no-binary=shmem4py", "shmem4py==1.0.0", "numpy<2"],
        ["download", "--no-deps", "--no-binary=:all:", "--dest", tmp_path, "shmem4py==1.0.0"],
    ):
        done = run(pip, "-q", *words, timeout_s=1800, env={**os.environ, "OSHCC": oshcc, "CFLAGS": "-O0"})
        if done.returncode != 0 and "No matching distribution" in done.stderr:
            pytest.skip("needs a package registry with shmem4py and numpy<2")
        assert done.returncode == 0, done.stderr
    shutil.unpack_archive(tmp_path / "shmem4py-1.0.0.tar.gz", tmp_path, filter="data")
    tests = ["-m", "unittest", "discover", "-s", tmp_path / "shmem4py-1.0.0/test"]
    for pes in (2, 4):
        done = run(PACKAGE / "bin/oshrun", "-np", str(pes), python, *tests, timeout_s=1200)
        assert done.returncode == 0, done.stderr
        assert done.stderr.count("Ran 110 tests") == pes, done.stderr
