# SPDX-License-Identifier: Apache-2.0
"""Plans as people read them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Sequence

from ..io.parquet.reader import ParquetReader
from ..session.everywhere import once
from .estimate import estimated
from .nodes import Assign, Choose, Filter, Group, Head, Join, Node, Sort, Source
from .terms import Term

#: What stands before the steps of a join's right side.
INDENT = " " * 8


def lines(node: Node, wanted: Collection[str]) -> list[str]:
    """A line for each step, the first one first."""
    return [
        INDENT * depth + text + ("" if costed is None else _cost(costed)) for depth, text, costed in steps(node, wanted)
    ]


def steps(
    node: Node, wanted: Collection[str], where: Sequence[Filter] = (), depth: int = 0,
    reading: Callable[[Source, Collection[str], Sequence[Filter]], str] | None = None,
) -> Iterator[tuple[int, str, Node | None]]:  # fmt: skip
    """Depth, description and node of each step, the first one first; None: the step's cost is part of another's.

    Parameters
    ----------
    where
        Filters between a source and `node`.
    reading
        Describes a source, in place of the description that looks at the statistics of its files.
    """
    if isinstance(node, Source):
        yield depth, (reading or _reading)(node, wanted, where), node
        return
    before = node.needs(wanted)
    if isinstance(node, Choose):
        yield from steps(node.of, wanted, where, depth, reading)
    elif isinstance(node, Join):
        yield from steps(node.left, before[0], (), depth, reading)
        yield from steps(node.right, before[1], (), depth + 1, reading)
        yield depth, f"join    {node.how} {_pairs(node)}", node
    else:
        assert isinstance(node, (Filter, Assign, Group, Sort, Head))
        above = [*where, node] if isinstance(node, Filter) else ()
        yield from steps(node.of, before[0], above, depth, reading)
        yield from ((depth, text, costed) for text, costed in _own(node, wanted))


def _own(node: Filter | Assign | Group | Sort | Head, wanted: Collection[str]) -> list[tuple[str, Node | None]]:
    if isinstance(node, Filter):
        return [(f"filter  {node.term.expression}", None)]
    if isinstance(node, Assign):
        return [(f"make    {name} = {term.expression}", None) for name, term in node.made.items() if name in wanted]
    if isinstance(node, Group):
        made = ", ".join(f"{name} = {figure} of {column}" for name, (column, figure) in node.figures.items())
        return [(f"group   by {', '.join(node.keys)}: {made}", node)]
    if isinstance(node, Sort):
        way = zip(node.by, node.ascending, strict=True)
        return [("sort    by " + ", ".join(name + ("" if up else " downwards") for name, up in way), node)]
    return [(f"head    {node.count} rows", None)]


def _pairs(node: Join) -> str:
    pairs = zip(node.left_on, node.right_on, strict=True)
    return "by " + ", ".join(one if one == two else f"{one} = {two}" for one, two in pairs)


def _cost(node: Node) -> str:
    text = str(node.cost)
    return f"  [{text}]" if text else ""


def _reading(node: Source, wanted: Collection[str], where: Sequence[Filter]) -> str:
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
