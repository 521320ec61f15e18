# SPDX-License-Identifier: Apache-2.0
"""A function of the rows of each group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...extras import is_here
from .elements import called

_TRIED = 4  # groups from which the time of all is estimated


def each_group(
    of: Any,
    groups: Sequence[tuple[Any, Any]],
    function: Callable[..., Any],
    args: Any,
    kwargs: Any,
    convert: Callable[[Any], Any],
) -> list[Any]:
    """Results of a function for each group's rows, in order. Worker processes pass it rows of pandas.

    Parameters
    ----------
    of : Series or DataFrame
        All rows.
    groups : sequence of tuple
        Each key, and the numbers of its rows. A Series of rows has the key as its name.
    convert : callable
        Makes frames and Series of those of pandas.
    """

    def run(begin: int, end: int) -> list[Any]:
        return [function(_named(of._take(rows), key), *args, **kwargs) for key, rows in groups[begin:end]]

    def in_pandas() -> Callable[[int, int], list[Any]]:
        held, places = of.to_pandas(), [(key, rows.to_numpy()) for key, rows in groups]

        def run(begin: int, end: int) -> list[Any]:
            made = []
            for key, rows in places[begin:end]:
                part = held.iloc[rows]
                if part.ndim == 1:
                    part.name = key
                made.append(function(part, *args, **kwargs))
            return made

        return run

    alone = bool(args or kwargs) or not is_here("pandas")
    made = called(run, len(groups), function, alone, _TRIED, in_pandas)
    return made.tolist() if isinstance(made, np.ndarray) else list(map(convert, made))


def _named(rows: Any, key: object) -> Any:
    if rows.ndim == 1:
        rows._name = key
    return rows
