# SPDX-License-Identifier: Apache-2.0
"""Published objects: arrays, columns and frames that have a name on a server and outlive the session."""

from __future__ import annotations

from typing import Any

from ...arrays.array import Array, wrap
from ...arrays.pair import Pair
from ...session import current
from ..objects import pack, unpack
from ..operations import NUMBERS
from ..protocol import Role
from .handles import RemoteExpr, RemoteTexts
from .session import RemoteSession


def _session() -> RemoteSession:
    session: Any = current()
    if not isinstance(session, RemoteSession):
        raise RuntimeError("names are those of a server, and the current session is on none. Call ak.connect first")
    return session


def publish(name: str, value: object, *, role: str = "read", replace: bool = False) -> None:
    """Give an array, a column or a frame a name on the server; other sessions may attach to it. Experimental.

    The server shares the elements and copies nothing. Later changes of an array in place are not seen by others.

    Parameters
    ----------
    name : str
        A letter, then letters, digits, ``_``, ``.`` and ``-``.
    value
        An array, column, Series, Index or DataFrame of the current session, or a dict or list of these.
    role : {"read", "compute", "code"}
        The role that a session needs to attach.
    replace : bool
        Whether the name may have been published before.
    """
    session = _session()
    if isinstance(value, Array):
        value = wrap(value._read().alias())  # of a view its own elements
    form, handles = pack(value, (RemoteExpr, RemoteTexts))
    if not handles and not isinstance(value, (Array, Pair)):
        raise TypeError(f"a {type(value).__name__} has no elements on the server. Publish arrays, columns or frames")
    kind = type(value).__name__
    session.call(NUMBERS["publish"], (name, kind, form, handles, Role.of(role).label, bool(replace)))


def attach(name: str) -> Any:
    """The object that is published under a name, in the current session. Experimental."""
    _, form, handles = _session().call(NUMBERS["attach"], (name,))
    return unpack(form, handles)


def published() -> dict[str, dict[str, Any]]:
    """Published objects of the current session's server: name → kind, bytes, user and time. Experimental."""
    found = _session().call(NUMBERS["published"], ())
    return {name: {"kind": kind, "nbytes": size, "user": user, "time": at} for name, kind, size, user, at in found}


def unpublish(name: str) -> None:
    """Forget a name; sessions that are attached keep the object. Experimental."""
    _session().call(NUMBERS["unpublish"], (name,))
