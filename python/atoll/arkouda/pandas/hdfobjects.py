# SPDX-License-Identifier: Apache-2.0
"""Arkouda's objects in HDF5 files: a dataset for numbers, a group for what has parts. Files of columns, also those that
Arkouda wrote, are read and written by `atoll.io.hdf`; here are the objects that are no columns.

The parts of an object are objects themselves: one table says which there are, another how they make one.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ... import extras
from ...columns.creation import from_arrow
from ...io.hdf.reader import all_texts, object_type
from ...io.hdf.writer import hdf_file, put
from ...io.writing import check_nul, write_alone
from ...storage.session_files import exists, read_by_path
from ..client_dtypes import IPv4
from ..numpy.arrays import pdarray
from ..numpy.dtypes import bigint
from ..numpy.pdarraycreation import array, bigint_from_uint_arrays
from ..numpy.pdarraysetops import concatenate
from ..numpy.segarray import SegArray
from ..numpy.strings import Strings
from ..numpy.timeclass import Datetime, Timedelta
from ..objects import lift
from .categorical import Categorical
from .dataframe import DataFrame
from .groupbyclass import GroupBy
from .index import Index, MultiIndex

__all__ = ["datasets_of", "read_objects", "write_objects"]

METADATA = "_arkouda_metadata"  # a group that Arkouda puts into each file, beside the objects

#: Classes by the numbers that Arkouda gives them in files; what is derived comes before what it derives from.
_KINDS: dict[type, int] = {
    Datetime: 7, Timedelta: 8, IPv4: 9, pdarray: 1, Strings: 2, SegArray: 3, Categorical: 4, GroupBy: 5, DataFrame: 6,
    MultiIndex: 13, Index: 12,
}  # fmt: skip


def _several(prefix: str, parts: Sequence[Any]) -> dict[str, Any]:
    return {f"{prefix}_{place}": one for place, one in enumerate(parts)}


def _categorical_parts(one: Categorical) -> dict[str, Any]:
    parts = {"codes": one.codes, "categories": one.categories, "NA_Codes": one._akNAcode}
    return parts if one.permutation is None else parts | {"permutation": one.permutation, "segments": one.segments}


_PARTS: dict[type, Callable[[Any], dict[str, Any]]] = {
    SegArray: lambda one: {"segments": one.segments, "values": one.values},
    Categorical: _categorical_parts,
    GroupBy: lambda one: _several("key", [one.keys] if not isinstance(one.keys, (list, tuple)) else one.keys),
    DataFrame: lambda one: {"Index": one.index, **{f"column {name}": one[name] for name in one.columns}},
    MultiIndex: lambda one: _several("level", one.levels),
    Index: lambda one: {"values": one.values},
}


def _all(parts: dict[str, Any]) -> Any:
    found = list(parts.values())
    return found[0] if len(found) == 1 else found


def _categorical(parts: dict[str, Any]) -> Categorical:
    return Categorical.from_codes(
        parts["codes"],
        parts["categories"],
        permutation=parts.get("permutation"),
        segments=parts.get("segments"),
        _akNAcode=parts.get("NA_Codes"),
    )


def _frame(parts: dict[str, Any]) -> DataFrame:
    columns = {name.removeprefix("column "): one for name, one in parts.items() if name != "Index"}
    return DataFrame(columns, index=parts["Index"])


_MADE: dict[int, Callable[[dict[str, Any]], Any]] = {
    3: lambda parts: SegArray(parts["segments"], parts["values"]),
    4: _categorical,
    5: lambda parts: GroupBy(_all(parts)),
    6: _frame,
    12: lambda parts: Index(parts["values"]),
    13: lambda parts: MultiIndex(list(parts.values())),
}
_AS: dict[int, Callable[[Any], Any]] = {1: lambda one: one, 7: Datetime, 8: Timedelta, 9: IPv4}


def _kind_of(thing: object) -> int:
    for kind, number in _KINDS.items():
        if isinstance(thing, kind):
            return number
    raise TypeError(f"{type(thing).__name__} has no place in HDF5 files")


# -- writing --


@dataclass
class _Stored:
    """The data to write for an object: a NumPy array, an Arrow string array, or its parts."""

    number: int
    content: Any
    attributes: dict[str, Any] = field(default_factory=dict)


def _stored(thing: object) -> _Stored:
    number = _kind_of(thing)
    if isinstance(thing, pdarray) and thing.dtype == bigint():
        limbs = _several("Limb", [_stored(one) for one in thing.bigint_to_uint_arrays()])
        return _Stored(number, limbs, {"max_bits": thing.max_bits})
    if isinstance(thing, pdarray):
        return _Stored(number, pdarray.to_ndarray(thing))
    if isinstance(thing, Strings):
        return _Stored(number, thing._a.to_arrow())
    parts = next(parts for kind, parts in _PARTS.items() if isinstance(thing, kind))
    return _Stored(number, {name: _stored(one) for name, one in parts(thing).items()})


def _put(group: Any, name: str, one: _Stored) -> None:
    check_nul(name, "data set name")
    if name in group:
        del group[name]
    if isinstance(one.content, dict):
        made = group.create_group(name, track_order=True)
        for part, content in one.content.items():
            _put(made, part, content)
    else:
        made = put(group, name, "numbers" if isinstance(one.content, np.ndarray) else "texts", one.content)
    made.attrs.update({"ObjType": one.number, "file_version": np.float32(2.0)} | one.attributes)


def write_objects(path: str, objects: dict[str, Any], *, before: str | None = None, repack: bool = False) -> None:
    """Writes objects to a new file, beside, and in the place of, what the file `before` has, if there is one.

    With `repack` what no object uses any more does not come into the new file. One PE writes; when that fails, `path`
    is as it was.
    """
    h5py = extras.module("h5py", "writing HDF5")
    ready = {name: _stored(one) for name, one in objects.items()}

    def write(aside: str) -> None:
        if before is None or not exists(before):
            write_with(aside, None)
        else:
            with read_by_path(before) as old:
                write_with(aside, old)

    def write_with(aside: str, old: str | None) -> None:
        goes_on = old is not None and not repack
        if old is not None and goes_on:
            shutil.copyfile(old, aside)
        with hdf_file(aside, "r+" if goes_on else "w", track_order=True) as file:
            if old is not None and repack:
                with h5py.File(old, "r") as source:
                    for name in source:
                        if name not in ready:
                            source.copy(name, file)
            for name, one in ready.items():
                _put(file, name, one)
            file.require_group(METADATA)

    write_alone(path, write)


# -- reading --


def datasets_of(file: Any, prefix: str = "") -> list[str]:
    """The paths of the objects in a file."""
    h5py = extras.module("h5py", "reading HDF5")
    found: list[str] = []
    for name, item in file.items():
        plain = isinstance(item, h5py.Group) and object_type(item) is None and not ("values" in item or "codes" in item)
        if name == METADATA:
            continue
        found += datasets_of(item, f"{prefix}{name}/") if plain else [prefix + name]
    return found


def _read(item: Any) -> Any:
    h5py = extras.module("h5py", "reading HDF5")
    number = object_type(item)
    if isinstance(item, h5py.Dataset):
        if h5py.check_string_dtype(item.dtype) is not None:
            return array(np.asarray(item.asstr()[()], dtype=str))
        values = np.asarray(item[()])
        small = values.dtype.kind in "iuf" and values.dtype.itemsize < 8
        values = values.astype(f"{values.dtype.kind}8") if small else values.astype(values.dtype.newbyteorder("="))
        if np.any(item.attrs.get("isBool", 0)):
            values = values.astype(bool)
        return _AS.get(number or 1, _AS[1])(array(values))
    if "Limb_0" in item:
        limbs = [array(item[f"Limb_{place}"][()]) for place in range(len(item))]
        return bigint_from_uint_arrays(limbs, max_bits=int(item.attrs["max_bits"]))
    if number in (2, None):
        return lift(from_arrow(all_texts(item)))
    return _MADE[number]({name: _read(item[name]) for name in item})


def read_objects(files: Sequence[str], names: Sequence[str]) -> dict[str, Any]:
    """Objects by name, those of several files concatenated."""
    h5py = extras.module("h5py", "reading HDF5")
    found: dict[str, list[Any]] = {name: [] for name in names}
    for path in files:
        with h5py.File(path, "r") as file:
            for name in names:
                if name not in file:
                    raise RuntimeError(f"dataset {name} does not exist in {path}")
                found[name].append(_read(file[name]))
    return {name: parts[0] if len(parts) == 1 else _joined(parts) for name, parts in found.items()}


def _joined(parts: list[Any]) -> Any:
    if isinstance(parts[0], SegArray):
        return SegArray.concat(parts)
    if isinstance(parts[0], DataFrame):
        return DataFrame.concat(parts)
    if isinstance(parts[0], Index):
        return parts[0].concat(parts[1]) if len(parts) == 2 else Index(concatenate([one.values for one in parts]))
    if isinstance(parts[0], GroupBy):
        return GroupBy(concatenate([one.keys for one in parts]))
    kinds = {one.dtype for one in parts if isinstance(one, pdarray) and one.dtype != bigint()}
    if len(kinds) > 1:
        parts = [one.astype(np.result_type(*kinds)) for one in parts]
    return concatenate(parts)
