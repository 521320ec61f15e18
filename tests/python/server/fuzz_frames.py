# SPDX-License-Identifier: Apache-2.0
"""Sends broken frames to a server's loop in this process: `python fuzz_frames.py CORPUS FRAMES SEED PES`.

The corpus is a list of frames that a client sent. A round is a session: some of these frames, changed at random, and
calls made up from signatures of the engine. A round depends on seed and number alone, and `CORPUS.round` has the last
one: with its number as a fifth argument the round is repeated, and its calls are printed.
"""

import os
import pickle
import random
import re
import resource
import select
import socket
import struct
import sys
import threading
from pathlib import Path

import numpy as np

import atoll as ak
from atoll import _core
from atoll.serve import codec, operations
from atoll.serve.activity import Activity
from atoll.serve.protocol import Kind, Role, frame_head
from atoll.serve.server import client as client_module
from atoll.serve.server.checkpoints import Checkpoints
from atoll.serve.server.client import Client
from atoll.serve.server.loop import Loop
from atoll.serve.server.names import Names

FRAMES_OF_A_ROUND = 40
BULK_LIMIT = 16 << 20
INTEGERS = (0, 1, -1, 2, 3, 7, 63, 64, 100, 255, 1 << 20, 1 << 31, 1 << 40, (1 << 63) - 1, -(1 << 63), -5)
FLOATS = (0.0, 1.0, -1.5, float("nan"), float("inf"), -float("inf"), 1e308, 0.5)


def words():
    """Strings that the engine may know: short ones between quotes in its Python callers."""
    folder = os.path.dirname(ak.__file__)
    found = set()
    for at in ("arrays", "columns", "random"):
        for place, _, names in os.walk(os.path.join(folder, at)):
            for name in names:
                if name.endswith(".py"):
                    with open(os.path.join(place, name)) as stream:
                        found.update(re.findall(r'"([a-z_]{2,14}|[<>=!]=?)"', stream.read()))
    return sorted(found)


WORDS = words()
#: What runs programs, and what takes memory outside of the engine's limit: it counts as many groups as it is told.
LEFT_OUT = {"run_everywhere", "Session.trim", "group_places"}
PARAMETERS = {}
for _name in operations.NAMES:
    if _name in operations.SERVICES or _name in LEFT_OUT:
        continue
    _line = operations.function_of(_name).__nb_signature__
    _line = _line if isinstance(_line, str) else _line[0][0]
    _inside = _line[_line.index("(") + 1 : _line.rindex(") ->")]
    _depth, _parts = 0, [""]
    for _character in _inside:
        _depth += (_character in "([") - (_character in ")]")
        if _character == "," and _depth == 0:
            _parts.append("")
        else:
            _parts[-1] += _character
    PARAMETERS[_name] = [
        one.partition(":")[2].partition("=")[0].strip() or f"atoll._core.{_name.partition('.')[0]}"
        for one in map(str.strip, _parts)
        if one and one != "/"
    ]


class Maker:
    """Makes up the frames of a round."""

    def __init__(self, rng, corpus):
        self.rng, self.corpus = rng, corpus
        self.last, self.at = 1_000_000, 0  # number of a result, place in the corpus
        self.made = [self.last]

    def value(self, kind, out, bulk, depth=0):
        """Writes a value of about this type."""
        rng = self.rng
        if rng.random() < 0.03:
            kind = rng.choice(("int", "str", "object", "atoll._core.Expr", "None", "collections.abc.Sequence[int]"))
        if kind.endswith("| None"):
            kind = "None" if rng.random() < 0.4 else kind.removesuffix("| None").strip()
        if kind.endswith("Session"):
            out += b"S"
        elif kind.endswith(("Expr", "Texts")):
            tag = b"E" if kind.endswith("Expr") else b"X"
            out += tag + struct.pack("<q", rng.choice(self.made) if rng.random() < 0.999 else rng.randrange(-9, 9))
        elif kind.startswith(("collections.abc.Sequence", "list")) and depth < 3:
            inner = kind.partition("[")[2].removesuffix("]") or "object"
            count = rng.choice((0, 1, 1, 2, 2, 3, 5))
            out += b"l" + struct.pack("<I", count)
            for _ in range(count):
                self.value(inner, out, bulk, depth + 1)
        elif kind.startswith("tuple["):
            parts = kind[6:-1].split(", ")
            out += b"t" + struct.pack("<I", len(parts))
            for one in parts:
                self.value(one, out, bulk, depth + 1)
        elif "ndarray" in kind:
            dtype = "int64" if "int64" in kind else "uint8" if "uint8" in kind else rng.choice(list(codec.DTYPES))
            shape = tuple(rng.randrange(0, 40) for _ in range(2 if "*, *" in kind else 1))
            values = (np.frombuffer(rng.randbytes(int(np.prod(shape)) * 8), np.int64) % 50).astype(dtype)
            codec.encode(values.reshape(shape), out, bulk, codec.ENCODERS)
        else:
            plain = {
                "int": lambda: rng.choice(INTEGERS) if rng.random() < 0.4 else rng.randrange(0, 30),
                "str": lambda: rng.choice(WORDS), "bool": lambda: rng.random() < 0.5,
                "float": lambda: rng.choice(FLOATS), "bytes": lambda: rng.randbytes(rng.randrange(4)),
                "None": lambda: None,
            }  # fmt: skip
            make = plain.get(kind) or plain[rng.choice(("int", "float", "str", "None"))]
            codec.encode(make(), out, bulk, codec.ENCODERS)

    def call(self, out, bulk, answered):
        """Writes a call of about the right types. One that is answered gives its result no number, as in clients."""
        name = self.rng.choice(list(PARAMETERS))
        kinds = PARAMETERS[name]
        self.last += 1
        result = 0 if answered else self.last
        out += struct.pack("<HqB", operations.NUMBERS[name], result, len(kinds))
        for kind in kinds:
            self.value(kind, out, bulk)
        if result:
            self.made = [*self.made[-12:], result]

    def begin(self):
        """A frame that makes some arrays and a column, so that later calls have these."""
        out, bulk = bytearray(), []
        numbers = operations.NUMBERS
        for dtype, low in (("int64", 0), ("float64", -3), ("bool", 0), ("uint8", 0)):
            self.last += 1
            self.made.append(self.last)
            values = (np.arange(24) % 7 + low).astype(dtype).reshape(self.rng.choice(((24,), (24,), (4, 6))))
            out += struct.pack("<HqB", numbers["from_numpy"], self.last, 3) + b"S"
            codec.encode(values, out, bulk, codec.ENCODERS)
            codec.encode(True, out, bulk, codec.ENCODERS)
        self.last += 1
        self.made = [*self.made[1:], self.last, self.last]
        out += struct.pack("<HqB", numbers["text_from_buffers"], self.last, 5) + b"S"
        for value in (np.arange(0, 27, 1), np.frombuffer(b"abcdefghijklmnopqrstuvwxyz", np.uint8), None, False):
            codec.encode(value, out, bulk, codec.ENCODERS)
        return frame_head(Kind.CALLS, len(out), sum(map(len, bulk)), 1) + bytes(out) + b"".join(map(bytes, bulk))

    def frame(self, number):
        """A frame as bytes."""
        rng = self.rng
        choice = rng.random()
        body, bulk, kind = bytearray(), [], rng.choice((Kind.CALLS, Kind.CALLS, Kind.NOTE))
        if choice < 0.5:
            for left in range(rng.choice((1, 2, 4)), -1, -1):
                self.call(body, bulk, left == 0 and kind is Kind.CALLS)
        elif choice < 0.995:
            kind_code, found, data = self.corpus[self.at % len(self.corpus)]
            self.at += 1
            kind, body, bulk = Kind(kind_code), bytearray(found), [data] if data else []
            if rng.random() < 0.1 and body:
                for _ in range(rng.randrange(1, 5)):
                    body[rng.randrange(len(body))] = rng.randrange(256)
            if rng.random() < 0.01:
                body = body[: rng.randrange(len(body) + 1)]
        else:
            body = bytearray(rng.randbytes(rng.randrange(80)))
        size = sum(map(len, bulk))
        if rng.random() < 0.004:
            number, size = rng.choice(((number + 5, size), (0, size), (number - 1, size), (number, size + 3)))
        frame = bytearray(frame_head(kind, len(body), size, number, max(0, number - 1)) + bytes(body))
        for one in bulk:
            frame += bytes(one)
        if rng.random() < 0.004:
            frame[rng.randrange(min(32, len(frame)))] = rng.randrange(256)
        return bytes(frame)


def pump(connection, data):
    """Sends all and reads what comes, until the server has closed the connection."""
    connection.setblocking(False)
    view, sent_all = memoryview(data), False
    while True:
        readable, writable, _ = select.select([connection], [] if sent_all else [connection], [], 120)
        if not readable and not writable:
            raise TimeoutError("the server has answered nothing for two minutes")
        if readable:
            try:
                if not connection.recv(1 << 20):
                    return
            except BlockingIOError:
                pass
            except ConnectionError:
                return
        if writable:
            try:
                view = view[connection.send(view[: 1 << 18]) :]
            except BlockingIOError:
                pass
            except ConnectionError:
                return
            if not len(view):
                sent_all = True
                connection.shutdown(socket.SHUT_WR)


def attack(loop, path, frames, seed, only):
    """Runs rounds, and ends the loop."""
    mark = Path(f"{path}.round")
    rounds = range(-(-frames // FRAMES_OF_A_ROUND)) if only is None else [only]
    try:
        with open(path, "rb") as stream:
            corpus = pickle.load(stream)
        for number in rounds:
            mark.write_text(f"{seed} {number}\n")
            rng = random.Random(seed * 1_000_003 + number)
            maker = Maker(rng, corpus)
            data = maker.begin() + b"".join(maker.frame(at + 2) for at in range(FRAMES_OF_A_ROUND))
            role = rng.choice((Role.COMPUTE, Role.COMPUTE, Role.READ))
            client = Client(loop.core, loop.names, role, {"user": "fuzz"}, 32 << 20, Activity())
            with loop.lock:
                loop.admit(client)
            theirs, ours = socket.socketpair()
            loop.attach(client, theirs, None)
            pump(ours, data)
            ours.close()
            attack.served += client.done
            attack.last = client
        attack.done = True
    finally:
        loop.stop()


attack.done, attack.served, attack.last = False, 0, None


def _print_calls():
    def printing(name, function):
        def printed(*args):
            shown = [(one.dtype, one.shape) if isinstance(one, _core.Expr) else one for one in args]
            print(name, shown, file=sys.stderr, flush=True)
            return function(*args)

        return printed

    functions = client_module._FUNCTIONS
    functions[:] = [
        function and printing(name, function) for name, function in zip(operations.NAMES, functions, strict=True)
    ]


def main():
    path, frames, seed, pes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    core = ak.init(pes, 1)._core
    names = Names()
    loop = Loop(core, 0.0, 0.0, BULK_LIMIT, names, Checkpoints(names, ""))
    x = ak.arange(1000) + 1
    x.evaluate()
    ak.sort(x)  # makes the memory of collectives, which stays
    ak.arange(3).sum()
    core.trim()
    before = core.stats()["memory_in_use"]
    only = int(sys.argv[5]) if len(sys.argv) > 5 else None
    if only is not None:
        _print_calls()
    thread = threading.Thread(target=attack, args=(loop, path, frames, seed, only))
    thread.start()
    loop.run()
    thread.join()
    assert attack.done, "the attack has not ended"
    assert x.sum() == 500_500
    attack.last.close()  # the loop has ended before it forgot this session
    ak.arange(3).sum()  # frees on all PEs what was dropped
    left = core.stats()["memory_in_use"] - before
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    print(f"served {attack.served} left {left} resident {resident}", flush=True)


if __name__ == "__main__":
    _core.config()
    main()
