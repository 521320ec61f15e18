# SPDX-License-Identifier: Apache-2.0
"""`atoll dashboard`: a web page and metrics of a running server."""

from __future__ import annotations

import argparse
import os
import stat

from atoll.cli.common import CommandError


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", default="atoll", help="name of the server (default: atoll)")
    parser.add_argument("--host", default="127.0.0.1", help="loopback address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=0, help="port to listen on (default: a free one)")
    parser.add_argument(
        "--allow-host", action="append", default=[], metavar="NAME",
        help="a name by which browsers reach it, as that of a JupyterHub in front of it; may be repeated",
    )  # fmt: skip


def main(arguments: argparse.Namespace) -> int:
    from atoll.serve.client.connect import is_loopback, target_of
    from atoll.serve.dashboard.feed import Feed
    from atoll.serve.dashboard.sources import ServerSource
    from atoll.serve.dashboard.web import LOOPBACK, WebServer, application

    if not is_loopback(arguments.host):
        raise CommandError(
            f"{arguments.host} is reached by other hosts, and the dashboard does not encrypt. Listen on 127.0.0.1, and "
            "use a tunnel (ssh -L) or a proxy with TLS (jupyter-server-proxy)"
        )
    try:
        feed = Feed(ServerSource(target_of(arguments.name)))
        if not feed.latest():
            raise CommandError(f"the server {arguments.name!r} does not answer ({feed.error})")
        token = _token(arguments.name)
        hosts = (*LOOPBACK, arguments.host, *arguments.allow_host)
        web = WebServer(application(feed, token, hosts), arguments.host, arguments.port)
    except (LookupError, ValueError, OSError) as error:
        raise CommandError(error.args[0] if isinstance(error, LookupError) else str(error)) from error
    shown = f"[{arguments.host}]" if ":" in arguments.host else arguments.host
    print(f"dashboard of {arguments.name!r}: http://{shown}:{web.port}/#token={token}", flush=True)
    print("stop with Ctrl-C", flush=True)
    web.run()
    return 0


def _token(name: str) -> str:
    """The token of the server's dashboards, in a file of its own: Prometheus reads it by `credentials_file`."""
    from atoll.serve import server_files
    from atoll.serve.handshake import new_token

    path = server_files.dashboard_token_of(name)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        token = new_token()
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w") as stream:
            stream.write(token)
        return token
    with os.fdopen(descriptor) as stream:
        about = os.fstat(stream.fileno())
        if about.st_uid != os.getuid() or stat.S_IMODE(about.st_mode) & 0o077:
            raise PermissionError(f"{path} is not private (mode {stat.S_IMODE(about.st_mode):o}). Remove it?")
        return stream.read().strip()
