# SPDX-License-Identifier: Apache-2.0
"""Driver sessions with workers on several hosts: results, errors and interrupts are those of one host, and nothing is
left on any host, however they end."""

import os
import re
import signal
import subprocess
import sys
import time

import hosts as network
import pytest
from built import ROOT, needs_core, needs_launcher

pytestmark = [
    needs_core,
    needs_launcher,
    pytest.mark.skipif(bool(network.missing()), reason=network.missing() or "-"),
]
PATHS = [str(ROOT / "python"), str(ROOT / "tests/python")]
PRELUDE = f"import sys; sys.path[:0] = {PATHS}; A, B, C = sys.argv[1:]; import atoll as ak\n"
SECONDS = 60


@pytest.fixture(scope="module")
def hosts():
    with network.Hosts(3) as made:
        yield made


def command(hosts, script, **environment):
    """Runs a script on the first host."""
    settings = {"ATOLL_LAUNCH_AGENT": hosts.agent, **environment}
    return [
        *hosts.agent.format(host=hosts.names[0]).split(),
        "env", *(f"{name}={value}" for name, value in settings.items()),
        sys.executable, "-c", PRELUDE + script, *hosts.names,
    ]  # fmt: skip


def run(hosts, script, **environment):
    """What the script prints on the first host, once nothing of it is left on any host."""
    done = subprocess.run(
        command(hosts, script, **environment), capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert hosts.everything_ends(SECONDS)
    return done.stdout.splitlines(), done.stderr


def start(hosts, script, **environment):
    return subprocess.Popen(
        command(hosts, script, **environment), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip


def ends(hosts, number):
    """Whether nothing runs on a host any more, soon."""
    end = time.monotonic() + SECONDS
    while hosts.pids_on(number) and time.monotonic() < end:
        time.sleep(0.02)
    return not hosts.pids_on(number)


RESULTS = """
import everywhere_programs

def results():
    x = ak.random.default_rng(7).normal(size=100_003)
    frame = ak.DataFrame({"key": ak.arange(1000) % 7, "value": ak.arange(1000) * 0.5, "name": ["a", "bc"] * 500})
    yield x.sum(), x.std(), ak.sort(x)[::9973].to_numpy().tobytes()
    yield (x[1:] - x[:-1]).max()
    yield frame.groupby("key").value.sum().to_pandas().tolist()
    yield frame.groupby("name").value.mean().to_pandas().tolist()
    yield frame.merge(frame, on="key").shape
    try:
        x + ak.arange(3)
    except ValueError as error:
        yield str(error)

from atoll.session.everywhere import everywhere
with ak.init(pes=4):
    expected = list(results())
for hosts in (f"{B}:2,{A}:2", [f"{A}:1", B, f"{C}:2"]):
    with ak.init(hosts=hosts) as session:
        assert (session.kind, session.pe, session.pes) == ("driver", 0, 4)
        places = everywhere(everywhere_programs.host_name)
        assert places == ([A, A, B, B] if isinstance(hosts, str) else [A, B, C, C]), places
        assert list(results()) == expected
        assert ak.init(hosts=hosts) is session
        try:
            ak.init(hosts=[A, C])
        except RuntimeError as error:
            assert "running" in str(error)
        else:
            raise AssertionError("no error")
print("same")
"""


@pytest.mark.slow
def test_results_are_those_of_one_host(hosts):
    assert run(hosts, RESULTS) == (["same"], "")


@pytest.mark.slow
def test_with_encrypted_connections(hosts):
    assert run(hosts, RESULTS, ATOLL_NETWORK_SECURITY="encrypt")[0] == ["same"]


@pytest.mark.slow
def test_worker_that_dies_is_reported_with_its_host(hosts):
    script = """
session = ak.init(hosts=[A, B, C])
x = ak.arange(1000)
print("ready", flush=True)
input()
try:
    while True:
        ak.sort(-x)
except RuntimeError as error:
    print(type(error).__name__, error)
print(session.failed)
with ak.init(hosts=[A, C]):
    print(ak.arange(10).sum())
"""
    with start(hosts, script) as driver:
        assert driver.stdout.readline() == "ready\n"
        os.kill(hosts.pids_on(1, "_core")[0], signal.SIGKILL)
        output, errors = driver.communicate("\n", timeout=SECONDS)
    error, failed, after = output.splitlines()
    assert re.match(rf"PeFailedError PE 1 was killed by signal 9 \(Killed\) on {hosts.names[1]}\. The arrays", error)
    assert error.endswith("start another with ak.init(hosts=…)")
    assert (failed, after, errors) == ("True", "45", "")
    assert hosts.everything_ends(SECONDS)


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_with_a_driver_that_is_killed(hosts, end):
    script = """
import os, time
ak.init(hosts=[f"{A}:2", B])
if (child := os.fork()) == 0:  # it must not keep the workers
    while True:
        time.sleep(1)
x = ak.arange(1000).sum()
print(os.getpid(), child, flush=True)
input()
"""
    with start(hosts, script) as driver:
        pid, child = map(int, driver.stdout.readline().split())
        os.kill(pid, end)
        ended_with_driver = ends(hosts, 1)
        os.kill(child, signal.SIGKILL)
        driver.communicate(timeout=SECONDS)
    assert ended_with_driver
    assert hosts.everything_ends(SECONDS)


@pytest.mark.slow
def test_interrupt_leaves_arrays_unchanged(hosts):
    script = """
session = ak.init(hosts=[f"{A}:1", f"{B}:2"])
x = ak.random.default_rng(1).integers(0, 1 << 40, size=200_000)
before = x.to_numpy()
looks = []
def interrupt(operation):
    looks.append(operation)
    if len(looks) == 3:
        raise KeyboardInterrupt
session._core.watch_every_poll(interrupt)
try:
    x.sort()
except KeyboardInterrupt:
    print("interrupted")
session._core.watch_every_poll(None)
print((x.to_numpy() == before).all(), session.failed, (ak.sort(x).to_numpy()[1:] >= ak.sort(x).to_numpy()[:-1]).all())
"""
    assert run(hosts, script)[0] == ["interrupted", "True False True"]


@pytest.mark.slow
def test_interrupt_ends_python_code_of_a_worker_on_another_host(hosts, tmp_path):
    """The worker works until it is interrupted, and says so."""
    script = f"""
import everywhere_programs, os, signal, threading, time
from pathlib import Path
from atoll.session.everywhere import everywhere
mark, ended = Path("{tmp_path}/held"), Path("{tmp_path}/ended")

def interrupt():
    while not mark.exists():
        time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGINT)

with ak.init(hosts=[A, B, C]):
    threading.Thread(target=interrupt).start()
    try:
        everywhere(everywhere_programs.work_until_interrupted, 2, str(mark), str(ended))
    except KeyboardInterrupt:
        print("interrupted", ended.exists())
    print(everywhere(everywhere_programs.answer, 5), int(ak.arange(10).sum()))
"""
    assert run(hosts, script)[0] == ["interrupted True", "[(0, 5), (1, 5), (2, 5)] 45"]


@pytest.mark.slow
def test_interrupt_during_the_start_leaves_nothing(hosts):
    script = f"""
import os, signal, sys
code = "import sys; print(1, file=open(sys.argv[1], 'w')); input()"
os.environ["ATOLL_LAUNCH_AGENT"] = f'{sys.executable} -c "{{code}}" {{A}}.fifo'
fifo = sys.argv[1] + ".fifo"
os.chdir("/tmp")
os.mkfifo(fifo)
if os.fork() == 0:
    open(fifo).read()
    os.kill(os.getppid(), signal.SIGINT)
    os._exit(0)
try:
    ak.init(hosts=[A, B])
except KeyboardInterrupt:
    print("interrupted")
finally:
    os.unlink(fifo)
os.wait()
print(int(ak.arange(3).sum()))
"""
    assert run(hosts, script)[0] == ["interrupted", "3"]


@pytest.mark.slow
def test_progress_of_long_operations_is_reported(hosts):
    script = """
session = ak.init(hosts=[A, B])
seen = set()
session._core.watch_every_poll(seen.add)
ak.sort(ak.random.default_rng(1).normal(size=300_000))
print(sorted(seen))
"""
    assert "sort" in run(hosts, script)[0][0]


@pytest.mark.slow
def test_start_errors_name_the_host_and_the_cause(hosts):
    script = """
for hosts in ("x:1,y:1", f"{A},y:1", f"{A}:z", "", [1]):
    try:
        ak.init(hosts=hosts)
    except (ValueError, RuntimeError) as error:
        print(type(error).__name__, str(error).replace(chr(10), " "))
    else:
        raise AssertionError("no error")
print(int(ak.arange(3).sum()))
"""
    absent, lost, count, empty, number, after = run(hosts, script)[0]
    assert absent.startswith(f"ValueError hosts='x:1,y:1' does not name this host, '{hosts.names[0]}'")
    assert lost.startswith(f"RuntimeError cannot start PEs on {hosts.names[0]},y:1: ")
    assert "host y (PE 1)" in lost
    assert count.startswith("ValueError")
    assert "'z' is not a number of PEs" in count
    assert empty.startswith("ValueError hosts='' does not name hosts")
    assert number.startswith("ValueError hosts=[1] does not name hosts")
    assert after == "3"


@pytest.mark.parametrize("scheduler", ["pbs", pytest.param("lsf", marks=pytest.mark.slow)])
def test_pes_of_an_allocation_are_on_all_its_hosts(hosts, tmp_path, scheduler):
    file = tmp_path / "nodes"
    file.write_text("".join(f"{hosts.names[number]}\n" * 2 for number in (0, 1, 2)))
    variables = {
        "pbs": {"PBS_JOBID": "1", "PBS_NODEFILE": str(file)},
        "lsf": {"LSB_JOBID": "1", "LSB_DJOB_HOSTFILE": str(file)},
    }
    script = """
import everywhere_programs
from atoll.session.everywhere import everywhere
print(ak.arange(3).sum(), ak.init().kind)  # alone without a number of PEs
ak.shutdown()
ak.init(pes=3)
print(everywhere(everywhere_programs.host_name) == [A, B, C], ak.pes(), ak.sort(-ak.arange(1000))[::333].to_numpy())
"""
    assert run(hosts, script, **variables[scheduler])[0] == ["3 embedded", "True 3 [-999 -666 -333    0]"]
