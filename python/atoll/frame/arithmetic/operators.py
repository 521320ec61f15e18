# SPDX-License-Identifier: Apache-2.0
"""Arithmetic, comparison and logic, row by row, of what has the same labels. Chains are computed in one pass."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.creation import asarray, full
from ...arrays.functions import UFUNCS
from ...arrays.ndarray import ndarray
from ...arrays.selection import where
from ...arrays.ufuncs import divide, floor_divide
from ...columns.column import Column
from ...columns.datetime.periods import Periods
from ...columns.datetime.ticks import Ticks
from ...columns.objects import Objects, is_missing
from ...columns.text.strings import Strings
from ...io.fallback import outside
from ..classes import frame, is_frame, is_series, series
from ..combine.align import align_labels, align_rows, columns_for, placed
from ..core import as_axis
from ..data.column_labels import Labels
from ..data.lazy import Columns
from ..data.values import choose, fits, gaps, hasnans, hide, is_scalar, isna, make, settle
from ..index.base import IndexCore

if TYPE_CHECKING:
    from ...annotations import Level

COMPARISONS = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv,
    "floordiv": operator.floordiv, "mod": operator.mod, "pow": operator.pow,
}  # fmt: skip
LOGIC = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}
SIGNS = {
    operator.add: "+", operator.sub: "-", operator.mul: "*", operator.truediv: "/", operator.floordiv: "//",
    operator.mod: "%", operator.pow: "**", operator.lt: "<", operator.le: "<=", operator.gt: ">", operator.ge: ">=",
}  # fmt: skip


def computed(operation: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """Row by row, by pandas' rules; either side may be one value."""
    if is_scalar(right) and is_missing(right) and isinstance(left, (ndarray, Column)):
        return _with_missing(operation, left)
    if is_scalar(left) and is_missing(left) and isinstance(right, (ndarray, Column)):
        return _with_missing(operation, right)
    if operation in (operator.floordiv, operator.mod, operator.truediv) and _plain(left) and _plain(right):
        return _divided(operation, left, right)
    if isinstance(left, Objects) or isinstance(right, Objects):
        return _of_objects(operation, left, right)
    if (isinstance(left, ndarray) and isinstance(right, (str, Strings))) or (
        isinstance(right, ndarray) and isinstance(left, (str, Strings))
    ):
        raise _unsupported(operation, left, right)
    try:
        found = operation(left, right)
    except TypeError as error:
        raise _unsupported(operation, left, right) from error
    return _nullable(settle(found), left, right) if isinstance(found, (ndarray, Column)) else found


def _nullable(found: Any, left: Any, right: Any) -> Any:
    """Whole numbers and bools as such that may be missing, where those were of which they come."""
    if isinstance(found, ndarray) and found.dtype.kind in "iub" and (type(left) is Column or type(right) is Column):
        return Column(found)
    return found


def _plain(value: object) -> bool:
    return isinstance(value, (ndarray, int, float, np.number)) and getattr(value, "dtype", np.dtype(float)).kind != "b"


def _divided(operation: Any, left: Any, right: Any) -> Any:
    """Division by zero gives what floats make of it, without a warning: pandas' rules."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if operation is operator.truediv:
            return operation(left, right)
        zero = right == 0
        if not (zero.any() if isinstance(zero, ndarray) else zero):
            return operation(left, right)
        if operation is operator.floordiv:
            exact = divide(left, right)
            return where(zero, exact, floor_divide(left, where(zero, 1, right)))
        return where(zero, np.nan, operator.mod(left, where(zero, 1, right)))


def _of_objects(operation: Any, left: Any, right: Any) -> Any:
    sides = [one.to_numpy() if isinstance(one, (Column, ndarray)) else one for one in (left, right)]
    return make(np.asarray(operation(*sides)))


def _with_missing(operation: Any, values: Any) -> Any:
    if isinstance(values, ndarray) and values.dtype.kind != "b":
        return operation(values, np.nan)
    return hide(values, full(values.size, True))


def _unsupported(operation: Any, left: Any, right: Any) -> TypeError:
    kinds = [type(one).__name__ if is_scalar(one) else getattr(one, "kind", one.dtype) for one in (left, right)]
    sign = SIGNS.get(operation, getattr(operation, "__name__", operation))
    return TypeError(f"unsupported operand type(s) for {sign}: '{kinds[0]}' and '{kinds[1]}'")


def compared(operation: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """Row by row: bools. Missing values of strings and dates equal nothing; those of nullable numbers stay missing."""
    unequal = operation is operator.ne
    if isinstance(left, ndarray) and isinstance(right, (int, float, np.number)):  # the most frequent first
        return operation(left, right)
    if is_scalar(right) and is_missing(right):
        if type(left) is Column:
            return hide(full(left.size, False), full(left.size, True))
        return full(left.size, unequal)
    if isinstance(left, Objects) or isinstance(right, Objects):
        sides = [one.to_numpy() if isinstance(one, (Column, ndarray)) else one for one in (left, right)]
        return asarray(np.asarray(operation(*sides)).astype(bool))
    if not (fits(right, left) or fits(left, right) or _are_numbers(left, right)):
        if operation in (operator.eq, operator.ne):
            return full(left.size, unequal)
        raise TypeError(
            f"Invalid comparison between dtype={getattr(left, 'kind', left.dtype)} and {type(right).__name__}"
        )
    found = operation(left, right)
    if found is NotImplemented:
        return full(left.size, unequal)
    shifted = operation in (operator.eq, operator.ne) and _are_plain_beside_missing(left, right)
    if isinstance(found, Column) and (shifted or not (type(left) is Column or type(right) is Column)):
        return found.fillna(unequal)
    return _nullable(found, left, right)


def _are_plain_beside_missing(left: Any, right: Any) -> bool:
    """Whether bools stand beside some that may be missing: as those of `shift`, which pandas has as objects."""
    kinds = {type(one) for one in (left, right)}
    return kinds == {ndarray, Column} and left.dtype.kind == right.dtype.kind == "b"


def _are_numbers(left: object, right: object) -> bool:
    kinds = (bool, int, float, np.number, np.bool_)
    return all(isinstance(one, (ndarray, *kinds)) or type(one) is Column for one in (left, right))


def combined(operation: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """Logic of bools, row by row; of three values where some may be missing."""
    if is_scalar(left) and is_missing(left):  # each of these is the same either way
        left, right = right, left
    if is_scalar(right) and is_missing(right) and type(left) is Column:
        right = Column(full(left.size, False), full(left.size, False))
    return _nullable(operation(left, right), left, right)


_APPLY: dict[Any, Any] = {
    **dict.fromkeys(OPERATIONS.values(), computed),
    **dict.fromkeys(COMPARISONS.values(), compared),
    **dict.fromkeys(LOGIC.values(), combined),
}


def _apply(operation: str, left: object, right: object, reflected: bool = False) -> Any:
    rule = _APPLY[operation]
    if reflected:
        left, right = right, left
    return rule(operation, left, right)


def _operand(value: object, size: int) -> Any:
    """The other side as values, or as one value."""
    if isinstance(value, IndexCore):
        return value._values
    if is_scalar(value):
        return value
    made = make(value)
    if made.size != size:
        raise ValueError(f"operands could not be broadcast together with shapes ({size},) ({made.size},)")
    return made


# -- Series --


def series_operation(
    operation: Any, left: Any, right: Any, reflected: bool = False, fill_value: object = None, aligns: bool = False
) -> Any:
    """A Series and another, or what has as many rows."""
    if not is_series(right):
        own, other = left._values, _operand(right, len(left))
        if fill_value is not None and hasnans(own):
            own = choose(isna(own), fill_value, own)
        return left._new(_apply(operation, own, other, reflected))
    name = left._name if left._name == right._name else None
    if operation in COMPARISONS.values() and not aligns and not left._index._same(right._index):
        raise ValueError("Can only compare identically-labeled Series objects")
    aligned = align_rows(left._index, right._index)
    own, other = placed(left._values, aligned.left), placed(right._values, aligned.right)
    if operation in LOGIC.values() and not all(type(one._values) is Column for one in (left, right)):
        own, other = (one.fillna(False) if type(one) is Column and one.dtype == bool else one for one in (own, other))
    if fill_value is not None:
        own, other = _filled(own, other, fill_value)
    return series(_apply(operation, own, other, reflected), aligned.index, name)


def _filled(own: Any, other: Any, value: object) -> tuple[Any, Any]:
    """Both sides with a value where only one of them is missing."""
    gone, lost = isna(own), isna(other)
    return choose(gone & ~lost, value, own), choose(lost & ~gone, value, other)


def _series_method(operation: str, reflected: bool = False) -> Any:
    def method(self: Any, other: object) -> Any:
        if is_frame(other):
            return NotImplemented
        return series_operation(operation, self, other, reflected)

    method.__doc__ = "Row by row, of rows with the same label."
    return method


_DOC = """{shown}, of {of} with the same {labels}.

Parameters
----------
other : scalar, array_like, Series or DataFrame
    The other operand{row}.
{axis}level : int or label, optional
    The level of a MultiIndex whose labels are those of `other`.
fill_value : scalar, optional
    What stands in where one of the two is missing; where both are, so is the result.

Examples
--------
>>> import atoll as ak
>>> {call}
{answer}
"""


def _described(
    method: Any, name: str, operation: Callable[[Any, Any], Any], reflected: bool, *, of_frames: bool
) -> Any:
    """The method with its name and its docstring; Python's own numbers compute the answer of its example."""
    sign = {**SIGNS, operator.eq: "==", operator.ne: "!="}[operation]
    answer = [operation(3, one) if reflected else operation(one, 3) for one in (6, 3)]
    axis = (
        "axis : {0 or 'index', 1 or 'columns'}, default 'columns'\n"
        "    Whether a Series has a value for each row (0) or for each column (1).\n"
    )
    own = "dataframe" if of_frames else "series"
    method.__name__ = name
    method.__doc__ = _DOC.format(
        shown=f"``other {sign} {own}``" if reflected else f"``{own} {sign} other``",
        of="elements" if of_frames else "rows", labels="labels of rows and columns" if of_frames else "label",
        row="; a Series has a value for each column, or with ``axis=0`` for each row" if of_frames else "",
        axis=axis if of_frames else "",
        call=f'ak.DataFrame({{"a": [6, 3]}}).{name}(3)["a"].to_list()'
        if of_frames
        else f"ak.Series([6, 3]).{name}(3).to_list()",
        answer=answer,
    )  # fmt: skip
    return method


def _named_series_method(name: str, operation: Any, reflected: bool = False) -> Any:
    def method(
        self: Any, other: object, level: Level = None, fill_value: object = None, axis: int | str | None = 0
    ) -> Any:
        if level is not None and is_series(other):
            self, other = _by_level(self, other, level)
        return series_operation(operation, self, other, reflected, fill_value, aligns=True)

    return _described(method, name, operation, reflected, of_frames=False)


# -- frames --


def frame_operation(
    operation: Any, left: Any, right: Any, reflected: bool = False, axis: int | str | None = 1,
    fill_value: object = None,
    aligns: bool = False,
) -> Any:  # fmt: skip
    """A frame and another, a row of values by column label, a column of them by row label, or one value."""
    if is_frame(right):
        return _of_frames(operation, left, right, reflected, fill_value, aligns)
    if isinstance(right, dict) and as_axis(axis) == 0:
        right = type(left._series(0))(right) if left._columns else right
    if is_series(right) and as_axis(axis) == 0:
        aligned = align_rows(left._index, right._index)
        other = placed(right._values, aligned.right)
        held = [_apply(operation, placed(one, aligned.left), other, reflected) for one in left._columns]
        return frame(held, left._labels, aligned.index)
    if is_series(right) or isinstance(right, dict):
        row = right if isinstance(right, dict) else dict(zip(right._index.to_list(), right.to_list(), strict=True))
        labels = align_labels(left._labels, Labels(row, left._labels.names))
        held = Columns(columns_for(left, labels))
        pairs = zip(held, [row.get(label, np.nan) for label in labels.values], strict=True)
        return left._new([_apply(operation, one, value, reflected) for one, value in pairs], labels)
    if is_scalar(right):
        return left._new([_apply(operation, one, right, reflected) for one in left._columns])
    values = [one.item() if hasattr(one, "item") else one for one in np.asarray(right)] if np.ndim(right) == 1 else None
    if values is not None and as_axis(axis) == 1:
        if len(values) != len(left._columns):
            raise ValueError(f"Unable to coerce to Series, length must be {len(left._columns)}: given {len(values)}")
        pairs = zip(left._columns, values, strict=True)
        return left._new([_apply(operation, one, value, reflected) for one, value in pairs])
    if np.ndim(right) == 1:
        other = _operand(right, len(left))
        return left._new([_apply(operation, one, other, reflected) for one in left._columns])
    if np.shape(right) != left.shape:
        raise ValueError(f"Unable to coerce to DataFrame, shape must be {left.shape}: given {np.shape(right)}")
    pairs = zip(left._columns, [make(right[:, place]) for place in range(left.shape[1])], strict=True)
    return left._new([_apply(operation, one, other, reflected) for one, other in pairs])


def _of_frames(operation: Any, left: Any, right: Any, reflected: bool, fill_value: object, aligns: bool) -> Any:
    if (
        operation in COMPARISONS.values()
        and not aligns
        and not (left._labels.same(right._labels) and left._index._same(right._index))
    ):
        raise ValueError("Can only compare identically-labeled (both index and columns) DataFrame objects")
    aligned, labels = align_rows(left._index, right._index), align_labels(left._labels, right._labels)
    held = []
    for own, other in zip(Columns(columns_for(left, labels)), Columns(columns_for(right, labels)), strict=True):
        own, other = placed(own, aligned.left), placed(other, aligned.right)
        if fill_value is not None:
            own, other = _filled(own, other, fill_value)
        held.append(_apply(operation, own, other, reflected))
    return frame(held, labels, aligned.index)


def _by_level(left: Any, right: Any, level: object) -> tuple[Any, Any]:
    """Two objects of which one has labels of several levels: the other's rows by a level of these."""
    if left._index.nlevels == right._index.nlevels:
        return left, right
    if left._index.nlevels > right._index.nlevels:
        right, left = _by_level(right, left, level)
        return left, right
    rows = left._index._indexer(right._index.get_level_values(level))
    return left._reindexed(rows, gaps(rows), right._index), right


def _frame_method(operation: str, reflected: bool = False) -> Any:
    def method(self: Any, other: object) -> Any:
        return frame_operation(operation, self, other, reflected)

    method.__doc__ = "Element by element, of rows and columns with the same label."
    return method


def _named_frame_method(name: str, operation: Any, reflected: bool = False) -> Any:
    def method(
        self: Any, other: object, axis: int | str | None = "columns", level: Level = None, fill_value: object = None
    ) -> Any:
        if level is not None:
            self, other = _by_level(self, other, level)
        return frame_operation(operation, self, other, reflected, axis, fill_value, aligns=True)

    return _described(method, name, operation, reflected, of_frames=True)


def _in_place(operation: Callable[[Any, Any], Any]) -> Any:
    """An operator that changes the very object, so that all its names see the result; labels stay."""

    def method(self: Any, other: object) -> Any:
        made = operation(self, other)
        if made is NotImplemented or not (is_frame(made) or is_series(made)) or made.ndim != self.ndim:
            raise NotImplementedError("the result is no object of the same kind")
        same = made._index._same(self._index) and (self.ndim == 1 or made._labels.same(self._labels))
        self._replace(made if same else made.reindex_like(self))
        return self

    return method


class Signs:
    """Operators of one operand, and NumPy's functions."""

    __slots__ = ()

    def _each_column(self: Any, function: Callable[[Any], Any]) -> Any:
        if self.ndim == 1:
            return self._new(function(self._values))
        return self._new([function(one) for one in self._columns])

    def __neg__(self) -> Any:
        return self._each_column(operator.neg)

    def __pos__(self) -> Any:
        return self._each_column(operator.pos)

    def __abs__(self) -> Any:
        return self._each_column(abs)

    def __invert__(self) -> Any:
        return self._each_column(operator.invert)

    def __round__(self: Any, decimals: int = 0) -> Any:
        return self.round(decimals)

    def abs(self) -> Any:
        """Magnitudes.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> (-s).abs()
        a    3
        b    1
        c    2
        dtype: int64
        """
        return self._each_column(abs)

    def round(self: Any, decimals: Any = 0, *args: object, **kwargs: object) -> Any:
        """Values to some decimals; of a frame, those of each column by a dict.

        Parameters
        ----------
        decimals : int, dict or Series, default 0
            Decimals; of each column where it is a dict or a Series.
        *args
            No effect, as NumPy passes them.
        **kwargs
            No effect, as NumPy passes them.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series([1.26, 2.0]).round(1)
        0    1.3
        1    2.0
        dtype: float64
        """
        chosen = self._columns if self.ndim == 2 else [self._values]
        if self.ndim == 2 and not isinstance(decimals, int):
            chosen = [one for label, one in zip(self._labels.values, chosen, strict=True) if label in decimals]
        if self.ndim == 2 and any(isinstance(one, (Ticks, Periods)) for one in chosen):
            text = "obj.round has no effect with datetime, timedelta, or period dtypes. Use obj.dt.round(...) instead."
            warnings.warn(text, UserWarning, stacklevel=outside())
        if self.ndim == 2 and not isinstance(decimals, int):
            places = dict(decimals) if isinstance(decimals, dict) else dict(zip(decimals._index, decimals, strict=True))
            pairs = zip(self._labels.values, self._columns, strict=True)
            return self._new([_round(one, places[label]) if label in places else one for label, one in pairs])
        return self._each_column(lambda values: _round(values, decimals))

    __iadd__, __isub__, __imul__ = _in_place(operator.add), _in_place(operator.sub), _in_place(operator.mul)
    __itruediv__, __ifloordiv__ = _in_place(operator.truediv), _in_place(operator.floordiv)
    __imod__, __ipow__ = _in_place(operator.mod), _in_place(operator.pow)
    __iand__, __ior__, __ixor__ = _in_place(operator.and_), _in_place(operator.or_), _in_place(operator.xor)

    def __array_ufunc__(self: Any, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method != "__call__" or kwargs.get("out") is not None:
            return NotImplemented
        if ufunc.__name__ == "matmul":
            left, right = inputs
            return left @ right if is_frame(left) or is_series(left) else right.__rmatmul__(left)
        ours = UFUNCS.get(ufunc.__name__)
        if ours is None:
            return NotImplemented
        if len(inputs) == 2:
            operation = _BY_UFUNC.get(ufunc.__name__)
            if operation is not None:
                left, right = inputs
                if is_frame(left) or is_series(left):
                    return operation(left, right)
                return (series_operation if self.ndim == 1 else frame_operation)(operation, self, left, True)
        others = [one._values if is_series(one) else one for one in inputs]
        if self.ndim == 2:
            return self._new([ours(*(column if one is self else one for one in others)) for column in self._columns])
        made = _of_values(ours, others)
        return tuple(map(self._new, made)) if isinstance(made, tuple) else self._new(made)


def _of_values(function: Callable[..., Any], inputs: list[Any]) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        if len(inputs) == 1 and type(inputs[0]) is Column:
            return settle(inputs[0].apply(function))
        return function(*inputs)


def _round(values: Any, decimals: int) -> Any:
    if isinstance(values, ndarray) and values.dtype.kind in "fiu":
        return values.round(decimals)
    if type(values) is Column and values.dtype.kind != "b":
        return values.apply(lambda one: one.round(decimals))
    return values


_BY_UFUNC = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "floor_divide": operator.floordiv, "remainder": operator.mod, "power": operator.pow, "equal": operator.eq,
    "not_equal": operator.ne, "less": operator.lt, "less_equal": operator.le, "greater": operator.gt,
    "greater_equal": operator.ge, "bitwise_and": operator.and_, "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
}  # fmt: skip


class SeriesArithmetic(Signs):
    """Operators of Series."""

    __slots__ = ()

    def __divmod__(self: Any, other: object) -> tuple[Any, Any]:
        return self // other, self % other

    def __rdivmod__(self: Any, other: object) -> tuple[Any, Any]:
        return other // self, other % self

    def divmod(
        self: Any, other: object, level: Level = None, fill_value: object = None, axis: int | str | None = 0
    ) -> tuple[Any, Any]:
        """Quotients and remainders.

        Parameters
        ----------
        other : Series, DataFrame or scalar
            The other operand. Rows (and columns) with the same labels belong together.
        level : int or label, optional
            The level of a MultiIndex, by place or name.
        fill_value : scalar, optional
            What stands in for a value that is missing on one side.
        axis : None or 0, default 0
            A Series has one axis.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> quotients, remainders = s.divmod(2)
        >>> remainders
        a    1
        b    1
        c    0
        dtype: int64
        """
        return self.floordiv(other, fill_value=fill_value), self.mod(other, fill_value=fill_value)

    def rdivmod(
        self: Any, other: object, level: Level = None, fill_value: object = None, axis: int | str | None = 0
    ) -> tuple[Any, Any]:
        """Quotients and remainders of others by the values.

        Parameters
        ----------
        other : Series, DataFrame or scalar
            The other operand. Rows (and columns) with the same labels belong together.
        level : int or label, optional
            The level of a MultiIndex, by place or name.
        fill_value : scalar, optional
            What stands in for a value that is missing on one side.
        axis : None or 0, default 0
            A Series has one axis.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> quotients, remainders = s.rdivmod(7)
        >>> remainders
        a    1
        b    0
        c    1
        dtype: int64
        """
        return self.rfloordiv(other, fill_value=fill_value), self.rmod(other, fill_value=fill_value)


class FrameArithmetic(Signs):
    """Operators of frames."""

    __slots__ = ()


def _bind(cls: type, plain: Any, named: Any) -> None:
    for name, operation in {**OPERATIONS, **LOGIC}.items():
        setattr(cls, f"__{name}__", plain(operation))
        setattr(cls, f"__r{name}__", plain(operation, True))
    for name, operation in COMPARISONS.items():
        setattr(cls, f"__{name}__", plain(operation))
        setattr(cls, name, named(name, operation))
    for name, operation in OPERATIONS.items():
        setattr(cls, name, named(name, operation))
        setattr(cls, f"r{name}", named(f"r{name}", operation, True))
    for name, known in {
        "div": "truediv",
        "divide": "truediv",
        "rdiv": "rtruediv",
        "multiply": "mul",
        "subtract": "sub",
    }.items():
        setattr(cls, name, getattr(cls, known))


_bind(SeriesArithmetic, _series_method, _named_series_method)
_bind(FrameArithmetic, _frame_method, _named_frame_method)
