# SPDX-License-Identifier: Apache-2.0
"""Memory that a server and a client of the same host share, for the elements of large arrays.

The server makes it: the maker of a file may shrink it, and the kernel kills a process that reads behind the end of a
mapped file. It is sealed, so its size is fixed, and passed to the client through their Unix socket. It consists of two
slots: one side fills a slot while the other side reads the other one. A slot fits into the cache that cores share, and
takes longer to copy than a thread takes to wake, so an array costs little more than one copy.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import socket

import numpy as np

#: Bytes of a slot. With 4 MiB an upload takes 4 % longer, with 16 MiB as long.
SLOT = 8 << 20
_SLOTS = 2
#: Bytes of the pieces of larger arrays on other connections.
PIECE = 4 << 20
#: Arrays with fewer bytes are sent as part of a frame.
LEAST = 2 * PIECE
_SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL


class TransferMemory:
    """The memory of one session, mapped."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._bytes = np.frombuffer(mmap.mmap(descriptor, _SLOTS * SLOT), np.uint8)

    @staticmethod
    def make() -> TransferMemory:
        """New memory, all of which is there: a full host is an OSError here, and no signal later."""
        descriptor = os.memfd_create("atoll-transfer", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        try:
            os.posix_fallocate(descriptor, 0, _SLOTS * SLOT)
            fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _SEALS)
            return TransferMemory(descriptor)
        except BaseException:
            os.close(descriptor)
            raise

    @staticmethod
    def receive(connection: socket.socket) -> TransferMemory:
        """The memory that the other side of a Unix socket passes. ConnectionError where it passes something else."""
        _, descriptors, _, _ = socket.recv_fds(connection, 1, 1)
        try:
            if len(descriptors) != 1 or fcntl.fcntl(descriptors[0], fcntl.F_GET_SEALS) & _SEALS != _SEALS:
                raise ConnectionResetError("the server passed no sealed memory. Is it an Atoll server?")
            return TransferMemory(descriptors.pop())
        finally:
            for one in descriptors:
                os.close(one)

    def send(self, connection: socket.socket) -> None:
        """Passes the memory to the other side of a Unix socket."""
        socket.send_fds(connection, [b"\0"], [self._descriptor])

    def slot(self, number: int, count: int) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
        """The first bytes of a slot. ValueError where there is no such slot."""
        if not (0 <= number < _SLOTS and 0 <= count <= SLOT):
            raise ValueError(f"the memory of a session has no {count} bytes in slot {number}")
        return self._bytes[number * SLOT : number * SLOT + count]

    def close(self) -> None:
        """Closes the descriptor; the mapping goes with the last array that uses it."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
