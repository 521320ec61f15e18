# SPDX-License-Identifier: Apache-2.0
"""repr of columns: all rows of short ones, else their ends."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from ..arrays.array import Columnar
from ..session import current
from ..session.words import plural

if TYPE_CHECKING:
    from ..annotations import ArrayLike

#: Columns with more rows than this show their ends.
SHOWN = 60


class Printing(Columnar):
    """The repr of a column."""

    __slots__ = ()

    def _show(self: Any, value: ArrayLike) -> str:
        return repr(value)

    def _shown(self: Any) -> list[str]:
        ends = self.size > SHOWN
        rows = [*self[:3].to_list(), *self[-3:].to_list()] if ends else self.to_list()
        texts = [self._show(value) for value in rows]
        return [*texts[:3], "...", *texts[3:]] if ends else texts

    def _repr(self: Any, name: str, extras: list[str]) -> str:
        lines, line = [], name + "(["
        for text in self._shown():
            if len(line) + len(text) > 86 and not line.endswith("(["):
                lines.append(line)
                line = " " * (len(name) + 1)
            line += text + ", "
        body = "\n".join([*lines, line])
        body = body.removesuffix(", ") + "]"
        return ", ".join([body, *extras, *([f"size={self.size}"] if self.size > SHOWN else [])]) + ")"

    def __repr__(self: Any) -> str:
        return self._repr("column", [f"dtype={self.dtype}"])

    def _repr_html_(self: Any) -> str:
        """The column as a notebook shows it: its size, dtype and PEs, and its ends as text."""
        about = f"{self.size:,} rows, dtype {self.dtype}, {int(self.nbytes):,} bytes on {plural(current().pes, 'PE')}"
        return f"<div><p>{escape(about)}</p><pre>{escape(repr(self))}</pre></div>"
