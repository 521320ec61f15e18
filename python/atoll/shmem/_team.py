# SPDX-License-Identifier: Apache-2.0
"""Teams and their collective operations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from atoll import _core

from ._library import symmetric

_OPERATIONS = {"sum": 0, "prod": 1, "min": 2, "max": 3, "and": 4, "or": 5, "xor": 6}
_REDUCE, _INSCAN, _EXSCAN = range(3)


def _contiguous(source: ArrayLike) -> NDArray[Any]:
    return np.ascontiguousarray(source).reshape(np.shape(source))


def _operation(op: str) -> int:
    if op not in _OPERATIONS:
        raise ValueError(f"a reduction is one of {', '.join(_OPERATIONS)}, not {op!r}")
    return _OPERATIONS[op]


class Team:
    """PEs that act together, numbered from 0 within the team. `team_world` has all of them.

    Every PE of the team calls collective methods in the same order. Any arrays may be passed; symmetric ones are
    faster.

    Examples
    --------
    >>> from atoll import shmem
    >>> team = shmem.team_world()
    >>> team.my_pe, team.n_pes
    (0, 1)
    """

    __slots__ = ("_core",)

    def __init__(self, core: _core.Team) -> None:
        self._core = core

    my_pe = property(lambda self: self._core.rank, doc="Number of this PE in the team.")
    n_pes = property(lambda self: self._core.size, doc="Number of PEs in the team.")

    def __repr__(self) -> str:
        return f"<team: PE {self.my_pe} of {self.n_pes}>"

    # -- subteams --

    def split(self, pes: Iterable[int]) -> Team | None:
        """A team of these PEs of this team, in this order. Collective over this team.

        Returns
        -------
        Team or None
            None on PEs outside the new team.

        Examples
        --------
        >>> from atoll import shmem
        >>> shmem.team_world().split([0])
        <team: PE 0 of 1>
        """
        made = self._core.split(list(pes))
        return None if made is None else Team(made)

    def split_strided(self, start: int, stride: int, size: int) -> Team | None:
        """The team of PEs start, start + stride, …: `size` of them. Collective over this team; see `split`."""
        return self.split(start + stride * i for i in range(size))

    def split_2d(self, width: int) -> tuple[Team, Team]:
        """The row and the column of this PE when PEs are laid out `width` to a row. Collective over this team.

        Examples
        --------
        >>> from atoll import shmem
        >>> row, column = shmem.team_world().split_2d(1)
        >>> column.n_pes == shmem.n_pes()
        True
        """
        if width < 1:
            raise ValueError(f"a row has at least one PE, not {width}")
        width = min(width, self.n_pes)
        x, y = self.my_pe % width, self.my_pe // width
        row = self.split(range(y * width, min((y + 1) * width, self.n_pes)))
        column = self.split(range(x, self.n_pes, width))
        assert row is not None
        assert column is not None
        return row, column

    def split_node(self) -> tuple[Team, Team]:
        """Two teams: the PEs of this node, and the PEs with the same number on their nodes. Collective over this team.

        The second team of the PEs with number 0 in their first team has one PE of each node.

        Examples
        --------
        >>> from atoll import shmem
        >>> node, across = shmem.team_world().split_node()
        >>> across.n_pes  # nodes
        1
        """
        members: dict[int, list[int]] = {}
        for pe, node in enumerate(nodes := self._core.nodes()):
            members.setdefault(node, []).append(pe)
        mine = members[nodes[self.my_pe]]
        number = mine.index(self.my_pe)
        node_team = self.split(mine)
        across = self.split(sorted(pes[number] for pes in members.values() if number < len(pes)))
        assert node_team is not None
        assert across is not None
        return node_team, across

    def translate_pe(self, pe: int, other: Team) -> int:
        """Number in `other` of this team's PE `pe`; -1 when it is not in it.

        Examples
        --------
        >>> from atoll import shmem
        >>> world = shmem.team_world()
        >>> world.translate_pe(0, world)
        0
        """
        return -1 if pe < 0 else self._core.translate(pe, other._core)

    def destroy(self) -> None:
        """End the team. Collective over it."""
        self._core.destroy()

    # -- collectives --

    def sync(self) -> None:
        """Wait until every PE of the team has called this. Does not complete puts: `quiet` does."""
        self._core.sync()

    def broadcast(self, array: NDArray[Any], root: int = 0) -> NDArray[Any]:
        """Copies the root's values into `array` on every PE; returns `array`.

        Examples
        --------
        >>> import numpy as np
        >>> from atoll import shmem
        >>> shmem.team_world().broadcast(np.arange(3))
        array([0, 1, 2])
        """
        if not array.flags.c_contiguous or not array.flags.writeable:
            raise ValueError("the array must be contiguous and writable")
        if not 0 <= root < self.n_pes:
            raise IndexError(f"there is no PE {root} in a team of {self.n_pes}")
        self._core.broadcast(array, root)
        return array

    def fcollect(self, source: ArrayLike) -> NDArray[Any]:
        """The arrays of all PEs, stacked along a new first axis. Shape and dtype are the same on all PEs.

        Examples
        --------
        >>> from atoll import shmem
        >>> shmem.team_world().fcollect([1, 2])
        array([[1, 2]])
        """
        given = _contiguous(source)
        result = np.empty((self.n_pes, *given.shape), given.dtype)
        self._core.fcollect(result, given)
        return result

    def collect(self, source: ArrayLike) -> NDArray[Any]:
        """The arrays of all PEs, concatenated along the first axis. Lengths may differ.

        Examples
        --------
        >>> from atoll import shmem
        >>> shmem.team_world().collect([1, 2])
        array([1, 2])
        """
        given = _contiguous(np.atleast_1d(np.asarray(source)))
        row = int(np.prod(given.shape[1:], dtype=np.int64))
        counts = self._core.counts(given.size)
        rows = sum(counts) // max(row, 1)
        result = np.empty((rows, *given.shape[1:]), given.dtype)
        self._core.collect(result, given, counts)
        return result

    def alltoall(self, source: ArrayLike) -> NDArray[Any]:
        """Exchange rows: row (or group of rows) k of `source` goes to PE k, and row k of the result is from PE k.

        The length of the first axis is a multiple of the number of PEs.

        Examples
        --------
        >>> from atoll import shmem
        >>> shmem.team_world().alltoall([[1, 2]])
        array([[1, 2]])
        """
        given = _contiguous(source)
        if given.ndim == 0 or given.shape[0] % self.n_pes:
            raise ValueError(f"the first axis must be a multiple of {self.n_pes}, not of shape {given.shape}")
        result = np.empty_like(given)
        self._core.alltoall(result, given)
        return result

    def reduce(self, source: ArrayLike, op: str = "sum") -> NDArray[Any]:
        """Elementwise reduction over PEs: 'sum', 'prod', 'min', 'max', 'and', 'or' or 'xor'. All PEs get the result.

        Examples
        --------
        >>> from atoll import shmem
        >>> shmem.team_world().reduce([1, 2], "max")
        array([1, 2])
        """
        return self._reduce(_REDUCE, source, op)

    def inscan(self, source: ArrayLike, op: str = "sum") -> NDArray[Any]:
        """Inclusive scan: reduction over PEs 0 to this one; see `reduce`.

        Examples
        --------
        >>> from atoll import shmem
        >>> shmem.team_world().inscan([1, 2])
        array([1, 2])
        """
        return self._reduce(_INSCAN, source, op)

    def exscan(self, source: ArrayLike, op: str = "sum") -> NDArray[Any]:
        """Exclusive scan: reduction over the PEs before this one; on PE 0 the identity; see `reduce`.

        Examples
        --------
        >>> from atoll import shmem
        >>> shmem.team_world().exscan([1, 2])
        array([0, 0])
        """
        return self._reduce(_EXSCAN, source, op)

    def _reduce(self, how: int, source: ArrayLike, op: str) -> NDArray[Any]:
        code = _operation(op)
        given = _contiguous(source)
        if op in ("and", "or", "xor") and given.dtype.kind not in "biu":
            raise TypeError(f"{op} is for booleans and integers, not {given.dtype}")
        if op in ("min", "max") and given.dtype.kind == "c":
            raise TypeError("complex numbers have no order")
        result = np.empty_like(given)
        self._core.reduce(how, code, result, given)
        return result


def team_world() -> Team:
    """The team of all PEs.

    Examples
    --------
    >>> from atoll import shmem
    >>> shmem.team_world().n_pes == shmem.n_pes()
    True
    """
    return Team(symmetric().team_world())


def broadcast(array: NDArray[Any], root: int = 0) -> NDArray[Any]:
    """`Team.broadcast` over all PEs."""
    return team_world().broadcast(array, root)


def fcollect(source: ArrayLike) -> NDArray[Any]:
    """`Team.fcollect` over all PEs."""
    return team_world().fcollect(source)


def collect(source: ArrayLike) -> NDArray[Any]:
    """`Team.collect` over all PEs."""
    return team_world().collect(source)


def alltoall(source: ArrayLike) -> NDArray[Any]:
    """`Team.alltoall` over all PEs."""
    return team_world().alltoall(source)


def reduce(source: ArrayLike, op: str = "sum") -> NDArray[Any]:
    """`Team.reduce` over all PEs."""
    return team_world().reduce(source, op)


def inscan(source: ArrayLike, op: str = "sum") -> NDArray[Any]:
    """`Team.inscan` over all PEs."""
    return team_world().inscan(source, op)


def exscan(source: ArrayLike, op: str = "sum") -> NDArray[Any]:
    """`Team.exscan` over all PEs."""
    return team_world().exscan(source, op)
