# SPDX-License-Identifier: Apache-2.0
"""Arkouda's `pandas`: groups, categories, indexes, Series, data frames, joins."""

import importlib.util

from . import (
    accessor,
    categorical,
    checkpoint,
    conversion,
    dataframe,
    groupbyclass,
    hdfobjects,
    index,
    io,
    io_util,
    join,
    match,
    matcher,
    row,
    series,
)
from .categorical import Categorical
from .conversion import from_series
from .dataframe import DataFrame
from .groupbyclass import GroupBy
from .index import Index, MultiIndex
from .join import compute_join_size, gen_ranges, join_on_eq_with_dt
from .row import Row
from .series import Series

__all__ = [
    "Categorical", "DataFrame", "GroupBy", "Index", "MultiIndex", "Row", "Series", "accessor", "categorical",
    "compute_join_size", "conversion", "dataframe", "from_series", "gen_ranges", "groupbyclass", "hdf", "index", "io",
    "io_util", "join", "join_on_eq_with_dt", "match", "matcher", "row", "series",
]  # fmt: skip

if importlib.util.find_spec("pandas"):  # whose objects then know Arkouda's types by name
    from . import extension
