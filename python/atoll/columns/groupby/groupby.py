# SPDX-License-Identifier: Apache-2.0
"""The function `groupby`."""

from __future__ import annotations

from typing import Any

from ..categorical.all_categories import with_all_categories
from .group_by import GroupBy

__all__ = ["GroupBy", "groupby"]


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
        values; sums and counts of those that no row has are 0, other aggregates missing.
    sort : bool
        Groups are in ascending order of their keys (NaN last); False: in the order in which they appear first.

    Returns
    -------
    GroupBy
        It can be asked for any number of aggregates.

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
    return groups if observed else with_all_categories(keys, groups, dropna)
