# SPDX-License-Identifier: Apache-2.0
"""By which keys brackets and indexers choose as pandas does, or refuse them as pandas does: see limits.py."""

from __future__ import annotations

import itertools
from collections.abc import Hashable
from typing import Any

import numpy as np

from ...arrays.ndarray import ndarray
from ...columns.categorical.categorical import Categorical
from ...columns.datetime.ticks import Ticks
from ...columns.objects import Objects
from ...columns.text.strings import Strings
from ..classes import is_frame
from ..index.base import IndexCore
from .convert import is_array_of_pandas


def is_usual_key(of: Any, key: Any) -> bool:
    """Whether brackets choose rows or columns by a key as pandas does, or refuse it as pandas does."""
    if isinstance(key, slice):
        labels: Any = of._index._values if of._index.nlevels == 1 else None
        exact = isinstance(labels, (Strings, Ticks)) or (isinstance(labels, ndarray) and labels.dtype.kind in "iub")
        whole = key.start is None and key.stop is None
        forward = key.step is None or whole or (isinstance(key.step, int) and key.step > 0)
        if any(isinstance(one, int) and abs(one) >= 1 << 63 for one in (key.start, key.stop, key.step)):
            return True  # pandas' strings refuse such bounds
        return forward and all(_is_usual_end(end, not exact) for end in (key.start, key.stop))
    if isinstance(key, (set, frozenset, dict, bool, np.bool_)) or key is Ellipsis or hasattr(key, "__next__"):
        return False
    return not isinstance(key, (np.ndarray, ndarray)) or key.ndim == 1


def _is_usual_end(end: int | None, of_floats: bool) -> bool:
    if isinstance(end, (bool, np.bool_)):
        return False
    return not isinstance(end, (float, np.floating)) or of_floats


def get_item(self: Any, key: object) -> bool:
    """Choosing by brackets."""
    if isinstance(key, str):
        return True
    return all(is_usual_key(self, one) for one in (key if isinstance(key, tuple) else (key,)))


def get_at(self: Any, key: object) -> bool:
    """Choosing by an indexer."""
    if type(key) in (int, str) or (type(key) is slice and type(key.start) is type(key.stop) is int and not key.step):
        return True  # the most frequent first
    of = self._of
    keys = key if isinstance(key, tuple) else (key,)
    if self._axis is not None and isinstance(key, tuple):
        return False
    keys = tuple(one for key in keys for one in (key if isinstance(key, tuple) else (key,)))
    if of._index.nlevels > 1 and type(self).__name__ == "Loc":
        rows = key[0] if is_frame(of) and isinstance(key, tuple) and key else key
        if not all(map(_is_in_order, rows if isinstance(rows, tuple) else (rows,))):
            return False
    return all(is_usual_key(of, one) for one in keys)


def _is_in_order(key: Any) -> bool:
    """Whether what a level's labels are chosen by leaves them in their order: pandas puts rows in that of a list."""
    if isinstance(key, slice):
        return key.step is None or (isinstance(key.step, int) and key.step == 1)
    if not isinstance(key, list) or any(isinstance(one, (bool, np.bool_, tuple)) for one in key):
        return True
    return all(one <= other for one, other in itertools.pairwise(key))


def _keeps_dtypes(rows: Any, index: Any = None, columns: Any = None, fill_value: Any = None, **options: Any) -> bool:
    """Whether labels of both axes leave the dtypes as they are: pandas gives the columns of whole numbers another."""
    if index is None or columns is None:
        return True
    plain = all(isinstance(one, ndarray) and one.dtype == np.float64 for one in rows._columns)
    return plain or all(isinstance(one, Hashable) and one in rows._labels.places for one in columns)


def reindexes(self: Any, *args: object, **options: object) -> bool:
    """Labels of one type, for rows with labels of one type, without bounds on what is filled."""
    if any(options.get(name) is not None for name in ("limit", "tolerance")):
        return False
    if ("index" in options or "columns" in options) and (args or "labels" in options or "axis" in options):
        return is_frame(self) and not args and "labels" not in options and options.get("axis") is None
    given = [*args, *(options.get(name) for name in ("labels", "index", "columns"))]
    if any(is_array_of_pandas(one) or isinstance(getattr(one, "_values", None), Categorical) for one in given):
        return False
    if any(isinstance(one, list) and 0 < sum(isinstance(label, str) for label in one) < len(one) for one in given):
        return False
    if is_frame(self) and not _keeps_dtypes(self, **options):
        return False
    if self._index.nlevels > 1 or not isinstance(self._index._values, (Objects, Ticks)):
        return True
    if any(isinstance(one, IndexCore) and isinstance(one._values, Objects | Ticks) for one in given):
        return all(type(one._values) is type(self._index._values) for one in given if isinstance(one, IndexCore))
    return all(len(set(map(type, one))) <= 1 for one in given if isinstance(one, list))
