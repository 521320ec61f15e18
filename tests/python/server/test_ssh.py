# SPDX-License-Identifier: Apache-2.0
"""Connections to `ssh://` addresses, by an ssh command that forwards to this host."""

import json
import os
import signal
import stat
import sys

import numpy as np
import pytest

import atoll as ak
from atoll.serve import server_files
from atoll.serve.client.ssh import Address

# Forwards -L LOCAL:REMOTE by a thread per connection, then runs the command as the remote shell would.
FAKE = """#!{python}
import os, socket, subprocess, sys, threading
words = sys.argv[1:]
with open(os.environ["FAKE_SSH_LOG"], "a") as log:
    print(os.getpid(), *words, file=log, flush=True)
forward = None
while words[0].startswith("-"):
    option = words.pop(0)
    if option in ("-o", "-L", "-p"):
        value = words.pop(0)
        forward = value if option == "-L" else forward
destination, command = words
if destination == "stranger@login":
    print("Permission denied (publickey).", file=sys.stderr)
    sys.exit(255)

def pump(source, sink):
    while data := source.recv(1 << 16):
        sink.sendall(data)
    sink.shutdown(socket.SHUT_WR)

def serve(listener, remote):
    while True:
        near, _ = listener.accept()
        if remote.startswith("/"):
            far = socket.socket(socket.AF_UNIX)
            far.connect(remote)
        else:
            host, _, port = remote.rpartition(":")
            far = socket.create_connection((host, int(port)))
        for pair in ((near, far), (far, near)):
            threading.Thread(target=pump, args=pair, daemon=True).start()

if forward is not None:
    local, _, remote = forward.partition(":")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(local)
    listener.listen()
    threading.Thread(target=serve, args=(listener, remote), daemon=True).start()
sys.exit(subprocess.run(["sh", "-c", command], cwd=os.environ["HOME"]).returncode)
"""


@pytest.fixture
def log(tmp_path, monkeypatch, server):
    """What ssh was called with. The command is first on the PATH."""
    program = tmp_path / "ssh"
    program.write_text(FAKE.replace("{python}", sys.executable))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("FAKE_SSH_LOG", str(tmp_path / "log"))
    ak.shutdown()
    return tmp_path / "log"


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stream:
            return stream.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_session_goes_through_a_forwarded_unix_socket(log):
    with ak.connect("ssh://user@login:2222/three") as session:
        path = session._core.target.path
        assert np.array_equal(ak.arange(1000).to_numpy(), np.arange(1000))
        assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700
        calls = log.read_text().splitlines()
        tunnel = int(calls[-1].split()[0])
        assert is_alive(tunnel)
    assert not is_alive(tunnel)
    assert not os.path.exists(os.path.dirname(path))
    assert len(calls) == 2
    assert all("-p 2222" in one and "user@login" in one for one in calls)
    assert f"-L {path}:{server_files.socket_of('three')}" in calls[1]
    token = server_files.read("three").tokens["code"]
    assert token not in log.read_text()


def test_session_goes_on_when_ssh_has_ended(log):
    with ak.connect("ssh://login/three") as session:
        x = ak.arange(1000)
        assert int(x.sum()) == 499500
        os.kill(int(log.read_text().splitlines()[-1].split()[0]), signal.SIGKILL)
        assert int((x + 1).sum()) == 500500
        assert session.stats()["resumed"] >= 1


def test_server_without_a_unix_socket_is_reached_by_tcp(log, home, monkeypatch, tmp_path):
    about = json.loads(server_files.file_of("three").read_text())
    folder = tmp_path / ".atoll/servers"
    folder.mkdir(parents=True)
    (folder / "three.json").write_text(json.dumps({**about, "socket": ""}))
    monkeypatch.setenv("HOME", str(tmp_path))
    with ak.connect("ssh://login/three"):
        assert int(ak.arange(10).sum()) == 45
    assert f":127.0.0.1:{about['port']}" in log.read_text()


def test_errors_name_what_failed(log):
    with pytest.raises(ConnectionError, match=r"ssh stranger@login does not work \(Permission denied"):
        ak.connect("ssh://stranger@login/three")
    with pytest.raises(LookupError, match="no server 'four' of this user on login"):
        ak.connect("ssh://login/four")
    for address in ("ssh://-oProxyCommand=x/three", "ssh://a b/three", "ssh:///three"):
        with pytest.raises(ValueError, match="no address of a server behind ssh"):
            ak.connect(address)
    for address in ("ssh://login", "ssh://login/../x", "ssh://login/a;b"):
        with pytest.raises(ValueError, match="no name of a server"):
            ak.connect(address)


def test_parts_of_an_address():
    assert Address.parse("ssh://me@login.site.org:22/big") == Address("me@login.site.org", 22, "big")
    assert Address.parse("ssh://login/big") == Address("login", None, "big")
