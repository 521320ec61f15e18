# SPDX-License-Identifier: Apache-2.0
"""The launcher over ssh itself: an sshd on each test host, with keys and settings of its own."""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import hosts as network
import pytest
from built import needs_launcher

SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:" + os.environ["PATH"])

pytestmark = [
    pytest.mark.slow,
    needs_launcher,
    pytest.mark.skipif(bool(network.missing()), reason=network.missing() or "-"),
    pytest.mark.skipif(not (SSHD and shutil.which("ssh")), reason="ssh and sshd are not installed"),
]

SERVER = """
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/key.pub
StrictModes no
UsePAM no
PermitRootLogin yes
PasswordAuthentication no
PidFile none
"""
CLIENT = """
Host *
  BatchMode yes
  IdentityFile {folder}/key
  IdentitiesOnly yes
  UserKnownHostsFile /dev/null
  StrictHostKeyChecking no
  LogLevel ERROR
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ssh")
    for name in ("host_key", "key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
    (folder / "sshd.conf").write_text(SERVER.format(folder=folder))
    (folder / "ssh.conf").write_text(CLIENT.format(folder=folder))
    made = not Path("/run/sshd").exists()
    Path("/run/sshd").mkdir(exist_ok=True)  # where sshd goes to give up its rights
    with network.Hosts(2) as hosts:
        servers = [
            subprocess.Popen(["ip", "netns", "exec", name, SSHD, "-D", "-f", str(folder / "sshd.conf")])
            for name in hosts.names
        ]
        ssh = ["ssh", "-F", str(folder / "ssh.conf")]
        for number in range(2):
            for _ in range(100):
                probe = subprocess.run([*ssh, hosts.address_of(number), "true"], capture_output=True, check=False)
                if probe.returncode == 0:
                    break
                time.sleep(0.1)
        yield hosts, " ".join(ssh)
        for server in servers:
            server.kill()
            server.wait()
    if made:
        with contextlib.suppress(OSError):
            Path("/run/sshd").rmdir()


def ends(mark):
    """Whether no PE is left after two seconds."""
    for _ in range(40):
        if subprocess.run(["pgrep", "-f", f"sleep {mark}"], capture_output=True, check=False).returncode != 0:
            return True
        time.sleep(0.05)
    return False


def command(cluster, *words):
    hosts, ssh = cluster
    listed = f"{hosts.address_of(0)}:2,root@{hosts.address_of(1)}:1"
    return [str(network.LAUNCHER), "--hosts", listed, "--launch-agent", ssh, *words]


def run(cluster, *words, **environment):
    return subprocess.run(
        command(cluster, *words), capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
    )  # fmt: skip


# Without --address, the launcher uses the source address of packets to the hosts.
def test_a_job_over_ssh(cluster, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run(cluster, "-l", "sh", "-c", 'echo "$ATOLL_PE $ATOLL_GRAIN $(pwd)"', ATOLL_GRAIN="7")
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [f"[{pe}] {pe} 7 {tmp_path}" for pe in range(3)]
    assert done.stderr == ""


def test_statuses_come_back(cluster):
    mark = f"{300000 + os.getpid()}.9"
    done = run(cluster, "sh", "-c", f"[ $ATOLL_PE = 2 ] && exit 9; sleep {mark}")
    assert done.returncode == 9
    assert "PE 2 (host root@" in done.stderr
    assert ends(mark)


def started(cluster, mark, after=""):
    job = subprocess.Popen(
        command(cluster, "sh", "-c", f"echo up; sleep {mark}{after}"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(3):
        assert job.stdout.readline() == "up\n"
    return job


def test_a_kill_of_the_launcher_leaves_nothing(cluster):
    mark = f"{300000 + os.getpid()}.8"
    job = started(cluster, mark)
    job.kill()
    assert ends(mark)
    job.communicate(timeout=20)
    assert job.returncode != 0


def test_a_job_goes_on_when_ssh_is_killed(cluster):
    job = started(cluster, 2, "; echo done")
    listed = subprocess.run(
        ["pgrep", "-f", f"ssh -F .*{cluster[0].address_of(0)}"], capture_output=True, text=True, check=True
    )
    os.kill(int(listed.stdout.split()[0]), signal.SIGKILL)
    output, errors = job.communicate(timeout=60)
    assert (job.returncode, output) == (0, "done\n" * 3), errors


def test_a_host_that_refuses_the_key_is_reported(cluster, tmp_path):
    hosts, ssh = cluster
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / "other")], check=True)
    settings = Path(ssh.split()[-1]).read_text()
    (tmp_path / "conf").write_text(settings.replace(str(Path(ssh.split()[-1]).parent / "key"), str(tmp_path / "other")))
    agent = f"ssh -F {tmp_path}/conf"
    words = [network.LAUNCHER, "--hosts", hosts.address_of(0), "--launch-agent", agent, "-n", "1", "true"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "Permission denied" in done.stderr
    assert f"host {hosts.address_of(0)} (PE 0): the command for its agent exited with status 255" in done.stderr
    assert f"Does this work: {agent} {hosts.address_of(0)} true" in done.stderr
