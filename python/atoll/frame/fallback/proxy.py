# SPDX-License-Identifier: Apache-2.0
"""Objects of pandas with methods of their own (groups, windows, styles), whose calls take and give our classes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import wraps
from typing import Any

from ...io.fallback import pandas_at_work
from .convert import PROXIES, REBUILT, arguments_to_pandas, from_pandas, to_pandas

#: Modules of pandas whose objects stand for rows.
_MODULES = ("pandas.core.groupby", "pandas.core.window", "pandas.core.resample", "pandas.core.strings",
            "pandas.core.indexing", "pandas.api.typing",
            "pandas.core.indexes.accessors", "pandas.core.arrays.categorical")  # fmt: skip
_NAMES = ("Accessor", "GroupBy", "Rolling", "Expanding", "Window", "Resampler", "ExponentialMovingWindow", "Indexer",
          "Properties", "StringMethods")  # fmt: skip


class OfPandas:
    """An object of pandas: its methods are called with what ours are in pandas."""

    __slots__ = ("_held",)

    def __init__(self, held: Any) -> None:
        object.__setattr__(self, "_held", held)

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """pandas' class, which `isinstance` accepts."""
        return type(self._held)

    def __dir__(self) -> list[str]:
        return dir(self._held)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._held, name)
        if not callable(found) or isinstance(found, type) or _stands_for_rows(found):
            return from_pandas(found)

        @wraps(found)
        def method(*args: object, **kwargs: object) -> Any:
            held, named = arguments_to_pandas(args, kwargs)
            with pandas_at_work(f"{type(self._held).__name__}.{name}"):
                made = found(*held, **named)
            return from_pandas(made)

        return method

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._held, name, to_pandas(value))

    def __getitem__(self, key: object) -> Any:
        return from_pandas(self._held[to_pandas(key)])

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[Any]:
        return map(from_pandas, self._held)

    def __repr__(self) -> str:
        return repr(self._held)


def _stands_for_rows(value: object) -> bool:
    kind = type(value)
    return kind.__module__.startswith(_MODULES) and any(name in kind.__name__ for name in _NAMES)


def _proxy(value: object) -> Any:
    return OfPandas(value) if _stands_for_rows(value) else None


PROXIES.append(_proxy)
REBUILT[OfPandas] = lambda proxy: proxy._held
