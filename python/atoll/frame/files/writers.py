# SPDX-License-Identifier: Apache-2.0
"""Frames to files: what `atoll.io` writes, loaded when it is used."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from ...columns.foreign import Foreign
from ...columns.nested.lists import Lists
from ...io.fallback import by_pandas, given, pandas_at_work

if TYPE_CHECKING:
    from ...annotations import Files

_ROWS = 10_000  # that pandas sends to a data base at a time: signals are handled in between


class FrameFiles:
    """A frame in files of all formats. They appear whole or not at all."""

    __slots__ = ()

    def _named(self: Any, index: object = False) -> dict[str, Any]:
        """Columns by name, the labels of the rows before them where they are wanted."""
        made = self.reset_index() if index else self
        names = [str(name) for name in made._labels.values]
        if len(set(names)) < len(names):
            raise ValueError(f"Duplicate column names found: {names}")
        return dict(zip(names, made._columns, strict=True))

    def to_parquet(
        self: Any, path: Any = None, engine: str = "auto", compression: str | None = "snappy",
        index: bool | None = None, partition_cols: Any = (), storage_options: Any = None, **options: Any,
    ) -> bytes | None:  # fmt: skip
        """A Parquet file, or with `partition_cols` or ``dataset=True`` a directory to which each PE writes its rows.

        Without a path it is bytes. `index`: whether the labels of the rows are columns; by default, if they are not
        0, 1, 2, …. Other options are those of `atoll.io.parquet.write_parquet`.

        Parameters
        ----------
        path : path or file, optional
            The file, or the directory of `partition_cols`; None: the file is returned as bytes.
        engine : str, default 'auto'
            No effect: Atoll writes the file.
        compression : str, default 'snappy'
            How the file is compressed; None: it is not.
        index : bool, optional
            Whether labels are written; None: unless they only count the rows.
        partition_cols : list of labels, default ()
            Columns whose values make a directory each.
        storage_options : dict, optional
            Options of the file system of a URL.
        **options
            Further options of the writer: see `ak.to_parquet`.

        Examples
        --------
        >>> import atoll as ak
        >>> import io
        >>> data = ak.DataFrame({"a": [1, 2]}).to_parquet()
        >>> ak.read_parquet(io.BytesIO(data))["a"].sum()
        np.int64(3)
        """
        from ...io.parquet.reader import write_parquet

        kept = not self._index_is_default() if index is None else index
        names = list(self._index.names) if kept else []
        labels = [f"__index_level_{at}__" if name is None else str(name) for at, name in enumerate(names)]
        columns = self._named()
        if kept:
            columns.update(zip(labels, self._index._labels_of_index, strict=True))
        stream = io.BytesIO() if path is None else path
        write_parquet(
            stream, columns, compression=compression, partition_cols=list(partition_cols or ()), index=labels,
            storage_options=storage_options, **options,
        )  # fmt: skip
        return stream.getvalue() if path is None else None

    def _index_is_default(self: Any) -> bool:
        start, step = getattr(self._index, "start", None), getattr(self._index, "step", None)
        return start == 0 and step == 1 and self._index.name is None

    def to_csv(
        self: Any, path_or_buf: object = None, *, sep: str = ",", na_rep: str = "", float_format: Any = None,
        columns: Any = None, header: Any = True, index: bool = True, index_label: Any = None, mode: str = "w",
        encoding: str | None = None, compression: str | None = "infer", quoting: int | None = None,
        quotechar: str = '"',
        lineterminator: str | None = None, chunksize: int | None = None, date_format: str | None = None,
        doublequote: bool = True, escapechar: str | None = None, decimal: str = ".", errors: str = "strict",
        storage_options: dict[str, Any] | None = None,
    ) -> str | None:  # fmt: skip
        """Rows as lines of separated values: a string, or into a file. Rows are put together, and written, by all PEs.

        `float_format`, `quoting`, `doublequote`, `escapechar` and `decimal` are pandas' own work, of which a warning
        tells once. With `mode` "a" the file has its old rows and the new, or the old.

        Parameters
        ----------
        path_or_buf : path or file, optional
            Where the text is written; None: it is returned.
        sep : str, default ','
            What separates columns.
        na_rep : str, default ''
            What stands for missing values.
        float_format : str or callable, optional
            How floats are written, as ``'%.2f'``.
        columns : list of labels, optional
            The columns that are written; all unless given.
        header : bool or list of str, default True
            Whether the first line has the columns' names; or other names.
        index : bool, default True
            Whether labels are written.
        index_label : label or list of labels, optional
            The name of the index' columns.
        mode : str, default 'w'
            'w' replaces a file, 'a' appends to it, 'x' refuses one that exists.
        encoding : str, optional
            The encoding of the text; UTF-8 unless given.
        compression : str, default 'infer'
            How the file is compressed; None: it is not.
        quoting : int, optional
            When values are quoted, a constant of the module csv.
        quotechar : str, default '"'
            The quotation mark.
        lineterminator : str, optional
            What ends a line.
        chunksize : int, optional
            Rows that are written at once.
        date_format : str, optional
            How datetimes are written.
        doublequote : bool, default True
            Whether a quotation mark in a value is written twice.
        escapechar : str, optional
            What is put before special characters instead.
        decimal : str, default '.'
            The decimal point.
        errors : str, default 'strict'
            What happens to characters that the encoding does not have, as in Python.
        storage_options : dict, optional
            Options of the file system of a URL.

        Examples
        --------
        >>> import atoll as ak
        >>> print(ak.DataFrame({"a": [1, 2], "b": ["x", None]}).to_csv(index=False), end="")
        a,b
        1,x
        2,
        """
        told = {
            "float_format": float_format, "quoting": quoting or None, "doublequote": doublequote,
            "escapechar": escapechar, "decimal": decimal,
        }  # fmt: skip
        others = given(told, {"doublequote": True, "decimal": "."})
        if header is True and self.ndim == 2 and self._labels.nlevels > 1:
            others["header"] = header
        made = self if columns is None else self[list(columns)]
        elsewhere = {
            "encoding": encoding or "utf-8", "errors": errors, "compression": compression, "mode": mode,
            "storage_options": storage_options,
        }  # fmt: skip
        options = {"sep": sep, "na_rep": na_rep, "quotechar": quotechar, "lineterminator": lineterminator or "\n"}
        if others or not all(map(_has_lines, made._columns)):
            by_pandas("to_csv", others)
            told = {
                **options, "header": header, "index": index, "index_label": index_label,
                "date_format": date_format, "chunksize": chunksize, **others,
            }  # fmt: skip
            with pandas_at_work("to_csv"):
                text = made.to_pandas().to_csv(**told)
            return written(text, path_or_buf, **elsewhere)
        return self._lines(made, path_or_buf, header, index, index_label, date_format, options, elsewhere)

    def _lines(
        self: Any, made: Any, path_or_buf: Any, header: Any, index: bool, index_label: Any, date_format: str | None,
        options: dict[str, Any], elsewhere: dict[str, Any],
    ) -> str | None:  # fmt: skip
        from ...io.csv.writer import write_csv

        names = [str(name) for name in made._labels.values] if header in (True, False) else [str(one) for one in header]
        held = list(made._columns)
        if index:
            labels = list(made._index.names) if index_label is None else index_label
            labels = [labels] if isinstance(labels, str) else [""] * made._index.nlevels if labels is False else labels
            names = ["" if name is None else str(name) for name in labels] + names
            held = [*made._index._labels_of_index, *held]
        if date_format is not None:
            held = [one.strftime(date_format) if hasattr(one, "strftime") else one for one in held]
        plain = elsewhere["encoding"].lower() in ("utf-8", "utf8") and elsewhere["errors"] == "strict"
        method = elsewhere["compression"]
        stream = path_or_buf if plain and not isinstance(method, dict) and elsewhere["mode"] in ("w", "wt") else None
        target = io.StringIO() if stream is None else stream
        write_csv(
            target, dict(enumerate(held)), names=names, header=header is not False, compression=method,
            storage_options=elsewhere["storage_options"], **options,
        )  # fmt: skip
        return None if stream is not None else written(target.getvalue(), path_or_buf, **elsewhere)

    def to_feather(self: Any, path: Any, *, compression: str | None = "lz4", storage_options: Any = None) -> None:
        """A file in Arrow's format.

        Parameters
        ----------
        path : path or file
            The file.
        compression : str, default 'lz4'
            How the file is compressed; None: it is not.
        storage_options : dict, optional
            Options of the file system of a URL.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.to_feather("numbers.feather")  # doctest: +SKIP
        """
        from ...io.arrow import write_arrow

        write_arrow(path, self._named(), compression=compression, storage_options=storage_options)

    def to_orc(self: Any, path: Any, *, index: bool = False, storage_options: Any = None, **options: Any) -> None:
        """An ORC file.

        Parameters
        ----------
        path : path or file
            The file.
        index : bool, default False
            Whether labels are written.
        storage_options : dict, optional
            Options of the file system of a URL.
        **options
            Further options of pyarrow's writer.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.to_orc("numbers.orc")  # doctest: +SKIP
        """
        from ...io.orc.reader import write_orc

        write_orc(path, self._named(index), storage_options=storage_options, **options)

    def to_hdf(
        self: Any, path_or_buf: Files, *, key: str | None = None, mode: str = "a", index: bool = False,
        compression: str | None = None, storage_options: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """An HDF5 file in the layout that Arkouda reads; with `key` below that group.

        With a key and `mode` "a", as by default, what else is in the file stays. pandas reads this layout by h5py, not
        by its own `read_hdf`.

        Parameters
        ----------
        path_or_buf : path
            The file.
        key : str, optional
            The name of the group; None: the columns are data sets of the file's root.
        mode : str, default 'a'
            'w' replaces a file, 'a' appends to it, 'x' refuses one that exists.
        index : bool, default False
            Whether labels are written.
        compression : str, optional
            How the file is compressed; None: it is not.
        storage_options : dict, optional
            Options of the file system of a URL.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.to_hdf("numbers.h5")  # doctest: +SKIP
        """
        from ...io.hdf.reader import write_hdf

        if mode not in ("a", "w", "r+"):
            raise ValueError(f"mode is 'a', 'r+' or 'w', not {mode!r}")
        write_hdf(
            path_or_buf, self._named(index), group="/" if key is None else key,
            keep=key is not None and mode != "w", compression=compression, storage_options=storage_options,
        )  # fmt: skip

    def to_sql(
        self: Any, name: str, con: Any, *, if_exists: str = "fail", index: bool = False, chunksize: Any = None,
        method: str | None = None,
    ) -> int:  # fmt: skip
        """A table of a data base, through ADBC; how many rows were written. `con` as in `ak.read_sql`.

        `chunksize` and `method` are of no effect but on connections of sqlite3 and SQLAlchemy, to which pandas writes,
        10,000 rows at a time: elsewhere rows go as Arrow's batches.

        Parameters
        ----------
        name : str
            The name of the table.
        con : connection or URI
            The data base: a connection of ADBC, or its URI.
        if_exists : {'fail', 'replace', 'append'}, default 'fail'
            What happens where the table exists.
        index : bool, default False
            Whether labels are written, too.
        chunksize : int, optional
            Rows that are written at once.
        method : {None, 'multi'}
            No effect but on connections of sqlite3 and SQLAlchemy, to which pandas writes.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.to_sql("numbers", "sqlite:///numbers.db")  # doctest: +SKIP
        """
        from ...io.sql import is_of_pandas, write_sql

        if is_of_pandas(con):
            by_pandas("to_sql", ["con"])
            rows = _ROWS if chunksize is None else chunksize
            held = {"if_exists": if_exists, "index": index, "chunksize": rows, "method": method}
            with pandas_at_work("to_sql"):
                return int(self.to_pandas().to_sql(name, con, **held) or 0)
        return write_sql(name, con, self._named(index), if_exists)


def _has_lines(column: Any) -> bool:
    """Whether our own writer of lines has the column's kind."""
    return not isinstance(column, (Foreign, Lists)) and getattr(column.dtype, "kind", "") != "c"


def written(text: str, where: Any, **options: Any) -> str | None:
    """A string, or None when it went to where it should; options of `io.text.write_text`."""
    if where is None:
        return text
    from ...io.text_file import write_text

    write_text(where, text, **options)
    return None
