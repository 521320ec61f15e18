# SPDX-License-Identifier: Apache-2.0
"""Arrays, columns and frames as bytes and a list of handles: the form in which they are published.

The bytes are a pickle that holds labels, dtypes and structure, in which a handle is its place in the list. They are
read by an unpickler that knows data only: it makes instances of the package's classes for data without calling these,
and calls nothing but the functions listed here. So a client that attaches runs no code of the client that published.
"""

from __future__ import annotations

import enum
import importlib
import io
import pickle
import types
from collections.abc import Sequence
from typing import Any

_PACKAGES = ("atoll.arkouda.", "atoll.arrays.", "atoll.columns.", "atoll.frame.")
#: Functions and classes outside of the package that a form may call: those that numbers, dtypes and labels are made of.
_CALLABLE = frozenset((
    ("builtins", "bytearray"), ("builtins", "complex"), ("builtins", "frozenset"), ("builtins", "range"),
    ("builtins", "set"), ("builtins", "slice"), ("collections", "OrderedDict"),
    ("datetime", "date"), ("datetime", "datetime"), ("datetime", "time"), ("datetime", "timedelta"),
    ("datetime", "timezone"), ("decimal", "Decimal"),
    ("numpy", "dtype"), ("numpy", "ndarray"), ("numpy._core.multiarray", "_reconstruct"),
    ("numpy._core.multiarray", "scalar"), ("numpy._core.numeric", "_frombuffer"), ("numpy.dtypes", "StringDType"),
    ("pandas._libs.tslibs.nattype", "_nat_unpickle"), ("pandas._libs.tslibs.timedeltas", "_timedelta_unpickle"),
    ("pandas._libs.tslibs.timestamps", "_unpickle_timestamp"), ("pandas._libs.missing", "NA"),
    ("zoneinfo", "ZoneInfo._unpickle"),
))  # fmt: skip


class _Class:
    """A class of the package, in a form: it cannot be called."""

    def __init__(self, found: type) -> None:
        self.found = found


def new_instance(of: _Class, content: Any = None) -> Any:
    """An instance without attributes; of a class of dicts, lists or tuples with its items."""
    base: Any = next((one for one in (dict, list, tuple) if issubclass(of.found, one)), object)
    if base is tuple:
        return tuple.__new__(of.found, content)
    made = base.__new__(of.found)
    if base is dict:
        dict.update(made, content)
    elif base is list:
        list.extend(made, content)
    return made


def member(of: _Class, name: str) -> Any:
    """A member of an enumeration."""
    if not issubclass(of.found, enum.Enum):
        raise pickle.UnpicklingError(f"{of.found.__name__} is no enumeration")
    return of.found[name]


def restore(made: object, state: dict[str, Any]) -> None:
    """Gives an instance of the package's classes its attributes."""
    if not _is_data(type(made)):
        raise pickle.UnpicklingError(f"a {type(made).__name__} takes no attributes")
    for name, value in state.items():
        object.__setattr__(made, name, value.found if isinstance(value, _Class) else value)


_OWN = {one.__name__: one for one in (new_instance, member, restore)}


def _is_data(found: object) -> bool:
    return isinstance(found, type) and f"{found.__module__}.".startswith(_PACKAGES)


class _Packer(pickle.Pickler):
    def __init__(self, stream: io.BytesIO, handle_types: tuple[type, ...]) -> None:
        super().__init__(stream, pickle.HIGHEST_PROTOCOL)
        self._types, self.handles = handle_types, list[Any]()

    def persistent_id(self, value: object) -> int | None:
        if not isinstance(value, self._types):
            return None
        self.handles.append(value)
        return len(self.handles) - 1

    def reducer_override(self, value: Any) -> Any:
        cls = type(value)
        if isinstance(value, (type, types.FunctionType)) or not _is_data(cls):
            return NotImplemented
        if isinstance(value, enum.Enum):
            return member, (cls, value.name)
        base: Any = next((one for one in (dict, list, tuple) if isinstance(value, one)), None)
        content = () if base is None else (base(dict.items(value) if base is dict else base.__iter__(value)),)
        return new_instance, (cls, *content), _attributes(value), None, None, restore


def _attributes(value: object) -> dict[str, Any]:
    found = dict(getattr(value, "__dict__", {}))
    for cls in type(value).__mro__:
        slots = cls.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                found[name] = getattr(value, name)
    for name in getattr(type(value), "__unpublished__", ()):
        found.pop(name, None)
    return found


class _Unpacker(pickle.Unpickler):
    def __init__(self, stream: io.BytesIO, handles: Sequence[Any]) -> None:
        super().__init__(stream)
        self._handles = handles

    def persistent_load(self, place: Any) -> Any:
        if type(place) is not int or not 0 <= place < len(self._handles):
            raise pickle.UnpicklingError("a published object names a handle that it has not")
        return self._handles[place]

    def find_class(self, module: str, name: str) -> Any:
        if module == __name__ and name in _OWN:
            return _OWN[name]
        if (module, name) in _CALLABLE:
            return super().find_class(module, name)
        if f"{module}.".startswith(_PACKAGES):
            found: Any = getattr(importlib.import_module(module), name, None)
            if _is_data(found):
                return _Class(found)
        raise pickle.UnpicklingError(f"a published object may not use {module}.{name}")


def pack(value: object, handle_types: tuple[type, ...]) -> tuple[bytes, list[Any]]:
    """The form and the handles of an object. TypeError for what cannot be published."""
    stream = io.BytesIO()
    packer = _Packer(stream, handle_types)
    try:
        packer.dump(value)
        unpack(stream.getvalue(), packer.handles)  # what others could not read is an error here
    except (ValueError, pickle.PicklingError, AttributeError, TypeError) as error:
        raise TypeError(f"a {type(value).__name__} cannot be published ({error}). Publish its arrays?") from error
    return stream.getvalue(), packer.handles


def unpack(form: bytes, handles: Sequence[Any]) -> Any:
    """The object of a form, with these handles. ValueError where the form is not valid."""
    try:
        return _Unpacker(io.BytesIO(form), handles).load()
    except (pickle.UnpicklingError, AttributeError, EOFError, ImportError, IndexError, KeyError, TypeError) as error:
        raise ValueError(f"the published object cannot be made here ({error})") from error
