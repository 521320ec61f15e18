# SPDX-License-Identifier: Apache-2.0
"""`atoll tune`: tables that are measured, written, read, used and shown."""

from __future__ import annotations

import json

import pytest

from atoll import cli, tune
from atoll.tune import Line, Measured


def test_a_change_lies_between_the_sizes_and_noise_makes_none():
    seconds = {
        8: {"auto": 0.1, "a": 1.0, "b": 2.0},
        64: {"auto": 0.1, "a": 1.03, "b": 1.0},
        4096: {"auto": 0.1, "a": 3.0, "b": 2.0},
        16384: {"auto": 0.1, "b": 4.0},
    }
    found = Measured("allreduce", 4, 2, seconds)
    assert found.winners() == [(8, "a"), (64, "a"), (4096, "b"), (16384, "b")]
    assert found.lines() == [Line("allreduce", 4, 2, 512, "a"), Line("allreduce", 4, 2, None, "b")]


def test_tables_round_trip(tmp_path):
    lines = [Line("barrier", 2, 1, None, "tree2"), Line("bcast", 2, 1, 64, "flat")]
    path = tmp_path / "table"
    path.write_text(tune.text_of(lines, "a machine"))
    assert tune.read(path) == lines
    with pytest.raises(tune.TuneError, match="cannot read"):
        tune.read(tmp_path / "none")


def test_tune_measures_writes_and_keeps_other_lines(tmp_path, capsys, monkeypatch):
    path = tmp_path / "table"
    path.write_text("allreduce 64 1 * central\nallreduce 2 1 * tree16\n")
    words = ["tune", "--pes", "2", "--collectives", "allreduce,alltoallv", "--sizes", "8,4096", "--out", str(path)]
    assert cli.main([*words, "--add"]) == 0
    out = capsys.readouterr().out
    assert "alltoallv" in out and f"export ATOLL_COLL_TABLE={path}" in out
    lines = tune.read(path)
    assert lines[0] == Line("allreduce", 64, 1, None, "central")
    assert {(one.collective, one.pes, one.nodes) for one in lines[1:]} == {("allreduce", 2, 1), ("alltoallv", 2, 1)}
    assert all(one.algorithm not in ("ring", "hierarchical", "auto") for one in lines)
    monkeypatch.setenv("ATOLL_COLL_TABLE", str(path))
    assert cli.main(["info", "--collectives", "--json"]) == 0
    known = json.loads(capsys.readouterr().out)
    assert known["allreduce"]["table"][0]["algorithm"] == "central"
    assert cli.main(["info", "--collectives"]) == 0
    assert "64 PEs, 1 nodes, any longer size: central" in capsys.readouterr().out


def test_tune_reports_errors(capsys):
    for words, said in [
        (["--collectives", "allreduc"], "'allreduc' is none. There are: barrier, broadcast"),
        (["--pes", "1"], "give 2 or more"),
        (["--pes", "two"], "'two' is not a number"),
        (["--sizes", "12"], "multiples of 8"),
    ]:
        assert cli.main(["tune", *words]) != 0
        assert said in capsys.readouterr().err
