# SPDX-License-Identifier: Apache-2.0
"""One schema of many files: columns that some lack, types that differ, and columns that paths stand for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..storage.places import Place
from ..storage.source import reading
from .reader import Part

if TYPE_CHECKING:
    from ..annotations import ArrayLike


def unified(schemas: Sequence[Any], files: Sequence[str]) -> Any:
    """The schema into which all files' columns fit, the first file's first. TypeError when types do not go together."""
    import pyarrow as pa

    for one, file in zip(schemas, files, strict=True):
        with reading(file):
            one.names  # noqa: B018  # raises when they are no strings
    schema = schemas[0].remove_metadata()
    for other, file in zip(schemas[1:], files[1:], strict=True):
        if other.equals(schema):
            continue
        try:
            schema = pa.unify_schemas([schema, other.remove_metadata()], promote_options="permissive")
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            name = next((n for n in other.names if n in schema.names and _differ(schema.field(n), other.field(n))), "?")
            if name == "?":
                raise TypeError(f"{file}: its columns do not go with those of {files[0]}: {error}") from error
            raise TypeError(
                f"{file}: column {name!r} is {other.field(name).type}, in {files[0]} it is {schema.field(name).type}"
            ) from error
    return schema


def _differ(a: ArrayLike, b: ArrayLike) -> bool:
    import pyarrow as pa

    try:
        pa.unify_schemas([pa.schema([a]), pa.schema([b])], promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return True
    return False


def key_types(place: Place) -> tuple[Any, list[dict[str, Any]]]:
    """Schema of the columns that paths stand for, and each file's values: whole numbers where all are, else strings."""
    import urllib.parse

    import pyarrow as pa

    found = [place.keys(file) for file in place.files]
    names = list(dict.fromkeys(name for keys in found for name in keys))
    fields = []
    for name in names:
        texts = [None if keys.get(name) == "__HIVE_DEFAULT_PARTITION__" else keys.get(name) for keys in found]
        try:
            values: list[Any] = [None if text is None else int(text) for text in texts]
            fields.append(pa.field(name, pa.int64()))
        except ValueError:
            values = [None if text is None else urllib.parse.unquote(text) for text in texts]
            fields.append(pa.field(name, pa.string()))
        for keys, value in zip(found, values, strict=True):
            keys[name] = value
    return pa.schema(fields), found


def with_keys(schema: Any, keys: Any) -> Any:
    """The files' columns, then those that paths stand for."""
    for one in keys:
        position = schema.get_field_index(one.name)
        schema = schema.append(one) if position < 0 else schema.set(position, one)
    return schema


def typed_keys(table: Any, part: Part, columns: Sequence[str], schema: Any) -> Any:
    """The table with all columns in their order: cast to the schema's types, missing ones null, keys filled in."""
    import pyarrow as pa

    arrays = []
    for name in columns:
        kind = schema.field(name).type
        if name in part.keys:
            arrays.append(pa.repeat(pa.scalar(part.keys[name], kind), table.num_rows))
        elif "\0" in name:  # Arrow does not find it
            raise ValueError(f"column name {name!r} has a NUL character. Rename the column, or leave it out: columns=")
        elif table.schema.get_field_index(name) < 0:
            arrays.append(pa.nulls(table.num_rows, kind))
        else:
            column = table.column(name)
            arrays.append(column if column.type == kind else column.cast(kind))
    return pa.table(arrays, schema=pa.schema([schema.field(name) for name in columns]))


# -- what pandas says in a schema --


def index_columns(found: Any, schema: Any) -> list[Any]:
    """The row labels in pandas' metadata: columns, or a dict that describes a range."""
    try:
        told = json.loads((found.metadata or {}).get(b"pandas", b"{}"))
        listed = told.get("index_columns", [])
        ranges = [one for one in listed if isinstance(one, dict) and one.get("kind") == "range"]
        if ranges and all(isinstance(ranges[0].get(key), int) for key in ("start", "stop", "step")):
            return [{"name": None, **ranges[0]}] if ranges[0]["step"] else []
        return [name for name in listed if isinstance(name, str) and name in schema.names]
    except (ValueError, AttributeError, TypeError, RecursionError):
        return []


def pandas_metadata(schema: Any, index: Sequence[str]) -> bytes:
    """The metadata from which pandas learns which columns are row labels."""
    columns = [
        {"name": None if one.name.startswith("__index_level_") else one.name, "field_name": one.name,
         "pandas_type": str(one.type), "numpy_type": "object", "metadata": None}
        for one in schema
    ]  # fmt: skip
    told = {"index_columns": list(index), "column_indexes": [], "columns": columns, "pandas_version": "2.0.0"}
    return json.dumps(told).encode()
