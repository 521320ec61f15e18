# SPDX-License-Identifier: Apache-2.0
"""A function of each value of a column: in this process, or in several where that is faster."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import asarray
from ...arrays.ndarray import ndarray
from ...columns.objects import Objects, is_missing
from ...columns.text.strings import Strings
from ...session.forked import BLOCKS_PER_WORKER, Failure, in_workers, worker_count
from ..data.dtypes import to_list
from ..data.values import make
from .repeatable import is_repeatable

if TYPE_CHECKING:
    from ...annotations import ArrayLike

#: Seconds of work from which on worker processes are started: forking some takes a few hundredths of a second.
LEAST_S = 0.25
TRIED = 256  # values from which the time of all is estimated

#: Types of results that travel as arrays, because a list of them and their array are the same values.
_ARRAYS: dict[type, Any] = {
    float: np.float64,
    int: np.int64,
    bool: np.bool_,
    np.float64: np.float64,
    np.int64: np.int64,
}


def each(values: Any, function: Callable[[Any], Any], na_action: str | None = None, errors: str = "raise") -> Any:
    """Results of a function for each value, as a column.

    Parameters
    ----------
    values : column or array
        The values.
    function : callable
        It is called in the order of the rows; a repeatable function that takes long runs in worker processes.
    na_action : str, optional
        "ignore" leaves missing values as they are.
    errors : str
        "raise", or "null": a value for which the function raises an Exception has a missing result.
    """
    if errors not in ("raise", "null"):
        raise ValueError(f"errors={errors!r} (it is 'raise' or 'null'). Which of both?")

    def one(value: Any) -> Any:
        if na_action == "ignore" and is_missing(value):
            return value
        if errors == "raise":
            return function(value)
        try:
            return function(value)
        except Exception:
            return None

    plain = function if na_action is None and errors == "raise" else one
    return made_of(called(of_each(part_of(values), plain), values.size, function, is_shared(values)))


def called(
    run: Callable[[int, int], list[Any]],
    size: int,
    function: Callable[..., Any],
    alone: bool = False,
    tried: int = TRIED,
    prepare: Callable[[], Callable[[int, int], list[Any]]] | None = None,
) -> list[Any] | np.ndarray[Any, Any]:
    """Results of a user's function for some rows: by worker processes if it is repeatable and the rows take long.

    Parameters
    ----------
    run : callable
        The results from one row to another.
    size : int
        Number of rows.
    function : callable
        The user's function, which `run` calls.
    alone : bool
        Whether this process makes all calls.
    tried : int
        Rows from which the time of all is estimated.
    prepare : callable, optional
        Called once before the workers begin: makes what they call instead of `run`, whose results may be of this
        process alone.
    """
    workers = 1 if alone or size <= tried else worker_count()
    if workers == 1 or not is_repeatable(function):
        return run(0, size)
    begun = time.perf_counter()
    first = run(0, tried)
    long = (time.perf_counter() - begun) / tried * (size - tried) >= LEAST_S
    own = prepare is None and any(type(one).__module__.startswith("atoll.") for one in first)
    if not long or own:  # arrays belong to this process
        return [*first, *run(tried, size)]
    blocks = min(workers * BLOCKS_PER_WORKER, size - tried)
    edges = np.linspace(tried, size, blocks + 1).astype(np.int64).tolist()
    part = run if prepare is None else prepare()
    found = in_workers(lambda at: _packed(part(edges[at], edges[at + 1])), blocks, workers)
    for at, one in enumerate(found):
        if isinstance(one, Failure):  # again here: the traceback has the user's line, and a debugger can be used
            return [*_unpacked(first, found[:at]), *run(edges[at], size)]
    return _unpacked(first, found)


def of_each(part: Callable[[int, int], Sequence[Any]], call: Callable[[Any], Any]) -> Callable[[int, int], list[Any]]:
    """`call` of each of some values, as `called` asks for it."""
    return lambda begin, end: [call(value) for value in part(begin, end)]


def part_of(values: Any) -> Callable[[int, int], Sequence[Any]]:
    """Python's values from one row to another; they are made where they are used."""
    if isinstance(values, ndarray):
        array = values.to_numpy(None)
        return lambda begin, end: array[begin:end].tolist()
    if isinstance(values, Strings):
        arrow = values.to_arrow()
        return lambda begin, end: [np.nan if one is None else one for one in arrow[begin:end].to_pylist()]
    held = to_list(values)
    return lambda begin, end: held[begin:end]


def _packed(held: list[Any]) -> Any:
    """Results as an array where that has the same values."""
    kinds = set(map(type, held))
    wanted = _ARRAYS.get(kinds.pop()) if len(kinds) == 1 else None
    if wanted is None:
        return held
    try:
        return np.array(held, wanted)
    except OverflowError:
        return held


def _unpacked(first: list[Any], found: list[Any]) -> list[Any] | np.ndarray[Any, Any]:
    parts = [_packed(first), *found]
    if all(isinstance(one, np.ndarray) for one in parts) and {one.dtype.kind for one in parts} in ({"b"}, {"i"}, {"f"}):
        return np.concatenate(parts)
    return [value for one in parts for value in (one.tolist() if isinstance(one, np.ndarray) else one)]


def made_of(held: list[Any] | np.ndarray[Any, Any]) -> Any:
    """The column of results."""
    return asarray(held) if isinstance(held, np.ndarray) else make(held)


def is_shared(values: ArrayLike) -> bool:
    """Whether a function could change the values themselves: that has to show in this process."""
    return isinstance(values, Objects)
