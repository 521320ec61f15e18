# SPDX-License-Identifier: Apache-2.0
"""Every C benchmark runs tiny on 2 and 3 PEs, by a bare shared mapping and by Atoll's OpenSHMEM where it is built;
each checks its answers, and the two must agree."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from pathlib import Path

import pytest
from records import record_of

from atoll import cli
from atoll.bench import BenchError, curves, places, programs, record, registry, toolchains
from atoll.bench.places import Place, place
from atoll.bench.programs import Measured, Point
from atoll.bench.registry import Program, Skip

registry.load()
NAMES = ["latency", "bandwidth", "message_rate", "threads", "collectives", "randomaccess", "indexgather", "histo"]
NAMES += ["isx", "pe_stream", "stencil", "transpose", "fft3d"]

TINY = ["--share-us", "50", "--repeats", "1"]
NAMES_MPI = ["mpi", "mpi_collectives", "mpi_allocated", "mpi_overlap", "mpi_threads", "mpi_io"]
NAMES_MPI += ["mpi_python", "mpi_start"]
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
    assert list(registry.PROGRAMS) == NAMES + NAMES_MPI


@pytest.mark.parametrize("pes", [2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_every_program_runs_and_contenders_agree(name, pes):
    program = registry.PROGRAMS[name]
    measured = programs.run_program(program, pes, ["limit"], 1, [*program.tiny, *TINY])
    assert measured.contenders() == HERE
    assert measured.seconds
    for by_contender in measured.seconds.values():
        assert all(min(seconds) > 0 for seconds in by_contender.values())


@pytest.mark.skipif(toolchains.own_compiler("mpi") is None, reason="needs Atoll's mpicc")
@pytest.mark.parametrize("pes", [2, 3])
@pytest.mark.parametrize("name", NAMES_MPI)
def test_every_program_of_mpi_runs(name, pes, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    program = registry.PROGRAMS[name]
    try:
        measured = programs.run_program(program, pes, ["limit"], 1, [*program.tiny, *TINY])
    except BenchError as error:
        if name == "mpi_python" and "no mpi4py for this library" in str(error):
            pytest.skip(str(error))
        raise
    assert measured.contenders() == ["atoll"]
    assert measured.skipped == {"limit": "a bare mapping has no messages"}
    assert all(min(seconds["atoll"]) > 0 for seconds in measured.seconds.values())
    assert list(tmp_path.iterdir()) == []
    points = {point.name for point in measured.seconds}
    assert ("job" in points) == program.times_job


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
def test_invalid_compilers(text):
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
    path.write_text(path.read_text() + json.dumps(record_of()) + "\n")
    assert cli.main(["bench", "plot", str(path), "--out", str(picture)]) == cli.FAILED
    assert "apart" in capsys.readouterr().err


def test_curves_part_sizes_from_single_points():
    point = {"name": "x.put", "contender": "limit", "size": 8, "seconds": [1.0], "unit": "", "work": 0}
    panels = curves.panels([point, {**point, "size": 64}, {**point, "name": "x.add"}])
    assert {name: sorted(found["limit"]) for name, found in panels.items()} == {"x.put": [8, 64], "x.add": [8]}


def test_measured_counts_work():
    program = Program("x", "", size_means="bytes")
    measured = Measured(program, 2)
    measured.seconds[Point("put", 64, 128.0, "B")] = {"limit": [2.0, 1.0, 4.0]}
    measured.checksums[Point("put", 64, 128.0, "B")] = "0"
    measured.libraries["limit"] = "none"
    (one,) = measured.records()
    assert (one["name"], one["per_second"], one["bytes"]) == ("x.put", 64.0, 128.0)


# -- several nodes --


def network() -> str:
    try:
        from atoll import _core
    except ImportError:
        return "none"
    return str(_core.info()["network"])


@pytest.mark.skipif("atoll" not in HERE or network().startswith("none"), reason="needs Atoll's oshcc and a network")
def test_two_pretended_nodes(tmp_path):
    path = tmp_path / "runs.jsonl"
    words = ["collectives", "--size", "64", "--pes", "3", "--trials", "1", "--fabric", "ofi", "--json", str(path)]
    assert cli.main(["bench", "run", *words]) == 0
    records = record.read([path])
    assert {one["name"] for one in records} >= {"collectives.barrier", "collectives.alltoall"}
    assert {(one["contender"], one["fabric"], one["hosts"]) for one in records} == {("atoll", "ofi", "here:2,there:1")}


def test_one_node_is_the_default():
    measured = programs.run_program(registry.PROGRAMS["pe_stream"], 2, ["limit"], 1, ["--elements", "1000", *TINY])
    assert {(one["fabric"], one["hosts"]) for one in measured.records()} == {("shm", "")}


@pytest.mark.skipif("atoll" not in HERE, reason="needs Atoll's oshcc")
def test_the_bare_mapping_is_of_one_node():
    where = place(None, "ofi", None, None)
    _, skipped = programs.chains_for(registry.PROGRAMS["pe_stream"], ["limit"], 2, where)
    assert skipped == {"limit": "it is processes of one node"}


@pytest.mark.parametrize(
    ("hosts", "pes", "listed"),
    [
        ("a:2,b:2", 4, "a:2,b:2"),
        ("a:2,b:2", 3, "a:2,b:1"),
        ("a:2,b:2", 2, "a:2"),
        ("a,b", 5, "a:3,b:2"),
        ("me@a,[fe80::1]:2", 3, "me@a:1,[fe80::1]:2"),
    ],
)
def test_pes_are_spread_over_hosts(hosts, pes, listed):
    assert place(hosts, None, None, None).listed(pes) == listed


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("a:0", None, None, None), "'a:0' is not a host"),
        (("-x", None, None, None), "'-x' is not a host"),
        (("a,a", None, None, None), "named twice"),
        (("a,b", "shm", None, None), "meet by ofi, not by shm"),
        (("a:2", "ofi", None, None), "meet by shm, not by ofi"),
        ((None, "sim", None, None), "no fabric 'sim'.* There are: shm, ofi"),
        ((None, "ofi", "ssh", None), "name them"),
    ],
)
def test_places_that_are_none(given, said):
    with pytest.raises(BenchError, match=said):
        place(*given)


def test_more_pes_than_fit():
    with pytest.raises(BenchError, match="3 PEs do not fit on the hosts, which take 2"):
        place("a:1,b:1", None, None, None).listed(3)


def test_options_of_every_launcher(tmp_path):
    where = Place("ofi", (("a", 2), ("b", 2)), "agent {host}", "10.0.0.9")
    agent = places.agent_file("agent {host}", tmp_path)
    listed = "a:2,b:1"
    own = ["--hosts", listed, "--launch-agent", "agent {host}", "--address", "10.0.0.9"]
    assert places.words("atoll", where, 3, {}, tmp_path) == own
    hydra = [
        "-hosts",
        listed,
        "-bind-to",
        "none",
        "-launcher",
        "rsh",
        "-launcher-exec",
        agent,
        "-localhost",
        "10.0.0.9",
    ]
    assert places.words("hydra", where, 3, {}, tmp_path) == hydra
    prrte = ["--host", listed, "--bind-to", "none", "--prtemca", "plm_ssh_agent", agent]
    prrte += ["--prtemca", "plm_ssh_no_tree_spawn", "1", "-x", "FI_PROVIDER"]
    assert places.words("prrte", where, 3, {"FI_PROVIDER": "tcp", "HOME": "/"}, tmp_path) == prrte
    assert places.words("hydra", Place("ofi", where.hosts), 3, {}, tmp_path)[-1] == "none"
    for kind, there in (("unknown", where), ("prrte", place(None, "ofi", None, None))):
        with pytest.raises(Skip):
            places.words(kind, there, 2, {}, tmp_path)


@pytest.mark.parametrize("agent", ["env 'NODE=a b {host}'", "env NODE='a b {host}' sh -c '\"$@\"' sh"])
def test_an_agent_as_other_launchers_call_it(tmp_path, agent):
    script = places.agent_file(agent, tmp_path / "new")
    command = [script, "it's", 'echo "$NODE"', ";", "'echo'", "'two  words'"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "a b it's\ntwo  words\n"


def test_ssh_has_a_shell_of_its_own():
    assert (
        places.agent_script("ssh -o BatchMode=yes")
        .splitlines()[-1]
        .endswith("""ssh -o BatchMode=yes ''"$host"'' "$*\"""")
    )


def test_launchers_are_distinguished(tmp_path):
    for said, kind in (("HYDRA build details:", "hydra"), ("mpiexec (Open MPI) 5.0.11", "prrte"), ("else", "unknown")):
        launcher = executable(tmp_path / kind)
        launcher.write_text(f"#!/bin/sh\necho '{said}'\n")
        assert places.launcher_kind(str(launcher)) == kind
    assert places.launcher_kind("/nowhere/mpiexec") == "unknown"
