# SPDX-License-Identifier: Apache-2.0
"""Frames, Series and indexes as libraries see them: a library that gets one of ours sees pandas' object in its place.

An attribute, an operator or the class of an object, asked for by a library's code, is that of the same rows in pandas.
The rows are converted at the first question, and again after the object has changed. What a library sets by brackets,
by an attribute, or by `insert`, `pop` and `update` is set in our object.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterator
from types import FrameType, FunctionType
from typing import Any

from ..frame.classes import CLASSES
from ..frame.fallback.calls import CHANGING, PASSING
from ..frame.fallback.convert import to_pandas
from ..io.fallback import pandas_at_work
from .callers import KNOWN, Caller, is_library, name_of_library

_get = object.__getattribute__
#: By the id of an object of ours: a weak reference to it, what it was made of, and the same rows in pandas.
_twins: dict[int, tuple[Any, list[Any], Any]] = {}
#: Special methods that are ours for all callers: they make an object, change this very one, or are of a protocol that
#: libraries look up in the class.
_OURS = frozenset((
    "__new__", "__init__", "__getattribute__", "__getattr__", "__setattr__", "__delattr__", "__setitem__",
    "__delitem__", "__init_subclass__", "__subclasshook__", "__class_getitem__",
    "__narwhals_dataframe__", "__narwhals_series__",
))  # fmt: skip
#: What `install` replaced: class, name, and what was there.
_before: list[tuple[type, str, Any]] = []


def install() -> None:
    """Lets libraries see pandas' objects in place of ours."""
    if _before:
        return
    PASSING.add(__name__)
    for kind in _classes():
        for name, found in _specials(kind):
            _put(kind, name, _special(name, found))
    for name in ("DataFrame", "Series", "Index", "MultiIndex"):
        _put(CLASSES[name], "__getattribute__", _attribute)


def uninstall() -> None:
    """Takes `install` back."""
    while _before:
        kind, name, value = _before.pop()
        if value is None:
            delattr(kind, name)
        else:
            setattr(kind, name, value)
    _twins.clear()


def _classes() -> list[type]:
    known = [CLASSES[name] for name in ("DataFrame", "Series", "Index", "MultiIndex")]
    for kind in known:  # which grows
        known += [one for one in kind.__subclasses__() if one.__module__.startswith("atoll.") and one not in known]
    return known


def _specials(kind: type) -> Iterator[tuple[str, Any]]:
    """Special methods of a class; of one that is derived from ours those that it defines itself."""
    derived = any(getattr(base, "__name__", "") == "Index" for base in kind.__mro__[1:])
    for name in list(kind.__dict__ if derived else dir(kind)):
        found = getattr(kind, name)
        if name.startswith("__") and name not in _OURS and isinstance(found, FunctionType):
            yield name, found


def _put(kind: type, name: str, value: object) -> None:
    _before.append((kind, name, kind.__dict__.get(name)))
    setattr(kind, name, value)


def _attribute(self: Any, name: str) -> Any:
    frame = sys._getframe(1)
    kind = KNOWN.get(frame.f_code.co_filename)
    if kind is Caller.OWN or kind is Caller.USER or not is_library(frame) or name in CHANGING or name in _OURS:
        return _get(self, name)
    twin = twin_of(self, frame)
    return type(twin) if name == "__class__" else getattr(twin, name)


def _special(name: str, native: Any) -> Any:
    """A special method, which Python looks up in the class and not by `__getattribute__`."""

    def method(self: Any, *args: object, **kwargs: object) -> Any:
        frame = sys._getframe(1)
        if is_library(frame):
            return getattr(twin_of(self, frame), name)(*map(to_pandas, args), **kwargs)
        return native(self, *args, **kwargs)

    method.__name__, method.__doc__ = name, native.__doc__
    return method


def twin_of(value: Any, frame: FrameType) -> Any:
    """The same rows in pandas, for the code that a frame is of: one object until ours changes."""
    key, parts = id(value), _parts_of(value)
    known = _twins.get(key)
    if known is not None and known[0]() is value and _are_same(known[1], parts):
        return known[2]
    with pandas_at_work(f"{type(value).__name__} given to {name_of_library(frame)}"):
        made = value.to_pandas()
    _twins[key] = (weakref.ref(value, lambda _: _twins.pop(key, None)), parts, made)
    return made


def _parts_of(value: Any) -> list[Any]:
    """The parts of an object; the object has changed when one of them is another object."""
    kind = type(value)
    if hasattr(kind, "_columns"):
        labels, index = _get(value, "_labels"), _get(value, "_index")
        return [*list.__iter__(_get(value, "_columns")), labels, *labels.values, *labels.names, index, *index.names]
    if hasattr(kind, "_index"):
        index = _get(value, "_index")
        return [_get(value, "_values"), _get(value, "_name"), index, *index.names]
    return [_get(value, "_column"), *value.names]


def _are_same(some: list[Any], others: list[Any]) -> bool:
    return len(some) == len(others) and all(a is b for a, b in zip(some, others, strict=True))
