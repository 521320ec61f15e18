# SPDX-License-Identifier: Apache-2.0
"""Plans as people read them."""

from __future__ import annotations

import functools
from collections.abc import Collection

from ..io.parquet.reader import ParquetReader
from ..session.everywhere import once
from .estimate import estimated
from .nodes import Assign, Choose, Filter, Group, Head, Join, Node, Sort, Source
from .terms import Term


def lines(node: Node, wanted: Collection[str], where: list[Filter] | None = None, indent: str = "") -> list[str]:
    """A line for each step, the first one first. `where`: filters between a source and what is looked at."""
    if isinstance(node, Source):
        return [indent + _reading(node, wanted, where or []) + _cost(node)]
    if isinstance(node, Choose):
        return lines(node.of, wanted, where, indent)
    before = node.needs(wanted)
    if isinstance(node, Join):
        own = f"join    {node.how} {_pairs(node)}"
        found = lines(node.left, before[0], None, indent) + lines(node.right, before[1], None, indent + "        ")
        return [*found, indent + own + _cost(node)]
    assert isinstance(node, (Filter, Assign, Group, Sort, Head))
    found = lines(node.of, before[0], [*(where or []), node] if isinstance(node, Filter) else None, indent)
    return [*found, *(indent + line for line in _own(node, wanted))]


def _own(node: Filter | Assign | Group | Sort | Head, wanted: Collection[str]) -> list[str]:
    if isinstance(node, Filter):
        return [f"filter  {node.term.expression}"]
    if isinstance(node, Assign):
        return [f"make    {name} = {term.expression}" for name, term in node.made.items() if name in wanted]
    if isinstance(node, Group):
        made = ", ".join(f"{name} = {figure} of {column}" for name, (column, figure) in node.figures.items())
        return [f"group   by {', '.join(node.keys)}: {made}" + _cost(node)]
    if isinstance(node, Sort):
        way = zip(node.by, node.ascending, strict=True)
        return ["sort    by " + ", ".join(name + ("" if up else " downwards") for name, up in way) + _cost(node)]
    return [f"head    {node.count} rows"]


def _pairs(node: Join) -> str:
    pairs = zip(node.left_on, node.right_on, strict=True)
    return "by " + ", ".join(one if one == two else f"{one} = {two}" for one, two in pairs)


def _cost(node: Node) -> str:
    text = str(node.cost)
    return f"  [{text}]" if text else ""


def _reading(node: Source, wanted: Collection[str], where: list[Filter]) -> str:
    reader = node.reader
    names = [name for name in reader.schema.names if name in wanted]
    term = functools.reduce(Term.also, (one.term for one in where)) if where else None
    left, excluded, paged = reader, 0, (0, 0)
    if term is not None and isinstance(reader, ParquetReader):
        by_statistics = reader.only(reader.left(term.expression))
        left = by_statistics.narrowed(term.members)
        excluded = len(by_statistics.parts) - len(left.parts)
        paged = once(ParquetReader.paged, left, term.expression)
    node.cost.estimated_bytes = estimated(left, names)
    by_pages = f" ({paged[0]} of {paged[1]} rows by page indexes)" if paged[0] < paged[1] else ""
    files = len({part.file for part in reader.parts})
    return (
        f"read    {len(left.parts)} of {len(reader.parts)} parts of {files} file{'s' if files != 1 else ''}"
        f"{f' ({excluded} excluded by Bloom filters)' if excluded else ''}{by_pages}: "
        f"columns {', '.join(names)} of {', '.join(reader.schema.names)}"
    )
