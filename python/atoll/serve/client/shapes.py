# SPDX-License-Identifier: Apache-2.0
"""Lazy operations whose dtype and shape follow from their arguments: a client need not ask the server.

The engine only notes these operations, so the calls go with the next message that needs an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

#: dtype and shape of a result.
Known = tuple[int, tuple[int, ...]]


def broadcast(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape that operands have together. ValueError in NumPy's words."""
    found = shapes[0]
    for shape in shapes[1:]:
        if shape == found:
            continue
        one, other = found, shape
        if len(one) < len(other):
            one, other = other, one
        merged = list(one)
        for axis in range(1, len(other) + 1):
            if merged[-axis] == 1:
                merged[-axis] = other[-axis]
            elif other[-axis] not in (1, merged[-axis]):
                raise ValueError(
                    f"operands could not be broadcast together with shapes {_shown(found)} {_shown(shape)}"
                )
        found = tuple(merged)
    return found


def _shown(shape: tuple[int, ...]) -> str:
    return f"({','.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def _checked(shape: Sequence[int]) -> tuple[int, ...]:
    found = tuple(int(extent) for extent in shape)
    if any(extent < 0 for extent in found):
        raise ValueError("negative dimensions are not allowed")
    return found


def _apply(op: int, compute: int, result: int, operands: Sequence[Any]) -> Known:
    return result, broadcast([one.shape for one in operands])


def _broadcast_to(x: Any, shape: Sequence[int]) -> Known:
    wanted = _checked(shape)
    if broadcast([x.shape, wanted]) != wanted:
        raise ValueError(f"cannot broadcast shape {_shown(x.shape)} to {_shown(wanted)}")
    return x.dtype, wanted


def _arange(session: object, start: int | None, step: int | None, count: int, dtype: int) -> Known:
    return dtype, _checked((count,))


#: Operation → dtype and shape of its result, by the same arguments.
LAZY: dict[str, Callable[..., Known]] = {
    "apply": _apply,
    "arange": _arange,
    "broadcast_to": _broadcast_to,
    "cast": lambda x, dtype: (dtype, x.shape),
    "full": lambda session, shape, dtype, value: (dtype, _checked(shape)),
    "scalar": lambda session, value, dtype: (dtype, ()),
}
