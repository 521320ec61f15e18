# SPDX-License-Identifier: Apache-2.0
"""`ak.aio`: operations that are awaited, for programs that do other things meanwhile.

Each session has one thread of its own for them, so the operations of a session run in the order of their calls.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from ..arrays.interchange import PACKAGE
from ..session import session as sessions

T = TypeVar("T")


class Aio:
    """Functions of `atoll` as coroutines, `run` for any other function, and `submit` for futures. Experimental.

    ``await ak.aio.sort(x)`` is ``ak.sort(x)`` in a thread of the current session. A session runs one operation at a
    time, so two of them in one session take turns; those of different sessions run side by side. Cancelling the task
    interrupts the operation on the server of a remote session; operations of other sessions complete.

    Examples
    --------
    >>> import asyncio
    >>> import atoll as ak
    >>> x = ak.array([3, 1, 2])
    >>> asyncio.run(ak.aio.sort(x))
    array([1, 2, 3])
    >>> asyncio.run(ak.aio.run(x.sum))
    np.int64(6)
    >>> ak.aio.submit(ak.sum, x).result()
    np.int64(6)
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._here: ThreadPoolExecutor | None = None  # of sessions whose PEs are driven by this process
        self._remote: WeakKeyDictionary[Any, ThreadPoolExecutor] = WeakKeyDictionary()

    def submit(self, function: Callable[..., T], /, *args: object, **options: object) -> Future[T]:
        """Calls a function in the current session's thread; its future."""
        return self._executor(sessions.current()).submit(function, *args, **options)

    async def run(self, function: Callable[..., T], /, *args: object, **options: object) -> T:
        """Calls a function, such as a method of an array, in the current session's thread, and waits for its result."""
        session: Any = sessions.current()
        future = self._executor(session).submit(function, *args, **options)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            if future.running() and session.kind == "remote":
                threading.Thread(target=session.interrupt, name="atoll-interrupt", daemon=True).start()
            raise

    async def connect(self, *args: Any, **options: Any) -> Any:
        """As `ak.connect`: the session is the current one when this returns."""
        from .client.connect import connect

        return await asyncio.get_running_loop().run_in_executor(None, lambda: connect(*args, **options))

    def __getattr__(self, name: str) -> Callable[..., Coroutine[Any, Any, Any]]:
        if name.startswith("_"):
            raise AttributeError(name)
        function = getattr(PACKAGE[0], name)
        if not callable(function):
            raise AttributeError(f"atoll.{name} is no function. Use it without aio?")

        async def awaited(*args: object, **options: object) -> Any:
            return await self.run(function, *args, **options)

        awaited.__name__ = awaited.__qualname__ = name
        awaited.__doc__ = function.__doc__
        return awaited

    def _executor(self, session: Any) -> ThreadPoolExecutor:
        with self._lock:
            if session.kind != "remote":
                self._here = self._here or ThreadPoolExecutor(1, "atoll-aio")
                return self._here
            if session not in self._remote:
                self._remote[session] = ThreadPoolExecutor(1, "atoll-aio")
            return self._remote[session]


aio = Aio()
