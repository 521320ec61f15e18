# SPDX-License-Identifier: Apache-2.0
"""Columns of IP addresses, and of UUIDs."""

from __future__ import annotations

import ipaddress
import uuid
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.array import Array, as_array
from ...arrays.creation import asarray, full, zeros
from ...arrays.selection import where
from ..arrow import arrow_array, has_arrow
from ..column import Column, as_column, column_or_array
from ..functions import functions
from ..text.strings import Strings, strings, where_texts
from .bigints import BigInts, bigints_of
from .wide import WORD, Limbs, Unsigned, Wide

if TYPE_CHECKING:
    from ...annotations import ArrayLike
    from ...arrays.ndarray import ndarray

__all__ = ["Addresses", "IPv4", "IPv6", "Uuids", "ip_address", "uuids"]


class Addresses(Wide):
    """A column of IP addresses of one version, of which some may be missing: what Python's `ipaddress` makes of each.

    Examples
    --------
    >>> import atoll as ak
    >>> a = ak.ip_address(["10.0.0.1", None, "9.9.9.9"])
    >>> a
    addresses(['10.0.0.1', None, '9.9.9.9'], version=4)
    >>> a.in_network("10.0.0.0/8"), a + 1
    (column([True, None, False], dtype=bool), addresses(['10.0.0.2', None, '9.9.9.10'], version=4))
    >>> a.sort()
    addresses(['9.9.9.9', '10.0.0.1', None], version=4)
    """

    __slots__ = ("_version",)
    _version: int
    _values: Unsigned
    __array_ufunc__ = None

    def __init__(self, values: Any) -> None:
        made = ip_address(values)
        self._values, self._valid, self._version = made._values, made._valid, made._version

    def _like(self, values: Any, valid: ndarray | None) -> Any:
        return addresses_of(values, valid, self._version)

    @property
    def version(self) -> int:
        """4 or 6."""
        return self._version

    @property
    def kind(self) -> str:
        """The dtype: "ipv4" or "ipv6"."""
        return f"ipv{self._version}"

    def _objects(self, numbers: list[int]) -> list[Any]:
        kind = ipaddress.IPv4Address if self._version == 4 else ipaddress.IPv6Address
        return [kind(number) for number in numbers]

    def _show(self, value: ArrayLike) -> str:
        return repr(None if value is None else str(value))

    def __repr__(self) -> str:
        return self._repr("addresses", [f"version={self._version}"])

    # -- what an address is --

    def in_network(self, network: Any) -> Any:
        """Whether each address is in a network: bool."""
        known = ipaddress.ip_network(network)
        if known.version != self._version:
            raise TypeError(f"{known} is no network of version {self._version}")
        mask, base = int(known.netmask), int(known.network_address)
        found: Any = None
        for j, word in enumerate(self._values.words):
            same = (word & np.uint64((mask >> (64 * j)) & WORD)) == np.uint64((base >> (64 * j)) & WORD)
            found = same if found is None else found & same
        return column_or_array(found, self._valid)

    def _in_any(self, networks: Sequence[Any]) -> Any:
        found: Any = full(self.size, False)
        for network in networks:
            found = found | self.in_network(network)
        return found

    @property
    def is_loopback(self) -> Any:
        """Whether each is an address of the host itself; so with the others, as `ipaddress` has them."""
        return self.in_network("127.0.0.0/8" if self._version == 4 else "::1/128")

    @property
    def is_multicast(self) -> Any:
        """For many at once."""
        return self.in_network("224.0.0.0/4" if self._version == 4 else "ff00::/8")

    @property
    def is_link_local(self) -> Any:
        """Valid on one link alone."""
        return self.in_network("169.254.0.0/16" if self._version == 4 else "fe80::/10")

    @property
    def is_unspecified(self) -> Any:
        """All zeros."""
        return self.in_network("0.0.0.0/32" if self._version == 4 else "::/128")

    @property
    def is_private(self) -> Any:
        """Not for the public net, as the running Python's `ipaddress` lists it."""
        kind: Any = ipaddress.IPv4Address if self._version == 4 else ipaddress.IPv6Address
        tables = kind._constants
        found = self._in_any(tables._private_networks)
        found = found & ~self._in_any(getattr(tables, "_private_networks_exceptions", []))
        if self._version == 4:
            return found
        mapped = as_column(self.in_network("::ffff:0:0/96")).fillna(False)
        fours = addresses_of(Unsigned([self._values.words[0] & np.uint64(2**32 - 1)]), self._valid, 4)
        return functions.where(mapped, fours.is_private, found)

    # -- arithmetic --

    def _moved(self, by: Any, name: str) -> Any:
        whole = hasattr(by, "__index__") or isinstance(by, (Array, np.ndarray))
        if isinstance(by, (bool, float, np.floating)) or not whole:
            raise TypeError(f"addresses move by whole numbers, not by {by!r}")
        steps = Limbs.of_array(as_array(by)) if np.ndim(by) else Limbs.of_one(int(by), self.size)
        count = len(self._values.words)
        moved = self._values.signed().apply(name, steps, count + 1)
        within = moved.words[-1] == np.uint64(0)
        if self._version == 4:
            within = within & (moved.words[0] <= np.uint64(2**32 - 1))
        if not bool((within if self._valid is None else within | ~self._valid).all()):
            raise ipaddress.AddressValueError(f"an address would leave those of version {self._version}")
        return self._like(Unsigned(moved.words[:count]), self._valid)

    def __add__(self, other: object) -> Any:
        """The addresses so much further on."""
        return self._moved(other, "add")

    def __sub__(self, other: object) -> Any:
        """The addresses so much before."""
        return self._moved(other, "sub")

    # -- to others --

    def to_arrow(self) -> Any:
        """A pyarrow array: uint32 of version 4, binary values of 16 bytes of version 6."""
        import pyarrow as pa

        if self._version == 6:
            return _fixed(self, pa.binary(16))
        mask = None if self._valid is None else ~self._valid.to_numpy()
        return pa.array(self._values.words[0].astype(np.uint32).to_numpy(), mask=mask)

    def astype(self, dtype: Any) -> Any:
        """To `str`, as `ipaddress` writes them; to integers, those of version 6 big ones (`int`).

        Examples
        --------
        >>> import atoll as ak
        >>> ak.ip_address(["2001:db8:0:0:0:0:0:1"]).astype(str)
        strings(['2001:db8::1'])
        """
        if dtype is str or (isinstance(dtype, str) and dtype in ("str", "string")):
            texts = self._decimal() if self._version == 4 else self._colons()
            return texts if self._valid is None else texts._hiding(~self._valid)
        if self._version == 6:
            if dtype is not int:
                raise TypeError("addresses of version 6 become str or int")
            return bigints_of(self._values.signed().trimmed(), self._valid, -1)
        return column_or_array(self._values.words[0].astype(dtype), self._valid)

    def _decimal(self) -> Strings:
        word = self._values.words[0]
        parts = [strings((word >> np.uint64(shift)) & np.uint64(255)) for shift in (24, 16, 8, 0)]
        joined: Strings = parts[0].cat(parts[1:], sep=".")
        return joined

    def _colons(self) -> Strings:
        """Eight groups, of which the first longest run of zeros, if it has two or more, is left out."""
        table = strings([f"{i:x}" for i in range(2**16)])
        groups = _sixteens(self._values)
        best = first = length = zeros(self.size, dtype=np.int64)
        for i, group in enumerate(groups):
            length = where(group == 0, length + 1, 0)
            longer = length > best
            first, best = where(longer, i - length + 1, first), where(longer, length, best)
        inside = [(best > 1) & (first <= i) & (i < first + best) for i in range(8)]
        parts = []
        for i, group in enumerate(groups):
            text = table[group]
            if i:
                text = where_texts(inside[i - 1], text, ":" + text)
            parts.append(where_texts(inside[i], where_texts(first == i, "::", ""), text))  # broadcast to one column
        joined: Strings = parts[0].cat(parts[1:])
        return joined

    # -- what kinds do in their own way --

    def _made(self, values: ArrayLike) -> Any:
        made = values if isinstance(values, Addresses) else ip_address(values if _is_several(values) else [values])
        if made._version != self._version and made.count():
            raise TypeError(f"addresses of versions {self._version} and {made._version} are not of the same version")
        return made

    def _alike(self, columns: Sequence[Any]) -> list[Any]:
        return [self._made(column) for column in columns]


class Uuids(Wide):
    """A column of UUIDs, of which some may be missing; in order of their 128 bits, as Python's `uuid.UUID` are.

    Examples
    --------
    >>> import atoll as ak
    >>> a = ak.uuids(["12345678-1234-4234-8234-123456789abc", None])
    >>> a
    uuids(['12345678-1234-4234-8234-123456789abc', None])
    >>> a.version
    column([4, None], dtype=int64)
    """

    __slots__ = ()
    _values: Unsigned

    def __init__(self, values: Any) -> None:
        made = uuids(values)
        self._values, self._valid = made._values, made._valid

    @property
    def kind(self) -> str:
        """The dtype: "uuid"."""
        return "uuid"

    @property
    def version(self) -> Any:
        """The version field of each UUID, int64."""
        field = (self._values.words[1] >> np.uint64(12)) & np.uint64(15)
        return column_or_array(field.astype(np.int64), self._valid)

    def _objects(self, numbers: list[int]) -> list[Any]:
        return [uuid.UUID(int=number) for number in numbers]

    def _show(self, value: ArrayLike) -> str:
        return repr(None if value is None else str(value))

    def __repr__(self) -> str:
        return self._repr("uuids", [])

    def to_arrow(self) -> Any:
        """A pyarrow array of its UUIDs, or of binary values of 16 bytes where it has none."""
        import pyarrow as pa

        array = _fixed(self, pa.binary(16))
        return pa.ExtensionArray.from_storage(pa.uuid(), array) if hasattr(pa, "uuid") else array

    def to_pandas(self) -> Any:
        """A pandas Series of objects: Python's UUIDs."""
        import pandas as pd

        return pd.Series(self.to_numpy(), dtype=object)

    def astype(self, dtype: Any) -> Any:
        """To `str`: 32 hexadecimal digits in groups; to `int`: big integers."""
        if dtype is int:
            return bigints_of(self._values.signed().trimmed(), self._valid, -1)
        if dtype is not str and dtype not in ("str", "string"):
            raise TypeError(f"UUIDs do not become {dtype}")
        table = strings([f"{i:04x}" for i in range(2**16)])
        parts = [table[group] for group in _sixteens(self._values)]
        first, last = parts[0].cat(parts[1]), parts[5].cat([parts[6], parts[7]])
        texts = first.cat([*parts[2:5], last], sep="-")
        return texts if self._valid is None else texts._hiding(~self._valid)

    def _made(self, values: ArrayLike) -> Any:
        return values if isinstance(values, Uuids) else uuids(values if _is_several(values) else [values])


def _is_several(values: ArrayLike) -> bool:
    return isinstance(values, (Column, Array, list, tuple, np.ndarray)) and bool(getattr(values, "ndim", 1))


def _sixteens(values: Limbs) -> list[ndarray]:
    """The eight groups of 16 bits, the most significant first: int64."""
    pairs = [(word, shift) for word in reversed(values.words) for shift in (48, 32, 16, 0)]
    return [((word >> np.uint64(shift)) & np.uint64(0xFFFF)).astype(np.int64) for word, shift in pairs]


def _fixed(column: Wide, kind: str) -> Any:
    import pyarrow as pa

    buffers = [column._bits(), pa.py_buffer(column._bytes(16, big=True))]
    return pa.Array.from_buffers(kind, column.size, buffers, null_count=column.null_count)


def _parsed(values: Any, parse: Callable[[Any], Any]) -> tuple[list[Any], Any]:
    """The parsed values, None for missing ones; equal strings of a column are parsed once."""
    if isinstance(values, Strings):
        numbers, distinct, _ = values.numbers()
        return [parse(value) for value in distinct.to_list()], numbers
    rows = [None if value is None or value != value else parse(value) for value in values]
    return rows, None


def _column_of(numbers: list[int | None], rows: Any, words: int) -> tuple[Unsigned, ndarray | None]:
    """Limbs and validity of numbers, or of those that `rows` names of them."""
    known = Limbs.of_integers([0 if number is None else number for number in numbers], words)
    limbs = Unsigned(known.words)
    if rows is not None:
        there = rows >= 0
        if not numbers:
            limbs = Unsigned([zeros(1, dtype=np.uint64)] * words)
        limbs = Unsigned([word[where(there, rows, 0)] for word in limbs.words])
        return limbs, None if bool(there.all()) else there
    missing = np.fromiter((number is None for number in numbers), bool, len(numbers))
    return limbs, asarray(~missing) if missing.any() else None


def addresses_of(values: Unsigned, valid: ndarray | None, version: int) -> Addresses:
    """The column of addresses as numbers."""
    column: Addresses = object.__new__(Addresses)
    column._values, column._valid, column._version = values, valid, version
    return column


def ip_address(values: ArrayLike) -> Addresses:
    """A column of IP addresses, all of version 4 or all of version 6.

    Parameters
    ----------
    values : array_like
        Strings, integers or addresses of `ipaddress`, None for missing ones; an array of integers, whose addresses
        are of version 4.

    Raises
    ------
    ValueError
        A value that is no address; numbers that have more than 32 bits in an array.
    TypeError
        Addresses of both versions.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.ip_address(["::1", None])
    addresses(['::1', None], version=6)
    """
    if isinstance(values, Addresses):
        return values
    if isinstance(values, (Array, np.ndarray)) and values.dtype.kind in "iu":
        return IPv4(values)
    if has_arrow(values) and not isinstance(getattr(values, "dtype", None), np.dtype):
        values = asarray(values)
    parsed, rows = _parsed(values, ipaddress.ip_address)
    versions = {address.version for address in parsed if address is not None}
    if len(versions) > 1:
        raise TypeError("addresses of version 4 and of version 6 do not go into one column")
    version = versions.pop() if versions else 4
    numbers = [None if address is None else int(address) for address in parsed]
    return addresses_of(*_column_of(numbers, rows, 1 if version == 4 else 2), version)


def IPv4(values: ArrayLike) -> Addresses:
    """A column of addresses of version 4: of what `ip_address` takes, or of an array of integers (Arkouda's).

    Examples
    --------
    >>> import atoll as ak
    >>> ak.IPv4(ak.array([167772161]))
    addresses(['10.0.0.1'], version=4)
    """
    if isinstance(values, (Array, np.ndarray)) and values.dtype.kind in "iu":
        numbers = as_array(values)
        if numbers.size and (int(numbers.min()) < 0 or int(numbers.max()) >= 2**32):
            raise ValueError("addresses of version 4 are numbers from 0 to 2 ** 32 - 1")
        return addresses_of(Unsigned([numbers.astype(np.uint64)]), None, 4)
    made = ip_address(values)
    if made._version != 4 and made.count():
        raise ValueError("an address is not of version 4")
    return made


def IPv6(values: ArrayLike) -> Addresses:
    """A column of addresses of version 6: of what `ip_address` takes, or of numbers.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.IPv6([1])
    addresses(['::1'], version=6)
    """
    if isinstance(values, BigInts):
        values = values.to_list()
    parsed, rows = _parsed(values, ipaddress.IPv6Address)
    numbers = [None if address is None else int(address) for address in parsed]
    return addresses_of(*_column_of(numbers, rows, 2), 6)


def uuids(values: ArrayLike) -> Uuids:
    """A column of UUIDs.

    Parameters
    ----------
    values : array_like
        Strings, `uuid.UUID` or 16 bytes each, None for missing ones; an Arrow array of any of these.

    Raises
    ------
    ValueError
        A value that is no UUID.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.uuids([bytes(16)])
    uuids(['00000000-0000-0000-0000-000000000000'])
    """
    if isinstance(values, Uuids):
        return values
    if has_arrow(values) and not isinstance(getattr(values, "dtype", None), np.dtype):
        array = arrow_array(values)
        values = asarray(array.storage if hasattr(array, "storage") else array)
    if isinstance(values, Column) and not isinstance(values, Strings):
        values = values.to_list()
    parsed, rows = _parsed(values, _uuid)
    limbs, valid = _column_of([None if one is None else one.int for one in parsed], rows, 2)
    column: Uuids = object.__new__(Uuids)
    column._values, column._valid = limbs, valid
    return column


def _uuid(value: Any) -> uuid.UUID:
    if isinstance(value, uuid.UUID):
        return value
    if isinstance(value, (bytes, bytearray)):
        if len(value) != 16:
            raise ValueError(f"a UUID has 16 bytes, not {len(value)}")
        return uuid.UUID(bytes=bytes(value))
    return uuid.UUID(value)
