# SPDX-License-Identifier: Apache-2.0
"""Published objects: they belong to the server and outlive the session that published them."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ... import _core
from ..protocol import Role
from . import side
from .sizes import nbytes

if TYPE_CHECKING:
    from .client import Client

_NAME = re.compile(r"[^\W\d][\w.-]{0,127}\Z")


@dataclass
class Published:
    """An object: what a client needs to make it again, and its handles."""

    kind: str
    form: bytes
    handles: list[Any]
    role: Role  # a client needs this role, or a higher one, to attach
    user: str
    at: float
    copies: list[Any] | None = None  # of the handles, in the side engine; None each: it is not small
    nbytes: int = 0  # of the handles: counted by the main thread, as strings ask the engine the first time

    def __post_init__(self) -> None:
        self.nbytes = sum(map(nbytes, self.handles))


class Names:
    """The names of a server. The thread that serves sessions uses them (`Deputy`), and the listener reads them."""

    def __init__(self) -> None:
        self._known: dict[str, Published] = {}
        self.version = 0  # changes with every change of the objects
        self._copied_version = 0  # of the objects that have copies

    def publish(
        self, client: Client, name: str, kind: str, form: bytes, handles: list[Any], role: str, replace: bool
    ) -> None:
        """Keeps an object under a name. Arrays are kept as they are now: later changes in place are not seen."""
        if not _NAME.match(name):
            raise ValueError(
                f"{name!r} is no name for a published object. Use a letter, then letters, digits, '_', '.', '-'"
            )
        if name in self._known and not replace:
            raise ValueError(f"{name!r} is published already. Choose another name, or pass replace=True")
        if not isinstance(form, bytes) or not isinstance(kind, str):
            raise TypeError("a published object is described by bytes")
        for one in handles:
            if isinstance(one, _core.Expr):
                one.evaluate()
        self.restore(name, Published(kind, form, _shared(handles), Role.of(role), client.user, time.time()))

    def restore(self, name: str, value: Published) -> None:
        """Publishes an object that has been checked."""
        self._known[name] = value
        self.version += 1

    def objects(self) -> dict[str, Published]:
        """All objects, as they are now."""
        return dict(self._known)

    def attach(self, client: Client, name: str) -> tuple[str, bytes, list[Any]]:
        """The object of a name, with handles of the client's own."""
        found = self._known.get(name)
        if found is None:
            known = ", ".join(sorted(self._known)) or "none"
            raise KeyError(f"nothing is published under the name {name!r} (there are: {known})")
        if client.role < found.role:
            raise PermissionError(
                f"{name!r} may be attached with the role {found.role.label} (this session has {client.role.label})"
            )
        return found.kind, found.form, _shared(found.handles)

    def copies(self, name: str) -> list[Any]:
        """Copies of an object's handles in the side engine; None for each that has none."""
        found = self._known[name]
        return found.copies or [None] * len(found.handles)

    def copy_to(self, core: Any) -> None:
        """Copies small objects to the side engine: as many handles as `side.COPIES`, or those of one object."""
        if self._copied_version == self.version:
            return
        made, total = 0, sum(sum(map(nbytes, one.copies or ())) for one in self._known.values())
        for one in self._known.values():
            if one.copies is None:
                if made >= side.COPIES or total >= side.LIMIT_BYTES:
                    return
                one.copies = [side.copied(handle, core) for handle in one.handles]
                total += sum(map(nbytes, one.copies))
                made += len(one.copies)
        self._copied_version = self.version

    def published(self, client: Client) -> list[tuple[str, str, int, str, float]]:
        """Name, kind, bytes, user and time of what this client may attach."""
        return [
            (name, one.kind, one.nbytes, one.user, one.at)
            for name, one in sorted(self._known.items())
            if client.role >= one.role
        ]

    def status(self) -> list[dict[str, Any]]:
        """Data of each object for a dashboard."""
        return [
            {"name": name, "kind": one.kind, "bytes": one.nbytes, "user": one.user,
             "role": one.role.label, "at": one.at}
            for name, one in sorted(self._known.items())
        ]  # fmt: skip

    def unpublish(self, client: Client, name: str) -> None:
        """Forgets a name; clients that are attached keep the object."""
        if self._known.pop(name, None) is None:
            raise KeyError(f"nothing is published under the name {name!r}")
        self.version += 1

    def __len__(self) -> int:
        return len(self._known)


def _shared(handles: list[Any]) -> list[Any]:
    return [side.alias(one) for one in handles]
