# SPDX-License-Identifier: Apache-2.0
"""Frames of text files of separated values, with pandas' parameters: what is not simple is left to pandas."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.ndarray import ndarray
from ...columns.column import Column
from ...columns.objects import Objects
from ...columns.text.strings import Strings
from ...io.csv.dialect import MISSING, Dialect
from ...io.csv.reader import csv_columns
from ...io.fallback import by_pandas, given, pandas_at_work
from ...storage.places import place_of
from ...storage.source import reading
from .. import DataFrame, Series, to_numeric
from ..data.dtypes import cast
from ..fallback.convert import from_pandas, in_pandas
from .csv_chunks import CsvParts, parser_error
from .first_lines import settled
from .pandas_readers import Chunks, files_of, read_each
from .rewritten import can_be_rewritten, has_several_names, requests_rewriting, rewritten

if TYPE_CHECKING:
    from ...annotations import ColumnType

__all__ = ["read_csv", "read_table"]

#: Parameters that pandas' own reader follows.
_THEIRS = (
    "skipinitialspace", "skipfooter", "skip_blank_lines", "lineterminator", "doublequote", "comment", "encoding_errors",
    "dialect",
)  # fmt: skip
#: What our parser says of a line with too few or too many values, and what Arrow's says.
_MISFIT = re.compile(
    r"(?:line (?P<line>\d+)|Row #(?P<row>\d+)): [Ee]xpected (?P<wanted>\d+) (?:values?|columns), got (?P<got>\d+)"
)
_QUOTE_ALL, _QUOTE_NONE = 1, 3  # of the module `csv`


def read_csv(
    filepath_or_buffer: Any, *, sep: Any = ",", delimiter: Any = None, header: Any = "infer", names: Any = None,
    index_col: Any = None, usecols: Any = None, dtype: ColumnType = None, engine: Any = None, converters: Any = None,
    true_values: Sequence[str] | None = (), false_values: Sequence[str] | None = (), skipinitialspace: bool = False,
    skiprows: Any = 0, skipfooter: int = 0, nrows: int | None = None, na_values: Any = None,
    keep_default_na: bool = True, na_filter: bool = True, skip_blank_lines: bool = True, parse_dates: Any = None,
    date_format: Any = None, dayfirst: bool = False, cache_dates: bool = True, iterator: bool = False,
    chunksize: int | None = None, compression: str | None = "infer", thousands: str | None = None, decimal: str = ".",
    lineterminator: str | None = None, quotechar: str | None = '"', quoting: int = 0, doublequote: bool = True,
    escapechar: str | None = None, comment: str | None = None, encoding: str | None = "utf-8",
    encoding_errors: str = "strict", dialect: Any = None, on_bad_lines: Any = "error", low_memory: bool = True,
    memory_map: bool = False, float_precision: Any = None, storage_options: dict[str, Any] | None = None,
    dtype_backend: Any = None,
    filters: object = None,
) -> Any:  # fmt: skip
    """A frame of text files of separated values; each PE reads its own ranges of bytes. Parameters as pandas'.

    Text with comments, lines to skip by their numbers or at the end, spaces behind separators, several header lines,
    or in another encoding is rewritten by one process before all PEs parse it. What Atoll's parser has no rule for
    (separators of several letters, …) pandas reads, each file on one process, and a warning says so once.

    Parameters
    ----------
    filepath_or_buffer
        As `path` of `read_parquet`. Files are decompressed as their names end: .gz, .bz2, .zst, .lz4, .xz, .zip.
    usecols : list of str or int, or callable
        Which columns: others are passed over.
    dtype
        A type for all columns, or by name; others are guessed from all values.
    nrows : int
        Rows from the beginning: of what comes behind them nothing is read.
    parse_dates : list of str
        Columns that become datetimes, by `date_format` (a format, or one by name), or else as their first value is
        written, with `dayfirst`.
    on_bad_lines : str or callable
        "error", "warn" of lines that have not as many values as there are columns and skip them, or "skip" them.
    dtype_backend : str
        "numpy_nullable": numbers and bools whose type `dtype` does not name are of types that have missing values, as
        Int64, Float64 and boolean. There is no "pyarrow".
    engine, low_memory, memory_map, cache_dates, float_precision
        Of no effect: they say how pandas does it, not what it gives.
    filters
        Rows to keep; see `read_parquet`.

    Examples
    --------
    >>> import atoll as ak
    >>> import io
    >>> ak.read_csv(io.StringIO("a,b\\n1,x\\n2,\\n"))
       a    b
    0  1    x
    1  2  NaN
    """
    told = {name: value for name, value in locals().items() if name not in ("filepath_or_buffer", "filters")}
    if dtype_backend not in (None, "numpy_nullable") and type(dtype_backend).__name__ != "_NoDefault":
        raise ValueError(
            f"there are no columns of dtype_backend {dtype_backend!r}: say 'numpy_nullable', or leave it out"
        )
    simple = settled(filepath_or_buffer, told)
    others = for_pandas(without_rewriting(filepath_or_buffer, simple))
    if others or (told["converters"] and not can_be_read_twice(filepath_or_buffer)):
        return _by_pandas(filepath_or_buffer, others or {"converters": converters}, told, filters)
    if requests_rewriting(simple, _leading(simple["skiprows"])):
        try:
            text, simple, labels = rewritten(filepath_or_buffer, simple)
        except NotImplementedError:
            if hasattr(filepath_or_buffer, "seek"):
                filepath_or_buffer.seek(0)
            return _by_pandas(filepath_or_buffer, for_pandas(simple), told, filters)
        made = read_csv(text, **simple, filters=filters)
        if labels is not None:
            made.columns = from_pandas(labels)
        return made
    if chunksize is not None or iterator:
        return _chunks(filepath_or_buffer, simple, filters)
    header, names, skiprows = simple["header"], simple["names"], simple["skiprows"]
    if header == "infer":
        header = 0 if names is None else None
    listed = _names_of(usecols)
    dates = list(parse_dates) if _is_list(parse_dates) else []
    categories, dtype = _categories(dtype)
    spelt = dict.fromkeys(dates, str) if dayfirst or date_format is not None else {}
    marked, dtype = _marked(dtype, thousands)
    start = filepath_or_buffer.tell() if converters and hasattr(filepath_or_buffer, "tell") else 0
    try:
        named = csv_columns(
            filepath_or_buffer, listed, dtype=dtype if not spelt else _with(dtype, spelt), filters=filters,
            storage_options=storage_options, sep=delimiter or sep, escapechar=escapechar, header=header,
            quotechar=None if quoting == _QUOTE_NONE else quotechar, nrows=nrows, encoding=encoding or "utf-8",
            names=None if names is None else [str(name) for name in names], skiprows=_leading(skiprows),
            compression=compression, decimal=decimal, on_bad_lines=on_bad_lines,
            missing=_missing(na_values, keep_default_na, na_filter), true_values=list(true_values or ()),
            false_values=list(false_values or ()), dates=() if spelt else tuple(dates),
        )  # fmt: skip
    except ValueError as error:
        too_short = on_bad_lines == "error" and _is_short(str(error))
        if not (too_short or _labels_lead(str(error), header, _leading(skiprows))):
            raise
        if hasattr(filepath_or_buffer, "seek"):
            filepath_or_buffer.seek(0)
        odd = {"on_bad_lines": on_bad_lines} if too_short else {"index_col": index_col}
        return _by_pandas(filepath_or_buffer, odd, told, filters)
    unread = any(name in named and getattr(named[name].dtype, "kind", "") != "M" for name in dates if not spelt)
    if unread or _has_no_rows(named, filters, nrows):  # "20260102", say; or lines that end with "\r"
        if hasattr(filepath_or_buffer, "seek"):
            filepath_or_buffer.seek(0)
        if unread or not hasattr(filepath_or_buffer, "read") or hasattr(filepath_or_buffer, "seek"):
            odd = {"parse_dates": parse_dates} if unread else {}
            return _by_pandas(filepath_or_buffer, odd, told, filters, silent=not unread)
    lost = [name for name in dates if name not in named]
    if lost:
        raise ValueError(f"Missing column provided to 'parse_dates': {', '.join(map(repr, lost))}")
    if converters:
        if hasattr(filepath_or_buffer, "seek"):
            filepath_or_buffer.seek(start)
        wanted = _converted_names(converters, list(named))
        raw = csv_columns(
            filepath_or_buffer, frozenset(wanted), dtype=str, filters=filters, storage_options=storage_options,
            sep=delimiter or sep, header=header, quotechar=None if quoting == _QUOTE_NONE else quotechar, nrows=nrows,
            names=None if names is None else [str(name) for name in names], skiprows=_leading(skiprows),
            compression=compression, on_bad_lines=on_bad_lines, missing=[],
        )  # fmt: skip
        missing = _missing(na_values, keep_default_na, na_filter)
        named |= {name: _converted(column, wanted[name], missing) for name, column in raw.items()}
        dtype = _with(dtype, dict.fromkeys(wanted))
    if listed is None and usecols is not None and not callable(usecols):
        if lost := [at for at in usecols if isinstance(at, int) and at >= len(named)]:
            raise ValueError(f"Usecols do not match columns, columns expected but not found: {lost}")
        named = {name: column for at, (name, column) in enumerate(named.items()) if at in usecols}
    if filters is None and named and not any(map(len, named.values())):  # nothing that a kind could be guessed from
        known = set(dates) | (set(dtype) if isinstance(dtype, dict) else set(named) if dtype is not None else set())
        named = {name: column if name in known else Objects([]) for name, column in named.items()}
    typed: Any = dtype if isinstance(dtype, dict) else dict.fromkeys(named, dtype) if dtype is not None else {}
    guessed = as_pandas_guesses if dtype_backend != "numpy_nullable" else _with_missing
    for name in named:
        if name in dates or name not in typed:
            named[name] = guessed(named[name] if thousands is None else _without_marks(named[name], thousands, decimal))
    for name in named if marked is not None else ():
        if kind := marked.get(name) if isinstance(marked, dict) else marked:
            named[name] = cast(_without_marks(named[name], thousands, decimal), np.dtype(kind))
        elif in_pandas() and type(named[name]) is Column and _is_number(typed[name]) and named[name].dtype.kind in "iu":
            raise ValueError(f"Integer column has NA values in column {list(named).index(name)}")
    for name in dates if spelt else ():
        named[name] = _dated(named[name], date_format, name, dayfirst)
    frame = DataFrame(named)
    for name in named:
        if dtype_backend == "numpy_nullable" and name not in typed and frame[name].dtype == np.float64:
            frame[name] = _nullable_floats(frame[name])
        if categories is True or name in categories:
            frame[name] = frame[name].astype("category")
    if header is None and names is None:
        frame.columns = list(range(len(named)))
    return _labelled(frame, index_col)


def _has_no_rows(named: dict[str, Any], filters: object, nrows: int | None) -> bool:
    return filters is None and nrows is None and bool(named) and not any(map(len, named.values()))


def _without_marks(column: object, mark: Any, decimal: str) -> Any:
    """The numbers of a column of strings without marks of thousands; the column where it has others."""
    if not isinstance(column, Strings) or not bool(Series(column).str.contains(mark, regex=False).any()):
        return column
    digits, point = rf"\d[\d{re.escape(mark)}]*", re.escape(decimal)
    if not bool(Series(column).dropna().str.fullmatch(rf"[-+]?{digits}({point}\d*)?([eE][-+]?\d+)?").all()):
        return column
    plain = Series(column).str.replace(mark, "", regex=False)
    return to_numeric(plain if decimal == "." else plain.str.replace(decimal, ".", regex=False))._values


def _nullable_floats(column: Any) -> Any:
    """Floats in pandas' kind that allows missing values; where all are missing, integers."""
    if not column.notna().any():
        return column.astype("Int64")
    return from_pandas(column.to_pandas().astype("Float64"))


def _marked(dtype: ColumnType, mark: str | None) -> tuple[Any, Any]:
    """The dtypes of numbers that have marks of thousands, and the dtypes for the parser, which are strings there."""
    if mark is None or dtype is None:
        return None, dtype
    if not isinstance(dtype, dict):
        return (dtype, str) if _is_number(dtype) else (None, dtype)
    marked = {name: kind for name, kind in dtype.items() if _is_number(kind)}
    return marked, {**dtype, **dict.fromkeys(marked, str)}


def _is_number(kind: Any) -> bool:
    try:
        return np.dtype(kind).kind in "iuf"
    except TypeError:  # a dtype of pandas
        return False


def _converted_names(converters: dict[Any, Any], names: list[str]) -> dict[str, Any]:
    """The functions by the names of their columns, of those that are read."""
    named = {names[one] if isinstance(one, int) else one: function for one, function in converters.items()}
    return {name: function for name, function in named.items() if name in names}


def _converted(column: Any, function: Any, missing: list[str]) -> Any:
    """What a function makes of strings; of strings again some stand for missing values."""
    made = Series(column).map(function)
    return made.mask(made.isin(missing))._values if isinstance(made._values, Strings) and missing else made._values


def can_be_read_twice(where: object) -> bool:
    """Whether a place is a file, or a stream that can be set back."""
    return not hasattr(where, "read") or (hasattr(where, "seek") and hasattr(where, "tell"))


def _chunks(where: Any, told: dict[str, Any], filters: object) -> Chunks:
    """Frames of some rows each, of one file."""
    place = place_of(where, (".csv", ".tsv", ".txt"), told["storage_options"])
    if len(place.files) != 1 or filters is not None:
        raise ValueError("chunks are read of one file, without filters. Use scan_csv and batches")
    header = told["header"]
    if header == "infer":
        header = 0 if told["names"] is None else None
    dialect = Dialect(
        sep=told["delimiter"] or told["sep"], quotechar=None if told["quoting"] == _QUOTE_NONE else told["quotechar"],
        header=header, skiprows=_leading(told["skiprows"]), compression=told["compression"], nrows=told["nrows"],
    )  # fmt: skip
    options = told | {"chunksize": None, "iterator": False, "nrows": None, "compression": None, "storage_options": None}
    numbered = told["index_col"] in (None, False)

    def read(part: Any, lines: int) -> Any:
        try:
            return read_csv(part, **options)
        except ValueError as error:
            if (found := _MISFIT.search(str(error))) is None or found["line"] is None:
                raise
            line = int(found["line"]) + lines
            raise parser_error(place, int(found["wanted"]), line, int(found["got"])) from error

    return Chunks(CsvParts(place, dialect, read, told["chunksize"], numbered), None)


def read_table(filepath_or_buffer: Any, *, sep: Any = "\t", **options: Any) -> Any:
    """As `read_csv`, separated by tabs."""
    return read_csv(filepath_or_buffer, sep=sep, **options)


def _labels_lead(error: str, header: Any, skipped: int) -> bool:
    """Whether reading failed because the first line has a value more than there are names: rows' labels lead, or a
    separator ends each line."""
    found = _MISFIT.search(error)
    if header != 0 or found is None or int(found["got"]) != int(found["wanted"]) + 1:
        return False
    return int(found["row"] or 0) == 1 or int(found["line"] or 0) == skipped + 2


def _is_short(error: str) -> bool:
    """Whether reading failed because a line has fewer values than there are names: in pandas the others are missing."""
    found = _MISFIT.search(error)
    return found is not None and int(found["got"]) < int(found["wanted"])


def as_pandas_guesses(column: Any) -> Any:
    """A column whose kind was guessed, in the kind that pandas guesses: integers of which some are missing are floats,
    days are datetimes."""
    if type(column) is Column and column.dtype.kind in "iu" and column.valid is not None:
        return cast(column, np.float64)
    return column.astype(np.dtype("datetime64[us]")) if str(getattr(column, "dtype", "")) == "datetime64[D]" else column


def _with_missing(column: Any) -> Any:
    """A column whose kind was guessed, in the kind with missing values that pandas has for it, but floats."""
    if type(column) not in (Column, ndarray) or column.dtype.kind not in "biu":
        return as_pandas_guesses(column)
    return column if type(column) is Column else Column(column)


def _labelled(frame: Any, index_col: Any) -> Any:
    if index_col is None or index_col is False:
        return frame
    several = index_col if isinstance(index_col, (list, tuple)) else [index_col]
    labels = [list(frame.columns)[one] if isinstance(one, int) else one for one in several]
    frame = frame.set_index(labels if len(labels) > 1 else labels[0])
    return frame.rename_axis([None if str(label).startswith("Unnamed: ") else label for label in labels])


# -- what the parameters ask for --


def usual_options() -> dict[str, Any]:
    """Values of parameters that request nothing."""
    return {name: one.default for name, one in inspect.signature(read_csv).parameters.items()}


def for_pandas(told: dict[str, Any]) -> dict[str, Any]:
    """The parameters that pandas' own reader has to follow."""
    found = given({name: told[name] for name in _THEIRS}, usual_options())
    sep, header, decimal = told["delimiter"] or told["sep"], told["header"], told["decimal"]
    odd = {
        "sep": sep is None or len(sep) != 1,
        "converters": not _has_usual_converters(told),
        "chunksize": told["chunksize"] is not None and (type(told["chunksize"]) is not int or told["chunksize"] < 1),
        "iterator": (told["iterator"] or told["chunksize"] is not None) and told["escapechar"] is not None,
        "header": _is_list(header),
        "skiprows": _leading(told["skiprows"]) < 0,
        "na_values": isinstance(told["na_values"], dict),
        "parse_dates": _odd_dates(told["parse_dates"], told["index_col"]),
        "date_format": isinstance(told["date_format"], dict) and not _is_list(told["parse_dates"]),
        "on_bad_lines": callable(told["on_bad_lines"]),
        "thousands": told["thousands"] is not None and not _is_simple_mark(told),
        "quoting": told["quoting"] not in (0, _QUOTE_ALL, _QUOTE_NONE),
        "compression": isinstance(told["compression"], dict),
        "decimal": len(decimal) != 1,
    }
    found.update({name: told[name] for name, is_odd in odd.items() if is_odd})
    return found


def without_rewriting(where: object, told: dict[str, Any]) -> dict[str, Any]:
    """The parameters without those that are followed by rewriting the text."""
    if not requests_rewriting(told, _leading(told["skiprows"])) or not can_be_rewritten(where, told):
        return told
    plain = {"comment": None, "skipinitialspace": False, "skiprows": 0, "skipfooter": 0, "encoding": None}
    return (
        told | plain | {"encoding_errors": "strict"} | ({"header": None} if has_several_names(told["header"]) else {})
    )


def _has_usual_converters(told: dict[str, Any]) -> bool:
    """Whether converters are functions by names, or by numbers where all columns are read."""
    converters = told["converters"]
    if converters is None:
        return True
    numbered = told["usecols"] is None and told["index_col"] in (None, False)
    names = all(isinstance(one, str) or (numbered and type(one) is int and one >= 0) for one in converters)
    typed = told["dtype"] is None or (isinstance(told["dtype"], dict) and not set(told["dtype"]) & set(converters))
    plain = told["escapechar"] is None and not told["thousands"] and told["parse_dates"] in (None, False)
    return isinstance(converters, dict) and names and typed and plain and all(map(callable, converters.values()))


def _is_simple_mark(told: dict[str, Any]) -> bool:
    """Whether marks of thousands are taken out of columns behind the parser."""
    mark, used = told["thousands"], (told["decimal"], told["quotechar"])
    return isinstance(mark, str) and len(mark) == 1 and mark not in used


def _odd_dates(parse_dates: Any, index_col: Any) -> bool:
    if parse_dates is None or parse_dates is False:
        return False
    if parse_dates is True:
        return index_col is not None and index_col is not False
    return not (_is_list(parse_dates) and all(isinstance(one, str) for one in parse_dates))


def _is_list(value: object) -> bool:
    return isinstance(value, (list, tuple))


def _names_of(usecols: Any) -> frozenset[str] | Callable[[str], bool] | None:
    """Which columns by name; None: all, or by number."""
    if usecols is None or callable(usecols):
        return usecols
    return None if any(isinstance(one, int) for one in usecols) else frozenset(usecols)


def _leading(skiprows: Any) -> int:
    """How many lines are skipped at the beginning; -1 where others are."""
    if callable(skiprows):
        return -1
    if skiprows is None or isinstance(skiprows, int):
        return skiprows or 0
    listed = set(skiprows)
    return len(listed) if listed == set(range(len(listed))) else -1


def _missing(na_values: Any, keep_default_na: bool, na_filter: bool) -> list[str]:
    missing = list(MISSING) if keep_default_na else []
    if na_values is not None:
        listed = na_values if isinstance(na_values, (list, tuple, set)) or hasattr(na_values, "tolist") else [na_values]
        missing += [str(one) for one in listed]
    return missing if na_filter else []


def _categories(dtype: ColumnType) -> tuple[Any, Any]:
    """Columns that become categories of what is guessed (True: all), and the types of others."""
    if isinstance(dtype, dict):
        found = [name for name, kind in dtype.items() if str(kind) == "category"]
        return found, {name: kind for name, kind in dtype.items() if name not in found}
    return (True, None) if str(dtype) == "category" else ([], dtype)


def _with(dtype: Any, spelt: dict[Any, Any]) -> Any:
    if dtype is None or isinstance(dtype, dict):
        return {**(dtype or {}), **spelt}
    raise TypeError("dtype is one type for all columns, those of parse_dates too. Name the others' types one by one")


def _dated(column: object, date_format: Any, name: str, dayfirst: bool) -> Any:
    from ...columns.datetime.parsing import to_datetime

    form = date_format.get(name) if isinstance(date_format, dict) else date_format
    return to_datetime(column, format=form, dayfirst=dayfirst)


# -- by pandas --


def _by_pandas(
    where: object, others: dict[str, Any], told: dict[str, Any], filters: object, silent: bool = False
) -> Any:
    if not silent:
        by_pandas("read_csv", others)
    import pandas

    options = given(told, usual_options())
    if callable(told["on_bad_lines"]):
        options.setdefault("engine", "python")
    if told["delimiter"] is not None:
        options.pop("sep", None)
    files = files_of(where, (".csv", ".tsv", ".txt"), told["storage_options"])
    if told["chunksize"] is not None or told["iterator"]:
        if len(files) != 1 or filters is not None:
            raise ValueError("chunks are read of one file, without filters. Use scan_csv and batches")
        with pandas_at_work("read_csv"), reading("<stream>" if hasattr(files[0], "read") else files[0]):
            return Chunks(pandas.read_csv(files[0], **options), files[0])
    numbered = told["index_col"] is None
    with pandas_at_work("read_csv"):
        return read_each(lambda file: pandas.read_csv(file, **options), files, filters, numbered=numbered)
