# SPDX-License-Identifier: Apache-2.0
"""Comparisons: verdicts, confidence intervals and reports."""

from __future__ import annotations

import json

import numpy as np
import pytest
from fake import record

from atoll import cli
from atoll.experiment import ExperimentError, compare, report
from atoll.experiment.intervals import median_of, ratio_of, t_quantile, tail

NOISY = (1.00, 1.02, 0.98, 1.01, 0.99)


def scaled(factor, seconds=NOISY):
    return [one * factor for one in seconds]


def verdicts(before, after, **options):
    sides = compare.Side("A", before), compare.Side("B", after)
    return [one.verdict for one in compare.compare(*sides, **options).changes]


@pytest.mark.parametrize(("probability", "freedom", "known"), [(0.975, 4, 2.776), (0.95, 1, 6.314), (0.995, 30, 2.75)])
def test_quantiles_of_student(probability, freedom, known):
    assert t_quantile(probability, freedom) == pytest.approx(known, abs=2e-3)


def test_few_samples_give_wide_intervals():
    few = ratio_of([NOISY], [NOISY])
    assert few.low == pytest.approx(0.98 / 1.02)
    assert few.high == pytest.approx(1.02 / 0.98)
    many = ratio_of([list(NOISY) * 20], [list(NOISY) * 20])
    assert few.relative > 1.5 * many.relative
    assert tail(0.95, 5) < tail(0.95, 20) < 0.025


@pytest.mark.parametrize(
    ("processes", "trials", "between", "within"),
    [(1, 5, 0.0, 0.05), (1, 12, 0.0, 0.05), (3, 5, 0.05, 0.02), (4, 7, 0.03, 0.03)],
)
def test_intervals_hold_the_truth_as_often_as_they_say(processes, trials, between, within):
    rng = np.random.default_rng(4)

    def drawn():
        level = rng.normal(0, between, (processes, 1))
        return np.exp(level + rng.normal(0, within, (processes, trials))).tolist()

    held = 0
    for _ in range(100):
        interval = ratio_of(drawn(), drawn())
        held += interval.low <= 1 <= interval.high
    assert held >= 91  # 95 less what 100 draws vary


def test_the_same_data_give_the_same_interval():
    assert median_of([NOISY]) == median_of([NOISY])


@pytest.mark.parametrize(
    ("factor", "seconds", "verdict"),
    [
        (1.2, NOISY, compare.SLOWER),
        (0.8, NOISY, compare.FASTER),
        (1.0, [1.000, 1.001, 0.999, 1.002, 0.998], compare.SAME),
        (1.02, [1.000, 1.001, 0.999, 1.002, 0.998], compare.SAME),  # it changed, but by less than 3 %
        (1.02, NOISY, compare.UNCLEAR),
        (2.0, NOISY[:4], compare.TOO_FEW),
    ],
)
def test_verdicts(factor, seconds, verdict):
    assert verdicts([record(seconds=seconds)], [record(seconds=scaled(factor, seconds))]) == [verdict]


def test_noise_from_process_to_process_counts():
    """Three processes of one side are apart by more than their trials vary: no change can be seen."""
    before = [record(seconds=scaled(f), point=f"{f}", of=1) for f in (0.9, 1.0, 1.1)]
    after = [record(seconds=scaled(f), point=f"{f}", of=1) for f in (1.0, 1.1, 1.2)]
    assert verdicts(before, after) == [compare.UNCLEAR]
    pooled = [record(seconds=[one for each in side for one in each["seconds"]]) for side in (before, after)]
    assert verdicts([pooled[0]] * 1, [pooled[1]]) == [compare.UNCLEAR]


def test_a_slower_machine_is_distinguished_from_slower_code():
    before = [record(seconds=NOISY), record("numpy", seconds=NOISY)]
    after = [record(seconds=scaled(1.3)), record("numpy", seconds=scaled(1.3))]
    assert verdicts(before, after) == [compare.SLOWER]
    result = compare.compare(compare.Side("A", before), compare.Side("B", after))
    assert any("numpy changed too" in line for line in report.words(result))
    assert verdicts(before, after, relative="numpy") == [compare.SAME]


def test_different_answers_and_unmatched_points_are_reported():
    before = [record(), record(size=5)]
    after = [record(checksum="beef"), record(size=7)]
    said = list(report.words(compare.compare(compare.Side("A", before), compare.Side("B", after))))
    assert "another answer: sort 1,000 int64 u64, 1 PE x 1 thread: the checksums differ." in said
    assert any(line.startswith("1 point only in A, as sort 5") for line in said)
    assert any(line.startswith("1 point only in B, as sort 7") for line in said)


def write(path, *records):
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    return str(path)


def test_the_command_compares_files_commits_and_hosts(tmp_path, capsys):
    a = write(tmp_path / "a.jsonl", record(seconds=NOISY))
    b = write(tmp_path / "b.jsonl", record(seconds=scaled(1.5), commit="123456abcdef", host="there"))
    assert cli.main(["experiment", "compare", a, b]) == 3
    out = capsys.readouterr().out
    assert "commit: abcdef012345 -> 123456abcdef" in out
    assert "1 point: 1 slower." in out
    assert "slower: sort 1,000 int64 u64, 1 PE x 1 thread: 50% more time" in out
    assert "fewer than 3 processes" in out
    for first, second in (("abcdef", "123456"), ("here", "there"), (a, "there")):
        assert cli.main(["experiment", "compare", first, second, a, b]) == 3
        assert cli.main(["experiment", "compare", second, first, a, b]) == 0
    assert cli.main(["experiment", "compare", a, b, "--least", "60"]) == 0
    capsys.readouterr()
    assert cli.main(["experiment", "compare", a, "99999999", b]) == cli.FAILED
    assert "'99999999' is no file, and nothing was measured on such a host or commit" in capsys.readouterr().err


def test_nothing_in_common_is_an_error():
    with pytest.raises(ExperimentError, match="have no point of 'atoll' in common"):
        verdicts([record(size=1)], [record(size=2)])
    with pytest.raises(ExperimentError, match="'polars' was not measured beside"):
        verdicts([record()], [record()], relative="polars")
