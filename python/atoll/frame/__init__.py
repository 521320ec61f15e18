# SPDX-License-Identifier: Apache-2.0
"""Data frames: columns with labels, under pandas' names."""

from . import grouped as grouped
from .categorical_index import CategoricalIndex as CategoricalIndex
from .combining import merge_asof as merge_asof
from .combining import merge_ordered as merge_ordered
from .concatenating import concat as concat
from .cutting import cut as cut
from .cutting import qcut as qcut
from .dataframe import DataFrame as DataFrame
from .deferred import col as col
from .index import Index as Index
from .index import RangeIndex as RangeIndex
from .interval_index import Interval as Interval
from .interval_index import IntervalIndex as IntervalIndex
from .interval_index import interval_range as interval_range
from .merging import merge as merge
from .moments import DatetimeIndex as DatetimeIndex
from .moments import TimedeltaIndex as TimedeltaIndex
from .moments import date_range as date_range
from .moments import timedelta_range as timedelta_range
from .multi import MultiIndex as MultiIndex
from .numbers import factorize as factorize
from .numbers import to_numeric as to_numeric
from .period_index import Period as Period
from .period_index import PeriodIndex as PeriodIndex
from .period_index import period_range as period_range
from .resampling import Grouper as Grouper
from .reshaping import crosstab as crosstab
from .reshaping import get_dummies as get_dummies
from .reshaping import melt as melt
from .reshaping import pivot as pivot
from .reshaping import pivot_table as pivot_table
from .series import Series as Series
from .widening import from_dummies as from_dummies
from .widening import lreshape as lreshape
from .widening import wide_to_long as wide_to_long
