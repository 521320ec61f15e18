# SPDX-License-Identifier: Apache-2.0
"""Large arrays of a remote session, up and down in pieces: through shared memory where there is some, else frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..codec import DTYPES
from ..operations import NUMBERS
from ..transfer import LEAST, PIECE, SLOT
from .handles import RemoteExpr

if TYPE_CHECKING:
    from .session import RemoteSession

_EMPTY, _EVALUATE, _TO_NUMPY = NUMBERS["empty"], NUMBERS["Expr.evaluate"], NUMBERS["Expr.to_numpy"]
_FETCH, _STORE, _UPLOAD = NUMBERS["fetch"], NUMBERS["store"], NUMBERS["upload"]


def is_large(values: np.ndarray[Any, Any]) -> bool:
    """Whether an array goes in pieces."""
    return values.nbytes >= LEAST and values.ndim > 0 and values.dtype.kind != "c"


def upload(session: RemoteSession, values: np.ndarray[Any, Any], dtype: int) -> RemoteExpr:
    """A new array of the server with these values, which are in C order."""
    made: RemoteExpr = session.call(_EMPTY, (session, list(values.shape), dtype))
    data = values.reshape(-1).view(np.uint8)
    with session.exclusive():
        memory = session.memory
        number, step = 0, PIECE if memory is None else SLOT
        for piece, begin in enumerate(range(0, data.size, step)):
            part = data[begin : begin + step]
            if memory is None:  # without answers: the socket's buffers keep both sides busy
                session.post(_UPLOAD, (made, begin, part), made.id)
                continue
            memory.slot(piece % 2, part.size)[:] = part
            if number:
                session.answer(number)
            number = session.ask(_STORE, (made, begin, piece % 2, part.size))
        session.answer(number if memory is not None else session.ask(_EVALUATE, (made,)))
    made.ready = True
    return made


def download(session: RemoteSession, array: RemoteExpr, names: dict[int, str]) -> np.ndarray[Any, Any]:
    """The elements of an array of the server."""
    dtype = DTYPES[names[array.dtype]]
    if session.memory is None or array.size * dtype.itemsize < LEAST or not array.shape:
        found: np.ndarray[Any, Any] = session.call(_TO_NUMPY, (array, True))
        return found
    fixed = array.alias()  # other threads may change the array between two pieces
    fixed.evaluate()
    array.ready = True
    result = np.empty(array.shape, dtype)
    data = result.reshape(-1).view(np.uint8)
    with session.exclusive():
        memory = session.memory

        def ask(begin: int) -> int:
            return session.ask(_FETCH, (fixed, begin, begin // SLOT % 2, min(SLOT, data.size - begin)))

        number = ask(0)
        for begin in range(0, data.size, SLOT):
            session.answer(number)
            if begin + SLOT < data.size:
                number = ask(begin + SLOT)
            part = data[begin : begin + SLOT]
            part[:] = memory.slot(begin // SLOT % 2, part.size)
    return result
