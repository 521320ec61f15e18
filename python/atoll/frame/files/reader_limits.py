# SPDX-License-Identifier: Apache-2.0
"""Which arguments Atoll's readers of files follow exactly as pandas' do, and which files pandas may read again."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.ndarray import ndarray
from ..classes import is_frame
from ..fallback.limits import Limit
from .first_lines import settled
from .read_csv import can_be_read_twice, for_pandas, usual_options, without_rewriting

if TYPE_CHECKING:
    from ...annotations import ArrayLike, ColumnType

#: Parameters of `read_csv` that are true or false, and what pandas checks of them.
_BOOLS = (
    "low_memory", "memory_map", "cache_dates", "skipinitialspace", "keep_default_na", "na_filter", "skip_blank_lines",
    "dayfirst", "doublequote", "iterator",
)  # fmt: skip
#: Parameters of which any value is pandas' to follow: they choose a parser or a rule that ours does not have.
_OF_PANDAS = ("float_precision", "dtype_backend")
_DTYPES = frozenset(("int64", "float64", "int32", "float32", "bool", "str", "category", "Int64"))
_COMPRESSIONS = ("infer", None, "gzip", "bz2", "zip", "xz", "zstd")
#: The least float that is no int64.
_LONG = 2.0**63
#: Files of more bytes than this are not read a second time.
_MANY = 64 << 20


def _is_known_dtype(dtype: ColumnType) -> bool:
    if isinstance(dtype, str):
        return dtype in _DTYPES
    if dtype in (int, float, str, bool):
        return True
    return isinstance(dtype, (type, np.dtype)) and str(np.dtype(dtype)) in _DTYPES


def _are_words(values: ArrayLike) -> bool:
    """Whether what is missing is given by strings that are no numbers, which pandas compares by value."""
    if values is None:
        return True
    listed = [values] if isinstance(values, str) else values
    return isinstance(listed, (list, tuple, set)) and all(
        isinstance(one, str) and not _is_number(one) for one in listed
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _read_csv(where: object, **options: Any) -> bool:
    told = settled(where, {**usual_options(), **options})
    plain = without_rewriting(where, told)
    if for_pandas(plain) or (told["converters"] and not can_be_read_twice(where)):
        return False
    options = {name: plain[name] for name in options}
    engines = ("python",) if told["skipfooter"] else (None, "c")  # pandas warns of lines at the end without that engine
    if options.get("engine") not in engines or (options.get("delimiter") is not None and "sep" in options):
        return False
    if any(type(options[name]) is not bool for name in _BOOLS if name in options):
        return False
    if any(options.get(name) is not None for name in _OF_PANDAS):
        return False
    dtype = options.get("dtype")
    named = dtype.values() if type(dtype) is dict else [] if dtype is None else [dtype]
    header, encoding = options.get("header", "infer"), options.get("encoding")
    return (
        all(map(_is_known_dtype, named))
        and (header in ("infer", None) or (type(header) is int and header >= 0))
        and not isinstance(options.get("index_col"), bool)
        and (type(dtype) is not dict or all(isinstance(one, str) for one in dtype))
        and options.get("compression", "infer") in _COMPRESSIONS
        and not isinstance(options.get("names"), (set, frozenset, dict))
        and _are_words(options.get("na_values"))
        and options.get("quotechar", '"') is not None
        and (options.get("nrows") is None or (type(options["nrows"]) is int and options["nrows"] >= 0))
        and str(encoding or "utf-8").lower().replace("_", "-") in ("utf-8", "utf8")
        and options.get("on_bad_lines", "error") in ("error", "skip")
    )


def _read_json(where: object, **options: object) -> bool:
    known = {"lines", "compression", "storage_options", "columns", "filters"}
    given = {name for name, value in options.items() if value is not None}
    return options.get("lines") is True and given <= known | {"orient"} and options.get("orient") in (None, "records")


def _read_parquet(path: Any, engine: str | None = None, *args: object, **options: object) -> bool:
    """Files that need no description beside their rows; no parameter that is pandas' to follow."""
    if engine not in (None, "pyarrow") or any(options.get(name) is not None for name in _OF_PANDAS_IN_PARQUET):
        return False
    if not isinstance(path, (str, os.PathLike)) and not hasattr(path, "seek"):
        return True
    if not hasattr(path, "seek") and not os.path.isfile(path):  # a directory, a pattern, a URL
        return True
    return not _has_description(path)


_OF_PANDAS_IN_PARQUET = ("filesystem", "to_pandas_kwargs", "dtype_backend")


def _has_description(path: Any) -> bool:
    """Whether pandas has written labels or dtypes of columns into a Parquet file that Arrow's types do not tell."""
    import pyarrow.parquet as pq

    start = path.tell() if hasattr(path, "seek") else 0
    try:
        told = json.loads((pq.read_schema(path).metadata or {}).get(b"pandas", b"{}"))
    finally:
        if hasattr(path, "seek"):
            path.seek(start)
    labels, columns = told.get("column_indexes", []), told.get("columns", [])
    if told.get("attributes") or any(one["name"] is not None or one["pandas_type"] != "unicode" for one in labels):
        return True
    return len(labels) > 1 or any(not _is_told_by_type(one["numpy_type"]) for one in columns)


def _is_told_by_type(dtype: str) -> bool:
    """Whether the name of a dtype is one of numbers, strings or datetimes."""
    return (
        re.fullmatch(r"(int|uint|float)(8|32|64)|u?int16|bool|str|object|(datetime|timedelta)64\[.*", dtype) is not None
    )


#: Of the package's readers.
OF_READERS: dict[str, Limit] = {
    "read_csv": _read_csv, "read_table": _read_csv, "read_json": _read_json, "read_parquet": _read_parquet,
}  # fmt: skip


def has_long_integers(frame: Any) -> bool:
    """Whether floats of a file may be integers that int64 does not hold, of which digits are lost."""
    if not is_frame(frame):  # chunks
        return False
    held = [one for one in list(frame._columns) if isinstance(one, ndarray) and one.dtype == np.float64]
    return any(bool((((one >= _LONG) | (one <= -_LONG)) & (abs(one) < np.inf)).any()) for one in held)


def may_be_read_again(where: Any) -> bool:
    """Whether pandas may try what ours failed at: streams that can be set back, and files that are not large."""
    if hasattr(where, "seek"):
        return True
    try:
        return os.path.getsize(where) <= _MANY
    except (OSError, TypeError, ValueError):
        return False
