# SPDX-License-Identifier: Apache-2.0
"""Series and frames as text, as pandas shows them. Only the rows that are shown are fetched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...columns.categorical.categorical import Categorical
from ...columns.interval.intervals import Intervals
from ...columns.nested.lists import Lists
from ...io.fallback import by_pandas, given, pandas_at_work
from ..combine.concat import concat
from ..core import is_numeric
from ..data.dtypes import kind_of, to_list
from ..data.values import make
from ..files.writers import written
from .format import cells_of, nested, option, pad, texts_of, width_of

if TYPE_CHECKING:
    from ...annotations import ArrayLike, Label

WIDTH = 80


def _kept_rows(min_rows: int | None, max_rows: int | None) -> int:
    """How many rows are shown of what is cut."""
    return min(min_rows or max_rows or 2, max_rows or 2)


def ends(rows: Any, shown: int) -> Any:
    """The first and the last rows."""
    half = shown // 2
    first, last = rows._cut(slice(0, half)), rows._cut(slice(len(rows) - half, None))
    return concat([first, last])


def level_texts(index: Any) -> list[list[str]]:
    """The labels of each level as strings. A missing label is "NaN", and "nan" in one of several levels."""
    levels = [texts_of(column) for column in index._labels_of_index]
    if index.nlevels == 1:
        return levels
    return [["nan" if text == "NaN" else text for text in level] for level in levels]


def index_texts(index: Any) -> list[list[str]]:
    """The labels of each level as strings; a label that repeats the one above it is empty."""
    levels = level_texts(index)
    if index.nlevels == 1:
        return levels
    return (
        [list(level) for level in zip(*_sparse(list(zip(*levels, strict=True))), strict=True)] if len(index) else levels
    )


def _sparse(rows: list[Any]) -> list[Any]:
    made = []
    for place, row in enumerate(rows):
        if place == 0:
            made.append(row)
            continue
        kept, same = [], True
        for level, text in enumerate(row):
            same = same and text == rows[place - 1][level] and level < len(row) - 1
            kept.append("" if same else text)
        made.append(tuple(kept))
    return made


def beside(columns: list[list[str]], space: int) -> list[str]:
    """Columns of lines next to one another, each to its own width."""
    widths = [max(map(width_of, column), default=0) for column in columns]
    lines = []
    for row in zip(*columns, strict=True):
        cells = [pad(text, width, left=True) for text, width in zip(row, widths, strict=True)]
        lines.append((" " * space).join([*cells[:-1], row[-1]]))
    return lines


def _padded(lines: list[str]) -> list[str]:
    width = max(map(width_of, lines))
    return [pad(line, width, left=True) for line in lines]


def _name(name: str | None) -> str:
    return "" if name is None else nested(name)


def series_text(
    self: Any, max_rows: int | None, name: bool = True, dtype: bool = True, length: Any = "truncate",
    min_rows: int | None = None,
) -> str:  # fmt: skip
    """A Series as text."""
    size = len(self)
    footer = []
    step = getattr(self._index, "freqstr", None)
    if step is not None:
        footer.append(f"Freq: {step}")
    if name and self._name is not None:
        footer.append(f"Name: {_name(self._name)}")
    cut = max_rows is not None and size > max_rows
    if length is True or (length == "truncate" and cut):
        footer.append(f"Length: {size}")
    if dtype:
        footer.append(f"dtype: {_kind(self._values)}")
    tail = ", ".join(footer)
    if isinstance(self._values, Categorical):
        tail += "\n" + categories_text(self._values)
    if size == 0:
        return f"Series([], {tail})"
    kept = _kept_rows(min_rows, max_rows)
    shown = ends(self, kept) if cut else self
    labels = index_texts(shown._index)
    values = cells_of(shown._values)
    width = max(map(width_of, values))
    values = [pad(text, width) for text in values]
    if cut:
        half = kept // 2
        dots = "..." if width > 3 else ".."
        values.insert(half, dots.center(width))
        for level in labels:
            level.insert(half, "")
    names = self._index.names
    heads = []
    if any(one is not None for one in names):
        titles = [[_name(one), *level] for one, level in zip(names, labels, strict=True)]
        joined = _padded(beside(titles, 2)) if len(titles) > 1 else titles[0]
        heads, joined = [joined[0]], joined[1:]
    else:
        joined = beside(labels, 2) if len(labels) > 1 else labels[0]
    lines = beside([joined, values], 3)
    return "\n".join([*heads, *lines, *([tail] if tail else [])])


def _kind(values: ArrayLike) -> str:
    """The dtype that pandas prints below values: object for lists, and intervals without their closed side."""
    if isinstance(values, Lists):
        return "object"
    return str(kind_of(values)).partition("[")[0] if isinstance(values, Intervals) else str(kind_of(values))


def categories_text(values: Categorical) -> str:
    """The categories of a column, the ends of many."""
    held = [repr(one) if isinstance(one, str) else str(one) for one in to_list(values.categories)]
    shown = held if len(held) <= 8 else [*held[:4], "...", *held[-4:]]
    head = f"Categories ({len(held)}, {kind_of(values.categories)}): "
    between = " < " if values.ordered else ", "
    text, used = "", len(head)
    for place, one in enumerate(shown):
        if used + len(between) + len(one) > WIDTH:  # pandas breaks even before the first
            text += between.rstrip() + "\n" + " " * (len(head) + 1)
            used = len(head) + 1
        elif place:
            text += between
            used += len(between)
        text += one
        used += len(one)
    return f"{head}[{text.replace(' < ... < ', ' ... ')}]"


def frame_text(
    self: Any, max_rows: int | None, max_columns: int | None = None, line_width: int | None = None,
    show_dimensions: Any = "truncate", index: bool = True, header: bool = True, min_rows: int | None = None,
) -> str:  # fmt: skip
    """A frame as text; with ``max_columns=0`` as many columns as the terminal has room for."""
    rows, columns = self.shape
    if rows == 0 or columns == 0:
        labels = self._index.to_list()
        shown = f"{labels}" if len(labels) <= 100 else f"[{', '.join(map(str, labels[:100]))}, ...]"
        titles = ", ".join(map(str, self._labels.values))
        return f"Empty DataFrame\nColumns: [{titles}]\nIndex: {shown.replace(chr(39), '')}"
    long = max_rows is not None and rows > max_rows
    wide = bool(max_columns) and columns > (max_columns or 0)
    made = self
    half = None
    if wide:
        half = (max_columns or 2) // 2
        made = made._at([*range(half), *range(columns - half, columns)])
    kept = _kept_rows(min_rows, max_rows)
    if long:
        made = ends(made, kept)
    cells = _table(made, index, header)
    row_half = kept // 2
    if half is not None:
        cells.insert(half + index, [" ..."] * len(cells[0]))
    if long:
        _insert_dots(cells, row_half, len(cells[0]) - len(made), index, None if half is None else half + index)
    if max_columns == 0:
        wide = _fit(cells, index)
    text = _wrapped(cells, line_width, index)
    if show_dimensions is True or (show_dimensions == "truncate" and (long or wide)):
        text += f"\n\n[{rows} rows x {columns} columns]"
    return text


def _table(made: Any, index: bool, header: bool) -> list[list[str]]:
    """Columns of strings, headers first; that of the index before the others."""
    names = made._index.names
    named = index and any(one is not None for one in names)
    titled = any(one is not None for one in made._labels.names)
    heads = _headers(made) if header else [[] for _ in made._columns]
    cells = []
    if index:
        levels = index_texts(made._index)
        if named and header:
            levels = [[_name(one), *level] for one, level in zip(names, levels, strict=True)]
        widths = [max(map(width_of, level), default=0) for level in levels]
        padded = [[pad(text, width, left=True) for text in level] for level, width in zip(levels, widths, strict=True)]
        left = [" ".join(row) for row in zip(*padded, strict=True)]
        top = [_name(one) for one in made._labels.names] if titled else [""] * made._labels.nlevels
        left = [*top, *left] if header else left
        width = max(map(width_of, left), default=0)
        cells.append([pad(text, width, left=True) for text in left])
    for head, column in zip(heads, made._columns, strict=True):
        title = [*head, ""] if named and header else head
        texts = cells_of(column) if index else texts_of(column)
        width = max(max(map(width_of, texts), default=0), max(map(width_of, title), default=0))
        cells.append([*(pad(text, width) for text in title), *(pad(text, width) for text in texts)])
    return cells


def _headers(made: Any) -> list[list[str]]:
    labels = made._labels
    if labels.values and all(isinstance(label, bool) for label in labels.values):
        width = max(len(str(label)) for label in labels.values)
        lead = [" " if is_numeric(column) else "" for column in made._columns]
        return [[space + str(label).ljust(width)] for space, label in zip(lead, labels.values, strict=True)]
    if labels.nlevels > 1:
        rows = [tuple(_name(part) if part is not None else "NaN" for part in label) for label in labels.values]
        return [list(row) for row in _sparse(rows)]
    floats = all(isinstance(label, (float, np.floating)) for label in labels.values)
    shown = texts_of(make(labels.values)) if floats and labels.values else map(_label, labels.values)
    return [[(" " if is_numeric(column) else "") + label] for label, column in zip(shown, made._columns, strict=True)]


def _label(label: Label) -> str:
    return "NaN" if label is None or label != label else nested(label)


def _insert_dots(cells: list[list[str]], half: int, heads: int, index: bool, dots_column: int | None) -> None:
    for place, column in enumerate(cells):
        width = width_of(column[half])
        dotted = place == dots_column
        dots = "..." if width > 3 or dotted else ".."
        left = place == 0 and index
        column.insert(half + heads, pad(dots, 4 if dotted else max(width, len(dots)), left))


def _fit(cells: list[list[str]], index: bool) -> bool:
    """Leaves columns out of the middle until the others fit; whether it did."""
    widths = [max(map(width_of, column)) for column in cells]
    over = sum(widths) + len(widths) - WIDTH
    if over <= 0:
        return False
    over += 5  # for the dots that stand for what is left out
    while over > 0 and len(widths) > 1:
        over -= widths.pop(round(len(widths) / 2)) + 1
    kept = max(len(widths) - index, 2)
    if kept >= len(cells) - index:
        return False
    half = kept // 2
    cells[half + index : len(cells) - half] = [[" ..."] * len(cells[0])]
    return True


def _wrapped(cells: list[list[str]], line_width: int | None, index: bool) -> str:
    """The columns next to one another, in as many parts as the width asks for."""
    if line_width is None:
        return "\n".join(beside(cells, 1))
    first = cells[:1] if index else []
    rest = cells[1:] if index else cells
    room = line_width - (max(map(width_of, first[0])) + 1 if first else 0)
    parts: list[list[list[str]]] = [[]]
    used = 0
    for place, column in enumerate(rest):
        width = max(map(width_of, column)) + 1
        used += width
        if place and used + (1 if place == len(rest) - 1 else 2) > room:
            parts.append([])
            used = width
        parts[-1].append(column)
    texts = []
    for place, part in enumerate(parts):
        held = [*first, *part]
        if len(parts) > 1:
            rows = len(held[-1])
            held.append([" \\", *["  "] * (rows - 1)] if place < len(parts) - 1 else [" "] * rows)
        texts.append("\n".join(beside(held, 1)))
    return "\n\n".join(texts)


class SeriesDisplay:
    """A Series as text."""

    __slots__ = ()

    def __repr__(self) -> str:
        return series_text(self, option("max_rows"), min_rows=option("min_rows"))

    def to_string(
        self: Any, buf: Any = None, *, na_rep: str = "NaN", float_format: Any = None, header: bool = True,
        index: bool = True, length: Any = False, dtype: bool = False, name: bool = False, max_rows: Any = None,
        min_rows: Any = None,
    ) -> Any:  # fmt: skip
        """All rows as text. `na_rep` and `float_format`, and rows without labels, are pandas' own work.

        Parameters
        ----------
        buf : file or path, optional
            Where the text is written; None: it is returned.
        na_rep : str, default 'NaN'
            What stands for missing values.
        float_format : str or callable, optional
            How floats are written, as ``'%.2f'``.
        header : bool or list of str, default True
            Whether the first line has the columns' names; or other names.
        index : bool, default True
            Whether labels are shown.
        length : bool, default False
            Whether the last line says how many rows there are.
        dtype : bool, default False
            Whether the last line says the dtype.
        name : bool, default False
            Whether the last line says the name.
        max_rows : int, optional
            Rows that are shown, at most.
        min_rows : int, optional
            Rows that are shown where there are more than `max_rows`.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> print(s.to_string())
        a    3
        b    1
        c    2
        """
        others = given(
            {"na_rep": na_rep, "float_format": float_format, "header": header, "index": index},
            {"na_rep": "NaN", "header": True, "index": True},
        )
        if others:
            by_pandas("to_string", others)
            told = {"length": length, "dtype": dtype, "name": name, "max_rows": max_rows, "min_rows": min_rows}
            with pandas_at_work("to_string"):
                return written(self.to_pandas().to_string(**others, **told), buf)
        return written(series_text(self, max_rows, name, dtype, length, min_rows), buf)


class FrameDisplay:
    """A frame as text and HTML."""

    __slots__ = ()

    def __repr__(self) -> str:
        columns = option("max_columns")
        width = None if columns == 0 else option("width")
        return frame_text(self, option("max_rows"), columns, width, min_rows=option("min_rows"))

    def to_string(
        self: Any, buf: Any = None, *, columns: Any = None, index: bool = True, header: bool = True,
        max_rows: Any = None, max_cols: Any = None, show_dimensions: bool = False, line_width: Any = None,
        min_rows: Any = None, **options: object,
    ) -> Any:  # fmt: skip
        """All rows as text. Other options of pandas' are its own work.

        Parameters
        ----------
        buf : file or path, optional
            Where the text is written; None: it is returned.
        columns : list of labels, optional
            The columns that are shown; all unless given.
        index : bool, default True
            Whether labels are shown.
        header : bool or list of str, default True
            Whether the first line has the columns' names; or other names.
        max_rows : int, optional
            Rows that are shown, at most.
        max_cols : int, optional
            Columns that are shown, at most.
        show_dimensions : bool, default False
            Whether the last line says how many rows and columns there are.
        line_width : int, optional
            Characters of a line, at most.
        min_rows : int, optional
            Rows that are shown where there are more than `max_rows`.
        **options
            Other options of pandas', which does the work then.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> index = ak.Index(["b", "a", "c"])
        >>> print(df.to_string(index=False))
         a   b
         1 4.0
         2 NaN
         3 6.0
        """
        made = self if columns is None else self[list(columns)]
        if options:
            by_pandas("to_string", options)
            told = {
                "index": index, "header": header, "max_rows": max_rows, "max_cols": max_cols, "min_rows": min_rows,
                "show_dimensions": show_dimensions, "line_width": line_width,
            }  # fmt: skip
            with pandas_at_work("to_string"):
                return written(made.to_pandas().to_string(**told, **options), buf)
        shown = frame_text(made, max_rows, max_cols, line_width, show_dimensions, index, header, min_rows)
        return written(shown, buf)
