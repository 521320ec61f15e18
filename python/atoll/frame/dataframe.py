# SPDX-License-Identifier: Apache-2.0
"""DataFrame: columns with labels, of one length."""

from __future__ import annotations

from typing import Any

from .aligning import FrameAligning
from .arithmetic import FrameArithmetic
from .classes import define
from .combining import FrameCombining
from .construction import frame_parts
from .conversion import FrameConversion
from .core import FrameCore
from .describing import FrameDescribing
from .display import FrameDisplay
from .elementwise import FrameElementwise
from .files import FrameFiles
from .grouping import Grouping
from .html import Html
from .indexing import Indexing
from .labelling import FrameLabelling
from .merging import Merging
from .missing import FrameMissing
from .pending import Columns, as_they_are
from .plotting import Plotting
from .products import FrameProducts
from .querying import Querying
from .reducing import FrameReductions
from .resampling import Resampling
from .reshaping import FrameReshaping
from .running import Running
from .selecting import FrameSelecting
from .sorting import FrameSorting


class DataFrame(
    FrameDisplay, Html, FrameSelecting, FrameArithmetic, FrameElementwise, FrameReductions, FrameMissing, FrameSorting,
    FrameLabelling, FrameAligning, FrameReshaping, FrameCombining, FrameDescribing, FrameConversion, FrameFiles,
    FrameProducts, Plotting, Resampling, Running, Merging, Querying, Indexing, Grouping, FrameCore,
):  # fmt: skip
    """Columns with labels: pandas' DataFrame, its rows spread over the PEs.

    Parameters
    ----------
    data : dict, list, array, DataFrame, pandas DataFrame, Arrow table, …
        Columns by label, or rows: lists, tuples, dicts, records. What has `__arrow_c_stream__` is taken as it is.
    index : array_like, optional
        The rows' labels; 0, 1, 2, … when there are none.
    columns : array_like, optional
        The columns' labels; of a dict, which of its columns.
    dtype : dtype, optional
        The kind of all columns.

    Notes
    -----
    No column is ever changed in place, so frames share them: assigning to one frame never shows in another, as in
    pandas 3.

    Examples
    --------
    >>> import atoll as ak
    >>> df = ak.DataFrame({"city": ["Oslo", "Rome", "Oslo"], "visits": [3, 5, 4]})
    >>> df.groupby("city").visits.sum()
    city
    Oslo    7
    Rome    5
    Name: visits, dtype: int64
    """

    __slots__ = ()

    def __init__(
        self, data: Any = None, index: Any = None, columns: Any = None, dtype: Any = None, copy: Any = None
    ) -> None:
        held, self._labels, self._index = frame_parts(data, index, columns, dtype)
        self._columns = Columns(as_they_are(held))


define(DataFrame)
