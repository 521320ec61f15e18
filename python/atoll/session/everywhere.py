# SPDX-License-Identifier: Apache-2.0
"""Python functions that run on every PE of a session, workers included."""

from __future__ import annotations

import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

from .. import _core
from .session import current, memory_is_here

#: The code of a string column, among codes of dtypes.
TEXT = -1
_MOST_DEATHS = 2  # in one function that is called again

_kept: list[Any] = []  # with one PE an answer stays where it is
_lookout: _Lookout | None = None
_handled: _core.Landing | None = None  # the request that a worker is handling, until it is interrupted


def everywhere(function: Callable[..., Any], *args: Any, inputs: Sequence[Any] = ()) -> list[Any]:
    """Calls a function on every PE; returns the results in the order of the PEs. Collective in an SPMD session.

    The function is one of a module that can be imported; it is called as `function(here, *args)`. `here.rows()` gives
    this PE's rows of the arrays `inputs` (handles of the engine; of strings offsets and bytes), which must not be
    changed, but in arrays that the caller alone knows. The first PE's exception is raised everywhere.
    """
    return landed(function, args, (), inputs=inputs)[0]


def everywhere_reading(function: Callable[..., Any], *args: Any) -> list[Any]:
    """As `everywhere`, for a function without effects: it is called again after a death that the session survives."""
    for _ in range(_MOST_DEATHS):
        try:
            return everywhere(function, *args)
        except _core.PeFailedError:
            session = current()
            if session.failed or getattr(session, "resilience", "off") == "off" or session.kind != "driver":
                raise
    return everywhere(function, *args)


def once(function: Callable[..., Any], *args: Any) -> Any:
    """Calls a function on one PE and returns its result on all, for example to inspect a file that may change."""
    session = current()
    if session.kind != "remote" and (session.kind != "spmd" or session.pes == 1):
        return function(*args)
    return everywhere(_on_first, function, *args)[0]


def clean_up(
    session: Any, function: Callable[..., Any], *args: Any, is_finalizing: Callable[[], bool] = sys.is_finalizing
) -> None:
    """Calls `function(here, *args)` on every PE of a session to undo an operation.

    Where the session has failed or ended, on this PE alone, with None: the others cannot be reached. Nothing is done
    when the interpreter ends, as a generator that was left open is closed when modules are gone already.
    """
    if is_finalizing():
        return
    if session.failed or session.closed:
        function(None, *args)
    else:
        everywhere(function, *args)


def clean_up_once(session: Any, function: Callable[..., Any], *args: Any) -> None:
    """The same on one PE, with `function(*args)`; on each remaining PE if the session has failed."""
    if session.failed or session.closed:
        function(*args)
    else:
        once(function, *args)


def _on_first(here: Any, function: Callable[..., Any], *args: Any) -> Any:
    return function(*args) if here.pe == 0 else None


def landed(
    function: Callable[..., Any], args: Sequence[Any], kinds: Sequence[int], *, rows: Sequence[int] = (),
    inputs: Sequence[Any] = (),
) -> tuple[list[Any], list[tuple[Any, Any]]]:  # fmt: skip
    """As `everywhere`, and makes columns of the rows that the PEs pass to `here.add(column, place, array)`.

    Parameters
    ----------
    kinds : sequence of int
        For each column the code of its dtype, or `TEXT`.
    rows : sequence of int
        How many rows each PE will leave, when that is known: a chunk's place is then its first row on this PE, else a
        number by which chunks are ordered.

    Returns
    -------
    answers : list
        Of the PEs.
    columns : list of tuple
        Handles of the engine: values, and which of them are there (None: all).
    """
    session = current()
    call = pickle.dumps((function, tuple(args)), pickle.HIGHEST_PROTOCOL)
    request = pickle.dumps((sys.path, memory_is_here(session), call), pickle.HIGHEST_PROTOCOL)
    answers, columns = _core.run_everywhere(session, request, list(inputs), list(kinds), list(rows))
    values = [_unpacked(one) for one in answers]
    for value in values:
        if isinstance(value, _Failure):
            raise value.error
    return values, columns


class _Failure:
    """An exception, on its way to the other PEs."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


def _unpacked(answer: bytes) -> Any:
    if answer[:1] == b"\2":
        return _Failure(RuntimeError(answer[1:].decode(errors="replace")))
    return _kept.pop() if answer == b"\0" else pickle.loads(answer[1:])


def answer(request: bytes, here: _core.Landing) -> bytes:
    """Handles a request from another PE; called by the session on this PE."""
    sys.path[:], alone, call = pickle.loads(request)
    try:
        function, args = pickle.loads(call)
        value = _call(here, function, args)
        if alone:
            _kept.append(value)
            return b"\0"
        return b"\0" + pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    except BaseException as error:
        if alone:
            _kept.clear()
        return b"\1" + pickle.dumps(_Failure(_portable(error)))


def _call(here: _core.Landing, function: Callable[..., Any], args: Sequence[Any]) -> Any:
    global _handled
    _handled = here
    if _lookout is not None:
        _lookout.begun.set()
    try:
        return function(here, *args)
    finally:
        _handled = None


def handle_interrupts(by_agent: bool) -> None:
    """Lets the driver interrupt the functions that this worker runs.

    It sends SIGURG, which a process ignores by default: SIGINT would reach a worker from the terminal, too. A worker
    that an agent has started is not the driver's child, and sends the signal to itself.
    """
    global _lookout
    if _lookout is None and by_agent:
        _lookout = _Lookout()
    signal.signal(signal.SIGURG, _interrupt)


class _Lookout(threading.Thread):
    """Looks for an interrupt while the main thread runs a function."""

    PERIOD_S = 0.05

    def __init__(self) -> None:
        super().__init__(name="atoll-interrupts", daemon=True)
        self.begun = threading.Event()
        self.interrupted: _core.Landing | None = None
        self.start()

    def run(self) -> None:
        while self.begun.wait():
            self.begun.clear()
            time.sleep(self.PERIOD_S)  # most functions have ended by then
            while (request := _handled) is not None:
                if request.interrupted:
                    self.interrupted = request
                    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGURG)
                request = None
                time.sleep(self.PERIOD_S)


def _interrupt(_: int, frame: FrameType | None) -> None:
    global _handled
    if _handled is None or _is_importing(frame):  # half of a package would stay in sys.modules: later, then
        return
    seen = _lookout is not None and _lookout.interrupted is _handled
    if seen or _handled.interrupted:
        _handled = None  # the driver repeats the signal, which must not interrupt the clean-up
        raise KeyboardInterrupt


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


def relayed(request: bytes) -> bytes:
    """A request of another process, as this one makes it: with its own paths, and answers that can be sent on."""
    _, _, call = pickle.loads(request)
    return pickle.dumps((sys.path, False, call), pickle.HIGHEST_PROTOCOL)


def _portable(error: BaseException) -> BaseException:
    """The exception, or, if it cannot be pickled, one with the same message."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


_core.set_program(answer)
