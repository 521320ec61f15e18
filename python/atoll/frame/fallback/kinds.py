# SPDX-License-Identifier: Apache-2.0
"""For which kinds of columns a method of ours gives another dtype, or another order, than pandas' does."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.ndarray import ndarray
from ...columns.categorical.categorical import Categorical
from ...columns.column import Column
from ...columns.datetime.ticks import Ticks
from ...columns.interval.intervals import Intervals
from ...columns.text.strings import Strings
from ..classes import is_frame, is_series
from .convert import in_pandas
from .limits import Limit, columns_of, covers

_SMALL = "explode combine agg aggregate diff pct_change map transform interpolate "
_SMALL += "groupby.diff groupby.pct_change groupby.sum groupby.prod groupby.cumsum groupby.transform groupby.unique"
#: Kinds of columns, and the methods that pandas answers for them: those of groups have "groupby." before their names.
OTHERWISE: dict[str, frozenset[str]] = {
    kind: frozenset(names.split())
    for kind, names in {
        "bool": "quantile pow rpow dot autocorr corr pct_change groupby.quantile groupby.diff groupby.cummax "
                "groupby.cummin groupby.describe groupby.pct_change groupby.unique",
        "int64": "groupby.unique",
        "small": _SMALL,
        "float32": "explode combine agg aggregate interpolate quantile sem groupby.sem groupby.unique",
        "float64": "groupby.unique",
        "complex": "shift diff combine_first bfill ffill nlargest nsmallest rank std var sem groupby.quantile "
                   "groupby.diff groupby.shift groupby.rank groupby.nlargest",
        "str": "groupby.unique",
        "datetime": "groupby.unique",
        "tz": "to_numpy groupby.unique",
        "timedelta": "groupby.unique",
        "category": "quantile explode combine abs rank std nlargest nsmallest to_numpy to_string cummax cummin cumsum "
                    "interpolate",
        "interval": "quantile combine_first cummax cummin std nlargest nsmallest",
        "period": "to_string quantile",
        "nullable": "explode combine rank pct_change interpolate map value_counts to_dict to_numpy to_list tolist "
                    "quantile cummax cummin convert_dtypes searchsorted kurt skew describe sem any all "
                    "groupby.value_counts "
                    "groupby.unique",
    }.items()
}  # fmt: skip
#: Methods of a Series alone that pandas answers for a kind: a frame leaves such columns out.
OF_SERIES_ALONE: dict[str, frozenset[str]] = {
    "bool": frozenset(("describe",)),
    "timedelta": frozenset(("describe",)),
    "category": frozenset(("describe",)),
}
#: The same of a frame alone: its result is a column of nullable values in pandas.
OF_FRAMES_ALONE: dict[str, frozenset[str]] = {
    "nullable": frozenset((
        "sum", "prod", "product", "min", "max", "mean", "median", "std", "var", "sem", "any", "all",
    )),
}  # fmt: skip


def kind_name(column: Any) -> str:
    """The name of a column's kind in `OTHERWISE`."""
    if isinstance(column, ndarray):
        letter, size = column.dtype.kind, column.dtype.itemsize
        if letter in "iu":
            return "int64" if letter == "i" and size == 8 else "small"
        return "bool" if letter == "b" else "complex" if letter == "c" else "float64" if size == 8 else "float32"
    if isinstance(column, Strings):
        return "str"
    if isinstance(column, Ticks):
        if column.dtype.kind == "m":
            return "timedelta"
        return "tz" if getattr(column, "tz", None) is not None else "datetime"
    if isinstance(column, Categorical):
        return "category"
    if isinstance(column, Intervals):
        return "interval"
    return "nullable" if type(column) is Column else "period"


def _rows_of(value: Any) -> Any:
    """The rows that a method computes on: of groups without their keys."""
    if is_frame(value) or is_series(value):
        return value
    return value._of if value._of.ndim == 1 else value._without_keys()


def of_kinds(name: str, limit: Limit | None) -> Limit | None:
    """The limit of a method, and that its columns are of kinds for which it gives pandas' dtypes."""
    refused = frozenset(kind for kind, names in OTHERWISE.items() if name in names)
    of_series = frozenset(kind for kind, names in OF_SERIES_ALONE.items() if name in names)
    of_frames = frozenset(kind for kind, names in OF_FRAMES_ALONE.items() if name in names)
    if not refused and not of_series and not of_frames:
        return limit

    def both(self: Any, *args: object, **kwargs: object) -> bool:
        if in_pandas():
            kinds = set(map(kind_name, columns_of(_rows_of(self))))
            if kinds & (refused | (of_series if is_series(self) else of_frames if is_frame(self) else frozenset())):
                return False
        return limit is None or covers(limit, (self, *args), kwargs)

    return both


# -- conversion of dtypes --


def casts(self: Any, dtype: object, copy: bool | None = True, errors: Any = "raise") -> bool:
    """Whether a conversion gives pandas' values, or refuses what pandas refuses."""
    if not in_pandas():
        return True
    if errors not in ("raise", "ignore"):
        return False
    if is_series(self) and (isinstance(dtype, dict) or is_series(dtype)):
        return isinstance(dtype, dict) and list(dtype) == [self._name]
    if isinstance(dtype, dict) and is_frame(self):
        known = {label: self._labels.places.get(label) for label in dtype}
        return all(
            places is None or _casts_column(self._columns[places[0]], dtype[label]) for label, places in known.items()
        )
    return all(_casts_column(column, dtype) for column in columns_of(self))


def _casts_column(column: Any, dtype: Any) -> bool:
    kind = kind_name(column)
    if type(dtype).__name__ == "CategoricalDtype" and dtype.categories is not None:
        return kind not in ("interval", "nullable") and _has_usual_categories(dtype)
    if type(dtype).__name__ == "CategoricalDtype" and kind == "category":
        return False  # the order is that of the dtype, or stays
    if dtype is str or dtype == "str":
        return kind != "timedelta" and not (kind == "category" and isinstance(column.categories, ndarray))
    try:
        target = np.dtype(dtype)
    except TypeError:
        if dtype == "category" and kind != "nullable":
            return True
        return kind not in ("datetime", "tz", "timedelta") and not (kind == "nullable" and dtype == "category")
    if target.kind == "u" and kind in ("float64", "float32"):
        return False
    if target.kind in "mM" and kind in ("tz", "nullable", "float64", "float32"):
        return False
    if target.kind in "mM" and np.datetime_data(target)[0] not in ("s", "ms", "us", "ns"):
        return False
    return target != np.float16 and not (kind in ("nullable", "tz") and target.kind == "O")


def _has_usual_categories(dtype: Any) -> bool:
    """Whether categories are of a dtype of NumPy, or strings of the default dtype."""
    known = dtype.categories.dtype
    return known.kind != "O" if isinstance(known, np.dtype) else str(known) == "str"


def is_usual_dtype(dtype: Any) -> bool:
    """Whether values are made columns of a dtype as pandas makes them."""
    if type(dtype).__name__ == "CategoricalDtype":
        return dtype.categories is None or _has_usual_categories(dtype)
    if dtype is None or dtype in (str, "str", "category"):
        return True
    try:
        target = np.dtype(dtype)
    except TypeError:
        return False
    return target.kind in "ifb" and target.itemsize in (1, 4, 8) and target.isnative
