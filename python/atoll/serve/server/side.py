# SPDX-License-Identifier: Apache-2.0
"""The side engine: a second engine of the server, of one PE and one thread, for small requests beside a long operation.

Results depend on data alone, never on the number of PEs. So a request whose arrays are small gets the same answer from
copies of these arrays in the side engine. The main thread makes the copies before a long operation.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from ... import _core
from .sizes import elements, nbytes

#: Elements of all arguments, or of the result, of an operation of the side engine, at most.
SMALL = 1 << 16
#: Bytes of the copies of one session, and of all published objects, at most.
LIMIT_BYTES = 64 << 20
#: Copies of one session, and of published objects, that are made before one operation, at most. One takes some 25 us.
COPIES = 128

#: Operations of the side engine. The size of their results is bounded by that of their arguments, or known before.
OPERATIONS = frozenset((
    "Expr.alias", "Expr.assign", "Expr.assign_index", "Expr.assign_mask", "Expr.assign_slice", "Expr.evaluate",
    "Expr.item", "Expr.item_at", "Expr.to_numpy", "apply", "arange", "argsort", "attach", "broadcast_to", "cast",
    "coargsort", "compress", "concatenate", "cumulate", "date_map", "date_to_text", "flatnonzero", "from_numpy", "full",
    "get_slice", "group_by", "isin", "key_bits", "published", "random", "random_law", "reduce_all", "reduce_axes",
    "reinterpret", "reshape", "roll", "run_starts", "scalar", "scan", "searchsorted", "sort", "take", "text_argsort",
    "text_buffers", "text_compare", "text_concatenate", "text_from_buffers", "text_from_padded", "text_hash",
    "text_measure", "text_number", "text_of_numbers", "text_slice", "text_sort", "text_take", "text_where",
    "trace_under", "transpose", "unique",
))  # fmt: skip
#: Operations that change their first argument in place.
CHANGING = frozenset((
    "Expr.assign", "Expr.assign_index", "Expr.assign_mask", "Expr.assign_slice", "store", "upload",
))  # fmt: skip
#: Operations that compute nothing: the engine notes them.
_NOTED = frozenset(("Expr.alias", "apply", "arange", "broadcast_to", "cast", "full", "scalar"))
#: Operations on one piece of an array, which take less than a millisecond once its elements are computed.
PIECEWISE = frozenset(("fetch", "store", "upload"))
_AXES = 64
#: Operations whose result has the shape that stands at this place of the arguments.
_SHAPED = {"empty": 1, "random": 2, "random_law": 2}


def is_small(name: str, args: list[Any]) -> bool:
    """Whether a call takes few milliseconds."""
    if (place := _SHAPED.get(name)) is not None and not (len(args) > place and _is_small_shape(args[place])):
        return False
    return elements(args) <= SMALL


def _is_small_shape(shape: object) -> bool:
    """Whether a shape, which no one has checked yet, is one of few elements: a product may take all memory."""
    if (type(shape) is not list and type(shape) is not tuple) or len(shape) > _AXES:
        return False
    return all(type(one) is int and 0 <= one <= SMALL for one in shape) and math.prod(shape) <= SMALL


def may_be_long(name: str, args: list[Any]) -> bool:
    """Whether other sessions are to be served during a call."""
    if name in PIECEWISE and args and getattr(args[0], "ready", False):
        return False
    return name == "run_everywhere" or (name not in _NOTED and not is_small(name, args))


def copied(handle: Any, core: Any) -> Any:
    """A copy of a small array or column in another engine; None: it is not small."""
    if elements(handle) > SMALL:
        return None
    if isinstance(handle, _core.Texts):
        offsets, data = _core.text_buffers(handle)
        return _core.text_from_buffers(core, offsets, data, (offsets, data), True)
    if isinstance(handle, _core.Expr):
        return _core.from_numpy(core, handle.to_numpy(True), True)
    return None


def alias(handle: Any) -> Any:
    """Another handle on the same values."""
    return handle.alias() if isinstance(handle, _core.Expr) else handle


class Copies:
    """Copies of the small arrays and columns of one session, by the numbers of their handles."""

    def __init__(self) -> None:
        self._known: dict[int, Any] = {}
        self._missing: dict[int, None] = {}  # handles that have no copy yet
        self._bytes = 0

    def find(self, number: int) -> Any:
        """The copy of a handle. KeyError where there is none."""
        return self._known[number]

    def put(self, number: int, copy: Any) -> None:
        """Adds or replaces a copy."""
        self.forget(number)
        self._known[number] = copy
        self._bytes += nbytes(copy)

    def forget(self, number: int) -> None:
        """The handle has been dropped."""
        self._missing.pop(number, None)
        if (copy := self._known.pop(number, None)) is not None:
            self._bytes -= nbytes(copy)

    def miss(self, number: int) -> None:
        """The handle is new, or its array has changed."""
        self.forget(number)
        self._missing[number] = None

    def complete(self, handles: Mapping[int, Any], core: Any) -> None:
        """Makes `COPIES` of the missing copies, the newest first."""
        for _ in range(min(COPIES, len(self._missing))):
            if self.is_full:
                return
            number, _ = self._missing.popitem()
            try:
                copy = copied(handles.get(number), core)
            except Exception:  # of what cannot be computed, the next call with it raises the same
                continue
            if copy is not None:
                self.put(number, copy)

    @property
    def is_full(self) -> bool:
        """Whether the copies take all bytes that they may take."""
        return self._bytes >= LIMIT_BYTES

    def numbers(self) -> Iterable[int]:
        """The handles that have copies. Other threads may ask."""
        return self._known.keys()

    def apart(self, handles: Mapping[int, Any]) -> int:
        """Bytes of arrays that are only in the side engine."""
        return sum(nbytes(copy) for number, copy in self._known.items() if number not in handles)

    def clear(self) -> None:
        """Frees all copies."""
        self._known.clear()
        self._missing.clear()
        self._bytes = 0
