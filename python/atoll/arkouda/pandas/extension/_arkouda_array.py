# SPDX-License-Identifier: Apache-2.0
"""Numbers and truth of Arkouda's in pandas' own objects."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

import atoll

from ...numpy.arrays import pdarray
from ...numpy.strings import Strings
from ...objects import entitled, lift
from ..categorical import Categorical
from ._arkouda_extension_array import ArkoudaExtensionArray, copied, data_of, missing_of, rows_of
from ._dtypes import HOLDERS, _ArkoudaBaseDtype

if TYPE_CHECKING:
    from ....annotations import DTypeLike

__all__ = ["ArkoudaArray"]

_WRAPPED = (pd.Series, pd.DataFrame, pd.Index)


class ArkoudaArray(ArkoudaExtensionArray):
    """A pdarray that pandas' objects hold.

    Examples
    --------
    >>> import pandas as pd
    >>> import atoll.arkouda as ak
    >>> from atoll.arkouda.pandas.extension import ArkoudaArray
    >>> s = pd.Series(ArkoudaArray(ak.arange(4)))
    >>> (s + 1).to_numpy(), int(s[s > 1].sum())
    (array([1, 2, 3, 4]), 5)
    """

    def __init__(self, data: Any, dtype: DTypeLike = None, copy: bool = False) -> None:
        given = data
        data = data_of(data)
        if isinstance(data, (Strings, Categorical)):
            raise TypeError(f"ArkoudaArray holds numbers and truth, not {type(data).__name__}")
        wanted = _name_of(dtype)
        if wanted is not None and str(data.dtype) != wanted:
            data = data.astype(wanted)
        elif copy and data is getattr(given, "_data", given):
            data = copied(data)
        super().__init__(data)

    @classmethod
    def _from_sequence(cls, scalars: Any, dtype: Any = None, copy: bool = False) -> Any:
        data = data_of(scalars)
        if isinstance(data, Categorical):
            data = data.codes
        elif isinstance(data, Strings):
            try:
                data = data.astype(_name_of(dtype) or "int64")
            except RuntimeError as fault:  # what pandas tries and gives up for ValueError
                raise ValueError(str(fault)) from None
        missing = missing_of(data)
        if missing is not None and _name_of(dtype) not in (None, "float64") and bool(missing.any()):
            raise ValueError(f"NaN is no {_name_of(dtype)}")
        return cls(data, dtype=dtype, copy=copy)

    def __setitem__(self, key: object, value: Any) -> None:
        rows = rows_of(key, len(self))
        if isinstance(rows, pdarray) and not rows.size:
            return
        if not np.isscalar(value):
            value = data_of(value)
            if value.dtype != self._data.dtype:
                value = value.astype(str(self._data.dtype))
        elif value is not None and pd.isna(value):
            value = self.dtype.na_value
        self._data[rows] = value

    # -- operators --

    def _binary_op(self, other: Any, op: Any, *, require_bool: bool = False) -> Any:
        if isinstance(other, _WRAPPED) or (require_bool and str(self._data.dtype) != "bool"):
            return NotImplemented
        other = self._coerce_other_for_binop(other)
        if other is NotImplemented or isinstance(other, (str, Strings, Categorical)):
            return NotImplemented
        return ArkoudaArray(op(self._data, other))

    def _rbinary_op(self, other: Any, op: Any, *, require_bool: bool = False) -> Any:
        return self._binary_op(other, lambda a, b: op(b, a), require_bool=require_bool)

    def _cmp_method(self, other: object, op: str) -> Any:
        return self._binary_op(other, op)

    def __neg__(self) -> Any:
        return ArkoudaArray(-self._data)

    def __pos__(self) -> Any:
        return self.copy()

    def __abs__(self) -> Any:
        return ArkoudaArray(lift(atoll.abs(self._data._a)))

    def __invert__(self) -> Any:
        return ArkoudaArray(~self._data)

    # -- aggregates --

    def all(self, axis: int | str | None = 0, skipna: bool = True, **options: object) -> bool:
        """Whether all values are true."""
        return bool(self._data._a.all())

    def any(self, axis: int | str = 0, skipna: bool = True, **options: Any) -> bool:
        """Whether a value is true."""
        return bool(self._data._a.any())

    def _reduce(self, name: str, *, skipna: bool = True, keepdims: bool = False, **options: object) -> Any:
        if name not in _FIGURES:
            raise TypeError(f"{type(self).__name__} of {self.dtype.name} has no figure {name!r}")
        data = self._data
        missing = missing_of(data) if skipna or name == "count" else None
        if missing is not None and bool(missing.any()):
            data = data[~missing]
        figure = _FIGURES[name](data, options)
        return ArkoudaArray(np.asarray([figure])) if keepdims else figure


def _first(data: Any, options: Any) -> Any:
    if not data.size:
        raise IndexError("an array of no rows has no first one")
    return data[0]


def _spread(name: str) -> Any:
    return lambda data, options: getattr(data, name)(ddof=options.get("ddof", 1))


def _whole(name: str) -> Any:
    return lambda data, options: getattr(data, name)()


def _truth(name: str) -> Any:
    return lambda data, options: np.bool_(bool(getattr(data._a, name)()))


_FIGURES: dict[str, Any] = {
    **{name: _whole(name) for name in ("sum", "prod", "min", "max", "mean", "argmin", "argmax")},
    **{name: _spread(name) for name in ("var", "std")},
    "all": _truth("all"), "and": _truth("all"), "any": _truth("any"), "or": _truth("any"),
    "count": lambda data, options: int(data.size), "first": _first,
}  # fmt: skip


def _install() -> None:
    """Python's operators: each forward, and where there is one, from the right."""
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor"):
        op = getattr(operator, f"__{name}__")
        need = name in ("and", "or", "xor")

        def forward(self: Any, other: object, op: str = op, need: bool = need) -> Any:
            return self._binary_op(other, op, require_bool=need)

        def backward(self: Any, other: object, op: str = op, need: bool = need) -> Any:
            return self._rbinary_op(other, op, require_bool=need)

        setattr(ArkoudaArray, f"__{name}__", entitled(forward, f"__{name}__", "Row by row."))
        setattr(ArkoudaArray, f"__r{name}__", entitled(backward, f"__r{name}__", "Row by row, from the right."))
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        op = getattr(operator, f"__{name}__")

        def compare(self: Any, other: object, op: str = op) -> Any:
            return self._binary_op(other, op)

        setattr(ArkoudaArray, f"__{name}__", entitled(compare, f"__{name}__", "Row by row."))


def _name_of(dtype: DTypeLike) -> str | None:
    """What a pdarray calls the type."""
    if dtype is None:
        return None
    name = dtype.name if isinstance(dtype, _ArkoudaBaseDtype) else str(np.dtype(dtype))
    return "bool" if name == "bool_" else name


_install()
HOLDERS["pdarray"] = ArkoudaArray
