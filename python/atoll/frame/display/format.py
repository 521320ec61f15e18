# SPDX-License-Identifier: Apache-2.0
"""Values as strings of one width, as pandas writes them."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import numpy as np

from ...arrays.ndarray import ndarray
from ...columns.column import Column
from ...columns.datetime.periods import Periods
from ...columns.datetime.ticks import Ticks
from ...columns.nested.lists import Lists
from ...columns.objects import Objects, is_missing
from ...columns.text.strings import Strings
from ...extras import pandas_if_loaded
from ..data.dtypes import to_list

#: What pandas' options of these names are, unless a program has set them.
_USUAL = {
    "max_rows": 60, "min_rows": 10, "max_columns": 0, "width": 80, "precision": 6, "max_colwidth": 50,
    "float_format": None, "max_seq_items": 100, "unicode.east_asian_width": False,
}  # fmt: skip


def option(name: str) -> Any:
    """An option of pandas' for display, as `pandas.set_option` has set it, where pandas is in use."""
    pandas = pandas_if_loaded()
    return _USUAL[name] if pandas is None or not hasattr(pandas, "get_option") else pandas.get_option("display." + name)


def width_of(text: str) -> int:
    """Cells that a string takes: a letter each, unless pandas' option says that wide letters take two."""
    if text.isascii() or not option("unicode.east_asian_width"):
        return len(text)
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def pad(text: str, width: int, left: bool = False) -> str:
    """A string with spaces before it, or with `left` behind it."""
    spaces = " " * (width - width_of(text))
    return text + spaces if left else spaces + text


def cells_of(values: Any) -> list[str]:
    """Strings of a column with room for a sign before them, which dates do not have; cut where they are long."""
    held = texts_of(values)
    floating = isinstance(values, ndarray) and values.dtype.kind == "f"
    told = floating and option("float_format") is not None
    if not isinstance(values, Ticks) and not told and not (floating and held and all(text == "NaN" for text in held)):
        held = [text if text.startswith("-") and (text[1:2].isdigit() or floating) else " " + text for text in held]
    longest = option("max_colwidth")
    if longest is None:
        return held
    return [text if len(text) <= longest else text[: longest - 3] + "..." for text in held]


def texts_of(values: Any) -> list[str]:
    """Each value of a column as a string."""
    held = to_list(values)
    if isinstance(values, ndarray) and values.dtype.kind in "fc":
        return floats(np.asarray(held, dtype=values.dtype))
    if isinstance(values, ndarray):
        return [str(one) for one in held]
    if isinstance(values, Strings):
        return ["NaN" if is_missing(one) else _escaped(one) for one in held]
    if type(values) is Column:
        return ["<NA>" if is_missing(one) else str(one) for one in held]
    if isinstance(values, Lists):
        return ["NaN" if is_missing(one) else nested(one) for one in held]
    if isinstance(values, Objects):
        return _of_objects(values.to_numpy().tolist())
    if isinstance(values, Ticks):
        there = values.notna().to_numpy()
        texts = values._texts(values._values.to_numpy()[there])
        if values.dtype.kind == "m" and all(text.endswith(" 00:00:00") for text in texts):
            texts = [text.removesuffix(" 00:00:00") for text in texts]
        elif values.dtype.kind == "m":
            texts = _with_equal_fractions(texts)
        found = iter(texts)
        return [next(found) if one else "NaT" for one in there]
    if isinstance(values, Periods):
        return ["NaT" if is_missing(one) else str(one) for one in held]
    return ["NaN" if is_missing(one) else str(one) for one in held]


def _with_equal_fractions(texts: list[str]) -> list[str]:
    """Durations with as many digits behind the point as the one that has most."""
    digits = max((len(text.partition(".")[2]) for text in texts), default=0)
    if not digits:
        return texts
    parts = [text.partition(".") for text in texts]
    return [f"{whole}.{fraction.ljust(digits, '0')}" for whole, _, fraction in parts]


def _escaped(text: str) -> str:
    return text.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def _of_objects(held: list[Any]) -> list[str]:
    made = []
    for one in held:
        if one is None:
            made.append("None")
        elif isinstance(one, (float, np.floating)):
            made.append("NaN" if one != one else _shortest(one))
        else:
            made.append("NaT" if is_missing(one) else _escaped(nested(one)))
    return made


def nested(value: Any) -> str:
    """One value as a string; of lists and tuples the elements without quotes."""
    if type(value) in (list, tuple):
        parts = ", ".join(nested(one) for one in value)
        if type(value) is list:
            return f"[{parts}]"
        return f"({parts},)" if len(value) == 1 else f"({parts})"
    return str(value)


def _shortest(value: object) -> str:
    text = f"{value:.{option('precision')}f}".rstrip("0")
    return text + "0" if text.endswith(".") else text


def floats(values: np.ndarray[Any, Any]) -> list[str]:
    """Floats with as many decimals as one of them needs, at most `display.precision`; as powers of ten when they lie
    far apart."""
    precision, written = option("precision"), option("float_format")
    if values.dtype.kind == "c":
        parts = [f"{one:+.{precision}f}" for value in values for one in (value.real, value.imag)]
        parts = _trimmed(parts)
        return [f"{real.removeprefix('+')}{imag}j" for real, imag in zip(parts[::2], parts[1::2], strict=True)]
    if written is not None:
        return ["NaN" if one != one else written(one) for one in values.tolist()]
    made = _trimmed([_decimal(one, "f", precision) for one in values])
    size = np.abs(values)
    too_long = max((len(text.removeprefix("-")) + 1 for text in made), default=0) > precision + 6
    tiny = bool(((size < 10.0**-precision) & (size > 0)).any())
    if tiny or (too_long and bool((size > 1e6).any())):
        return _trimmed([_decimal(one, "e", precision) for one in values])
    return made


def _decimal(value: object, form: str, precision: int) -> str:
    return "NaN" if value != value else f"{value:.{precision}{form}}"


def _trimmed(texts: list[str]) -> list[str]:
    """Without the zeros that all have at their ends; one stays behind the point."""
    numbers = [text for text in texts if _NUMBER.match(text)]
    if not numbers:
        return texts
    cut = min(len(text) - len(text.rstrip("0")) for text in numbers)
    held = [text[: len(text) - cut] if cut and _NUMBER.match(text) else text for text in texts]
    return [text + "0" if text.endswith(".") else text for text in held]


_NUMBER = re.compile(r"^[+-]?[0-9]+\.[0-9]*$")
