# SPDX-License-Identifier: Apache-2.0
"""Data frames: columns with labels, under pandas' names."""

from . import grouped as grouped
from .concatenating import concat as concat
from .dataframe import DataFrame as DataFrame
from .index import Index as Index
from .index import RangeIndex as RangeIndex
from .merging import merge as merge
from .multi import MultiIndex as MultiIndex
from .series import Series as Series
