# SPDX-License-Identifier: Apache-2.0
"""Expressions of a scan's columns, as Arrow has them, so that a reader can take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class Term:
    """An expression of a scan's columns: what comparisons, arithmetic and `& | ~` make of `scan["name"]`."""

    __slots__ = ("expression", "fields")
    __hash__ = None  # type: ignore[assignment]  # == makes another term

    def __init__(self, expression: Any, fields: frozenset[str]) -> None:
        self.expression, self.fields = expression, fields

    def isin(self, values: Sequence[Any]) -> Term:
        """Whether the value is one of these."""
        import pyarrow as pa

        return Term(self.expression.isin(pa.array(list(values))), self.fields)

    def isna(self) -> Term:
        """Whether the value is missing."""
        return Term(self.expression.is_null(), self.fields)

    def notna(self) -> Term:
        """Whether the value is there."""
        return Term(~self.expression.is_null(), self.fields)

    def between(self, low: Any, high: Any) -> Term:
        """Whether the value lies between two others, or is one of them."""
        both: Term = (self >= low) & (self <= high)
        return both

    def astype(self, kind: Any) -> Term:
        """The value as another of Arrow's types, or of the type of that name."""
        return Term(self.expression.cast(kind), self.fields)

    def __neg__(self) -> Term:
        import pyarrow.compute as pc

        return Term(pc.negate(self.expression), self.fields)

    def __invert__(self) -> Term:
        return Term(~self.expression, self.fields)

    def __bool__(self) -> bool:
        raise ValueError("The truth value of a term is not known before it is read. Use & | ~ in place of and, or, not")

    def __repr__(self) -> str:
        return f"<term {self.expression}>"


def term_of(name: str) -> Term:
    """The column of that name."""
    import pyarrow.compute as pc

    return Term(pc.field(name), frozenset([name]))


def _binary(name: str, turned: bool) -> Any:
    def method(self: Term, other: Any) -> Term:
        import pyarrow.compute as pc

        fields = self.fields | other.fields if isinstance(other, Term) else self.fields
        value = other.expression if isinstance(other, Term) else pc.scalar(other)
        one, two = (value, self.expression) if turned else (self.expression, value)
        if name == "truediv":  # Arrow's division of whole numbers gives whole ones
            one = one.cast("float64")
        return Term(getattr(one, f"__{name}__")(two), fields)

    return method


for _name in ("eq", "ne", "lt", "le", "gt", "ge", "and", "or", "add", "sub", "mul", "truediv"):
    setattr(Term, f"__{_name}__", _binary(_name, False))
for _name in ("add", "sub", "mul", "truediv", "and", "or"):
    setattr(Term, f"__r{_name}__", _binary(_name, True))
