# SPDX-License-Identifier: Apache-2.0
"""A TCP proxy that resets its connections after random numbers of bytes."""

import contextlib
import random
import socket
import struct
import threading


class CuttingProxy:
    """Listens on a loopback port and forwards to an address. A connection is reset after 1 to `most` bytes of both
    directions together, also in the middle of a frame or a handshake; one of eight after up to twenty times as
    many, so that long frames pass.
    """

    def __init__(self, address, seed, most):
        self.cuts, self._address, self._most = 0, address, most
        self._random, self._lock = random.Random(seed), threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._accept, daemon=True)

    def start(self):
        self._thread.start()

    def close(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()

    def _accept(self):
        threads = []
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                with self._lock:
                    scale = 20 if self._random.random() < 0.125 else 1
                    left = [self._random.randrange(1, scale * self._most)]
                far = socket.create_connection(self._address)
                for one in (near, far):
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                for pair in ((near, far), (far, near)):
                    threads.append(threading.Thread(target=self._forward, args=(*pair, left), daemon=True))
                    threads[-1].start()
        for thread in threads:
            thread.join()

    def _forward(self, source, target, left):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                with self._lock:
                    count = min(len(data), left[0])
                    left[0] -= count
                    is_cut = count < len(data)
                    self.cuts += is_cut
                target.sendall(data[:count])
                if is_cut:
                    break
        for one in (source, target):  # also where one end has closed: the other must see it
            with contextlib.suppress(OSError):
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # by a reset
                one.shutdown(socket.SHUT_RDWR)
        source.close()
