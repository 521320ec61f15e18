# SPDX-License-Identifier: Apache-2.0
"""`ak.connect`: a session on a server."""

from __future__ import annotations

import ipaddress
import socket
import ssl
from typing import Any

from ...session import progress
from ...session.session import Session, adopt
from .. import server_files
from ..certificates import pinned_context
from ..protocol import Role
from . import ssh as tunnels
from .channel import Target
from .dispatch import install
from .session import RemoteSession


def connect(
    server: str, port: int | None = None, *, token: str | None = None, role: str = "code", quota: int | None = None,
    tls: Any = None, fingerprint: str = "",
) -> Session:  # fmt: skip
    """Start a session on a server that `atoll serve` has started. It becomes the current session.

    The whole interface works as in other sessions; the arrays are in the server's memory. Experimental.

    Parameters
    ----------
    server : str
        The name of a server of this user on this host, ``"host:port"``, a host when `port` is given, or
        ``"ssh://user@login/NAME"``: a server of this user behind the system's ssh, which must not ask for a password.
    port : int, optional
        The server's port.
    token : str, optional
        The token of the role. A name needs none: it is in the server's connection file.
    role : {"code", "compute", "read"}
        What this session may do: everything, everything but files and functions of the user, or read published objects.
    quota : int, optional
        Bytes that arrays of this session may take, where the server's own limit is not lower.
    tls : ssl.SSLContext or True, optional
        How to check the server's certificate; True: by the host's certificate authorities. Needed for addresses that
        are not loopback.
    fingerprint : str, optional
        SHA-256 of the server's certificate, in hexadecimal, which must be this one.

    Returns
    -------
    Session
        ``with ak.connect(…):`` ends it at the end of the block; the session before it is current again then.

    Raises
    ------
    LookupError
        There is no server of this name.
    ConnectionError
        The server does not answer, or is of another version.
    PermissionError
        The token is not the server's.
    """
    target = target_of(server, port, token, role, tls, fingerprint)
    try:
        core = _started(target, quota)
    except (ConnectionRefusedError, FileNotFoundError) as error:
        raise ConnectionError(
            f"no server listens at {target.label} ({error}). Start it with `atoll serve`? See `atoll serve status`"
        ) from error
    except (ConnectionResetError, BrokenPipeError) as error:
        hint = "" if target.tls or target.path else ". Does it use TLS? Then pass fingerprint="
        raise ConnectionError(f"{target.label} closed the connection ({error}){hint}") from error
    install()
    progress.watch(core)  # type: ignore[arg-type]
    return adopt(core)


def _started(target: Target, quota: int | None) -> RemoteSession:
    try:
        return RemoteSession(target, quota)
    except BaseException:
        target.close()
        raise


def target_of(
    server: str, port: int | None = None, token: str | None = None, role: str = "code", tls: Any = None,
    fingerprint: str = "",
) -> Target:  # fmt: skip
    """Where a server is and how to prove oneself to it."""
    wanted = Role.of(role)
    if server.startswith("ssh://"):
        return tunnels.target_of(server, wanted, token)
    if port is None and ":" not in server:
        found = server_files.read(server)
        known = token or found.tokens.get(wanted.label)
        if not known:
            raise PermissionError(f"the connection file of {server!r} has no token of the role {role!r}. Pass token=")
        if found.socket:
            return Target(repr(server), known, wanted, path=found.socket)
        return Target(
            repr(server), known, wanted, found.host, found.port,
            tls=pinned_context() if found.fingerprint else None, fingerprint=found.fingerprint,
        )  # fmt: skip
    host, number = (server, port) if port is not None else _split(server)
    if not token:
        raise ValueError(f"{host}:{number} needs a token, which is in the connection file of the server. Pass token=")
    loopback = is_loopback(host)
    if not loopback and tls is None and not fingerprint:
        raise ValueError(
            f"{host} is not this host, and others could read what is sent. Pass tls=True or fingerprint=, or use a "
            "tunnel (ssh -L) and its local port"
        )
    context: ssl.SSLContext | None = None
    if fingerprint:
        context = pinned_context()
    elif tls is not None and tls is not False:
        context = ssl.create_default_context() if tls is True else tls
    label = f"{host}:{number}"
    return Target(label, token, wanted, host, number, tls=context, fingerprint=fingerprint.replace(":", "").lower())


def _split(address: str) -> tuple[str, int]:
    host, _, number = address.rpartition(":")
    if not host or not number.isdigit() or not 0 < int(number) < 65536:
        raise ValueError(f"{address!r} is no address of a server. Use host:port, or the name of a server of this host")
    return host.strip("[]"), int(number)


def is_loopback(host: str) -> bool:
    """Whether a host is this one, reached without a network."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        pass
    try:
        found = {entry[4][0] for entry in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    except OSError:
        return False
    return bool(found) and all(ipaddress.ip_address(str(one)).is_loopback for one in found)
