# SPDX-License-Identifier: Apache-2.0
"""What all of Arkouda's objects share: names, the registry, and the way to Atoll's arrays and columns and back."""

from __future__ import annotations

import functools
import inspect
import itertools
import weakref
from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np

from ..arrays.ndarray import ndarray
from ..columns.column import Column
from .core import shared

__all__ = [
    "Labelled", "Named", "RegistrationError", "Rows", "Word", "attach", "checked", "entitled", "lift", "lower",
    "registry", "symbols",
]  # fmt: skip

#: What is registered, by name.
registry: dict[str, Any] = {}

#: Objects that are alive and hold data, by name.
symbols: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()

_numbers = itertools.count(1)

#: Makes Arkouda's objects of Atoll's arrays and columns, by the names of their classes.
LIFTED: dict[str, Callable[[Any], Any]] = {}


class RegistrationError(Exception):
    """An object or a name is registered already, or not at all."""


class Word(Enum):
    """Words to choose from, each shown as itself."""

    def __str__(self) -> str:
        return str(self.value)

    __repr__ = __str__


class Named:
    """An object that the session knows by a name, and a person may give one."""

    objType = "object"
    registered_name: str | None = None
    #: Attributes that stay with this process when the object is registered on a server.
    __unpublished__ = ("_name", "registered_name")

    @property
    def name(self) -> Any:
        """The name the session knows the object by."""
        return self._id

    @name.setter
    def name(self, name: str | None) -> None:
        self.__dict__["_name"] = name

    @property
    def _id(self) -> str:
        found: str | None = self.__dict__.get("_name")
        if found is None:
            found = self.__dict__["_name"] = f"id_{next(_numbers)}"
            symbols[found] = self
        return found

    def register(self, user_defined_name: str) -> Any:
        """Keeps the object under a name, so that `attach` finds it."""
        if not isinstance(user_defined_name, str):
            raise TypeError(f"a name is a str, not {type(user_defined_name).__name__}")
        if self.registered_name in registry:
            raise RegistrationError(f"this object is already registered as {self.registered_name!r}")
        if user_defined_name in registry:
            raise RegistrationFault(f"{user_defined_name!r} is already the name of another object")
        try:
            shared.keep(user_defined_name, self)
        except ValueError as error:
            raise RegistrationFault(str(error)) from error
        registry[user_defined_name] = self
        self.__dict__["registered_name"] = user_defined_name
        return self

    def unregister(self) -> None:
        """Gives the name back."""
        if self.registered_name is None or self.registered_name not in registry:
            raise RegistrationError("this object is not registered")
        del registry[self.registered_name]
        shared.forget(self.registered_name)
        self.__dict__["registered_name"] = None

    def is_registered(self) -> bool:
        """Whether the object, or one that it is a part of, is registered."""
        if self.registered_name is not None and self.registered_name in registry:
            return True
        own = self.__dict__.get("_name")
        return own is not None and any(own in one._list_component_names() for one in registry.values())

    def _list_component_names(self) -> list[str]:
        """Names of the arrays it consists of."""
        return [self.name]

    def info(self) -> str:
        """What the session knows of it, as JSON."""
        return information_of(self)

    def pretty_print_info(self) -> None:
        """Prints what the session knows of it."""
        print(self.info())

    def transfer(self, hostname: str, port: int) -> Any:
        """Arrays do not leave their session this way: RuntimeError. Save a checkpoint, or write a file."""
        raise RuntimeError("arrays are not sent to another session; write a file, or ak.save_checkpoint()")


class Labelled(Named):
    """An object whose `name` is what a person calls it, as pandas' objects have one; the session has its own for it."""

    label: Any = None

    @property
    def name(self) -> Any:
        """What a person calls it."""
        return self.label

    @name.setter
    def name(self, name: str | None) -> None:
        self.label = name


class Rows(Named):
    """A column whose rows lie on all PEs: `==` compares row by row, and no loop of Python walks through them."""

    __hash__ = None  # type: ignore[assignment]  # == is elementwise
    size: Any

    def _binop(self, other: object, op: str) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define _binop, which computes `self op other`")

    def __iter__(self) -> Any:
        raise NotImplementedError(
            f"{self.objType} does not support iteration. To force data transfer from server, use to_ndarray"
        )

    def __eq__(self, other: object) -> Any:
        return self._binop(other, "==")

    def __ne__(self, other: object) -> Any:
        return self._binop(other, "!=")

    def equals(self, other: object) -> Any:
        """Whether the other is of the same kind and size, with the same elements."""
        if not isinstance(other, type(self)) or other.size != self.size:
            return np.False_
        return np.bool_(bool((self == other).all()))


class RegistrationFault(RegistrationError, RuntimeError):
    """A name belongs to another object."""


def attach(name: str) -> Any:
    """The object that was registered under a name."""
    if name not in registry:
        found = shared.find(name)  # of another session of the server
        if found is None:
            raise RegistrationFault(f"nothing is registered as {name!r}")
        found = lift(found)
        if not isinstance(found, Named):
            raise RegistrationFault(f"{name!r} is a {type(found).__name__} of Atoll's. Attach it with atoll.attach")
        found.__dict__["registered_name"] = name
        registry[name] = found
    return registry[name]


def information_of(thing: Any) -> str:
    """One object's entry of the symbol table, as JSON."""
    import json

    entry = {
        "name": thing.name,
        "dtype": str(getattr(thing, "dtype", "")),
        "size": int(getattr(thing, "size", 0)),
        "ndim": int(getattr(thing, "ndim", 1)),
        "shape": [int(n) for n in getattr(thing, "shape", ())],
        "itemsize": int(getattr(thing, "itemsize", 0) or 0),
        "registered": thing.is_registered(),
    }
    return json.dumps([entry])


# -- the way to Atoll and back --


def lower(thing: object) -> Any:
    """What Atoll has in the place of an Arkouda object; of tuples, lists and slices, of each part."""
    values = getattr(thing, "_a", None)
    if values is not None:
        return values
    if isinstance(thing, (tuple, list)):
        return type(thing)(lower(one) for one in thing)
    if isinstance(thing, slice):
        return slice(*(_position(one) for one in (thing.start, thing.stop, thing.step)))
    return thing


def _position(value: Any) -> int | None:
    return None if value is None else int(value)


def lift(thing: Any) -> Any:
    """What Arkouda has in the place of Atoll's arrays and columns; scalars as they are."""
    if isinstance(thing, ndarray):
        return LIFTED["ndarray"](thing) if thing.ndim else thing[()]
    if isinstance(thing, Column):
        made = LIFTED.get(type(thing).__name__)
        if made is None:
            raise TypeError(
                f"Arkouda has no array for a column of {thing.kind} ({type(thing).__name__}). Convert it first: astype?"
            )
        return made(thing)
    if isinstance(thing, tuple) and not hasattr(thing, "_fields"):
        return tuple(lift(one) for one in thing)
    return [lift(one) for one in thing] if isinstance(thing, list) else thing


def entitled(function: Callable[..., Any], name: str, doc: str) -> Any:
    """A function that was made of a table, under its own name and with its own docstring."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def checked(*kinds: Any, **named: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Refuses arguments of another type with TypeError: types in the order of arguments, or by their names.

    A string stands for the class of that name, and its subclasses.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(function)
        given = dict(zip(signature.parameters, kinds, strict=False)) | named
        wanted = {key: _flat_kinds(kind) for key, kind in given.items() if kind is not None}

        @functools.wraps(function)
        def call(*args: object, **options: object) -> Any:
            bound = signature.bind(*args, **options).arguments
            for key, classes in wanted.items():
                if key in bound and not _is_one(bound[key], classes):
                    names = " or ".join(getattr(one, "__name__", str(one)) for one in classes)
                    raise TypeError(
                        f'type of argument "{key}" must be {names}; got {type(bound[key]).__name__} instead'
                    )
            return function(*args, **options)

        return call

    return decorate


def _is_one(value: object, kinds: tuple[type | str, ...]) -> bool:
    """Whether a value is of one of several classes, each given as itself or by its name."""
    if isinstance(value, tuple(kind for kind in kinds if isinstance(kind, type))):
        return True
    return any(base.__name__ in kinds for base in type(value).__mro__)


def _flat_kinds(kind: str) -> tuple[type | str, ...]:
    found: list[type | str] = []
    for one in kind if isinstance(kind, tuple) else (kind,):
        found += _flat_kinds(one) if isinstance(one, tuple) else [type(None) if one is None else one]
    return tuple(found)
