# SPDX-License-Identifier: Apache-2.0
"""Faults of processes and their environment: forks, deaths, stopped PEs, limits, misspelt variables."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest
from built import needs_launcher

from atoll import _core

#: How a script gets its session: in its own process, with workers, or as every PE of a job.
KINDS = ["embedded", "driver", pytest.param("spmd", marks=needs_launcher)]
#: A stopped PE is named within its timeout and PROMISED_S; a busy machine may take SLACK_S more.
PROMISED_S, SLACK_S = 2, 10


def start(kind, code, pes=3, before=(), where=(), **environment):
    """A process that runs `code`, which begins with BEGIN, in a session of this kind."""
    command = [sys.executable, "-c", code]
    if kind == "spmd":
        command = [sys.executable, "-m", "atoll", "run", *(where or ["-n", str(pes)]), *command]
    command = [*before, *command]
    environment = {"PES": str(pes if kind == "driver" else 1), "ATOLL_THREADS": "2", **environment}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment}
    )


def end(process, within_s=30):
    """Its exit status, output and errors; a hang is a failure."""
    try:
        output, errors = process.communicate(timeout=within_s)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return process.returncode, output, errors


BEGIN = "import os, sys\nimport atoll as ak\nsession = ak.init(int(os.environ['PES']))\n"

FORK = (
    BEGIN
    + """
import multiprocessing, traceback
import numpy as np

a = ak.arange(3000).evaluate()
lazy = a * 2
values = a.to_numpy()

def work(number):
    return int(ak.arange(number + 1).sum())

def child():
    for use in (a.sum, lazy.sum, lambda: a[5], lambda: ak.sort(a), lambda: repr(a), lambda: (a + 1).sum()):
        try:
            use()
        except RuntimeError as error:
            assert "forked" in str(error), error
        else:
            raise AssertionError("no error")
    assert values.sum() == 4498500
    ak.shutdown()
    assert ak.arange(10).sum() == 45
    assert ak.get_config()["kind"] == "embedded"

for leaves in (os._exit, sys.exit):
    pid = os.fork()
    if pid == 0:
        try:
            child()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        leaves(0)
    assert os.waitpid(pid, 0)[1] == 0
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(work, range(5)) == [0, 1, 3, 6, 10]
assert os.waitstatus_to_exitcode(os.system("exit 7")) == 7
assert a.sum() == 4498500 and lazy.sum() == 8997000 and not session.closed
ak.barrier()
print("parent", flush=True)
"""
)


@pytest.mark.parametrize("kind", KINDS)
def test_a_forked_child_starts_afresh(kind):
    status, output, errors = end(start(kind, FORK, pes=2))
    assert (status, errors) == (0, "")
    assert output == "parent\n" * (2 if kind == "spmd" else 1)


SUBINTERPRETER = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
other = interpreters.create()
code = '''
import warnings
warnings.simplefilter("ignore")
try:
    import atoll as ak
    ak.arange(10).sum()
except ImportError as error:
    print(error, flush=True)
'''
interpreters.run_string(other, code)
interpreters.destroy(other)
print("ends")
"""


def test_a_subinterpreter_is_refused():
    pytest.importorskip("_xxsubinterpreters" if sys.version_info < (3, 13) else "_interpreters")
    status, output, errors = end(start("embedded", SUBINTERPRETER))
    assert (status, errors) == (0, "")
    refusal, last = output.splitlines()
    assert "not in a subinterpreter" in refusal
    assert last == "ends"


#: The workers' processes, by PE.
WORKERS = """
def workers():
    found = {}
    for name in os.listdir("/proc"):
        try:
            parent = int(open(f"/proc/{name}/stat").read().rpartition(")")[2].split()[1]) if name.isdigit() else 0
            if parent != os.getpid():
                continue
            for variable in open(f"/proc/{name}/environ").read().split("\\0"):
                if variable.startswith("ATOLL_PE="):
                    found[int(variable[9:])] = int(name)
        except OSError:
            pass
    return found
"""


def test_after_a_death_init_starts_another_session():
    code = (
        BEGIN
        + WORKERS
        + """
import signal, time
a = ak.arange(1000).evaluate()
os.kill(workers()[2], signal.SIGKILL)
try:
    while True:
        a.sum()
        time.sleep(0.001)
except ak.PeFailedError as error:
    print(error)
again = ak.init(pes=3)
assert again is not session and session.closed
print(ak.arange(10).sum(), ak.pes(), len(workers()))
"""
    )
    status, output, errors = end(start("driver", code))
    assert (status, errors) == (0, "")
    said, works = output.splitlines()
    assert re.search(r"PE 2 \(pid \d+\) was killed by signal 9 .*start another with ak\.init\(pes=3\)", said)
    assert works == "45 3 2"


def test_a_stopped_worker_alone_is_named():
    code = (
        BEGIN
        + WORKERS
        + """
import signal, time
a = ak.arange(1000).evaluate()
a.sum()
os.kill(workers()[1], signal.SIGSTOP)
began = time.monotonic()
for use in (a.sum, a.sum, lambda: ak.sort(a), lambda: ak.arange(5).sum()):
    try:
        use()
    except Exception as error:
        print(f"{time.monotonic() - began:.2f} {type(error).__name__} {error}")
began = time.monotonic()
ak.shutdown()
print(f"{time.monotonic() - began:.2f}")
"""
    )
    status, output, errors = end(start("driver", code, pes=4, ATOLL_PEER_TIMEOUT="2"))
    assert (status, errors) == (0, "")
    *raised, shutdown = output.splitlines()
    assert len(raised) == 4
    for line in raised:
        after_s, kind, text = line.split(" ", 2)
        assert 1.9 < float(after_s) < 2 + PROMISED_S + SLACK_S
        assert kind == "TimeoutError"
        assert set(re.findall(r"PE \d", text)) == {"PE 1"}
        assert "ak.init(pes=4)" in text
    assert float(shutdown) < SLACK_S


#: Programs that run on every PE, for as long as they take: of scans that spill, of files.
PROGRAMS = {
    "spilled sort": "ak.scan_parquet(f'{folder}/t').sort_values('k').to_parquet(f'{folder}/o')",
    "spilled join": "s = ak.scan_parquet(f'{folder}/t'); s.merge(s, on='k').to_parquet(f'{folder}/o')",
    "to_parquet": "t.to_parquet(f'{folder}/o')",
    "read_parquet": "ak.read_parquet(f'{folder}/t')",
    "to_csv": "t.to_csv(f'{folder}/o')",
}


@pytest.mark.parametrize(
    "program", [*list(PROGRAMS)[:1], *(pytest.param(p, marks=pytest.mark.slow) for p in list(PROGRAMS)[1:])]
)
def test_a_pe_that_is_stopped_in_a_program_is_named(tmp_path, program):
    code = (
        BEGIN
        + WORKERS
        + f"""
import signal, time
folder = {str(tmp_path)!r}
t = ak.DataFrame({{"k": ak.arange(20_000) * 7919 % 20_000, "v": ak.arange(20_000) + 0.5}})
t.to_parquet(f"{{folder}}/t")
{PROGRAMS[program]}
os.kill(workers()[2], signal.SIGSTOP)
began = time.monotonic()
try:
    {PROGRAMS[program]}
except TimeoutError as error:
    print(f"{{time.monotonic() - began:.2f}} {{error}}")
began = time.monotonic()
ak.shutdown()
print(f"{{time.monotonic() - began:.2f}}")
"""
    )
    status, output, errors = end(start("driver", code, ATOLL_PEER_TIMEOUT="1", ATOLL_MEMORY_LIMIT="64M"))
    assert (status, errors) == (0, "")
    raised, shutdown = output.splitlines()
    after_s, text = raised.split(" ", 1)
    assert float(after_s) < 1 + PROMISED_S + SLACK_S
    assert set(re.findall(r"PE \d", text)) == {"PE 2"}
    assert "(stopped)" in text
    assert float(shutdown) < SLACK_S


def test_a_program_that_takes_longer_than_the_timeout_is_waited_for():
    code = (
        "from everywhere_programs import sleep_on_last\nfrom atoll.session.everywhere import everywhere\n"
        + BEGIN
        + "print(everywhere(sleep_on_last, 1.5))\n"
    )
    status, output, errors = end(start("driver", code, ATOLL_PEER_TIMEOUT="0.5", PYTHONPATH=os.path.dirname(__file__)))
    assert (status, errors, output) == (0, "", "[0, 1, 2]\n")


def test_commands_without_an_answer_wait_for_a_stopped_worker_no_longer_than_the_timeout():
    code = (
        BEGIN
        + WORKERS
        + """
import signal, time
a = ak.arange(1000).evaluate()
os.kill(workers()[1], signal.SIGSTOP)
began = time.monotonic()
try:
    while True:
        a.reshape(10, 100)
except TimeoutError as error:
    print(f"{time.monotonic() - began:.2f} {error}")
"""
    )
    status, output, errors = end(start("driver", code, ATOLL_PEER_TIMEOUT="1"))
    assert (status, errors) == (0, "")
    after_s, text = output.split(" ", 1)
    assert float(after_s) < 1 + PROMISED_S + SLACK_S
    assert set(re.findall(r"PE \d", text)) == {"PE 1"}


def test_shutdown_does_not_wait_for_a_stopped_worker():
    code = (
        BEGIN
        + WORKERS
        + """
import signal, time
ak.arange(1000).evaluate()
os.kill(workers()[2], signal.SIGSTOP)
began = time.monotonic()
ak.shutdown()
print(time.monotonic() - began)
"""
    )
    status, output, errors = end(start("driver", code))
    assert (status, errors) == (0, "")
    assert float(output) < SLACK_S


#: Two nodes, pretended on one host.
NODES = ["--hosts", "a:2,b:2", "--address", "127.0.0.1", "--launch-agent", "env ATOLL_NODE_NAME={host}"]


@needs_launcher
@pytest.mark.parametrize("nodes", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_the_launcher_names_a_stopped_pe(tmp_path, nodes):
    if nodes == 2 and _core.info()["network"].startswith("none"):
        pytest.skip("no network between nodes")
    # All have imported what they need before the first waits for the last.
    meet = """
import os, pathlib, signal, time
import atoll as ak
folder = pathlib.Path(os.environ["FOLDER"])
(folder / os.environ["ATOLL_PE"]).touch()
while len(list(folder.iterdir())) < 4:
    time.sleep(0.01)
"""
    code = (
        meet
        + BEGIN
        + """
a = ak.arange(1000).evaluate()
a.sum()
if ak.pe() == 1:
    print(os.getpid(), flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)
a.sum()
"""
    )
    where, limit_s = (NODES, "4") if nodes == 2 else ((), "1")
    job = start("spmd", code, pes=4, where=where, ATOLL_PEER_TIMEOUT=limit_s, FOLDER=str(tmp_path))
    status, stopped, errors = end(job)
    assert status == 1
    last = [line for line in errors.splitlines() if line.startswith("atoll-run: ")][-1]
    if nodes == 1:
        assert re.search(rf"exited with status 1 after its wait for PE 1 \(pid {stopped.strip()}\) timed out", last)
    else:
        assert "PE 1 on a did not come or answer in time" in last
    raised = [line for line in errors.splitlines() if "Error: " in line]
    assert raised and all(re.search(r"Error: .*?PE (\d)", line).group(1) == "1" for line in raised)


THREADS = """
import os, resource
import atoll as ak
limits = resource.getrlimit(resource.RLIMIT_NPROC)
if os.getuid() == 0:
    os.setuid(54321)  # no limit binds root
resource.setrlimit(resource.RLIMIT_NPROC, (1, limits[1]))
for start in (lambda: ak.arange(3).sum(), lambda: ak.init(threads=64)):
    try:
        start()
    except RuntimeError as error:
        assert "thread" in str(error) and "ulimit -u" in str(error), error
    else:
        raise SystemExit("no error")
resource.setrlimit(resource.RLIMIT_NPROC, limits)
assert ak.arange(3).sum() == 3
print(ak.threads())
"""


def test_a_limit_on_processes_raises():
    assert end(start("embedded", THREADS, ATOLL_THREADS="64")) == (0, "64\n", "")


@pytest.mark.parametrize("kind", KINDS)
def test_a_limited_address_space_is_enough(kind):
    code = BEGIN + "a = ak.arange(4_000_000) + 1.0\nassert ak.sort(-a)[0] == -4e6\nprint(a.sum() == 8000002000000.0)\n"
    status, output, errors = end(start(kind, code, before=["prlimit", f"--as={4 << 30}"], OPENBLAS_NUM_THREADS="1"))
    assert (status, errors) == (0, "")
    assert output == "True\n" * (3 if kind == "spmd" else 1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_small_address_space_is_enough(kind):
    code = BEGIN + "print((ak.arange(1000) + 1).sum(), ak.sort(-ak.arange(100000))[0])\n"
    status, output, errors = end(
        start(kind, code, before=["prlimit", f"--as={300_000 << 10}"], OPENBLAS_NUM_THREADS="1")
    )
    assert (status, errors) == (0, "")
    assert output == "500500 -99999\n" * (3 if kind == "spmd" else 1)


@pytest.mark.parametrize("kind", ["embedded", "driver"])
def test_a_heap_beyond_the_address_space_is_a_memory_error(kind):
    limits = ["prlimit", f"--as={300_000 << 10}"]
    status, _, errors = end(
        start(kind, BEGIN + "ak.arange(3).sum()\n", before=limits, ATOLL_HEAP_SIZE="1G", OPENBLAS_NUM_THREADS="1")
    )
    assert status == 1
    assert re.fullmatch(
        r"MemoryError: cannot reserve address space of [\d.]+ GiB for the segments \(Cannot allocate memory\)\. "
        r"Lower ATOLL_HEAP_SIZE, or raise the limit of address space \(ulimit -v\)\?",
        errors.splitlines()[-1],
    )


def test_one_pe_alone_has_its_whole_segment():
    code = BEGIN + "a = ak.zeros(45 << 17).evaluate()\nprint(a.sum())\n"
    assert end(start("embedded", code, ATOLL_HEAP_SIZE="64M")) == (0, "0.0\n", "")


LIMITED = (
    BEGIN
    + """
import resource
a = ak.arange(1_000_000).evaluate()
t = ak.array([f"row {row} " * 20 for row in range(20_000)])  # 4 MB
mask = t.str.contains("9")
tries = {
    "replace": lambda: t.str.replace("o", "x" * 100_000),
    "replace by a regular expression": lambda: t.str.replace("[a-z]", "y" * 10_000, regex=True),
    "translate": lambda: t.str.translate({111: "z" * 100_000}),
    "repeat": lambda: t.str.repeat(1000),
    "repeat by counts": lambda: t.str.repeat(ak.full(20_000, 1000)),
    "pad": lambda: t.str.pad(100_000),
    "join": lambda: t.str.join("-" * 1000),
    "findall": lambda: t.str.findall("."),
    "take": lambda: t[ak.zeros(10_000_000, int)],
    "concatenate": lambda: ak.concatenate([t] * 200),
    "Series.repeat": lambda: ak.Series(t).repeat(1000),
    "arrays: repeat": lambda: ak.repeat(a, 1000),
    "arrays: tile": lambda: ak.tile(a, 1000),
    "arrays: product": lambda: (a[:, None] * a[None, :]).evaluate(),
    "arrays: cross join": lambda: ak.join(a, a, "cross"),
    "arrays: join": lambda: ak.join(a % 2, a % 2),
}
def most_resident():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
before = most_resident()
for name, make in tries.items():
    try:
        made = make()
    except MemoryError:
        pass
    else:
        if name != "findall":  # which fits, on several PEs
            print(name, "is no error")
    if (more := most_resident() - before) > 1.1 * (128 << 20):
        print(name, "took", more)
        break
    made = None
print(bool((t.str.len() > 0).all()))
"""
)


@pytest.mark.parametrize("kind", ["embedded", "driver"])
def test_results_beyond_the_limit_of_memory_take_no_more_than_it(kind):
    status, output, errors = end(start(kind, LIMITED, ATOLL_MEMORY_LIMIT="128M"), within_s=120)
    assert (status, output, errors) == (0, "True\n", "")


@pytest.mark.parametrize("kind", KINDS)
def test_a_misspelt_variable_is_named_once(kind):
    code = BEGIN + "ak.arange(3).sum()\nak.shutdown()\n"
    status, _, errors = end(start(kind, code, ATOLL_THRAEDS="2", ATOLL_WHATEVER_ELSE="1"))
    assert status == 0
    assert len(errors.splitlines()) == 2
    assert "ATOLL_THRAEDS is ignored; did you mean ATOLL_THREADS?" in errors
    assert "ATOLL_WHATEVER_ELSE is ignored; `atoll info --config` lists" in errors


@pytest.mark.parametrize("kind", KINDS)
def test_a_heap_of_a_few_bytes_is_an_error(kind):
    status, _, errors = end(start(kind, BEGIN, ATOLL_HEAP_SIZE="7"))
    assert status != 0
    assert "ATOLL_HEAP_SIZE='7' is not valid. Accepted: 4 MiB or more" in errors


def test_the_first_operation_loads_no_network():
    """What it took 0.3 s to load and ask."""
    code = BEGIN + "ak.arange(10).sum()\nprint('libfabric' in open('/proc/self/maps').read())\n"
    assert end(start("embedded", code)) == (0, "False\n", "")


@needs_launcher
def test_an_interrupt_ends_a_job_whose_pes_still_import():
    code = """
import os, sys, time
print("begins", flush=True)
if os.environ["ATOLL_PE"] == "1":
    time.sleep(60)  # as if importing
import atoll as ak
ak.init()
"""
    job = start("spmd", code, pes=2)
    assert [job.stdout.readline() for _ in range(2)] == ["begins\n"] * 2
    time.sleep(0.7)  # PE 0 waits for PE 1
    job.send_signal(signal.SIGINT)
    status, _, errors = end(job)
    assert status == 128 + signal.SIGINT
    assert errors.count("\nKeyboardInterrupt\n") == 2  # no PE was killed
    assert "PeFailedError" not in errors
