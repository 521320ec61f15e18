# SPDX-License-Identifier: Apache-2.0
"""Terminal output of benchmarks: progress, tables of results, the list of cases."""

from __future__ import annotations

from statistics import median
from types import TracebackType

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.status import Status
from rich.table import Table

from atoll.bench import peers
from atoll.bench.programs import Measured
from atoll.bench.registry import PROGRAMS, Skip, load
from atoll.bench.result import Result
from atoll.bench.timing import Spread
from atoll.bench.toolchains import toolchain

console = Console()


class Progress:
    """A status line on a terminal."""

    def __init__(self) -> None:
        self._status: Status | None = None
        self._name = ""

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def start(self, name: str) -> None:
        self._name = name
        if console.is_terminal:
            self._status = console.status(f"{name}: making the data")
            self._status.start()

    def tick(self, contender: str) -> None:
        # Refreshed only between the runs: a spinner during a timed run would use a core.
        if self._status is not None:
            self._status.stop()
            self._status = None

    def stop(self) -> None:
        self.tick("")


def duration(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def ratio(value: float) -> str:
    return f"{value:.2f} x" if value < 10 else f"{value:.1f} x"


def print_result(result: Result) -> None:
    """The table of one case: fastest first; "Atoll is" is the speed of Atoll relative to that contender."""
    request, setup = result.request, result.setup
    shape = f"{setup.pes} PE{'s' if setup.pes > 1 else ''} x {setup.threads} thread{'s' if setup.threads > 1 else ''}"
    title = f"[bold]{result.case.name}[/bold]  {request.size:,} {request.dtype} {request.dist}, {shape}"
    title += f", {result.simd}" if result.simd else ""
    table = Table(title=title, title_justify="left", title_style="", box=box.SIMPLE_HEAD)
    table.add_column("contender")
    for column in ("median", "spread", "GiB/s", "Atoll is"):
        table.add_column(column, justify="right")
    table.add_column("checksum", overflow="fold")
    spreads = {name: Spread.of(seconds) for name, seconds in result.seconds.items()}
    own = spreads.get("atoll")
    for name, spread in sorted(spreads.items(), key=lambda item: item[1].median):
        rate = f"{result.bytes / spread.median / 2**30:.2f}" if result.bytes else "-"
        against = "" if name == "atoll" else ratio(spread.median / own.median) if own else "-"
        style = "bold cyan" if name == "atoll" else ""
        cells = (name, duration(spread.median), f"± {spread.relative:.0%}", rate, against, result.checksums[name])
        table.add_row(*cells, style=style)
    console.print(table)
    print_joules(result.joules, "a run")
    for name, why in result.skipped.items():
        console.print(f"  {name} skipped: {why}", style="dim", markup=False, highlight=False, soft_wrap=True)
    if result.moved_ratio is not None:
        console.print(f"  moved between PEs: {result.moved_ratio:.2f} x the bytes of the input", highlight=False)
    if result.phases:
        shown = ", ".join(f"{name} {duration(seconds)}" for name, seconds in result.phases.items())
        console.print(f"  one run by phase, on PE 0: {shown}", highlight=False)
    if result.memory_ratio is not None:
        console.print(f"  peak memory: {result.memory_ratio:.2f} x the bytes of the input", highlight=False)


def print_wide(table: Table) -> None:
    """Wide enough that no number is wrapped."""
    wide = console.options.update(max_width=1000)
    width = max(console.width, Measurement.get(console, wide, table).maximum)
    Console(width=width, stderr=console.stderr).print(table)


def print_ranking(results: list[Result]) -> None:
    """One line for each case and contender: the ratio of its least time to Atoll's, the least ratio first."""
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("Atoll is", justify="right")
    table.add_column("benchmark", overflow="fold")
    for column in ("size", "type", "atoll", "contender", "time"):
        table.add_column(column, justify="right" if column in ("size", "atoll", "time") else "left")
    lines = []
    for result in results:
        least = {name: min(seconds) for name, seconds in result.seconds.items()}
        if "atoll" not in least:
            continue
        own = least.pop("atoll")
        level = f" {result.simd}" if result.simd else ""
        for name, seconds in least.items():
            size, dtype = f"{result.request.size:,}", result.request.dtype
            cells = (result.case.name + level, size, dtype, duration(own), name, duration(seconds))
            lines.append((seconds / own, cells))
    for value, cells in sorted(lines):
        table.add_row(ratio(value), *cells)
    print_wide(table)


def rate(per_second: float, unit: str) -> str:
    unit = "" if unit == "op" else unit
    for prefix, scale in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if per_second >= scale:
            return f"{per_second / scale:.3g} {prefix}{unit}/s"
    return f"{per_second:.3g} {unit}/s"


def print_measured(measured: Measured) -> None:
    """The table of one program: a row for each point; each contender's time is followed by Atoll's relative speed."""
    program, contenders = measured.program, measured.contenders()
    title = f"[bold]{program.name}[/bold]  {measured.pes} PE{'s' if measured.pes > 1 else ''}"
    if measured.where.hosts:
        title += f", {measured.where.fabric}: {measured.where.listed(measured.pes)}"
    table = Table(title=title, title_justify="left", title_style="", box=box.SIMPLE_HEAD)
    table.add_column("operation")
    table.add_column(program.size_means.replace(" ", "\n"), justify="right")
    for name in contenders:
        table.add_column(name, justify="right", style="bold cyan" if name == "atoll" else "")
        if name != "atoll" and "atoll" in contenders:
            table.add_column("Atoll is", justify="right")
    names = list(dict.fromkeys(point.name for point in measured.seconds))
    for point, by_contender in sorted(measured.seconds.items(), key=lambda item: names.index(item[0].name)):
        cells = [point.name, f"{point.size:,}" if point.size else ""]
        spreads = {name: Spread.of(seconds) for name, seconds in by_contender.items()}
        for name in contenders:
            spread = spreads.get(name)
            if spread is None:
                cells.append("-")
            else:
                middle = spread.median
                figure = rate(point.work / middle, point.unit) if point.unit else duration(middle)
                cells.append(f"{figure} ±{spread.relative:.0%}")
            if name != "atoll" and "atoll" in contenders:
                known = spread is not None and "atoll" in spreads
                cells.append(ratio(spread.median / spreads["atoll"].median) if spread is not None and known else "-")
        table.add_row(*cells)
    print_wide(table)
    for name, library in measured.libraries.items():
        console.print(f"  [dim]{name}: {library}[/dim]", highlight=False)
    print_joules(measured.joules, "a job")
    for name, why in measured.skipped.items():
        console.print(f"  {name} skipped: {why}", style="dim", markup=False, highlight=False, soft_wrap=True)


def print_joules(joules: dict[str, list[float]], of: str) -> None:
    for name, values in joules.items():
        console.print(f"  energy of {of} of {name}: {median(values):.3g} J", markup=False, highlight=False)


def print_list() -> None:
    """Every case and its contenders; those not installed are dimmed."""
    table = Table("benchmark", "what", "data", "contenders", box=box.SIMPLE_HEAD)
    here = {name: peers.is_here(name) for name in peers.MODULES}
    for one in load().values():
        shown = [name if here[name.split("-")[0]] else f"[dim strike]{name}[/]" for name in one.contenders]
        table.add_row(one.name, one.summary, f"{one.dtype} {one.dist}", " ".join(shown))
    chains = []
    for name in ("atoll", "limit", "oshcc", "mpicc"):
        try:
            toolchain(name)
            chains.append(name)
        except Skip:
            chains.append(f"[dim strike]{name}[/]")
    for job in PROGRAMS.values():
        table.add_row(job.name, job.summary, "", " ".join(chains))
    console.print(table)
    console.print("[dim]Struck through: not installed here. NAME=/path/to/oshcc or mpicc names another library.[/dim]")
