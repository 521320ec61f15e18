# SPDX-License-Identifier: Apache-2.0
"""Columns of files as Arkouda has them: numbers of eight bytes, strings, datetimes, lists; NaN or NaT where none is."""

from __future__ import annotations

from typing import Any

import atoll

from ...columns.categorical.categorical import Categorical
from ...columns.column import Column
from ...columns.datetime.ticks import Ticks
from ...columns.nested.lists import Lists
from ...columns.numeric.addresses import Addresses
from ...columns.numeric.decimals import Decimals
from ...columns.text.binary import Binary
from ...columns.text.strings import Strings as Texts
from ..numpy.arrays import pdarray
from ..numpy.segarray import SegArray
from ..numpy.strings import Strings
from ..objects import lift

__all__ = ["of_file"]


def of_file(name: str, column: Any, null_handling: str = "only floats") -> Any:
    """The array of a file's column, which is called so in errors.

    `null_handling` "all": numbers of which some are missing become floats. Else a missing integer is 0.
    """
    if isinstance(column, Lists):
        values = of_file(name, column.values, null_handling)
        if not isinstance(values, (pdarray, Strings)):
            raise TypeError(
                f"column {name!r} has lists of lists (Arkouda has no array for it). Leave it out: datasets="
            )
        return SegArray(lift(column.segments.astype("int64")), values)
    if isinstance(column, Categorical):
        return of_file(name, column.apply(lambda categories: categories), null_handling)
    if isinstance(column, Binary):
        column = column.decode("utf-8")
    elif isinstance(column, Decimals):
        column = column.astype("float64")
    elif isinstance(column, Addresses):
        column = column.astype("str")
    if isinstance(column, Texts):
        return lift(column.fillna("") if column.null_count else column)
    if isinstance(column, Ticks):
        return lift(column)
    if isinstance(column, Column):
        kind = column.dtype
        if column.null_count and (null_handling == "all" or kind.kind == "f"):
            return lift(atoll.asarray(column.astype("float64").fillna(float("nan"))))
        column = column.fillna(kind.type(0)) if column.null_count else column.values
    if column.dtype.kind == "f":
        column = column.astype("float64")
    elif column.dtype.kind in "iu" and column.dtype.itemsize < 4:
        column = column.astype("int64")
    return lift(atoll.asarray(column))
