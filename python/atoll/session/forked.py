# SPDX-License-Identifier: Apache-2.0
"""Forked worker processes, which run Python code beside this process on the memory that it has."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import pickle
import selectors
import signal
import struct
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, NoReturn

_LENGTH = struct.Struct("<q")
_PIECE = 1 << 20
_PR_SET_PDEATHSIG = 1
#: Blocks for each worker: a worker whose rows take longer leaves more of them to the others.
BLOCKS_PER_WORKER = 4
_MOST_BLOCKS = 4096  # their numbers fit the buffer of a pipe

_is_worker = False


class Failure(NamedTuple):
    """An exception of a function in a worker, with its traceback as text."""

    error: BaseException
    traceback: str


class WorkerLostError(RuntimeError):
    """A worker process ended before it had answered."""


def worker_count() -> int:
    """How many worker processes run at once: one for each core that this process may use; 1 inside of a worker."""
    if _is_worker or not hasattr(os, "fork"):
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_workers(function: Callable[[int], Any], blocks: int, workers: int) -> list[Any]:
    """`function(block)` for each block from 0 on, in forked processes; the results, in order.

    The function and its data need no pickling; what it returns does. Where a block fails, its place has a `Failure`,
    and None is in those of later blocks that no worker has begun. A worker changes nothing in this process. Ctrl-C and
    other exceptions of this process kill the workers.

    Raises
    ------
    WorkerLostError
        A worker was killed, for example because memory ran out.
    """
    assert blocks <= _MOST_BLOCKS
    taken, given = os.pipe()
    os.write(given, b"".join(block.to_bytes(4, "little") for block in range(blocks)))
    os.close(given)
    sys.stdout.flush()
    sys.stderr.flush()
    running: dict[int, int] = {}  # where a worker's answers are read: its process
    results: list[Any] = [None] * blocks
    gc.freeze()  # a collection in a worker would copy the pages of all objects
    try:
        with _interrupts_wait() as mask:  # so that each worker that has begun is in `running`
            for _ in range(min(workers, blocks)):
                reader, writer = os.pipe()
                pid = _fork()
                if pid == 0:
                    _work(function, taken, writer, [reader, *running], mask)
                os.close(writer)
                running[reader] = pid
        for block, answer in _answers(running):
            results[block] = answer
    finally:
        gc.unfreeze()
        os.close(taken)
        for reader, pid in running.items():  # of what has not ended by itself
            os.close(reader)
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    if not any(isinstance(one, Failure) for one in results) and any(one is None for one in results):
        raise WorkerLostError("a worker process ended without an answer (memory may have run out). Use fewer workers?")
    return results


@contextlib.contextmanager
def _interrupts_wait() -> Iterator[set[signal.Signals | int]]:
    """Holds Ctrl-C back; gives the signals that this thread blocked before."""
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield mask
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _fork() -> int:
    with warnings.catch_warnings():  # Python 3.12 warns of threads; those of the engine are not used in the child
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _answers(running: dict[int, int]) -> Iterator[tuple[int, Any]]:
    """Yields the messages of the workers in order of arrival; removes ended workers from `running`."""
    held = {reader: bytearray() for reader in running}
    with selectors.DefaultSelector() as ready:
        for reader in running:
            ready.register(reader, selectors.EVENT_READ)
        while running:
            for key, _ in ready.select():
                reader = int(key.fd)
                data = os.read(reader, _PIECE)
                if data:
                    held[reader] += data
                    yield from _messages(held[reader])
                    continue
                ready.unregister(reader)
                pid = running.pop(reader)
                os.close(reader)
                os.waitpid(pid, 0)


def _messages(held: bytearray) -> Iterator[tuple[int, Any]]:
    """The whole messages at the front of some bytes, which they leave."""
    at = 0
    while len(held) - at >= _LENGTH.size:
        (length,) = _LENGTH.unpack_from(held, at)
        if len(held) - at - _LENGTH.size < length:
            break
        begin = at + _LENGTH.size
        yield pickle.loads(memoryview(held)[begin : begin + length].tobytes())
        at = begin + length
    del held[:at]


def _work(
    function: Callable[[int], Any], taken: int, writer: int, others: list[int], mask: set[signal.Signals | int]
) -> NoReturn:
    """The life of a worker: it takes blocks until there are none, and never returns."""
    global _is_worker
    status = 1
    try:
        _is_worker = True
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        _end_with_parent()
        for one in others:
            os.close(one)
        while number := os.read(taken, 4):
            block = int.from_bytes(number, "little")
            try:
                answer = function(block)
                message = pickle.dumps((block, answer), pickle.HIGHEST_PROTOCOL)
            except BaseException as error:
                message = pickle.dumps((block, _failure(error)), pickle.HIGHEST_PROTOCOL)
                while os.read(taken, _PIECE):  # the others begin no more
                    pass
            _write(writer, _LENGTH.pack(len(message)) + message)
        status = 0
    finally:
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def _write(writer: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(writer, rest[:_PIECE]) :]


def _failure(error: BaseException) -> Failure:
    """An exception in a form that can be sent; its traceback begins in the user's code."""
    frames = error.__traceback__
    while frames is not None and os.path.dirname(__file__) in frames.tb_frame.f_code.co_filename:
        frames = frames.tb_next
    text = "".join(traceback.format_exception(type(error), error, frames))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return Failure(RuntimeError(f"{type(error).__name__}: {error}"), text)
    return Failure(error, text)


def _end_with_parent() -> None:
    if sys.platform == "linux":
        parent = os.getppid()
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)
