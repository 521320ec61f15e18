# SPDX-License-Identifier: Apache-2.0
"""Reductions of columns, which skip missing values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..arrays.array import Columnar
from ..arrays.selection import compress


class Reductions(Columnar):
    """Reductions of all values of a column."""

    __slots__ = ()

    def _there(self: Any) -> Any:
        return self._values if self._valid is None else compress(self._valid, self._values)

    def count(self: Any) -> int:
        """Number of values that are not missing."""
        return self.size - self.null_count

    def sum(self: Any) -> Any:
        """Sum of the values that are not missing; 0 of none."""
        return self._there().sum()

    def prod(self: Any) -> Any:
        """Their product; 1 of none."""
        return self._there().prod()

    def any(self: Any) -> Any:
        """Whether any value is true."""
        return self._truths().any()

    def all(self: Any) -> Any:
        """Whether no value is false."""
        return self._truths().all()

    def _truths(self: Any) -> Any:
        """The values that are not missing, of kinds whose values are true or false."""
        there = self._there()
        if isinstance(there, Columnar):
            raise TypeError(f"a column of {self.kind} has no any() or all() (its values are not true or false)")
        return there

    def _or_none(self: Any, reduce: Callable[[Any], Any], least: int = 1) -> Any:
        there = self._there()
        return reduce(there) if there.size >= least else None

    def min(self: Any) -> Any:
        """The smallest value, None when there is none."""
        return self._or_none(lambda values: values.min())

    def max(self: Any) -> Any:
        """The largest value, None when there is none."""
        return self._or_none(lambda values: values.max())

    def mean(self: Any) -> Any:
        """The mean, None when there is no value."""
        return self._or_none(lambda values: values.mean())

    def var(self: Any, ddof: int = 1) -> Any:
        """The variance with `ddof` fewer degrees of freedom than values; None when none is left."""
        return self._or_none(lambda values: values.var(ddof=ddof), ddof + 1)

    def std(self: Any, ddof: int = 1) -> Any:
        """The square root of `var`."""
        return self._or_none(lambda values: values.std(ddof=ddof), ddof + 1)
