# SPDX-License-Identifier: Apache-2.0
"""Group-by: rows with equal keys, and figures for each group of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .grouped import EMPTY_IS_ZERO as EMPTY_IS_ZERO
from .rows import RowsByGroup

__all__ = ["GroupBy", "groupby"]

#: Makes groups of all categories of observed ones: those who know categories put it here.
all_categories: list[Callable[[Any, Any, bool], Any]] = []


class GroupBy(RowsByGroup):
    """Groups of rows by their keys; `groupby` makes it.

    Figures are arrays with an element per group, in the order of `keys`. `agg` computes several of several columns in
    one pass. NaN is a value like any other: the sum of a group that has one is NaN. Missing values of columns are left
    out; of a group that has no others, figures are missing, and sums and counts are 0. What looks at rows in their
    order (running figures, ranks, filling, windows) has an element per row, and leaves out NaN, too, as pandas does.
    """

    __slots__ = ()


def groupby(keys: Any, dropna: bool = True, observed: bool = True, sort: bool = True) -> Any:
    """Groups of the rows that have equal keys.

    Parameters
    ----------
    keys : array_like or sequence of arrays
        One 1-d array or column, or several of one length: rows are in one group when all their keys are equal. All NaN
        are one key, -0.0 and 0.0 are one.
    dropna : bool
        Rows with a missing key are in no group; False: a missing key is a key of its own, behind all others.
    observed : bool
        Of categories, groups of those that rows have. False: of all, and with several keys of all combinations of their
        values; sums and counts of those that no row has are 0, other figures missing.
    sort : bool
        Groups are in ascending order of their keys (NaN last); False: in the order in which they appear first.

    Returns
    -------
    GroupBy
        It can be asked for any number of figures.

    Raises
    ------
    ValueError
        When the keys are not 1-dimensional, or not of one length.

    Notes
    -----
    One pass over keys and values while groups are few; when they are many, each row is moved once. Over several PEs
    every PE aggregates its own rows first, so a group crosses once per PE, however many rows it has. Sums and means of
    floats are those of the exact sum: they do not depend on PEs, threads or the order of rows.

    Examples
    --------
    >>> import atoll as ak
    >>> carrier = ak.array([1, 0, 1, 1])
    >>> delay = ak.array([10.0, 3.0, 20.0, 0.0])
    >>> g = ak.groupby(carrier)
    >>> g.keys, g.size(), g.mean(delay)
    (array([0, 1]), array([1, 3]), array([ 3., 10.]))
    """
    groups = GroupBy(keys, dropna, sort)
    return groups if observed else all_categories[0](keys, groups, dropna)
