# SPDX-License-Identifier: Apache-2.0
"""The registry of a server that `connect` has attached to: the objects that sessions share. Empty in other sessions."""

from __future__ import annotations

from typing import Any

from ...session import session


def _names() -> Any:
    """The published names of the server; None where the session is not on one."""
    if session.current().kind != "remote":
        return None
    from ...serve.client import names

    return names


def keep(name: str, thing: object) -> None:
    """Keeps an object on the server, where there is one. ValueError where the name is taken."""
    if (names := _names()) is not None:
        names.publish(name, thing)


def find(name: str) -> Any:
    """The object that any session has registered under a name; None where there is none."""
    names = _names()
    return names.attach(name) if names is not None and name in names.published() else None


def forget(name: str) -> None:
    """Gives a name back, where the server has it."""
    names = _names()
    if names is not None and name in names.published():
        names.unpublish(name)


def known() -> dict[str, str]:
    """All names on the server, and of which class their objects are."""
    names = _names()
    return {} if names is None else {name: about["kind"] for name, about in names.published().items()}
