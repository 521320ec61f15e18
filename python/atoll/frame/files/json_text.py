# SPDX-License-Identifier: Apache-2.0
"""JSON text of values, in pandas' forms."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...columns.datetime.ticks import Ticks
from ...columns.objects import is_missing
from ...io.fallback import by_pandas, given, pandas_at_work
from ..data.dtypes import to_list
from .writers import written

_USUAL = {"double_precision": 10, "force_ascii": True, "date_unit": "ms", "compression": "infer", "mode": "w"}
_INFINITE = (float("inf"), float("-inf"))


def python_of(value: object) -> Any:
    """One value as Python has it."""
    return value.item() if isinstance(value, np.generic) and value.dtype.kind not in "mM" else value


def json_text(value: object) -> str:
    """The value's text as pandas writes it."""
    return json.dumps(value, separators=(",", ":"), default=str).replace("/", "\\/")


def in_json(column: object) -> Any:
    """A column whose datetimes and durations are milliseconds."""
    if not isinstance(column, Ticks):
        return column
    return column.astype(f"{np.dtype(column.dtype).kind}8[ms]").astype("int64")


def plain_values(column: object) -> list[Any]:
    """The values as JSON has them: None where one is missing, or no number."""
    return [None if is_missing(one) or one in _INFINITE else python_of(one) for one in to_list(in_json(column))]


def check_lines(orient: str) -> None:
    """ValueError where there are no records to a line."""
    if orient != "records":
        raise ValueError("'lines' keyword only valid when 'orient' is records")


def needs_pandas(columns: Sequence[Any], index: Any, orient: str, options: dict[str, Any]) -> bool:
    """Whether something is asked for that is pandas' own; `options` keep that, and `storage_options`."""
    storage = options.pop("storage_options", None)
    others = given(options, _USUAL)
    options.clear()
    options.update(others)
    if storage is not None:
        options["storage_options"] = storage
    labels = orient in ("index", "columns", "split") and (index.nlevels > 1 or isinstance(index._values, Ticks))
    return bool(others) or orient == "table" or labels


def json_by_pandas(rows: Any, where: object, orient: str, lines: bool, options: dict[str, Any]) -> Any:
    """The text that pandas makes, to where it should go."""
    elsewhere = {name: options.pop(name) for name in ("compression", "mode", "storage_options") if name in options}
    by_pandas("to_json", options or ["orient"])
    with pandas_at_work("to_json"):
        text = rows.to_pandas().to_json(orient=orient, lines=lines, **options)
    return written(text, where, **elsewhere)
