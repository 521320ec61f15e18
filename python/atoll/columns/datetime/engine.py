# SPDX-License-Identifier: Apache-2.0
"""Elementwise datetime operations of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ... import _core
from ...arrays.array import expr_of, wrap
from ..text.strings import Strings, texts_of
from .tick import UNITS

if TYPE_CHECKING:
    from ...arrays.ndarray import ndarray


def per_day(unit: str) -> int:
    """How many units a day has."""
    return UNITS["D"] // UNITS[unit]


def mapped(values: ndarray, name: str, unit: str, numbers: Sequence[int] = ()) -> ndarray:
    """Applies the named operation to each datetime."""
    return wrap(_core.date_map(expr_of(values), name, [per_day(unit), *numbers]))


def written(values: ndarray, unit: str, form: str, zone: tuple[Sequence[int], Sequence[str]] = ((), ())) -> Strings:
    """Each datetime as text, by a format of strftime; `zone` is what `zones.table` has."""
    texts = [text.encode() for text in (form, *zone[1])]
    return texts_of(_core.date_to_text(expr_of(values), texts, [per_day(unit), *zone[0]]))


def measured(texts: Any, name: str, form: Sequence[str], numbers: Sequence[int]) -> ndarray:
    """Parses each string with the named operation."""
    return wrap(_core.text_measure(texts._values, name, [text.encode() for text in form], list(numbers)))
