# SPDX-License-Identifier: Apache-2.0
"""Files of running servers: `~/.atoll/servers/NAME.json`, its socket and its log. Only their user may open them."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..storage import checked_json

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")
_SOCKET_LIMIT = 100  # bytes of a path of a Unix socket, which Linux limits to 108


@dataclass(frozen=True)
class Server:
    """The connection file of a server, for clients of the same user. `tokens`: role → token."""

    name: str
    pid: int
    host: str
    port: int
    socket: str
    pes: int
    started: float
    version: str
    tokens: Mapping[str, str] = field(repr=False)
    fingerprint: str = ""  # of its certificate; empty: what goes by TCP is not encrypted


_CONTENTS = checked_json.record(
    {
        **dict.fromkeys(("name", "host", "socket", "version"), checked_json.text),
        **dict.fromkeys(("pid", "port", "pes"), checked_json.count), "started": checked_json.number,
        "tokens": checked_json.table_of(checked_json.text),
    },
    {"fingerprint": checked_json.text},
)  # fmt: skip


def directory() -> Path:
    """Where the files are."""
    return Path(os.path.expanduser("~")) / ".atoll" / "servers"


def check_name(name: str) -> str:
    """The name. ValueError where it is no name of a server."""
    if not _NAME.match(name):
        raise ValueError(
            f"{name!r} is no name of a server (it names files). Use up to 64 letters, digits, '.', '_' and '-'"
        )
    return name


def file_of(name: str) -> Path:
    """The connection file of a server."""
    return directory() / f"{check_name(name)}.json"


def log_of(name: str) -> Path:
    """The log of a server."""
    return directory() / f"{check_name(name)}.log"


def socket_of(name: str) -> str:
    """The path of a server's Unix socket; empty where it would be too long for one."""
    path = str(directory() / f"{check_name(name)}.sock")
    return path if len(path.encode()) <= _SOCKET_LIMIT else ""


def checkpoint_of(name: str) -> str:
    """The directory of a server's checkpoints, where none is given."""
    return str(directory() / f"{check_name(name)}.checkpoint")


def dashboard_token_of(name: str) -> Path:
    """The token of a server's dashboards."""
    return directory() / f"{check_name(name)}.dashboard"


def flight_token_of(name: str) -> Path:
    """The token of clients that read a server's tables by Flight SQL."""
    return directory() / f"{check_name(name)}.flight"


def prepare() -> None:
    """Makes the directory, with mode 0700."""
    place = directory()
    place.mkdir(parents=True, exist_ok=True)
    os.chmod(place, 0o700)


def write(server: Server) -> None:
    """Writes the connection file: it appears whole, with mode 0600."""
    path = file_of(server.name)
    aside = path.with_suffix(f".{os.getpid()}.tmp")
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(descriptor, "w") as stream:
            json.dump(asdict(server), stream, indent=1)
        os.replace(aside, path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def read(name: str) -> Server:
    """The server of a name. LookupError: there is none. PermissionError: others could have read the tokens."""
    path = file_of(name)
    try:
        with open(path) as stream:
            about = os.fstat(stream.fileno())
            if about.st_uid != os.getuid() or stat.S_IMODE(about.st_mode) & 0o077:
                raise PermissionError(
                    f"{path} is not private (mode {stat.S_IMODE(about.st_mode):o}, user {about.st_uid}): others may "
                    "know the tokens. Stop the server, remove the file, and start it again"
                )
            return Server(**checked_json.parse(stream.read(), _CONTENTS))
    except FileNotFoundError:
        known = ", ".join(names()) or "none"
        raise LookupError(
            f"there is no server {name!r} of this user (running: {known}). Start it with `atoll serve --name {name}`?"
        ) from None
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path} is no connection file of this version ({error}). Start the server again?") from error


def names() -> list[str]:
    """Names with a connection file; its server may have been killed."""
    place = directory()
    return sorted(one.stem for one in place.glob("*.json")) if place.is_dir() else []


def remove(name: str, pid: int) -> None:
    """Removes the files of the server with this process id; not those of a later one with the same name."""
    try:
        if read(name).pid != pid:
            return
    except (LookupError, ValueError, OSError):
        return
    file_of(name).unlink(missing_ok=True)
    for path in (socket_of(name), directory() / f"{name}.crt", directory() / f"{name}.key"):
        if path:
            Path(path).unlink(missing_ok=True)


def summary(server: Server) -> dict[str, Any]:
    """The contents without the tokens, which may be shown."""
    return {key: value for key, value in asdict(server).items() if key != "tokens"}
