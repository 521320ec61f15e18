# SPDX-License-Identifier: Apache-2.0
"""Which values a filter leaves in columns: what can be looked up in a Bloom filter without reading rows."""

from __future__ import annotations

from typing import Any

#: Of rows that pass, for one of these each column has one of its values. Of `ANY`: nothing is known of them.
Members = tuple[dict[str, tuple[Any, ...]], ...]

ANY: Members = ({},)
_MOST = 64  # alternatives; where there are more, nothing is known


def both(one: Members, other: Members) -> Members:
    """Rows that pass both filters."""
    if len(one) * len(other) > _MOST:
        return min(one, other, key=len)
    return tuple({**a, **b} for a in one for b in other)


def either(one: Members, other: Members) -> Members:
    """Rows that pass one of two filters."""
    every = one + other
    return ANY if {} in every or len(every) > _MOST else every


def members_of(filters: Any) -> Members:
    """Members from a list of (column, operator, value), or a list of such lists. Other filters give ANY."""
    if not isinstance(filters, (list, tuple)) or not filters:
        return ANY
    lists = filters if isinstance(filters[0], list) else [filters]
    found: Members = ()
    for conditions in lists:
        own = ANY
        for name, operator, value in conditions:
            own = both(own, _of_condition(name, operator, value))
        found += own
    return either(found, ())


def _of_condition(name: str, operator: str, value: Any) -> Members:
    if operator in ("=", "=="):
        return ({name: (value,)},)
    if operator == "in" and isinstance(value, (list, tuple, set, frozenset)):
        return ({name: tuple(value)},)
    return ANY
