# SPDX-License-Identifier: Apache-2.0
"""The classes of this package by name, so that each idea's file can make what another file defines."""

from __future__ import annotations

from typing import Any

from .data.lazy import Columns

#: Filled by the modules that define them.
CLASSES: dict[str, Any] = {}


#: Past the frames' own way of setting attributes, which looks for columns of that name.
put = object.__setattr__


class Tabular(type):
    """The class of DataFrame, Series, Index and MultiIndex; `atoll.pandas` says what else counts as an instance."""


def define(cls: type) -> type:
    """Enters a class under its name."""
    CLASSES[cls.__name__] = cls
    return cls


def series(values: object, index: Any, name: str | None = None) -> Any:
    """A Series of values that are right already."""
    made = object.__new__(CLASSES["Series"])
    made._values, made._index, made._name = values, index._shared(), name
    return made


def frame(columns: list[Any], labels: Any, index: Any) -> Any:
    """A DataFrame of columns that are right already."""
    made = object.__new__(CLASSES["DataFrame"])
    put(made, "_columns", columns if type(columns) is Columns else Columns(columns))
    put(made, "_labels", labels.shared())
    put(made, "_index", index._shared())
    return made


def is_series(value: object) -> bool:
    """Whether a value is one of our Series."""
    return type.__instancecheck__(CLASSES["Series"], value)


def is_frame(value: object) -> bool:
    """Whether a value is one of our frames."""
    return type.__instancecheck__(CLASSES["DataFrame"], value)
