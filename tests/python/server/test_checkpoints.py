# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of servers: published objects survive the end, a kill and a full disk."""

import dataclasses
import json
import os
import signal
import subprocess
import time

import numpy as np
import pandas as pd
import pytest
from broken_json import TEXTS, changed
from frame.frames import same
from server.conftest import running_server
from server.test_names import things

import atoll as ak
from atoll import _core
from atoll.serve import objects, server_files
from atoll.serve.client.connect import target_of
from atoll.serve.protocol import Role
from atoll.serve.server.checkpoints import Checkpoints
from atoll.serve.server.names import Names, Published


def _objects():
    """One of each kind that can be published."""
    return {
        **things(ak),
        "strings": ak.array(["x", None, "é"]),
        "bytes": ak.binary([b"\xff\x00", None, b"ab"]),
        "lists": ak.lists([[1, 2], [3]]),
        "complex": ak.array([[1 + 2j, 3], [4, 5j]]),
        "several": {"x": ak.arange(3) + 1, "y": [ak.array([True, False])]},
        "scalar": ak.array(7),
        "empty": ak.zeros((0, 3)),
        "narrow": ak.array(np.arange(5, dtype=np.uint8)),
    }


def _publish_all():
    for name, value in _objects().items():
        ak.publish(name, value, role="code" if name == "several" else "read")


def _check_all(attach):
    for name, expected in things(pd).items():
        same(attach(name), expected)
    assert attach("strings").to_list() == ["x", None, "é"]
    assert attach("bytes").to_list() == [b"\xff\x00", None, b"ab"]
    assert attach("lists").to_list() == [[1, 2], [3]]
    assert attach("complex").to_numpy().tolist() == [[1 + 2j, 3], [4, 5j]]
    assert attach("several")["y"][0].to_numpy().tolist() == [True, False]
    assert attach("scalar").to_numpy().shape == ()
    assert attach("empty").shape == (0, 3)
    assert attach("narrow").to_numpy().dtype == np.uint8


def _published(value):
    form, handles = objects.pack(value, (_core.Expr, _core.Texts))
    return Published(type(value).__name__, form, handles, Role.READ, "user", 0.0)


def test_objects_of_all_kinds_come_back_from_a_checkpoint(tmp_path):
    ak.shutdown()
    names, again = Names(), Names()
    checkpoints = Checkpoints(names, str(tmp_path / "kept"))
    for name, value in _objects().items():
        names.restore(name, _published(value))
    checkpoints.finish()
    assert Checkpoints(again, str(tmp_path / "kept")).restore() == len(_objects())
    found = {name: objects.unpack(one.form, one.handles) for name, one in again.objects().items()}
    _check_all(found.__getitem__)
    ak.shutdown()


@pytest.mark.slow
def test_server_ends_at_its_time_limit(home):
    with running_server("brief", "--time", "0.1") as process:
        assert process.wait(60) == 0


def _status(name):
    return target_of(name).control({"purpose": "status"})["checkpoint"]


def _wait_for_checkpoint(name, after):
    end = time.monotonic() + 60
    while not _status(name)["at"] > after:
        assert time.monotonic() < end
        time.sleep(0.02)
    return _status(name)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["SIGTERM", "SIGALRM", "stop"])
def test_published_objects_come_back_after_the_end(home, tmp_path, how, capsys):
    from atoll.cli import main

    ak.shutdown()
    where = ("--checkpoint", str(tmp_path / "kept"))
    with running_server("kept", "-n", "2", *where) as process:
        with ak.connect("kept"):
            _publish_all()
        if how == "stop":
            assert main(["serve", "stop", "--name", "kept"]) == 0
        else:
            process.send_signal(signal.Signals[how])
        assert process.wait(60) == 0
    with running_server("kept", "-n", "3", "--restore", *where), ak.connect("kept"):
        _check_all(ak.attach)
    with running_server("kept", "--restore", *where), ak.connect("kept", role="read"):
        assert "several" not in ak.published()  # its role is kept
        assert ak.attach("strings").to_list() == ["x", None, "é"]
    found = ak.load_checkpoint(tmp_path / "kept")  # a script can read the arrays
    assert found["narrow/0"].to_numpy().tolist() == [0, 1, 2, 3, 4]
    ak.shutdown()


@pytest.mark.slow
def test_killed_server_restores_the_names_of_its_last_checkpoint(home, capsys):
    from atoll.cli import main

    ak.shutdown()
    words = ("-n", "2", "--checkpoint", "--every", "0", "--rest", "0")
    with running_server("killed", *words) as process, ak.connect("killed"):
        ak.publish("first", ak.arange(1000))
        assert main(["serve", "checkpoint", "--name", "killed"]) == 0
        ak.publish("second", ak.arange(3))
        x = ak.arange(10) + 1
        assert x.sum() == 55
        process.send_signal(signal.SIGKILL)
        process.wait()
        with pytest.raises(ConnectionError, match="does not answer"):
            x.sum()
    assert main(["serve", "--name", "killed", "--checkpoint"]) == 1
    assert "Pass --restore" in capsys.readouterr().err  # it would replace the checkpoint
    with running_server("killed", "--restore"), ak.connect("killed"):
        assert list(ak.published()) == ["first"]
        assert ak.attach("first").sum() == 499500


@pytest.mark.slow
@pytest.mark.parametrize("words", [("--every", "0.1", "--rest", "0"), ("--every", "0", "--rest", "0.1")])
def test_changes_are_written_after_a_while(home, tmp_path, words):
    ak.shutdown()
    with running_server("periodic", "--checkpoint", str(tmp_path / "kept"), *words), ak.connect("periodic"):
        assert _status("periodic")["at"] == 0
        ak.publish("one", ak.arange(10))
        first = _wait_for_checkpoint("periodic", 0)
        assert not first["changed"]
        ak.unpublish("one")
        ak.publish("two", ak.arange(10))
        _wait_for_checkpoint("periodic", first["at"])
    assert set(ak.load_checkpoint(tmp_path / "kept")) == {"index", "two/0"}
    ak.shutdown()


@pytest.mark.slow
def test_failed_checkpoint_leaves_the_one_before(home, tmp_path, capsys):
    from atoll.cli import main

    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4M", "none", tmp_path], stderr=subprocess.DEVNULL
    ).returncode:
        pytest.skip("no right to mount a small file system")
    try:
        ak.shutdown()
        words = ("--checkpoint", str(tmp_path / "kept"), "--every", "0", "--rest", "0")
        with running_server("full", "-n", "2", *words), ak.connect("full"):
            ak.publish("small", ak.arange(10))
            assert main(["serve", "checkpoint", "--name", "full"]) == 0
            ak.publish("large", ak.random.default_rng(1).random(2_000_000))
            assert main(["serve", "checkpoint", "--name", "full"]) == 1
            assert "The one before stays" in capsys.readouterr().err
            assert "No space left" in _status("full")["error"]
            assert ak.attach("large").size == 2_000_000
        assert [one.name for one in tmp_path.iterdir()] == ["kept"]
        with running_server("full", "--restore", *words), ak.connect("full"):
            assert list(ak.published()) == ["small"]
    finally:
        subprocess.run(["umount", tmp_path], check=True)


@pytest.mark.slow
def test_memory_limit_is_an_error_of_the_session(home):
    ak.shutdown()
    with running_server("bounded", "-n", "2", "--memory", "64M"), ak.connect("bounded"):
        generator = ak.random.default_rng(1)
        with pytest.raises(MemoryError):
            generator.random(20_000_000).sum()
        assert ak.arange(10).sum() == 45


def test_directories_that_are_no_checkpoint_raise(home, tmp_path):
    ak.shutdown()
    checkpoints = Checkpoints(Names(), str(tmp_path / "none"))
    with pytest.raises(FileNotFoundError, match="there is no checkpoint in"):
        checkpoints.restore()
    ak.save_checkpoint(tmp_path / "script", {"a": ak.arange(3)})
    with pytest.raises(ValueError, match="is not a checkpoint of a server"):
        Checkpoints(Names(), str(tmp_path / "script")).restore()
    with pytest.raises(FileExistsError, match="Pass --restore"):
        Checkpoints(Names(), str(tmp_path / "script")).check_unused()
    ak.shutdown()


def test_changed_descriptions_raise_with_the_directory(tmp_path):
    path = str(tmp_path / "kept")
    names = Names()
    names.restore("c", Published("ndarray", b"N.", [ak.arange(3)._read()], Role.READ, "user", 0.0))
    checkpoints = Checkpoints(names, path, every=1)
    names.version += 1
    checkpoints.finish()
    kept = ak.load_checkpoint(path)
    index = json.loads(kept["index"].to_list()[0])
    said = []
    for text in [*(json.dumps(value) for _, value in changed(index)), *TEXTS]:
        ak.save_checkpoint(path, {**kept, "index": ak.strings([text])})
        try:
            Checkpoints(Names(), path).restore()
        except ValueError as error:
            said.append(str(error))
    assert len(said) > 50
    assert all(path in one for one in said)
    ak.save_checkpoint(path, {"index": ak.strings([])})
    with pytest.raises(ValueError, match="it has no description of objects"):
        Checkpoints(Names(), path).restore()
    ak.shutdown()


def test_changed_connection_files_raise_with_their_path(home):
    server_files.prepare()
    server = server_files.Server("odd", 1, "host", 1, "", 1, 0.0, "0.1", {"read": "x"})
    path = server_files.file_of("odd")
    server_files.write(server)
    assert server_files.read("odd") == server
    said = []
    for text in [*(json.dumps(value) for _, value in changed(dataclasses.asdict(server))), *TEXTS]:
        path.write_text(text)
        try:
            server_files.read("odd")
        except ValueError as error:
            said.append(str(error))
    assert len(said) > 50
    assert all(str(path) in one for one in said)
    path.write_text(json.dumps(dataclasses.asdict(server) | {"port": "x"}))
    with pytest.raises(ValueError, match=r"'port' is 'x', not an integer of at least 0"):
        server_files.read("odd")


def test_objects_of_another_version_raise_at_the_start(tmp_path):
    names = Names()
    names.restore("odd", Published("Frame", b"\x80\x04catoll.frame\nNoSuchClass\n.", [], Role.READ, "user", 0.0))
    checkpoints = Checkpoints(names, str(tmp_path / "kept"), every=1)
    names.version += 1
    checkpoints.finish()
    with pytest.raises(ValueError, match=r"'odd' in .* cannot be made by Atoll"):
        Checkpoints(Names(), str(tmp_path / "kept")).restore()
    ak.shutdown()


def test_changes_during_a_checkpoint_are_in_the_next(tmp_path):
    names = Names()
    checkpoints = Checkpoints(names, str(tmp_path / "kept"), every=1e6)
    assert checkpoints.patience(0) is None  # nothing to write
    for name in ("a", "b"):
        names.restore(name, Published("ndarray", b"N.", [ak.arange(3)._read()], Role.READ, "user", 0.0))
    assert checkpoints.patience(0) > 0
    checkpoints.asked = True
    assert checkpoints.patience(0) == 0
    checkpoints.step()
    assert checkpoints.status()["running"]
    assert not os.path.exists(tmp_path / "kept")
    names.restore("c", Published("ndarray", b"N.", [ak.arange(3)._read()], Role.READ, "user", 0.0))
    while checkpoints.status()["running"]:
        checkpoints.step()
    assert set(ak.load_checkpoint(tmp_path / "kept")) == {"index", "a/0", "b/0"}
    assert checkpoints.status()["changed"]
    checkpoints.finish()
    assert set(ak.load_checkpoint(tmp_path / "kept")) == {"index", "a/0", "b/0", "c/0"}
    assert not checkpoints.status()["changed"]
    ak.shutdown()
