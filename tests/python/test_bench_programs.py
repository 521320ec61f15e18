# SPDX-License-Identifier: Apache-2.0
"""Every C benchmark runs tiny on 2 and 3 PEs, by a bare shared mapping and by Atoll's OpenSHMEM where it is built;
each checks its answers, and the two must agree."""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path

import pytest

from atoll import cli
from atoll.bench import BenchError, curves, programs, record, registry, toolchains
from atoll.bench.programs import Measured, Point
from atoll.bench.registry import Program, Skip

registry.load()
NAMES = ["latency", "bandwidth", "message_rate", "threads", "collectives", "randomaccess", "indexgather", "histo"]
NAMES += ["isx", "pe_stream", "stencil", "transpose", "fft3d"]

TINY = ["--share-us", "50", "--repeats", "1"]
HERE = ["atoll", "limit"] if toolchains.own_compiler() else ["limit"]


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory):
    """Programs built by the tests stay out of the user's cache."""
    before = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))
    yield
    if before is None:
        del os.environ["XDG_CACHE_HOME"]
    else:
        os.environ["XDG_CACHE_HOME"] = before


def test_all_programs_are_there():
    assert list(registry.PROGRAMS) == NAMES


@pytest.mark.parametrize("pes", [2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_every_program_runs_and_contenders_agree(name, pes):
    program = registry.PROGRAMS[name]
    measured = programs.run_program(program, pes, ["limit"], 1, [*program.tiny, *TINY])
    assert measured.contenders() == HERE
    assert measured.seconds
    for by_contender in measured.seconds.values():
        assert all(min(seconds) > 0 for seconds in by_contender.values())


def test_a_wrong_option_is_refused():
    with pytest.raises(BenchError, match=r"'--mots' is not understood.*--most"):
        programs.run_program(registry.PROGRAMS["bandwidth"], 2, ["limit"], 1, ["--mots", "8"])


def test_latency_needs_two_pes():
    with pytest.raises(BenchError, match="--pes 2"):
        programs.run_program(registry.PROGRAMS["latency"], 1, ["limit"], 1)


def line(seconds: float, checksum: str) -> list[dict[str, object]]:
    return [
        {"library": "x"},
        {"point": "put", "size": 8, "seconds": seconds, "work": 0, "unit": "", "checksum": checksum},
    ]


def test_answers_must_be_the_same():
    measured = Measured(Program("latency", "", size_means="bytes"), 2)
    measured.add("atoll", line(1e-9, "a"))
    with pytest.raises(BenchError, match=r"latency\.put, size 8: limit has another answer"):
        measured.add("limit", line(1e-9, "b"))


def test_a_program_is_built_once(monkeypatch):
    chain = toolchains.toolchain("limit")
    binary = toolchains.build("pe_stream", chain)
    before = binary.stat().st_mtime_ns
    toolchains.build.cache_clear()
    assert toolchains.build("pe_stream", chain) == binary
    assert binary.stat().st_mtime_ns == before
    # Another text, another program: the old one goes.
    monkeypatch.setattr(toolchains, "CFLAGS", [*toolchains.CFLAGS, "-DANOTHER"])
    toolchains.build.cache_clear()
    other = toolchains.build("pe_stream", chain)
    assert other.is_file()
    assert other != binary
    assert not binary.exists()
    toolchains.build.cache_clear()


def executable(path):
    path.write_text("#!/bin/sh\nexit 1\n")
    path.chmod(0o755)
    return path


def test_the_launcher_is_the_compilers(tmp_path):
    compiler = executable(tmp_path / "mpicc.mpich")
    for name in ("mpiexec", "mpirun.mpich"):
        executable(tmp_path / name)
    chain = toolchains.toolchain(f"mpich={compiler}")
    assert (chain.name, chain.launcher) == ("mpich", str(tmp_path / "mpirun.mpich"))
    with pytest.raises(Skip, match="no oshrun beside"):
        toolchains.toolchain(f"other={executable(tmp_path / 'oshcc')}")


@pytest.mark.parametrize("text", ["limit=/bin/true", "x=/nowhere/oshcc", "a b=/bin/true", "no/path=oshcc"])
def test_what_is_no_compiler(text):
    with pytest.raises(BenchError):
        toolchains.toolchain(text)


def test_a_compiler_that_fails_is_left_out(tmp_path):
    executable(tmp_path / "mpiexec")
    broken = f"broken={executable(tmp_path / 'mpicc')}"
    program = registry.PROGRAMS["pe_stream"]
    measured = programs.run_program(program, 2, ["limit", broken], 1, [*program.tiny, *TINY])
    assert measured.contenders() == HERE
    assert "does not compile" in measured.skipped["broken"]


def runs(state: Path) -> bool:
    try:
        return state.read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_job_that_hangs_is_ended_with_all_its_processes(tmp_path, monkeypatch):
    pid = tmp_path / "pid"
    launcher = executable(tmp_path / "oshrun")
    launcher.write_text(f"#!/bin/sh\nsetsid sh -c 'echo $$ > {pid}; exec sleep 60' &\nwait\n")
    monkeypatch.setattr(toolchains, "TIMEOUT_S", 0.5)
    chain = toolchains.Toolchain("slow", "cc", str(launcher))
    with pytest.raises(BenchError, match="did not end"):
        toolchains.run(chain, tmp_path / "program", 2, [])
    state = Path(f"/proc/{int(pid.read_text())}/stat")
    # A killed process is there until a core is free for it to end.
    deadline = time.monotonic() + 30
    while runs(state) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not runs(state)


def test_records_and_plots(tmp_path, capsys):
    path, picture = tmp_path / "runs.jsonl", tmp_path / "runs.png"
    words = ["bench", "run", "bandwidth", "--size", "256", "--trials", "2", "--against", "limit", "--json", str(path)]
    assert cli.main(words) == 0
    assert re.search(r"put_both_ways +256 ", capsys.readouterr().out)
    records = record.read([path])
    assert {(one["name"], one["size"]) for one in records} == {
        (f"bandwidth.{name}", size) for name in ("put", "get", "put_both_ways") for size in (64, 256)
    }
    assert {one["contender"] for one in records} == set(HERE)
    for one in records:
        assert len(one["seconds"]) == 2
        assert one["bytes"] == one["work"] > 0
        assert one["per_second"] > 0
        assert one["library"]
    assert cli.main(["bench", "plot", str(path), "--out", str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    path.write_text(path.read_text() + json.dumps(dict.fromkeys(record.REQUIRED, 1)) + "\n")
    assert cli.main(["bench", "plot", str(path), "--out", str(picture)]) == cli.FAILED
    assert "apart" in capsys.readouterr().err


def test_curves_part_sizes_from_single_points():
    point = {"name": "x.put", "contender": "limit", "size": 8, "seconds": [1.0], "unit": "", "work": 0}
    panels = curves.panels([point, {**point, "size": 64}, {**point, "name": "x.add"}])
    assert {name: sorted(found["limit"]) for name, found in panels.items()} == {"x.put": [8, 64], "x.add": [8]}


def test_measured_counts_what_was_done():
    program = Program("x", "", size_means="bytes")
    measured = Measured(program, 2)
    measured.seconds[Point("put", 64, 128.0, "B")] = {"limit": [2.0, 1.0, 4.0]}
    measured.checksums[Point("put", 64, 128.0, "B")] = "0"
    measured.libraries["limit"] = "none"
    (one,) = measured.records()
    assert (one["name"], one["per_second"], one["bytes"]) == ("x.put", 64.0, 128.0)
