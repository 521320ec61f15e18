# SPDX-License-Identifier: Apache-2.0
"""Modules of pandas in a script: their functions take and return frames of Atoll."""

from __future__ import annotations

import inspect
from functools import wraps
from types import ModuleType
from typing import Any

from ..frame.classes import CLASSES, is_series
from ..frame.fallback.convert import from_pandas, to_pandas
from ..frame.index.base import IndexCore


class Module:
    """A pandas module whose functions get converted arguments; dtype predicates get empty pandas objects."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __dir__(self) -> list[str]:
        return dir(self._module)

    def __repr__(self) -> str:
        return f"<{self._module.__name__} of atoll.pandas>"

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        if inspect.ismodule(found):
            return Module(found) if found.__name__.startswith("pandas.") else found
        if isinstance(found, type):
            return CLASSES.get(name, found) if found.__module__.split(".")[0] == "pandas" else found
        if not callable(found):
            return found
        kinds = name.startswith("is_") and name.endswith("_dtype")

        @wraps(found)
        def function(*args: object, **kwargs: object) -> Any:
            def given(value: Any) -> Any:
                return to_pandas(value[:0] if kinds and (is_series(value) or isinstance(value, IndexCore)) else value)

            return from_pandas(found(*map(given, args), **{key: given(value) for key, value in kwargs.items()}))

        return function
