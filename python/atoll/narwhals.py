# SPDX-License-Identifier: Apache-2.0
"""The narwhals plug-in: libraries that accept data frames through narwhals accept Atoll's.

Atoll's frames have pandas' names, so narwhals' pandas-like classes work on them; `FRAMES` gives the module with the
names. The package's entry points name this plug-in (`narwhals.plugins`).

Examples
--------
>>> import atoll as ak
>>> import narwhals as nw
>>> df = nw.from_native(ak.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "x"]}))
>>> df.group_by("b").agg(nw.col("a").sum()).sort("b").to_native().a.to_list()
[4, 2]
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from narwhals._pandas_like.dataframe import PandasLikeDataFrame
from narwhals._pandas_like.expr import PandasLikeExpr
from narwhals._pandas_like.group_by import PandasLikeGroupBy
from narwhals._pandas_like.namespace import PandasLikeNamespace
from narwhals._pandas_like.series import PandasLikeSeries
from narwhals._pandas_like.series_list import PandasLikeSeriesListNamespace
from narwhals._pandas_like.utils import native_to_narwhals_dtype
from narwhals._utils import Implementation, Version

from . import pandas as _names
from .frame.classes import is_frame, is_series
from .frame.data.dtypes import Kind

#: The package with the classes of native objects.
NATIVE_PACKAGE = "atoll"


class Frames(ModuleType):
    """narwhals' description of a pandas-like library whose names are in another module."""

    value = "atoll"
    name = "ATOLL"

    def __narwhals_namespace__(self, version: Any) -> Any:
        """The namespace of narwhals' functions, when this is the `backend`."""
        return __narwhals_namespace__(version)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("is_"):
            return lambda: name in ("is_pandas", "is_pandas_like")
        raise AttributeError(name)

    def __eq__(self, other: object) -> bool:
        return other is self or other is Implementation.PANDAS

    def __hash__(self) -> int:
        return hash(Implementation.PANDAS)

    def __str__(self) -> str:
        return self.value

    def __reduce__(self) -> Any:
        return _frames, ()

    def to_native_namespace(self) -> Any:
        """The module that has pandas' names."""
        return _names

    def _backend_version(self) -> tuple[int, ...]:
        return Implementation.PANDAS._backend_version()


FRAMES = Frames("atoll.narwhals")


def _frames() -> Frames:
    """The reconstruction by pickle in another process."""
    return FRAMES


class Held:
    """Common base of narwhals' wrappers of frames and Series."""

    def to_arrow(self: Any) -> Any:
        """Converts to pyarrow: a table, or an array."""
        return self.native.to_arrow()

    def to_pandas(self: Any) -> Any:
        """Converts to pandas; a frame gets a default index."""
        return self.native.to_pandas()

    def __narwhals_namespace__(self: Any) -> Any:
        return AtollNamespace(self._implementation, version=self._version)


class AtollDataFrame(Held, PandasLikeDataFrame):  # type: ignore[misc]  # narwhals may be absent when types are checked
    """narwhals' wrapper of a frame."""

    @classmethod
    def from_arrow(cls, data: Any, /, *, context: Any) -> Any:
        """A frame from an Arrow stream."""
        return cls.from_native(_names.DataFrame(data), context=context)

    @property
    def schema(self) -> Any:
        """Each column's type, by name."""
        return {one.name: one.dtype for one in self.iter_columns()}

    def get_column(self, name: str) -> Any:
        """One column."""
        return AtollSeries.from_native(self.native[name], context=self)

    def iter_columns(self) -> Any:
        """One column after the other."""
        return (AtollSeries.from_native(one, context=self) for _, one in self.native.items())

    _iter_columns = iter_columns

    def group_by(self, keys: Any, *, drop_null_keys: bool) -> Any:
        """The rows by groups."""
        return AtollGroupBy(self, keys, drop_null_keys=drop_null_keys)


class AtollGroupBy(PandasLikeGroupBy):  # type: ignore[misc]  # narwhals may be absent when types are checked
    """narwhals' wrapper of a group-by."""

    def _getitem_aggs(self, exprs: Any) -> Any:
        return [self._figures(one) for one in exprs]

    def _figures(self, expr: Any) -> Any:
        """The aggregates of one expression per group: a Series, or a frame if it has several columns."""
        names, rows = list(expr.output_names), expr.is_first() or expr.is_last() or expr.is_any_value()
        if expr.is_len():
            return self._sizes(list(expr.aliases))
        if expr.is_mode() and self._kwargs(expr.expr).get("keep") == "any":
            return self._modes(names, list(expr.aliases))
        if (len(names) == 1 and not rows) or expr.is_mode():
            return expr._getitem_aggs(self)
        made = expr.native_agg()(self._grouped[[*self._keys, *names] if rows else names])
        made = made.set_index(self._keys) if rows else made
        made.columns = list(expr.aliases)
        return made

    def _modes(self, names: list[str], aliases: list[str]) -> Any:
        """The most frequent value of each group, of some columns."""
        keys, native, options = self._keys, self.compliant.native, self._group_by_kwargs
        held = []
        for name in names:
            counts = native.groupby([*keys, name], **options).size().sort_values(ascending=False).reset_index(name)
            held.append(counts.groupby(keys, **options)[name].head(1).sort_index())
        made = _names.concat(held, axis=1)
        made.columns = aliases
        return made

    def _sizes(self, names: list[str]) -> Any:
        """The number of rows of each group, under the given names."""
        made = self._grouped.size()
        made = made.set_index(self._keys).iloc[:, 0] if is_frame(made) else made
        return _names.concat([made.rename(name) for name in names], axis=1)


def _floor_divided(dividend: Any, divisor: Any) -> Any:
    """Rounded down; nothing where the divisor is zero, as narwhals has it."""
    if is_series(divisor):
        there = divisor != 0
        if bool(there.all()):
            return dividend // divisor
        return (dividend // divisor.where(there, 1)).where(there)
    try:
        by_zero = bool(divisor == 0)
    except (TypeError, ValueError):
        by_zero = False
    if by_zero:
        return (dividend // type(divisor)(1)).where(dividend.isna() & False)
    return dividend // divisor


class AtollSeries(Held, PandasLikeSeries):  # type: ignore[misc]  # narwhals may be absent when types are checked
    """narwhals' wrapper of a Series."""

    @property
    def dtype(self) -> Any:
        """The type; of lists not `object`, which they equal as pandas' lists do, but lists of their elements' type."""
        kind = self.native.dtype
        if isinstance(kind, Kind):
            return native_to_narwhals_dtype(kind, self._version, self._implementation)
        return super().dtype

    @property
    def list(self) -> Any:
        """Methods of lists."""
        return AtollLists(self)

    def _apply_pyarrow_compute_func(self, native: Any, func: Any) -> Any:
        """Calls a pyarrow function on the values, which are gathered."""
        import pyarrow as pa

        held = native.to_arrow()
        if pa.types.is_large_list(held.type):
            held = held.cast(pa.list_(held.type.value_type))
        made = func(pa.chunked_array([held]))
        return native._new(_names.Series(made)._values)

    def __floordiv__(self, other: Any) -> Any:
        return self._with_binary(_floor_divided, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._with_binary_right(_floor_divided, other)


class AtollLists(PandasLikeSeriesListNamespace):  # type: ignore[misc]  # narwhals may be absent when types are checked
    """Methods of lists, which are Arrow's."""

    def _raise_if_not_pyarrow_backend(self) -> None:
        """Does nothing: lists always have Arrow's layout."""


class AtollExpr(PandasLikeExpr):  # type: ignore[misc]  # narwhals may be absent when types are checked
    """An expression on Atoll's Series."""

    def __init__(self, call: Any, **options: Any) -> None:
        def ours(df: Any) -> list[Any]:
            return [_as_ours(one) for one in call(df)]

        super().__init__(ours, **options)

    def __narwhals_namespace__(self) -> Any:
        return AtollNamespace(self._implementation, version=self._version)


def _as_ours(one: Any) -> Any:
    if isinstance(one, AtollSeries) or not is_series(one.native):
        return one
    made = AtollSeries.from_native(one.native, context=one)
    made._broadcast = one._broadcast
    return made


class AtollNamespace(PandasLikeNamespace):  # type: ignore[misc]  # narwhals may be absent when types are checked
    """Functions of narwhals that make frames."""

    @property
    def _dataframe(self) -> Any:
        return AtollDataFrame

    @property
    def _expr(self) -> Any:
        return AtollExpr

    @property
    def _series(self) -> Any:
        return AtollSeries

    def from_native(self, data: Any, /) -> Any:
        """narwhals' wrapper of a frame or a Series."""
        return (AtollDataFrame if is_frame(data) else AtollSeries).from_native(data, context=self)


def is_native(native_object: Any, /) -> bool:
    """Whether an object is an Atoll frame or Series."""
    return is_frame(native_object) or is_series(native_object)


def __narwhals_namespace__(version: Any) -> Any:
    """The namespace of narwhals' functions."""
    frames: Any = FRAMES  # narwhals' own kinds of frames are an enumeration, which has no place for others
    return AtollNamespace(frames, version)


def held(native_object: Any) -> Any:
    """narwhals' wrapper of a frame or a Series, in its newest version."""
    return __narwhals_namespace__(Version.MAIN).from_native(native_object)
