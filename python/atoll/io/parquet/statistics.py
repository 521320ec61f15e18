# SPDX-License-Identifier: Apache-2.0
"""Limits of Parquet's statistics, and statistics on which Arrow fails.

Least and largest values leave NaN out, and Arrow excludes rows by them as if there were none: where other values are
above 3, it takes `~(v > 3)` for false. So what they exclude is asked again of rows with NaN. Of values that are too
short Arrow makes an exception that ends the process.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .thrift import Struct, Wanted

if TYPE_CHECKING:
    pass

TYPES = ("BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY")
_WIDTHS = dict(zip(TYPES, (1, 4, 8, 12, 4, 8), strict=False))
_MOST = 7  # cases of NaN that are asked one by one: all of three columns

#: Fields of Statistics, as the format numbers them: the last two say the same, for signed values alone.
LEAST, LARGEST = 6, 5
_VALUES = (LEAST, LARGEST, 2, 1)
#: Of a footer: its row groups' columns'.
STATISTICS: Wanted = {4: {1: {3: {12: dict.fromkeys(_VALUES)}}}}


def fits(value: bytes, physical: str, element: Struct) -> bool:
    """Whether a value of statistics is as wide as those of its column."""
    if physical == "BYTE_ARRAY":
        return True
    return len(value) == (element[2][1] if physical == "FIXED_LEN_BYTE_ARRAY" else _WIDTHS[physical])


def misfits(groups: Sequence[Struct], leaves: Sequence[Struct]) -> set[tuple[int, int]]:
    """Row groups (`STATISTICS` of them) and leaves of the schema whose statistics have values that do not fit."""
    found = set()
    for number, group in enumerate(groups):
        for leaf, (chunk, element) in enumerate(zip(group[1][1][1], leaves, strict=True)):
            _, told = chunk[3][1].get(12, (0, {})) if 3 in chunk else (0, {})
            values = [told[field][1] for field in _VALUES if field in told]
            if values and not all(fits(value, TYPES[element[1][1]], element) for value in values):
                found.add((number, leaf))
    return found


def nan_cases(where: Any, fields: Sequence[Any]) -> list[Any] | None:
    """Which of some columns may be NaN in rows for which an expression is true: an expression for each case. None:
    there are too many, or NaN lies within lists and the like."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.dataset as ds
    import pyarrow.fs as fs

    schema, file_format, system = pa.schema(fields), ds.ParquetFileFormat(), fs.LocalFileSystem()
    floats = [field for field in fields if pa.types.is_floating(field.type)]
    if any(_has_floats(field.type) for field in fields if field not in floats):
        return None
    cases: list[Any] = []

    def add(case: Any, others: list[Any]) -> None:
        for at, field in enumerate(others):
            is_nan = pc.field(field.name) == pa.scalar(float("nan"), field.type)
            one = is_nan if case is None else case & is_nan
            # No file is opened to say whether the expression may be true where this is.
            fragment = file_format.make_fragment("none", system, one)
            if len(cases) <= _MOST and list(
                ds.FileSystemDataset([fragment], schema, file_format, system).get_fragments(where)
            ):
                cases.append(one)
                add(one, others[at + 1 :])

    add(None, floats)
    return cases if len(cases) <= _MOST else None


def _has_floats(kind: Any) -> bool:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _has_floats(kind.value_type)
    inner = [kind.field(at).type for at in range(kind.num_fields)]
    return pa.types.is_floating(kind) or any(map(_has_floats, inner))
