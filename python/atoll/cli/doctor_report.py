# SPDX-License-Identifier: Apache-2.0
"""The report about one host for `atoll doctor`: its properties, and problems."""

from __future__ import annotations

import json
import platform
import resource
import shutil
import socket
import sys
import time
from pathlib import Path
from typing import Any

from atoll.cli.common import version
from atoll.cli.run import launcher

#: The report about one host, from `report()`.
Report = dict[str, Any]

MIB = 2**20
LEAST_MEMORY = 1024 * MIB
#: An agent needs three descriptors for each of its PEs, a PE one or two for each thread.
LEAST_FILES = 1024
#: Providers of libfabric whose network card reaches memory by itself.
LOCKING_PROVIDERS = ("verbs", "efa", "cxi", "opx", "psm")


def limit(which: int) -> int | None:
    """The soft limit; None: unlimited."""
    soft, _ = resource.getrlimit(which)
    return None if soft == resource.RLIM_INFINITY else soft


def congestion_control() -> str | None:
    """The default TCP congestion control of this host; None if unknown."""
    try:
        return Path("/proc/sys/net/ipv4/tcp_congestion_control").read_text().strip()
    except OSError:
        return None


def report() -> Report:
    """The properties of this host."""
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
    """Problems of one host with advice, a sentence each."""
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
    """The other end of `Visit`: answers one request per line of standard input."""
    for line in sys.stdin:
        print(json.dumps(report() if line.strip() == "report" else time.time()), flush=True)
    return 0


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
