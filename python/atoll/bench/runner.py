# SPDX-License-Identifier: Apache-2.0
"""Runs cases: makes the data, sets the contenders up, checks their answers against each other, times them in turns."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from atoll.bench import BenchError, levels, peers, record, together
from atoll.bench.data import DISTRIBUTIONS, aligned_empty
from atoll.bench.energy import Meter, NoEnergyError
from atoll.bench.places import place
from atoll.bench.programs import Measured, run_program
from atoll.bench.registry import Case, Data, Program, Request, Setup, Skip, Timed, checksum, select
from atoll.bench.result import Result
from atoll.bench.table import Progress, console, print_measured, print_ranking, print_result
from atoll.bench.timing import in_turns
from atoll.bench.toolchains import is_toolchain

#: Each contender has its own copy of the input if all copies together are smaller than this.
COPIED_BYTES = 4 << 30
#: Of the default size, and the number of trials, of `--quick`.
QUICK_PART, QUICK_TRIALS = 4, 3


def wanted_contenders(case: Case, against: Sequence[str]) -> list[str]:
    """Atoll first, then the requested contenders with their variants: `numpy` includes `numpy-unstable`."""
    own = ["atoll"] if "atoll" in case.contenders else []
    against = [name for name in against if name == "limit" or not is_toolchain(name)]
    if "all" in against:
        return own + [name for name in case.contenders if name != "atoll"]
    known = set(peers.MODULES)
    for name in against:
        if name.split("-")[0] not in known:
            raise BenchError(f"there is no contender '{name}'. There are: {', '.join(sorted(known))}, all")
    found = own
    for name in against:
        found += [one for one in case.contenders if one == name or one.startswith(f"{name}-")]
    return list(dict.fromkeys(found))


def of_its_own(data: Data) -> Data:
    """Separate copies of the arrays, as Atoll has them, so that no contender finds another's data in the cache."""
    copied: Data = {}
    for name, value in data.items():
        if isinstance(value, np.ndarray) and value.dtype != object:
            copied[name] = aligned_empty(value.size, value.dtype).reshape(value.shape)
            copied[name][...] = value
        else:
            copied[name] = value
    return copied


def set_up(case: Case, names: Sequence[str], data: Data, setup: Setup) -> tuple[dict[str, Timed], dict[str, str]]:
    """The contenders that run, and the reasons for skipping others."""
    ready: dict[str, Timed] = {}
    skipped: dict[str, str] = {}
    room = input_bytes(data) * len(names) < COPIED_BYTES
    for name in names:
        try:
            peers.require(name)
            timed = case.contenders[name](of_its_own(data) if room and name != "atoll" else data, setup)
            ready[name] = together.timed_together(timed) if name == "atoll" and together.in_job() else timed
        except Skip as reason:
            skipped[name] = str(reason)
    return ready, skipped


def check_answers(case: Case, data: Data, ready: dict[str, Timed]) -> dict[str, str]:
    """Runs each contender once; AssertionError, naming it, when an answer is wrong."""
    checksums = {}
    reference = None
    for name, timed in ready.items():
        if timed.reset is not None:
            timed.reset()
        answer = timed.export(timed.run())
        reference = answer if reference is None else reference
        try:
            case.check(data, answer, reference)
        except AssertionError as error:
            raise BenchError(f"{case.name}: the answer of {name} is wrong: {error}") from None
        checksums[name] = checksum(case.canonical(data, answer))
        del answer
    return checksums


def run_case(
    case: Case,
    request: Request,
    setup: Setup,
    against: Sequence[str],
    trials: int,
    memory: bool = False,
    tick: Any = lambda name: None,
    meter: Meter | None = None,
) -> Result:
    """Runs one case with all its contenders."""
    data = case.make(request)
    wanted = wanted_contenders(case, against)
    ready, skipped = set_up(case, wanted if together.leads() else wanted[:1], data, setup)
    if not ready:
        reasons = "; ".join(f"{name}: {why}" for name, why in skipped.items())
        raise BenchError(f"{case.name}: no contender can run. {reasons}")
    checksums = check_answers(case, data, ready)
    moved, phases = observed(data, ready, setup)
    tick("")
    joules: dict[str, list[float]] = {}
    seconds = in_turns(ready, trials, tick, meter, joules)
    result = Result(case, request, setup, case.nominal_bytes(data), seconds, checksums, skipped, moved_ratio=moved)
    result.joules, result.phases = joules, phases
    if memory and "atoll" in ready:
        ready.clear()  # their arrays belong to the session that ends now
        result.memory_ratio = peak_memory_ratio(case, data, setup)
    return result


def observed(data: Data, ready: dict[str, Timed], setup: Setup) -> tuple[float | None, dict[str, float]]:
    """One run of Atoll: bytes that PE 0 sends and fetches, times the number of PEs, over the bytes of the input (None
    with one PE); and its seconds by phase."""
    if "atoll" not in ready:
        return None, {}
    timed = ready["atoll"]
    if timed.reset is not None:
        timed.reset()
    bytes_before, phases_before = together.bytes_moved(), together.phases()
    timed.run()
    moved = (together.bytes_moved() - bytes_before) * setup.pes / max(1, input_bytes(data))
    spent = {name: after - phases_before.get(name, 0.0) for name, after in together.phases().items()}
    return moved if setup.pes > 1 else None, {name: seconds for name, seconds in spent.items() if seconds > 0}


def input_bytes(data: Data) -> int:
    return sum(value.nbytes for value in data.values() if hasattr(value, "nbytes"))


def peak_memory_ratio(case: Case, data: Data, setup: Setup) -> float:
    """Peak bytes of Atoll's arrays, inputs and answer too, over the bytes of the input, in a session of its own. With
    several PEs: of PE 0, times their number."""
    import atoll as ak

    ak.shutdown()
    timed = case.contenders["atoll"](data, setup)
    timed.run()
    peak = ak.stats()["memory_peak"] * setup.pes
    return float(peak / max(1, input_bytes(data)))


def default_threads(pes: int) -> int:
    return max(1, len(os.sched_getaffinity(0)) // pes)


def run_command(arguments: argparse.Namespace) -> None:
    """`atoll bench run`: every named benchmark, with progress, a table, and records."""
    chosen = select(arguments.names)
    if arguments.dist is not None and arguments.dist not in DISTRIBUTIONS:
        raise BenchError(f"there is no distribution '{arguments.dist}'. There are: {', '.join(DISTRIBUTIONS)}")
    leads = together.leads()
    console.stderr = arguments.json == record.STANDARD_OUTPUT
    meter = meter_for(arguments.energy) if leads else None
    ranked: list[Result] = []
    with Progress() as progress:
        for one in chosen:
            if leads:
                progress.start(one.name)
            if isinstance(one, Program):
                if together.in_job():
                    raise BenchError(f"{one.name} starts jobs of its own: run it without `atoll run`")
                measured = run_job(one, arguments, progress.tick, meter)
                progress.stop()
                print_measured(measured)
                records = measured.records()
            else:
                results = run_arrays(one, arguments, progress.tick, meter)
                if not leads:
                    continue
                progress.stop()
                if arguments.ranked:
                    ranked += results
                else:
                    for result in results:
                        print_result(result)
                records = [each for result in results for each in result.records()]
            if arguments.json == record.STANDARD_OUTPUT:
                record.write(records)
            elif arguments.json is not None:
                record.append(arguments.json, records)
    if ranked:
        print_ranking(ranked)


def meter_for(wanted: bool) -> Meter | None:
    """The energy meter; if there is none, prints the reason, and the benchmarks run without."""
    if not wanted:
        return None
    try:
        return Meter()
    except NoEnergyError as reason:
        console.print(
            f"energy is not measured: {reason}", style="yellow", markup=False, highlight=False, soft_wrap=True
        )
        return None


def run_arrays(case: Case, arguments: argparse.Namespace, tick: Any, meter: Meter | None = None) -> list[Result]:
    if arguments.hosts is not None or arguments.fabric is not None:
        raise BenchError(f"on hosts, {case.name} is run by all PEs: atoll run --hosts … atoll bench run {case.name}")
    if together.in_job():
        setup = together.setup()
    else:
        pes = arguments.pes or 1
        setup = Setup(pes, arguments.threads or default_threads(pes))
    peers.prepare_environment(setup.cores)
    request = Request(
        size=arguments.size or (max(1, case.default_size // QUICK_PART) if arguments.quick else case.default_size),
        dtype=arguments.dtype or case.dtype,
        dist=arguments.dist or case.dist,
        seed=arguments.seed,
    )
    against = arguments.against or ["numpy"]
    trials = QUICK_TRIALS if arguments.quick else arguments.trials
    if arguments.simd:
        if together.in_job() or arguments.memory:
            raise BenchError("--simd starts a process for each level: set ATOLL_SIMD for a job, or to measure --memory")
        return levels.run_case_at(arguments.simd, case, request, setup, against, trials, tick)
    return [run_case(case, request, setup, against, trials, arguments.memory, tick, meter)]


def run_job(program: Program, arguments: argparse.Namespace, tick: Any, meter: Meter | None = None) -> Measured:
    words = []
    if arguments.simd:
        raise BenchError(f"{program.name} has no --simd")
    if arguments.size is not None:
        if not program.size_option:
            raise BenchError(f"{program.name} has no --size")
        words += [f"--{program.size_option}", str(arguments.size)]
    if arguments.threads is not None and program.name == "threads":
        words += ["--threads", str(arguments.threads)]
    where = place(arguments.hosts, arguments.fabric, arguments.launch_agent, arguments.address)
    pes = arguments.pes or where.default_pes(2)
    return run_program(program, pes, arguments.against or [], arguments.trials, words, tick, where, meter)
