# SPDX-License-Identifier: Apache-2.0
"""Arkouda's client: `connect` attaches to a server of `atoll serve`, or, without one, to the embedded session."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import time
from typing import Any

from ... import _core
from ...session import session
from ..objects import registry
from .message import parameter

__all__ = [
    "connect", "disconnect", "generate_history", "get_config", "get_max_array_rank", "get_mem_avail", "get_mem_status",
    "get_mem_used", "get_server_commands", "print_server_commands", "ruok", "shutdown",
]  # fmt: skip

pdarrayIterThreshDefVal = 100
maxTransferBytesDefVal = 2**30
pdarrayIterThresh = pdarrayIterThreshDefVal
maxTransferBytes = maxTransferBytesDefVal
verboseDefVal = False
verbose = verboseDefVal
connected = False
_port = 5555
_server = "localhost"
_memunit2factor = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "pb": 10**15}
MAX_RANK = 4


def set_defaults() -> None:
    """Puts the limits of printing and transfers back."""
    global pdarrayIterThresh, maxTransferBytes, verbose
    pdarrayIterThresh, maxTransferBytes, verbose = pdarrayIterThreshDefVal, maxTransferBytesDefVal, verboseDefVal


def connect(
    server: str = "localhost", port: int = 5555, timeout: int = 0, access_token: str | None = None,
    connect_url: str | None = None, access_channel: Any = None,
) -> None:  # fmt: skip
    """Connects to a server of `atoll serve`, or, if there is none, attaches to the embedded session.

    A server is meant by its name, by its address with the token as `access_token`, or by the port of a server of this
    user on this host. Without one, no server is contacted.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.connect()
    """
    global connected, _port, _server
    if connect_url is not None:
        server, _, rest = connect_url.removeprefix("tcp://").partition(":")
        number, _, query = rest.partition("?")
        port = int(number or port)
        access_token = access_token or query.partition("token=")[2] or None
    if (name := _name_of(server, int(port))) is not None or access_token:
        from ...serve.client.connect import connect as attach_to

        _leave()
        if access_token:
            attach_to(server, int(port), token=access_token)
        else:
            attach_to(str(name))
    session.current()
    connected, _server, _port = True, server, int(port)


def _name_of(server: str, port: int) -> str | None:
    """The name of a server of this user: the name itself, or that of the one that listens at a port of this host."""
    from ...serve import server_files

    if server in server_files.names():
        return server
    if server in ("localhost", "127.0.0.1", "::1", socket.gethostname()):
        for name in server_files.names():
            with contextlib.suppress(LookupError, OSError, ValueError):
                if server_files.read(name).port == port:
                    return name
    return None


def _leave() -> None:
    """Ends this process's session on a server, if it has one, and forgets what it has registered."""
    front = session.init() if session.running() else None
    if front is not None and front.kind == "remote":
        front.shutdown()
        registry.clear()


def disconnect() -> None:
    """Detaches. Arrays live on, but on a server only those that are registered."""
    global connected
    _leave()
    connected = False


def shutdown() -> None:
    """Ends the session and its arrays; a server ends, too."""
    current: Any = session.current()
    if current.kind == "remote":
        current.target.control({"purpose": "stop"})
    session.shutdown()
    disconnect()


def get_config() -> dict[str, Any]:
    """The session as Arkouda describes its server.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.get_config()["numLocales"] == ak.get_config()["pes"]
    True
    """
    own = session.get_config()
    memory = int(own.get("memory", 0) or os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    host = own.get("hostname", socket.gethostname())
    return own | {
        "arkoudaVersion": _core.VERSION,
        "ServerHostname": host,
        "ServerPort": _port,
        "numLocales": own["pes"],
        "numNodes": 1,
        "numPUs": own["threads"],
        "maxTaskPar": own["threads"],
        "physicalMemory": memory,
        "distributionType": "block",
        "logLevel": "INFO",
        "authenticate": False,
        "byteorder": "little",
        "LocaleConfigs": [{"id": pe, "name": host, "numPUs": own["threads"]} for pe in range(own["pes"])],
    }


def get_registration_config() -> dict[str, Any]:
    """Types and ranks of arrays."""
    return {
        "parameter_classes": {
            "array": {
                "nd": get_array_ranks(),
                "dtype": ["int64", "uint64", "uint8", "float64", "bool", "bigint"],
            }
        }
    }


def get_array_ranks() -> list[int]:
    """Numbers of dimensions that arrays may have."""
    return list(range(1, MAX_RANK + 1))


def get_max_array_rank() -> int:
    """The largest number of dimensions."""
    return MAX_RANK


def _memory() -> tuple[int, int]:
    stats = session.stats()
    used = int(stats["memory_in_use"])
    return used, max(int(stats.get("memory_limit", 0)) - used, 0)


def get_mem_used(unit: str = "b", as_percent: bool = False) -> int:
    """Memory of arrays, in a unit or as a percentage."""
    return _share(0, unit, as_percent)


def get_mem_avail(unit: str = "b", as_percent: bool = False) -> int:
    """Memory that arrays may still take."""
    return _share(1, unit, as_percent)


def _share(which: int, unit: str, as_percent: bool) -> int:
    amounts = _memory()
    if as_percent:
        used = round(amounts[0] / max(sum(amounts), 1) * 100)
        return used if which == 0 else 100 - used
    if unit.lower() not in _memunit2factor:
        raise ValueError(f"a unit is one of {', '.join(_memunit2factor)}, not {unit!r}")
    return round(amounts[which] / _memunit2factor[unit.lower()])


def get_mem_status() -> list[dict[str, Any]]:
    """Memory of the session's PEs together."""
    used, free = _memory()
    return [{"total_mem": used + free, "avail_mem": free, "arkouda_mem_alloc": used, "locale_id": 0}]


def get_server_commands() -> dict[str, str]:
    """The names that this package answers to."""
    package = sys.modules["atoll.arkouda"]
    names = {name: str(getattr(getattr(package, name), "__doc__", "") or "") for name in dir(package)}
    return names | dict.fromkeys(("connect", "info", "str", "noop", "ruok"), "")


def print_server_commands() -> None:
    """Prints them."""
    for name in sorted(get_server_commands()):
        print(name)


def _no_op() -> str:
    session.current()
    return "noop"


def ruok() -> str:
    """Whether the session answers.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.ruok()
    'imok'
    """
    session.current().noop()
    return "imok"


def server_sleep(seconds: float) -> None:
    """Waits."""
    time.sleep(seconds)


def note_for_server_log(message: str) -> None:
    """Does nothing: there is no server that keeps a log."""


def wait_for_async_activity() -> None:
    """Does nothing: nothing goes on behind the session's back."""


def generate_history(num_commands: int | None = None, command_filter: str | None = None) -> list[str]:
    """What was typed in this shell or notebook."""
    from ..history import HistoryRetriever

    return HistoryRetriever.here().retrieve(command_filter, num_commands)


def _json_args_to_str(json_obj: dict[str, Any] | None = None, client_args: Any = None) -> tuple[int, str]:
    entries = [json.dumps(parameter(key, value)) for key, value in (json_obj or {}).items()]
    return len(entries), json.dumps(entries)
