# SPDX-License-Identifier: Apache-2.0
"""Lines and tables on a terminal, without truncation: truncated numbers cannot be read, nor truncated paths copied."""

from __future__ import annotations

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

console = Console(highlight=False)


def say(text: str) -> None:
    console.print(text, markup=False, soft_wrap=True)


def add(table: Table, *cells: str, style: str = "") -> None:
    """A row of plain text: brackets in it are not markup."""
    table.add_row(*(Text(cell) for cell in cells), style=style)


def print_table(table: Table) -> None:
    wide = console.options.update(max_width=1000)
    Console(width=max(console.width, Measurement.get(console, wide, table).maximum), highlight=False).print(table)
