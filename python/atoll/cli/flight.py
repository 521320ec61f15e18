# SPDX-License-Identifier: Apache-2.0
"""`atoll flight`: published frames of a running server as tables of Arrow Flight SQL."""

from __future__ import annotations

import argparse
import signal
from pathlib import Path

from atoll.cli.common import CommandError
from atoll.cli.serve import size


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", default="atoll", help="name of the server (default: atoll)")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=0, help="port to listen on (default: a free one)")
    parser.add_argument("--certificate", default="", help="PEM file of a certificate: encrypts; needed for other hosts")
    parser.add_argument("--key", default="", help="PEM file of its key")
    parser.add_argument("--memory", type=size, default=0, help="bytes of one query, as 4G (default: 80 %% of the host)")


def main(arguments: argparse.Namespace) -> int:
    from atoll import extras
    from atoll.serve import server_files, tokens
    from atoll.serve.client.connect import is_loopback

    extras.need("flight")
    if bool(arguments.certificate) != bool(arguments.key):
        raise CommandError("--certificate and --key go together: name both files, or none")
    if not is_loopback(arguments.host) and not arguments.certificate:
        raise CommandError(
            f"{arguments.host} is reached by other hosts, and what is sent there would not be encrypted. Pass "
            "--certificate and --key, or listen on 127.0.0.1 and let clients use a tunnel (ssh -L)"
        )
    from atoll.serve.flight.gateway import Gateway
    from atoll.serve.flight.tables import Tables

    try:
        certificate, key = (Path(one).read_bytes() if one else b"" for one in (arguments.certificate, arguments.key))
        tables = Tables(arguments.name)
        path = server_files.flight_token_of(arguments.name)
        gateway = Gateway(
            tables, tokens.of_file(path), arguments.host, arguments.port, certificate=certificate, key=key,
            memory=arguments.memory,
        )  # fmt: skip
    except (LookupError, ValueError, OSError) as error:
        raise CommandError(error.args[0] if isinstance(error, LookupError) else str(error)) from error
    print(f"tables of {arguments.name!r} by Flight SQL: {gateway.location}, token in {path}", flush=True)
    print("stop with Ctrl-C", flush=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        gateway.serve()
    except KeyboardInterrupt:
        gateway.shutdown()
    tables.close()
    return 0
