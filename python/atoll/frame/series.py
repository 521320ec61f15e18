# SPDX-License-Identifier: Apache-2.0
"""Series: a column with labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .accessors import SeriesAccessors
from .arithmetic.describe import SeriesDescribing
from .arithmetic.elementwise import SeriesElementwise
from .arithmetic.operators import SeriesArithmetic
from .arithmetic.products import SeriesProducts
from .arithmetic.reductions import SeriesReductions
from .classes import Tabular, define
from .combine.align import SeriesAligning
from .combine.combine import SeriesCombining
from .core import SeriesCore
from .data.construction import series_parts
from .display.completion import SeriesCompletion
from .display.html import SeriesHtml
from .display.plot import Plotting
from .display.text import SeriesDisplay
from .files.conversion import SeriesConversion
from .groupby.groups import Grouping
from .groupby.resample import Resampling
from .reshape.pivot import SeriesReshaping
from .select.brackets import SeriesSelecting
from .select.indexers import Indexing
from .select.missing import SeriesMissing
from .select.relabel import SeriesLabelling
from .select.sort import SeriesSorting
from .window.windows import Running

if TYPE_CHECKING:
    from ..annotations import DTypeLike


class Series(
    SeriesDisplay, SeriesCompletion, SeriesHtml,
    SeriesSelecting, SeriesArithmetic, SeriesElementwise, SeriesReductions, SeriesMissing, SeriesSorting,
    SeriesLabelling, SeriesAligning, SeriesReshaping, SeriesCombining, SeriesDescribing, SeriesConversion,
    SeriesAccessors, SeriesProducts, Plotting, Resampling, Running, Indexing, Grouping, SeriesCore,
    metaclass=Tabular,
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
        self, data: Any = None, index: Any = None, dtype: DTypeLike = None, name: str | None = None, copy: Any = None
    ) -> None:
        self._values, self._index, self._name = series_parts(data, index, dtype, name)


define(Series)
