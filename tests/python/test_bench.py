# SPDX-License-Identifier: Apache-2.0
"""Every benchmark runs with tiny data and every installed contender, and the answers agree."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from records import record_of

from atoll import cli
from atoll.bench import BenchError, data, energy, levels, peers, plot, record, registry, runner
from atoll.bench.registry import Case, Request, Setup, Timed
from atoll.bench.result import Result
from atoll.bench.timing import Spread, in_turns

ROOT = Path(__file__).resolve().parents[2]
CASES = registry.load()

#: What every installation must offer.
EXPECTED = [
    "stream",
    "argsort",
    "coargsort",
    "gather",
    "scatter",
    "reduce",
    "scan",
    "sort",
    "expr",
    "unique",
    "value_counts",
    "histogram",
    "axes",
    "fft",
    "matmul",
    "groupby",
    "join",
    "strings",
    "in1d",
    "select",
    "window",
    "dates",
    "frames",
    "frames_wide",
    "h2o",
    "io",
    "tpch",
    "noop",
    "server",
]


#: Compiled again for each run, which takes seconds: numba takes part once per benchmark.
QUICK = ["numpy", "polars", "duckdb", "pandas", "pyarrow", "numexpr", "scipy", "limit"]


def tiny(case: Case, against=("all",), **changes) -> Result:
    options = {"size": 1000, "dtype": case.dtype, "dist": case.dist, "seed": 3} | changes
    return runner.run_case(case, Request(**options), Setup(pes=1, threads=2), against, trials=2)


def assert_contenders_agree(case: Case, size: int) -> None:
    """Compares the answers of QUICK contenders, without timing."""
    made = case.make(Request(size, case.dtype, case.dist, seed=3))
    ready, _ = runner.set_up(
        case, [one for one in case.contenders if one in QUICK or one == "atoll"], made, Setup(1, 2)
    )
    assert len(set(runner.check_answers(case, made, ready).values())) == 1, case.name


def test_all_benchmarks_are_there():
    assert {case.family for case in CASES.values()} == set(EXPECTED)


#: Cases of one family that differ by one call: some are timed, the answers of all are checked.
ALIKE = [name for name, case in CASES.items() if case.family in ("axes", "frames_wide")]
SOME = ("axes.sum_2d0_t", "axes.roll_3d1_c", "axes.fft2", "frames_wide.merge")
TIMED = [name for name in CASES if name not in ALIKE or name in SOME]


@pytest.mark.parametrize("name", TIMED)
def test_every_benchmark_runs_and_its_contenders_agree(name):
    case = CASES[name]
    if set(case.contenders) == {"atoll"} and not peers.is_here("atoll"):
        pytest.skip("needs a built atoll._core")
    result = tiny(case)
    assert set(result.seconds) | set(result.skipped) == set(case.contenders)
    assert all(len(seconds) == 2 and min(seconds) > 0 for seconds in result.seconds.values())
    assert len(set(result.checksums.values())) == 1
    if peers.is_here("atoll"):
        assert "atoll" in result.seconds
    assert result.bytes > 0 or case.family == "noop"


@pytest.mark.parametrize("dist", data.DISTRIBUTIONS)
@pytest.mark.parametrize("dtype", ["int64", "uint32", "float64", "int8"])
def test_every_distribution_sorts_alike(dist, dtype):
    for name in ("argsort", "sort"):
        assert len(set(tiny(CASES[name], QUICK, dtype=dtype, dist=dist).checksums.values())) == 1


@pytest.mark.parametrize("size", [1, 2, 17])
@pytest.mark.parametrize(
    "name", [name for name in TIMED if CASES[name].family not in ("noop", "h2o", "tpch", "frames_wide", "server")]
)
def test_few_elements(name, size):
    assert_contenders_agree(CASES[name], size)


@pytest.mark.parametrize("size", [1, 300])
def test_contenders_agree_along_every_axis_and_layout(size):
    for name in ALIKE:
        if CASES[name].family == "axes":
            assert_contenders_agree(CASES[name], size)


def test_calls_of_frames_agree_with_pandas():
    for name in ALIKE:
        if CASES[name].family == "frames_wide":
            assert_contenders_agree(CASES[name], 300)


def test_data_repeat_and_start_at_a_cache_line():
    one, other = (data.generate("int64", "zipf", 1001, seed=5) for _ in range(2))
    np.testing.assert_array_equal(one, other)
    assert one.ctypes.data % data.ALIGNMENT == 0
    assert (data.generate("int64", "zipf", 1001, seed=6) != one).any()
    assert data.generate("int64", "u32", 1000, 1).max() < 2**32
    assert (np.diff(data.generate("float64", "sorted", 1000, 1)) >= 0).all()


def test_rankings_begin_with_the_slowest(capsys):
    names = ["axes.sum_2d0_c", "axes.flip_2d1_c_int8", "axes.all_2d1_c_bool"]
    assert cli.main(["bench", "run", *names, "--size", "900", "--threads", "1", "--quick", "--ranked"]) == 0
    ratios = [line.split() for line in capsys.readouterr().out.splitlines() if "axes." in line]
    assert {words[2] for words in ratios} == set(names)
    assert [float(words[0]) for words in ratios] == sorted(float(words[0]) for words in ratios)


def wrong_case() -> Case:
    case = Case("wrong", "", make=lambda request: {"a": np.arange(3)}, nominal_bytes=lambda data: 24)
    case.contenders["numpy"] = lambda data, setup: Timed(lambda: data["a"])
    case.contenders["numpy-wrong"] = lambda data, setup: Timed(lambda: data["a"] + 1)
    return case


def test_a_wrong_answer_stops_the_run():
    with pytest.raises(BenchError, match="wrong: the answer of numpy-wrong is wrong"):
        tiny(wrong_case())


@pytest.mark.parametrize(
    ("order", "said"),
    [([0, 1, 2], "not in order"), ([1, 1, 0], "not a permutation"), ([1, 2], "shape")],
)
def test_orders_are_checked(order, said):
    with pytest.raises(AssertionError, match=said):
        CASES["argsort"].check({"a": np.array([3, 1, 2])}, np.array(order), None)


def test_runs_take_turns():
    turns = []
    contenders = {name: Timed(lambda name=name: turns.append(name)) for name in "ab"}
    seconds = in_turns(contenders, trials=3, tick=lambda name: turns.append(name.upper()))
    assert [turn for turn in turns if turn.isupper()] == ["A", "B"] * 3
    assert {name: len(each) for name, each in seconds.items()} == {"a": 3, "b": 3}


def test_reset_runs_before_each_run():
    state = {"value": 0, "runs": 0}

    def run() -> int:
        assert state["value"] == 0
        state["value"] = 1
        state["runs"] += 1
        return state["value"]

    in_turns({"a": Timed(run, reset=lambda: state.update(value=0))}, trials=2)
    assert state["runs"] >= 3


def test_spread():
    assert Spread.of([3.0, 1.0, 2.0]) == Spread(2.0, 1.0, 3.0)
    assert Spread.of([3.0, 1.0, 2.0]).relative == 0.5


def test_records_say_everything(tmp_path, capsys):
    path = tmp_path / "runs.jsonl"
    words = [
        "bench",
        "run",
        "reduce.sum",
        "stream",
        "--size",
        "1000",
        "--trials",
        "3",
        "--threads",
        "1",
        "--against",
        "numpy,numexpr",
        "--json",
    ]
    assert cli.main([*words, str(path)]) == 0
    out = capsys.readouterr().out
    assert "reduce.sum" in out
    assert "GiB/s" in out
    records = record.read([path])
    names = {"atoll", "numpy", "numexpr"} if peers.is_here("atoll") else {"numpy", "numexpr"}
    assert {(one["name"], one["contender"]) for one in records} == {
        (name, contender) for name in ("reduce.sum", "stream") for contender in names
    }
    for one in records:
        wanted = {*record.REQUIRED, "host", "commit", "processor", "cores", "simd", "kernel", "compiler", "versions"}
        assert wanted | {"command", "date", "memory_bytes"} <= set(one)
        assert len(one["seconds"]) == 3
        assert one["bytes"] == {"reduce.sum": 8000, "stream": 24000}[one["name"]]
        assert one["gib_s"] > 0


@pytest.mark.skipif(not peers.is_here("atoll"), reason="needs a built atoll._core")
def test_levels_take_turns_in_processes_of_their_own(tmp_path, capsys):
    path, picture = tmp_path / "runs.jsonl", tmp_path / "runs.svg"
    chosen = levels.LEVELS[: levels.LEVELS.index(levels.best()) + 1][:2]
    words = ["bench", "run", "reduce.min", "--size", "1000", "--trials", "3", "--against", "numpy,limit", "--simd"]
    assert cli.main([*words, ",".join(chosen), "--json", str(path)]) == 0
    out = capsys.readouterr().out
    records = record.read([path])
    assert [(one["simd"], one["contender"]) for one in records] == [
        (level, name) for level in chosen for name in ("atoll", "numpy", "limit")
    ]
    assert all(f"thread, {level}" in out or f"threads, {level}" in out for level in chosen)
    assert len({one["checksum"] for one in records}) == 1
    assert all(len(one["seconds"]) == 3 for one in records)
    plot.plot_files([path], picture, "ratio", "numpy", "")
    assert "<svg" in picture.read_text()
    script = [sys.executable, str(ROOT / "scripts" / "performance_table.py"), str(path)]
    shown = subprocess.run(script, capture_output=True, text=True, check=True).stdout
    assert all(f"{level}: of limit" in shown for level in chosen) == (len(chosen) > 1)


def test_tables_of_records_have_the_columns_that_are_filled(tmp_path):
    machine = {
        "processor": "p",
        "cores": 2,
        "memory_bytes": 2**30,
        "kernel": "k",
        "compiler": "c",
        "python": "3",
        "versions": {},
    }
    fields = record_of(**machine, commit="0", date="2026-01-01")
    shapes = [(1, 2, "avx2", 0.5), (1, 2, "avx512", 0.25), (2, 1, "avx512", 0.5)]
    lines = []
    for name in ("join", "sort"):
        for pes, threads, level, seconds in shapes:
            shape = fields | {"name": name, "pes": pes, "threads": threads, "simd": level}
            lines.append(shape | {"contender": "atoll", "seconds": [seconds] * 3})
            lines.append(shape | {"contender": "polars", "seconds": [3 * seconds] * 3})
    path = tmp_path / "runs.jsonl"

    def shown(lines):
        path.write_text("\n".join(json.dumps(one) for one in lines))
        script = [sys.executable, str(ROOT / "scripts" / "performance_table.py"), str(path)]
        return subprocess.run(script, capture_output=True, text=True, check=True).stdout

    levels_of_threads, of_pes = shown(lines).split("### ")[1:]
    heads = "| benchmark | avx2: Atoll | avx2: x best peer | avx512: Atoll | avx512: x best peer |"
    assert heads in levels_of_threads
    assert "| join | 500 ms | 3.00 polars | 250 ms | 3.00 polars |" in levels_of_threads
    assert "| benchmark | Atoll | GiB/s | of 1 PE | best peer | x best peer |" in of_pes
    assert "| sort | 500 ms ± 0% | 1.00 | 50% | polars 1.5 s | 3.00 |" in of_pes
    other = [one | {"dist": "zipf"} for one in lines]
    assert "| benchmark | data | avx2: Atoll |" in shown(lines + other)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["reduce.min", "--simd", "avx3"], "there is no SIMD level 'avx3'"),
        (["reduce.min", "--simd", "sse4", "--memory"], "set ATOLL_SIMD"),
        (["latency", "--simd", "sse4"], "latency has no --simd"),
    ],
)
def test_levels_that_cannot_be(words, said, capsys):
    assert cli.main(["bench", "run", *words, "--size", "1000"]) == cli.FAILED
    assert said in capsys.readouterr().err


def test_a_level_reaches_kernels_and_peers():
    code = (
        "from atoll import _core;"
        "from numpy._core._multiarray_umath import __cpu_features__ as has, __cpu_dispatch__ as names;"
        "print(_core.info()['simd'], any(has[name] for name in names if name.startswith(('AVX512', 'X86_V4'))))"
    )
    env = {**os.environ, **levels.environment("sse4")}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [min("sse4", levels.best(), key=[*levels.LEVELS, "baseline"].index), "False"]


def test_plot_draws_a_picture(tmp_path, capsys):
    path, picture = tmp_path / "runs.jsonl", tmp_path / "runs.png"
    words = [
        "bench",
        "run",
        "sort",
        "scan.cumsum",
        "--size",
        "1000",
        "--trials",
        "2",
        "--against",
        "numpy,polars",
        "--json",
    ]
    assert cli.main([*words, str(path)]) == 0
    for metric in ("ratio", "gib_s"):
        assert cli.main(["bench", "plot", str(path), "--out", str(picture), "--metric", metric]) == 0
        assert picture.read_bytes().startswith(b"\x89PNG")
        picture.unlink()
    capsys.readouterr()
    assert cli.main(["bench", "plot", str(path), "--baseline", "duckdb"]) == cli.FAILED
    assert "choose another --baseline" in capsys.readouterr().err


def test_one_lucky_trial_does_not_spoil_the_picture(tmp_path):
    lines = [
        json.dumps(record_of(contender="numpy", seconds=[1.0, 1.0, 1.0])),
        json.dumps(record_of(contender="atoll", seconds=[0.5, 0.5, 1e-4])),
    ]
    (tmp_path / "runs.jsonl").write_text("\n".join(lines))
    plot.plot_files([tmp_path / "runs.jsonl"], tmp_path / "runs.svg", "ratio", "numpy", "")
    assert "<svg" in (tmp_path / "runs.svg").read_text()


def test_ratios_are_to_the_same_shape():
    base = {"name": "sort", "dtype": "int64", "dist": "u64", "size": 10, "bytes": 80, "pes": 1, "threads": 1}
    records = [
        {**base, "contender": "numpy", "seconds": [4.0]},
        {**base, "contender": "atoll", "seconds": [2.0, 1.0, 4.0]},
    ]
    (bars,) = plot.grouped(records, "ratio", "numpy").values()
    assert bars == {"numpy": (1.0, 1.0, 1.0), "atoll": (2.0, 1.0, 4.0)}


@pytest.mark.parametrize("text", ["x", "{}", '{"name": "sort"}', ""])
def test_plot_names_invalid_records(tmp_path, text):
    path = tmp_path / "runs.jsonl"
    path.write_text(text)
    with pytest.raises(BenchError, match=r"runs\.jsonl"):
        record.read([path])


def test_a_sweep_is_an_experiment(tmp_path, capfd):
    path, out = tmp_path / "sweep.toml", tmp_path / "runs.jsonl"
    path.write_text('[[sweep]]\nnames = ["sort"]\nsize = [100, 200]\nthreads = 1\ntrials = 2\nagainst = "numpy"\n')
    assert cli.main(["bench", "run", "--sweep", str(path)]) == 0
    assert re.search(r"sort 200.* numpy +[\d.]+ (µs|ns)", capfd.readouterr().out)
    assert cli.main(["bench", "run", "--sweep", str(path), "--json", str(out)]) == 0
    assert "sort 200, 1 thread: atoll" in capfd.readouterr().out
    records = record.read([out])
    assert {(one["size"], one["contender"]) for one in records} == {
        (size, name) for size in (100, 200) for name in ("atoll", "numpy")
    }
    assert records[0]["command"] == "atoll bench run sort --size 100 --threads 1 --trials 2 --against numpy"


def test_records_can_be_printed_instead(capfd):
    assert cli.main(["bench", "run", "sort", "--size", "100", "--trials", "1", "--json", "-"]) == 0
    said = capfd.readouterr()
    assert {json.loads(line)["contender"] for line in said.out.splitlines()} == {"atoll", "numpy"}
    assert "Atoll is" in said.err


@pytest.mark.skipif(not peers.is_here("atoll"), reason="needs a built atoll._core")
def test_peak_memory_of_argsort(capsys):
    words = ["bench", "run", "argsort", "--size", "1000000", "--trials", "1", "--threads", "2", "--memory"]
    assert cli.main(words) == 0
    (peak,) = re.findall(r"peak memory: ([0-9.]+) x", capsys.readouterr().out)
    assert 2 <= float(peak) <= 4.1


@pytest.mark.skipif(not peers.is_here("atoll"), reason="Atoll is not built")
@pytest.mark.parametrize("nodes", [1, 2])
def test_the_pes_of_a_job_run_benchmarks_together(tmp_path, nodes):
    path = tmp_path / "runs.jsonl"
    atoll = [sys.executable, "-m", "atoll"]
    places = ["-n", "2"]
    if nodes == 2:
        places = ["--hosts", "here:1,there:1", "--address", "127.0.0.1", "--launch-agent", "env ATOLL_NODE_NAME={host}"]
    words = ["argsort", "scatter", "--size", "100000", "--trials", "2", "--against", "numpy", "--json", str(path)]
    command = [*atoll, "run", *places, *atoll, "bench", "run", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("moved between PEs") == 2
    records = record.read([path])
    assert {(one["name"], one["contender"]) for one in records} == {
        (name, contender) for name in ("argsort", "scatter") for contender in ("atoll", "numpy", "numpy-unstable")
    } - {("scatter", "numpy-unstable")}
    assert len({one["checksum"] for one in records if one["name"] == "argsort"}) == 1
    assert all(one["pes"] == 2 for one in records)
    moved = [one["moved_ratio"] for one in records if one["name"] == "argsort" and one["contender"] == "atoll"]
    # Half of the keys belong on the other PE.
    assert 0.4 < moved[0] < 1.3


@pytest.mark.skipif(not peers.is_here("atoll"), reason="Atoll is not built")
def test_programs_start_their_own_jobs():
    atoll = [sys.executable, "-m", "atoll"]
    command = [*atoll, "run", "-n", "2", *atoll, "bench", "run", "latency"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert "latency starts jobs of its own: run it without `atoll run`" in done.stderr


def counter(folder, name, label, microjoules, most=10_000_000):
    path = folder / name
    path.mkdir(exist_ok=True)
    (path / "name").write_text(label + "\n")
    (path / "energy_uj").write_text(f"{microjoules}\n")
    (path / "max_energy_range_uj").write_text(f"{most}\n")


def test_energy_is_of_packages_and_memory_and_survives_the_counters_end(tmp_path):
    counter(tmp_path, "intel-rapl:0", "package-0", 9_999_000)
    counter(tmp_path, "intel-rapl:0:0", "core", 0)
    counter(tmp_path, "intel-rapl:0:1", "dram", 100)
    meter = energy.Meter(tmp_path)
    assert [domain.name for domain in meter.domains] == ["package-0", "dram"]
    before = meter.read()
    counter(tmp_path, "intel-rapl:0", "package-0", 1_000_000)
    counter(tmp_path, "intel-rapl:0:0", "core", 900_000)
    counter(tmp_path, "intel-rapl:0:1", "dram", 500_100)
    assert meter.joules_since(before) == pytest.approx(1.001001 + 0.5)


def test_energy_is_recorded_for_each_trial(tmp_path):
    counter(tmp_path, "intel-rapl:0", "package-0", 0)
    spent = iter(range(0, 1_000_000, 1000))

    def run():
        counter(tmp_path, "intel-rapl:0", "package-0", next(spent))
        time.sleep(0.003)

    joules = {}
    in_turns({"a": Timed(run)}, trials=3, meter=energy.Meter(tmp_path), joules=joules)
    assert joules["a"] == pytest.approx([1e-3] * 3)


def test_bench_reports_why_energy_is_not_measured(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(energy, "FOLDER", tmp_path)
    assert cli.main(["bench", "run", "noop.add", "--size", "100", "--trials", "1", "--energy"]) == 0
    out = capsys.readouterr().out
    assert f"energy is not measured: {tmp_path} has no counters of energy" in out
    assert "noop.add" in out


def test_packed_records_are_read_and_damaged_ones_are_named(tmp_path):
    packed = sorted((ROOT / "bench").glob("published*.jsonl.xz"))
    assert packed and len(record.read(packed[:1])) > 10
    damaged = tmp_path / "records.jsonl.xz"
    damaged.write_bytes(packed[0].read_bytes()[:100])
    with pytest.raises(BenchError, match=r"cannot unpack .*records\.jsonl\.xz"):
        record.read([damaged])
