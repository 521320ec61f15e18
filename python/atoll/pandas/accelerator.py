# SPDX-License-Identifier: Apache-2.0
"""``import pandas`` in a user's code gives `atoll.pandas`; libraries keep pandas. The importing module decides."""

from __future__ import annotations

import builtins
import importlib
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from . import border
from .callers import imports_pandas
from .modules import Module

_import = builtins.__import__
_import_module = importlib.import_module
_DOOR = __package__


def _ours(name: str) -> Any:
    """The replacement of an imported pandas module in user code."""
    return sys.modules[_DOOR] if name == "pandas" else Module(sys.modules[name])


def _is_pandas(name: str) -> bool:
    return name == "pandas" or name.startswith("pandas.")


def _importing(
    name: str,
    globals: Mapping[str, object] | None = None,
    locals: Mapping[str, object] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> Any:
    made = _import(name, globals, locals, fromlist or (), level)
    if level or not _is_pandas(name) or imports_pandas(sys._getframe(1)):
        return made
    return _ours(name if fromlist else "pandas")


def _importing_module(name: str, package: str | None = None) -> Any:
    made = _import_module(name, package)
    if not _is_pandas(name) or imports_pandas(sys._getframe(1)):
        return made
    return _ours(name)


def install() -> None:
    """From now on a user's code that imports pandas gets `atoll.pandas`, and libraries see its frames as pandas'."""
    _import("pandas")
    _import(_DOOR)
    builtins.__import__ = _importing
    importlib.import_module = _importing_module
    border.install()


def uninstall() -> None:
    """Takes `install` back; modules that have imported pandas keep what they have."""
    builtins.__import__ = _import
    importlib.import_module = _import_module
    border.uninstall()


def replace_names(names: dict[str, Any]) -> None:
    """Names that stand for pandas already stand for `atoll.pandas`: those of a notebook, say."""
    for name, value in list(names.items()):
        if value is sys.modules.get("pandas"):
            names[name] = sys.modules[_DOOR]
