# SPDX-License-Identifier: Apache-2.0
"""Series: a column with labels."""

from __future__ import annotations

from typing import Any

from .accessors import SeriesAccessors
from .aligning import SeriesAligning
from .arithmetic import SeriesArithmetic
from .classes import define
from .combining import SeriesCombining
from .construction import series_parts
from .conversion import SeriesConversion
from .core import SeriesCore
from .describing import SeriesDescribing
from .display import SeriesDisplay
from .elementwise import SeriesElementwise
from .grouping import Grouping
from .indexing import Indexing
from .labelling import SeriesLabelling
from .missing import SeriesMissing
from .plotting import Plotting
from .products import SeriesProducts
from .reducing import SeriesReductions
from .resampling import Resampling
from .reshaping import SeriesReshaping
from .running import Running
from .selecting import SeriesSelecting
from .sorting import SeriesSorting


class Series(
    SeriesDisplay, SeriesSelecting, SeriesArithmetic, SeriesElementwise, SeriesReductions, SeriesMissing, SeriesSorting,
    SeriesLabelling, SeriesAligning, SeriesReshaping, SeriesCombining, SeriesDescribing, SeriesConversion,
    SeriesAccessors, SeriesProducts, Plotting, Resampling, Running, Indexing, Grouping, SeriesCore,
):  # fmt: skip
    """A column with labels: pandas' Series, its rows spread over the PEs.

    Parameters
    ----------
    data : array_like, dict, scalar or Series
        The values; a dict gives the labels too.
    index : array_like, optional
        The labels; 0, 1, 2, … when there are none.
    dtype : dtype, optional
        The kind of the values.
    name : hashable, optional
        The name.

    Examples
    --------
    >>> import atoll as ak
    >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
    >>> s[s > 1].sort_values()
    c    2
    a    3
    dtype: int64
    """

    __slots__ = ()

    def __init__(
        self, data: Any = None, index: Any = None, dtype: Any = None, name: Any = None, copy: Any = None
    ) -> None:
        self._values, self._index, self._name = series_parts(data, index, dtype, name)


define(Series)
