# SPDX-License-Identifier: Apache-2.0
"""Arkouda's helpers: the registry, shapes that go together, mappings."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll

from .. import objects
from ..core import client
from ..core.infoclass import list_registry
from ..objects import checked, lift, registry
from . import wide
from .alignment import find
from .arrays import SCALARS, pdarray
from .choosing import where
from .dtypes import Int, bigint, resolve_scalar_dtype
from .pdarraycreation import array, full
from .pdarraysetops import concatenate
from .strings import Strings

if TYPE_CHECKING:
    from ...annotations import ArrayLike, Label

__all__ = [
    "attach", "attach_all", "broadcast_arrays", "broadcast_dims", "broadcast_shapes", "broadcast_to", "convert_bytes",
    "convert_if_categorical", "copy", "generic_concat", "get_callback", "identity", "invert_permutation", "is_float",
    "is_int", "is_numeric", "is_registered", "map", "may_share_memory", "register", "register_all", "report_mem",
    "shares_memory", "sparse_sum_help", "unregister", "unregister_all",
]  # fmt: skip


def identity(x: object) -> Any:
    """`x`."""
    return x


def get_callback(x: object) -> Any:
    """What makes an object of the kind of `x` of its values."""
    kind = type(x)
    return kind if kind.__name__ in ("Datetime", "Timedelta", "IPv4", "BitVector") else identity


def generic_concat(items: Any, ordered: bool = True) -> Any:
    """Objects of one kind, concatenated."""
    kinds = {type(one) for one in items}
    if len(kinds) != 1:
        raise TypeError(f"Items must all have same type: {kinds}")
    kind = kinds.pop()
    if kind is list:
        return [one for part in items for one in part]
    return kind.concat(items, ordered=ordered) if hasattr(kind, "concat") else concatenate(items, ordered=ordered)


def report_mem(pre: str = "") -> None:
    """Prints how much memory arrays take."""
    used, free = client.get_mem_used(), client.get_mem_avail()
    print(f"{pre} mem use: {used / 1e9:.2f} GB of {(used + free) / 1e9:.2f} GB")


@checked(pdarray)
def invert_permutation(perm: Any) -> Any:
    """The permutation that undoes another one.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.invert_permutation(ak.array([2, 0, 1]))
    array([1 2 0])
    """
    numbers = perm._a.astype(np.int64)
    if not bool((atoll.sort(numbers) == atoll.arange(perm.size)).all()):
        raise ValueError("The array is not a permutation.")
    inverse = atoll.zeros(perm.size, dtype=np.int64)
    inverse[numbers] = atoll.arange(perm.size)
    return lift(inverse)


def convert_if_categorical(values: ArrayLike) -> Any:
    """Strings of categories; others as they are."""
    from ..pandas.categorical import Categorical

    return values.to_strings() if isinstance(values, Categorical) else values


# -- the registry --


def register(obj: Any, name: str) -> Any:
    """Keeps an object under a name."""
    return obj.register(name)


@checked(str)
def attach(name: Any) -> Any:
    """The object that was registered under a name."""
    return objects.attach(name)


@checked(str)
def unregister(name: Any) -> str:
    """Gives a name back."""
    found = objects.attach(name)
    found.unregister()
    return f"Unregistered {found.objType.upper()} {name}"


@checked(str)
def is_registered(name: Label, as_component: bool = False) -> builtins.bool:
    """Whether a name is one of an object, or of a part of one.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.is_registered("no such name")
    False
    """
    return name in list_registry()["Components" if as_component else "Objects"]


def register_all(data: dict[str, Any]) -> None:
    """Keeps several objects under their names."""
    for name, one in data.items():
        one.register(name)


def unregister_all(names: Any) -> None:
    """Gives several names back."""
    for name in names:
        unregister(name)


def attach_all(names: list[str]) -> dict[str, Any]:
    """The objects that were registered under several names."""
    return {name: attach(name) for name in names}


# -- shapes --


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """The shape that several have together.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.broadcast_shapes((4, 1, 1), (1, 2, 3))
    (4, 2, 3)
    """
    return np.broadcast_shapes(*shapes)


def broadcast_dims(sa: Any, sb: Any) -> tuple[int, ...]:
    """The shape that two have together."""
    return np.broadcast_shapes(tuple(sa), tuple(sb))


def broadcast_arrays(*arrays: Any) -> list[Any]:
    """Arrays in the shape they have together."""
    shape = np.broadcast_shapes(*(one.shape for one in arrays))
    return [broadcast_to(one, shape) for one in arrays]


@checked((pdarray, *SCALARS), (int, np.integer, tuple))
def broadcast_to(x: ArrayLike, shape: Any) -> Any:
    """A number or an array in a shape."""
    if not isinstance(x, pdarray):
        return full(shape, x, resolve_scalar_dtype(x))
    if isinstance(shape, Int):
        if x.shape != (shape,):
            raise ValueError(f"Operands could not be broadcast together: {x.shape} and {shape}")
        return x
    if np.broadcast_shapes(x.shape, shape) != tuple(shape):
        raise ValueError(f"an array of shape {x.shape} is not broadcast to {shape}")
    if isinstance(x._a, wide.BigInts):
        return pdarray._of(wide.broadcast(x._a, x.shape, shape), shape)
    return lift(atoll.broadcast_to(x._a, shape).copy())


def convert_bytes(nbytes: Any, unit: str = "B") -> Any:
    """Bytes in another unit."""
    units = {"B": 1, "KB": 1024, "MB": 1024**2, "GB": 1024**3}
    if unit not in units:
        raise ValueError("Invalid unit. Must be one of {'B', 'KB', 'MB', 'GB'}")
    return nbytes if unit == "B" else float(nbytes / units[unit])


# -- what arrays are --


def _kind(arry: Any) -> str:
    values = getattr(arry, "values", arry)
    if not isinstance(values, pdarray):
        return ""
    return "i" if values.dtype == bigint() else values.dtype.kind


def is_numeric(arry: Any) -> builtins.bool:
    """Whether the elements are numbers."""
    return _kind(arry) in tuple("iufb")


def is_float(arry: Any) -> builtins.bool:
    """Whether they are floats."""
    return _kind(arry) == "f"


def is_int(arry: Any) -> builtins.bool:
    """Whether they are integers."""
    return _kind(arry) in ("i", "u")


def map(values: ArrayLike, mapping: Any) -> Any:
    """Values replaced by what a mapping has for them; NaN, or "null", where it has nothing.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> from atoll.arkouda.numpy.util import map
    >>> map(ak.array([2, 3, 2]), {2: 20, 3: 30})
    array([20 30 20])
    """
    from ..pandas.categorical import Categorical
    from ..pandas.series import Series

    if not isinstance(values, (pdarray, Strings, Categorical)):
        raise TypeError("Map values must be castable to pdarray, Strings or Categorical.")
    if isinstance(mapping, dict):
        keys, targets = array(list(mapping)), array(list(mapping.values()))
    elif isinstance(mapping, Series):
        keys, targets = mapping.index.values, mapping.values
    else:
        raise TypeError("Mapping must be dict or Series.")
    values = convert_if_categorical(values)
    if isinstance(values, pdarray) and isinstance(keys, pdarray) and keys.dtype != values.dtype:
        keys = keys.astype(values.dtype)
    places = find(values, keys)._a
    there = places >= 0
    rows = atoll.where(there, places, 0)
    found = convert_if_categorical(targets)[lift(rows)]
    if bool(there.all()):
        return found
    if isinstance(found, pdarray) and found.dtype != bigint() and found.dtype.kind in "iu":
        return where(lift(there), found.astype("int64"), -(1 << 63))
    return where(lift(there), found, np.nan if isinstance(found, pdarray) else "null")


def _infer_shape_from_size(size: int) -> tuple[Any, int, int]:
    if isinstance(size, tuple):
        return size, len(size), int(np.prod(size))
    return size, 1, int(size)


def _generate_test_shape(rank: int, size: int) -> tuple[tuple[int, ...], int]:
    last = max(1, size // 2 ** (rank - 1))
    shape = (2,) * (rank - 1) + (last,)
    return shape, int(np.prod(shape))


def copy(a: object) -> Any:
    """Another one with the same elements."""
    if not hasattr(a, "copy"):
        raise TypeError(f"nothing of type {type(a).__name__} is copied")
    return a.copy()


def _parts(x: object) -> set[str]:
    if isinstance(x, objects.Named):
        return set(x._list_component_names()) | {x.name}
    if isinstance(x, dict):
        return _parts(tuple(x.values()))
    if isinstance(x, (list, tuple, set)):
        return set().union(*(_parts(one) for one in x))
    return set()


def shares_memory(a: ArrayLike, b: ArrayLike) -> builtins.bool:
    """Whether two objects, or what is in two lists, have an array in common.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> a = ak.arange(3)
    >>> ak.shares_memory(a, a), ak.shares_memory(a, a + 0)
    (True, False)
    """
    return builtins.bool(_parts(a) & _parts(b))


may_share_memory = shares_memory


def sparse_sum_help(
    idx1: Any, idx2: Any, val1: Any, val2: Any, merge: bool = True, percent_transfer_limit: int = 100
) -> Any:
    """The sum of two sparse vectors: places, in order, and values."""
    from ..pandas.groupbyclass import GroupBy

    places = concatenate([idx1, idx2])
    return GroupBy(places).sum(concatenate([val1, val2]))
