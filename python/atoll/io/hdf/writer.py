# SPDX-License-Identifier: Apache-2.0
"""One HDF5 file that all PEs write: the first makes the datasets, then each puts its rows where they lie in the file.

Rows of compressed datasets, which lie in chunks, are written by one PE after the other.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...session import current
from ...session.everywhere import everywhere, once
from ...storage.session_files import replacing
from ..rows import Kept, inputs_of, table_of, write_all

#: Bytes that are written at a time: in 0.1 s, where they are compressed.
_PIECE = 4 << 20
_TEXTS = 1 << 18  # strings that are copied at a time

#: Of each dataset its first byte in the file; None: it has none, or lies in chunks.
Places = Sequence[int | None]


class Dataset(NamedTuple):
    """A dataset of one dimension, and how many elements each PE has of it."""

    path: str
    dtype: Any
    counts: tuple[int, ...]


def write_hdf_rows(path: str, columns: Mapping[str, Any], compression: str | None) -> bool:
    """Writes columns of numbers, strings and categories; False when one is of a kind that has to be gathered."""
    prepared = inputs_of(columns)
    if prepared is None:
        return False
    inputs, kept = prepared
    told = everywhere(_shapes, kept, inputs=inputs)
    datasets = [Dataset(name, dtype, tuple(own[at][2] for own in told)) for at, (name, dtype, _) in enumerate(told[0])]
    with replacing(path) as aside:
        places = once(_create, aside, kept, datasets, compression)
        if compression is None:
            everywhere(_place, aside, kept, datasets, places, inputs=inputs)
        else:
            for pe in range(current().pes):
                everywhere(_insert, pe, aside, kept, datasets, inputs=inputs)
    return True


def _shapes(here: Any, kept: Sequence[Kept]) -> list[tuple[str, Any, int]]:
    """On a PE: each dataset's path, type, and how many elements are this PE's."""
    return [(path, values.dtype, len(values)) for path, values, _ in _arrays(here, kept)]


def _arrays(here: Any, kept: Sequence[Kept]) -> Iterator[tuple[str, Any, bool]]:
    """On a PE: each dataset's path, its elements there, and whether these are places in the dataset before."""
    table = table_of(here, kept)
    for one in kept:
        array = table[one.name].chunk(0)
        if one.categories is not None:
            codes = array.indices.fill_null(-1).to_numpy(zero_copy_only=False)
            yield f"{one.name}/codes", codes.astype(np.int64, copy=False), False
        elif one.text:
            data, segments = ended(one.name, array)
            yield f"{one.name}/values", data, False
            yield f"{one.name}/segments", segments, True
        else:
            yield one.name, array.to_numpy(zero_copy_only=False), False


def ended(name: str, texts: Any) -> tuple[Any, Any]:
    """Arrow's strings as bytes that each end with a zero, and where each begins. ValueError for a zero in one."""
    _, offsets, text = texts.buffers()
    begins = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    data = np.frombuffer(text, np.uint8)[begins[0] : begins[-1]] if text is not None else np.zeros(0, np.uint8)
    if (data == 0).any():
        raise ValueError(f"a text of {name!r} has a zero in it, which ends a text in Arkouda's layout")
    begins = begins - begins[0]
    whole = np.zeros(len(data) + len(texts), np.uint8)
    for first in range(0, len(texts), _TEXTS):
        some = begins[first : first + _TEXTS + 1]
        piece = np.insert(data[some[0] : some[-1]], some[1:] - some[0], 0)
        whole[some[0] + first :][: len(piece)] = piece
    return whole, (begins[:-1] + np.arange(len(texts))).astype(np.int64)


def _noted(made: Any, kind: str) -> Any:
    """The dataset or group, with what Arkouda's layout says of a column of that kind."""
    made.attrs.update({"ObjType": {"numbers": 1, "texts": 2, "categories": 4}[kind], "file_version": np.float32(2.0)})
    if kind == "numbers":
        made.attrs["isBool"] = int(made.dtype == np.bool_)
    return made


def put(group: Any, name: str, kind: str, values: Any, compression: str | None = None) -> Any:
    """Puts a column of a kind, as NumPy or Arrow has it, into an open file or group: the dataset or group it is in."""
    if kind == "numbers":
        made = group.create_dataset(name, values.shape, values.dtype, compression=compression)
        _fill(made, 0, values)
        return _noted(made, kind)
    made = _noted(group.create_group(name), kind)
    if kind == "categories":
        codes = values.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        put(made, "codes", "numbers", codes, compression)
        put(made, "categories", "texts", values.dictionary, compression)
        put(made, "NA_Codes", "numbers", np.array([-1], np.int64), compression)
        return made
    import pyarrow as pa

    if values.type != pa.large_string():
        values = values.cast(pa.large_string())
    data, segments = ended(name, values)
    put(made, "values", "numbers", data, compression)
    put(made, "segments", "numbers", segments, compression)
    return made


def _fill(dataset: Any, begin: int, values: Any) -> None:
    """Writes elements from there on, some chunks of the dataset at a time: signals are handled in between."""
    chunk = dataset.chunks[0] if dataset.chunks else _PIECE
    step = max(_PIECE // values.dtype.itemsize // chunk, 1) * chunk
    at = begin
    while at < begin + len(values):
        end = min(at + step - at % step, begin + len(values))
        dataset[at:end] = values[at - begin : end - begin]
        at = end


@contextlib.contextmanager
def hdf_file(path: str, mode: str, **options: object) -> Iterator[Any]:
    """An open HDF5 file to write to, a new one or with `mode` "r+" one that is there. OSError where that fails."""
    import h5py

    with _Patient(path, "w+b" if mode == "w" else "r+b") as stream:
        try:
            with h5py.File(stream, mode, **options) as file:
                yield file
        except Exception:
            stream.check()
            raise
        stream.check()


class _Patient(io.FileIO):
    """A file that takes all bytes behind a failure, too, and tells of it when it is asked.

    HDF5 writes when it closes what is in a file, and has no way to tell of errors there.
    """

    failure: OSError | None = None

    def write(self, data: Any) -> int:
        """All bytes."""
        left = memoryview(data)
        try:
            while self.failure is None and len(left):
                left = left[super().write(left) :]
        except OSError as error:
            self.failure = error
        return len(data)

    def truncate(self, size: int | None = None) -> int:
        """The file's new size."""
        if self.failure is None:
            try:
                return super().truncate(size)
            except OSError as error:
                self.failure = error
        return self.tell() if size is None else size

    def check(self) -> None:
        """Raises the failure."""
        if self.failure is not None:
            raise self.failure


def _create(path: str, kept: Sequence[Kept], datasets: Sequence[Dataset], compression: str | None) -> Places:
    """Makes the file, whose datasets have room and no values yet."""
    with hdf_file(path, "w") as file:
        for one in kept:
            if one.text or one.categories is not None:
                group = _noted(file.create_group(one.name), "texts" if one.text else "categories")
            if one.categories is not None:
                put(group, "categories", "texts", one.categories, compression)
                put(group, "NA_Codes", "numbers", np.array([-1], np.int64), compression)
        return [_made(file, one, compression) for one in datasets]


def _made(file: Any, one: Dataset, compression: str | None) -> int | None:
    import h5py

    count = sum(one.counts)
    if compression is None:
        # Contiguous, so that it is allocated at once, without fill values.
        how = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        how.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        how.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
        links = h5py.h5p.create(h5py.h5p.LINK_CREATE)
        links.set_create_intermediate_group(True)
        kind, space = h5py.h5t.py_create(np.dtype(one.dtype), logical=True), h5py.h5s.create_simple((count,))
        made = h5py.Dataset(h5py.h5d.create(file.id, one.path.encode(), kind, space, how, links))
    else:
        made = file.create_dataset(one.path, (count,), one.dtype, compression=compression)
    found: int | None = _noted(made, "numbers").id.get_offset()
    return found


def _own(here: Any, kept: Sequence[Kept], datasets: Sequence[Dataset]) -> Iterator[tuple[int, Any]]:
    """On a PE: of each dataset where this PE's elements begin, and they."""
    begins = [sum(one.counts[: here.pe]) for one in datasets]
    for at, (path, values, of_texts) in enumerate(_arrays(here, kept)):
        if path != datasets[at].path:
            raise RuntimeError(f"datasets come in another order: {path} in place of {datasets[at].path}")
        yield begins[at], values + begins[at - 1] if of_texts else values


def _place(here: Any, path: str, kept: Sequence[Kept], datasets: Sequence[Dataset], places: Places) -> None:
    handle = os.open(path, os.O_WRONLY)
    try:
        for place, (begin, values) in zip(places, _own(here, kept, datasets), strict=True):
            if place is not None and len(values):
                write_all(
                    handle, np.ascontiguousarray(values).view(np.uint8).data, place + begin * values.dtype.itemsize
                )
    finally:
        os.close(handle)


def _insert(here: Any, pe: int, path: str, kept: Sequence[Kept], datasets: Sequence[Dataset]) -> None:
    if here.pe != pe:
        return
    with hdf_file(path, "r+") as file:
        for one, (begin, values) in zip(datasets, _own(here, kept, datasets), strict=True):
            _fill(file[one.path], begin, values)
