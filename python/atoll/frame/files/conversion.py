# SPDX-License-Identifier: Apache-2.0
"""To others: NumPy, pandas, Arrow, dicts, records, text."""

from __future__ import annotations

import os
from collections import defaultdict, namedtuple
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import extras
from ...arrays.ndarray import ndarray
from ...arrays.selection import where
from ...arrays.sizes import require_room
from ...columns.categorical.categorical import Categorical
from ...columns.column import Column
from ...columns.datetime.ticks import Ticks
from ...columns.foreign import Foreign
from ...columns.objects import Objects, object_array
from ...io.fallback import by_pandas, pandas_at_work
from ...session import current, memory_is_here
from ..classes import CLASSES, frame
from ..data.column_labels import labels_of
from ..data.dtypes import as_arrow, to_list
from ..data.lazy import rows_as_columns
from ..data.values import cut
from ..display.format import texts_of
from ..fallback.convert import in_pandas, pandas_of, to_pandas
from ..index.base import make_index
from ..select.missing import filled
from ..select.placement import have_same_categories, row_values
from .json_text import check_lines, in_json, json_by_pandas, json_text, needs_pandas, plain_values
from .writers import written

if TYPE_CHECKING:
    from ...annotations import ColumnType, DTypeLike, Files

_COLUMN_BYTES = 1024  # that a column of few rows takes, at least


def numpy_of(values: Any, copy: bool = True) -> np.ndarray[Any, Any]:
    """Values as a NumPy array: of objects, with NaN for missing ones, where NumPy has no type for them.

    Without `copy` an array of numbers, bools or times is read-only, and shares memory when the session has one PE.
    """
    if type(values) is Column and values.valid is None:
        values = values.values
    if isinstance(values, ndarray):
        return values.to_numpy() if copy else _read_only(values.to_numpy(None))
    if type(values) is Column and values.dtype.kind in "iuf":  # what is missing is NaN
        return where(values.valid, values.values.astype(np.float64), np.nan).to_numpy()
    if isinstance(values, Categorical) and isinstance(values.categories, ndarray) and in_pandas():
        codes, known = values.codes.to_numpy(), values.categories.to_numpy()
        if (codes >= 0).all() and known.size:
            return known[codes]
        if known.dtype.kind in "iuf":
            return np.append(known.astype(np.float64), np.nan)[codes]
    if isinstance(values, Foreign):
        listed: np.ndarray[Any, Any] = values.to_pandas().to_numpy()
        return listed.copy() if copy else listed
    if isinstance(values, Ticks):
        found: np.ndarray[Any, Any] = values.to_numpy(True if copy else None)
        return found if copy else _read_only(found)
    return object_array(to_list(values))


def _read_only(found: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    found.flags.writeable = False
    return found


def array_for(values: Any, dtype: Any, copy: bool | None) -> np.ndarray[Any, Any]:
    """What `__array__` gives for values: without `copy` read-only where nothing is converted, as pandas gives."""
    found = numpy_of(values, copy=bool(copy))
    made = found if dtype is None else found.astype(dtype, copy=False)
    if copy is False and (made is not found or found.flags.writeable or not memory_is_here(current())):
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    return made


def _into(into: Any) -> Any:
    """The constructor of the mapping: a class, or an empty mapping with a default as an example."""
    if isinstance(into, type):
        if issubclass(into, defaultdict):
            raise TypeError("to_dict() only accepts initialized defaultdicts")
        return into
    if isinstance(into, defaultdict):
        return lambda *pairs, **named: defaultdict(into.default_factory, *pairs, **named)
    return type(into)


class SeriesConversion:
    """A Series as other things."""

    __slots__ = ()

    @property
    def values(self: Any) -> np.ndarray[Any, Any]:
        """The values as a NumPy array; numbers, bools and times are read-only, and not copied when there is one PE."""
        return numpy_of(self._values, copy=False)

    @property
    def array(self: Any) -> Any:
        """The values as a column or array, not to be changed; as pandas' array where single values are pandas', too."""
        return self.to_pandas().array if in_pandas() else self._values

    def to_numpy(self: Any, dtype: DTypeLike = None, copy: bool = False, na_value: Any = None) -> np.ndarray[Any, Any]:
        """The values as a NumPy array; `na_value` for missing ones.

        Parameters
        ----------
        dtype : dtype, optional
            The dtype of the result.
        copy : bool, default False
            Whether the array is one of its own in any case.
        na_value : scalar, optional
            What stands for missing values.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.to_numpy()
        array([3, 1, 2])
        """
        made = numpy_of(self._values if na_value is None else self.fillna(na_value)._values, copy)
        return made if dtype is None else made.astype(dtype, copy=False)

    def __array__(self: Any, dtype: ColumnType = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return array_for(self._values, dtype, copy)

    def to_pandas(self: Any) -> Any:
        """A pandas Series.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> type(s.to_pandas()).__module__.split(".")[0]
        'pandas'
        """
        import pandas as pd

        held = pandas_of(self._values)
        return pd.Series(held, index=self._index.to_pandas(), name=to_pandas(self._name), dtype=held.dtype)

    def to_arrow(self: Any) -> Any:
        """A pyarrow array of the values; NaN is null. With one PE it shares the memory of numbers, strings and times.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series([1.5, None]).to_arrow().to_pylist()
        [1.5, None]
        """
        return as_arrow(self._values)

    def to_polars(self: Any) -> Any:
        """A Polars Series of the values; it shares memory as `to_arrow` does.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.Series([1, 2], name="a").to_polars().sum()
        3
        """
        polars = extras.module("polars", "to_polars")
        return polars.Series("" if self._name is None else str(self._name), as_arrow(self._values))

    def __arrow_c_stream__(self: Any, requested_schema: Any = None) -> Any:
        import pyarrow as pa

        return pa.chunked_array([as_arrow(self._values)]).__arrow_c_stream__(requested_schema)

    def __arrow_c_array__(self: Any, requested_schema: Any = None) -> Any:
        return as_arrow(self._values).__arrow_c_array__(requested_schema)

    def __arrow_c_schema__(self: Any) -> Any:
        return as_arrow(cut(self._values, slice(0, 0))).type.__arrow_c_schema__()

    def __narwhals_series__(self: Any) -> Any:
        return import_module("atoll.narwhals").held(self)

    @classmethod
    def from_arrow(cls: Any, data: object) -> Any:
        """A Series of what has Arrow's `__arrow_c_array__` or `__arrow_c_stream__`.

        Parameters
        ----------
        cls : None
            No effect.
        data : object
            What has Arrow's C interface.

        Examples
        --------
        >>> import atoll as ak
        >>> import pyarrow
        >>> ak.Series.from_arrow(pyarrow.array([1, 2]))
        0    1
        1    2
        dtype: int64
        """
        return cls(data)

    def to_dict(self: Any, *, into: Any = dict) -> Any:
        """Labels to values.

        Parameters
        ----------
        into : type, optional
            The class of the dict.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.to_dict()
        {'a': 3, 'b': 1, 'c': 2}
        """
        return _into(into)(zip(self._index.to_list(), self.to_list(), strict=True))

    def to_csv(self: Any, path_or_buf: object = None, **options: Any) -> Any:
        """Labels and values, separated by commas; options as of frames.

        Parameters
        ----------
        path_or_buf : path or file, optional
            Where the text is written; None: it is returned.
        **options
            Those of `DataFrame.to_csv`.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> print(s.to_csv(header=False))
        a,3
        b,1
        c,2
        """
        return self.to_frame().to_csv(path_or_buf, **options)

    def to_hdf(self: Any, path_or_buf: Files, **options: object) -> None:
        """A column of an HDF5 file; options as of frames.

        Parameters
        ----------
        path_or_buf : path
            The file.
        **options
            Those of `DataFrame.to_hdf`.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.to_hdf("numbers.h5", key="s")  # doctest: +SKIP
        """
        self.to_frame().to_hdf(path_or_buf, **options)

    def to_sql(self: Any, name: str, con: Any, **options: object) -> int:
        """A table of one column in a data base; options as of frames. How many rows were written.

        Parameters
        ----------
        name : str
            The name of the table.
        con : connection or URI
            The data base: a connection of ADBC, or its URI.
        **options
            Those of `DataFrame.to_sql`.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.to_sql("numbers", "sqlite:///numbers.db")  # doctest: +SKIP
        """
        made: int = self.to_frame().to_sql(name, con, **options)
        return made

    def to_json(
        self: Any, path_or_buf: object = None, *, orient: str | None = None, lines: bool = False, **options: Any
    ) -> Any:
        """Labels to values, as JSON. Other options, and ``table``, are pandas' own work: see `DataFrame.to_json`.

        Parameters
        ----------
        path_or_buf : path or file, optional
            Where the text is written; None: it is returned.
        orient : {'columns', 'index', 'records', 'split', 'values', 'table'}, optional
            The layout; 'columns' (of a Series 'index') unless given.
        lines : bool, default False
            Whether each record is a line of its own (``orient='records'``).
        **options
            Further options of pandas', which does the work then.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> s.to_json()
        '{"a":3,"b":1,"c":2}'
        """
        orient = orient or "index"
        if needs_pandas([self._values], self._index, orient, options):
            return json_by_pandas(self, path_or_buf, orient, lines, options)
        held = plain_values(self._values)
        table: Any = held
        if orient in ("index", "columns"):
            _check_unique(self._index, "Series index must be unique for orient='index'")
            table = dict(zip(map(str, self._index.to_list()), held, strict=True))
        elif orient == "split":
            table = {"name": self._name, "index": plain_values(self._index._values), "data": held}
        elif orient not in ("records", "values"):
            raise ValueError(f"Invalid value '{orient}' for option 'orient'")
        if lines:
            check_lines(orient)
            return written("".join(json_text(one) + "\n" for one in held), path_or_buf, **options)
        return written(json_text(table), path_or_buf, **options)


def _axis_of(labels: Any, names: Any) -> Any:
    """The labels of an axis with the names of their levels."""
    if len(names) > 1:
        return CLASSES["MultiIndex"].from_tuples([tuple(one) for one in labels], names=names)
    return make_index(labels)._named(list(names))


def _check_unique(index: Any, message: str) -> None:
    if not index.is_unique:
        raise ValueError(message)


def _matrix_of_numbers(columns: Sequence[Any], count: int) -> np.ndarray[Any, Any] | None:
    """The rows as a matrix; None where they are not numbers of a kind that all columns share."""
    if not columns or not all(isinstance(one, ndarray) and one.dtype.kind in "biufc" for one in columns):
        return None
    dtypes = {one.dtype for one in columns}
    if len(dtypes) > 1 and np.dtype(bool) in dtypes:
        return None
    rows = np.empty((count, len(columns)), np.result_type(*dtypes))
    for place, column in enumerate(columns):
        rows[:, place] = column.to_numpy()
    return rows


def _objects(column: Any, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Values as objects: datetimes as Timestamps."""
    return object_array(to_list(column)) if values.dtype.kind in "mM" else values.astype(object)


class FrameConversion:
    """A frame as other things."""

    __slots__ = ()

    @property
    def values(self: Any) -> np.ndarray[Any, Any]:
        """All elements as a NumPy array of two axes, in a type that holds them all."""
        return self.to_numpy()

    @property
    def T(self: Any) -> Any:
        """Rows as columns."""
        return self.transpose()

    def transpose(self: Any, *args: object, copy: bool | None = None) -> Any:
        """Rows as columns: for frames of few rows.

        Parameters
        ----------
        *args
            No effect, as NumPy passes them.
        copy : bool, optional
            No effect, as in pandas 3: the result shares memory until one of the two changes.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.transpose()
             0    1    2
        a  1.0  2.0  3.0
        b  4.0  NaN  6.0
        """
        require_room(len(self) * _COLUMN_BYTES, f"{len(self)} columns, one of each row,")
        matrix = _matrix_of_numbers(self._columns, len(self))
        held: Any = rows_as_columns(matrix) if matrix is not None else []
        if held and type(self) is CLASSES["DataFrame"]:
            return frame(held, labels_of(self._index), self.columns)
        held = held or [row_values(self, row)._values for row in range(len(self))]
        if all(isinstance(one, Categorical) for one in self._columns) and not have_same_categories(self._columns):
            held = [Objects(to_list(one)) for one in held]
        made = type(self)(dict(enumerate(held)), index=self.columns) if held else type(self)(index=self.columns)
        made.columns = self._index
        return made

    def to_numpy(self: Any, dtype: DTypeLike = None, copy: bool = False, na_value: Any = None) -> np.ndarray[Any, Any]:
        """All elements as a NumPy array of two axes.

        Parameters
        ----------
        dtype : dtype, optional
            The dtype of the result.
        copy : bool, default False
            Whether the array is one of its own in any case.
        na_value : scalar, optional
            What stands for missing values.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.to_numpy()
        array([[ 1.,  4.],
               [ 2., nan],
               [ 3.,  6.]])
        """
        held = [numpy_of(column if na_value is None else filled(column, na_value)) for column in self._columns]
        if not held:
            return np.empty((len(self), 0), dtype=dtype or object)
        kinds = {one.dtype.kind if one.dtype.kind in "bmM" else "n" for one in held}
        if len(kinds) > 1:
            held = [_objects(column, one) for column, one in zip(self._columns, held, strict=True)]
        made = np.empty((len(self), len(held)), dtype=np.result_type(*(one.dtype for one in held)))
        for place, one in enumerate(held):
            made[:, place] = one
        return made if dtype is None else made.astype(dtype)

    def __array__(self: Any, dtype: ColumnType = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return self.to_numpy(dtype)

    def to_pandas(self: Any) -> Any:
        """A pandas DataFrame.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> type(df.to_pandas()).__module__.split(".")[0]
        'pandas'
        """
        import pandas as pd

        index = self._index.to_pandas()
        data = {place: pandas_of(one) for place, one in enumerate(self._columns)}
        for place, one in data.items():  # of objects pandas would guess the dtype
            if one.dtype == object:
                data[place] = pd.Series(one, index=index, dtype=object)
        made = pd.DataFrame(data, index=index)
        made.columns = self.columns.to_pandas()
        return made

    def to_arrow(self: Any, index: bool = False) -> Any:
        """A pyarrow table; with `index`, its labels are columns too. NaN is null.

        With one PE it shares the memory of numbers, strings and times. Validity and bools are packed into bits.

        Parameters
        ----------
        index : bool, default False
            Whether labels are columns, too.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.to_arrow().column_names
        ['a', 'b']
        """
        import pyarrow as pa

        made = self.reset_index() if index else self
        names = [str(label) for label in made._labels.values]
        return pa.Table.from_arrays([as_arrow(one) for one in made._columns], names=names)

    def to_polars(self: Any, index: bool = False) -> Any:
        """A Polars DataFrame; it shares memory as `to_arrow` does. With `index`, the labels are columns too.

        Parameters
        ----------
        index : bool, default False
            Whether labels are columns, too.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.DataFrame({"a": [1, 2]}).to_polars().shape
        (2, 1)
        """
        return extras.module("polars", "to_polars").DataFrame(self.to_arrow(index))

    def __dataframe__(self: Any, nan_as_null: bool = False, allow_copy: bool = True) -> Any:
        """The frame under the data frame interchange protocol, for libraries that do not know Arrow's interface."""
        if not allow_copy:
            raise RuntimeError("rows that are spread over PEs are collected, which is a copy")
        return self.to_arrow().__dataframe__(nan_as_null)

    def __arrow_c_schema__(self: Any) -> Any:
        return self._cut(slice(0, 0)).to_arrow().schema.__arrow_c_schema__()

    def __arrow_c_stream__(self: Any, requested_schema: Any = None) -> Any:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __arrow_c_array__(self: Any, requested_schema: Any = None) -> Any:
        import pyarrow as pa

        table = self.to_arrow()
        batch = pa.RecordBatch.from_arrays([one.chunk(0) for one in table.columns], schema=table.schema)
        return batch.__arrow_c_array__(requested_schema)

    def __narwhals_dataframe__(self: Any) -> Any:
        return import_module("atoll.narwhals").held(self)

    def to_dict(self: Any, orient: str = "dict", *, into: Any = dict, index: bool = True) -> Any:
        """Labels to columns to values, or ``list``, ``records``, ``split``, ``tight``, ``series``, ``index``.

        Parameters
        ----------
        orient : {'dict', 'list', 'series', 'split', 'tight', 'records', 'index'}, default 'dict'
            The layout.
        into : type, optional
            The class of the dict.
        index : bool, default True
            Whether the labels are given ('split' and 'tight').

        Examples
        --------
        >>> import atoll as ak
        >>> ak.DataFrame({"a": [1, 2], "b": ["x", "y"]}).to_dict("records")
        [{'a': 1, 'b': 'x'}, {'a': 2, 'b': 'y'}]
        """
        into = _into(into)
        labels, held = self._labels.values, [to_list(one) for one in self._columns]
        if orient == "list":
            return into(zip(labels, held, strict=True))
        if orient == "series":
            return into(self.items())
        if orient in ("split", "tight"):
            rows = [list(row) for row in zip(*held, strict=True)]
            made = into(index=self._index.to_list()) if index else into()
            made.update(columns=labels, data=rows)
            if orient == "tight":
                made.update(index_names=list(self._index.names), column_names=list(self._labels.names))
            return made
        if orient == "records":
            return [into(zip(labels, row, strict=True)) for row in zip(*held, strict=True)]
        keys = self._index.to_list()
        if orient == "dict":
            return into((label, into(zip(keys, one, strict=True))) for label, one in zip(labels, held, strict=True))
        if orient == "index":
            _check_unique(self._index, "DataFrame index must be unique for orient='index'.")
            rows_of = zip(keys, zip(*held, strict=True), strict=True)
            return into((key, into(zip(labels, row, strict=True))) for key, row in rows_of)
        raise ValueError(f"orient '{orient}' not understood")

    def to_records(self: Any, index: bool = True, column_dtypes: Any = None, index_dtypes: Any = None) -> Any:
        """A NumPy array of records; dtypes of all columns, or by name or place, and of the index.

        Parameters
        ----------
        index : bool, default True
            Whether labels are fields, too.
        column_dtypes : dtype or dict, optional
            Dtypes of the columns, of all or by name or place.
        index_dtypes : dtype or dict, optional
            Dtypes of the index, likewise.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> index = ak.Index(["b", "a", "c"])
        >>> df.to_records(index=False)
        rec.array([(1,  4.), (2, nan), (3,  6.)],
                  dtype=[('a', '<i8'), ('b', '<f8')])
        """
        made = self.reset_index() if index else self
        names = [str(one) for one in made._labels.values]
        levels = self._index.nlevels if index else 0
        arrays = []
        for place, one in enumerate(made._columns):
            own = place < levels
            wanted, at = (index_dtypes, place) if own else (column_dtypes, place - levels)
            if isinstance(wanted, dict):
                wanted = wanted.get(names[place], wanted.get(at))
            values = numpy_of(one)
            arrays.append(values if wanted is None else values.astype(wanted))
        from_arrays: Any = np.rec.fromarrays
        return from_arrays(arrays, names=names)

    def to_json(
        self: Any, path_or_buf: object = None, *, orient: str | None = None, lines: bool = False, **options: Any
    ) -> Any:
        """The rows as JSON: by columns, ``records``, ``index``, ``split``, ``values``; a record a line with `lines`.

        Records in lines go to a file from all PEs. Datetimes are milliseconds since 1970, as in pandas; floats have all
        their digits. ``table``, and pandas' other options (`date_format`, `double_precision`, `force_ascii`,
        `date_unit`, `default_handler`, `compression`, `index`, `indent`, `mode`) are its own work, of which a warning
        tells once.

        Parameters
        ----------
        path_or_buf : path or file, optional
            Where the text is written; None: it is returned.
        orient : {'columns', 'index', 'records', 'split', 'values', 'table'}, optional
            The layout; 'columns' (of a Series 'index') unless given.
        lines : bool, default False
            Whether each record is a line of its own (``orient='records'``).
        **options
            Further options of pandas', which does the work then.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.to_json(orient="records")
        '[{"a":1,"b":4.0},{"a":2,"b":null},{"a":3,"b":6.0}]'
        """
        orient = orient or "columns"
        if needs_pandas(self._columns, self._index, orient, options):
            return json_by_pandas(self, path_or_buf, orient, lines, options)
        if lines:
            check_lines(orient)
        if lines and isinstance(path_or_buf, (str, os.PathLike)):
            from ...io.json.reader import write_json

            write_json(path_or_buf, {name: in_json(one) for name, one in self._named().items()}, **options)
            return None
        held = [plain_values(one) for one in self._columns]
        keys, labels = [str(one) for one in self._index.to_list()], [str(one) for one in self._labels.values]
        rows = list(zip(*held, strict=True))
        table: Any
        if orient == "records":
            table = [dict(zip(labels, row, strict=True)) for row in rows]
        elif orient == "columns":
            _check_unique(self._index, "DataFrame index must be unique for orient='columns'.")
            table = {label: dict(zip(keys, one, strict=True)) for label, one in zip(labels, held, strict=True)}
        elif orient == "index":
            _check_unique(self._index, "DataFrame index must be unique for orient='index'.")
            table = {key: dict(zip(labels, row, strict=True)) for key, row in zip(keys, rows, strict=True)}
        elif orient == "values":
            table = [list(row) for row in rows]
        elif orient == "split":
            index = plain_values(self._index._values)
            table = {"columns": labels, "index": index, "data": [list(row) for row in rows]}
        else:
            raise ValueError(f"Invalid value '{orient}' for option 'orient'")
        text = "".join(json_text(row) + "\n" for row in table) if lines else json_text(table)
        return written(text, path_or_buf, **options)

    def to_markdown(self: Any, buf: Any = None, *, mode: str = "w", index: bool = True, **options: object) -> Any:
        """A table in Markdown. Other options of pandas' are its own work.

        Parameters
        ----------
        buf : file or path, optional
            Where the text is written; None: it is returned.
        mode : str, default 'w'
            'w' replaces a file, 'a' appends to it, 'x' refuses one that exists.
        index : bool, default True
            Whether labels are shown.
        **options
            Other options of pandas', which does the work then.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> print(df.to_markdown())  # doctest: +SKIP
        """
        if options or mode not in ("w", "wt"):
            by_pandas("to_markdown", options or ["mode"])
            with pandas_at_work("to_markdown"):
                return written(self.to_pandas().to_markdown(index=index, **options), buf, mode=mode)
        cells = [[str(label), *texts_of(one)] for label, one in zip(self._labels.values, self._columns, strict=True)]
        if index:
            cells.insert(0, ["", *(str(one) for one in self._index.to_list())])
        widths = [max(map(len, column)) for column in cells]
        lines = [
            "| " + " | ".join(t.rjust(w) for t, w in zip(row, widths, strict=True)) + " |"
            for row in zip(*cells, strict=True)
        ]
        lines.insert(1, "|" + "|".join("-" * (width + 1) + ":" for width in widths) + "|")
        return written("\n".join(lines), buf)

    def iterrows(self: Any) -> Iterator[tuple[Any, Any]]:
        """Pairs of labels and rows, each row a Series.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> for label, row in df.iterrows():
        ...     print(label, row["a"])
        0 1.0
        1 2.0
        2 3.0
        """
        labels = self._index.to_list()
        for row in range(len(self)):
            made = row_values(self, row)
            yield labels[row], made._new(made._values.decode()) if isinstance(made._values, Categorical) else made

    def itertuples(self: Any, index: bool = True, name: str | None = "Pandas") -> Iterator[Any]:
        """The rows as named tuples.

        Parameters
        ----------
        index : bool, default True
            Whether the label is the first field.
        name : str, default 'Pandas'
            The class of the tuples; None: plain tuples.

        Examples
        --------
        >>> import atoll as ak
        >>> list(ak.DataFrame({"a": [1, 2]}).itertuples(index=False, name=None))
        [(1,), (2,)]
        """
        held = [to_list(one) for one in self._columns]
        labels = [str(one) for one in self._labels.values]
        if index:
            held, labels = [self._index.to_list(), *held], ["Index", *labels]
        rows = zip(*held, strict=True) if held else iter([()] * len(self))
        if name is None:
            yield from rows
            return
        made = namedtuple(name, labels, rename=True)  # type: ignore[misc]  # its fields are those of this frame
        for row in rows:
            yield made(*row)

    @classmethod
    def from_dict(cls: Any, data: Any, orient: str = "columns", dtype: DTypeLike = None, columns: Any = None) -> Any:
        """A frame of a dict of columns, or with ``orient="index"`` of rows.

        Parameters
        ----------
        cls : None
            No effect.
        data : dict
            The columns, or the rows.
        orient : {'columns', 'index', 'tight'}, default 'columns'
            What the keys are: labels of columns or of rows.
        dtype : dtype, optional
            The dtype of the result.
        columns : list of labels, optional
            Labels of the columns for ``orient='index'``.

        Examples
        --------
        >>> import atoll as ak
        >>> index = ak.Index(["b", "a", "c"])
        >>> ak.DataFrame.from_dict({"x": [1, 2], "y": [3, 4]}, orient="index", columns=["a", "b"])
           a  b
        x  1  2
        y  3  4
        """
        if orient == "columns":
            if columns is not None:
                raise ValueError("cannot use columns parameter with orient='columns'")
            return cls(data, dtype=dtype)
        if orient == "tight":
            index = _axis_of(data["index"], data.get("index_names", [None]))
            return cls(data["data"], index=index, columns=_axis_of(data["columns"], data.get("column_names", [None])))
        if orient != "index":
            raise ValueError(f"Expected 'index', 'columns' or 'tight' for orient parameter. Got '{orient}' instead")
        return cls(list(data.values()), index=list(data), columns=columns, dtype=dtype)

    @classmethod
    def from_records(
        cls: Any, data: Any, index: object = None, exclude: Any = None, columns: object = None, **options: object
    ) -> Any:
        """A frame of records: tuples, dicts or a structured array.

        Parameters
        ----------
        cls : None
            No effect.
        data : sequence of tuples or dicts, or structured array
            The records.
        index : label, list of labels or array_like, optional
            The fields that are the index, or the labels.
        exclude : list of labels, optional
            Fields that are left out.
        columns : list of labels, optional
            Names of the fields, or those that are taken.
        **options
            `coerce_float` and `nrows`, as in pandas.

        Examples
        --------
        >>> import atoll as ak
        >>> s = ak.Series([3, 1, 2], index=["a", "b", "c"])
        >>> ak.DataFrame.from_records([(1, "x"), (2, "y")], columns=["n", "s"])
           n  s
        0  1  x
        1  2  y
        """
        rows = data if isinstance(data, (np.ndarray, dict)) or hasattr(data, "_columns") else list(data)
        made = cls(rows, columns=columns)
        if exclude is not None:
            made = made.drop(columns=list(exclude))
        if isinstance(index, str):
            return made.set_index(index)
        return made if index is None else made.set_axis(index)

    @classmethod
    def from_arrow(cls: Any, data: object) -> Any:
        """A frame of what has Arrow's `__arrow_c_stream__`: a pyarrow table, a polars frame, …

        Parameters
        ----------
        cls : None
            No effect.
        data : object
            What has Arrow's C interface.

        Examples
        --------
        >>> import atoll as ak
        >>> import pyarrow
        >>> ak.DataFrame.from_arrow(pyarrow.table({"n": [1, 2]}))
           n
        0  1
        1  2
        """
        return cls(data)
