# SPDX-License-Identifier: Apache-2.0
"""Machines: TOML files with the costs of hosts, interfaces, networks and noise, and the machines included in Atoll."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from atoll.sim import units
from atoll.sim.source import SimError, read
from atoll.toml import Source, exists, integer, shown

MACHINES = Path(__file__).with_name("machines")
TOPOLOGIES = ("crossbar", "fat tree", "torus", "dragonfly")
ROUTINGS = ("minimal", "adaptive")
NOISES = ("none", "periodic", "random", "trace")
RENDEZVOUS = ("get", "put")
BROADCASTS = ("send", "fetch")

MOST_OF_KIND = 10**12  # limit of a power in mW (1 GW), and of an energy in pJ (1 J)
MOST_HOPS = 512  # limit of a route whose links are shared: sim::Route

Convert = Callable[[Any], int]


def whole(value: object) -> int:
    return integer(value, 1, units.MOST_PES)


def at_least_0(value: object) -> int:
    return integer(value, 0, units.MOST_PES)


def yes_or_no(value: object) -> int:
    if not isinstance(value, bool):
        raise ValueError(f"{shown(value)} is not accepted. Write true or false")
    return int(value)


def one_of(names: tuple[str, ...]) -> Convert:
    def convert(value: object) -> int:
        if value not in names:
            raise ValueError(f"{shown(value)} is not accepted. Write one of {', '.join(names)}")
        return names.index(value)

    return convert


def of(kind: str) -> Convert:
    def convert(value: object) -> int:
        number = round(units.quantity(value, kind))
        if number > MOST_OF_KIND:
            raise ValueError(f"'{value}' is not accepted. Write a smaller {kind}")
        return number

    return convert


def torus(value: object) -> int:
    """Checked here, set by Machine.settings()."""
    fits = isinstance(value, list) and len(value) == 3
    if value != "auto" and not (fits and all(type(one) is int and 1 <= one <= units.MOST_PES for one in value)):  # type: ignore[attr-defined]
        raise ValueError(f'{shown(value)} is not accepted. Write "auto", or the nodes along three axes: [8, 8, 4]')
    return 0


def a_path(value: object) -> int:
    if not isinstance(value, str):
        raise ValueError(f"{shown(value)} is not accepted. Write the path of a file, in quotes")
    return 0


#: table -> key -> (the members of sim::Machine that it sets, how, what it means)
TABLES: dict[str, dict[str, tuple[tuple[str, ...], Convert, str]]] = {
    "host": {
        "overhead": (("send_overhead_ps", "recv_overhead_ps"), units.picoseconds, "of a processor for each message"),
        "send_overhead": (("send_overhead_ps",), units.picoseconds, "of a processor for each that it sends"),
        "recv_overhead": (("recv_overhead_ps",), units.picoseconds, "of a processor for each that it receives"),
        "message_rate": (("host_gap_ps",), units.picoseconds_of_rate, "most messages that a processor begins"),
        "miss": (("miss_ps",), units.picoseconds, "to see a line that another has written"),
        "line": (("line_bytes",), units.whole_bytes, "a line of its caches"),
        "cores": (("cores",), at_least_0, "of a node, shared by its PEs; 0: each PE has one"),
        "switch": (("switch_ps",), units.picoseconds, "from one PE that waits to the next that shares its core"),
        "match": (("match_ps",), units.picoseconds, "for each entry of a matching list that it looks at"),
        "peer": (("peer_ps",), units.picoseconds, "for each peer of a sort's exchange: buffers and their flushes"),
        "copy": (("copy_fs_per_byte",), units.femtoseconds_per_byte, "from memory to memory"),
        "reduce": (("reduce_fs_per_byte",), units.femtoseconds_per_byte, "of a vector into another"),
    },
    "interface": {
        "message_rate": (("interface_gap_ps",), units.picoseconds_of_rate, "most messages, in and out alike"),
        "setup": (("setup_ps",), units.picoseconds, "of the host to hand a schedule over"),
        "match": (("interface_match_ps",), units.picoseconds, "for each entry that it looks at"),
        "trigger": (("trigger_ps",), units.picoseconds, "from a counter's threshold to the operation"),
        "reduce": (("interface_reduce_fs_per_byte",), units.femtoseconds_per_byte, "of a vector into another"),
        "bandwidth": (("injection_fs_per_byte",), units.femtoseconds_per_byte, "between interface and network"),
    },
    "network": {
        "latency": (("latency_ps",), units.picoseconds, "of an empty message, without routers"),
        "router": (("router_ps",), units.picoseconds, "of each router"),
        "link": (("link_fs_per_byte",), units.femtoseconds_per_byte, "of each link, each way"),
        "contention": (("contention",), yes_or_no, "whether links carry one message after another"),
        "topology": (("topology",), one_of(TOPOLOGIES), "how nodes are linked"),
        "routing": (("routing",), one_of(ROUTINGS), "by the shortest way, or the less loaded"),
        "arity": (("arity",), whole, "fat tree: nodes or switches below each switch"),
        "oversubscription": (("oversubscription",), whole, "fat tree: links below for one above, of each level"),
        "torus": ((), torus, 'nodes along x, y and z, or "auto"'),
        "nodes_per_router": (("nodes_per_router",), whole, "dragonfly"),
        "routers_per_group": (("routers_per_group",), whole, "dragonfly"),
        "global_links": (("global_links",), whole, "dragonfly: of each router"),
    },
    "memory": {
        "overhead": (("memory_overhead_ps",), units.picoseconds, "of a message inside a node, at either end"),
        "latency": (("memory_latency_ps",), units.picoseconds, "of a message inside a node"),
        "bandwidth": (("memory_fs_per_byte",), units.femtoseconds_per_byte, "of messages inside a node"),
    },
    "protocol": {
        "eager": (("eager_bytes",), units.whole_bytes, "longest message that is sent unasked"),
        "list": (("list_entries",), at_least_0, "entries of the matching list that are looked at for each message"),
        "rendezvous": (("rendezvous",), one_of(RENDEZVOUS), "the receiver's interface reads, or the sender writes"),
    },
    "offload": {
        "broadcast": (("fetch_broadcasts",), one_of(BROADCASTS), "short ones: data sent, or announced and read"),
    },
    "noise": {
        "kind": (("noise",), one_of(NOISES), "of what stops a host's processor"),
        "frequency": (("noise_period_ps",), lambda value: units.picoseconds_of_rate(value, "frequency"), "how often"),
        "duration": (("noise_duration_ps",), units.picoseconds, "for how long"),
        "aligned": (("noise_aligned",), yes_or_no, "whether on all hosts at once"),
        "trace": ((), a_path, "a file of lines: begin and duration in ns; the last line is the trace's length"),
    },
    "power": {
        "active": (("active_mw",), of("power"), "of a processor that works for messages"),
        "waiting": (("waiting_mw",), of("power"), "of a processor that waits for them"),
        "interface": (("interface_mw",), of("power"), "of each interface"),
        "message": (("message_pj",), of("energy"), "of each message"),
    },
}  # fmt: skip
NEEDED = (("host", "overhead", "send_overhead"), ("network", "latency", "latency"))


@dataclass(frozen=True)
class Machine:
    """A machine file: settings of sim::Machine by name, and settings that need the number of nodes or another file."""

    name: str
    about: str = ""
    values: Mapping[str, int] = field(default_factory=dict)
    torus: Sequence[int] | str = "auto"
    trace: tuple[tuple[int, int], ...] = ()
    has: frozenset[tuple[str, str]] = frozenset()  # keys present in the file

    def settings(self, nodes: int) -> dict[str, int]:
        """The settings for a number of nodes; ValueError when the machine cannot have it."""
        values = dict(self.values)
        if values.get("topology") == TOPOLOGIES.index("torus"):
            sides = near_cube(nodes) if isinstance(self.torus, str) else tuple(self.torus)
            if math.prod(sides) != nodes:
                x, y, z = sides
                raise ValueError(f"a torus of {x} x {y} x {z} has {math.prod(sides)} nodes, not {nodes}")
            if values.get("contention") and sum(side // 2 for side in sides) > MOST_HOPS:
                x, y, z = sides
                raise ValueError(
                    f"a torus of {x} x {y} x {z} has routes of more than {MOST_HOPS} links, the most that are "
                    "simulated with contention. Write sides that are closer to one another?"
                )
            values |= dict(zip(("torus_x", "torus_y", "torus_z"), sides, strict=True))
        return values

    def with_key(self, table: str, key: str, value: Any, folder: Path = Path()) -> Machine:
        """The machine with one key changed; ValueError with the accepted values."""
        members, convert, _ = TABLES[table][key]
        number = convert(value)
        changed = replace(self, values={**self.values, **dict.fromkeys(members, number)}, has=self.has | {(table, key)})
        if (table, key) == ("network", "torus"):
            changed = replace(changed, torus=value)
        if (table, key) == ("noise", "trace"):
            period, trace = read_trace(folder / value)
            changed = replace(changed, trace=trace, values={**changed.values, "noise_period_ps": period})
        return changed

    def with_noise(self, text: str) -> Machine:
        """'none', or periodic noise as '25 us at 1 kHz', or 'random 25 us at 1 kHz'."""
        values = dict(self.values)
        if text == "none":
            return replace(self, values={**values, "noise": 0})
        kind, rest = ("random", text[7:]) if text.startswith("random ") else ("periodic", text)
        duration, at, frequency = rest.partition(" at ")
        if not at:
            raise ValueError(f"'{text}' is no noise. Write none, or a duration and a frequency: 25 us at 1 kHz")
        period = units.picoseconds_of_rate(frequency, "frequency")
        return replace(
            self,
            values={**values, "noise": NOISES.index(kind), "noise_period_ps": period,
                    "noise_duration_ps": units.picoseconds(duration)},
        )  # fmt: skip


def near_cube(nodes: int) -> tuple[int, int, int]:
    """The most equal three factors of a number.

    >>> near_cube(32768)
    (32, 32, 32)
    >>> near_cube(60)
    (5, 4, 3)
    """
    best = (nodes, 1, 1)
    for x in range(1, round(nodes ** (1 / 3)) + 2):
        if nodes % x:
            continue
        rest = nodes // x
        y = next(y for y in range(int(rest**0.5) + 1, 0, -1) if rest % y == 0)
        sides = tuple(sorted((x, y, rest // y), reverse=True))
        if sides[0] - sides[2] < best[0] - best[2]:
            best = sides  # type: ignore[assignment]
    return best


def read_trace(path: Path) -> tuple[int, tuple[tuple[int, int], ...]]:
    try:
        rows = [line.split() for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")]
        numbers = [[round(float(word) * 1000) for word in row] for row in rows]
        if any(not 0 <= number <= units.LONGEST_PS for row in numbers for number in row):
            raise OverflowError
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror}") from None
    except OverflowError:
        raise ValueError(f"{path} is no trace: its numbers are not within 0 and 10^12 ns") from None
    except ValueError:
        raise ValueError(f"{path} is no trace: its lines hold two numbers, begin and duration in ns") from None
    if len(numbers) < 2 or any(len(row) != 2 for row in numbers[:-1]) or len(numbers[-1]) != 1:
        raise ValueError(f"{path} is no trace: lines of begin and duration in ns, and a last one with its length")
    return numbers[-1][0], tuple((begin, duration) for begin, duration in numbers[:-1])


def presets() -> dict[str, Path]:
    """The machines included in Atoll: name -> file."""
    return {path.stem: path for path in sorted(MACHINES.glob("*.toml"))}


def meanings() -> Iterator[tuple[str, str, str]]:
    """Every key of a machine: table, key, meaning."""
    for table, rows in TABLES.items():
        for key, (_, _, meaning) in rows.items():
            yield table, key, meaning


def load(name_or_path: str | Path, folder: Path = Path()) -> Machine:
    """A preset by name, or a file. SimError with file, line, key and what is accepted."""
    known = presets()
    if str(name_or_path) in known:
        path = known[str(name_or_path)]
    else:
        path = folder / name_or_path
        if not path.suffix and not exists(path):
            raise SimError(f"there is no machine '{name_or_path}'. There are: {', '.join(known)}; or name a file")
    source = read(path)
    machine = apply(Machine(path.stem), source, source.content, (), path.parent)
    check_whole(machine, source, ())
    return machine


def apply(
    machine: Machine, source: Source, content: Mapping[str, Any], at: tuple[str | int, ...], folder: Path
) -> Machine:
    """The machine with the settings of the tables of `content`, which is at `at` in the file."""
    for table, rows in content.items():
        if table == "about":
            if not isinstance(rows, str):
                raise source.wrong((*at, table), "it must be a text")
            machine = replace(machine, about=rows)
            continue
        if table not in TABLES:
            raise source.wrong((*at, table), f"there is no such key. There are: about, {', '.join(TABLES)}")
        if not isinstance(rows, dict):
            raise source.wrong((*at, table), f"it is a table: [{table}]")
        for key, value in rows.items():
            if key not in TABLES[table]:
                raise source.wrong((*at, table, key), f"there is no such key. There are: {', '.join(TABLES[table])}")
            try:
                machine = machine.with_key(table, key, value, folder)
            except ValueError as error:
                raise source.wrong((*at, table, key), str(error)) from None
    return machine


def check_whole(machine: Machine, source: Source, at: tuple[str | int, ...]) -> None:
    """Checks that all required keys are present and consistent."""
    for table, *either in NEEDED:
        if not any((table, key) in machine.has for key in either):
            raise source.wrong((*at, table), f"it needs {either[0]}: {TABLES[table][either[0]][2]}")
    needs = {
        "fat tree": ("arity",), "torus": (), "crossbar": (),
        "dragonfly": ("nodes_per_router", "routers_per_group", "global_links"),
    }  # fmt: skip
    topology = TOPOLOGIES[machine.values.get("topology", 0)]
    for key in needs[topology]:
        if ("network", key) not in machine.has:
            raise source.wrong((*at, "network", "topology"), f"a {topology} needs {key}")
    if machine.values.get("latency_ps") == 0:
        raise source.wrong((*at, "network", "latency"), "it must be above 0")
    if machine.values.get("line_bytes") == 0:
        raise source.wrong((*at, "host", "line"), "it must be above 0")
    period, duration = machine.values.get("noise_period_ps", 0), machine.values.get("noise_duration_ps", 0)
    if NOISES[machine.values.get("noise", 0)] in ("periodic", "random") and not 0 < duration <= period * 0.999:
        raise source.wrong(
            (*at, "noise"), f"noise of {duration} ps every {period} ps: it must take some of the time, at most 99.9 %"
        )
