# SPDX-License-Identifier: Apache-2.0
"""HDF5: datasets of one dimension are columns; groups as Arkouda writes them are strings, categories and lists.

Rows of a dataset are read by ranges, each PE its own. Several files are one data set: Arkouda writes one for each of
its locales.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import extras
from ...arrays.array import Array
from ...columns.categorical.categorical import Categorical
from ...columns.column import Column
from ...columns.text.strings import Strings
from ...session.everywhere import once
from ...storage.places import Place, place_of, target_of
from ...storage.session_files import exists, sink
from ...storage.source import pour, reading
from ..reader import Part, Reader
from ..reading import check_room, expression, read_columns
from ..schemas import key_types, with_keys
from ..text_file import content_before
from ..writing import agree, check_nul, check_step, checked, writes
from .trial import try_strings
from .writer import put, write_hdf_rows

if TYPE_CHECKING:
    from ...annotations import Files

_ENDINGS = (".h5", ".hdf5", ".hdf")
_ROWS = 1 << 20  # rows that are read at a time
_PIECE = 64 << 20  # bytes that are written at a time
_ARKOUDA = {1: "numbers", 2: "texts", 3: "lists", 4: "categories"}  # its ObjType


class HdfReader(Reader):
    """Files of datasets; a part is a range of rows of one file."""

    by_column = True

    def __init__(
        self, place: Place, group: str, schema: Any, keys: Any, parts: list[Part], kinds: dict[str, str],
        begins: dict[tuple[str, str], tuple[int, Any]],
    ) -> None:  # fmt: skip
        self.place, self.group, self.parts, self.keys, self.kinds = place, group, parts, keys, kinds
        self.schema = with_keys(schema, keys)
        self._begins = begins

    def plain(self, part: Part, name: str) -> tuple[str, int] | None:
        """Reads contiguous, unfiltered datasets directly from the file."""
        begin, kind = self._begins.get((part.file, name), (0, None))
        if kind is None or kind != self.schema.field(name).type:
            return None
        return part.file, begin + part.number * kind.bit_width // 8

    def read(self, part: Part, columns: Sequence[str], where: Any) -> Iterable[Any]:
        """One table of the range's rows."""
        import pyarrow as pa

        with _opened(self.place, part.file) as whole:
            file = whole[self.group]
            begin, end = part.number, part.end
            arrays = []
            for name in columns:
                kind = self.schema.field(name).type
                if name in part.keys:
                    arrays.append(pa.repeat(pa.scalar(part.keys[name], kind), end - begin))
                elif name not in file:
                    arrays.append(pa.nulls(end - begin, kind))
                else:
                    arrays.append(_values(file[name], self.kinds[name], begin, end).cast(kind))
            yield pa.table(arrays, schema=pa.schema([self.schema.field(name) for name in columns]))


def _opened(place: Place, file: str) -> Any:
    import h5py

    if place.data is not None:
        import io

        return h5py.File(io.BytesIO(place.data), "r")
    return h5py.File(file if place.system is None else place.system.open_input_file(file), "r")


def hdf_columns(
    where: Files, columns: Sequence[str] | None = None, *, group: str = "/", filters: object = None,
    storage_options: dict[str, Any] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Columns of HDF5 files, by the paths of their datasets below a group; parameters as `parquet_columns`.

    Datasets of numbers, bools and strings, and what Arkouda wrote: pdarray, Strings, Categorical and SegArray. What has
    another shape or type is left out, unless it is asked for.

    Examples
    --------
    >>> import atoll as ak
    >>> import io
    >>> from atoll.io.hdf import hdf_columns, write_hdf
    >>> stream = io.BytesIO()
    >>> write_hdf(stream, {"a": ak.arange(3), "b": ak.array(["x", "", "z"])})
    >>> hdf_columns(io.BytesIO(stream.getvalue()))
    {'a': array([0, 1, 2]), 'b': strings(['x', '', 'z'])}
    """
    extras.module("h5py", "reading HDF5")
    extras.module("pyarrow", "reading HDF5")
    wanted = None if columns is None else tuple(columns)
    reader = once(_plan, place_of(where, _ENDINGS, storage_options), wanted, group)
    return read_columns(reader, columns, expression(filters))


# -- what is in a file --


def _plan(place: Place, wanted: Sequence[str] | None, group: str) -> HdfReader:
    import pyarrow as pa

    keys, of_files = key_types(place)
    parts: list[Part] = []
    kinds: dict[str, str] = {}
    fields: dict[str, Any] = {}
    begins: dict[tuple[str, str], tuple[int, Any]] = {}
    for name_of_file, of_file in zip(place.files, of_files, strict=True):
        with reading(name_of_file), _opened(place, name_of_file) as whole:
            lengths = {}
            file = whole.get(group)
            if file is None or not hasattr(file, "keys"):
                raise ValueError(f"there is no group {group!r}; there are {', '.join(map(repr, whole)) or 'none'}")
            for name, item in _items(file):
                kind = _kind(item)
                if kind is None:
                    if wanted is not None and name in wanted:
                        raise ValueError(f"{name!r} is no column: {_described(item)}")
                    continue
                if wanted is None or name in wanted:
                    kinds[name] = kind
                    lengths[name] = _length(item, kind)
                    fields.setdefault(name, pa.field(name, _arrow_type(item, kind)))
                    begin = _begin(place, whole, item) if kind == "numbers" else None
                    if begin is not None:
                        begins[name_of_file, name] = begin, _arrow_type(item, kind)
            if len(set(lengths.values())) > 1:
                raise ValueError(f"datasets differ in length: {lengths}. Choose some of one length with columns=")
            rows = next(iter(lengths.values()), 0)
            risky = [f"{group}/{name}" for name in lengths if _has_any_length(file[name])]
            if rows and risky and place.system is None:
                try_strings(name_of_file, place.data, risky)
            check_room(rows, sum(_least_bytes(fields[name].type) for name in lengths))
            for begin in range(0, rows, _ROWS):
                end = min(begin + _ROWS, rows)
                parts.append(
                    Part(
                        name_of_file,
                        begin,
                        (end - begin) * 8 * max(len(lengths), 1),
                        end - begin,
                        of_file,
                        "rows from",
                        end,
                    )
                )
    if wanted is not None:
        for name in wanted:
            if name not in fields and name not in keys.names:
                raise KeyError(f"no column {name!r}; there are {', '.join(map(repr, fields)) or 'none'}")
    return HdfReader(place, group, pa.schema(list(fields.values())), keys, parts, kinds, begins)


def _begin(place: Place, file: Any, item: Any) -> int | None:
    """Where in the file the dataset's numbers lie as they do in memory; None where they do not."""
    plain = item.chunks is None and item.external is None and not item.is_virtual and item.dtype.isnative
    plain = plain and item.dtype != np.float16 and not _is_bool(item)  # which are held as float32, and as bool
    if place.data is not None or place.system is not None or file.userblock_size or not plain:
        return None
    found = item.id.get_offset()
    return None if found is None else int(found)


def _items(group: Any, prefix: str = "", above: tuple[Any, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Datasets and groups that are columns, by path. ValueError where a group is in itself."""
    import h5py

    for name in group:
        item = group.get(name)
        if isinstance(item, h5py.Group) and _kind(item) is None and object_type(item) != 5:
            if item == group or item in above:
                raise ValueError(f"group {item.name!r} is in itself, as {prefix}{name}")
            yield from _items(item, f"{prefix}{name}/", (*above, group))
        elif item is not None:
            yield prefix + name, item


def object_type(item: Any) -> int | None:
    """The number that Arkouda gives what is stored, None where there is none."""
    found = item.attrs.get("ObjType")
    return None if found is None else int(np.asarray(found).reshape(-1)[0])


def _kind(item: Any) -> str | None:
    """The kind of the column; None when it is no column."""
    import h5py

    if isinstance(item, h5py.Dataset):
        if item.ndim != 1:
            return None
        if h5py.check_string_dtype(item.dtype) is not None:
            return "strings"
        if h5py.check_enum_dtype(item.dtype) is not None and item.dtype != np.bool_:
            return None
        return "numbers" if item.dtype.kind in "biuf" and item.dtype.itemsize <= 8 else None
    kind = _ARKOUDA.get(object_type(item) or 0)
    if kind is None and "values" in item and item["values"].dtype == np.uint8:
        kind = "texts"  # files of its first versions do not say it
    needs = {"texts": ["values"], "lists": ["values", "segments"], "categories": ["codes", "categories"]}
    if kind is not None and all(one in item for one in needs.get(kind, ["?"])):
        return kind
    return None


def _has_any_length(item: object) -> bool:
    """Whether it is a dataset of strings of variable length."""
    import h5py

    told = h5py.check_string_dtype(item.dtype) if isinstance(item, h5py.Dataset) else None
    return told is not None and told.length is None


def _described(item: object) -> str:
    import h5py

    if isinstance(item, h5py.Dataset):
        return f"a dataset of shape {item.shape} and type {item.dtype}"
    return "a group"


def _length(item: Any, kind: str) -> int:
    if kind == "texts":
        return len(item["segments"]) if "segments" in item else int(np.count_nonzero(item["values"][()] == 0))
    if kind == "lists":
        return len(item["segments"])
    return len(item["codes"]) if kind == "categories" else len(item)


def _arrow_type(item: Any, kind: str) -> Any:
    import pyarrow as pa

    if kind in ("texts", "strings"):
        return pa.large_string()
    if kind == "categories":
        return pa.dictionary(pa.int64(), pa.large_string())
    if kind == "lists":
        return pa.large_list(_arrow_type(item["values"], "numbers"))
    if _is_bool(item):
        return pa.bool_()
    return pa.from_numpy_dtype(item.dtype.newbyteorder("="))


def _least_bytes(kind: Any) -> int:
    """Bytes of a row in memory."""
    import pyarrow as pa

    return max(kind.bit_width // 8, 1) if pa.types.is_primitive(kind) else 8


def _is_bool(item: Any) -> bool:
    return item.dtype == np.bool_ or bool(np.any(item.attrs.get("isBool", 0)))


# -- values --


def _values(item: Any, kind: str, begin: int, end: int) -> Any:
    """Rows [begin, end) as an array of Arrow's."""
    import pyarrow as pa

    if kind == "strings":
        return pa.array(item.asstr()[begin:end].tolist(), pa.large_string())
    if kind == "texts":
        return _texts(item, begin, end)
    if kind == "categories":
        words = all_texts(item["categories"])
        codes = np.asarray(item["codes"][begin:end], np.int64)
        missing = codes < 0
        if "NA_Codes" in item:
            missing |= np.isin(codes, item["NA_Codes"][()])
        if ((codes >= len(words)) & ~missing).any():
            raise ValueError(f"a code of {item.name} is none of {len(words)} categories")
        return pa.DictionaryArray.from_arrays(pa.array(codes, mask=missing), words)
    if kind == "lists":
        offsets, _ = _offsets(item, begin, end)
        array = pa.array(_numbers(item["values"], int(offsets[0]), int(offsets[-1])))
        return pa.LargeListArray.from_arrays(pa.array(offsets - offsets[0]), array)
    return pa.array(_numbers(item, begin, end))


def _numbers(item: Any, begin: int, end: int) -> Any:
    values = np.ascontiguousarray(item[begin:end], item.dtype.newbyteorder("="))
    return values.astype(bool) if _is_bool(item) and values.dtype != np.bool_ else values


def _offsets(item: Any, begin: int, end: int) -> tuple[Any, int]:
    """Where the rows begin among the values, and where the last ends."""
    segments, size = item["segments"], len(item["values"])
    found = np.asarray(segments[begin : min(end + 1, len(segments))], np.int64)
    if end == len(segments):
        found = np.append(found, size)
    if len(found) and (found[0] < 0 or found[-1] > size or (np.diff(found) < 0).any()):
        raise ValueError(f"the segments of {item.name} leave its {size} values, or fall")
    return found, size


def all_texts(item: Any) -> Any:
    """All strings of a group, as an array of Arrow's."""
    return _texts(item, 0, _length(item, "texts"))


def _texts(item: Any, begin: int, end: int) -> Any:
    """Strings that end with a zero, one behind the other."""
    import pyarrow as pa

    if "segments" in item:
        offsets, _ = _offsets(item, begin, end)
    else:
        ends = np.flatnonzero(item["values"][()] == 0) + 1
        offsets = np.concatenate([[0], ends])[begin : end + 1]
    if len(offsets) < 2:
        return pa.array([], pa.large_string())
    first = int(offsets[0])
    data = np.asarray(item["values"][first : int(offsets[-1])], np.uint8)
    ends = offsets[1:] - first - 1
    if (np.diff(offsets) < 1).any() or data[ends].any():
        raise ValueError(f"texts of {item.name} do not end with a zero where their segments say")
    # The zeros go: each string moves to the left by how many are before it.
    kept = np.delete(data, ends)
    moved = np.concatenate([[0], ends - np.arange(len(ends))])
    array = pa.LargeStringArray.from_buffers(len(ends), pa.py_buffer(moved.astype(np.int64)), pa.py_buffer(kept))
    array.validate(full=True)
    return array


# -- writing --


def write_hdf(
    where: Files, columns: Mapping[str, Any], *, group: str = "/", keep: bool = False, compression: str | None = None,
    storage_options: dict[str, Any] | None = None,
) -> None:  # fmt: skip
    """Writes columns to an HDF5 file in the layout that Arkouda reads: numbers as datasets, others as groups.

    They go below a group. With `keep` what else is in the file stays, and with it its old content in memory meanwhile.
    A new file of this machine's file system is written by all PEs, each its own rows; a compressed one by one after the
    other.

    ValueError for columns in which numbers or strings are missing: that layout has no place for it. Categories may be.
    """
    h5py = extras.module("h5py", "writing HDF5")
    extras.module("pyarrow", "writing HDF5")
    named = checked(columns)
    check_nul(group, "key")
    for name, column in named.items():
        for step in name.split("/"):
            check_step(step, "column name" if step == name else f"part of column name {name!r},")
        _check(name, column)
    system, target = target_of(where, storage_options)
    if system is None and isinstance(target, str) and named and not (keep and exists(target)):
        below = {f"{group.strip('/')}/{name}".lstrip("/"): column for name, column in named.items()}
        if write_hdf_rows(target, below, compression):
            return
    prepared = {name: _prepared(column) for name, column in named.items()}
    failure: BaseException | None = None
    if writes():
        try:
            import io

            before = content_before(system, target, "a" if keep else "w")
            with sink(system, target) as stream:
                content = io.BytesIO(before)
                with h5py.File(content, "r+" if before else "w") as file:
                    if group != "/" and group in file:
                        del file[group]
                    parent = file.require_group(group)
                    for name, (kind, values) in prepared.items():
                        put(parent, name, kind, values, compression)
                pour(stream, content.getbuffer(), _PIECE)
        except BaseException as error:
            failure = error
    agree(failure, iter(()))


def _check(name: str, column: Any) -> None:
    """ValueError or TypeError for what has no place in the layout."""
    if isinstance(column, Categorical):
        return
    if isinstance(column, Column) and column.null_count:
        raise ValueError(
            f"values of column {name!r} are missing, which Arkouda's layout has no place for. Fill them first"
        )
    plain = isinstance(column, Array) or type(column) is Column
    if not isinstance(column, Strings) and not (plain and np.dtype(column.dtype).kind in "biuf"):
        raise TypeError(
            f"column {name!r} ({getattr(column, 'kind', type(column).__name__)}) has no place in Arkouda's layout"
        )


def _prepared(column: Any) -> tuple[str, Any]:
    if isinstance(column, Categorical):
        return "categories", column.to_arrow()
    if isinstance(column, Strings):
        return "texts", column.to_arrow()
    return "numbers", column.to_numpy()
