# SPDX-License-Identifier: Apache-2.0
"""Which arguments of melting, pivoting and dummies Atoll answers exactly as pandas does: see limits.py."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from ...arrays.ndarray import ndarray
from ...columns.categorical.categorical import Categorical
from ...columns.column import Column
from ...columns.foreign import Foreign
from ...columns.text.strings import Strings
from ..classes import is_frame, is_series
from ..data.values import is_scalar
from .limits import _matching_kinds, columns_of


def _get_dummies(data: Any, prefix: Any = None, prefix_sep: Any = "_", dummy_na: Any = False, columns: Any = None,
                 sparse: Any = False, drop_first: Any = False, dtype: Any = None) -> bool:  # fmt: skip
    if not (is_frame(data) or is_series(data)) or sparse:
        return False
    if dummy_na and not all(isinstance(one, (Strings, Categorical)) for one in columns_of(data)):
        return False
    if not all(one is None or isinstance(one, str) for one in (prefix, prefix_sep)):
        return False
    return all(isinstance(one, (ndarray, Strings, Categorical)) for one in columns_of(data))


def _from_dummies(data: Any, sep: Any = None, default_category: Any = None) -> bool:
    """Columns whose labels have the dtype of strings."""
    index = data._labels._index
    return index is None or isinstance(index._values, Strings)


def _melt(self: Any, id_vars: Any = None, value_vars: Any = None, var_name: Any = None, value_name: Any = "value",
          col_level: Any = None, ignore_index: bool = True) -> bool:  # fmt: skip
    labels = self._labels
    if labels.nlevels > 1 or col_level is not None or len(set(labels.values)) != len(labels.values):
        return False
    if len({type(one) for one in labels.values}) > 1:
        return False
    ids = [] if id_vars is None else id_vars if isinstance(id_vars, list) else [id_vars]
    if not all(isinstance(one, Hashable) and one in labels.places for one in ids):
        return False
    new = (var_name or labels.names[0] or "variable", value_name)
    if not all(isinstance(one, str) for one in new) or any(one in labels.places for one in new) or new[0] == new[1]:
        return False
    chosen = [] if value_vars is None else value_vars if isinstance(value_vars, list) else [value_vars]
    held = [self._column(one) for one in chosen or labels.values if one not in ids]
    plain = all(isinstance(one, ndarray) for one in held)
    return bool(held) and (plain or all(_matching_kinds(one, held[0]) for one in held))


def _wide_to_long(df: Any, stubnames: Any, i: Any, j: Any, sep: Any = "", suffix: Any = r"\d+") -> bool:
    """Suffixes that are numbers: the order of others is pandas' to find."""
    return isinstance(suffix, str) and suffix in (r"\d+", "[0-9]+")


def _listed(labels: Any) -> list[Any]:
    return [] if labels is None else labels if type(labels) is list else [labels]


def _pivot_table(data: Any, *args: Any, **kwargs: Any) -> bool:
    """Aggregates of columns by name, which are no categories, by other columns."""
    if kwargs.get("sort", True) is not True or not isinstance(kwargs.get("margins_name", "All"), str):
        return False
    if kwargs.get("dropna", True) is not True:
        return False
    names = ("values", "index", "columns")
    values, *keys = (args[place] if place < len(args) else kwargs.get(name) for place, name in enumerate(names))
    flat = [one for some in (values, *keys) for one in _listed(some)]
    labels = data._labels.places
    if not all(isinstance(one, str) and one in labels for one in flat):
        return False
    if values is None and set(flat) == set(labels):  # a Series of groups without values
        return False
    held = [data._column(one) for one in flat]
    values_held = [data._column(one) for one in _listed(values)] or columns_of(data)
    return not any(isinstance(one, (Categorical, Foreign)) for one in held) and not any(
        type(one) is Column for one in values_held
    )


def _pivot(data: Any, *args: Any, **kwargs: Any) -> bool:
    """Values of one column, or of several of one kind, at keys that are no categories."""
    if not len(data._index) or args or None in data._labels.places:
        return False
    flat = [one for name in ("values", "index", "columns") for one in _listed(kwargs.get(name))]
    if not all(isinstance(one, str) and one in data._labels.places for one in flat):
        return False
    held = [data._column(one) for one in flat]
    values = kwargs.get("values")
    several = [data._column(one) for one in values] if isinstance(values, list) else []
    alike = all(_matching_kinds(one, several[0]) for one in several)
    return alike and not any(isinstance(one, (Categorical, Foreign)) for one in held)


def _crosstab(index: Any, columns: Any, values: Any = None, rownames: Any = None, colnames: Any = None,
              aggfunc: Any = None, margins: Any = False, margins_name: Any = "All", dropna: Any = True,
              normalize: Any = False) -> bool:  # fmt: skip
    """Series with one index, which are no categories."""
    keys = [*_listed(index), *_listed(columns)]
    if not all(map(is_series, keys)) or not all(one._index._same(keys[0]._index) for one in keys):
        return False
    if any(isinstance(one._values, (Categorical, Foreign)) for one in keys) or not isinstance(dropna, bool):
        return False
    return all(one is None or is_scalar(one) or isinstance(one, list) for one in (rownames, colnames))


#: Of methods of frames, by name.
SHAPES_OF_FRAMES: dict[str, Callable[..., bool]] = {"melt": _melt, "pivot_table": _pivot_table, "pivot": _pivot}
#: Of the package's functions.
SHAPES: dict[str, Callable[..., bool]] = {
    **SHAPES_OF_FRAMES, "get_dummies": _get_dummies, "from_dummies": _from_dummies, "wide_to_long": _wide_to_long,
    "crosstab": _crosstab,
}  # fmt: skip
