# SPDX-License-Identifier: Apache-2.0
"""`atoll doctor`: whether this host, and other hosts of a cluster, can run a job together; if not, what to change."""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import socket
import sys
import time
from pathlib import Path
from typing import Any

from atoll.cli import FAILED, version
from atoll.cli.run import launcher

#: One host: what `report()` gives.
Report = dict[str, Any]

MIB = 2**20
LEAST_MEMORY = 1024 * MIB
#: An agent needs three descriptors for each of its PEs, a PE one or two for each thread.
LEAST_FILES = 1024
#: Providers of libfabric whose network card reaches memory by itself.
LOCKING_PROVIDERS = ("verbs", "efa", "cxi", "opx", "psm")
#: Providers of libfabric over TCP.
TCP_PROVIDERS = ("tcp", "net")
#: Seconds between the clocks of two hosts that are worth a word.
CLOCK_LIMIT = 1.0


def configure(parser: argparse.ArgumentParser) -> None:
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--hosts", help="hosts to try out, as for `atoll run`: a:2,b:2")
    where.add_argument("--hostfile", type=Path, help="the same, from a file")
    parser.add_argument("--launch-agent", help="as for `atoll run`")
    parser.add_argument("--address", help="as for `atoll run`")
    parser.add_argument("--timeout", type=float, default=60, help="seconds to wait for a host (default: 60)")
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)


# -- one host --


def limit(which: int) -> int | None:
    """The soft limit; None: unlimited."""
    soft, _ = resource.getrlimit(which)
    return None if soft == resource.RLIM_INFINITY else soft


def congestion_control() -> str | None:
    """What TCP connections of this host begin with; None: the kernel does not say."""
    try:
        return Path("/proc/sys/net/ipv4/tcp_congestion_control").read_text().strip()
    except OSError:
        return None


def report() -> Report:
    """What matters of this host."""
    found: Report = {
        "host": socket.gethostname(),
        "atoll": version(),
        "python": platform.python_version(),
        "program": sys.executable,
        "kernel": platform.release(),
        "memlock_bytes": limit(resource.RLIMIT_MEMLOCK),
        "files": limit(resource.RLIMIT_NOFILE),
        "shm_free_bytes": shutil.disk_usage("/dev/shm").free if Path("/dev/shm").is_dir() else None,
        "tcp_congestion_control": congestion_control(),
        "launcher": launcher(),
    }
    try:
        from atoll import _core

        info = _core.info()
        for name in ("cores", "memory_bytes", "memory_available_bytes"):
            found[name] = info[name]
        found["numa"] = max(1, len(info["numa"]))
        found["network"] = info["network"]
    except (ImportError, ValueError) as error:
        found["broken"] = str(error)
    return found


def judge(found: Report) -> list[str]:
    """What is wrong with one host, and what to do, a sentence each."""
    said = []
    if "broken" in found:
        said.append(
            f"the compiled part of Atoll does not load: {found['broken']}. Install Atoll again, for this Python"
        )
    else:
        if found["memory_available_bytes"] < LEAST_MEMORY:
            said.append(f"only {found['memory_available_bytes'] // MIB} MiB of memory are available. End what uses it")
        if any(word in found["network"] for word in LOCKING_PROVIDERS) and found["memlock_bytes"] is not None:
            amount = found["memlock_bytes"] // MIB
            said.append(
                f"only {amount} MiB may be locked, and the network card needs all segments locked: ulimit -l unlimited"
            )
    if found["files"] is not None and found["files"] < LEAST_FILES:
        said.append(f"a process may open only {found['files']} files: ulimit -n {4 * LEAST_FILES}")
    return said


def answer() -> int:
    """The other end of `Visit`: a question per line of standard input, an answer per line."""
    for line in sys.stdin:
        print(json.dumps(report() if line.strip() == "report" else time.time()), flush=True)
    return 0


# -- several hosts --


def advise(reports: dict[str, Report]) -> list[str]:
    """What keeps no job from running, and costs time."""
    paced = [
        host
        for host, found in reports.items()
        if found.get("tcp_congestion_control") == "bbr"
        and str(found.get("network", "")).partition(", ")[2].split(";")[0] in TCP_PROVIDERS
    ]
    if not paced:
        return []
    return [
        f"TCP's congestion control is bbr on {', '.join(paced)}: it sends at a pace that it guesses for each "
        "connection. Between near hosts that costs a fifth of the time of long transfers, and makes jobs differ: "
        "sysctl -w net.ipv4.tcp_congestion_control=cubic"
    ]


def compare(reports: dict[str, Report]) -> list[str]:
    """What hosts have to have in common, and do not."""
    said = []
    for key, name, advice in (
        ("atoll", "Atoll", "Install one version on all hosts"),
        ("python", "Python", "PEs of one job had better run the same Python"),
        ("network", "the network", "Install one libfabric, or set ATOLL_FABRIC_PROVIDER to what all have"),
    ):
        values: dict[str, list[str]] = {}
        for host, found in reports.items():
            values.setdefault(str(found.get(key, "none")), []).append(host)
        if len(values) > 1:
            listed = "; ".join(f"{value} on {', '.join(hosts)}" for value, hosts in values.items())
            said.append(f"hosts differ in their version of {name}: {listed}. {advice}")
    missing = [host for host, found in reports.items() if str(found.get("network", "none")).startswith("none")]
    if missing and len(reports) > 1:
        said.append(f"{', '.join(missing)} cannot reach other hosts: {reports[missing[0]].get('network')}")
    return said


def describe(found: Report) -> str:
    if "broken" in found:
        return "Atoll does not load"
    memlock = "unlimited" if found["memlock_bytes"] is None else f"{found['memlock_bytes'] / MIB:.0f} MiB"
    parts = [
        f"Atoll {found['atoll']}, Python {found['python']}, kernel {found['kernel']}",
        f"{found['cores']} cores in {found['numa']} NUMA domain(s), "
        f"{found['memory_available_bytes'] / 2**30:.1f} of {found['memory_bytes'] / 2**30:.1f} GiB available",
        f"network: {found['network']}",
        f"limits: {found['files'] or 'unlimited'} open files, {memlock} locked",
    ]
    return "\n".join(parts)


def main(arguments: argparse.Namespace) -> int:
    if arguments.answer:
        return answer()
    from rich.console import Console

    from atoll.cli import doctor_hosts

    own = report()
    problems = [f"this host: {text}" for text in judge(own)]
    advice: list[str] = []
    result: dict[str, Any] = {"this": own, "hosts": {}}
    console = Console(highlight=False, quiet=arguments.json)
    console.print("[bold]this host[/bold]", soft_wrap=True)
    console.print(describe(own), soft_wrap=True, markup=False)
    if arguments.hosts or arguments.hostfile:
        names = doctor_hosts.names_of(arguments.hosts, arguments.hostfile)
        visits = doctor_hosts.visit_all(names, arguments)
        for visit in visits:
            result["hosts"][visit.name] = visit.as_dict()
            console.print(f"\n[bold]{visit.name}[/bold]", soft_wrap=True)
            console.print(visit.describe(), soft_wrap=True, markup=False)
            problems += [f"{visit.name}: {text}" for text in visit.problems()]
        reached = {visit.name: visit.report for visit in visits if visit.report is not None}
        problems += compare({"this host": own, **reached})
        advice = advise(reached)
        if len(reached) == len(names) and not any("broken" in found for found in reached.values()):
            outcome = doctor_hosts.try_job(names, arguments)
            result["job"] = outcome.as_dict()
            console.print(f"\n[bold]a job over all hosts[/bold]\n{outcome.describe()}", soft_wrap=True)
            problems += outcome.problems()
    result["problems"] = problems
    result["advice"] = advice
    if arguments.json:
        print(json.dumps(result, indent=2))
    else:
        console.print("\n[bold]nothing to change[/bold]" if not problems else "\n[bold]to change[/bold]")
        for problem in problems:
            console.print(f"- {problem}", soft_wrap=True, markup=False)
        if advice:
            console.print("\n[bold]could be faster[/bold]")
        for text in advice:
            console.print(f"- {text}", soft_wrap=True, markup=False)
    return FAILED if problems else os.EX_OK
