# SPDX-License-Identifier: Apache-2.0
"""The steps of a plan. Each knows the columns that it gives, and which it needs of the steps before it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..io.reader import Reader
from .terms import Term


@dataclass
class Cost:
    """Estimated and measured cost of a step."""

    estimated_bytes: int | None = None
    bytes: int | None = None
    rows: int | None = None
    seconds: float = 0.0
    exchanged_bytes: int = 0
    spilled_bytes: int = 0

    def __str__(self) -> str:
        said = [] if self.estimated_bytes is None else [f"about {shown(self.estimated_bytes)}"]
        if self.rows is not None:
            said += [f"{self.rows} rows", *([] if self.bytes is None else [shown(self.bytes)]), f"{self.seconds:.3f} s"]
        if self.exchanged_bytes:
            said.append(f"exchanged {shown(self.exchanged_bytes)}")
        if self.spilled_bytes:
            said.append(f"spilled {shown(self.spilled_bytes)}")
        return ", ".join(said)


def shown(size: float) -> str:
    """Bytes as people read them."""
    for unit in ("B", "KB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.4g} GB"


@dataclass(eq=False)
class Node:
    """A step; two are the same only if they are one object."""

    cost: Cost = field(default_factory=Cost, init=False, repr=False)

    @property
    def names(self) -> list[str]:
        """The columns that it gives."""
        raise NotImplementedError

    def before(self) -> list[Node]:
        """The steps that it stands on."""
        raise NotImplementedError

    def needs(self, wanted: Collection[str]) -> list[set[str]]:
        """For each step before it the columns without which it cannot give these."""
        raise NotImplementedError


@dataclass(eq=False)
class Source(Node):
    """Files."""

    reader: Reader

    @property
    def names(self) -> list[str]:
        return self.reader.names(None)

    def before(self) -> list[Node]:
        return []

    def needs(self, wanted: Collection[str]) -> list[set[str]]:
        return []


@dataclass(eq=False)
class One(Node):
    """A step that stands on one other."""

    of: Node

    @property
    def names(self) -> list[str]:
        return self.of.names

    def before(self) -> list[Node]:
        return [self.of]


@dataclass(eq=False)
class Filter(One):
    """The rows for which a term is true."""

    term: Term

    def needs(self, wanted: Collection[str]) -> list[set[str]]:
        return [set(wanted) | self.term.fields]


@dataclass(eq=False)
class Assign(One):
    """More columns, or others in their place."""

    made: Mapping[str, Term]

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys([*self.of.names, *self.made]))

    def needs(self, wanted: Collection[str]) -> list[set[str]]:
        found = {name for name in wanted if name not in self.made}
        return [found.union(*(term.fields for name, term in self.made.items() if name in wanted))]


@dataclass(eq=False)
class Choose(One):
    """Some of the columns."""

    chosen: Sequence[str]

    @property
    def names(self) -> list[str]:
        return list(self.chosen)

    def needs(self, wanted: Collection[str]) -> list[set[str]]:
        return [set(wanted)]


@dataclass(eq=False)
class Group(One):
    """Aggregates of groups: for each result a column and an aggregate's name."""

    keys: Sequence[str]
    figures: Mapping[str, tuple[str, str]]
    dropna: bool

    @property
    def names(self) -> list[str]:
        return [*self.keys, *self.figures]

    def needs(self, wanted: Collection[str]) -> list[set[str]]:
        return [{*self.keys, *(column for column, _ in self.figures.values())}]


@dataclass(eq=False)
class Sort(One):
    """Rows in order."""

    by: Sequence[str]
    ascending: Sequence[bool]

    def needs(self, wanted: Collection[str]) -> list[set[str]]:
        return [{*wanted, *self.by}]


@dataclass(eq=False)
class Head(One):
    """The first rows."""

    count: int

    def needs(self, wanted: Collection[str]) -> list[set[str]]:
        return [set(wanted)]


@dataclass(eq=False)
class Join(Node):
    """Rows of two tables whose keys are equal; columns as `merge` names them."""

    left: Node
    right: Node
    left_on: Sequence[str]
    right_on: Sequence[str]
    how: str
    suffixes: tuple[str, str]

    def before(self) -> list[Node]:
        return [self.left, self.right]

    def _given(self) -> list[tuple[str, int, str]]:
        """Columns: name here, side, name there."""
        left, right = self.left.names, self.right.names
        if self.how.startswith("left_") or self.how.startswith("right_"):
            side = int(self.how.startswith("right_"))
            return [(name, side, name) for name in (left, right)[side]]
        one = [name for name, other in zip(self.left_on, self.right_on, strict=True) if name == other]
        twice = {name for name in left if name in right and name not in one}
        first = [(name + self.suffixes[0] * (name in twice), 0, name) for name in left]
        return first + [(name + self.suffixes[1] * (name in twice), 1, name) for name in right if name not in one]

    @property
    def names(self) -> list[str]:
        return [name for name, _, _ in self._given()]

    def needs(self, wanted: Collection[str]) -> list[set[str]]:
        found = [set(self.left_on), set(self.right_on)]
        left, right = set(self.left.names), set(self.right.names)
        for name, side, there in self._given():
            if name in wanted:
                found[side].add(there)
                if there in left and there in right:  # so that both get their suffixes
                    found[0].add(there)
                    found[1].add(there)
        return found


def filtered(node: Node, term: Term) -> Node:
    """A filter, as near to the files as it can be."""
    if isinstance(node, Filter):
        return Filter(node.of, node.term.also(term))
    if (
        isinstance(node, (Sort, Choose))
        or (isinstance(node, Assign) and not term.fields & set(node.made))
        or (isinstance(node, Group) and term.fields <= set(node.keys))
    ):
        return replace(node, of=filtered(node.of, term))
    if isinstance(node, Join):
        left = term.fields <= set(node.left.names) and not term.fields & (set(node.right.names) - set(node.left_on))
        right = term.fields <= set(node.right.names) and not term.fields & (set(node.left.names) - set(node.right_on))
        if left and node.how in ("inner", "left", "left_anti"):
            return replace(node, left=filtered(node.left, term))
        if right and node.how in ("inner", "right"):
            return replace(node, right=filtered(node.right, term))
    return Filter(node, term)
