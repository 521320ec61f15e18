# SPDX-License-Identifier: Apache-2.0
"""Hosts for tests, all on this machine: network namespaces joined by a bridge, with a delay if wanted.

    with Hosts(2) as hosts:
        hosts.launch("-n", "4", "program")      # atoll-run --hosts … over them
        hosts.link_down(1)

or from a shell: `python tests/hosts/hosts.py 3 --delay 1ms -- command`, which finds HOSTS in its environment, and how
to start programs on them in ATOLL_LAUNCH_AGENT and ATOLL_ADDRESS.

Each namespace counts as a host: Atoll tells nodes apart by the numbers of their namespaces, others by the name of the
host, which is the namespace's. They share the file system and the processes. Programs are run in them by a
host server, one process per host, as sshd would: so they are not children of the process that asked, and have to notice
by themselves that it is gone. All ends with the process that made it: names carry its pid, and the next removes what an
ended one has left behind.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).resolve().parents[2]
LAUNCHER = ROOT / "python/atoll/bin/atoll-run"
HOST_SERVER = Path(__file__).with_name("host_server.py")


@functools.cache
def missing() -> str:
    """Why there can be no hosts here; empty: there can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    if not (shutil.which("ip") and shutil.which("tc")):
        return "ip and tc (iproute2) are not installed"
    probe = f"atollprobe{os.getpid()}"
    made = subprocess.run(["ip", "netns", "add", probe], capture_output=True, text=True, check=False)
    if made.returncode == 0:
        link = f"ip link add ap{os.getpid()} netns {probe} type veth peer name aq{os.getpid()}".split()
        made = subprocess.run(link, capture_output=True, text=True, check=False)
        subprocess.run(["ip", "netns", "del", probe], capture_output=True, check=False)
    return f"no network namespaces here: {made.stderr.strip()}" if made.returncode != 0 else ""


def missing_delay() -> str:
    """Why packets cannot be delayed; empty: they can."""
    probe = f"ad{os.getpid()}"
    subprocess.run(["ip", "link", "add", probe, "type", "bridge"], capture_output=True, check=False)
    shape = ["tc", "qdisc", "add", "dev", probe, "root", "netem", "delay", "1ms"]
    made = subprocess.run(shape, capture_output=True, text=True, check=False)
    subprocess.run(["ip", "link", "del", probe], capture_output=True, check=False)
    return f"no netem here: {made.stderr.strip()}" if made.returncode != 0 else ""


def _ip(*words: str) -> str:
    return subprocess.run(["ip", *words], check=True, capture_output=True, text=True).stdout


def _alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def _names() -> set[str]:
    """ "12-1" for each network of process 12 that there is anything of."""
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout
    links = subprocess.run(
        ["ip", "-o", "link", "show", "type", "bridge"], capture_output=True, text=True, check=True
    ).stdout
    return set(re.findall(r"^at(\d+-\d+)-\d+\b", listed, flags=re.MULTILINE)) | set(
        re.findall(r"\batb(\d+-\d+):", links)
    )


def _remove(network: str) -> None:
    """All hosts of one network. What is left of a namespace goes with its last process."""
    for name in re.findall(rf"^(at{network}-\d+)\b", _ip("netns", "list"), flags=re.MULTILINE):
        inside = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True, check=False).stdout
        for one in inside.split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(one), signal.SIGKILL)
        subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
    subprocess.run(["ip", "link", "del", f"atb{network}"], capture_output=True, check=False)


def free_prefix(first: int, addresses: str) -> str:
    """ "10.a.b", from place `first` on, of addresses that no interface has: `ip -o -4 addr show` tells of them."""
    prefixes = (f"10.{200 + place // 250 % 50}.{place % 250}" for place in range(first, first + 50 * 250))
    return next(prefix for prefix in prefixes if f" {prefix}." not in addresses)


def remove_stale() -> None:
    """What processes that are gone have left."""
    for network in _names():
        if not _alive(int(network.split("-")[0])):
            _remove(network)


class Hosts:
    """`count` hosts; `delay` as netem takes it: "1ms"; `cables` at each, in networks of their own: eth0, eth1 …;
    `congestion`: TCP's congestion control, that of this machine unless given; `own_cores`: they share out this
    machine's cores, and what runs on one does not move to another's."""

    made = 0

    def __init__(
        self, count: int = 2, delay: str = "", cables: int = 1, congestion: str = "", *, own_cores: bool = False
    ) -> None:
        self.delay = delay
        self.congestion = congestion
        self.cables = cables
        cores = sorted(os.sched_getaffinity(0))
        if own_cores and len(cores) < count:
            raise ValueError(f"this machine has {len(cores)} cores: {count} hosts cannot have cores of their own")
        shares = [",".join(map(str, cores[number::count])) for number in range(count)]
        #: what starts a host's host server, and so all that runs there, on its cores
        self.pins = [["taskset", "-c", share] if own_cores else [] for share in shares]
        Hosts.made += 1
        self.mark = f"{os.getpid()}-{Hosts.made}"
        self.names = [f"at{self.mark}-{number}" for number in range(count)]
        #: of its addresses, 10.a.b.0/24; known once they are made
        self.prefix = ""
        self.folder = Path()
        self.servers: list[subprocess.Popen[bytes]] = []
        self.watcher: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Hosts:
        remove_stale()
        self.folder = Path(tempfile.mkdtemp(prefix="atoll-hosts-"))
        # Cleans up when this process cannot: its end is the end of the pipe.
        command = [sys.executable, __file__, "--watch", self.mark, str(self.folder)]
        self.watcher = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
        try:
            self._make()
        except BaseException:
            self.close()
            raise
        return self

    @property
    def address(self) -> str:
        """Of the host that the launcher is on."""
        return f"{self.prefix}.254"

    def _make(self) -> None:
        bridge = f"atb{self.mark}"
        _ip("link", "add", bridge, "type", "bridge")
        with (Path(tempfile.gettempdir()) / "atoll-hosts.lock").open("w") as one_at_a_time:
            fcntl.flock(one_at_a_time, fcntl.LOCK_EX)
            self.prefix = free_prefix(os.getpid() * 7 + Hosts.made, _ip("-o", "-4", "addr", "show"))
            _ip("addr", "add", f"{self.address}/24", "dev", bridge)
        _ip("link", "set", bridge, "up")
        for number, name in enumerate(self.names):
            _ip("netns", "add", name)
            _ip("-n", name, "link", "set", "lo", "up")
            for cable in range(self.cables):
                inside = f"eth{cable}"
                end = self.cable(number, cable)
                _ip("link", "add", end, "type", "veth", "peer", "name", inside, "netns", name)
                _ip("link", "set", end, "master", bridge, "up")
                _ip("-n", name, "addr", "add", f"{self.address_of(number, cable)}/24", "dev", inside)
                _ip("-n", name, "link", "set", inside, "up")
                if self.congestion:
                    own = self.address_of(number, cable)
                    route = [own.rpartition(".")[0] + ".0/24", "dev", inside, "src", own, "proto", "kernel"]
                    _ip("-n", name, "route", "change", *route, "congctl", self.congestion)
                if self.delay:
                    shape = ["tc", "-n", name, "qdisc", "add", "dev", inside, "root", "netem", "delay", self.delay]
                    subprocess.run(shape, check=True, capture_output=True, text=True)
            server = [sys.executable, str(HOST_SERVER), "--serve", str(self.folder / name)]
            command = [*self.pins[number], "ip", "netns", "exec", name, "unshare", "--uts", *server]
            self.servers.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True))
        for _ in range(300):
            if all((self.folder / name).exists() for name in self.names):
                return
            time.sleep(0.02)
        raise RuntimeError("the host servers of the hosts do not start")

    def cable(self, number: int, cable: int = 0) -> str:
        """The end of a network cable of a host outside of the host: an interface of this machine."""
        return f"{'vwxyz'[cable]}{self.mark}-{number}"

    def address_of(self, number: int, cable: int = 0) -> str:
        network, _, rest = self.prefix.partition(".")
        second, _, third = rest.partition(".")
        return f"{network}.{int(second) - 50 * cable}.{third}.{number + 1}"

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        _remove(self.mark)
        for server in self.servers:
            server.wait(10)
        if self.watcher is not None and self.watcher.stdin is not None:
            self.watcher.stdin.close()
            self.watcher.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)

    # -- for tests --

    @property
    def agent(self) -> str:
        """The command that runs a program on a host, for --launch-agent."""
        return f"{sys.executable} -S {HOST_SERVER} {self.folder}/{{host}}"

    def options(self, slots: int | Sequence[int] = 0) -> list[str]:
        """Options of the launcher for these hosts, with so many PEs on each; `slots` is one number, or one for each."""
        counts = [slots] * len(self.names) if isinstance(slots, int) else slots
        names = ",".join(f"{name}:{count}" if count else name for name, count in zip(self.names, counts, strict=True))
        return ["--hosts", names, "--launch-agent", self.agent, "--address", self.address]

    def run(
        self, *words: object, slots: int = 0, timeout: float = 60, standard_input: str = "", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """atoll-run over these hosts."""
        return subprocess.run(
            self.command(*words, slots=slots), env={**os.environ, **environment}, capture_output=True, text=True,
            timeout=timeout, check=False, input=standard_input,
        )  # fmt: skip

    def command(self, *words: object, slots: int | Sequence[int] = 0) -> list[str]:
        return [str(LAUNCHER), *self.options(slots), *map(str, words)]

    def on(self, number: int, *words: object, timeout: float = 60) -> subprocess.CompletedProcess[str]:
        """A program on one host."""
        command = [*self.agent.format(host=self.names[number]).split(), *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)

    def link_down(self, number: int) -> None:
        """Pulls the host's network cable."""
        _ip("link", "set", self.cable(number), "down")

    def swallow(self, number: int, address: str) -> None:
        """Drops packets from the host to an address silently, like a firewall: they go to an unused MAC address."""
        unused = ["lladdr", "02:00:00:00:00:99", "nud", "permanent"]
        _ip("-n", self.names[number], "neigh", "replace", address, "dev", "eth0", *unused)

    def part(self, one: int, other: int) -> None:
        """No packet comes from one host to the other any more, nor back. All others reach both."""
        self.swallow(one, self.address_of(other))
        self.swallow(other, self.address_of(one))

    def kill(self, number: int) -> None:
        """All that runs on the host, its agent too, at once."""
        for pid in self.pids_on(number):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def pids_on(self, number: int, what: str = "") -> list[int]:
        """Of what runs on the host, its host server aside; those whose command line holds `what`."""
        inside = subprocess.run(["ip", "netns", "pids", self.names[number]], capture_output=True, text=True, check=True)
        found = []
        for pid in inside.stdout.split():
            with contextlib.suppress(OSError):
                words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
                if str(HOST_SERVER) not in words and what in words:
                    found.append(int(pid))
        return found

    def processes_on(self, number: int) -> list[str]:
        """Command lines of what runs on a host, its host server aside."""
        found = []
        for pid in self.pids_on(number):
            with contextlib.suppress(OSError):
                words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
                if words:
                    found.append(words)
        return found

    @contextlib.contextmanager
    def agent_stopped(self, number: int) -> Iterator[None]:
        """The host's agent is stopped meanwhile: what it would report comes later."""
        agents = self.pids_on(number, "--agent")
        for pid in agents:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in agents:
                os.kill(pid, signal.SIGCONT)

    def everything_ends(self, within: float) -> bool:
        """Whether nothing runs on any host after so many seconds at the latest."""
        end = time.monotonic() + within
        while time.monotonic() < end:
            if not any(self.processes_on(number) for number in range(len(self.names))):
                return True
            time.sleep(0.05)
        return False


def watch(network: str, folder: str) -> None:
    """Waits for the end of the pipe from the process that made the network, then removes what is left of it."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    while os.read(0, 1024):
        pass
    _remove(network)
    shutil.rmtree(folder, ignore_errors=True)


def main(words: Sequence[str]) -> int:
    if words[:1] == ["--watch"]:
        watch(words[1], words[2])
        return 0
    import argparse

    parser = argparse.ArgumentParser(description="Runs a command with test hosts at its disposal.")
    parser.add_argument("count", type=int)
    parser.add_argument("--delay", default="", help="of each host's packets, as netem takes it: 1ms")
    parser.add_argument("--congestion", default="", help="TCP's congestion control, unless this machine's")
    parser.add_argument("--own-cores", action="store_true", help="each host has cores of its own, as hosts do")
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args(words)
    if reason := missing():
        print(f"no test hosts: {reason}", file=sys.stderr)
        return 77
    try:
        made = Hosts(arguments.count, arguments.delay, congestion=arguments.congestion, own_cores=arguments.own_cores)
    except ValueError as error:
        print(f"no test hosts: {error}", file=sys.stderr)
        return 77
    with made as hosts:
        environment = {
            **os.environ,
            "HOSTS": ",".join(hosts.names),
            "ATOLL_LAUNCH_AGENT": hosts.agent,
            "ATOLL_ADDRESS": hosts.address,
        }
        return subprocess.run(arguments.command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
