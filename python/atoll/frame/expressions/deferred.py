# SPDX-License-Identifier: Apache-2.0
"""Expressions of columns that are computed when a frame is there: `col`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..classes import is_series

if TYPE_CHECKING:
    from ...annotations import Label

__all__ = ["Expression", "col"]


class Expression:
    """An expression of columns, made by `col`, which `assign` and `filter` evaluate on their frame."""

    __slots__ = ("_function", "_text")

    def __init__(self, function: Callable[[Any], Any], text: str) -> None:
        self._function, self._text = function, text

    def __call__(self, frame: Any) -> Any:
        return self._function(frame)

    def __repr__(self) -> str:
        return self._text

    def __getattr__(self, name: str) -> Expression:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Attribute(lambda frame: getattr(self(frame), name), f"{self._text}.{name}")

    def __getitem__(self, key: object) -> Expression:
        return Expression(lambda frame: self(frame)[_value(key, frame)], f"{self._text}[{key!r}]")

    __iter__ = None  # it has brackets, but no end

    def __bool__(self) -> bool:
        raise TypeError("boolean value of an expression is ambiguous")

    def __hash__(self) -> int:
        return id(self)


class _Attribute(Expression):
    """An attribute, which may be a method to call."""

    __slots__ = ()

    def __call__(self, *args: object, **options: object) -> Any:
        if len(args) == 1 and not options and hasattr(args[0], "_labels"):  # the frame
            return self._function(args[0])
        shown = ", ".join([*map(repr, args), *(f"{name}={value!r}" for name, value in options.items())])

        def called(frame: Any) -> Any:
            held = [_value(one, frame) for one in args]
            return self._function(frame)(*held, **{name: _value(one, frame) for name, one in options.items()})

        return Expression(called, f"{self._text}({shown})")


def _value(value: object, frame: Any) -> Any:
    return value(frame) if isinstance(value, Expression) else value


def _binary(operation: Callable[[Any, Any], Any], sign: str, reflected: bool = False) -> Any:
    def method(self: Expression, other: object) -> Expression:
        def computed(frame: Any) -> Any:
            own, given = self(frame), _value(other, frame)
            return operation(given, own) if reflected else operation(own, given)

        sides = (repr(other), self._text) if reflected else (self._text, repr(other))
        return Expression(computed, f"({sides[0]} {sign} {sides[1]})")

    return method


for _name, _sign in {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "and_": "&",
    "or_": "|", "xor": "^",
}.items():  # fmt: skip
    _plain = _name.rstrip("_")
    setattr(Expression, f"__{_plain}__", _binary(getattr(operator, _name), _sign))
    setattr(Expression, f"__r{_plain}__", _binary(getattr(operator, _name), _sign, True))
for _name, _sign in {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items():
    setattr(Expression, f"__{_name}__", _binary(getattr(operator, _name), _sign))
for _name, _sign in {"neg": "-", "pos": "+", "invert": "~"}.items():

    def _unary(operation: Callable[[Any], Any], sign: str) -> Any:
        return lambda self: Expression(lambda frame: operation(self(frame)), f"({sign}{self._text})")

    setattr(Expression, f"__{_name}__", _unary(getattr(operator, _name), _sign))


def col(name: Label) -> Expression:
    """The column of a label, of a frame that is not known yet.

    Examples
    --------
    >>> import atoll.pandas as pd
    >>> pd.DataFrame({"a": [1, 2]}).assign(b=pd.col("a") * 10).b.to_list()
    [10, 20]
    """

    def column(frame: Any) -> Any:
        if name not in frame._labels.places:
            raise ValueError(f"Column '{name}' not found in given DataFrame.\n\nHint: did you mean one of "
                             f"{list(frame._labels.values)} instead?")  # fmt: skip
        return frame[name]

    return Expression(column, f"col({name!r})")


def selected(of: Any, args: tuple[Any, ...], computed: dict[str, Any]) -> list[tuple[Any, Any]]:
    """Labels and Series of the columns that `DataFrame.select` is asked for, in order."""
    wanted: Any = args
    if len(args) == 1 and not isinstance(args[0], (str, tuple, Expression)) and hasattr(args[0], "__iter__"):
        wanted = list(args[0])
    made: list[tuple[Any, Any]] = []
    for one in wanted:
        if isinstance(one, Expression):
            found = one(of)
            if not is_series(found) or found._name is None:
                raise ValueError("Expressions must have a name: name the result with rename")
            of = of.assign(**{found._name: found})
            made.append((found._name, found._values))
            continue
        places = of._labels.find(one)
        if not places:
            raise KeyError(f"'{one}'" if isinstance(one, str) else one)
        made.extend((of._labels.values[place], of._columns[place]) for place in places)
    for label, how in computed.items():
        of = of.assign(**{label: how})
        made.append((label, of._column(label)))
    return made
