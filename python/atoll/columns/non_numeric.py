# SPDX-License-Identifier: Apache-2.0
"""Columns without sums: of the numeric reductions a kind has those that it defines."""

from __future__ import annotations

from typing import Any

from .column import Column


class NonNumericColumn(Column):
    """A column without sums and products, unless its kind has them."""

    __slots__ = ()

    def _reduced(self, name: str) -> Any:
        raise TypeError(f"{self.kind} has no {name}")

    def sum(self) -> Any:
        """Sum of the values that are not missing; TypeError of kinds that have none; so with the others."""
        return self._reduced("sum")

    def prod(self) -> Any:
        """Their product."""
        return self._reduced("prod")

    def mean(self) -> Any:
        """Their mean."""
        return self._reduced("mean")

    def var(self, ddof: int = 1) -> Any:
        """Their variance."""
        return self._reduced("var")

    def any(self) -> Any:
        """Whether any is not 0."""
        return self._reduced("any")

    def all(self) -> Any:
        """Whether none is 0."""
        return self._reduced("all")
