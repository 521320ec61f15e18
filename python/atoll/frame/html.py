# SPDX-License-Identifier: Apache-2.0
"""Frames as HTML tables, as notebooks show them."""

from __future__ import annotations

from html import escape
from typing import Any

from ..io.fallback import by_pandas
from .display import MAX_ROWS, MIN_ROWS, ends
from .files import written
from .formatting import texts_of

#: More columns than this are cut down to their ends.
MAX_COLUMNS = 20
_STYLE = """<style scoped>
    .dataframe tbody tr th:only-of-type {
        vertical-align: middle;
    }

    .dataframe tbody tr th {
        vertical-align: top;
    }

    .dataframe thead th {
        text-align: right;
    }
</style>
"""


def html_table(self: Any, max_rows: int | None, max_columns: int | None, index: bool = True, notes: bool = True) -> str:
    """A frame as a table; the ends of a long one, as text is."""
    rows, columns = self.shape
    made, half, row_half = self, None, None
    if max_columns is not None and columns > max_columns:
        half = max_columns // 2
        made = made._at([*range(half), *range(columns - half, columns)])
    if max_rows is not None and rows > max_rows:
        made, row_half = ends(made, MIN_ROWS), MIN_ROWS // 2
    cells = [texts_of(column) for column in made._columns]
    labels = [texts_of(column) for column in made._index._labels_of_index] if index else []
    lines = [
        '<table border="1" class="dataframe">',
        "  <thead>",
        *_head(made, half, len(labels)),
        "  </thead>",
        "  <tbody>",
    ]
    for place in range(len(made)):
        if place == row_half:
            lines += _row(["..."] * len(labels), ["..."] * (len(cells) + (half is not None)))
        values = [column[place] for column in cells]
        if half is not None:
            values.insert(half, "...")
        lines += _row([level[place] for level in labels], values)
    lines += ["  </tbody>", "</table>"]
    if notes and (half is not None or row_half is not None):
        lines.append(f"<p>{rows} rows × {columns} columns</p>")
    return "\n".join(lines)


def _head(made: Any, half: int | None, levels: int) -> list[str]:
    lines: list[str] = []
    for level, name in enumerate(made._labels.names):
        titles = [label[level] if made._labels.nlevels > 1 else label for label in made._labels.values]
        if half is not None:
            titles.insert(half, "...")
        first = [""] * max(levels - 1, 0) + ([name if name is not None else ""] if levels else [])
        style = ' style="text-align: right;"' if level == 0 else ""
        lines += [f"    <tr{style}>", *(f"      <th>{escape(str(one))}</th>" for one in [*first, *titles]), "    </tr>"]
    if levels and any(name is not None for name in made._index.names):
        names = ["" if name is None else name for name in made._index.names]
        blanks = [""] * (len(made._columns) + (half is not None))
        lines += ["    <tr>", *(f"      <th>{escape(str(one))}</th>" for one in [*names, *blanks]), "    </tr>"]
    return lines


def _row(labels: list[str], values: list[str]) -> list[str]:
    heads = [f"      <th>{escape(one)}</th>" for one in labels]
    return ["    <tr>", *heads, *(f"      <td>{escape(one)}</td>" for one in values), "    </tr>"]


class Html:
    """A frame as HTML."""

    __slots__ = ()

    def _repr_html_(self: Any) -> str:
        return f"<div>\n{_STYLE}{html_table(self, MAX_ROWS, MAX_COLUMNS)}\n</div>"

    def to_html(
        self: Any, buf: Any = None, *, columns: Any = None, index: bool = True, max_rows: Any = None,
        max_cols: Any = None, show_dimensions: bool = False, **options: Any,
    ) -> Any:  # fmt: skip
        """The rows as an HTML table. Other options of pandas' are its own work."""
        made = self if columns is None else self[list(columns)]
        if options:
            by_pandas("to_html", options)
            told = {"index": index, "max_rows": max_rows, "max_cols": max_cols, "show_dimensions": show_dimensions}
            return written(made.to_pandas().to_html(**told, **options), buf)
        return written(html_table(made, max_rows, max_cols, index, show_dimensions), buf)
