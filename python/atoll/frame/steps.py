# SPDX-License-Identifier: Apache-2.0
"""Loops that go on when a PE has died, or in another run of the program: what they keep, and where they resume."""

from __future__ import annotations

import operator
import os
import pickle
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .. import _core
from ..arrays.array import Array, wrap
from ..arrays.pair import Pair
from ..session import current
from ..session.checkpoint_schedule import USUAL_FAILURE_GAP, Schedule
from ..session.recovery import Report
from ..session.session import checkpoint_root, replaced_number, take_place
from ..session.where import position
from .files.saved_steps import Saver, put_back

__all__ = ["recover", "steps"]

_STEP_BITS = 32
_begun = 0  # loops of this program so far: the same number on all PEs
_resumes = False  # the next loop goes on from the kept state


def recover() -> Report:
    """Make the PEs of an SPMD session whole again after a `PeFailedError`. Collective over the surviving PEs.

    The launcher starts a new process for each dead PE. It adopts the memory of the dead PE and runs the program from
    its beginning up to the loop over `ak.steps`. The loop is to follow this call: it resumes at the newest step that
    all PEs have begun, and the arrays that it keeps are as they were then. Other arrays are lost; do not use them.

    Returns
    -------
    dict
        ``cause`` of the failure, ``pes`` that were replaced, ``arrays`` and ``bytes`` that they had kept, and
        ``seconds`` that this call took, the start of the new processes included.

    Raises
    ------
    RuntimeError
        If no PE has died, or the session was not started by ``ak.init(resilience="process")`` under ``atoll run``.

    See Also
    --------
    steps

    Examples
    --------
    >>> import atoll as ak
    >>> ak.recover()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    RuntimeError: this session cannot recover (it does not survive deaths). ...
    """
    global _resumes
    report = current().recover()
    _resumes = True
    return report


def steps(
    count: int, keep: dict[str, Any] | None = None, *, every: int = 1, checkpoint: Any = None,
    seconds: float | None = None, failure_gap: float = USUAL_FAILURE_GAP,
) -> Iterator[int]:  # fmt: skip
    """The numbers 0 … `count` - 1, as `range` has them, for a loop that survives the death of PEs, or of all.

    Parameters
    ----------
    count : int
        Steps of the loop.
    keep : dict, optional
        What the loop goes on from, by name: arrays, values that can be pickled, and functions without arguments that
        make them at the first step. The loop changes arrays in place, or puts new ones into the dictionary. An array
        costs nothing until it changes; then both versions take memory during a step.
    every : int, optional
        Keeps at each such step alone, so that more steps are repeated after a death.
    checkpoint : path, optional
        A directory for checkpoints of `keep`, as `ak.save_checkpoint` writes them: arrays, columns, frames, and values
        that JSON has. If there is one, the loop begins at its step, on any number of PEs. The default is a directory
        below that of ``ak.init(checkpoint=…)``, if that names one.
    seconds : float, optional
        Time between checkpoints. By default it is chosen so that checkpoints and repeated steps together take the least
        time, from the cost of the last checkpoint and `failure_gap`.
    failure_gap : float
        Mean seconds between failures that end the program, as assumed: a day by default.

    Yields
    ------
    int
        The number of a step. After `ak.recover` and in the new process of a dead PE the first is that of the step that
        was interrupted, and the values of `keep` are as they were at its beginning. Arrays that were passed have the
        elements of then; the values of other entries are replaced.

    See Also
    --------
    recover : what to call after a PeFailedError

    Notes
    -----
    In sessions that do not survive deaths, and without checkpoints, this is `range`, after the functions were called.
    The memory is kept from the beginning of a step to that of the next one, also in the next loop. The last checkpoint
    is that of the end: remove the directory to begin at 0.

    Examples
    --------
    >>> import atoll as ak
    >>> state = {"x": lambda: ak.zeros(3)}
    >>> for step in ak.steps(4, keep=state):
    ...     state["x"] = state["x"] + step
    >>> state["x"]
    array([6., 6., 6.])

    Under ``atoll run``, with a session of ``ak.init(resilience="process")``:

    >>> def main():
    ...     state = {"x": lambda: ak.zeros(1_000_000)}
    ...     while True:
    ...         try:
    ...             for step in ak.steps(100, keep=state):
    ...                 state["x"] = state["x"] * 0.5 + 1
    ...             return state["x"]
    ...         except ak.PeFailedError:
    ...             ak.recover()
    """
    number, gap = operator.index(count), operator.index(every)
    if not 0 <= number < 1 << _STEP_BITS:
        raise ValueError(f"a loop has 0 to 2**{_STEP_BITS} - 1 steps, not {number}")
    if gap < 1:
        raise ValueError(f"every must be at least 1, not {gap}")
    if keep is not None and not isinstance(keep, dict):
        raise TypeError(f"keep must be a dictionary, not {type(keep).__name__}: new values are put into it")
    if seconds is not None and not seconds >= 0:
        raise ValueError(f"seconds must not be negative, not {seconds}")
    if not failure_gap > 0:
        raise ValueError(f"failure_gap must be positive, not {failure_gap}")
    place = position()

    def saver() -> Saver | None:
        path = checkpoint
        if path is None and (root := checkpoint_root()):
            path = os.path.join(root, str(_begun + 1))
        return None if path is None else Saver(path, Schedule(seconds, failure_gap))

    return _steps(number, {} if keep is None else keep, gap, place, saver)


def _steps(
    count: int, keep: dict[str, Any], every: int, place: str, make_saver: Callable[[], Saver | None]
) -> Iterator[int]:
    global _begun
    session = current()
    wanted = replaced_number()
    if wanted is not None:
        if wanted >> _STEP_BITS > _begun + 1:  # the others are in a later loop
            _begun += 1
            _make(keep)
            return
        take_place()
        session = current()
    keeps = session.kind == "spmd" and session.resilience != "off"
    first = _resumed(session, keep, place) if _take_resumption() or wanted is not None else None
    if first is not None:
        _begun -= 1
    saver = make_saver()
    _begun += 1
    if first is None and saver is not None:
        first = saver.restored(keep)
    if first is None:
        _make(keep)
        first = 0
    for step in range(first, count):
        if keeps and (step - first) % every == 0:
            _keep(session, keep, step, place)
        if saver is not None and step > first:
            saver.save_if_due(keep, step)
        yield step
    if saver is not None:
        saver.save(keep, count)


def _take_resumption() -> bool:
    global _resumes
    taken, _resumes = _resumes, False
    return taken


def _make(keep: dict[str, Any]) -> None:
    """Calls the functions among the values, for what the loop begins with."""
    for name, value in keep.items():
        if callable(value) and not isinstance(value, Array):
            keep[name] = value()


def _keep(session: _core.Session, keep: Mapping[str, Any], step: int, place: str) -> None:
    told, arrays = [], []
    for name, value in keep.items():
        if isinstance(value, Array):
            if value.base is not None:
                raise TypeError(f"keep[{name!r}] is a view (its elements are those of another array). Keep that array?")
            expr = value._read()
            parts = [expr.re, expr.im] if isinstance(expr, Pair) else [expr]
            told.append((name, len(parts), None))
            arrays.extend(parts)
        else:
            told.append((name, 0, value))
    try:
        note = pickle.dumps((place, told), pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        raise TypeError(f"a value of keep cannot be pickled ({error}). Keep arrays, numbers and strings?") from error
    session.keep(_begun << _STEP_BITS | step + 1, note, arrays)


def _resumed(session: _core.Session, keep: dict[str, Any], place: str) -> int | None:
    """Puts the kept state into `keep`. Returns the step to begin with; None: no PE had begun a step."""
    global _begun
    number, note, exprs = session.kept()
    _begun = max(number >> _STEP_BITS, 1) if number else 0
    if number == 0:
        lost = [name for name, value in keep.items() if isinstance(value, Array)]
        if lost:
            raise _core.PeFailedError(
                f"a PE died before the first step, and {', '.join(lost)} of keep cannot be made again. "
                "Give functions that make the arrays, not arrays?"
            )
        return None
    kept_place, told = pickle.loads(note)
    if kept_place != place:
        raise _core.PeFailedError(
            f"the PEs go on from the loop at {kept_place}, not from that at {place}. "
            "Catch PeFailedError around each loop over ak.steps(), and let the loop follow ak.recover()?"
        )
    left = iter(exprs)
    for name, parts, value in told:
        if parts:
            expr: Any = next(left) if parts == 1 else Pair(next(left), next(left))
            value = wrap(expr)
        put_back(keep, name, value)
    return (number & (1 << _STEP_BITS) - 1) - 1
