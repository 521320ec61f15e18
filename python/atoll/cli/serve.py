# SPDX-License-Identifier: Apache-2.0
"""`atoll serve`: starts a server of PEs that clients connect to, and asks running ones."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from typing import Any

from atoll.cli.common import FAILED, CommandError
from atoll.session.words import plural

_ACTIONS = ("start", "status", "sessions", "checkpoint", "stop", "logs")
_START_SECONDS = 60.0
_STOP_SECONDS = 30.0


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", nargs="?", choices=_ACTIONS, default="start", help="start (default) or ask a server")
    parser.add_argument("--name", default="atoll", help="name of the server (default: atoll)")
    parser.add_argument("-n", "--pes", type=int, help="PEs (default: 1, or all that the hosts have room for)")
    parser.add_argument(
        "--hosts", default="", help="hosts of the PEs, with the number on each: a:4,b:4; a is this host"
    )
    parser.add_argument("--threads", type=int, help="threads of each PE (default: an even share of the cores)")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=0, help="port to listen on (default: a free one)")
    parser.add_argument("--grace", type=float, default=300, help="seconds that a session waits for a lost client")
    parser.add_argument("--idle", type=float, default=0, help="end after so many seconds without a session (0: never)")
    parser.add_argument("--quota", type=size, default=0, help="bytes of arrays per session, as 4G (0: no limit)")
    parser.add_argument("--sessions", type=int, default=64, help="sessions at once, at most")
    parser.add_argument("--tls", action="store_true", help="encrypt TCP connections; needed for other addresses")
    parser.add_argument("--certificate", default="", help="PEM file of the certificate (default: a new one)")
    parser.add_argument("--key", default="", help="PEM file of its key")
    parser.add_argument(
        "--checkpoint", nargs="?", const="", metavar="DIRECTORY",
        help="write published objects to this directory (default: NAME.checkpoint beside the connection file)",
    )  # fmt: skip
    parser.add_argument("--every", type=float, default=600, help="seconds from a change to a checkpoint, at most")
    parser.add_argument("--rest", type=float, default=30, help="seconds without a request until a change is written")
    parser.add_argument("--restore", action="store_true", help="start with the objects of the checkpoint")
    parser.add_argument("--time", type=float, default=0, help="end after so many seconds, with a checkpoint (0: never)")
    parser.add_argument("--memory", type=size, default=0, help="bytes of arrays of all PEs, as 64G (0: what there is)")
    parser.add_argument("--detach", action="store_true", help="return when the server is ready; it goes on")


def size(text: str) -> int:
    """Bytes, from a text as "4G"."""
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
    factor = units.get(text[-1:].upper(), 1)
    try:
        return int(float(text[:-1] if factor > 1 else text) * factor)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no size. Write bytes, or 512M, 4G") from None


def main(arguments: argparse.Namespace) -> int:
    action = {
        "start": _start, "status": _status, "sessions": _sessions, "checkpoint": _checkpoint,
        "stop": _stop, "logs": _logs,
    }[arguments.action]  # fmt: skip
    try:
        return action(arguments)
    except (LookupError, ValueError, OSError) as error:
        raise CommandError(error.args[0] if isinstance(error, LookupError) else str(error)) from error


def _start(arguments: argparse.Namespace) -> int:
    from atoll.serve import server_files
    from atoll.serve.client.connect import is_loopback

    server_files.check_name(arguments.name)
    if not is_loopback(arguments.host) and not arguments.tls:
        raise CommandError(
            f"{arguments.host} is reached by other hosts, and what is sent there would not be encrypted. Pass --tls, "
            "or listen on 127.0.0.1 and let clients use a tunnel (ssh -L)"
        )
    if bool(arguments.certificate) != bool(arguments.key):
        raise CommandError("--certificate and --key go together: name both files, or none")
    if _running(arguments.name) is not None:
        raise CommandError(
            f"a server {arguments.name!r} is running. Stop it (`atoll serve stop --name {arguments.name}`)?"
        )
    if arguments.detach:
        return _detached(arguments)
    from atoll.serve.server.process import Settings, serve

    def ready(server: Any) -> None:
        print(f"server {server.name!r}: {plural(server.pes, 'PE')}, {server.host}:{server.port}", flush=True)
        if server.fingerprint:
            print(f"fingerprint {server.fingerprint}", flush=True)
        print(f'connect with ak.connect("{server.name}"); stop with Ctrl-C', flush=True)

    serve(
        Settings(
            arguments.name, arguments.pes, arguments.threads, arguments.host, arguments.port, arguments.grace,
            arguments.idle, arguments.quota, arguments.sessions, arguments.tls, arguments.certificate, arguments.key,
            _checkpoint_directory(arguments), arguments.every, arguments.rest, arguments.restore, arguments.time,
            arguments.memory, arguments.hosts,
        ),
        ready,
    )  # fmt: skip
    return 0


def _checkpoint_directory(arguments: argparse.Namespace) -> str:
    """The directory of checkpoints; empty: the server writes none."""
    from atoll.serve import server_files

    if arguments.checkpoint is None and not arguments.restore:
        return ""
    return os.path.abspath(os.path.expanduser(arguments.checkpoint or server_files.checkpoint_of(arguments.name)))


def _detached(arguments: argparse.Namespace) -> int:
    from atoll.serve import server_files

    words = [
        "--name", arguments.name, "--hosts", arguments.hosts, "--host", arguments.host, "--port", str(arguments.port),
        "--grace", str(arguments.grace), "--idle", str(arguments.idle), "--quota", str(arguments.quota), "--sessions",
        str(arguments.sessions), "--every", str(arguments.every), "--rest", str(arguments.rest),
        "--time", str(arguments.time), "--memory", str(arguments.memory),
    ]  # fmt: skip
    if arguments.pes is not None:
        words += ["--pes", str(arguments.pes)]
    if arguments.threads is not None:
        words += ["--threads", str(arguments.threads)]
    if arguments.tls:
        words += ["--tls"]
    if arguments.certificate:
        words += ["--certificate", os.path.abspath(arguments.certificate), "--key", os.path.abspath(arguments.key)]
    if directory := _checkpoint_directory(arguments):
        words += ["--checkpoint", directory]
    if arguments.restore:
        words += ["--restore"]
    server_files.prepare()
    log = server_files.log_of(arguments.name)
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        started = subprocess.Popen(
            [sys.executable, "-m", "atoll", "serve", "start", *words],
            stdin=subprocess.DEVNULL, stdout=descriptor, stderr=descriptor, start_new_session=True,
        )  # fmt: skip
    finally:
        os.close(descriptor)
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end:
        if started.poll() is not None:
            raise CommandError(f"the server has ended at its start. Its log is {log}")
        if (found := _running(arguments.name)) is not None and found["pid"] == started.pid:
            print(f"server {arguments.name!r}: {plural(found['pes'], 'PE')}, process {found['pid']}")
            return 0
        time.sleep(0.05)
    started.terminate()
    raise CommandError(f"the server has not started within {_START_SECONDS:g} s. Its log is {log}")


def _ask(name: str, **request: Any) -> dict[str, Any]:
    from atoll.serve.client.connect import target_of

    return target_of(name).control(request)


def _running(name: str) -> dict[str, Any] | None:
    """The status that a server reports; None when no server of this name runs."""
    try:
        return _ask(name, purpose="status")
    except (LookupError, ValueError, ConnectionError, FileNotFoundError, TimeoutError):
        return None


def _status(arguments: argparse.Namespace) -> int:
    from atoll.serve import server_files

    for name in server_files.names():
        found = _running(name)
        if found is None:
            print(f"{name}: does not answer (its process was killed, or is stopped)")
        else:
            print(
                f"{name}: {plural(found['pes'], 'PE')} of {plural(found['threads'], 'thread')}, "
                f"{plural(found['sessions'], 'session')}, "
                f"{found['published']} published, process {found['pid']}, {found['seconds']:.0f} s"
                + _checkpoint_state(found["checkpoint"])
            )
    if not server_files.names():
        print("no server of this user is running")
        return FAILED
    return 0


def _checkpoint_state(told: dict[str, Any]) -> str:
    if not told["path"]:
        return ""
    last = f"{max(0.0, time.time() - told['at']):.0f} s ago" if told["at"] else "none yet"
    failed = f"; the last attempt failed: {told['error']}" if told["error"] else ""
    return f", checkpoint {last}{failed}"


def _checkpoint(arguments: argparse.Namespace) -> int:
    before = _ask(arguments.name, purpose="status")["checkpoint"]
    _ask(arguments.name, purpose="checkpoint")
    while True:
        found = _ask(arguments.name, purpose="status")["checkpoint"]
        if found["error"] and found["attempts"] > before["attempts"]:
            raise CommandError(f"no checkpoint in {found['path']}: {found['error']}. The one before stays")
        if found["attempts"] > before["attempts"] and not found["running"]:
            print(f"checkpoint of server {arguments.name!r} in {found['path']}")
            return 0
        time.sleep(0.05)


def _sessions(arguments: argparse.Namespace) -> int:
    for one in _ask(arguments.name, purpose="status", sessions=True)["list"]:
        state = one["running"] or ("connected" if one["connected"] else "waits for its client")
        print(
            f"{one['session']}  {one['user']} (process {one['process']})  {one['role']}  "
            f"{plural(one['arrays'], 'array')}, {plural(one['calls'], 'call')}, {one['seconds']:.0f} s  {state}"
        )
    return 0


def _stop(arguments: argparse.Namespace) -> int:
    from atoll.serve import server_files

    server = server_files.read(arguments.name)
    try:
        _ask(arguments.name, purpose="stop")
    except (ConnectionError, FileNotFoundError):
        server_files.remove(arguments.name, server.pid)
        print(f"server {arguments.name!r} had ended; its files are removed")
        return 0
    end = time.monotonic() + _STOP_SECONDS
    while server_files.file_of(arguments.name).exists():
        if time.monotonic() > end:
            found = _running(arguments.name)
            if found is not None and found["checkpoint"]["running"]:
                continue  # the end of a checkpoint depends on its size
            raise CommandError(
                f"server {arguments.name!r} (process {server.pid}) has not ended within {_STOP_SECONDS:g} s. "
                f"Is it in a long operation? `kill -9 {server.pid}` ends it at once"
            )
        time.sleep(0.02)
    print(f"server {arguments.name!r} has ended")
    return 0


def _logs(arguments: argparse.Namespace) -> int:
    from atoll.serve import server_files

    with open(server_files.log_of(arguments.name)) as stream:
        for line in stream:
            print(line, end="")
    return 0
