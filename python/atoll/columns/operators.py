# SPDX-License-Identifier: Apache-2.0
"""Mixins that implement a family of operators by one method, `_with` or `_compared`, which gets the operation."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any


def _plain(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: object) -> Any:
        return self._with(other, operation)

    method.__doc__ = "Row by row; missing where either value is."
    return method


def _reflected(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return _plain(lambda a, b: operation(b, a))


class Arithmetic:
    """Arithmetic by `_with(other, operation)`, including reflected operators."""

    __slots__ = ()

    __add__, __radd__ = _plain(operator.add), _reflected(operator.add)
    __sub__, __rsub__ = _plain(operator.sub), _reflected(operator.sub)
    __mul__, __rmul__ = _plain(operator.mul), _reflected(operator.mul)
    __truediv__, __rtruediv__ = _plain(operator.truediv), _reflected(operator.truediv)
    __floordiv__, __rfloordiv__ = _plain(operator.floordiv), _reflected(operator.floordiv)
    __mod__, __rmod__ = _plain(operator.mod), _reflected(operator.mod)
    __pow__, __rpow__ = _plain(operator.pow), _reflected(operator.pow)
    __xor__ = __rxor__ = _plain(operator.xor)
    __lshift__, __rlshift__ = _plain(operator.lshift), _reflected(operator.lshift)
    __rshift__, __rrshift__ = _plain(operator.rshift), _reflected(operator.rshift)


class Ordered:
    """`<`, `<=`, `>` and `>=` by `_compared(other, operation)`."""

    __slots__ = ()

    def __lt__(self: Any, other: object) -> Any:
        return self._compared(other, operator.lt)

    def __le__(self: Any, other: object) -> Any:
        return self._compared(other, operator.le)

    def __gt__(self: Any, other: object) -> Any:
        return self._compared(other, operator.gt)

    def __ge__(self: Any, other: object) -> Any:
        return self._compared(other, operator.ge)


class Compared(Ordered):
    """The same, with `==` and `!=`: a subclass defines its own `__hash__`, or has none."""

    __slots__ = ()

    def __eq__(self: Any, other: object) -> Any:
        return self._compared(other, operator.eq)

    def __ne__(self: Any, other: object) -> Any:
        return self._compared(other, operator.ne)
