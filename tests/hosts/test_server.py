# SPDX-License-Identifier: Apache-2.0
"""A server with PEs on two hosts, and a client on a third, over TLS."""

import json
import os
import signal
import subprocess
import sys

import hosts as network
import pytest
from built import ROOT, needs_core, needs_launcher

pytestmark = [
    pytest.mark.slow,
    needs_core,
    needs_launcher,
    pytest.mark.skipif(bool(network.missing()), reason=network.missing() or "-"),
]
SECONDS = 60
CLIENT = """
import json, sys
import atoll as ak
about = json.load(open(sys.argv[1]))
address = f"{about['host']}:{about['port']}"
with ak.connect(address, token=about["tokens"]["code"], fingerprint=about["fingerprint"]) as session:
    x = ak.random.default_rng(7).normal(size=100_003)
    print(session.kind, session.pes, x.sum(), ak.sort(x)[:2].to_numpy().tolist())
    frame = ak.DataFrame({"key": ak.arange(1000) % 7, "value": ak.arange(1000) * 0.5})
    print(frame.groupby("key").value.sum().to_pandas().tolist())
    ak.publish("values", x)
with ak.connect(address, token=about["tokens"]["read"], fingerprint=about["fingerprint"], role="read"):
    print(ak.attach("values").size, flush=True)
    if len(sys.argv) > 2:
        input()
        try:
            print(ak.attach("values").to_numpy().sum())
        except Exception as error:
            print(type(error).__name__, error)
"""


ALONE = """
import atoll as ak
x = ak.random.default_rng(7).normal(size=100_003)
print(x.sum(), ak.sort(x)[:2].to_numpy().tolist())
frame = ak.DataFrame({"key": ak.arange(1000) % 7, "value": ak.arange(1000) * 0.5})
print(frame.groupby("key").value.sum().to_pandas().tolist())
"""


@pytest.fixture(scope="module")
def hosts():
    with network.Hosts(3) as made:
        yield made


@pytest.fixture
def server(hosts, tmp_path):
    """The process, and the connection file."""
    pytest.importorskip("cryptography")
    own, other = hosts.names[:2]
    words = ["serve", "--hosts", f"{own}:2,{other}", "--name", "n", "--host", hosts.address_of(0), "--tls"]
    command = on(hosts, 0, tmp_path, sys.executable, "-m", "atoll", *words)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline()
            assert line.startswith("server 'n': 3 PEs"), line
            yield process, tmp_path / ".atoll/servers/n.json"
        finally:
            for pid in hosts.pids_on(0, "\0serve\0"):
                os.kill(pid, signal.SIGTERM)
            process.communicate(timeout=SECONDS)
    assert hosts.everything_ends(SECONDS)


def on(hosts, number, home, *words):
    settings = [f"HOME={home}", f"PYTHONPATH={ROOT / 'python'}", f"ATOLL_LAUNCH_AGENT={hosts.agent}"]
    return [*hosts.agent.format(host=hosts.names[number]).split(), "env", *settings, *map(str, words)]


def test_client_on_another_host_works_over_tls(hosts, server, tmp_path):
    _, about = server
    done = subprocess.run(
        on(hosts, 2, tmp_path, sys.executable, "-c", CLIENT, about), capture_output=True, text=True, timeout=SECONDS,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    alone = subprocess.run([sys.executable, "-c", ALONE], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == f"remote 3 {alone.stdout}100003\n"
    assert json.loads(about.read_text())["pes"] == 3


def test_server_ends_when_a_host_loses_its_pe(hosts, server, tmp_path):
    process, about = server
    command = on(hosts, 2, tmp_path, sys.executable, "-c", CLIENT, about, "wait")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as client:
        for _ in range(3):
            client.stdout.readline()
        os.kill(hosts.pids_on(1, "_core")[0], signal.SIGKILL)
        output, _ = client.communicate("\n", timeout=SECONDS)
        process.communicate(timeout=SECONDS)
    assert output.startswith(f"PeFailedError PE 2 was killed by signal 9 (Killed) on {hosts.names[1]}")
    assert not about.exists()
