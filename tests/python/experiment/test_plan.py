# SPDX-License-Identifier: Apache-2.0
"""Experiment files: their meaning, and the errors of invalid ones."""

from __future__ import annotations

import doctest

import pytest
from built import ROOT, needs_core

from atoll import toml
from atoll.experiment import ExperimentError, checks, plan
from atoll.experiment.strategy import strategy


def read(tmp_path, text):
    path = tmp_path / "one.toml"
    path.write_text(text)
    return plan.read(path)


def test_lists_are_multiplied_out(tmp_path):
    made = read(tmp_path, '[[sweep]]\nnames = ["sort"]\nsize = [10, 20]\npes = [1, 2]\nagainst = ["numpy", "polars"]')
    assert len(made.points) == 4
    assert made.points[0].words() == ["sort", "--size", "10", "--pes", "1", "--against", "numpy,polars"]
    assert made.points[0].describe() == "sort 10, 1 PE"
    assert len({point.key for point in made.points}) == 4


def test_names_become_points_of_their_own(tmp_path):
    made = read(tmp_path, '[[sweep]]\nnames = ["reduce", "sort"]\n[[sweep]]\nnames = "sort"')
    names = [point.benchmark for point in made.points]
    assert {"reduce.sum", "reduce.min", "sort"} <= set(names)
    assert names.count("sort") == 1


def test_weak_scaling_has_a_size_per_pe(tmp_path):
    made = read(tmp_path, 'scaling = "weak"\n[[sweep]]\nnames = ["sort"]\nsize_per_pe = 100\npes = [1, 2, 3]')
    assert [point.size for point in made.points] == [100, 200, 300]


def test_commits_alternate_and_so_does_the_first(tmp_path):
    made = read(tmp_path, 'rounds = 2\ncommits = ["a", "b"]\n[[sweep]]\nnames = ["sort"]\nsize = [1, 2]')
    assert [(p.commit, p.size, p.round) for p in made.points] == [
        ("a", 1, 1), ("b", 1, 1), ("a", 2, 1), ("b", 2, 1), ("b", 1, 2), ("a", 1, 2), ("b", 2, 2), ("a", 2, 2),
    ]  # fmt: skip


def test_settings_of_arrays_are_left_out_of_programs_among_all(tmp_path):
    made = read(tmp_path, '[[sweep]]\nnames = "all"\nsize = 4096\ndtype = "int64"')
    by_name = {point.benchmark: point for point in made.points}
    assert by_name["sort"].dtype == "int64"
    assert by_name["collectives"].dtype is None
    assert by_name["collectives"].size is None
    assert read(tmp_path, '[[sweep]]\nnames = ["collectives"]\nsize = 4096').points[0].size == 4096


def test_other_contenders_go_before_those_of_the_file(tmp_path):
    made = read(tmp_path, '[[sweep]]\nnames = ["latency"]\nagainst = ["limit"]')
    assert made.with_contenders([]) == made
    assert [point.against for point in made.with_contenders(["a=/x", "b=/y"]).points] == [("a=/x", "b=/y")]


SWEEP = '[[sweep]]\nnames = ["sort"]\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x =", "is not TOML"),
        ("", r"has no \[\[sweep\]\]"),
        ('titel = "x"\n' + SWEEP, r"one\.toml:\d+: titel: there is no such key. There are: title"),
        ("rounds = 0\n" + SWEEP, r"one\.toml:\d+: rounds: it must be a whole number of at least 1"),
        ("title = 3\n" + SWEEP, r"one\.toml:\d+: title: it must be a text"),
        ('scaling = "big"\n' + SWEEP, 'scaling: it must be "strong" or "weak"'),
        ('commits = ["a", "a"]\n' + SWEEP, "commits: it must be a list of different names"),
        (SWEEP + "sizes = 3", r"one\.toml:\d+: sweep\.sizes: there is no such key. There are: names"),
        (SWEEP + 'size = "big"', r"sweep\.size: 'big' is not a whole number"),
        (SWEEP + "size = [10, 0]", r"sweep\.size: 0 is less than 1"),
        (SWEEP + "size = []", r"sweep\.size: the list is empty"),
        (SWEEP + "seed = [1, 2]", r"sweep\.seed: it takes one value"),
        (SWEEP + "size = 1e6", r"sweep\.size: 1000000\.0 is not a whole number"),
        (SWEEP + "pes = true", r"sweep\.pes: True is not a whole number"),
        (SWEEP + 'dist = ["u64", "flat"]', r"sweep\.dist: there is no 'flat'. There are: u64"),
        (SWEEP + 'dtype = "int65"', r"sweep\.dtype: there is no 'int65'"),
        (SWEEP + 'simd = "mmx"', r"sweep\.simd: there is no 'mmx'. There are: sse4, avx2, avx512"),
        (SWEEP + "size = 1\nsize_per_pe = 1\npes = 1", r"sweep\.size_per_pe: a sweep has size or size_per_pe"),
        (SWEEP + "size_per_pe = 1", r"sweep\.size_per_pe: it goes with pes"),
        ("[[sweep]]\nsize = 3", r"sweep\.names: a sweep says what to measure"),
        ('[[sweep]]\nnames = ["sort"]\n[[sweep]]\nnames = ["srot"]', r"sweep 2\.names: there is no benchmark 'srot'"),
        ('[[sweep]]\nnames = ["latency"]\ndtype = "int8"', r"sweep\.dtype: latency has no dtype"),
    ],
)
def test_errors_name_file_line_and_key(tmp_path, text, said):
    with pytest.raises(ExperimentError, match=said):
        read(tmp_path, text)


WRONG = (
    "-1", "0", "99999999999", "18446744073709551617", "0x" + "f" * 5000, "1.5", "nan", "inf", "true", '"moon"', '""',
    '"a\\u0000b"', '"' + "x" * 10_000 + '"', "[]", "[[[1]]]", '[1, "a", 2.5]', "{ a = 1 }", "2026-01-01", '"(i4"',
    '"O"',
)  # fmt: skip


@pytest.mark.parametrize("key", [*plan.HEAD, *(f"sweep.{key}" for key in (*plan.SHARED, *plan.AXES))])
def test_wrong_values_of_every_key_are_refused_with_their_place_or_accepted(tmp_path, key):
    for value in WRONG:
        inner = key.removeprefix("sweep.")
        rest = "".join(line + "\n" for line in SWEEP.splitlines() if not line.startswith(f"{inner} ="))
        text = rest + f"{inner} = {value}\n" if key != inner else f"{key} = {value}\n{'' if key == 'sweep' else SWEEP}"
        said = refusal(tmp_path, text)
        place = f"{tmp_path / 'one.toml'}{'' if key == 'sweep' else ':'}"
        assert said.startswith(place) or not said, value
        assert len(said) < 1500


def refusal(tmp_path, text):
    """What is said of a file; empty: it is accepted."""
    try:
        read(tmp_path, text)
    except ExperimentError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SWEEP + "seed = -1", r"one\.toml:3: sweep\.seed: -1 is less than 0"),
        (SWEEP + "pes = 99999999999", r"one\.toml:3: sweep\.pes: 99999999999 is more than 65536"),
        (SWEEP + "size = 18446744073709551617", r"one\.toml:3: sweep\.size: 18446744073709551617 is more than"),
        (SWEEP + "size_per_pe = 4611686018427387904\npes = 2", r"sweep\.size_per_pe: 9223372036854775808 is more than"),
        (f"{SWEEP}size = {list(range(999))[1:]}\npes = {list(range(999))[1:]}", r"toml:1: sweep: .* 996,004 points"),
        ("rounds = 9000\n" + SWEEP + f"size = {list(range(1, 100))}", r"one\.toml:1: rounds: .* 891,000 points"),
        (SWEEP + SWEEP + 'dtype = "int65"', r"one\.toml:5: sweep 2\.dtype"),
    ],
)  # fmt: skip
def test_errors_of_range_name_file_line_and_key(tmp_path, text, said):
    with pytest.raises(ExperimentError, match=said):
        read(tmp_path, text)


def test_docstrings_of_toml_files():
    failed, _ = doctest.testmod(toml)
    assert not failed


@needs_core
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('kind = "simulated"\n' + SWEEP, r"one\.toml:\d+: kind: there is no 'simulated' here. There is: real"),
        (SWEEP + 'against = ["nunpy"]', r"sweep\.against: 'nunpy': there is no such contender. There are: numpy"),
        (
            '[[sweep]]\nnames = ["latency"]\nagainst = ["other=/nowhere/oshcc"]',
            r"one\.toml:\d+: sweep\.against: 'other=/nowhere/oshcc': there is no compiler /nowhere/oshcc",
        ),
        (SWEEP + 'hosts = "a:1,a:1"', r"sweep\.hosts: .*a host is named twice"),
        (SWEEP + 'hosts = "a:1,b:1"\npes = 5', r"sweep\.hosts: 5 PEs do not fit on the hosts, which take 2"),
        ('commits = ["nowhere"]\n' + SWEEP, r"commits: git knows no commit 'nowhere'"),
        ('slurm = "job.sh"\n' + SWEEP, r"slurm: cannot read .*job\.sh: No such file"),
        ('slurm = "job.sh"\n[[sweep]]\nnames = ["latency"]', r"slurm: latency starts jobs of its own"),
    ],
)
def test_impossible_points_are_reported_before_anything_runs(tmp_path, text, said):
    with pytest.raises(ExperimentError, match=said):
        strategy(read(tmp_path, text), skip_missing=False).check()


@needs_core
def test_missing_levels_are_skipped_and_reported(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(checks, "best", lambda: "avx2")
    both = SWEEP + 'threads = [1, 2]\nsimd = ["avx512", "avx2"]\n'
    made = strategy(read(tmp_path, both + '[[sweep]]\nnames = ["sort"]\npes = 2'), skip_missing=False).check()
    assert [(p.pes, p.threads, p.simd) for p in made.points] == [(None, 1, "avx2"), (None, 2, "avx2"), (2, None, None)]
    assert "2 points left out: this machine has no avx512, the best it can is avx2" in capsys.readouterr().out
    with pytest.raises(ExperimentError, match=r"sweep\.simd: this machine has no 'avx512': the best it can is avx2"):
        strategy(read(tmp_path, SWEEP + 'simd = "avx512"'), skip_missing=False).check()


@needs_core
def test_a_host_that_does_not_answer_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("ATOLL_LAUNCH_AGENT", "false")
    made = read(tmp_path, SWEEP + 'hosts = "nowhere:1,elsewhere:1"\npes = 2')
    said = r"one\.toml:\d+: sweep\.hosts: nowhere:1,elsewhere:1: host (nowhere|elsewhere) "
    with pytest.raises(ExperimentError, match=said):
        strategy(made, skip_missing=False).check()


@needs_core
def test_slurm_must_be_here(tmp_path, monkeypatch):
    (tmp_path / "job.sh").write_text("#!/bin/sh\nsrun -n {pes} {command}\n")
    monkeypatch.setenv("PATH", "/nowhere")
    made = read(tmp_path, 'slurm = "job.sh"\n' + SWEEP)
    with pytest.raises(ExperimentError, match=r"slurm: there is no sbatch on the PATH"):
        strategy(made, skip_missing=False).check()
    (tmp_path / "job.sh").write_text("srun -n ${pes} hostname\n")
    with pytest.raises(ExperimentError, match=r"job\.sh lacks \{command\}"):
        strategy(made, skip_missing=False).check()


SHIPPED = sorted([*(ROOT / "bench").glob("*.toml"), *(ROOT / "bench/experiments").glob("*.toml")])


@needs_core
@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_shipped_files_are_right(path):
    made = plan.read(path)
    assert made.points
    strategy(made, skip_missing=True)
