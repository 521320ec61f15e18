# SPDX-License-Identifier: Apache-2.0
"""Jobs over several hosts, each a network namespace: start, output, exit statuses, ends of every kind, refusals."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import hosts as network
import pytest
from built import ROOT, needs_core, needs_launcher

pytestmark = [needs_launcher, pytest.mark.skipif(bool(network.missing()), reason=network.missing() or "-")]


@pytest.fixture(scope="module")
def hosts():
    with network.Hosts(3) as made:
        yield made


def lines(text):
    return sorted(text.splitlines())


# -- start, output, environment --


def test_pes_are_spread_in_blocks(hosts):
    done = hosts.run("sh", "-c", "echo $ATOLL_PE of $ATOLL_NPES at $(ip -br addr show eth0)", slots=2)
    assert done.returncode == 0, done.stderr
    found = lines(done.stdout)
    assert len(found) == 6
    for pe, line in enumerate(found):
        assert line.startswith(f"{pe} of 6 at eth0")
        assert f"{hosts.address_of(pe // 2)}/24" in line
    assert done.stderr == ""


def test_a_hostfile(hosts, tmp_path):
    file = tmp_path / "hosts"
    file.write_text(f"# mine\n{hosts.names[1]} slots=1\n{hosts.names[0]}:2\n")
    command = [network.LAUNCHER, "--hostfile", file, "--launch-agent", hosts.agent, "--address", hosts.address]
    program = ["-l", "sh", "-c", "ip -br -4 addr show eth0"]
    done = subprocess.run([*command, *program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    for line, host in zip(lines(done.stdout), (1, 0, 0), strict=True):
        assert hosts.address_of(host) in line


def test_lines_stay_whole(hosts):
    code = "i=0; while [ $i -lt 300 ]; do echo $ATOLL_PE:$i:xxxxxxxxxxxxxxxxxxxxxxxxxxxxx:end; i=$((i+1)); done"
    done = hosts.run("--label", "sh", "-c", code, slots=1)
    assert done.returncode == 0, done.stderr
    following = [0, 0, 0]
    for line in done.stdout.splitlines():
        label, _, rest = line.partition("] ")
        pe, number, _, end = rest.split(":")
        assert (label, int(number), end) == (f"[{pe}", following[int(pe)], "end")
        following[int(pe)] += 1
    assert following == [300, 300, 300]


def test_much_output_and_input(hosts):
    text = "".join(f"{number:099d}\n" for number in range(50_000))  # 5 MB
    done = hosts.run("-n", 1, "cat", standard_input=text, slots=1)
    assert done.returncode == 0
    assert done.stdout == text


def test_pe_0_alone_reads_standard_input(hosts):
    done = hosts.run("--label", "cat", standard_input="one\ntwo", slots=1)
    assert (done.returncode, done.stdout) == (0, "[0] one\n[0] two\n")
    # The program does not read its input: the job must not wait for that.
    assert hosts.run("true", standard_input="x" * 3_000_000, slots=1).returncode == 0


def test_directory_and_environment_go_along(hosts, tmp_path):
    environment = {
        "ATOLL_GRAIN": "9",
        "SHMEM_DEBUG": "1",
        "FI_LOG_LEVEL": "warn",
        "HOSTS_ONE": "a b",
        "HOSTS_TWO": "no",
    }
    command = hosts.command("-n", 1, "-x", "HOSTS_ONE", "-x", "HOSTS_NEW=c d", slots=1)
    program = ["sh", "-c", 'pwd; echo "$ATOLL_GRAIN,$SHMEM_DEBUG,$FI_LOG_LEVEL,$HOSTS_ONE,$HOSTS_TWO,$HOSTS_NEW"']
    done = subprocess.run(
        [*command, *program], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{tmp_path}\n9,1,warn,a b,,c d\n"


def test_threads_share_each_hosts_cores(hosts):
    done = hosts.run("-t", 3, "sh", "-c", "echo $ATOLL_THREADS", slots=1)
    assert done.stdout == "3\n3\n3\n"


def test_localhost_needs_neither_ssh_nor_an_address():
    command = [network.LAUNCHER, "--hosts", "localhost:3", "-l", "sh", "-c", "echo $ATOLL_PE"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert lines(done.stdout) == ["[0] 0", "[1] 1", "[2] 2"]


@needs_core
def test_python_on_one_of_the_hosts(hosts):
    code = "import atoll as ak; s = ak.init(); print(s.kind, s.pe, s.pes, int(ak.arange(1000).sum()))"
    done = hosts.run(
        "-n", 3, sys.executable, "-c", code, slots=3, PYTHONPATH=str(ROOT / "python"), ATOLL_HEAP_SIZE="1G"
    )
    assert done.returncode == 0, done.stderr
    assert lines(done.stdout) == [f"spmd {pe} 3 499500" for pe in range(3)]


# -- hosts that differ --

PROGRAM = ROOT / "build/release/tests/pe_program"
needs_program = pytest.mark.skipif(not PROGRAM.exists(), reason="needs the C++ test program")


@pytest.fixture
def run_by_parts(hosts, tmp_path):
    """atoll-run with a PE per NUMA domain, on hosts of which each shows hwloc what `machines` says."""

    def run(machines, *words, **environment):
        for name, machine in zip(hosts.names, machines, strict=True):
            (tmp_path / name).write_text(f"export {machine}\n")
        in_place = f"sh -c '. {tmp_path}/$0; exec \"$@\"' {{host}}"
        agent = ["--launch-agent", f"{hosts.agent} {in_place}"]
        return hosts.run("--pes-per-node", "numa", "--bind", "none", *agent, *words, **environment)

    return run


def test_each_host_counts_its_numa_domains(hosts, run_by_parts):
    machines = [f"HWLOC_SYNTHETIC='package:1 numa:{domains} core:1 pu:1'" for domains in (2, 1, 3)]
    where = ["sh", "-c", "echo $ATOLL_PE of $ATOLL_NPES at $(ip -br -4 addr show eth0)"]
    done = run_by_parts(machines, *where)
    assert (done.returncode, done.stderr) == (0, "")
    found = lines(done.stdout)
    assert len(found) == 6
    for pe, (line, host) in enumerate(zip(found, (0, 0, 1, 2, 2, 2), strict=True)):
        assert line.startswith(f"{pe} of 6 at eth0")
        assert f" {hosts.address_of(host)}/24" in line
    # Filled in order, and the last one is left with nothing.
    done = run_by_parts(machines, "-n", 3, *where)
    assert (done.returncode, done.stderr) == (0, "")
    for line, host in zip(lines(done.stdout), (0, 0, 1), strict=True):
        assert f" {hosts.address_of(host)}/24" in line

    done = run_by_parts(machines, "-n", 7, "true")
    each = ", ".join(f"{name} {domains}" for name, domains in zip(hosts.names, (2, 1, 3), strict=True))
    assert done.returncode == 2
    assert f"-n 7 is more than the 6 NUMA domains of the hosts ({each})" in done.stderr
    assert hosts.everything_ends(2)


@needs_program
def test_pes_of_unequal_hosts_meet(run_by_parts):
    machines = [f"HWLOC_SYNTHETIC='package:1 numa:{domains} core:1 pu:1'" for domains in (1, 3, 2)]
    done = run_by_parts(machines, "-n", 4, PROGRAM, "hello", ATOLL_HEAP_SIZE="64M")
    assert done.returncode == 0, done.stderr
    assert lines(done.stdout) == [f"hello from {pe} of 4" for pe in range(4)]


@pytest.mark.slow
def test_a_host_that_does_not_count_is_left(hosts, run_by_parts, tmp_path):
    os.mkfifo(tmp_path / "no-writer")
    plain = "HWLOC_SYNTHETIC='core:1 pu:1'"
    machines = [plain, f"HWLOC_XMLFILE={tmp_path}/no-writer", plain]
    done = run_by_parts(machines, "true", ATOLL_PEER_TIMEOUT="1")
    assert done.returncode == 1
    assert f"no count of NUMA domains and sockets has come within 1 s from: {hosts.names[1]}. " in done.stderr
    assert hosts.everything_ends(20)  # its agent too, which hwloc keeps from hearing anything


# -- ends --


def test_the_status_is_that_of_the_first_failure(hosts):
    done = hosts.run("sh", "-c", "[ $ATOLL_PE = 2 ] && exit 5; exec sleep 100", slots=1)
    assert done.returncode == 5
    assert f"PE 2 (host {hosts.names[2]}, pid " in done.stderr
    assert "exited with status 5" in done.stderr
    assert hosts.everything_ends(2)


def test_a_killed_pe_ends_the_job_and_is_named(hosts):
    begin = time.monotonic()
    done = hosts.run("sh", "-c", "[ $ATOLL_PE = 1 ] && kill -9 $$; sleep 100 & wait", slots=1)
    assert done.returncode == 128 + signal.SIGKILL
    assert f"PE 1 (host {hosts.names[1]}, pid " in done.stderr
    assert "was killed by signal 9 (Killed)" in done.stderr
    assert time.monotonic() - begin < 10
    assert hosts.everything_ends(2)  # the children of PEs too


def test_a_program_that_is_missing_on_one_host(hosts):
    done = hosts.run("no-such-program-anywhere", slots=1)
    assert done.returncode == 127
    assert "(PE " in done.stderr
    assert "cannot start 'no-such-program-anywhere': No such file or directory" in done.stderr


def test_a_directory_that_is_missing_on_a_host(hosts, tmp_path):
    command = hosts.command("-n", 2, "true", slots=1)
    script = f"mkdir gone && cd gone && rmdir ../gone && exec {' '.join(repr(word) for word in command)}"
    done = subprocess.run(["sh", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0
    assert "directory" in done.stderr


def test_the_job_times_out(hosts):
    done = hosts.run("--timeout", "0.3", "sleep", 100, slots=1)
    assert done.returncode == 124
    assert "did not end within 0.3 s" in done.stderr
    assert hosts.everything_ends(2)


class Running:
    """A job whose PEs sleep, all of them started."""

    def __init__(self, hosts, *words, **environment):
        program = ["sh", "-c", "echo up; sleep 1000 & wait"]
        self.launcher = subprocess.Popen(
            hosts.command(*words, *program, slots=1), env={**os.environ, **environment}, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        for _ in hosts.names:
            assert self.launcher.stdout.readline() == "up\n"

    def end(self, timeout=30):
        errors = self.launcher.communicate(timeout=timeout)[1]
        return self.launcher.returncode, errors


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_signals_reach_every_host(hosts, name):
    running = Running(hosts)
    running.launcher.send_signal(getattr(signal, name))
    status, errors = running.end()
    assert status == 128 + getattr(signal, name), errors
    assert hosts.everything_ends(2)


def children_of(pid):
    return [
        int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()
    ]


@pytest.mark.parametrize("killed", ["the launcher", "its other process"])
def test_a_killed_launcher_leaves_nothing(hosts, killed):
    running = Running(hosts)
    victim = running.launcher.pid if killed == "the launcher" else children_of(running.launcher.pid)[0]
    os.kill(victim, signal.SIGKILL)
    assert hosts.everything_ends(2)
    status, _ = running.end()
    assert status != 0


@pytest.mark.parametrize("which", [0, 1])
def test_a_killed_agent_ends_the_job(hosts, which):
    running = Running(hosts)
    inside = subprocess.run(["ip", "netns", "pids", hosts.names[1]], capture_output=True, text=True, check=True)
    agents = [pid for pid in inside.stdout.split() if b"--agent" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    assert len(agents) == 2  # the agent and its guard
    os.kill(int(agents[which]), signal.SIGKILL)
    status, errors = running.end()
    assert status != 0
    assert f"host {hosts.names[1]} (PE 1): " in errors
    assert hosts.everything_ends(2)


@pytest.mark.slow
def test_a_host_that_is_cut_off_is_named_and_gives_up_itself():
    with network.Hosts(2) as hosts:
        running = Running(hosts, ATOLL_PEER_TIMEOUT="3")
        hosts.link_down(1)
        begin = time.monotonic()
        status, errors = running.end()
        assert status == 1
        assert f"host {hosts.names[1]} (PE 1): it has not answered for 3 s" in errors
        assert time.monotonic() - begin < 10
        assert hosts.everything_ends(6)


@pytest.mark.slow
def test_a_stopped_launcher_is_no_dead_one(hosts):
    running = Running(hosts, ATOLL_PEER_TIMEOUT="3")
    processes = [running.launcher.pid, *children_of(running.launcher.pid)]
    for pid in processes:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(6)
    for pid in processes:
        os.kill(pid, signal.SIGCONT)
    assert all(any("sleep 1000" in words for words in hosts.processes_on(number)) for number in range(3))
    running.launcher.terminate()
    assert running.end()[0] == 128 + signal.SIGTERM


@pytest.mark.slow
def test_a_slow_network():
    if reason := network.missing_delay():
        pytest.skip(reason)
    with network.Hosts(2, delay="20ms") as hosts:
        done = hosts.run("sh", "-c", "echo $ATOLL_PE", slots=4)
        assert done.returncode == 0, done.stderr
        assert lines(done.stdout) == [str(pe) for pe in range(8)]


# -- jobs of Atoll: how PEs are notified of one another, on one host through its agent --


def run_program(*words, hosts="localhost:4"):
    return run_launcher("--hosts", hosts, PROGRAM, *words, ATOLL_HEAP_SIZE="64M")


@needs_program
@pytest.mark.parametrize("pes", [1, 2, 5, 8])
def test_pes_of_one_host_meet(pes):
    done = run_program("hello", hosts=f"localhost:{pes}")
    assert (done.returncode, done.stderr) == (0, "")
    assert lines(done.stdout) == [f"hello from {pe} of {pes}" for pe in range(pes)]


@needs_program
@pytest.mark.parametrize(("what", "status"), [("die", 128 + signal.SIGKILL), ("leave", 1), ("status", 3)])
def test_the_end_of_a_pe_is_reported(what, status):
    done = run_program(what)
    assert done.returncode == status, done.stderr
    victim = 0 if what == "leave" else 3
    assert re.search(rf"atoll-run: PE {victim} .*host localhost", done.stderr)
    if what != "status":
        assert done.stdout.count(f"survivor: PE {victim} (pid ") == 3


@needs_program
@pytest.mark.parametrize("status", [0, 7])
@pytest.mark.parametrize("caller", [0, 3])
def test_one_pe_can_end_the_whole_job(status, caller):
    done = run_program("end", status, caller)
    assert done.returncode == status
    assert f"word of {caller};" in done.stdout
    assert "word of 2;" in done.stdout  # it was waiting, and told
    assert done.stderr == ""


# -- what cannot be done is said --


def run_launcher(*words, timeout=60, **environment):
    return subprocess.run(
        [network.LAUNCHER, *map(str, words)], env={**os.environ, **environment}, capture_output=True, text=True,
        timeout=timeout, check=False,
    )  # fmt: skip


def test_a_host_that_is_none(hosts):
    options = ["--launch-agent", hosts.agent, "--address", hosts.address]
    done = run_launcher("--hosts", f"{hosts.names[0]}:2,nowhere:2", *options, "sleep", 100)
    assert done.returncode == 1
    assert "host nowhere (PEs 2 to 3): the command for its agent exited with status 255" in done.stderr
    assert "nowhere true" in done.stderr  # what to try
    assert hosts.everything_ends(2)


def test_a_name_that_ssh_does_not_know():
    done = run_launcher("--hosts", "nosuchhost.invalid", "--address", "lo", "-n", 1, "true")
    assert done.returncode == 1
    assert "host nosuchhost.invalid (PE 0): " in done.stderr


def test_an_agent_that_cannot_be_started():
    done = run_launcher("--hosts", "a:1", "--launch-agent", "no-such-ssh", "--address", "lo", "true")
    assert done.returncode != 0
    assert "cannot start 'no-such-ssh': No such file or directory" in done.stderr


def test_an_agent_that_never_reports():
    done = run_launcher(
        "--hosts",
        "a:1",
        "--launch-agent",
        "sh -c 'sleep 1000' {host}",
        "--address",
        "lo",
        "true",
        ATOLL_PEER_TIMEOUT="1",
    )
    assert done.returncode == 1
    assert "host a (PE 0): its agent has not reported within 1 s" in done.stderr


def test_atoll_is_missing_on_a_host(hosts):
    agent = f"{hosts.agent} env -i /nonexistent/atoll"
    done = run_launcher("--hosts", hosts.names[0], "--launch-agent", agent, "--address", hosts.address, "true")
    assert done.returncode == 1
    assert "exited with status 127" in done.stderr
    assert "Is Atoll installed at the same place on every host?" in done.stderr


def test_an_address_that_no_host_can_reach(hosts):
    done = run_launcher("--hosts", hosts.names[0], "--launch-agent", hosts.agent, "--address", "lo", "true")
    assert done.returncode == 1
    assert f"{hosts.names[0]}: agent: cannot reach the launcher (127.0.0.1:" in done.stderr
    assert "Choose an address of its host with --address" in done.stderr


def test_a_port_that_is_taken():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run_launcher("--hosts", "localhost:2", "--port", port, "true")
    assert done.returncode == 1
    assert f"cannot listen on 127.0.0.1:{port}: Address already in use. Choose another with --port" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--hosts", "a:2", "-n", "3", "true"], "-n 3 is more than the 2 PEs that the hosts have room for"),
        (["--hosts", "a:x", "true"], "'x' is not a number of PEs"),
        (["--hostfile", "/nonexistent", "true"], "cannot read --hostfile /nonexistent: No such file"),
        (
            ["--hosts", "a:1", "--address", "192.0.2.99", "true"],
            "--address '192.0.2.99' is not an address of this host",
        ),
        (["--port", "70000", "--hosts", "a", "true"], "--port '70000' is not valid. Accepted: 1 to 65535"),
        (["--address", "lo", "-n", "2", "true"], "--address is for several hosts, but there is no --hosts"),
        (["--hosts", "a:1", "--launch-agent", "'", "true"], "has a quote without end"),
    ],
)
def test_nonsense_is_explained(words, said):
    done = run_launcher(*words)
    assert done.returncode in (1, 2)
    assert said in done.stderr


def test_unauthenticated_connections_are_refused_without_disturbing_jobs():
    """Garbage, silence and half a greeting while the job's own agent is still on its way."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    agent = "sh -c 'sleep 1.5; exec \"$@\"' {host}"
    words = ["--hosts", "a:2", "--address", "lo", "--port", str(port), "--launch-agent", agent, "echo", "up"]
    job = subprocess.Popen([network.LAUNCHER, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    connections = []

    def disturb():
        for bytes_ in (b"GET / HTTP/1.1\r\n\r\n", b"\0" * 64, b"", b"\x30\0\0\0\x01\0\0\0ATOLL"):
            for _ in range(100):
                try:
                    connection = socket.create_connection(("127.0.0.1", port), timeout=5)
                    break
                except OSError:
                    time.sleep(0.01)
            connection.sendall(bytes_)
            connections.append(connection)
        connections[2].close()

    thread = threading.Thread(target=disturb)
    thread.start()
    output, errors = job.communicate(timeout=30)
    thread.join()
    for connection in connections:
        connection.close()
    assert job.returncode == 0, errors
    assert output == "up\nup\n"
    assert "refused a connection from 127.0.0.1:" in errors


def test_silent_connections_are_never_in_the_way():
    """More than may wait at the launcher's port, while the job's own agent is still on its way."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    agent = "sh -c 'while [ ! -e $READY ]; do sleep 0.05; done; exec \"$@\"' {host}"
    words = ["--hosts", "a:2", "--address", "lo", "--port", str(port), "--launch-agent", agent, "echo", "up"]
    with contextlib.ExitStack() as held, tempfile.TemporaryDirectory() as folder:
        ready = Path(folder) / "ready"
        job = subprocess.Popen(
            [network.LAUNCHER, *words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "READY": str(ready)},
        )  # fmt: skip
        connections = 0
        while connections < 400 and job.poll() is None:
            try:
                held.enter_context(socket.create_connection(("127.0.0.1", port), timeout=5))
                connections += 1
            except ConnectionRefusedError:  # it does not listen yet
                time.sleep(0.01)
        ready.touch()
        output, errors = job.communicate(timeout=30)
    assert job.returncode == 0, errors
    assert output == "up\nup\n"
    assert errors.count("refused a connection from 127.0.0.1:") == 10  # that is enough to say


def test_the_secret_is_on_no_command_line(hosts):
    running = Running(hosts)
    shown = "\n".join(words for number in range(3) for words in hosts.processes_on(number))
    shown += Path(f"/proc/{running.launcher.pid}/cmdline").read_text()
    assert "--agent" in shown
    for word in shown.replace("\0", " ").split():
        assert not (len(word) == 64 and set(word) <= set("0123456789abcdef")), word
    running.launcher.terminate()
    running.end()


# -- the helper itself --


def test_nothing_is_left_when_the_test_is_killed():
    code = f"import sys, time; sys.path.insert(0, {str(Path(__file__).parent)!r}); import hosts\n"
    code += "with hosts.Hosts(2) as h: print(h.names[0], h.folder, flush=True); time.sleep(100)"
    test = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    name, folder = test.stdout.readline().split()
    assert Path("/run/netns", name).exists()
    test.kill()
    test.communicate()
    for _ in range(200):
        if not Path("/run/netns", name).exists() and not Path(folder).exists():
            break
        time.sleep(0.05)
    assert not Path("/run/netns", name).exists()
    assert not Path(folder).exists()


def test_hosts_take_unused_addresses():
    shown = "7: atb9-1    inet 10.200.4.254/24 scope global\n8: atb9-2    inet 10.200.5.254/24 scope global\n"
    assert network.free_prefix(3, shown) == "10.200.3"
    assert network.free_prefix(4, shown) == "10.200.6"
    assert network.free_prefix(12_504, shown) == "10.200.6"
