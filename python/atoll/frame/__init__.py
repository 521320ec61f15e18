# SPDX-License-Identifier: Apache-2.0
"""Data frames: columns with labels, under pandas' names."""

from ..columns.datetime.timestamp import NaT as NaT
from ..columns.datetime.timestamp import Timedelta as Timedelta
from ..columns.datetime.timestamp import Timestamp as Timestamp
from .combine.combine import merge_asof as merge_asof
from .combine.combine import merge_ordered as merge_ordered
from .combine.concat import concat as concat
from .combine.merge import merge as merge
from .data.numeric import factorize as factorize
from .data.numeric import to_numeric as to_numeric
from .dataframe import DataFrame as DataFrame
from .expressions.deferred import col as col
from .fallback.classes import install as _install
from .fallback.classes import install_functions as _install_functions
from .groupby.groupby import DataFrameGroupBy as DataFrameGroupBy
from .groupby.groupby import SeriesGroupBy as SeriesGroupBy
from .groupby.resample import Grouper as Grouper
from .index.categorical import CategoricalIndex as CategoricalIndex
from .index.datetime import DatetimeIndex as DatetimeIndex
from .index.datetime import TimedeltaIndex as TimedeltaIndex
from .index.datetime import date_range as date_range
from .index.datetime import timedelta_range as timedelta_range
from .index.index import Index as Index
from .index.index import RangeIndex as RangeIndex
from .index.interval import Interval as Interval
from .index.interval import IntervalIndex as IntervalIndex
from .index.interval import interval_range as interval_range
from .index.multi import MultiIndex as MultiIndex
from .index.period import Period as Period
from .index.period import PeriodIndex as PeriodIndex
from .index.period import period_range as period_range
from .reshape.cut import cut as cut
from .reshape.cut import qcut as qcut
from .reshape.pivot import crosstab as crosstab
from .reshape.pivot import get_dummies as get_dummies
from .reshape.pivot import melt as melt
from .reshape.pivot import pivot as pivot
from .reshape.pivot import pivot_table as pivot_table
from .reshape.wide_long import from_dummies as from_dummies
from .reshape.wide_long import lreshape as lreshape
from .reshape.wide_long import wide_to_long as wide_to_long
from .series import Series as Series

_install()
_install_functions(globals())
