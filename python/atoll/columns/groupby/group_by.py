# SPDX-License-Identifier: Apache-2.0
"""Groups of rows with equal keys."""

from __future__ import annotations

from .rows import RowsByGroup


class GroupBy(RowsByGroup):
    """Groups of rows by their keys; `groupby` makes it.

    Aggregates are arrays with one element per group, in the order of `keys`. `agg` computes several for columns in
    one pass. NaN is a value like any other: the sum of a group that has one is NaN. Missing values of columns are left
    out; of a group that has no others, aggregates are missing, and sums and counts are 0. What looks at rows in their
    order (running aggregates, ranks, filling, windows) has an element per row, and leaves out NaN, too, as pandas does.
    """

    __slots__ = ()
