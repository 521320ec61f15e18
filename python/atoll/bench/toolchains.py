# SPDX-License-Identifier: Apache-2.0
"""Toolchains of C benchmarks: Atoll's OpenSHMEM, other OpenSHMEM libraries, MPI, and no library (`limit`)."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from atoll.bench import BenchError, places
from atoll.bench.places import Place
from atoll.bench.record import PACKAGE
from atoll.bench.registry import Skip

CHECKOUT = PACKAGE.parent.parent
CFLAGS = ["-O3", "-march=native", "-std=gnu11", "-pthread"]
#: A job that takes longer than this hangs.
TIMEOUT_S = 120.0
HERE = Place()


def sources(interface: str = "shmem") -> Path:
    """The folder of the C files: in a wheel beside this file, in a checkout in bench/."""
    beside = PACKAGE / "bench" / interface
    return beside if beside.is_dir() else CHECKOUT / "bench" / interface


@dataclass(frozen=True)
class Toolchain:
    """A compiler and a launcher of its programs; without launcher the program starts itself."""

    name: str
    compiler: str
    launcher: str | None
    define: str | None = None

    def command(self, binary: Path, pes: int, words: Sequence[str], where: Place) -> list[str]:
        """The command that starts a job; Skip when the launcher cannot start it there."""
        if self.launcher is None:
            if where.hosts:
                raise Skip("it is processes of one node")
            return [str(binary), "--pes", str(pes), *words]
        placed = places.words(self.kind, where, pes, environment(where), cache_folder()) if where.hosts else []
        return [self.launcher, "-n", str(pes), *placed, str(binary), *words]

    @property
    def kind(self) -> str:
        return places.launcher_kind(self.launcher or "")


OWN = {"shmem": "oshcc", "mpi": "mpicc"}
#: Compilers of other libraries by their names in distributions.
OTHERS = {"mpich": "mpicc.mpich", "openmpi": "mpicc.openmpi"}


def own_compiler(interface: str = "shmem") -> str | None:
    """Atoll's oshcc or mpicc: in the package, in the checkout's newest optimised build, or (oshcc) on the PATH."""
    name = OWN[interface]
    found = [PACKAGE / "bin" / name, *CHECKOUT.glob(f"build/rel*/{interface}/bin/{name}")]
    found = sorted((one for one in found if one.is_file()), key=lambda path: path.stat().st_mtime, reverse=True)
    if found:
        return str(found[0])
    named = shutil.which(name)
    if named is None or interface == "mpi":  # an mpicc on the PATH may belong to another library
        return None
    shown = subprocess.run([named, "--showme"], capture_output=True, text=True, check=False, timeout=60)
    return named if "atoll_shmem" in shown.stdout else None


def launcher_beside(compiler: str, names: Sequence[str]) -> str:
    """The launcher of a compiler's library: in the same folder, with the same suffix (`mpicc.openmpi`)."""
    path = Path(compiler)
    suffix = path.name.partition("cc")[2]
    for name in (f"{one}{end}" for end in (suffix, "") for one in names):
        if (path.parent / name).is_file():
            return str(path.parent / name)
    raise Skip(f"there is no {' or '.join(names)} beside {compiler}")


def local_compiler() -> str:
    for name in ("cc", "gcc", "clang"):
        if found := shutil.which(name):
            return found
    raise Skip("there is no C compiler")


def toolchain(text: str, interface: str = "shmem") -> Toolchain:
    """The toolchain of a word of --against: `limit`, `oshcc`, `mpicc`, `mpich`, `openmpi`, or NAME=/path/to/a/compiler
    of OpenSHMEM or MPI. Skip when it is missing, or lacks the interface."""
    name, given, path = text.partition("=")
    if not re.fullmatch(r"[\w.+-]+", name):
        raise BenchError(f"'{text}': the name before '=' is made of letters, digits and _ . + -")
    if name == "limit" and not given:
        if interface != "shmem":
            raise Skip("a bare mapping has no messages")
        return Toolchain("limit", local_compiler(), None, "ATOLL_BENCH_BARE")
    if name == "atoll" and not given:
        compiler = own_compiler(interface)
        if compiler is None:
            raise Skip(f"Atoll's {OWN[interface]} is not built. In a checkout: `make build`, then again")
    else:
        compiler = shutil.which(path if given else OTHERS.get(name, name))
        if compiler is None and given:
            raise BenchError(f"there is no compiler {path}")
        if compiler is None:
            raise Skip(f"there is no {name} on the PATH: give {name}=/path/to/{name}")
    kind = Path(compiler).name
    if kind.startswith("osh") and interface == "mpi":
        raise Skip("it is no MPI library")
    if kind.startswith("osh"):
        return Toolchain(name, compiler, launcher_beside(compiler, ["oshrun"]))
    if kind.startswith("mpi"):
        return Toolchain(name, compiler, launcher_beside(compiler, ["mpiexec", "mpirun"]), "ATOLL_BENCH_MPI")
    raise BenchError(f"'{text}': the compiler must be an oshcc or an mpicc")


def is_toolchain(text: str) -> bool:
    """Whether a word of --against names a toolchain rather than a Python library."""
    return "=" in text or text in ("limit", "oshcc", "mpicc", *OTHERS)


@cache
def fftw_flags() -> tuple[str, ...]:
    """The flags of FFTW if it is installed; otherwise fft3d uses its own transforms."""
    found = shutil.which("pkg-config")
    if found is None:
        return ()
    asked = subprocess.run([found, "--cflags", "--libs", "fftw3"], capture_output=True, text=True, check=False)
    return ("-DATOLL_BENCH_FFTW", *asked.stdout.split()) if asked.returncode == 0 else ()


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "atoll" / "bench"


def compile_with(command: Sequence[str]) -> bytes:
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=TIMEOUT_S)
    except OSError as error:
        raise Skip(f"{command[0]} does not run: {error.strerror}") from None
    if done.returncode != 0:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        wrong = next((line for line in lines if "error" in line), lines[-1] if lines else "no message")
        raise Skip(f"{command[0]} does not compile it: {wrong}")
    return done.stdout


@cache
def build(name: str, chain: Toolchain, interface: str = "shmem") -> Path:
    """Builds the program, or takes it from the cache if neither its preprocessed text (including the library's
    headers) nor the compiler has changed."""
    source = sources(interface) / f"{name}.c"
    if not source.is_file():
        raise BenchError(f"{source} is missing")
    flags = [*CFLAGS, *([f"-D{chain.define}"] if chain.define else [])]
    libraries = ["-lm"]
    if name == "fft3d":
        flags += [flag for flag in fftw_flags() if not flag.startswith("-l")]
        libraries = [flag for flag in fftw_flags() if flag.startswith("-l")] + libraries
    text = compile_with([chain.compiler, *flags, "-E", "-P", str(source)])
    stamp = Path(chain.compiler).resolve().stat().st_mtime_ns
    key = hashlib.sha256(repr((chain.compiler, stamp, flags, libraries)).encode() + text).hexdigest()[:16]
    folder = cache_folder()
    binary = folder / f"{name}-{chain.name}-{key}"
    if not binary.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        fresh = binary.with_name(f"{binary.name}.{os.getpid()}")
        compile_with([chain.compiler, *flags, str(source), "-o", str(fresh), *libraries])
        for old in folder.glob(f"{name}-{chain.name}-{'[0-9a-f]' * 16}"):
            old.unlink(missing_ok=True)
        fresh.replace(binary)
    return binary


def environment(where: Place) -> dict[str, str]:
    """Variables that let launchers start more PEs than cores, as any user, with enough memory. Variables that the user
    has set are kept."""
    chosen = {
        "SHMEM_SYMMETRIC_SIZE": "512M",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    }
    if not where.hosts:
        # Open MPI's fastest one-sided operations on one host; rdma for memory of the program, which sm does not
        # support. Version 4.1 may crash with its default.
        chosen["OMPI_MCA_osc"] = "sm,rdma"
    if where.pretended:
        chosen["UCX_TLS"] = "tcp,self"  # otherwise it would detect shared memory
    if os.geteuid() == 0:
        chosen |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return chosen | os.environ


@contextlib.contextmanager
def ending_when_told() -> Iterator[None]:
    """Turns SIGTERM into an exception, so that subprocesses are ended too."""

    def stop(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def descendants(root: int) -> list[int]:
    """All descendants of a process; some launchers put each PE into a separate process group."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parent = int(entry.read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(entry.parent.name))
    found, left = [], [root]
    while left:
        below = children.get(left.pop(), [])
        found += below
        left += below
    return found


def end(process: subprocess.Popen[str]) -> None:
    """Ends a job that hangs: PEs first, while they can still be found as children of the launcher."""
    for one in [*descendants(process.pid), process.pid]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(one, signal.SIGKILL)
    process.communicate()


def run(chain: Toolchain, binary: Path, pes: int, words: Sequence[str], where: Place = HERE) -> list[dict[str, Any]]:
    """The JSON lines of one job; BenchError when it fails, hangs or finds an answer wrong."""
    with ending_when_told():
        process = subprocess.Popen(
            chain.command(binary, pes, words, where),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env=environment(where),
        )
        try:
            out, err = process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            end(process)
            raise BenchError(f"{chain.name}: {binary.name} did not end within {TIMEOUT_S:.0f} s") from None
        except BaseException:
            end(process)
            raise
    lines = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    ended = bool(lines) and lines[-1].get("end") is True
    # Other libraries may fail while they shut down, after all measurements. Atoll must not.
    if not ended or (process.returncode != 0 and chain.name == "atoll"):
        said = [line for line in err.strip().splitlines() if line.strip("- ")]
        reason = "; ".join(said[:3]) or f"exit status {process.returncode}"
        raise BenchError(f"{chain.name}: {binary.name} failed: {reason}")
    if lines[-1]["wrong_pes"] != 0:
        raise BenchError(f"the answer of {chain.name} is wrong: {err.strip()}")
    return lines
