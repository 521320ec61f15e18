# SPDX-License-Identifier: Apache-2.0
"""Numbers to bins: `cut` and `qcut`."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..arrays.selection import where
from ..columns import ranks
from ..columns.categorical import Categorical
from ..columns.strings import strings
from .classes import CLASSES, is_series, series
from .values import hide, make, take


def _rounded(edges: np.ndarray[Any, Any], precision: int) -> list[Any]:
    """Edges with as few decimals as tell them apart."""
    for digits in range(precision, 20):
        held = [_round(one, digits) for one in edges]
        if len(set(held)) == len(set(edges.tolist())):
            return held
    return edges.tolist()


def _round(value: Any, digits: int) -> Any:
    if not np.isfinite(value) or value == 0:
        return value
    fraction, whole = np.modf(value)
    places = -int(np.floor(np.log10(abs(fraction)))) - 1 + digits if whole == 0 else digits
    return np.around(value, places)


def _names(edges: Any, precision: int, right: bool, include_lowest: bool, whole: bool) -> list[str]:
    shown = edges.tolist() if whole else [float(one) for one in _rounded(edges, precision)]
    if right and include_lowest and len(shown):
        step = 10.0**-precision
        shown[0] = float(_round(shown[0] - step, precision))
        shown = [float(one) for one in shown]
    opening, closing = ("(", "]") if right else ("[", ")")
    return [f"{opening}{low}, {high}{closing}" for low, high in pairwise(shown)]


def _binned(x: Any, codes: Any, names: list[str] | None, labels: Any, ordered: bool) -> Any:
    """The bins' names row by row; numbers when no names are wanted."""
    gone = codes < 0
    if labels is False:
        made: Any = codes if not gone.any() else hide(codes, gone)
    else:
        wanted = names if labels is None else list(labels)
        assert wanted is not None
        if all(isinstance(one, str) for one in wanted):
            made = Categorical.from_codes(codes, strings(wanted), ordered=ordered)
        else:
            made = take(make(wanted), where(gone, 0, codes))
            made = hide(made, gone) if gone.any() else made
    if is_series(x):
        return series(made, x._index, x._name)
    return made


def cut(
    x: Any, bins: Any, right: bool = True, labels: Any = None, retbins: bool = False, precision: int = 3,
    include_lowest: bool = False, duplicates: str = "raise", ordered: bool = True,
) -> Any:  # fmt: skip
    """Which bin each number lies in, by the bin's name.

    Parameters
    ----------
    x : Series or array_like
        Numbers.
    bins : int or sequence
        How many bins of one width, or their edges.
    right : bool
        Bins include their upper edge, else their lower one.
    labels : sequence or False, optional
        The bins' names; False: their numbers.
    retbins : bool
        Also the edges.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.cut(ak.Series([1, 7, 5]), [0, 4, 8], labels=["low", "high"]).to_list()
    ['low', 'high', 'high']
    """
    values = x._values if is_series(x) else make(x)
    codes, found = ranks.cut(values, bins, right, include_lowest)
    edges = found.to_numpy()
    whole = np.ndim(bins) == 1 and edges.dtype.kind in "iu"
    names = _names(edges, precision, right, include_lowest, whole and not include_lowest)
    if labels is not None and labels is not False and len(labels) != len(edges) - 1:
        raise ValueError("Bin labels must be one fewer than the number of bin edges")
    made = _binned(x, codes, names, labels, ordered)
    return (made, edges) if retbins else made


def qcut(
    x: Any, q: Any, labels: Any = None, retbins: bool = False, precision: int = 3, duplicates: str = "raise"
) -> Any:
    """Bins of about equally many values each, by the bin's name.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.qcut(ak.Series([1, 2, 3, 4]), 2, labels=False).to_list()
    [0, 0, 1, 1]
    """
    values = x._values if is_series(x) else make(x)
    codes, found = ranks.qcut(values, q, duplicates)
    edges = found.to_numpy()
    names = _names(edges, precision, True, True, False)
    made = _binned(x, codes, names, labels, True)
    return (made, edges) if retbins else made


CLASSES["cut"] = cut
