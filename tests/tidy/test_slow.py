# SPDX-License-Identifier: Apache-2.0
"""`make test-slow`: its pieces, and what it reports of them."""

import json
import sys
from pathlib import Path

import pytest
import slow

ROOT = Path(__file__).resolve().parents[2]


def test_pieces_name_tests_that_exist_and_share_none():
    named = [path for piece in slow.PIECES for path in slow.paths(piece)] + slow.FUZZED.split()
    assert not [path for path in named if not (ROOT / path).exists()]
    assert {path for path in named if named.count(path) > 1} == {slow.CAMPAIGN}  # whose two tests are two pieces
    assert len(slow.pieces()) == len(slow.PIECES) + 1


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Runs two pieces, of which one fails while no file `mended` exists; returns the exit status and the output."""
    monkeypatch.setattr(slow, "FOLDER", tmp_path)
    good = slow.Piece("good", "one", ("echo '100% tests passed, 0 tests failed out of 3'", f"echo >>{tmp_path}/runs"))
    bad = slow.Piece("bad", "another", (f"test -e {tmp_path}/mended",))
    monkeypatch.setattr(slow, "pieces", lambda: {"bad": bad, "good": good})

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["slow.py", *words])
        return slow.main(), capsys.readouterr().out

    return call


def runs_of_good(tmp_path):
    return len((tmp_path / "runs").read_text().splitlines())


def test_a_piece_that_fails_does_not_stop_the_others(run):
    status, text = run()
    assert status == 1
    bad, good = text.splitlines()[-2:]
    assert bad.split()[:2] == ["bad", "FAILED"]
    assert good.split()[:2] == ["good", "passed"]
    assert good.endswith("0 tests failed out of 3")


def test_resume_leaves_out_what_passed(run, tmp_path):
    run()
    (tmp_path / "mended").touch()
    status, text = run("--resume")
    assert (status, runs_of_good(tmp_path)) == (0, 1)
    assert [line.split()[:2] for line in text.splitlines()[-2:]] == [["bad", "passed"], ["good", "passed"]]
    run()
    assert runs_of_good(tmp_path) == 2


def test_a_piece_whose_packages_cannot_be_installed_is_skipped(run, monkeypatch, tmp_path):
    (tmp_path / "mended").touch()
    monkeypatch.setattr(slow, "INSTALL", "false")
    left_out = slow.Piece("left", "one more", (f"touch {tmp_path}/ran",), packages="tools")
    monkeypatch.setattr(slow, "pieces", lambda: {"left": left_out})
    status, text = run()
    assert (status, (tmp_path / "ran").exists()) == (0, False)
    assert text.splitlines()[-1].split(maxsplit=3)[1::2] == [
        "skipped",
        "its Debian packages cannot be installed (false tools)",
    ]


def test_a_named_piece_runs_alone(run, tmp_path):
    assert run("good", "--", "-k", "words")[0] == 0
    assert list(json.loads((tmp_path / "results.json").read_text())) == ["good"]


def test_results_of_two_calls_at_a_time_are_both_kept(run, tmp_path, monkeypatch):
    bad, good = slow.pieces()["bad"], slow.pieces()["good"]
    other = json.dumps({"good": {"state": "passed", "seconds": 1, "summary": ""}})
    while_it_runs = slow.Piece("bad", bad.about, (f"echo '{other}' >{tmp_path}/results.json",))
    monkeypatch.setattr(slow, "pieces", lambda: {"bad": while_it_runs, "good": good})
    run("bad")
    assert list(json.loads((tmp_path / "results.json").read_text())) == ["bad", "good"]


def test_a_call_of_all_pieces_forgets_earlier_results(run, tmp_path):
    earlier = {"good": {"state": "passed", "seconds": 1, "summary": ""}}
    (tmp_path / "results.json").write_text(json.dumps(earlier))
    assert run()[0] == 1
    assert runs_of_good(tmp_path) == 1


def test_an_unknown_piece_is_refused(run):
    assert run("nothing")[0] == 2


def test_the_last_lines_of_pytest_sum_up():
    assert slow.summary(["=== 3 passed, 1 skipped in 2.50s ===", "more"]) == "3 passed, 1 skipped in 2.50s"
