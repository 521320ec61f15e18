# SPDX-License-Identifier: Apache-2.0
"""`ak.bigint`: the type of integers of any size, and its scalar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...annotations import ArrayLike

__all__ = ["bigint", "bigint_"]


class _Meta(type):
    def __call__(cls, *args: Any) -> Any:
        """Without arguments the type itself, with one a number."""
        if args:
            return bigint_(*args)
        if cls._only is None:
            cls._only = super().__call__()
        return cls._only

    _only: Any = None


class bigint(metaclass=_Meta):
    """The type of integers of any size.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.arange(3, dtype=ak.bigint).dtype
    dtype(bigint)
    >>> ak.bigint(2**70)
    ak.bigint_(1180591620717411303424)
    """

    __slots__ = ()
    name = "bigint"
    kind = "ui"
    itemsize = 128
    ndim = 0
    shape: tuple[int, ...] = ()
    is_signed = True
    is_variable_width = True

    def __reduce__(self) -> Any:
        return (bigint, ())

    def __str__(self) -> str:
        return "bigint"

    def __repr__(self) -> str:
        return "dtype(bigint)"

    def __hash__(self) -> int:
        return hash("bigint")

    def __eq__(self, other: object) -> bool:
        return (
            other is bigint
            or isinstance(other, bigint)
            or (isinstance(other, str) and other == "bigint")
            or getattr(other, "name", None) == "bigint"
        )

    def type(self, x: ArrayLike) -> Any:
        """A number of this type."""
        return bigint_(x)


class bigint_(int):
    """An integer of any size: what an element of a `bigint` array is."""

    __slots__ = ()

    def __new__(cls, x: Any = 0) -> bigint_:
        return super().__new__(cls, int(x, 0) if isinstance(x, (str, bytes)) else int(x))

    @property
    def dtype(self) -> Any:
        """`ak.bigint`."""
        return bigint()

    def item(self) -> int:
        """The number as Python has it."""
        return int(self)

    def __repr__(self) -> str:
        return f"ak.bigint_({int(self)})"
