# SPDX-License-Identifier: Apache-2.0
"""Long calls of other libraries, during which signal handlers run."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import Any, TypeVar

_Answer = TypeVar("_Answer")

#: Seconds after which a waiting thread runs signal handlers, if the signal itself has woken another thread.
LOOK_S = 0.1


def handles_signals() -> bool:
    """Whether this thread is the one in which Python runs signal handlers."""
    return threading.current_thread() is threading.main_thread()


def interruptible(function: Callable[..., _Answer], *args: Any, **options: Any) -> _Answer:
    """Calls a function in another thread, while this thread handles signals; returns its result or raises its error.

    What a signal handler raises (KeyboardInterrupt, say) ends the wait. The function cannot be ended: it goes on, and
    its result is dropped. So it must not change shared state, and it must release the GIL if it takes long.
    In other threads than the main one, where no handlers run, it is called directly.
    """
    if not handles_signals():
        return function(*args, **options)
    found: list[tuple[_Answer | None, BaseException | None]] = []
    done = threading.Event()
    context = contextvars.copy_context()  # such as NumPy's errstate

    def run() -> None:
        try:
            found.append((context.run(function, *args, **options), None))
        except BaseException as error:
            found.append((None, error))
        done.set()

    # A daemon, so that a program that was interrupted can end while the function goes on.
    threading.Thread(target=run, name=f"atoll {getattr(function, '__name__', 'call')}", daemon=True).start()
    while not done.wait(LOOK_S):
        pass
    answer, error = found.pop()
    if error is not None:
        raise error
    return answer  # type: ignore[return-value]
