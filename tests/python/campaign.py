# SPDX-License-Identifier: Apache-2.0
"""Kills and stops random processes of jobs at random times, and looks at what is left.

    python tests/python/campaign.py --kills 200 --stops 50 [--seed N] [--only NUMBER] [--jobs N]

After each: the PE that was killed or stopped is named, and no other; the other PEs are told in time; all processes end;
files hold the rows of one round, whole; the next writer of a file leaves nothing beside it. A trial is a function of
the seed and its number.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1] / "hosts"))
import hosts as network

ROOT = Path(__file__).resolve().parents[2]
JOB = Path(__file__).with_name("campaign_job.py")
BIN = ROOT / "python/atoll/bin"
TIMEOUT_S = 3  # of peers, where one of them will be stopped: a kill is reported without a timeout
PROMISED_S = TIMEOUT_S + 2  # when a PE that is stopped is named
SLACK_S = 6  # which a busy machine may take on top
START_S, END_S = 120, 30
STARTS = 3  # where processes of a busy machine come later to one another than TIMEOUT_S
ROWS = 20_000
PES = 3
ALL = ("arrays", "frames", "parquet", "csv", "json", "npy", "spill", "join", "checkpoint")
WAYS = ("driver", "run", "hosts", "namespaces")  # pretended hosts, and some with networks of their own


class NotStartedError(AssertionError):
    """The job ended before its PEs were there, and nothing was killed or stopped."""


# -- processes --


def stat_of(pid: int) -> list[str]:
    """Its state, its parent, and what follows."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def family(pid: int) -> list[int]:
    """A process and all below it."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            children.setdefault(int(stat_of(int(entry.name))[1]), []).append(int(entry.name))
    found = [pid]
    for one in found:
        found += children.get(one, [])
    return found


def alive(pids: list[int]) -> list[int]:
    found = []
    for pid in pids:
        with contextlib.suppress(OSError, IndexError):
            if stat_of(pid)[0] not in "ZX":
                found.append(pid)
    return found


def pe_of(pid: int) -> int | None:
    """Which PE a process is: not what a PE has started."""
    with contextlib.suppress(OSError):
        found = re.search(rb"(?:^|\0)ATOLL_PE=(\d+)", Path(f"/proc/{pid}/environ").read_bytes())
        words = Path(f"/proc/{pid}/cmdline").read_bytes()
        if found and (b"campaign" in words or b"worker_main" in words):
            return int(found[1])
    return None


def is_host_server(pid: int) -> bool:
    """Whether it stands for an ssh that has started an agent: the job goes on without it."""
    with contextlib.suppress(OSError):
        return str(network.HOST_SERVER).encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


# -- one trial --


@dataclasses.dataclass
class Trial:
    seed: int
    number: int
    stops: bool
    folder: Path

    def __post_init__(self) -> None:
        self.random = random.Random(f"{self.seed}-{self.number}-{self.stops}")
        self.work = self.random.choice(ALL if self.stops else (*ALL, "mpiio"))
        self.way = "run" if self.work == "mpiio" else self.random.choice(WAYS)
        if self.way == "namespaces" and network.missing():
            self.way = "hosts"
        self.hosts: network.Hosts | None = None
        self.delay_s = self.random.random() ** 2 * 1.5
        self.output: list[str] = []
        self.errors: list[str] = []

    def __str__(self) -> str:
        what = "stop" if self.stops else "kill"
        return f"{what} {self.number} of seed {self.seed}: {self.work} by {self.way}, after {self.delay_s:.3f} s"

    def command(self) -> list[str]:
        if self.work == "mpiio":
            return [str(BIN / "atoll-run"), "-n", str(PES), str(mpi_program()), str(self.folder)]
        job = [sys.executable, str(JOB), self.work, str(self.folder)]
        if self.way == "driver":
            return [*job, str(PES)]
        if self.way == "run":
            return [str(BIN / "atoll-run"), "-n", str(PES), *job]
        if self.hosts is not None:
            return self.hosts.command(*job, slots=1)
        agent = ["--address", "127.0.0.1", "--launch-agent", "env ATOLL_NODE_NAME={host}"]
        return [str(BIN / "atoll-run"), "--hosts", "a:2,b:1", *agent, *job]

    def run(self) -> None:
        """Raises AssertionError for whatever is not as promised."""
        if self.way != "namespaces":
            self.run_started_job()
        else:
            with _one_network, network.Hosts(PES) as self.hosts:
                self.run_started_job()
        self.check_content()

    def run_started_job(self) -> None:
        for left in reversed(range(STARTS)):
            try:
                self.run_job()
                break
            except NotStartedError:
                if not left or not re.search("TimeoutError|has not reported within", self.said()):
                    raise
                self.output.clear()
                self.errors.clear()

    def said(self) -> str:
        """The output of the job so far: its PEs print their errors, the launcher prints its own to standard error."""
        return "".join(self.output + self.errors)

    def everybody(self, launcher: int) -> list[int]:
        """All processes of the job."""
        found = family(launcher)
        if self.hosts is not None:
            found += [pid for number in range(PES) for pid in map(int, self.hosts.pids_on(number)) if pid not in found]
        return found

    def run_job(self) -> None:
        shutil.rmtree(f"{self.folder}.loaded", ignore_errors=True)  # where its PEs meet before they are PEs
        if self.work in ("spill", "join"):
            made_input(self.folder / "in")
        environment = {
            **os.environ, "ATOLL_PEER_TIMEOUT": str(TIMEOUT_S if self.stops else START_S),
            "ATOLL_THREADS": "1", "ATOLL_HEAP_SIZE": "1G",
            "ATOLL_PROGRESS": "off", "ATOLL_MEMORY_LIMIT": "24M" if self.work in ("spill", "join") else "256M",
            "PYTHONPATH": str(ROOT / "python"), "OPENBLAS_NUM_THREADS": "1",
            "ATOLL_SMALL_ELEMENTS": "0",  # a driver that works alone misses no worker
        }  # fmt: skip
        job = subprocess.Popen(
            self.command(), env=environment, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        readers = [
            threading.Thread(target=lambda s=stream, into=into: into.extend(iter(s.readline, "")), daemon=True)
            for stream, into in ((job.stdout, self.output), (job.stderr, self.errors))
        ]
        for one in readers:
            one.start()
        everybody = [job.pid]
        try:
            ready = 1 if self.way == "driver" else PES
            until = time.monotonic() + START_S
            while sum(line.startswith("ready") for line in self.output) < ready:
                if job.poll() is not None:
                    for one in readers:
                        one.join(END_S)
                    raise NotStartedError("the job did not start")
                assert time.monotonic() < until, "the job did not start"
                time.sleep(0.02)
            everybody = self.everybody(job.pid)
            pes = {pe: pid for pid in everybody if (pe := pe_of(pid)) is not None}
            if self.way == "driver":
                pes[0] = job.pid
            assert sorted(pes) == list(range(PES)), f"PEs {pes}"
            time.sleep(self.delay_s)
            self.disturb(job, everybody, pes, readers)
        finally:
            for pid in alive(everybody):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            job.wait()

    def disturb(
        self, job: subprocess.Popen[str], everybody: list[int], pes: dict[int, int], readers: list[threading.Thread]
    ) -> None:
        others = [pid for pid in everybody if pid not in pes.values() and not is_host_server(pid)]
        pe: int | None = self.random.choice(range(1 if self.stops and self.way == "driver" else 0, PES))
        victim = pes[pe]
        if others and not self.stops and self.random.random() < 0.2:
            pe, victim = None, self.random.choice(others)
        began = time.monotonic()
        os.kill(victim, signal.SIGSTOP if self.stops else signal.SIGKILL)
        try:
            job.wait(END_S)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the job does not end after its PE {pe} (process {victim})") from None
        for one in readers:
            one.join(END_S)
        until = time.monotonic() + END_S
        while (left := alive(everybody)) and time.monotonic() < until:
            time.sleep(0.05)
        assert not left, f"processes {left} are left"
        assert job.returncode != 0, "a job of which a process was lost ends well"
        text = self.said()
        assert "AssertionError" not in text and "Segmentation" not in text, "wrong results, or a crash"
        if victim == job.pid:
            return  # the root process has no parent to notify
        if pe is None:
            assert self.errors, "no error describes the end of the job"
            return
        told = [line.split(" ", 4) for line in self.output if line.startswith("told")]
        named = [re.search(r"PE (\d+)", line[4]) for line in told]
        assert all(one and int(one[1]) == pe for one in named), f"PE {pe} was lost, others were named"
        assert re.search(rf"\bPE {pe}\b", text) or re.search(rf"rank {pe}\b", text), f"PE {pe} is not named"
        for line in told:
            after_s = float(line[1]) - began
            assert after_s < (PROMISED_S if self.stops else 1) + SLACK_S, f"PE {line[2]} was told after {after_s:.1f} s"

    def check_content(self) -> None:
        out = self.folder / "out"
        if self.work in ("arrays", "frames"):
            assert not os.listdir(self.folder)
            return
        versions = CONTENT[self.work](out)
        assert len(set(versions)) == 1, f"rows of rounds {sorted(set(versions))} in one file"
        if self.work == "mpiio":
            return
        from campaign_job import WORKS

        WORKS[self.work](str(self.folder), 1_000_000)
        expected = {"in", "out"} if self.work in ("spill", "join") else {"out.npy" if self.work == "npy" else "out"}
        left = set(os.listdir(self.folder)) - expected
        assert not left, f"left beside the file: {left}"


def complete(x: np.ndarray, versions: np.ndarray) -> list[int]:
    assert sorted(x.tolist()) == list(range(ROWS)), "rows are missing, or there more than once"
    return versions.tolist()


def read_parquet(out: Path, x: str = "x", version: str = "version") -> list[int]:
    import pyarrow.parquet as pq

    rows = pq.read_table(out)
    return complete(rows[x].to_numpy(), rows[version].to_numpy())


def read_csv(out: Path) -> list[int]:
    import pandas as pd

    rows = pd.read_csv(out)
    return complete(rows["x"].to_numpy(), rows["version"].to_numpy())


def read_json(out: Path) -> list[int]:
    import pandas as pd

    rows = pd.read_json(out, orient="records", lines=True)
    return complete(rows["x"].to_numpy(), rows["version"].to_numpy())


def read_npy(out: Path) -> list[int]:
    rows = np.load(out.with_suffix(".npy") if not out.exists() else out)
    return complete(rows % ROWS, rows // ROWS)


def read_raw(out: Path) -> list[int]:
    rows = np.fromfile(out, dtype=np.int64)
    return complete(rows % ROWS, rows // ROWS)


def read_checkpoint(out: Path) -> list[int]:
    import atoll as ak

    found = ak.load_checkpoint(out)
    array = found["array"].to_numpy()
    versions = complete(found["frame"]["x"].to_numpy(), found["frame"]["version"].to_numpy())
    assert (array - np.arange(ROWS) == versions[0]).all()
    return versions


CONTENT = {
    "parquet": read_parquet, "spill": read_parquet, "csv": read_csv, "json": read_json, "npy": read_npy,
    "checkpoint": read_checkpoint, "mpiio": read_raw, "join": lambda out: read_parquet(out, "x_x", "version_x"),
}  # fmt: skip


def made_input(path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    x = np.arange(ROWS)
    columns = {"x": x, "version": x * 0, "key": x * 7919 % ROWS, "text": [str(one % 10) * 600 for one in x.tolist()]}
    pq.write_table(pa.table(columns), path, row_group_size=2000)


_built, _one_network = threading.Lock(), threading.Lock()


def mpi_program() -> Path:
    """Compiled once."""
    program = ROOT / "build" / "campaign_files"
    with _built:
        source = Path(__file__).with_name("campaign_files.c")
        if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
            program.parent.mkdir(exist_ok=True)
            subprocess.run([BIN / "mpicc", "-O1", source, "-o", program], check=True)
    return program


# -- all of them --


def attempt(trial: Trial) -> str:
    """Empty: all as promised."""
    try:
        trial.run()
    except AssertionError as error:
        return f"{trial}: {error}\n{traceback.format_exc() if not str(error) else ''}{trial.said()}"
    except Exception:
        return f"{trial}:\n{traceback.format_exc()}{trial.said()}"
    return ""


@contextlib.contextmanager
def folders() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="campaign-"))
    try:
        yield made
    finally:
        shutil.rmtree(made)


def campaign(kills: int, stops: int, seed: int, only: int | None = None, jobs: int = 1) -> list[str]:
    """What was not as promised."""
    with folders() as folder, ThreadPoolExecutor(jobs) as pool:
        trials = []
        for stops_it, count in ((False, kills), (True, stops)):
            for number in range(count):
                if only in (None, number):
                    own = folder / f"{'stop' if stops_it else 'kill'}{number}"
                    own.mkdir()
                    trials.append(Trial(seed, number, stops_it, own))
        failures = []
        for trial, failure in zip(trials, pool.map(attempt, trials), strict=True):
            print(f"{'FAILED' if failure else 'ok'} {trial}", flush=True)
            if failure:
                print(failure, flush=True)
                failures.append(failure)
        return failures


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--stops", type=int, default=50)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--only", type=int, help="the trials of this number alone")
    parser.add_argument("--jobs", type=int, default=1, help="trials at a time")
    given = parser.parse_args(words)
    print(f"seed {given.seed}", flush=True)
    began = time.monotonic()
    failures = campaign(given.kills, given.stops, given.seed, given.only, given.jobs)
    print(f"{given.kills} kills and {given.stops} stops, {len(failures)} failures, {time.monotonic() - began:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
