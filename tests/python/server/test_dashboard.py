# SPDX-License-Identifier: Apache-2.0
"""The dashboard by HTTP: tokens, host names, snapshots, metrics, and cancelling."""

import json
import os
import re
import signal
import socket
import stat
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from server.test_sessions import _sort_for_ever

import atoll as ak
from atoll.serve import server_files
from atoll.serve.activity import Activity, LogLines
from atoll.serve.dashboard import web
from atoll.serve.dashboard.feed import Feed
from atoll.serve.dashboard.metrics import _STATS as STATS
from atoll.serve.dashboard.sources import ServerSource

for _package in ("starlette", "uvicorn", "prometheus_client"):
    pytest.importorskip(_package)

SNAPSHOT = {
    "checkpoint": {"path": "/x", "at": 5.0, "changed": False, "error": ""},
    "name": "big", "pid": 1, "version": "0", "kind": "driver", "pes": 2, "threads": 1, "seconds": 5.0, "sessions": 1,
    "published": 1, "refused": 0, "running": "sort", "now": 100.0, "stats": dict.fromkeys(STATS, 10) | {"commands": 3},
    "objects": [{"name": "trips", "kind": "DataFrame", "bytes": 80, "user": "ada", "role": "read", "at": 0.0}],
    "processes": [{"pid": 1, "cpu_seconds": 1.5, "threads": 2, "resident": 4096, "state": "R"}, {}],
    "host": {"host": "node", "cores": 2, "load": 0.5, "memory_total": 100, "memory_available": 50},
    "state": {"operation": "sort", "session": "s1", "seconds": 2.0, "done": 1, "total": 2, "kind": "sort"},
    "totals": {"sort": (2, 3.5)},
    "list": [{
        "session": "s1", "user": 'a"da', "process": 7, "role": "code", "seconds": 3.0, "connected": True, "arrays": 2,
        "quota": 0, "calls": 9, "running": "sort", "bytes": 160, "waiting": False,
        "request": 7,
    }],
    "phases": {"sort": (2.0, 0.5, 0.25)},
    "scans": [{
        "session": "s1", "number": 2, "state": "done", "seconds": 1.5, "at": 90.0, "steps": [
            ("read    trips.parquet: columns a, b of a, b, c", 1_200_000, 19_200_000, 1.0, 0, 0),
            ("filter  (a >= 100)", None, None, 0.0, 0, 0),
            ("group   by b: n = size of a", 7, 112, 0.25, 4096, 1 << 20),
        ],
    }],
    "operations": [(1, 97.0, 98.0, "sort", "s1")], "lines": [(1, "a line")],
}  # fmt: skip


class FakeSource:
    def __init__(self):
        self.cancelled, self.gone, self.asked = [], False, 0

    def snapshot(self, operations, lines):
        self.asked += 1
        if self.gone:
            raise ConnectionError("the server has ended")
        return {
            **SNAPSHOT,
            "operations": [one for one in SNAPSHOT["operations"] if one[0] > operations],
            "lines": [one for one in SNAPSHOT["lines"] if one[0] > lines],
        }

    def cancel(self, session, request):
        self.cancelled.append((session, request))
        return session == "s1"

    def profile(self):
        loop, run = "Loop.run (server/loop.py:160)", "Client._run (server/client.py:255)"
        return {
            "samples": 100, "idle": 20, "period": 0.01,
            "stacks": [
                (60, [loop, run, "sort (engine)"]), (15, [loop, run, "<b>f</b> (my/code.py:7)"]),
                (5, [loop, "Loop._look (server/loop.py:330)"]),
            ],
        }  # fmt: skip


class Site:
    """A dashboard over a source, and requests to it."""

    def __init__(self, source, token="secret"):
        self.source = source
        self.server = web.WebServer(web.application(Feed(source), token, web.LOOPBACK), "127.0.0.1", 0)
        self.server.start()

    def ask(self, path, token="secret", data=None, **headers):
        """Status, headers and body."""
        address = f"http://127.0.0.1:{self.server.port}/{path}"
        if token:
            headers["Authorization"] = f"Bearer {token}"
        request = urllib.request.Request(address, data, {"Host": "localhost", **headers})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()


@pytest.fixture(scope="module")
def site():
    found = Site(FakeSource())
    yield found
    found.server.close()


def test_page_loads_nothing_from_elsewhere_and_is_small(site):
    size = 0
    for name, kind in (("", "text/html"), ("dashboard.js", "text/javascript"), ("dashboard.css", "text/css")):
        status, headers, body = site.ask(name, token="")
        assert status == 200
        assert headers["Content-Type"].startswith(kind)
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert re.findall(rb"https?://(?!www\.w3\.org/2000/svg)", body) == []  # but for the name of a namespace
        assert b'="/' not in body  # relative addresses
        size += len(body)
    assert size < 200_000
    assert site.ask("page.py", token="")[0] == 404
    assert site.ask("..%2fweb.py", token="")[0] == 404


@pytest.mark.parametrize("path", ["state", "events", "metrics", "profile"])
def test_data_need_the_token(site, path):
    for token in ("", "wrong", "secrets"):
        status, _, body = site.ask(path, token=token)
        assert status == 401
        assert b"ada" not in body
    assert site.ask(path, token="", Cookie="atoll_x=secret")[0] == 401


def test_health_tells_no_data_and_needs_no_token(site):
    status, _, body = site.ask("health", token="")
    assert (status, json.loads(body)) == (200, {"status": "ok"})
    gone = Site(FakeSource())
    gone.source.gone = True
    try:
        assert gone.ask("health", token="")[0] == 503
        assert json.loads(gone.ask("state")[2])["error"] == "the server has ended"
        assert b"atoll_up 0.0" in gone.ask("metrics")[2]
    finally:
        gone.server.close()


def test_connections_inherit_that_parts_of_answers_are_sent_at_once(site):
    assert site.server._socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 1


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:80", "localhost.", "", "[::2]:80"])
def test_unknown_hosts_are_refused(site, host):
    for path in ("", "health", "state"):
        assert site.ask(path, Host=host)[0] in (400, 421)


@pytest.mark.parametrize("host", ["localhost:1", "127.0.0.1", "[::1]:8080", "LOCALHOST"])
def test_known_hosts_are_served(site, host):
    assert site.ask("state", Host=host)[0] == 200


def test_login_sets_a_cookie_that_scripts_cannot_read(site):
    def login(body, **headers):
        return site.ask("login", token="", data=body, **{"X-Atoll": "1", **headers})

    assert login(b'{"token": "wrong"}')[0] == 401
    assert login(b"[]")[0] == 400
    assert login(b"x" * 5000)[0] == 400
    assert login(b'{"token": "secret"}', **{"X-Atoll": "0"})[0] == 400  # a form of another site
    status, headers, _ = login(b'{"token": "secret"}')
    assert status == 200
    cookie = headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert site.ask("state", token="", Cookie=cookie.partition(";")[0])[0] == 200


def test_cancel_reaches_the_source(site):
    post = {"data": b'{"session": "s1", "request": 7}', "X-Atoll": "1"}
    assert site.ask("cancel", token="", **post)[0] == 401
    assert site.ask("cancel", data=b'{"session": "s1", "request": 7}')[0] == 400
    assert site.source.cancelled == []
    assert site.ask("cancel", **post)[0] == 200
    assert site.ask("cancel", data=b'{"session": "s2", "request": 1}', **{"X-Atoll": "1"})[0] == 404
    assert site.ask("cancel", data=b'{"session": "s1"}', **{"X-Atoll": "1"})[0] == 400
    assert site.source.cancelled == [("s1", 7), ("s2", 1)]


def test_events_begin_with_all_that_is_kept(site):
    request = urllib.request.Request(
        f"http://127.0.0.1:{site.server.port}/events", headers={"Authorization": "Bearer secret"}
    )
    with urllib.request.urlopen(request, timeout=30) as stream:
        assert stream.headers["Content-Type"].startswith("text/event-stream")
        first = json.loads(stream.readline().removeprefix(b"data: "))
        stream.readline()
        second = json.loads(stream.readline().removeprefix(b"data: "))
    assert first["operations"] == [[1, 97.0, 98.0, "sort", "s1", "sort"]]
    assert first["lines"] == [[1, "a line"]]
    assert second["operations"] == second["lines"] == []


def test_profile_gives_stacks_with_counts_and_viewers_share_it(site):
    status, _, body = site.ask("profile")
    found = json.loads(body)
    assert (status, found["samples"], found["idle"]) == (200, 100, 20)
    assert found["stacks"][0][1][-1] == "sort (engine)"
    source = FakeSource()
    calls = []
    source.profile = lambda: calls.append(1) or {}
    feed = Feed(source)
    for _ in range(100):
        feed.profile()
    assert len(calls) < 20


def test_viewers_share_snapshots():
    source = FakeSource()
    feed = Feed(source)
    for _ in range(100):
        assert len(feed.view(0, 0)["operations"]) == 1
    assert source.asked < 20


def test_metrics_are_those_of_the_snapshot(site):
    from prometheus_client.parser import text_string_to_metric_families

    status, headers, body = site.ask("metrics")
    assert status == 200
    assert headers["Content-Type"].startswith("text/plain")
    families = {one.name: one for one in text_string_to_metric_families(body.decode())}
    values = {
        (sample.name, *sample.labels.values()): sample.value for one in families.values() for sample in one.samples
    }
    assert values["atoll_up",] == 1
    assert values["atoll_pes",] == 2
    assert values["atoll_memory_in_use_bytes",] == 10
    assert values["atoll_commands_total",] == 3
    assert values["atoll_operation_seconds_total", "sort"] == 3.5
    assert values["atoll_session_bytes", "s1", 'a"da'] == 160
    assert values["atoll_object_bytes", "trips"] == 80
    assert values["atoll_pe_cpu_seconds_total", "0"] == 1.5


def test_grafana_dashboard_asks_for_metrics_that_exist(site):
    names = set(site.ask("metrics")[2].decode().replace("{", " ").split())
    path = Path(ak.__file__).parent / "serve" / "dashboard" / "page" / "grafana.json"
    board = json.loads(path.read_text())
    asked = [target["expr"] for panel in board["panels"] for target in panel.get("targets", [])]
    assert len(asked) >= 8
    words = {word for one in asked for word in one.replace("(", " ").replace("[", " ").replace(")", " ").split()}
    assert {word.partition("{")[0] for word in words if word.startswith("atoll_")} <= names


def wait_for_stacks(address, token):
    """Waits until this thread has been sampled in this function."""
    while True:
        request = urllib.request.Request(address, headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            found = json.loads(answer.read())
        if any("wait_for_stacks" in frame for _, frames in found["stacks"] for frame in frames):
            return


def test_local_session_is_shown_with_its_operations():
    ak.shutdown()
    with ak.init() as session, ak.dashboard() as board:
        assert ak.dashboard() is board
        assert f'href="{board.url}"' in ak.session()._repr_html_()
        address, _, token = board.url.partition("/#token=")
        x = ak.random.default_rng(1).random(1_000_000)
        ak.sort(x)
        (x * 2).evaluate()
        request = urllib.request.Request(f"{address}/state", headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            found = json.loads(answer.read())
        assert found["kind"] == "embedded"
        assert found["totals"]["sort"][0] == 1
        assert "sort" in [one[3] for one in found["operations"]]
        assert found["processes"][0]["pid"] == os.getpid()
        assert found["stats"]["memory_limit"] > 0
        assert found["phases"]["sort"][0] > 0
        wait_for_stacks(f"{address}/profile", token)
        assert session.pes == 1
    from atoll import _core

    assert "recorded" not in repr(_core.sort)  # nothing is left in front of the engine
    assert ak.sort(ak.arange(3)).to_numpy().tolist() == [0, 1, 2]


def test_activity_keeps_times_of_long_operations_and_totals_of_all():
    activity = Activity()
    for _ in range(3):
        activity.end("apply", "s", activity.begin("apply", "s"))
    assert activity.totals["apply"][0] == 3
    assert activity.after(0, 10) == []  # all of them are too short
    activity.begin("sort", "s")
    activity.progress = "sort", 1, 4
    assert activity.state()["total"] == 4
    activity.end("sort", "s", time.monotonic() - 1)
    assert activity.state() == {}
    assert [one[3] for one in activity.after(0, 10)] == ["sort"]
    assert activity.after(1, 10) == []


def test_a_request_that_has_ended_is_not_cancelled(monkeypatch):
    from atoll.serve.dashboard import sources

    sent = []
    monkeypatch.setattr(sources.os, "kill", lambda pid, number: sent.append(number))
    ak.shutdown()
    with ak.init() as session:
        source = sources.LocalSource(session._core)
        try:
            activity = source.recorder.activity
            ended = activity.begin("sort", "local")
            (seen,) = source.snapshot(0, 0)["list"]
            activity.end("sort", "local", ended)
            activity.begin("cumsum", "local")
            assert source.cancel("local", seen["request"])
            assert sent == []
            (seen,) = source.snapshot(0, 0)["list"]
            assert source.cancel("local", seen["request"])
            assert sent == [signal.SIGINT]
        finally:
            source.close()


def test_log_keeps_its_last_lines():
    import logging

    lines = LogLines()
    log = logging.Logger("x")
    log.addHandler(lines)
    for number in range(700):
        log.info("line %d", number)
    log.info("x" * 10_000)
    assert len(lines.after(0, 1000)) == 500
    ((number, text),) = lines.after(700, 10)
    assert number == 701
    assert len(text) <= 500


@pytest.mark.slow
def test_server_is_shown_and_its_operations_are_cancelled(server):
    ak.shutdown()
    from atoll.serve.client.connect import target_of

    site = Site(ServerSource(target_of(server)))
    try:
        with ak.connect(server):
            ak.publish("shown", ak.arange(1000), replace=True)
            x = ak.random.default_rng(1).random(500_000)
            x.sum()
            ended = threading.Event()

            def cancel():
                while not ended.is_set():
                    found = json.loads(site.ask("state")[2])
                    for one in found["list"]:
                        if one["running"] == "sort":
                            wanted = {"session": one["session"], "request": one["request"]}
                            site.ask("cancel", data=json.dumps(wanted).encode(), **{"X-Atoll": "1"})
                    time.sleep(0.01)

            thread = threading.Thread(target=cancel)
            thread.start()
            try:
                with pytest.raises(KeyboardInterrupt):
                    _sort_for_ever(x)
            finally:
                ended.set()
                thread.join()
            end = time.monotonic() + 60
            while True:
                found = json.loads(site.ask("state")[2])
                named = {one["name"]: one["bytes"] for one in found["objects"]}
                if named.get("shown") == 8000 and found["stats"].get("memory_in_use"):
                    break
                assert time.monotonic() < end
                time.sleep(0.1)
            assert len([one for one in found["processes"] if one]) == 3
            assert max(one["bytes"] for one in found["list"]) >= 4_000_000
            assert b"atoll_up 1.0" in site.ask("metrics")[2]
            ak.unpublish("shown")
    finally:
        site.server.close()


@pytest.mark.slow
def test_command_keeps_its_token_in_a_private_file(server):
    import subprocess
    import sys

    def address():
        with subprocess.Popen(
            [sys.executable, "-m", "atoll", "dashboard", server], stdout=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": str(Path(ak.__file__).parents[1])},
        ) as process:  # fmt: skip
            line = process.stdout.readline()
            process.terminate()
            assert process.wait(60) in (0, -15)
        return line.strip().rpartition(" ")[2]

    first = address().partition("#token=")[2]
    path = server_files.dashboard_token_of(server)
    assert path.read_text() == first
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert address().partition("#token=")[2] == first
