# SPDX-License-Identifier: Apache-2.0
"""Files of records that were damaged or edited: every use either works, or says file and line."""

import json
from pathlib import Path

import pytest
from broken_json import TEXTS, changed
from records import record_of

from atoll import cli
from atoll.bench import BenchError, plot
from atoll.bench import record as bench_record
from atoll.experiment import ExperimentError, results
from atoll.sim import SimError, chart, fit
from atoll.sim import results as sim_results

HEAD = {
    "experiment": dict.fromkeys(("name", "title", "summary", "kind", "scaling", "file", "text", "host", "commit"), "a")
    | {"command": "atoll", "date": "2026-01-01"}
}
RECORD = record_of(
    host="a", processor="b", cores=2, load_1m=0.5, versions={"numpy": "2"}, python="3", commit="c", simd="avx2",
    kernel="k", compiler="c", date="2026-01-01", point="sort 1", of=1,
)  # fmt: skip
SIM_HEAD = {
    "experiment": "e", "title": "t", "about": "", "text": "",
    "plot": {"x": "nodes", "y": "time_s", "lines": ["algorithm"], "panels": "collective", "log": "xy"},
    "published": [{"label": "p", "x": [4, 8], "y": [1e-6, 2e-6], "source": "s", "line": "tree2"}],
}  # fmt: skip
SIM_RECORD = {
    "machine": "study", "collective": "barrier", "algorithm": "tree2", "bytes": 8, "nodes": 4, "pes_per_node": 1,
    "time_s": 1e-6, "energy_j": 0.0, "messages": 3,
}  # fmt: skip


def damaged(head, record):
    """Texts of files with a head and two records, one of which was changed."""
    plain = [*([head] if head else []), record, record]
    for place in range(len(plain) - 1):
        rest = [json.dumps(one) for one in plain]
        for what, value in changed(plain[place]):
            yield f"line {place + 1}: {what}", "\n".join([*rest[:place], json.dumps(value), *rest[place + 1 :]]) + "\n"
    for text in TEXTS:
        yield f"{text[:20]!r}", text + "\n"


def check(path, cases, use, error):
    """Every case either passes, or raises an error that names the file. Some of both kinds were there."""
    refused, passed, wrong = 0, 0, []
    for what, text in cases:
        path.write_text(text)
        try:
            use(path)
        except Exception as said:
            refused += 1
            if not isinstance(said, error) or str(path) not in str(said):
                wrong.append(f"{what}: {said!r}")
        else:
            passed += 1
    assert not wrong
    assert refused > 10
    assert passed > 0


def test_results_of_an_experiment(tmp_path, capsys):
    good = tmp_path / "good.jsonl"
    good.write_text("".join(json.dumps(one) + "\n" for one in (HEAD, RECORD)))

    def use(path):
        results.gather([path])
        for words in (["show", path], ["compare", good, path], ["page", "--out", tmp_path / "page.html", path]):
            cli.main(["experiment", *map(str, words)])
        capsys.readouterr()

    check(tmp_path / "broken.jsonl", damaged(HEAD, RECORD), use, ExperimentError)


def test_records_of_benchmarks(tmp_path):
    def use(path):
        plot.plot_files([path], tmp_path / "runs.svg", "gib_s", "", "")

    record = {key: value for key, value in RECORD.items() if key not in ("point", "of")}
    check(tmp_path / "broken.jsonl", list(damaged(None, record))[::8], use, BenchError)


def test_measured_collectives(tmp_path):
    record = record_of(name="collectives.barrier", cores=2)
    check(tmp_path / "broken.jsonl", damaged(None, record), fit.read, SimError)


@pytest.mark.parametrize("drawn", [False, True])
def test_results_of_simulations(tmp_path, drawn):
    def use(path):
        head, records = sim_results.read(path)
        made = chart.Chart(head, records)
        if drawn:
            made.draw([tmp_path / "chart.svg"])

    cases = list(damaged(SIM_HEAD, SIM_RECORD))
    if drawn:  # no font has a NUL
        cases = [(what, text) for what, text in cases if "\\u0000" not in text][::5]
    check(tmp_path / "broken.jsonl", cases, use, SimError)


def test_published_records_are_valid():
    files = sorted((Path(__file__).parents[2] / "bench").glob("*.jsonl.xz"))
    assert len(files) >= 8
    assert len(bench_record.read(files)) > 5000
