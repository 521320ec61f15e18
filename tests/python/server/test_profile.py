# SPDX-License-Identifier: Apache-2.0
"""What a dashboard shows of time and plans: phases of operations, sampled stacks, and runs of scans."""

import threading

import pandas as pd
import pytest

import atoll as ak
from atoll.plan import record
from atoll.serve.activity import Activity
from atoll.serve.client.connect import target_of
from atoll.serve.sampler import Sampler
from atoll.serve.scans import Scans

_STEP = ("read    a.parquet: columns a of a", 5, 40, 0.5, 0, 0)


def test_activity_divides_operations_into_phases_while_wanted():
    counters = {"exchange_ns": 0, "wait_ns": 0}
    activity = Activity(counters=counters.copy)
    for until in (0.0, float("inf")):
        activity.phases_until = until
        with activity.operation("sort", "s"):
            counters["exchange_ns"] += 2_000_000_000
            counters["wait_ns"] += 1_000_000_000
    total, exchange, wait = activity.phases["sort"]
    assert (exchange, wait) == (2.0, 1.0)
    assert total > 0


def test_activity_asks_for_no_counters_in_operations_of_one_pe():
    asked = []

    def counters():
        asked.append(1)
        return {"exchange_ns": 10**9 * len(asked), "wait_ns": 0}

    activity = Activity(counters=counters)
    activity.phases_until = float("inf")
    activity.end("sort", "s", activity.begin("sort", "s", has_phases=False))
    assert activity.phases["sort"][1:] == (0.0, 0.0)
    assert not asked
    activity.end("sort", "s", activity.begin("sort", "s"))
    assert activity.phases["sort"][1:] == (1.0, 0.0)


def _inner(started, ended):
    started.set()
    ended.wait(60)


def _outer(started, ended):
    _inner(started, ended)


def test_sampler_counts_stacks_of_a_thread_and_its_operation():
    started, ended = threading.Event(), threading.Event()
    thread = threading.Thread(target=_outer, args=(started, ended))
    thread.start()
    try:
        assert started.wait(60)
        busy, running = [True], ["sort"]
        sampler = Sampler(thread.ident, lambda: running[0], lambda: busy[0])
        for _ in range(3):
            sampler.sample()
        running[0] = ""
        sampler.sample()
        busy[0] = False
        sampler.sample()
    finally:
        ended.set()
        thread.join()
    found = sampler.profile(10)
    assert (found["samples"], found["idle"]) == (5, 1)
    (often, stack), (once, other) = found["stacks"]
    assert (often, once) == (3, 1)
    assert stack == [*other, "sort (engine)"]
    names = [one.partition(" ")[0] for one in other]
    assert names.index("_outer") + 1 == names.index("_inner")
    assert "server/test_profile.py:" in other[names.index("_inner")]
    assert len(sampler.profile(1)["stacks"]) == 1


def test_sampler_runs_while_it_is_wanted():
    counted = threading.Event()
    sampler = Sampler(threading.get_ident(), lambda: "", lambda: counted.set() or True)
    try:
        for _ in range(2):
            counted.clear()
            sampler.want(60)
            assert counted.wait(60)
            sampler.want(0)
    finally:
        sampler.close()
    assert "sampler" not in [one.name for one in threading.enumerate()]


def test_scans_keep_the_last_runs_and_refuse_what_is_no_run():
    scans = Scans()
    for number in range(20):
        scans.note("s", number, "running", 0.1, [_STEP])
    scans.note("s", 19, "done", 0.2, [_STEP, ("head    5 rows", None, None, 0.0, 0, 0)])
    last = scans.last()
    assert [one["number"] for one in last][:2] == [19, 18]
    assert len(last) == 8
    assert (last[0]["state"], len(last[0]["steps"])) == ("done", 2)
    for wrong in (
        ("x", "done", 0.1, [_STEP]), (1, "gone", 0.1, [_STEP]), (1, "done", None, [_STEP]), (1, "done", 0.1, None),
        (1, "done", 0.1, [_STEP] * 101), (1, "done", 0.1, [_STEP[:5]]), (1, "done", 0.1, [("x" * 500, *_STEP[1:])]),
        (1, "done", 0.1, [("x", "5", *_STEP[2:])]),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="a run of scans has a number"):
            scans.note("s", *wrong)
    assert scans.last() == last


def _trips(path):
    pd.DataFrame({"a": range(300), "b": [i % 7 for i in range(300)]}).to_parquet(path, row_group_size=50, index=False)
    scan = ak.scan_parquet(path)
    return scan[scan["a"] >= 100].groupby("b").agg(n=("a", "size"))


def test_record_tells_listeners_steps_with_rows_and_bytes(tmp_path):
    scan = _trips(tmp_path / "trips.parquet")
    told = []

    def listen(run):
        told.append((run.number, run.state, run.steps()))

    record.LISTENERS.append(listen)
    try:
        scan.collect()
        for _ in scan.batches():
            break
    finally:
        record.LISTENERS.remove(listen)
    assert scan.collect()["n"].to_numpy().sum() == 200
    assert [state for _, state, _ in told if state != "running"] == ["done", "stopped"]
    number, _, steps = next(one for one in told if one[1] == "done")
    assert told[0][:2] == (number, "running")
    read, kept, group = steps
    assert read.text.endswith("trips.parquet: columns a, b of a, b")
    assert (read.rows, kept.rows, group.rows) == (200, None, 7)
    assert kept.text == "filter  (a >= 100)"
    assert read.bytes == 200 * 16
    assert group.text == "group   by b: n = size of a"


def test_run_that_raises_is_recorded_as_failed(tmp_path):
    scan = _trips(tmp_path / "trips.parquet")
    (tmp_path / "trips.parquet").unlink()
    states = []

    def listen(run):
        states.append(run.state)

    record.LISTENERS.append(listen)
    try:
        with pytest.raises(OSError):
            scan.collect()
    finally:
        record.LISTENERS.remove(listen)
    assert states == ["running", "failed"]


@pytest.mark.slow
def test_server_tells_scans_of_its_sessions(session, server, tmp_path, monkeypatch):
    scan = _trips(tmp_path / "trips.parquet")
    before = session.stats()["round_trips"]
    scan.collect()
    took = session.stats()["round_trips"] - before
    found = target_of(server).control({"purpose": "monitor"})
    (run,) = [one for one in found["scans"] if str(tmp_path) in one["steps"][0][0]]
    assert run["state"] == "done"
    assert [step[1] for step in run["steps"]] == [200, None, 7]
    monkeypatch.setattr(record, "LISTENERS", [])
    before = session.stats()["round_trips"]
    scan.collect()
    assert session.stats()["round_trips"] - before == took  # telling the server takes no round trip


def test_server_tells_phases_and_stacks(session, server):
    target = target_of(server)
    x = ak.random.default_rng(1).random(100_000)
    for _ in range(100):
        target.control({"purpose": "monitor"})  # for some seconds it counts phases
        ak.sort(x)
        found = target.control({"purpose": "monitor"})
        if "sort" in found["phases"]:
            break
    total, exchange, wait = found["phases"]["sort"]
    assert 0 < exchange < total
    assert 0 < wait < total
    profile = target.control({"purpose": "profile"})
    assert profile["samples"] >= profile["idle"]
    with pytest.raises(PermissionError, match="needs the role code"):
        target_of(server, role="read").control({"purpose": "profile"})
