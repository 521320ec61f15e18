# SPDX-License-Identifier: Apache-2.0
"""Arkouda's objects in HDF5 files: a dataset for numbers, a group for what has parts.

The parts of an object are objects themselves: one table says which there are, another how they make one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import extras
from ..client_dtypes import IPv4
from ..numpy.arrays import pdarray
from ..numpy.dtypes import bigint
from ..numpy.pdarraycreation import array, bigint_from_uint_arrays
from ..numpy.pdarraysetops import concatenate
from ..numpy.segarray import SegArray
from ..numpy.strings import Strings
from ..numpy.timeclass import Datetime, Timedelta
from .categorical import Categorical
from .dataframe import DataFrame
from .groupbyclass import GroupBy
from .index import Index, MultiIndex

__all__ = ["datasets_of", "read_objects", "write_object"]

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


def _kind_of(thing: Any) -> int:
    for kind, number in _KINDS.items():
        if isinstance(thing, kind):
            return number
    raise TypeError(f"{type(thing).__name__} has no place in HDF5 files")


# -- writing --


def write_object(file: Any, name: str, thing: Any) -> None:
    """Puts an object into an open file or group, in the place of what has the name."""
    if name in file:
        del file[name]
    number = _kind_of(thing)
    if isinstance(thing, pdarray) and thing.dtype == bigint():
        made = file.create_group(name)
        made.attrs["max_bits"] = thing.max_bits
        for limb, values in _several("Limb", thing.bigint_to_uint_arrays()).items():
            write_object(made, limb, values)
    elif number in _AS:
        values = (
            thing.values.to_ndarray() if number == 9 and hasattr(thing.values, "to_ndarray") else thing.to_ndarray()
        )
        if values.dtype.kind in "mM":
            values = values.astype(np.int64)
        elif number == 9:
            values = np.asarray(pdarray._of(thing._a).to_ndarray())
        made = file.create_dataset(name, data=values)
        made.attrs["isBool"] = int(values.dtype == np.bool_)
    elif isinstance(thing, Strings):
        made = file.create_group(name)
        coded = [one.encode() for one in thing.tolist()]
        ends = np.cumsum([len(one) + 1 for one in coded], dtype=np.int64)
        made.create_dataset("values", data=np.frombuffer(b"".join(one + b"\0" for one in coded), np.uint8))
        made.create_dataset("segments", data=np.concatenate([np.zeros(1, np.int64), ends])[: len(coded)])
    else:
        made = file.create_group(name, track_order=True)
        parts = next(parts for kind, parts in _PARTS.items() if isinstance(thing, kind))
        for part, one in parts(thing).items():
            write_object(made, part, one)
    made.attrs.update({"ObjType": number, "file_version": np.float32(2.0)})


# -- reading --


def _number_of(item: Any) -> int | None:
    found = item.attrs.get("ObjType")
    return None if found is None else int(np.asarray(found).reshape(-1)[0])


def datasets_of(file: Any, prefix: str = "") -> list[str]:
    """The paths of the objects in a file."""
    h5py = extras.module("h5py", "reading HDF5")
    found: list[str] = []
    for name, item in file.items():
        plain = isinstance(item, h5py.Group) and _number_of(item) is None and not ("values" in item or "codes" in item)
        if name == "_arkouda_metadata":
            continue
        found += datasets_of(item, f"{prefix}{name}/") if plain else [prefix + name]
    return found


def _read(item: Any) -> Any:
    h5py = extras.module("h5py", "reading HDF5")
    number = _number_of(item)
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
        text = bytes(np.asarray(item["values"][()], np.uint8))
        words = text.split(b"\0")[:-1]
        return array(np.array([one.decode() for one in words], dtype=str)) if words else array([], dtype="str_")
    return _MADE[number]({name: _read(item[name]) for name in item})


def read_objects(files: Sequence[str], names: Sequence[str]) -> dict[str, Any]:
    """Objects by name, those of several files one behind another."""
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
