# SPDX-License-Identifier: Apache-2.0
"""Records the TCP streams of a job between hosts, and sends them and changed copies of them to the same ports.

    python intruder.py STREAMS SEED ATTEMPTS

STREAMS is a JSON list of [address, port, hexadecimal bytes], as `Recorder.streams` returns them.
"""

from __future__ import annotations

import contextlib
import json
import random
import socket
import struct
import sys
import threading
from types import TracebackType

ETH_P_ALL = 3
MOST_BYTES = 1 << 20  # which are kept of one stream
HELLO_BYTES, SOURCE_OFFSET = 64, 16  # src/fabric/ofi/tcp/wire.hpp
SYN = 2

Flow = tuple[str, int, str, int]  # source, its port, destination, its port


class Recorder:
    """Reads all packets of a network interface until the end of the `with` block."""

    def __init__(self, interface: str) -> None:
        self.interface = interface
        self.begins: dict[Flow, int] = {}
        self.parts: dict[Flow, dict[int, bytes]] = {}

    def __enter__(self) -> Recorder:
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 << 20)
        self.socket.bind((self.interface, 0))
        self.socket.settimeout(0.1)
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.ended.set()
        self.thread.join()
        self.socket.close()

    def read(self) -> None:
        while not self.ended.is_set():
            with contextlib.suppress(TimeoutError):
                self.keep(self.socket.recv(1 << 17))

    def keep(self, packet: bytes) -> None:
        is_ipv4, is_tcp = packet[12:14] == b"\x08\x00", packet[23:24] == b"\x06"
        if not (is_ipv4 and is_tcp):
            return
        header = 14 + (packet[14] & 15) * 4
        source, destination = socket.inet_ntoa(packet[26:30]), socket.inet_ntoa(packet[30:34])
        source_port, port, sequence = struct.unpack_from("!HHI", packet, header)
        flow = (source, source_port, destination, port)
        if packet[header + 13] & SYN:
            self.begins[flow] = sequence + 1
        elif flow in self.begins:
            length = int.from_bytes(packet[16:18], "big") or len(packet) - 14
            data = packet[header + (packet[header + 12] >> 4) * 4 : 14 + length]
            offset = (sequence - self.begins[flow]) % (1 << 32)
            if data and offset < MOST_BYTES:
                self.parts.setdefault(flow, {})[offset] = data

    def streams(self) -> list[tuple[str, int, bytes]]:
        """Destination, port and first bytes of each direction of each connection."""
        found = []
        for (_, _, destination, port), parts in list(self.parts.items()):
            whole = b""
            for offset, data in sorted(parts.items()):
                if offset > len(whole):
                    break
                whole = whole[:offset] + data
            found.append((destination, port, whole))
        return found


def changed(stream: bytes, rng: random.Random) -> bytes:
    """The stream as it is, cut, with a changed bit, a part twice, two parts exchanged, or of another PE; or noise."""
    kind = rng.randrange(7)
    at, other = sorted(rng.randrange(len(stream)) for _ in range(2))
    if kind == 1:
        return stream[:at]
    if kind == 2:
        return stream[:at] + bytes([stream[at] ^ 1 << rng.randrange(8)]) + stream[at + 1 :]
    if kind == 3:
        return stream[:other] + stream[at:]
    if kind == 4:
        return stream[:at] + stream[other:] + stream[at:other]
    if kind == 5:
        return stream[:SOURCE_OFFSET] + struct.pack("<II", rng.randrange(4), rng.randrange(4)) + stream[24:]
    return rng.randbytes(len(stream) % 4096) if kind == 6 else stream


def attack(streams: list[tuple[str, int, bytes]], seed: int, attempts: int) -> int:
    """Returns how many connections were accepted by the operating system of the other side."""
    rng, connected = random.Random(seed), 0
    for _ in range(attempts):
        address, port, stream = rng.choice(streams)
        with contextlib.suppress(OSError), socket.create_connection((address, port), timeout=5) as peer:
            connected += 1
            peer.settimeout(0.05)
            data = changed(stream, rng)
            first = rng.choice((len(data), HELLO_BYTES, 1))  # in one part, or with a pause for the answer
            peer.sendall(data[:first])
            with contextlib.suppress(TimeoutError):
                peer.recv(1 << 16)
            peer.sendall(data[first:])
            with contextlib.suppress(TimeoutError):
                peer.recv(1 << 16)
    return connected


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        found = [(address, port, bytes.fromhex(stream)) for address, port, stream in json.load(file)]
    print(attack(found, int(sys.argv[2]), int(sys.argv[3])))
