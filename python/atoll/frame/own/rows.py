# SPDX-License-Identifier: Apache-2.0
"""A function of each row of a frame, which gets rows as pandas makes them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ...extras import is_here
from ..data.values import is_scalar
from .elements import called, of_each

#: Rows from which on pandas makes them: it takes a tenth of the time.
FEW = 64


def each_row(frame: Any, function: Callable[..., Any], raw: bool, args: Any, kwargs: Any) -> Any:
    """Results of a function for each row, in order: a list, or an array of numbers.

    None where this module is not for the rows: these are few, or the function makes Series of them. It may have been
    called for the first row then.
    """
    if len(frame) <= FEW or not is_here("pandas"):
        return None
    alone = bool(args or kwargs)  # arguments may be changed by the function
    call: Callable[[Any], Any] = partial(_with_arguments, function, args, kwargs) if alone else function
    if raw:
        rows = frame.to_numpy()
        return called(of_each(lambda begin, end: list(rows[begin:end]), call), len(frame), function, alone)
    held = frame.to_pandas()
    first = call(held.iloc[0])
    if not (is_scalar(first) or isinstance(first, tuple)):
        return None

    def run(begin: int, end: int) -> list[Any]:
        made: list[Any] = []

        def keep(row: Any) -> None:
            made.append(call(row))

        held.iloc[begin:end].apply(keep, axis=1)
        return made

    return called(run, len(frame), function, alone, FEW)


def _with_arguments(function: Callable[..., Any], args: Any, kwargs: Any, row: Any) -> Any:
    return function(row, *args, **kwargs)
