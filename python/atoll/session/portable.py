# SPDX-License-Identifier: Apache-2.0
"""Functions as bytes for other PEs: by name where a module has them, else by their code and what it refers to."""

from __future__ import annotations

import builtins
import importlib
import marshal
import pickle
import sys
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any


def packed(function: Any) -> bytes:
    """A function as bytes, which `unpacked` makes a function of on another PE of the same Python.

    Raises
    ------
    TypeError
        It refers to a value that cannot be sent.
    """
    packer = _Packer()
    first = packer.place_of(function)
    return pickle.dumps((sys.version_info[:2], first, packer.entries), pickle.HIGHEST_PROTOCOL)


def unpacked(data: bytes) -> Any:
    """The function of `packed`."""
    version, first, entries = pickle.loads(data)
    if version != sys.version_info[:2]:
        raise RuntimeError(f"the function is of Python {version}, this PE has {sys.version_info[:2]}. Use one version?")
    made = [_made(*entry) for entry in entries]
    for (kind, content), value in zip(entries, made, strict=True):
        if kind == "function":
            _complete(value, content, made)
    return made[first]


class _Packer:
    """Values by their identity: functions may refer to one another."""

    def __init__(self) -> None:
        self.entries: list[tuple[str, Any]] = []
        self._places: dict[int, int] = {}
        self._kept: list[Any] = []  # an identity is that of one value while it lives

    def place_of(self, value: Any) -> int:
        """The place of a value's entry."""
        if id(value) in self._places:
            return self._places[id(value)]
        place = self._places[id(value)] = len(self.entries)
        self._kept.append(value)
        self.entries.append(("", None))
        self.entries[place] = self._entry(value)
        return place

    def _entry(self, value: Any) -> tuple[str, Any]:
        if isinstance(value, ModuleType):
            return "module", value.__name__
        if isinstance(value, FunctionType) and not _has_name(value):
            return "function", self._parts(value)
        try:
            return "value", pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        except Exception as error:
            raise TypeError(
                f"a function refers to {value!r:.80}, which other PEs cannot get ({error}). Make it in the function?"
            ) from error

    def _parts(self, function: FunctionType) -> dict[str, Any]:
        code, cells = function.__code__, function.__closure__ or ()
        known = function.__globals__
        return {
            "code": marshal.dumps(code),
            "name": function.__name__,
            "module": function.__module__,
            "defaults": self.place_of(function.__defaults__),
            "options": self.place_of(function.__kwdefaults__),
            "cells": [self.place_of(cell.cell_contents) for cell in cells],
            "globals": {name: self.place_of(known[name]) for name in sorted(_names(code)) if name in known},
        }


def _names(code: CodeType) -> set[str]:
    inner = [_names(one) for one in code.co_consts if isinstance(one, CodeType)]
    return set(code.co_names).union(*inner)


def _has_name(function: FunctionType) -> bool:
    """Whether other PEs find a function in its module."""
    module = sys.modules.get(function.__module__ or "")
    has_file = module is not None and module.__name__ != "__main__" and module.__spec__ is not None
    return has_file and getattr(module, function.__qualname__, None) is function


def _made(kind: str, content: Any) -> Any:
    if kind == "module":
        return importlib.import_module(content)
    if kind == "value":
        return pickle.loads(content)
    known = {"__builtins__": builtins, "__name__": content["module"]}
    cells = tuple(CellType() for _ in content["cells"])
    return FunctionType(marshal.loads(content["code"]), known, content["name"], None, cells)


def _complete(function: FunctionType, content: dict[str, Any], made: list[Any]) -> None:
    """Gives a function the values that it refers to."""
    function.__defaults__ = made[content["defaults"]]
    function.__kwdefaults__ = made[content["options"]]
    for cell, place in zip(function.__closure__ or (), content["cells"], strict=True):
        cell.cell_contents = made[place]
    function.__globals__.update({name: made[place] for name, place in content["globals"].items()})
