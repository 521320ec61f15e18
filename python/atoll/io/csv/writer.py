# SPDX-License-Identifier: Apache-2.0
"""Columns as text of separated values: rows are put together where they lie, and written by all PEs."""

from __future__ import annotations

import contextlib
import io
import lzma
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ... import _core, extras
from ...arrays.array import Array
from ...arrays.creation import zeros
from ...arrays.ufuncs import isnan
from ...columns.column import Column
from ...columns.datetime.ticks import Ticks
from ...columns.text.strings import Strings, strings, texts_of
from ...storage.places import target_of
from ...storage.session_files import sink
from ...storage.source import pour
from ..lines import Form, LineColumn, is_plain, write_lines
from ..writing import agree, checked, writes
from .dialect import compression_of

_PIECE = 64 << 20  # bytes that pass through the writing process at a time
COMPRESSED = 256 << 10  # bytes that are compressed at a time, in 0.1 s (xz) or less


def csv_rows(
    columns: Mapping[str, Any], *, sep: str = ",", na_rep: str = "", quotechar: str = '"', lineterminator: str = "\n"
) -> Strings:
    """The text of each row: values as pandas writes them, quoted where that is needed."""
    if len(sep) != 1 or len(quotechar) != 1:
        raise TypeError('"delimiter" must be a 1-character string')
    named = checked(columns)
    if not named:
        raise ValueError("no columns to write")
    count = len(next(iter(named.values())))
    special = f"[{re.escape(sep)}{re.escape(quotechar)}\r\n]"
    texts = [_text(column, na_rep, special, quotechar) for column in named.values()]
    if len(texts) == 1:  # readers skip an empty line
        nothing = texts[0].str.len() == 0
        texts[0] = texts[0]._choose(nothing, strings([quotechar * 2])._rows(zeros(count, dtype="int64")), texts[0])
    end = strings([lineterminator])._rows(zeros(count, dtype="int64"))
    texts[-1] = texts_of(_core.text_join([texts[-1]._values, end._values], b""))
    return texts_of(_core.text_join([text._values for text in texts], sep.encode()))


def _text(column: Any, na_rep: str, special: str, quotechar: str, filled: bool = True) -> Strings:
    texts: Strings = column.astype("str") if isinstance(column, Column) else strings(column)
    if getattr(column.dtype, "kind", "") == "f":  # pandas writes NaN as a missing value
        texts = texts._hiding(isnan(column.values if isinstance(column, Column) else column))
    if not (type(column) is Column or isinstance(column, (Array, Ticks))):  # their strings have no special characters
        texts = quoted(texts, special, quotechar)
    return texts.fillna(na_rep) if filled else texts


def quoted(texts: Strings, special: str, quotechar: str) -> Strings:
    """Strings with quotes around them, and theirs twice, where a special character is in them."""
    found = texts.fillna("").str.contains(special)
    if not bool(found.any()):
        return texts
    inner = texts.str.replace(quotechar, quotechar * 2, regex=False)
    wrapped = strings([quotechar])._rows(zeros(len(texts), dtype="int64"))
    around = texts_of(_core.text_join([wrapped._values, inner._values, wrapped._values], b""), texts._valid)
    return texts._choose(found, around, texts)


def write_csv(
    where: Any, columns: Mapping[Any, Any], *, header: bool = True, names: Sequence[str] | None = None,
    compression: str | None = "infer", storage_options: dict[str, Any] | None = None, **dialect: Any,
) -> None:  # fmt: skip
    """Writes columns as text; `sep`, `na_rep`, `quotechar` and `lineterminator` are those of `csv_rows`.

    `names` are those in the header, which may be alike; by default the keys of `columns`.

    Examples
    --------
    >>> import atoll as ak
    >>> import io
    >>> from atoll.io.csv import write_csv
    >>> stream = io.StringIO()
    >>> write_csv(stream, {"a": ak.array([1.0, None]), "b": ak.array(["x", "y,z"])})
    >>> print(stream.getvalue(), end="")
    a,b
    1.0,x
    ,"y,z"
    """
    named = {str(name): column for name, column in columns.items()}
    head = ""
    if header:
        quote, sep = dialect.get("quotechar", '"'), dialect.get("sep", ",")
        special = re.compile(f"[{re.escape(sep)}{re.escape(quote)}\r\n]")
        names = list(map(str, columns)) if names is None else names
        shown = [
            quote + name.replace(quote, quote * 2) + quote if special.search(name) or list(names) == [""] else name
            for name in names
        ]
        head = sep.join(shown) + dialect.get("lineterminator", "\n")
    system, target = target_of(where, storage_options)
    compression = compression_of(target, compression) if isinstance(target, str) else None
    signs = dialect.get("sep", ",") + dialect.get("quotechar", '"')
    if system is None and isinstance(target, str) and compression is None and len(signs) == 2 and signs.isascii():
        write_lines(target, head.encode(), _line_columns(checked(named), **dialect), _form(**dialect))
        return
    pieces = _pieces(csv_rows(named, **dialect))
    failure: BaseException | None = None
    if writes():
        try:
            with sink(system, target) as stream, compressed(stream, compression) as out:
                plain = isinstance(out, io.TextIOBase)
                out.write(head if plain else head.encode())
                for piece in pieces:
                    if plain:
                        out.write(piece.decode())
                    else:
                        pour(out, piece, _PIECE if compression is None else COMPRESSED)
        except BaseException as error:
            failure = error
    agree(failure, pieces)


def _form(sep: str = ",", na_rep: str = "", quotechar: str = '"', lineterminator: str = "\n") -> Form:
    return Form(False, sep, quotechar, na_rep, lineterminator)


def _line_columns(columns: Mapping[str, Any], *, sep: str = ",", quotechar: str = '"', **_: str) -> list[LineColumn]:
    """The columns as numbers and strings; what is neither becomes strings."""
    if not columns:
        raise ValueError("no columns to write")
    found: list[LineColumn] = []
    for column in columns.values():
        before = sep if found else ""
        if is_plain(column):
            found.append(LineColumn(column, before))
        else:
            special = f"[{re.escape(sep)}{re.escape(quotechar)}\r\n]"
            found.append(LineColumn(_text(column, "", special, quotechar, filled=False), before, verbatim=True))
    return found


def _pieces(rows: Strings) -> Iterator[bytes]:
    """The strings, some at a time, one behind the other."""
    step = max(1, len(rows) * _PIECE // max(rows.nbytes, 1))
    for begin in range(0, len(rows), step):
        yield _core.text_buffers(rows[begin : begin + step]._values)[1].tobytes()


@contextlib.contextmanager
def compressed(stream: Any, kind: str | None) -> Iterator[Any]:
    """A stream that passes on to another what is written to it, compressed."""
    if kind is None:
        yield stream
    elif kind == "xz":
        with lzma.open(stream, "wb") as out:
            yield out
    elif kind == "zip":
        raise ValueError("zip files are read, but not written. Use .gz, .bz2, .xz or .zst")
    else:
        out = extras.module("pyarrow", f"writing {kind}").CompressedOutputStream(stream, kind)
        yield out
        out.close()
