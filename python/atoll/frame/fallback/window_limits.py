# SPDX-License-Identifier: Apache-2.0
"""Which parameters of windows, and which aggregates of them, Atoll answers as pandas does: see limits.py."""

from __future__ import annotations

from typing import Any

from .limits import Limit


def _windows_alone(self: Any, *args: object, **options: object) -> bool:
    return type(self).__name__ == "Windowed" and (self._of.ndim == 1 or self._of._labels.is_unique)


def _windows_apply(self: Any, *args: object, **options: object) -> bool:
    recipe = self.__dict__.get("_recipe")
    return recipe is None or recipe[3].get("min_periods") != 0


#: Methods that make windows.
WINDOWS = frozenset(("rolling", "expanding", "ewm"))


def is_usual_window(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether windows are asked for by parameters that pandas does not refuse."""
    if name == "ewm":
        return (
            not args
            and len(kwargs) == 1
            and all(_is_positive(kwargs.get(one, 1)) for one in ("com", "span"))
            and ("com" in kwargs or "span" in kwargs)
        )
    if name == "expanding":
        return not kwargs and all(_is_positive(one) for one in args)
    width = args[0] if args else kwargs.get("window")
    least = kwargs.get("min_periods", 0)
    return (
        len(args) <= 1
        and isinstance(width, int)
        and _is_positive(width)
        and set(kwargs) <= {"window", "min_periods"}
        and isinstance(least, int)
        and 0 <= least <= width
    )


def _is_positive(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 1


#: Of methods of windows, by name.
OF_WINDOWS: dict[str, Limit] = {
    "apply": _windows_apply, "corr": _windows_alone, "cov": _windows_alone,
    "agg": _windows_alone, "aggregate": _windows_alone,
}  # fmt: skip
