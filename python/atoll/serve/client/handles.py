# SPDX-License-Identifier: Apache-2.0
"""Handles on arrays and columns of strings of a server: what `_core.Expr` and `_core.Texts` are in a remote session."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from ..operations import NUMBERS

_ALIAS, _ASSIGN, _EVALUATE = NUMBERS["Expr.alias"], NUMBERS["Expr.assign"], NUMBERS["Expr.evaluate"]
_ITEM, _ITEM_AT = NUMBERS["Expr.item"], NUMBERS["Expr.item_at"]
_SLICE, _MASK, _INDEX = NUMBERS["Expr.assign_slice"], NUMBERS["Expr.assign_mask"], NUMBERS["Expr.assign_index"]


class Server(Protocol):
    """The interface of a session that handles use."""

    pes: int

    def call(self, operation: int, args: tuple[Any, ...]) -> Any:
        """Calls an operation and waits for its result."""

    def defer(self, operation: int, args: tuple[Any, ...], result: int) -> None:
        """Adds a call to those that go with the next message. `result`: the number of its handle; 0: none."""

    def download(self, array: RemoteExpr) -> np.ndarray[Any, Any]:
        """The elements of an array."""

    def number(self) -> int:
        """A number for a handle."""

    def drop(self, number: int, size: int) -> None:
        """A handle on so many bytes is no longer used here. Any thread, also in the middle of another call."""


class RemoteExpr:
    """A handle on an array of a server; `_core.Expr` documents what it has."""

    __slots__ = ("dtype", "id", "ready", "session", "shape")

    def __init__(self, session: Server, number: int, dtype: int, shape: tuple[int, ...], ready: bool) -> None:
        self.session, self.id, self.dtype, self.shape, self.ready = session, number, dtype, shape, ready

    def __del__(self, prod: Callable[[tuple[int, ...]], int] = math.prod) -> None:  # modules are empty at the very end
        self.session.drop(self.id, 8 * prod(self.shape))

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def evaluate(self) -> None:
        if not self.ready:
            self.session.call(_EVALUATE, (self,))
            self.ready = True

    def alias(self) -> RemoteExpr:
        made = RemoteExpr(self.session, self.session.number(), self.dtype, self.shape, self.ready)
        self.session.defer(_ALIAS, (self,), made.id)
        return made

    def item(self) -> Any:
        return self.session.call(_ITEM, (self,))

    def item_at(self, position: int) -> Any:
        return self.session.call(_ITEM_AT, (self, position))

    def to_numpy(self, copy: bool | None) -> np.ndarray[Any, Any]:
        if copy is False:
            raise ValueError("the array is in a server's memory: NumPy can only have a copy")
        return self.session.download(self)

    def local(self) -> np.ndarray[Any, Any]:
        raise ValueError("the array has no rows in this process (it is in a server's memory). Copy it: a.to_numpy()")

    def local_range(self) -> tuple[int, int]:
        return 0, 0

    def assign(self, value: RemoteExpr) -> None:
        if value.session is not self.session:
            raise ValueError("the arrays belong to different sessions. Copy one of them: ak.array(x.to_ndarray())")
        if (value.shape, value.dtype) != (self.shape, self.dtype):
            raise ValueError(f"cannot assign shape {value.shape} to shape {self.shape} in place, or another dtype")
        self.session.defer(_ASSIGN, (self, value), 0)
        self.ready = value.ready

    def assign_slice(self, slices: Sequence[tuple[int, int, int]], value: RemoteExpr) -> None:
        self._change(_SLICE, slices, value)

    def assign_mask(self, mask: RemoteExpr, value: RemoteExpr) -> None:
        self._change(_MASK, mask, value)

    def assign_index(self, indices: RemoteExpr, value: RemoteExpr, add: bool) -> None:
        self._change(_INDEX, indices, value, add)

    def _change(self, operation: int, *args: object) -> None:
        self.session.call(operation, (self, *args))
        self.ready = True


class RemoteTexts:
    """A handle on a column of strings of a server; `_core.Texts` documents what it has."""

    __slots__ = ("id", "nbytes", "rows", "session")

    def __init__(self, session: Server, number: int, rows: int, nbytes: int) -> None:
        self.session, self.id, self.rows, self.nbytes = session, number, rows, nbytes

    def __del__(self) -> None:
        self.session.drop(self.id, self.nbytes)
