# SPDX-License-Identifier: Apache-2.0
"""Functions of kinds that are loaded when the first such column is made: importing the package does not wait."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def later(module: str, name: str) -> Callable[..., Any]:
    """A function of a module beside this one."""

    def function(*args: Any) -> Any:
        return getattr(import_module(f"atoll.columns.{module}"), name)(*args)

    return function
