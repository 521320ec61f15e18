# SPDX-License-Identifier: Apache-2.0
"""Expressions of a scan's columns, as Arrow has them, so that a reader can take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..io.parquet.members import ANY, Members, both, either


class Term:
    """An expression of a scan's columns: what comparisons, arithmetic and `& | ~` make of `scan["name"]`."""

    __slots__ = ("expression", "fields", "members", "name")
    __hash__ = None  # type: ignore[assignment]  # == makes another term

    def __init__(
        self, expression: Any, fields: frozenset[str], members: Members = ANY, name: str | None = None
    ) -> None:
        """`members`: what is known of rows for which the term is true; `name`: of the column that it is."""
        self.expression, self.fields, self.members, self.name = expression, fields, members, name

    def isin(self, values: Sequence[Any]) -> Term:
        """Whether the value is one of these."""
        import pyarrow as pa

        known = list(values)
        members = ANY if self.name is None else ({self.name: tuple(known)},)
        return Term(self.expression.isin(pa.array(known)), self.fields, members)

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

    def astype(self, kind: str) -> Term:
        """The value as another of Arrow's types, or of the type of that name."""
        return Term(self.expression.cast(kind), self.fields)

    def also(self, other: Term) -> Term:
        """Whether both are true."""
        members = both(self.members, other.members)
        return Term(self.expression & other.expression, self.fields | other.fields, members)

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

    return Term(pc.field(name), frozenset([name]), name=name)


def _binary(name: str, turned: bool) -> Any:
    def method(self: Term, other: object) -> Term:
        import pyarrow.compute as pc

        fields = self.fields | other.fields if isinstance(other, Term) else self.fields
        value = other.expression if isinstance(other, Term) else pc.scalar(other)
        one, two = (value, self.expression) if turned else (self.expression, value)
        if name == "truediv":  # Arrow's division of integers gives whole ones
            one = one.cast("float64")
        return Term(getattr(one, f"__{name}__")(two), fields, _members(name, self, other))

    return method


def _members(name: str, one: Term, other: object) -> Members:
    if name == "eq":
        for column, value in ((one, other), (other, one)):
            if isinstance(column, Term) and column.name is not None and not isinstance(value, Term):
                return ({column.name: (value,)},)
    if name in ("and", "or") and isinstance(other, Term):
        return (both if name == "and" else either)(one.members, other.members)
    return ANY


for _name in ("eq", "ne", "lt", "le", "gt", "ge", "and", "or", "add", "sub", "mul", "truediv"):
    setattr(Term, f"__{_name}__", _binary(_name, False))
for _name in ("add", "sub", "mul", "truediv", "and", "or"):
    setattr(Term, f"__r{_name}__", _binary(_name, True))
