# SPDX-License-Identifier: Apache-2.0
"""The placement of a job's PEs: this node, hosts, or two simulated nodes; and the options of each launcher for it."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from atoll.bench import BenchError
from atoll.bench.registry import Skip

FABRICS = ("shm", "ofi")
#: Two simulated nodes on this machine: processes with different node names do not share memory.
PRETENDED_HOSTS, PRETENDING = "here,there", "env ATOLL_NODE_NAME={host}"
#: Programs that pass a command to a shell on the other host.
SHELLS = ("ssh", "rsh")
#: Variables to pass to PEs on other hosts. A launcher passes those of its own library by itself.
CARRIED = ("FI_", "UCX_", "SHMEM_")


@dataclass(frozen=True)
class Place:
    """`hosts` are pairs of a name and its number of PEs, 0 where none was given; none: this node."""

    fabric: str = "shm"
    hosts: tuple[tuple[str, int], ...] = ()
    #: As `atoll run` takes it: a command to which the host is appended, or in which it replaces {host}.
    agent: str = ""
    address: str = ""
    pretended: bool = False

    def default_pes(self, here: int) -> int:
        return sum(slots or 1 for _, slots in self.hosts) if self.hosts else here

    def listed(self, pes: int) -> str:
        """The hosts with their numbers of PEs, in blocks: the same for every launcher."""
        return ",".join(f"[{name}]:{count}" if ":" in name else f"{name}:{count}" for name, count in self.spread(pes))

    def spread(self, pes: int) -> list[tuple[str, int]]:
        if not self.hosts:
            return []
        count = len(self.hosts)
        if any(slots for _, slots in self.hosts):
            free = [slots or 1 for _, slots in self.hosts]
        else:
            free = [(pes + count - 1 - host) // count for host in range(count)]
        if sum(free) < pes:
            raise BenchError(
                f"{pes} PEs do not fit on the hosts, which take {sum(free)}: raise their numbers, or --pes"
            )
        shares, left = [], pes
        for (name, _), most in zip(self.hosts, free, strict=True):
            shares.append((name, min(most, left)))
            left -= shares[-1][1]
        return [(name, share) for name, share in shares if share > 0]


def parse_host(text: str) -> tuple[str, int]:
    """`a`, `a:2`, `[fe80::1]:2`."""
    found = re.fullmatch(r"\[([^\]]+)\](?::([1-9]\d*))?|([^\s:\[\]-][^\s:\[\]]*)(?::([1-9]\d*))?", text)
    if found is None:
        raise BenchError(f"--hosts: '{text}' is not a host. Accepted: a name or address, with :N for N PEs")
    six, six_slots, name, slots = found.groups()
    return six or name, int(six_slots or slots or 0)


def place(hosts: str | None, fabric: str | None, agent: str | None, address: str | None) -> Place:
    """The place that the options of the command line mean."""
    if fabric is not None and fabric not in FABRICS:
        raise BenchError(f"there is no fabric '{fabric}' between processes. There are: {', '.join(FABRICS)}")
    if hosts is None:
        if agent or address:
            raise BenchError("--launch-agent and --address say how to reach the hosts of --hosts: name them")
        if fabric != "ofi":
            return Place()
        pretended = tuple(parse_host(name) for name in PRETENDED_HOSTS.split(","))
        return Place("ofi", pretended, PRETENDING, "127.0.0.1", pretended=True)
    found = tuple(parse_host(word) for word in hosts.split(","))
    if len({name for name, _ in found}) < len(found):
        raise BenchError(f"--hosts {hosts}: a host is named twice")
    fits = "ofi" if len(found) > 1 else "shm"
    if fabric not in (None, fits):
        raise BenchError(f"PEs of {'several hosts' if fits == 'ofi' else 'one host'} meet by {fits}, not by {fabric}")
    agent = agent or os.environ.get("ATOLL_LAUNCH_AGENT", "")
    return Place(fits, found, agent, address or os.environ.get("ATOLL_ADDRESS", ""))


@cache
def launcher_kind(launcher: str) -> str:
    """The kind of a launcher, from its version output: atoll, hydra (MPICH), prrte (Open MPI 5), or unknown."""
    try:
        done = subprocess.run([launcher, "--version"], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    said = done.stdout + done.stderr
    for kind, pattern in (("atoll", "atoll-run"), ("hydra", "HYDRA"), ("prrte", r"Open MPI\) [5-9]|PRRTE|prterun")):
        if re.search(pattern, said):
            return kind
    return "unknown"


def agent_script(agent: str) -> str:
    """A script that runs a command on a host, for launchers that need a single program: `script HOST COMMAND…`; a shell
    parses the command, as with ssh."""
    words = shlex.split(agent)
    if not any("{host}" in word for word in words):
        words.append("{host}")
    quoted = [shlex.quote(word).replace("{host}", "'\"$host\"'") for word in words]
    shell = "" if Path(words[0]).name in SHELLS else "sh -c "
    return f'#!/bin/sh\nhost=$1\nshift\nexec {" ".join(quoted)} {shell}"$*"\n'


def agent_file(agent: str, folder: Path) -> str:
    text = agent_script(agent)
    path = folder / f"agent-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f"{path.name}.{os.getpid()}")
        fresh.write_text(text)
        fresh.chmod(0o755)
        fresh.replace(path)
    return str(path)


def words(kind: str, where: Place, pes: int, environment: Mapping[str, str], folder: Path) -> Sequence[str]:
    """The launcher's options for the place; Skip when it cannot start PEs there. `folder` is for scripts."""
    if not where.hosts:
        return []
    if kind == "atoll":
        given = ["--hosts", where.listed(pes)]
        given += ["--launch-agent", where.agent] if where.agent else []
        return given + (["--address", where.address] if where.address else [])
    agent = [agent_file(where.agent, folder)] if where.agent else []
    if kind == "hydra":
        given = ["-hosts", where.listed(pes), "-bind-to", "none"]
        given += ["-launcher", "rsh", "-launcher-exec", *agent] if agent else []
        return given + (["-localhost", where.address] if where.address else [])
    if kind == "prrte":
        if where.pretended:
            raise Skip("Open MPI takes pretended nodes, which have one host's name, for one: give it --hosts")
        # PEs are not bound: test hosts are one machine, and each would bind its first PE to the same core.
        given = ["--host", where.listed(pes), "--bind-to", "none"]
        given += ["--prtemca", "plm_ssh_agent", *agent, "--prtemca", "plm_ssh_no_tree_spawn", "1"] if agent else []
        return given + [word for name in sorted(environment) if name.startswith(CARRIED) for word in ("-x", name)]
    raise Skip("how its launcher starts PEs on several hosts is not known here")
