# SPDX-License-Identifier: Apache-2.0
"""Benchmarks and their contenders, declared once, found by name."""

from __future__ import annotations

import importlib
import pkgutil
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from atoll.bench import BenchError

Array = np.ndarray[Any, Any]
#: The inputs of a case, by name: arrays and numbers.
Data = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """The data to generate."""

    size: int
    dtype: str
    dist: str
    seed: int = 1


@dataclass(frozen=True)
class Setup:
    """Resources of a contender."""

    pes: int
    threads: int  # per PE

    @property
    def cores(self) -> int:
        """Threads of another library, which has one process."""
        return self.pes * self.threads


@dataclass(frozen=True)
class Timed:
    """One contender, ready to run. `run` is timed and returns an evaluated answer; `export` converts it to NumPy."""

    run: Callable[[], Any]
    export: Callable[[Any], Any] = np.asarray
    #: Reverts changes of `run`, untimed, before the next run.
    reset: Callable[[], None] | None = None
    #: Number of runs of a trial, when several processes must agree.
    agree: Callable[[int], int] = lambda runs: runs
    #: Gives the seconds of a run that are to be shown, where they are not those that `run` takes by the clock.
    seconds: Callable[[], float] | None = None


class Skip(Exception):
    """This contender is skipped; the message gives the reason."""


Maker = Callable[[Data, Setup], Timed]


def same_answer(data: Data, answer: Any, reference: Any) -> None:
    """The default check: equal to the first contender's answer; float64 to 1e-9 relative, shorter floats to 1e-3."""
    if isinstance(reference, tuple):
        for one, other in zip(answer, reference, strict=True):
            same_answer(data, one, other)
        return
    answer, reference = np.asarray(answer), np.asarray(reference)
    if answer.shape != reference.shape:
        raise AssertionError(f"shape {answer.shape}, expected {reference.shape}")
    if np.issubdtype(reference.dtype, np.floating):
        rtol = 1e-9 if reference.dtype.itemsize >= 8 and answer.dtype.itemsize >= 8 else 1e-3
        close = np.isclose(answer, reference, rtol=rtol, atol=0, equal_nan=True)
        if not close.all():
            at = int(np.flatnonzero(~close.reshape(-1))[0])
            values = answer.reshape(-1)[at], reference.reshape(-1)[at]
            raise AssertionError(f"element {at} is {values[0]}, expected {values[1]}")
    elif not np.array_equal(answer, reference):
        raise AssertionError("the answer differs from the first contender's")


def checksum(answer: Any) -> str:
    """A hash of an answer: of its bits for integers; of floats, whose last bits may differ, the rounded sum."""
    if isinstance(answer, tuple):
        return "-".join(checksum(one) for one in answer)
    values = np.asarray(answer)
    if np.issubdtype(values.dtype, np.floating):
        return f"{float(np.sum(values, dtype=np.float64)):.6e}"
    if values.dtype != np.bool_:
        values = values.astype(np.int64 if values.dtype.kind == "i" else np.uint64, copy=False)
    return f"{zlib.crc32(np.ascontiguousarray(values).data):08x}"


@dataclass
class Case:
    """One benchmark: its data, its cost, its contenders, its check."""

    name: str
    summary: str
    make: Callable[[Request], Data]
    nominal_bytes: Callable[[Data], int]
    dtype: str = "float64"
    dist: str = "u64"
    check: Callable[[Data, Any, Any], None] = same_answer
    #: Makes a stable form of the answer for the checksum.
    canonical: Callable[[Data, Any], Any] = lambda data, answer: answer
    #: Largest default size, for a case that is slow.
    default_size: int = 10_000_000
    contenders: dict[str, Maker] = field(default_factory=dict)

    @property
    def family(self) -> str:
        return self.name.split(".")[0]

    def contender(self, name: str) -> Callable[[Maker], Maker]:
        """Declares a contender: a function of (data, setup) that returns a `Timed`."""

        def register(maker: Maker) -> Maker:
            self.contenders[name] = maker
            return maker

        return register


@dataclass(frozen=True)
class Program:
    """A benchmark that is a C program of bench/shmem or bench/mpi; `programs` runs it."""

    name: str
    summary: str
    size_means: str
    #: The C file's name, if it differs.
    source: str = ""
    #: The program's option that `--size` sets.
    size_option: str = ""
    #: Options of every run, and options of tiny runs for tests.
    words: Sequence[str] = ()
    tiny: Sequence[str] = ()
    least_pes: int = 1
    #: Its interface: `shmem` (the operations of bench/shmem/comm.h, which are also implemented over MPI) or `mpi`.
    interface: str = "shmem"
    #: Whether the time of whole jobs, from the launcher's start to its end, is a point, too.
    times_job: bool = False

    @property
    def family(self) -> str:
        return self.name


CASES: dict[str, Case] = {}
PROGRAMS: dict[str, Program] = {}


def case(name: str, summary: str, **options: Any) -> Case:
    """Declares a benchmark."""
    CASES[name] = Case(name, summary, **options)
    return CASES[name]


def program(name: str, summary: str, **options: Any) -> None:
    """Declares a benchmark that is a C program."""
    PROGRAMS[name] = Program(name, summary, **options)


def load() -> dict[str, Case]:
    """All cases, by name; and PROGRAMS is filled."""
    from atoll.bench import cases

    for module in pkgutil.iter_modules(cases.__path__):
        importlib.import_module(f"{cases.__name__}.{module.name}")
    return CASES


def select(names: Iterable[str]) -> list[Case | Program]:
    """The benchmarks of names: a case, a family, a program, or `all`."""
    every: dict[str, Case | Program] = {**load(), **PROGRAMS}
    found: dict[str, Case | Program] = {}
    for name in names:
        meant = (name, name.replace("-", "_"))  # message-rate
        matching = [one for one in every.values() if {one.name, one.family, "all"} & set(meant)]
        if not matching:
            families = sorted({one.family for one in every.values()})
            raise BenchError(f"there is no benchmark '{name}'. There are: {', '.join(families)}")
        found.update({one.name: one for one in matching})
    return list(found.values())
