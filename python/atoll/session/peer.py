# SPDX-License-Identifier: Apache-2.0
"""The process at the other end of a Unix socket, as the kernel tells."""

from __future__ import annotations

import socket
import struct

_CREDENTIALS = struct.Struct("3i")  # process, user, group


def user_of(connection: socket.socket) -> int:
    """The number of the user that connected."""
    _, user, _ = _CREDENTIALS.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))
    return int(user)
