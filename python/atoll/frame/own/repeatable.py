# SPDX-License-Identifier: Apache-2.0
"""Which functions give the same results in any order and in any process, as far as their code shows."""

from __future__ import annotations

import builtins
import dis
import functools
import inspect
import re
from types import BuiltinFunctionType, CodeType, FunctionType, MethodDescriptorType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

_BUILTINS = frozenset(
    getattr(builtins, name)
    for name in (
        "abs", "all", "any", "ascii", "bin", "bool", "bytes", "callable", "chr", "complex", "dict", "divmod",
        "enumerate", "filter", "float", "format", "frozenset", "hex", "int", "isinstance", "issubclass", "iter", "len",
        "list", "map", "max", "min", "next", "oct", "ord", "pow", "range", "repr", "reversed", "round", "set",
        "slice", "sorted", "str", "sum", "tuple", "type", "zip",
    )
)  # fmt: skip
#: Modules whose functions change nothing, but for the names below.
_MODULES = frozenset((
    "base64", "binascii", "bisect", "calendar", "cmath", "collections", "colorsys", "datetime", "decimal", "difflib",
    "fractions", "functools", "hashlib", "html", "ipaddress", "itertools", "json", "math", "numpy", "operator",
    "pandas", "re", "statistics", "string", "struct", "textwrap", "unicodedata", "urllib", "zlib", "_bisect",
    "_datetime", "_decimal", "_functools", "_hashlib", "_json", "_operator", "_struct", "_statistics",
))  # fmt: skip
#: Names of modules and methods that depend on more than arguments, or change what they are called on.
_OTHERS = frozenset((
    "random", "seed", "shuffle", "now", "today", "utcnow", "urlopen", "request", "load", "save", "savez", "savetxt",
    "loadtxt", "genfromtxt", "fromfile", "tofile", "memmap", "set_printoptions", "setcontext", "getcontext", "read_csv",
    "read_parquet", "to_csv", "to_parquet", "to_pickle", "__dict__", "__globals__", "__class__",
    "f_locals", "option_context", "set_option", "options", "seterr", "errstate", "write", "writelines",
))  # fmt: skip
#: Methods by which lists, dicts, sets and arrays change.
_CHANGES = frozenset((
    "add", "append", "appendleft", "clear", "difference_update", "discard", "extend", "extendleft", "fill", "insert",
    "intersection_update", "move_to_end", "pop", "popitem", "popleft", "put", "remove", "resize", "reverse", "rotate",
    "setdefault", "setflags", "sort", "subtract", "symmetric_difference_update", "update", "__setitem__", "__delitem__",
))  # fmt: skip
_PLAIN = (type(None), bool, int, float, complex, str, bytes, re.Pattern, np.generic, type(...))
_SHARED = (dict, list, set, np.ndarray)
_REFUSED = ("STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR", "STORE_NAME", "IMPORT_STAR", "YIELD", "AWAIT")
_STORES = ("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE")


def is_repeatable(function: Callable[..., Any]) -> bool:
    """Whether a function's results depend on its arguments alone, and it changes nothing else.

    Judged by its code and by the values that it refers to; False where that does not show. Functions that print, draw
    random numbers, ask for the time, read files or change what they share with others are not repeatable.
    """
    found = _Found()
    return found.admits(function) and not (found.shares and found.changes)


class _Found:
    """The references and changes found in the code of a function and of the functions that it calls."""

    def __init__(self) -> None:
        self.seen: set[int] = set()
        self.shares = False  # refers to a list, dict, set or array
        self.changes = False  # may change such a one

    def admits(self, value: object) -> bool:
        """Whether code may refer to a value."""
        if isinstance(value, _PLAIN) or id(value) in self.seen:
            return True
        self.seen.add(id(value))
        if isinstance(value, FunctionType):
            return self._admits_function(value)
        if isinstance(value, (tuple, frozenset)):
            return all(map(self.admits, value))
        if isinstance(value, _SHARED):
            self.shares = True
            inner = value.values() if isinstance(value, dict) else value
            if isinstance(value, np.ndarray):
                return value.dtype != object
            return type(value) in _SHARED and all(isinstance(one, _PLAIN) or self.admits(one) for one in inner)
        if isinstance(value, ModuleType):
            return value.__name__.partition(".")[0] in _MODULES
        if isinstance(value, functools.partial):
            return self.admits(value.func) and self.admits(value.args) and self.admits(value.keywords)
        if isinstance(value, np.ufunc):
            return True
        return self._admits_callable(value)

    def _admits_callable(self, value: object) -> bool:
        if isinstance(value, BuiltinFunctionType):
            owner = value.__self__
            if owner is builtins:
                return value in _BUILTINS
            if isinstance(owner, dict) and value.__name__ in ("get", "__getitem__", "__contains__"):
                return self.admits(owner)
            if isinstance(owner, ModuleType) or owner is None:
                return (value.__module__ or "").partition(".")[0] in _MODULES and value.__name__ not in _OTHERS
            return isinstance(owner, _PLAIN)
        if isinstance(value, MethodDescriptorType):
            return issubclass(value.__objclass__, (str, bytes, int, float, tuple, frozenset))
        if isinstance(value, type):
            known = value in _BUILTINS or (value.__module__ == "builtins" and issubclass(value, BaseException))
            return known or value.__module__.partition(".")[0] in _MODULES
        return isinstance(value, _values_of_libraries())

    def _admits_function(self, function: FunctionType) -> bool:
        if function.__module__ and function.__module__.partition(".")[0] in _MODULES:
            return function.__name__ not in _OTHERS
        flags = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
        code = function.__code__
        if code.co_flags & flags or not self._admits_code(code, function.__globals__, frozenset(code.co_freevars)):
            return False
        values = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
        try:
            values += [cell.cell_contents for cell in function.__closure__ or ()]
        except ValueError:  # a cell that is not filled yet
            return False
        return all(map(self.admits, values))

    def _admits_code(self, code: CodeType, known: dict[str, Any], outer: frozenset[str]) -> bool:
        for one in dis.get_instructions(code):
            name = one.opname
            if name.startswith(_REFUSED) and not (name.startswith("YIELD") and code.co_name == "<genexpr>"):
                return False
            if name in ("STORE_DEREF", "DELETE_DEREF") and one.argval in outer:
                return False
            if name.startswith(_STORES) or (name == "BINARY_OP" and one.argrepr.endswith("=")):
                self.changes = True
            if name.startswith("LOAD_GLOBAL"):
                missing = object()
                value = known.get(one.argval, getattr(builtins, one.argval, missing))
                if value is missing or not self.admits(value):
                    return False
            if name == "LOAD_NAME" or (name == "IMPORT_NAME" and one.argval.partition(".")[0] not in _MODULES):
                return False
        if _OTHERS.intersection(code.co_names):
            return False
        if _CHANGES.intersection(code.co_names):
            self.changes = True
        return all(self._admits_code(one, known, outer) for one in code.co_consts if isinstance(one, CodeType))


@functools.cache
def _values_of_libraries() -> tuple[type, ...]:
    import datetime
    import decimal
    import fractions

    return (
        datetime.date, datetime.time, datetime.timedelta, datetime.tzinfo, decimal.Decimal, fractions.Fraction,
        range, slice,
    )  # fmt: skip
