# SPDX-License-Identifier: Apache-2.0
"""`atoll dashboard`: a web page and metrics of a running server."""

from __future__ import annotations

import argparse

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
    from atoll.serve import server_files, tokens
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
        token = tokens.of_file(server_files.dashboard_token_of(arguments.name))
        hosts = (*LOOPBACK, arguments.host, *arguments.allow_host)
        web = WebServer(application(feed, token, hosts), arguments.host, arguments.port)
    except (LookupError, ValueError, OSError) as error:
        raise CommandError(error.args[0] if isinstance(error, LookupError) else str(error)) from error
    shown = f"[{arguments.host}]" if ":" in arguments.host else arguments.host
    print(f"dashboard of {arguments.name!r}: http://{shown}:{web.port}/#token={token}", flush=True)
    print("stop with Ctrl-C", flush=True)
    web.run()
    return 0
