# SPDX-License-Identifier: Apache-2.0
"""Functions that text defines: a lambda expression of arithmetic, which may come from strangers."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays.functions import UFUNCS
from ..frame.expressions.allowed import NotAllowed, parsed, too_deep

_FUNCTIONS: dict[str, Callable[..., Any]] = {"abs": abs, "min": min, "max": max, "round": round}
_NODES = (
    ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Name, ast.Load, ast.operator, ast.unaryop,
    ast.boolop, ast.cmpop,
)  # fmt: skip
_PREFIXES = ("np", "numpy", "ak", "arkouda", "math")  # of functions' names: they stand for NumPy's


def function_of(text: str) -> Callable[[Any], Any]:
    """The function of one argument that a lambda expression defines.

    Raises
    ------
    NotAllowed
        The text has more than arithmetic, comparisons, conditions, numbers and calls of elementwise functions.
    """
    tree = parsed(text.strip())
    found = tree.body
    if not isinstance(found, ast.Lambda) or [ast.unparse(found.args)] != [one.arg for one in found.args.args]:
        raise NotAllowed(
            f"{text[:60]!r} is not a lambda expression of one argument (only such text becomes a function)."
            " Write 'lambda x: …'?"
        )
    try:
        found.body = _Checked(found.args.args[0].arg).visit(found.body)
    except RecursionError:
        raise too_deep(text) from None
    functions = {name: getattr(np, name) for name in UFUNCS if hasattr(np, name)} | _FUNCTIONS
    code = compile(ast.fix_missing_locations(tree), "<lambda>", "eval")
    made: Callable[[Any], Any] = eval(code, {"__builtins__": {}, **functions})
    return made


class _Checked(ast.NodeTransformer):
    """Walks through an expression, and raises for what it must not have."""

    def __init__(self, argument: str) -> None:
        self._argument = argument

    def visit(self, node: ast.AST) -> Any:
        """The node, when it is allowed."""
        if isinstance(node, (ast.Call, ast.Constant, ast.Name, ast.BinOp)):
            return super().visit(node)
        if not isinstance(node, _NODES):
            raise NotAllowed(
                f"a lambda expression of text cannot have {_shown(node)} (only arithmetic). Pass a function?"
            )
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> Any:
        """Numbers and bools."""
        if not isinstance(node.value, (bool, int, float, complex)):
            raise NotAllowed(f"a lambda expression of text cannot have {_shown(node)} (only numbers). Pass a function?")
        return node

    def visit_Name(self, node: ast.Name) -> Any:
        """The argument."""
        if node.id != self._argument:
            raise NotAllowed(
                f"a lambda expression of text cannot use {node.id!r} (only its argument). Pass a function?"
            )
        return node

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        """Powers and shifts of constants alone could be of any length."""
        if isinstance(node.op, (ast.Pow, ast.LShift)) and not any(isinstance(one, ast.Name) for one in ast.walk(node)):
            raise NotAllowed(
                f"a lambda expression of text cannot have {_shown(node)} (without its argument). Write the number?"
            )
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> Any:
        """Of a listed function, with arguments by place."""
        function = node.func
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            prefix, name = function.value.id, function.attr
        else:
            prefix, name = "np", function.id if isinstance(function, ast.Name) else ""
        listed = (name in UFUNCS and hasattr(np, name)) or name in _FUNCTIONS
        if prefix not in _PREFIXES or not listed or node.keywords:
            raise NotAllowed(
                f"a lambda expression of text cannot call {_shown(node)} (it is not listed). Pass a function?"
            )
        node.func = ast.Name(name, ast.Load())
        node.args = [self.visit(one) for one in node.args]
        return node


def _shown(node: ast.AST) -> str:
    try:
        return repr(ast.unparse(node)[:60])
    except Exception:  # of parts of an expression
        return type(node).__name__
