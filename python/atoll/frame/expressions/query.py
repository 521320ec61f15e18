# SPDX-License-Identifier: Apache-2.0
"""Expressions as text: `eval` and `query`. They are parsed by Python and computed column by column."""

from __future__ import annotations

import ast
import operator
import re
import sys
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from ...arrays.functions import UFUNCS
from ...pandas_errors import undefined_variable
from ..classes import is_series, series
from .allowed import NotAllowed, attribute, check_arguments, check_local, check_size, method, parsed, too_deep

_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_, ast.BitXor: operator.xor,
}  # fmt: skip
_COMPARE: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}  # fmt: skip
_LOCAL, _QUOTED = "__local_", "__column_"


class _Evaluation:
    """An expression over a frame's columns, its index, and the caller's variables."""

    def __init__(self, frame: Any, names: dict[str, Any], functions: Collection[str], quoted: list[str]) -> None:
        self.frame, self.names, self.functions, self.quoted = frame, names, functions, quoted

    def value(self, node: ast.AST) -> Any:
        """Evaluates a node of the expression."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise NotImplementedError(f"'{type(node).__name__}' nodes are not implemented")
        return method(node)

    def _expression(self, node: ast.Expression) -> Any:
        return self.value(node.body)

    def _constant(self, node: ast.Constant) -> Any:
        return node.value

    def _name(self, node: ast.Name) -> Any:
        name = node.id
        if name.startswith(_LOCAL):
            return self._local(name.removeprefix(_LOCAL))
        if name.startswith(_QUOTED):
            name = self.quoted[int(name.removeprefix(_QUOTED))]
        frame = self.frame
        if name in frame._labels.places:
            return frame[name]
        if name in frame._index.names or name == "index":
            values = frame._index if name == "index" else frame._index.get_level_values(name)
            return series(values._values, frame._index, name)
        if name in ("True", "False", "None"):
            return {"True": True, "False": False, "None": None}[name]
        raise undefined_variable(name, "name")

    def _local(self, name: str) -> Any:
        check_local(name)
        if name not in self.names:
            raise undefined_variable(name, "local variable")
        return self.names[name]

    def _binop(self, node: ast.BinOp) -> Any:
        operation = _BINARY.get(type(node.op))
        if operation is None:
            raise NotImplementedError(f"'{type(node.op).__name__}' nodes are not implemented")
        left, right = self.value(node.left), self.value(node.right)
        check_size(type(node.op).__name__, left, right)
        return operation(left, right)

    def _boolop(self, node: ast.BoolOp) -> Any:
        combine = operator.and_ if isinstance(node.op, ast.And) else operator.or_
        made = self.value(node.values[0])
        for one in node.values[1:]:
            made = combine(made, self.value(one))
        return made

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        value = self.value(node.operand)
        if isinstance(node.op, (ast.Not, ast.Invert)):
            return ~value
        return -value if isinstance(node.op, ast.USub) else value

    def _compare(self, node: ast.Compare) -> Any:
        left, made = self.value(node.left), None
        for how, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.value(right_node)
            found = self._compared(how, left, right)
            made = found if made is None else made & found
            left = right
        return made

    def _compared(self, how: ast.cmpop, left: Any, right: Any) -> Any:
        if isinstance(how, (ast.In, ast.NotIn)) or (isinstance(right, (list, tuple)) and is_series(left)):
            if is_series(left):
                among = right if not isinstance(right, str) else [right]
                found = left.isin(among)
            else:
                found = left in right
            return ~found if isinstance(how, (ast.NotIn, ast.NotEq)) else found
        return _COMPARE[type(how)](left, right)

    def _list(self, node: ast.List) -> Any:
        return [self.value(one) for one in node.elts]

    def _tuple(self, node: ast.Tuple) -> Any:
        return tuple(self.value(one) for one in node.elts)

    def _attribute(self, node: ast.Attribute) -> Any:
        return attribute(self.value(node.value), node.attr)

    def _subscript(self, node: ast.Subscript) -> Any:
        return self.value(node.value)[self.value(node.slice)]

    def _slice(self, node: ast.Slice) -> Any:
        return slice(*(None if one is None else self.value(one) for one in (node.lower, node.upper, node.step)))

    def _call(self, node: ast.Call) -> Any:
        function, name = self._function(node.func)
        args = [self.value(one) for one in node.args]
        options = {}
        for one in node.keywords:
            if one.arg is None:
                raise NotImplementedError("'**' in a call is not implemented")
            options[one.arg] = self.value(one.value)
        check_arguments(name, [*args, *options.values()])
        return function(*args, **options)

    def _function(self, node: ast.expr) -> tuple[Any, str]:
        """The called function and its name: an elementwise function, a listed method, or an entry of `local_dict`."""
        if isinstance(node, ast.Attribute):
            return method(self.value(node.value), node.attr), node.attr
        name = node.id if isinstance(node, ast.Name) else ""
        if name.startswith(_LOCAL):
            name = name.removeprefix(_LOCAL)
            found = self._local(name)
            if name not in self.functions:
                raise NotAllowed(
                    f"expressions cannot call @{name} (text could call any function of the program)."
                    f" Allow this one by local_dict={{{name!r}: {name}}}?"
                )
            return found, name
        if not name or name not in UFUNCS:
            raise NameError(f'"{name or ast.unparse(node)}" is not a supported function')
        return getattr(np, name), name


class _OfVariables(_Evaluation):
    """An expression over variables alone."""

    def _name(self, node: ast.Name) -> Any:
        name = node.id
        check_local(name)
        if name not in self.names:
            raise undefined_variable(name, "name")
        return self.names[name]


def _prepared(text: str) -> tuple[str, list[str]]:
    """Python's syntax: `@name` and `` `column` `` by names of their own, `&` and `|` as `and` and `or` bind."""
    quoted: list[str] = []

    def take(found: re.Match[str]) -> str:
        quoted.append(found.group(1))
        return f"{_QUOTED}{len(quoted) - 1}"

    for name in (_LOCAL, _QUOTED):
        if name in text:
            raise NotAllowed(
                f"expressions cannot have names with {name!r} (they are this module's own). Rename the column?"
            )
    parts = re.split(r"(\"[^\"]*\"|'[^']*')", text)
    for place in range(0, len(parts), 2):
        part = re.sub(r"`([^`]*)`", take, parts[place])
        part = re.sub(r"@([A-Za-z_])", rf"{_LOCAL}\1", part)
        part = re.sub(r"(?<![&])&(?![&])", " and ", part)
        parts[place] = re.sub(r"(?<![|])\|(?![|])", " or ", part)
    return "".join(parts).strip(), quoted


def evaluate(frame: Any, text: str, names: dict[str, Any], functions: Collection[str] = ()) -> Any:
    """Value of an expression; `functions` are those of `names` that it may call."""
    prepared, quoted = _prepared(text)
    try:
        tree = parsed(prepared)
        return _Evaluation(frame, names, functions, quoted).value(tree)
    except RecursionError:
        raise too_deep(text) from None


def evaluate_variables(
    expr: str,
    parser: str = "pandas",
    engine: str | None = None,
    local_dict: Any = None,
    global_dict: Any = None,
    resolvers: Any = (),
    level: int = 0,
    target: Any = None,
    inplace: bool = False,
) -> Any:
    """The value of an expression over variables; assignments in it add columns to `target`.

    What its text may do is said at `DataFrame.eval`: for text from strangers give ``local_dict`` and
    ``global_dict={}``. `engine` is ignored, because Atoll computes.

    Examples
    --------
    >>> import atoll.pandas as pd
    >>> table = pd.DataFrame({"a": [1, 2]})
    >>> pd.eval("table.a + 1").to_list()
    [2, 3]
    """
    if not isinstance(expr, str):
        raise ValueError(f"expr must be a string to be evaluated, {type(expr)} given")
    lines = [line.strip() for line in expr.splitlines() if line.strip()]
    if not lines:
        raise ValueError("expr cannot be an empty string")
    if engine not in (None, "numexpr", "python"):
        raise KeyError(f"Invalid engine '{engine}' passed, valid engines are ['numexpr', 'python']")
    if parser not in ("pandas", "python"):
        raise KeyError(f"Invalid parser '{parser}' passed, valid parsers are ['pandas', 'python']")
    if len(lines) > 1 and target is None:
        raise ValueError("multi-line expressions are only valid in the context of data, use DataFrame.eval")
    names = _caller(level + 1, local_dict, global_dict)
    for more in resolvers:
        names |= more
    made, result = target if inplace or target is None else target.copy(), None
    for line in lines:
        assigned = re.match(r"^([A-Za-z_]\w*)\s*=(?!=)", line)
        if assigned is None and len(lines) > 1:
            raise ValueError("Multi-line expressions are only valid if all expressions contain an assignment")
        if assigned is not None and target is None:
            raise ValueError("cannot assign without a target object")
        result = _value_of(line if assigned is None else line[assigned.end() :], names, parser)
        if assigned is not None:
            made[assigned.group(1)] = result
            names[assigned.group(1)] = made[assigned.group(1)]
            result = None if inplace else made
    return result


def _value_of(text: str, names: dict[str, Any], parser: str) -> Any:
    if "@" in re.sub(r"\"[^\"]*\"|'[^']*'", "", text):
        raise SyntaxError(
            "The '@' prefix is not allowed in top-level eval calls.\n"
            "please refer to your variables by name without the '@' prefix."
        )
    prepared = _prepared(text)[0] if parser == "pandas" else text.strip()
    try:
        return _OfVariables(None, names, (), []).value(parsed(prepared))
    except RecursionError:
        raise too_deep(text) from None


def _caller(level: int, local: Any, globals_: Any) -> dict[str, Any]:
    scope = sys._getframe(level + 1)
    return {**(scope.f_globals if globals_ is None else globals_), **(scope.f_locals if local is None else local)}


class Querying:
    """`eval` and `query`."""

    __slots__ = ()

    def eval(
        self: Any,
        expr: str,
        *,
        inplace: bool = False,
        local_dict: Any = None,
        global_dict: Any = None,
        **options: object,
    ) -> Any:
        """Evaluates an expression over the columns; assignments in it add columns.

        Its text may read attributes and call methods that only compute, and elementwise functions; functions of the
        caller's only where `local_dict` names them. ``@name`` reads the caller's variables: for text from strangers
        give ``local_dict={}, global_dict={}``.

        Parameters
        ----------
        expr : str
            The expression.
        inplace : bool, default False
            Whether this object changes, and None is returned.
        local_dict : dict, optional
            Variables for ``@name``; those of the caller unless given.
        global_dict : dict, optional
            The caller's global variables, likewise.
        **options
            `engine`, `parser`, `resolvers` and `target`, as in pandas.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.DataFrame({"a": [1, 2], "b": [3, 4]}).eval("c = a * b")["c"].to_list()
        [3, 8]
        """
        names = _caller(1, local_dict, global_dict)
        made, result = self.copy(), None
        lines = [line for line in expr.split("\n") if line.strip()]
        for line in lines:
            target = re.match(r"^\s*([A-Za-z_]\w*|`[^`]*`)\s*=(?!=)", line)
            if target is None:
                if len(lines) > 1:
                    raise ValueError("Multi-line expressions are only valid if all expressions contain an assignment")
                result = evaluate(made, line, names, local_dict or ())
                break
            made[target.group(1).strip("`")] = evaluate(made, line[target.end() :], names, local_dict or ())
        if result is not None:
            return result
        return self._or_inplace(made, inplace)

    def query(
        self: Any,
        expr: str,
        *,
        inplace: bool = False,
        local_dict: Any = None,
        global_dict: Any = None,
        **options: object,
    ) -> Any:
        """The rows for which an expression over the columns is true; ``@name`` is the caller's variable.

        What its text may do is said at `eval`.

        Parameters
        ----------
        expr : str
            The expression.
        inplace : bool, default False
            Whether this object changes, and None is returned.
        local_dict : dict, optional
            Variables for ``@name``; those of the caller unless given.
        global_dict : dict, optional
            The caller's global variables, likewise.
        **options
            `engine`, `parser`, `resolvers` and `target`, as in pandas.

        Examples
        --------
        >>> import atoll as ak
        >>> least = 2
        >>> ak.DataFrame({"a": [1, 2, 3]}).query("a >= @least and a != 3")
           a
        1  2
        """
        if not isinstance(expr, str):
            raise ValueError(f"expr must be a string to be evaluated, {type(expr)} given")
        if not expr.strip():
            raise ValueError("expr cannot be an empty string")
        found = evaluate(self, expr, _caller(1, local_dict, global_dict), local_dict or ())
        return self._or_inplace(self.loc[found], inplace)
