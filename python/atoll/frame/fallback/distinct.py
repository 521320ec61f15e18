# SPDX-License-Identifier: Apache-2.0
"""Calls pandas with each distinct value and spreads the results over the rows: only distinct values are collected."""

from __future__ import annotations

from typing import Any

from ...arrays.selection import where
from ...columns.objects import is_missing
from ..classes import series
from ..data.values import take_or_miss
from .convert import column_of


def datetimes_of_distinct(rows: Any, **options: object) -> Any:
    """Datetimes of a Series of strings, by `pandas.to_datetime` of its distinct values.

    The unit of the result is that of the distinct values together, as pandas chooses it.
    """
    import pandas as pd

    codes, distinct = rows.factorize()
    texts = [None if is_missing(one) else one for one in distinct.to_list()]
    read = pd.to_datetime(pd.Series(texts, dtype="str"), **options)
    gone = codes < 0
    places = where(gone, 0, codes)
    return series(take_or_miss(column_of(read.array), places, gone), rows._index, rows._name)
