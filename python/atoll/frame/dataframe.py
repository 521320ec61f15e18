# SPDX-License-Identifier: Apache-2.0
"""DataFrame: columns with labels, of one length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .arithmetic.describe import FrameDescribing
from .arithmetic.elementwise import FrameElementwise
from .arithmetic.operators import FrameArithmetic
from .arithmetic.products import FrameProducts
from .arithmetic.reductions import FrameReductions
from .classes import Tabular, define
from .combine.align import FrameAligning
from .combine.combine import FrameCombining
from .combine.merge import Merging
from .core import FrameCore
from .data.construction import frame_parts
from .data.lazy import Columns, as_they_are
from .display.completion import FrameCompletion
from .display.html import Html
from .display.plot import Plotting
from .display.text import FrameDisplay
from .expressions.query import Querying
from .files.conversion import FrameConversion
from .files.writers import FrameFiles
from .groupby.groups import Grouping
from .groupby.resample import Resampling
from .reshape.pivot import FrameReshaping
from .select.brackets import FrameSelecting
from .select.indexers import Indexing
from .select.missing import FrameMissing
from .select.relabel import FrameLabelling
from .select.sort import FrameSorting
from .window.windows import Running

if TYPE_CHECKING:
    from ..annotations import DTypeLike


class DataFrame(
    FrameDisplay, FrameCompletion, Html,
    FrameSelecting, FrameArithmetic, FrameElementwise, FrameReductions, FrameMissing, FrameSorting,
    FrameLabelling, FrameAligning, FrameReshaping, FrameCombining, FrameDescribing, FrameConversion, FrameFiles,
    FrameProducts, Plotting, Resampling, Running, Merging, Querying, Indexing, Grouping, FrameCore, metaclass=Tabular,
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
        self, data: Any = None, index: Any = None, columns: Any = None, dtype: DTypeLike = None, copy: Any = None
    ) -> None:
        held, self._labels, self._index = frame_parts(data, index, columns, dtype)
        self._columns = Columns(as_they_are(held))


define(DataFrame)
