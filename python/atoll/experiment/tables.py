# SPDX-License-Identifier: Apache-2.0
"""A table of measurements on the terminal: a row for each point and contender."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.table import Table

from atoll.experiment.intervals import LEAST_SAMPLES
from atoll.experiment.series import Record, common, measured
from atoll.experiment.terminal import add, print_table
from atoll.experiment.words import duration, speed


def print_measured(records: Sequence[Record]) -> None:
    by_setting = measured(records)
    shared = common(by_setting)
    hidden = [name for name, _ in shared.values] if len(by_setting) > 1 else []
    table = Table(title=shared.describe(), title_justify="left", title_style="", box=box.SIMPLE_HEAD)
    table.add_column("point", no_wrap=True)
    for column in ("median", "95% interval", "speed", "trials", "processes"):
        table.add_column(column, justify="right", no_wrap=True)
    for setting, one in by_setting.items():
        time = one.time
        interval = f"{duration(time.low)} to {duration(time.high)}"
        if one.samples < LEAST_SAMPLES:
            interval = f"range {interval}"  # too few samples for a 95 % interval
        rate = speed(one.rate(time.value), one.unit) if one.unit else ""
        cells = (duration(time.value), interval, rate)
        style = "bold" if setting.get("contender") == "atoll" else ""
        add(table, setting.describe(hidden), *cells, str(one.samples), str(len(one.processes)), style=style)
    print_table(table)
