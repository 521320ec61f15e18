# SPDX-License-Identifier: Apache-2.0
"""Frames as HTML tables, as notebooks show them."""

from __future__ import annotations

from html import escape
from typing import Any

from ...io.fallback import by_pandas, pandas_at_work
from ...session import current
from ...session.words import plural
from ..classes import frame
from ..data.column_labels import Labels
from ..files.writers import written
from .format import option, texts_of
from .text import ends, level_texts

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


def html_table(
    self: Any, max_rows: int | None, max_columns: int | None, index: bool = True, notes: bool = True,
    place: bool = False,
) -> str:  # fmt: skip
    """A frame as a table; the ends of a long one, as text is. `place`: a long one tells its bytes and PEs, too."""
    rows, columns = self.shape
    made, half, row_half = self, None, None
    if max_columns is not None and columns > max_columns:
        half = max_columns // 2
        made = made._at([*range(half), *range(columns - half, columns)])
    if max_rows is not None and rows > max_rows:
        kept = min(option("min_rows") or max_rows, max_rows)
        made, row_half = ends(made, kept), kept // 2
    cells = [texts_of(column) for column in made._columns]
    labels = level_texts(made._index) if index else []
    lines = [
        '<table border="1" class="dataframe">',
        "  <thead>",
        *_head(made, half, len(labels)),
        "  </thead>",
        "  <tbody>",
    ]
    if row_half is not None:
        for column in [*labels, *cells]:
            column.insert(row_half, "...")
    if half is not None:
        cells.insert(half, ["..."] * len(cells[0]))
    spans = _spans(labels, 'rowspan="{}" valign="top"')
    for row in range(len(made) + (row_half is not None)):
        heads = [f"      {level[row]}" for level in spans if level[row]]
        lines += ["    <tr>", *heads, *(f"      <td>{escape(column[row])}</td>" for column in cells), "    </tr>"]
    lines += ["  </tbody>", "</table>"]
    if notes and (half is not None or row_half is not None):
        lines.append(f"<p>{rows} rows × {columns} columns{_place(self) if place else ''}</p>")
    return "\n".join(lines)


def _place(self: Any) -> str:
    size = sum(int(column.nbytes) for column in self._columns)
    return f", {size:,} bytes on {plural(current().pes, 'PE')}"


def _head(made: Any, half: int | None, levels: int) -> list[str]:
    lines: list[str] = []
    several = made._labels.nlevels > 1
    titles = [
        [str(label[level] if several else label) for label in made._labels.values]
        for level in range(made._labels.nlevels)
    ]
    for level in titles:
        if half is not None:
            level.insert(half, "...")
    for name, level in zip(made._labels.names, _spans(titles, 'colspan="{}" halign="left"'), strict=True):
        first = [""] * max(levels - 1, 0) + ([name if name is not None else ""] if levels else [])
        style = "" if several else ' style="text-align: right;"'
        heads = [*(f"<th>{escape(str(one))}</th>" for one in first), *filter(None, level)]
        lines += [f"    <tr{style}>", *(f"      {one}" for one in heads), "    </tr>"]
    if levels and any(name is not None for name in made._index.names):
        names = ["" if name is None else name for name in made._index.names]
        blanks = [""] * (len(made._columns) + (half is not None))
        style = ' style="text-align: right;"' if several else ""
        heads = [f"      <th>{escape(str(one))}</th>" for one in [*names, *blanks]]
        lines += [f"    <tr{style}>", *heads, "    </tr>"]
    return lines


def _spans(levels: list[list[str]], attributes: str) -> list[list[str]]:
    """Labels of each level as cells: one for neighbours that are alike, but on the innermost level; "" for others."""
    made = []
    for depth, level in enumerate(levels):
        row: list[str] = []
        keys = list(zip(*levels[: depth + 1], strict=True))
        for place, text in enumerate(level):
            end = place + 1
            while depth < len(levels) - 1 and end < len(level) and keys[end] == keys[place]:
                end += 1
            told = f" {attributes.format(end - place)}" if end - place > 1 else ""
            again = depth < len(levels) - 1 and place > 0 and keys[place] == keys[place - 1]
            row.append("" if again else f"<th{told}>{escape(text)}</th>")
        made.append(row)
    return made


class SeriesHtml:
    """A Series as HTML: a table with one column, and what is below a Series as text."""

    __slots__ = ()

    def _repr_html_(self: Any) -> str:
        table = html_table(
            self.to_frame("" if self._name is None else self._name), option("max_rows"), None, True, False
        )
        kind = escape(f"{len(self)} rows, dtype: {self.dtype}")
        if len(self) > (option("max_rows") or len(self)):
            kind += _place(self.to_frame("values"))
        return f"<div>\n{_STYLE}{table}\n<p>{kind}</p>\n</div>"


class GroupsHtml:
    """Groups as HTML: how many there are, and the rows of each."""

    __slots__ = ()

    def _repr_html_(self: Any) -> str:
        sizes = self._groups.size()
        table = html_table(
            frame([sizes], Labels(["rows"]), self._groups.index()), option("max_rows"), None, True, False
        )
        return f"<div>\n{_STYLE}{table}\n<p>{self.ngroups} groups of {len(self._of)} rows</p>\n</div>"


class Html:
    """A frame as HTML."""

    __slots__ = ()

    def _repr_html_(self: Any) -> str:
        columns = option("max_columns") or MAX_COLUMNS
        return f"<div>\n{_STYLE}{html_table(self, option('max_rows'), columns, place=True)}\n</div>"

    def to_html(
        self: Any, buf: Any = None, *, columns: Any = None, index: bool = True, max_rows: Any = None,
        max_cols: Any = None, show_dimensions: bool = False, **options: object,
    ) -> Any:  # fmt: skip
        """The rows as an HTML table. Other options of pandas' are its own work.

        Parameters
        ----------
        buf : file or path, optional
            Where the text is written; None: it is returned.
        columns : list of labels, optional
            The columns that are shown; all unless given.
        index : bool, default True
            Whether labels are shown.
        max_rows : int, optional
            Rows that are shown, at most.
        max_cols : int, optional
            Columns that are shown, at most.
        show_dimensions : bool, default False
            Whether the last line says how many rows and columns there are.
        **options
            Other options of pandas', which does the work then.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> print(df.head(1).to_html())
        <table border="1" class="dataframe">
          <thead>
            <tr style="text-align: right;">
              <th></th>
              <th>a</th>
              <th>b</th>
            </tr>
          </thead>
          <tbody>
            <tr>
              <th>0</th>
              <td>1</td>
              <td>4.0</td>
            </tr>
          </tbody>
        </table>
        """
        made = self if columns is None else self[list(columns)]
        if options:
            by_pandas("to_html", options)
            told = {"index": index, "max_rows": max_rows, "max_cols": max_cols, "show_dimensions": show_dimensions}
            with pandas_at_work("to_html"):
                return written(made.to_pandas().to_html(**told, **options), buf)
        return written(html_table(made, max_rows, max_cols, index, show_dimensions), buf)
