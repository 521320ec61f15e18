# SPDX-License-Identifier: Apache-2.0
"""Which arguments of methods that write files Atoll follows exactly as pandas does: see limits.py."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from ...arrays.ndarray import ndarray
from ...columns.categorical.categorical import Categorical
from ...columns.column import Column
from ...columns.datetime.ticks import Ticks
from ...columns.text.strings import Strings
from ...storage.session_files import is_remote
from ..classes import is_frame
from .convert import in_pandas
from .limits import Limit, columns_of

#: Parameters of `to_parquet` that are pandas' to follow; others that ours lacks are those of pyarrow's writer.
_OF_PANDAS = frozenset(("schema", "filesystem"))


def _is_archive(where: object, compression: object) -> bool:
    """Whether a file is a zip or tar archive, which Atoll does not write."""
    method = compression.get("method") if isinstance(compression, dict) else compression
    name = str(where).lower() if method == "infer" else f".{method}"
    return re.search(r"\.(tar|zip)(\.|$)", name) is not None


def _to_csv(self: Any, path_or_buf: Any = None, *args: Any, compression: Any = "infer", **options: Any) -> bool:
    """Archives, labels of several levels, and a header without the index are pandas' to write."""
    tuples = is_frame(self) and any(isinstance(one, tuple) for one in self._labels.values)
    if tuples or options.get("index_label") is False:
        return False
    return not _is_archive(path_or_buf, compression)


def _to_json(self: Any, path_or_buf: Any = None, **options: Any) -> bool:
    """Rows under labels that do not repeat and are no datetimes, but for complex numbers."""
    appended = options.get("mode", "w") == "a" and options.get("lines") is True and options.get("orient") == "records"
    if options.get("mode", "w") != "w" and not appended:
        return False
    if _is_archive(path_or_buf, options.get("compression", "infer")) and not is_remote():
        return False
    if is_frame(self) and not (self._labels.nlevels == 1 and self._labels.is_unique):
        return False
    held = columns_of(self)
    complexes = any(isinstance(one, ndarray) and one.dtype.kind == "c" for one in held)
    return not complexes and self._index.nlevels == 1 and not isinstance(self._index._values, Ticks)


def _to_parquet(self: Any, path: Any = None, engine: str | None = None, *args: object, **options: Any) -> bool:
    """Columns of numbers, strings and datetimes under labels that are strings: of others the file has a description.

    pandas restores the labels of columns, and the dtypes that Arrow's types do not tell, from what it writes beside the
    rows.
    """
    labels = self._labels
    if not in_pandas() or is_remote() or options.get("dataset"):
        return True
    if args or engine not in (None, "pyarrow") or not _OF_PANDAS.isdisjoint(options):
        return False
    if labels.nlevels > 1 or labels.names[0] is not None or not all(type(one) is str for one in labels.values):
        return False
    names = self._index.names
    kept = options.get("index") is not False and not self._index_is_default()
    if kept and not (self._index.nlevels == 1 and (names[0] is None or type(names[0]) is str)):
        return False
    held = [*columns_of(self), *(self._index._labels_of_index if kept else [])]
    parts = options.get("partition_cols")
    if not self._columns or not all(_is_told_by_type(one) or (parts and _is_written_by_each(one)) for one in held):
        return False
    named = not parts or (isinstance(parts, list) and all(one in labels.places for one in parts))
    local = isinstance(path, (str, os.PathLike)) and "://" not in str(path)
    return named and (not local or Path(path).expanduser().parent.is_dir())


def _is_written_by_each(column: Any) -> bool:
    """Whether each PE writes its rows of a column to a directory."""
    return isinstance(column, Categorical) or type(column) is Column


def _is_told_by_type(column: Any) -> bool:
    """Whether the type that a column has in a file tells its dtype."""
    if isinstance(column, ndarray):
        return column.dtype.kind in "biuf" and column.dtype.itemsize <= 8 and column.dtype.name != "float16"
    return isinstance(column, (Strings, Ticks))


#: Of methods of frames, by name.
OF_FILES: dict[str, Limit] = {"to_csv": _to_csv, "to_json": _to_json, "to_parquet": _to_parquet}
#: The same of Series.
OF_FILES_OF_SERIES: dict[str, Limit] = {"to_csv": _to_csv, "to_json": _to_json}
