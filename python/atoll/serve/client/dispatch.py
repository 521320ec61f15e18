# SPDX-License-Identifier: Apache-2.0
"""Functions in front of those of `_core`: they send the operations of remote sessions to their servers.

Everything above calls the engine as `_core.name(…)`. `install` replaces these functions, once, when the process
connects for the first time; until then nothing is in front of them, and embedded and driver sessions cost what they
cost without this package.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import _core
from ...arrays import engine
from ...plan import record
from ...session import current
from ..operations import LOCAL, NAMES, NUMBERS, SERVICES
from .handles import RemoteExpr, RemoteTexts
from .session import RemoteSession, plain
from .shapes import LAZY

_HANDLES = frozenset((RemoteExpr, RemoteTexts))


def remote_session(args: tuple[Any, ...]) -> RemoteSession | None:
    """The remote session that arguments belong to; None where they belong to this process's engine."""
    for one in args:
        kind = type(one)
        if kind is list or kind is tuple:
            for item in one:
                if type(item) in _HANDLES:
                    return item.session
        elif kind in _HANDLES:
            return one.session
        elif kind is RemoteSession:
            return one
    return None


def _eager(name: str, local: Callable[..., Any]) -> Callable[..., Any]:
    number = NUMBERS[name]
    prepare = PREPARED.get(name)

    def either(*args: object, **named: Any) -> Any:
        session = remote_session(args)
        if session is None:
            return local(*args, **named)
        if named:
            raise TypeError(f"{name}() takes no arguments by name in a remote session: {', '.join(named)}")
        return session.call(number, args if prepare is None else prepare(*args))

    return either


def _lazy(name: str, local: Callable[..., Any]) -> Callable[..., Any]:
    number, known = NUMBERS[name], LAZY[name]

    def either(*args: object) -> Any:
        session = remote_session(args)
        if session is None:
            return local(*args)
        dtype, shape = known(*args)
        made = RemoteExpr(session, session.number(), dtype, shape, False)
        session.defer(number, args, made.id)
        return made

    return either


# -- arguments that are made into what can be sent --


def _from_buffers(session: Any, offsets: Any, data: Any, owner: Any, binary: bool = False) -> tuple[Any, ...]:
    return session, plain(offsets), plain(data), None, binary


def _from_padded(session: object, values: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    return session, plain(values)


#: Operation → its arguments as they are sent.
PREPARED: dict[str, Callable[..., tuple[Any, ...]]] = {
    "text_from_buffers": _from_buffers,
    "text_from_padded": _from_padded,
}


def text_from_objects(session: Any, values: Sequence[Any], missing: Any) -> tuple[Any, Any]:
    """As `_core.text_from_objects`: the buffers are made here, as strings of Python are here."""
    parts: list[bytes] = []
    valid = np.ones(len(values), np.bool_)
    for row, value in enumerate(values):
        if isinstance(value, str):
            try:
                parts.append(value.encode())
            except UnicodeEncodeError:
                raise ValueError(f"text {row} has a surrogate without its pair, which UTF-8 cannot hold") from None
        elif value is None or value is missing or (isinstance(value, float) and value != value):
            parts.append(b"")
            valid[row] = False
        else:
            raise TypeError(f"element {row} is {type(value)!r}, not a text. Convert it first, with str()")
    offsets = np.zeros(len(parts) + 1, np.int64)
    np.cumsum([len(part) for part in parts], out=offsets[1:])
    data = np.frombuffer(b"".join(parts), np.uint8)
    made = _core.text_from_buffers(session, offsets, data, None, False)
    return made, None if valid.all() else valid


def _from_objects(local: Callable[..., Any]) -> Callable[..., Any]:
    def either(session: Any, values: Any, missing: Any) -> Any:
        make = text_from_objects if type(session) is RemoteSession else local
        return make(session, values, missing)

    return either


def _from_numpy(local: Callable[..., Any]) -> Callable[..., Any]:
    def either(session: Any, values: np.ndarray[Any, Any], copy: bool) -> Any:
        return session.upload(values) if type(session) is RemoteSession else local(session, values, copy)

    return either


def _refusing(name: str, local: Callable[..., Any]) -> Callable[..., Any]:
    def either(*args: object, **named: Any) -> Any:
        if remote_session(args) is not None:
            raise RuntimeError(f"{name} is not there in a remote session ({LOCAL[name]})")
        return local(*args, **named)

    return either


def _note_scan(run: record.Record) -> None:
    session: Any = current()
    if type(session) is RemoteSession:
        session.note_scan(run)


_installed = False


def install() -> None:
    """Puts the functions in front of `_core`'s, once for the process."""
    global _installed
    if _installed:
        return
    _installed = True
    record.LISTENERS.append(_note_scan)
    for name in (*NAMES, *LOCAL):
        if "." in name or name in SERVICES:
            continue
        local = getattr(_core, name)
        if name == "text_from_objects":
            either = _from_objects(local)
        elif name == "from_numpy":
            either = _from_numpy(local)
        elif name in LOCAL:
            either = _refusing(name, local)
        else:
            either = (_lazy if name in LAZY else _eager)(name, local)
        for module in (_core, engine):  # the latter has some of these functions under their own names
            if getattr(module, name, None) is local:
                setattr(module, name, either)
