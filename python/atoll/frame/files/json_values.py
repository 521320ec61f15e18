# SPDX-License-Identifier: Apache-2.0
"""Files of one JSON value: whether it is one, and what pandas makes of it."""

from __future__ import annotations

import io
import json
from typing import Any

from ...io.csv.dialect import SAMPLE, Dialect, opened
from ...io.fallback import by_pandas, pandas_at_work
from ...storage.places import place_of
from ...storage.source import reading
from .pandas_readers import Chunks, files_of, read_each

_ENDINGS = (".json", ".jsonl", ".ndjson")


def held(where: object) -> Any:
    """A stream's content as a stream that can be read again; a path as it is."""
    if not hasattr(where, "read"):
        return where
    data = where.read()
    return io.BytesIO(data.encode() if isinstance(data, str) else bytes(data))


def has_lines(where: object, compression: str | None, storage_options: dict[str, Any] | None) -> bool:
    """Whether a file has an object in each line, as far as its beginning says."""
    place = place_of(where, _ENDINGS, storage_options)
    if hasattr(where, "seek"):
        where.seek(0)
    kind = compression if not isinstance(compression, dict) else compression.get("method")
    with reading(place.files[0]), opened(place, place.files[0], Dialect(compression=kind)) as source:
        head = bytes(source.read(SAMPLE)).lstrip()
    first = head.split(b"\n", 1)[0].strip()
    if not first.startswith(b"{"):
        return not head.startswith(b"[")
    alone = len(first) == len(head.rstrip())
    if alone and len(first) == SAMPLE:  # one value, longer than what is looked at
        return False
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        # Broken or too deep in its first line, or an object that goes on behind it.
        return b"}" in first
    return not (alone and value and all(isinstance(one, dict) for one in value.values()))


def json_by_pandas(
    where: object,
    others: dict[str, Any],
    lines: bool,
    compression: str | None,
    storage_options: dict[str, Any] | None,
    columns: object,
    filters: object,
) -> Any:
    """The result of pandas' reader."""
    by_pandas("read_json", others or ["lines"])
    import pandas

    options = {**others, "lines": lines, "compression": compression, "storage_options": storage_options}
    if others.get("chunksize") is not None:
        with pandas_at_work("read_json"), reading("<stream>" if hasattr(where, "read") else where):
            return Chunks(pandas.read_json(where, **options), where)
    files = files_of(where, _ENDINGS, storage_options)
    with pandas_at_work("read_json"):
        return read_each(lambda file: pandas.read_json(file, **options), files, filters, columns)
