# SPDX-License-Identifier: Apache-2.0
"""Carries out plans: a step at a time in memory where its rows fit, else by pieces that are spilled."""

from __future__ import annotations

import contextlib
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ..frame import DataFrame, concat
from ..frame.data.lazy import Pending, Unread, as_they_are
from ..io.parquet.reader import ParquetReader
from ..io.reader import Reader
from ..io.reading import read_columns
from ..session import current
from ..session.everywhere import everywhere
from .derived import Derived
from .estimate import estimated, is_wide
from .figures import finished, grouped, in_two_steps, settled
from .meter import Meter
from .nodes import Assign, Choose, Cost, Filter, Group, Head, Join, Node, Sort, Source
from .record import recorded
from .spill import Chain, Spill, spilled
from .split import pieces_of, ranges_for, sample, split

#: What steps take at their highest, as a multiple of the rows that they work on, with some room. Measured with three
#: columns of 8 bytes: sums of groups took 4 (5 where all keys differ), medians 12, a join 3.5, a sort 2.7. Groups whose
#: keys or sums take more (of numbers of many magnitudes) are made of smaller pieces when they turn out not to fit.
_TAKES = {"sort": 4, "group": 6, "group by texts": 8, "group by all rows": 16, "join": 6, "read": 3}

#: What steps give: rows in memory, or a way to read them.
Rows = Any


class Run(contextlib.ExitStack):
    """One run of one or several plans, whose common steps are done once."""

    def __init__(self, plans: Sequence[Node], wanted: Sequence[Sequence[str]]) -> None:
        super().__init__()
        self._uses: Counter[int] = Counter()
        self._needed: dict[int, set[str]] = {}
        self._nodes: dict[int, Node] = {}
        for plan, names in zip(plans, wanted, strict=True):
            self._look(plan, set(names))
        self._done: dict[int, list[Rows]] = {}
        self._plans, self._wanted = plans, wanted
        self._sources = {id(node.reader): node for node in self._nodes.values() if isinstance(node, Source)}

    def _look(self, node: Node, wanted: set[str]) -> None:
        self._uses[id(node)] += 1
        before = self._needed.get(id(node), set())
        self._needed[id(node)], self._nodes[id(node)] = before | wanted, node
        node.cost = Cost()
        for child, needs in zip(node.before(), node.needs(wanted), strict=True):
            self._look(child, needs)

    def __enter__(self) -> Run:
        super().__enter__()
        self._spill = self.enter_context(Spill())
        self._meter = Meter(self._spill)
        self._free = _least()
        self._note_progress = self.enter_context(recorded(self._plans, self._wanted))
        return self

    # -- results --

    def frames(self, node: Node, names: Sequence[str]) -> Iterator[DataFrame]:
        """The plan's rows, as many at a time as fit."""
        for rows in self._rows(node):
            yield from self._frames_of(rows, names, "read")

    def frame(self, node: Node, names: Sequence[str]) -> DataFrame:
        """All of the plan's rows. MemoryError when they are too many."""
        try:
            return _joined([self._whole(rows, names) for rows in self._rows(node)])
        except MemoryError as error:
            raise MemoryError(
                f"{error}. Or write the rows with to_parquet, or go through them with batches()"
            ) from error

    # -- steps --

    def _rows(self, node: Node) -> Iterable[Rows]:
        if id(node) not in self._done and self._uses[id(node)] == 1:
            return self._made(node)
        if id(node) not in self._done:
            self._done[id(node)] = list(self._made(node))
            if isinstance(node, Source):  # read once for all
                names = [name for name in node.names if name in self._needed[id(node)]]
                if self._fit(node.reader, names, "read"):
                    self._done[id(node)] = [self._whole(node.reader, names)]
        return self._done[id(node)]

    def _made(self, node: Node) -> Iterator[Rows]:
        steps: dict[type, Any] = {
            Source: self._source, Filter: self._filter, Assign: self._assign, Choose: self._choose, Group: self._group,
            Sort: self._sort, Head: self._head, Join: self._join,
        }  # fmt: skip
        made = iter(steps[type(node)](node))
        while True:
            with self._meter.on(node.cost):
                rows = next(made, None)
                if rows is None:
                    return
                if not isinstance(rows, Reader):
                    node.cost.rows = (node.cost.rows or 0) + len(rows)
                    node.cost.bytes = (node.cost.bytes or 0) + _bytes(rows)
            self._note_progress()
            yield rows
            del rows

    def _source(self, node: Source) -> Iterator[Rows]:
        yield node.reader

    def _filter(self, node: Filter) -> Iterator[Rows]:
        for rows in self._rows(node.of):
            reader = self._reader(rows)
            if isinstance(reader, ParquetReader):
                reader = reader.narrowed(node.term.members)
            yield Derived(reader, node.term, {})

    def _assign(self, node: Assign) -> Iterator[Rows]:
        for rows in self._rows(node.of):
            yield Derived(self._reader(rows), None, node.made)

    def _choose(self, node: Choose) -> Iterator[Rows]:
        yield from self._rows(node.of)

    def _head(self, node: Head) -> Iterator[Rows]:
        left = node.count
        for rows in self._rows(node.of):
            for frame in self._frames_of(rows, self._names(node.of), "read", left):
                yield frame.head(left)
                left -= min(left, len(frame))
                if not left:
                    return

    def _sort(self, node: Sort) -> Iterator[Rows]:
        names, by = self._names(node.of), list(node.by)
        rows = self._one(self._rows(node.of))
        if self._fit(rows, names, "sort"):
            yield self._whole(rows, names).sort_values(by, ascending=list(node.ascending), ignore_index=True)
            return
        reader = self._reader(rows)
        keys = list(zip(by, node.ascending, strict=True))
        pieces = list(pieces_of(self._spill, reader, keys, names, estimated(reader, names), self._piece("sort")))
        self._seen(reader, pieces)
        for piece in pieces:
            frame = self._whole(piece, names)
            yield frame.sort_values(by, ascending=list(node.ascending), ignore_index=True)

    def _group(self, node: Group) -> Iterator[Rows]:
        names, steps = self._names(node.of), in_two_steps(node.figures)
        coming = iter(self._rows(node.of))
        some = list(itertools.islice(coming, 2))
        by = "group by texts" if any(_has_texts(rows, node.keys) for rows in some) else "group"
        kind = "group by all rows" if steps is None else by
        if len(some) > 1 and steps is not None:
            made = self._group_by_batches(node, self._frames_in(some, coming, names, by), by, steps, 1.0)
        else:
            rows, made = self._one(itertools.chain(some, coming)), None
            if self._fit(rows, names, kind):
                try:
                    made = [grouped(self._whole(rows, names), node.keys, node.figures, node.dropna)]
                except MemoryError:
                    if not isinstance(rows, Reader):
                        raise
            if made is None and steps is not None:
                made = self._group_by_batches(node, self._frames_of(rows, names, by), by, steps, 2 / 3)
        if made is not None:
            yield from made
            return
        reader, keys = self._reader(rows), [(key, True) for key in node.keys]
        pieces = pieces_of(self._spill, reader, keys, names, estimated(reader, names), self._piece(kind))
        self._seen(reader, pieces)

        def groups(frame: Any) -> Any:
            return grouped(frame, node.keys, node.figures, node.dropna)

        for piece in pieces:
            yield from self._by_piece(node, piece, names, groups)

    def _by_piece(
        self, node: Group, piece: Reader, names: Sequence[str], groups: Callable[[Any], Any]
    ) -> Iterator[Any]:
        """Groups of a piece; where they take more memory than was thought, of smaller ones."""
        try:
            made = groups(self._whole(piece, names))
        except MemoryError:
            made = None
        if made is None:
            keys, held = [(key, True) for key in node.keys], estimated(piece, names)
            smaller = pieces_of(self._spill, piece, keys, names, held, held // 4)
            if len(smaller) > 1:
                for one in smaller:
                    yield from self._by_piece(node, one, names, groups)
                return
            made = groups(self._whole(piece, names))
        yield made

    def _group_by_batches(
        self, node: Group, frames: Iterable[Any], by: str, steps: Any, least: float
    ) -> Iterable[Rows] | None:
        """Groups of some rows at a time, and groups of these. None: the first did not become less by so much."""
        first, again, quotients = steps
        found: list[Any] = []
        aside: list[Reader] = []
        held = 0
        piece = self._piece(by)
        for frame in frames:
            size, made = _bytes(frame), _halves(frame, lambda some: grouped(some, node.keys, first, node.dropna))
            del frame
            fresh = least < 1 and not found and not aside
            if fresh and (len(made) > 1 or _bytes(made[0]) > least * size):
                return None
            found += made
            held += sum(map(_bytes, made))
            del made
            if held > piece:
                with contextlib.suppress(MemoryError):
                    found = [grouped(_joined(found), node.keys, _same(again, first), node.dropna)]
                    held = _bytes(found[0])
                if 2 * held > piece:
                    aside += [spilled(self._spill, one) for one in found]
                    found, held = [], 0
        if not aside:
            with contextlib.suppress(MemoryError):
                return [self._finished(node, _joined(found), again, quotients)]
        aside += [spilled(self._spill, one) for one in found]
        found.clear()
        reader, columns, keys = Chain(aside), [*node.keys, *first], [(key, True) for key in node.keys]
        pieces = pieces_of(self._spill, reader, keys, columns, estimated(reader, columns), piece)

        def groups(some: Any) -> Any:
            return self._finished(node, some, again, quotients)

        return itertools.chain.from_iterable(self._by_piece(node, one, columns, groups) for one in pieces)

    def _finished(self, node: Group, frame: Any, again: Any, quotients: Any) -> Any:
        whole = grouped(frame, node.keys, again, node.dropna)
        return finished(whole, node.keys, quotients, list(node.figures))

    def _join(self, node: Join) -> Iterator[Rows]:
        names = self._names(node.left), self._names(node.right)
        left, right = self._one(self._rows(node.left)), self._one(self._rows(node.right))
        fit = [self._fit(rows, own, "join") for rows, own in zip((left, right), names, strict=True)]
        if fit[1] and (node.how in ("inner", "left", "left_anti") or fit[0]):
            other = self._whole(right, names[1])
            parts = [left] if fit[0] else self._frames_of(left, names[0], "join")
            for part in parts:
                yield self._merged(node, self._whole(part, names[0]), other)
            return
        readers = self._reader(left), self._reader(right)
        keys = node.left_on[0], node.right_on[0]
        import pyarrow as pa

        looked = [sample(reader, key) for reader, key in zip(readers, keys, strict=True)]
        both = pa.concat_arrays([looked[0], looked[1].cast(looked[0].type)])
        sizes = [estimated(reader, own) for reader, own in zip(readers, names, strict=True)]
        ranges = ranges_for(both, sum(sizes), self._piece("join"))
        if ranges is None:
            yield self._merged(node, self._whole(left, names[0]), self._whole(right, names[1]))
            return
        sides = [
            split(self._spill, reader, key, own, ranges) for reader, key, own in zip(readers, keys, names, strict=True)
        ]
        for reader, side in zip(readers, sides, strict=True):
            self._seen(reader, side)
        pairs = list(zip(*sides, strict=True))
        for one, two in [pair for pair in pairs if pair[0].parts or pair[1].parts] or pairs[:1]:
            yield self._merged(node, self._whole(one, names[0]), self._whole(two, names[1]))

    def _merged(self, node: Join, left: Any, right: Any) -> Any:
        keys = {"left_on": list(node.left_on), "right_on": list(node.right_on)}
        if node.left_on == node.right_on:
            keys = {"on": list(node.left_on)}
        return settled(left.merge(right, how=node.how, suffixes=node.suffixes, **keys)[self._names(node)])

    # -- rows in memory and elsewhere --

    def _names(self, node: Node) -> list[str]:
        return [name for name in node.names if name in self._needed[id(node)]]

    def _frames_in(
        self, some: list[Rows], coming: Iterator[Rows], names: Sequence[str], step: str
    ) -> Iterator[DataFrame]:
        """Rows of some things and of those that come behind them, of which none is held on to."""
        while some or (some := list(itertools.islice(coming, 1))):
            yield from self._frames_of(some.pop(0), names, step)

    def _one(self, coming: Iterable[Rows]) -> Rows:
        """All rows as one thing, in memory if there they are and are few."""
        found: list[Rows] = []
        held = 0
        for rows in coming:
            found.append(rows)
            held += 0 if isinstance(rows, Reader) else _bytes(rows)
            if len(found) > 1 and held > self._piece("group"):
                found, held = [self._reader(one) for one in found], 0
        if len(found) == 1:
            return found[0]
        if not any(isinstance(rows, Reader) for rows in found):
            return _joined(found)
        return Chain([self._reader(rows) for rows in found])

    def _fit(self, rows: Rows, names: Sequence[str], step: str) -> bool:
        return not isinstance(rows, Reader) or estimated(rows, names) * _TAKES[step] <= self._free

    def _piece(self, step: str) -> int:
        """Bytes of a piece for a step: some turn out larger than was thought, and what threads read is there too."""
        return max(self._free // (_TAKES[step] * 4 // 3), 1)

    def _reader(self, rows: Rows) -> Reader:
        return rows if isinstance(rows, Reader) else spilled(self._spill, rows)

    def _frames_of(self, rows: Rows, names: Sequence[str], step: str, first: int | None = None) -> Iterator[DataFrame]:
        """Rows in memory, as many at a time as fit; `first`: that is how many are needed."""
        if not isinstance(rows, Reader):
            yield rows[list(names)]
            return
        count = -(-estimated(rows, names) // self._piece(step))
        if first is not None and (known := sum(part.rows or 0 for part in rows.parts)):
            count = max(count, min(known // max(first, 1), len(rows.parts)))
        for batch in [rows] if count <= 1 else rows.cut(min(count, max(len(rows.parts), 1))):
            yield self._whole(batch, names)

    def _whole(self, rows: Rows, names: Sequence[str]) -> DataFrame:
        """Rows in memory."""
        if not isinstance(rows, Reader):
            return rows[list(names)]
        source, where = self._source_of(rows), None
        cost = Cost() if source is None else source.cost
        with self._meter.on(cost):
            if isinstance(rows, Derived) and not rows.made and not isinstance(rows.base, Derived):
                rows, where = rows.base, None if rows.where is None else rows.where.expression
            made = DataFrame(read_columns(rows, list(names), where))
            cost.rows = (cost.rows or 0) + len(made)
            cost.bytes = (cost.bytes or 0) + _bytes(made)
        self._note_progress()
        return made

    def _source_of(self, reader: Reader) -> Source | None:
        below = reader.source() if isinstance(reader, Derived) else reader
        return self._sources.get(below.origin or id(below))

    def _seen(self, reader: Reader, pieces: Sequence[Reader]) -> None:
        """The rows of a reader have been read, and are in pieces now."""
        source = self._source_of(reader)
        if source is not None:
            source.cost.rows = (source.cost.rows or 0) + sum(part.rows or 0 for one in pieces for part in one.parts)
            source.cost.bytes = (source.cost.bytes or 0) + sum(part.size for one in pieces for part in one.parts)


def _least() -> int:
    """Bytes that all PEs have for arrays, as the one with the least; a third is for what they send one another."""
    pes = current().pes
    return min(everywhere(_free)) * pes * (2 if pes > 1 else 3) // 3


def _free(here: Any) -> int:
    counts = here.stats()
    return max(counts["memory_limit"] - counts["memory_in_use"], 1 << 20)


def _bytes(frame: Any) -> int:
    """About how many bytes the columns take, or will when they are there."""
    held = as_they_are(frame._columns)
    return sum(
        8 * len(frame) if type(one) in (Pending, Unread) else int(getattr(one, "nbytes", 8 * len(one))) for one in held
    )


def _halves(frame: Any, done: Callable[[Any], Any]) -> list[Any]:
    """Runs a function on rows, and on half of them at a time when memory is short."""
    try:
        return [done(frame)]
    except MemoryError:
        if len(frame) < 2:
            raise
    middle = len(frame) // 2
    return _halves(frame.iloc[:middle], done) + _halves(frame.iloc[middle:], done)


def _has_texts(rows: Rows, names: Sequence[str]) -> bool:
    """Whether one of the columns is of strings, or of others that have no width."""
    if not isinstance(rows, Reader):
        return any(getattr(rows[name].dtype, "kind", "O") not in "biufmM" for name in names)
    return any(is_wide(rows.schema.field(name).type) for name in names)


def _joined(frames: Sequence[Any]) -> Any:
    return frames[0] if len(frames) == 1 else concat(frames, ignore_index=True, union_categories=True)


def _same(again: Any, first: Any) -> Any:
    """Aggregates of first aggregates, under their own names."""
    return {inner: (inner, figure) for inner, figure in again.values() if inner in first}
