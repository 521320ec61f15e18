# SPDX-License-Identifier: Apache-2.0
"""`.str` and `.dt` of Series."""

from __future__ import annotations

from typing import Any

from ..numpy.strings import Strings
from ..numpy.timeclass import Datetime
from .categorical import Categorical

__all__ = [
    "CachedAccessor", "DatetimeAccessor", "Properties", "StringAccessor", "date_operators", "string_operators",
]  # fmt: skip


class CachedAccessor:
    """An attribute that is made when it is first asked for, and kept."""

    def __init__(self, name: str, accessor: Any) -> None:
        self._name, self._accessor = name, accessor

    def __get__(self, obj: object, cls: Any) -> Any:
        if obj is None:
            return self._accessor
        made = self._accessor(obj)
        object.__setattr__(obj, self._name, made)
        return made


def string_operators(cls: Any) -> Any:
    """Gives a class the methods of strings."""
    for name in ("contains", "startswith", "endswith"):
        setattr(cls, name, cls._make_op(name))
    return cls


def date_operators(cls: Any) -> Any:
    """Gives a class the methods of datetimes."""
    for name in ("floor", "ceil", "round"):
        setattr(cls, name, cls._make_op(name))
    return cls


class Properties:
    """Methods of the values, as Series with the same labels."""

    series: Any

    @classmethod
    def _make_op(cls, name: str) -> Any:
        def apply(self: Any, *args: object, **options: object) -> Any:
            from .series import Series

            return Series(getattr(self.series.values, name)(*args, **options), index=self.series.index)

        apply.__name__ = name
        apply.__doc__ = f"`{name}` of each value."
        return apply


@date_operators
class DatetimeAccessor(Properties):
    """Methods of datetimes."""

    def __init__(self, series: Any) -> None:
        if not isinstance(series.values, Datetime):
            raise AttributeError("Can only use .dt accessor with datetimelike values")
        self.series = series


@string_operators
class StringAccessor(Properties):
    """Methods of strings."""

    def __init__(self, series: Any) -> None:
        if not isinstance(series.values, (Categorical, Strings)):
            raise AttributeError("Can only use .str accessor with string like values")
        self.series = series
