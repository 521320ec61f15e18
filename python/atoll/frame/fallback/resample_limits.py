# SPDX-License-Identifier: Apache-2.0
"""Which rows and parameters of `resample`, and which methods of it, Atoll answers as pandas does: see limits.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...arrays.ndarray import ndarray
from ...columns.datetime.period_steps import ORDER, period_step
from ...columns.datetime.periods import Periods
from ...columns.datetime.ticks import Ticks
from ...columns.text.strings import Strings
from ..classes import is_frame, is_series
from .group_limits import OF_ORDERED
from .limits import Limit, columns_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...annotations import Label, Level

_SIDES = (None, "left", "right")


def resamples(
    self: Any, rule: Any, closed: str | None = None, label: Label = None, convention: Any = None, on: object = None,
    level: Level = None, origin: object = "start_day", offset: object = None, group_keys: Any = False,
) -> bool:  # fmt: skip
    """Rows with labels of one level, of kinds whose aggregates keep or change their dtypes as pandas' do."""
    usual = closed in _SIDES and label in _SIDES and convention in (None, "start") and level is None
    if not usual or not isinstance(group_keys, bool) or not len(self):
        return False
    if on is not None and not (is_frame(self) and isinstance(on, str) and len(self._labels.places.get(on, ())) == 1):
        return False
    key = self._index._values if on is None else self._column(on)
    zoned = getattr(key, "tz", None) is not None
    if isinstance(key, Periods):
        step = period_step(rule)
        if convention is not None or step.n > 1 or ORDER.index(step.base) >= ORDER.index(key.step.base):
            return False
    elif not isinstance(key, Ticks) or (zoned and origin != "start_day"):
        return False
    if is_frame(self) and not (self._labels.is_unique and self._labels.nlevels == 1 and self._columns):
        return False
    return all(map(_is_usual_column, columns_of(self)))


def _is_usual_column(column: Any) -> bool:
    if isinstance(column, ndarray):
        return column.dtype.kind == "b" or (column.dtype.kind in "if" and column.dtype.itemsize == 8)
    return isinstance(column, (Strings, Ticks))


def is_usual_aggregate(resampler: Any, name: str) -> bool:
    """Whether a method that groups have, too, gives pandas' dtypes for the columns of a resampler."""
    of = resampler._of
    if name in OF_ORDERED or name in ("count", "size", "ngroups", "groups", "indices"):
        return True
    chosen = of if resampler._chosen is None else of[resampler._chosen]
    held = [
        column
        for label, column in zip(_labels(chosen), columns_of(chosen), strict=True)
        if resampler._grouper.key is None or label != resampler._grouper.key
    ]
    return all(isinstance(one, ndarray) or (name == "sum" and isinstance(one, Strings)) for one in held)


def _labels(rows: Any) -> list[Any]:
    return [rows._name] if is_series(rows) else list(rows._labels.values)


def _aggregates(self: Any, func: object = None, *args: Any, **kwargs: Any) -> bool:
    """Aggregates by name, and functions of columns of numbers, which pandas calls with each column alone."""
    if args or (func is not None and kwargs):
        return False
    given = [one[1] for one in kwargs.values()] if func is None else func
    hows = given.values() if isinstance(given, dict) else given if isinstance(given, (list, tuple)) else [given]
    flat = [one for how in hows for one in (how if isinstance(how, list) else [how])]
    return all(is_usual_aggregate(self, one if isinstance(one, str) else "agg") for one in flat)


def _applies(self: Any, func: Callable[..., Any], *args: object, **kwargs: object) -> bool:
    """A function of a Series: pandas gives a function the columns of a frame one by one."""
    single = is_series(self._of) or (self._chosen is not None and not isinstance(self._chosen, list))
    return single and not isinstance(func, (str, list, dict)) and is_usual_aggregate(self, "apply")


#: Of methods of resamplers, by name.
OF_RESAMPLERS: dict[str, Limit] = {"agg": _aggregates, "aggregate": _aggregates, "apply": _applies}
