# SPDX-License-Identifier: Apache-2.0
"""The other side of `servers.BareSocket`, as a script that imports nothing of Atoll: `python socket_peer.py AF_INET`.

It prints its port, or the name of its abstract Unix socket, and serves one connection. A request has 64 bytes: "e" for
an answer of 64 bytes; "u" and a count for bytes that follow, "d" and a count for bytes that are wanted.
"""

import os
import socket
import sys

MESSAGE = 64


def main() -> None:
    family = socket.AddressFamily[sys.argv[1]]
    listener = socket.socket(family, socket.SOCK_STREAM)
    if family == socket.AF_UNIX:
        address = f"atoll-bench-{os.getpid()}"
        listener.bind("\0" + address)
    else:
        listener.bind(("127.0.0.1", 0))
        address = str(listener.getsockname()[1])
    listener.listen(1)
    print(address, flush=True)
    connection, _ = listener.accept()
    if family == socket.AF_INET:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    serve(connection)


def serve(connection: socket.socket) -> None:
    """Answers requests until the other side closes."""
    request, stored = memoryview(bytearray(MESSAGE)), memoryview(bytearray())
    while fill(connection, request):
        count = int.from_bytes(request[1:9], "little")
        if request[0] == ord("u"):
            if len(stored) != count:
                stored = memoryview(bytearray(count))
            fill(connection, stored)
        if request[0] == ord("d"):
            connection.sendall(stored[:count])
        else:
            connection.sendall(request)


def fill(connection: socket.socket, data: memoryview) -> bool:
    """Receives as many bytes as the memory holds; False: the other side has closed."""
    while data:
        got = connection.recv_into(data)
        if not got:
            return False
        data = data[got:]
    return True


if __name__ == "__main__":
    main()
