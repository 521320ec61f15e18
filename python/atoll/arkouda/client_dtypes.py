# SPDX-License-Identifier: Apache-2.0
"""Numbers that are shown as something else: bits, named bits, addresses of IPv4."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll

from ..columns.numeric import addresses
from .core import client
from .numpy.arrays import pdarray
from .numpy.dtypes import Int, bigint, bitType
from .numpy.pdarraycreation import array
from .numpy.strings import Strings
from .objects import lift

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..annotations import ArrayLike

__all__ = ["BitVector", "Fields", "IPv4", "bit_vectorizer", "ip_address", "is_ipv4", "is_ipv6"]


class _Shown(pdarray):
    """Numbers of 64 bits without a sign, each shown by `format`."""

    _operations: frozenset[str] = frozenset()

    def format(self, x: object) -> str:
        """One number as it is shown."""
        raise NotImplementedError(f"{type(self).__name__} must define `format`")

    def _like(self, values: ArrayLike) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define `_like`, which makes another one of numbers")

    @property
    def values(self) -> Any:
        """The numbers."""
        return self

    def to_ndarray(self) -> Any:
        """A NumPy array of strings."""
        return np.array([self.format(one) for one in pdarray.to_ndarray(self)], dtype=np.str_)

    def tolist(self) -> list[str]:
        """A list of strings."""
        return [self.format(one) for one in pdarray.to_ndarray(self)]

    to_list = tolist

    def __str__(self) -> str:
        if self.size <= client.pdarrayIterThresh:
            return (
                f"{type(self).__name__}(["
                + ",\n  ".join(f"'{one}'" for one in self.tolist())
                + f"],\n {self._about()})"
            )
        ends = [self.format(int(self._a[i])) for i in (0, 1, 2, -3, -2, -1)]
        return f"{type(self).__name__}([" + ",\n  ".join([*ends[:3], "... ", *ends[3:]]) + f"],\n {self._about()})"

    __repr__ = __str__

    def _about(self) -> str:
        return ""

    def __getitem__(self, key: object) -> Any:
        found = pdarray.__getitem__(self, key)
        return self._like(found) if isinstance(found, pdarray) else self.format(found)

    def _number(self, value: object) -> Any:
        return value

    def __setitem__(self, key: object, value: object) -> None:
        if isinstance(value, _Shown):
            value = pdarray._of(value._a)
        elif not isinstance(value, pdarray):
            value = self._number(value)
        pdarray.__setitem__(self, key, value)

    def _binop(self, other: object, op: str) -> Any:
        other = pdarray._of(other._a) if isinstance(other, _Shown) else self._number(other)
        found = pdarray._of(self._a)._binop(other, op)
        return self._like(found) if op in self._operations and isinstance(found, pdarray) else found

    def _r_binop(self, other: object, op: str) -> Any:
        other = pdarray._of(other._a) if isinstance(other, pdarray) else self._number(other)
        found = pdarray._of(self._a)._r_binop(other, op)
        return self._like(found) if op in self._operations and isinstance(found, pdarray) else found

    def opeq(self, other: object, op: str) -> Any:
        """The operation in place."""
        other = pdarray._of(other._a) if isinstance(other, _Shown) else self._number(other)
        self._a = pdarray._of(self._a).opeq(other, op)._a
        return self

    def copy(self) -> Any:
        """Another one with the same numbers."""
        return self._like(pdarray.copy(self))

    @classmethod
    def _concatenate(cls, arrays: Sequence[Any]) -> Any:
        return arrays[0]._like(pdarray._of(atoll.concatenate([one._a for one in arrays])))


def _unsigned(values: ArrayLike, name: str) -> Any:
    if not isinstance(values, pdarray):
        raise TypeError(f"{name} takes a pdarray of integers, not {type(values).__name__}")
    if values.dtype == bigint():
        return values.astype("uint64")._a
    if values.dtype.kind not in "iu":
        raise TypeError(f"{name} takes a pdarray of integers, not of {values.dtype}")
    return values._a.astype(bitType)


class BitVector(_Shown):
    """Numbers shown as bits.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.BitVector(ak.arange(4), width=3).tolist()
    ['...', '..|', '.|.', '.||']
    """

    special_objType = "BitVector"
    conserves = frozenset(("+", "-", "|", "&", "^", ">>", "<<"))
    _operations = conserves

    def __init__(self, values: Any, width: int = 64, reverse: bool = False) -> None:
        self._set(_unsigned(values, "BitVector"))
        self.width, self.reverse = width, reverse

    def _like(self, values: ArrayLike) -> Any:
        return BitVector(values, width=self.width, reverse=self.reverse)

    def _about(self) -> str:
        return f"width={self.width}, reverse={self.reverse}"

    def format(self, x: Any) -> str:
        """One number as bits."""
        bits = "".join("|" if int(x) >> place & 1 else "." for place in range(self.width))
        return bits if self.reverse else bits[::-1]


def bit_vectorizer(width: int = 64, reverse: bool = False) -> Any:
    """What makes `BitVector` of that width of an array."""

    def make(arr: ArrayLike) -> BitVector:
        return BitVector(arr, width=width, reverse=reverse)

    return make


class Fields(BitVector):
    """Numbers shown by the names of their bits.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.Fields(ak.arange(4), ["8", "4", "2", "1"]).tolist()
    ['---- (0)', '---1 (1)', '--2- (2)', '--21 (3)']
    """

    special_objType = "BitVector"

    def __init__(
        self,
        values: object,
        names: Any,
        MSB_left: bool = True,
        pad: str = "-",
        separator: str = "",
        show_int: bool = True,
    ) -> None:
        self.names = [str(one) for one in names]
        if len(self.names) > 63:
            raise ValueError("Cannot represent more than 63 fields")
        if len(set(self.names)) != len(self.names) or "" in self.names:
            raise ValueError("Field names must be unique and not empty")
        if not separator and any(len(one) > 1 for one in self.names):
            raise ValueError("A non-empty separator must be specified when field names have more than one character")
        if any(separator and separator in one for one in self.names) or any(pad in one for one in self.names):
            raise ValueError("Field names must contain neither separator nor pad")
        if len(pad) != 1 or (separator and pad in separator):
            raise ValueError("Pad must be one character that is not in the separator")
        self.MSB_left, self.pad, self.separator, self.show_int = MSB_left, pad, separator, show_int
        self.padchar = pad
        if isinstance(values, Strings):
            values = array([self._parse(one) for one in values.tolist()])
        super().__init__(values, width=len(self.names), reverse=not MSB_left)

    def _like(self, values: ArrayLike) -> Any:
        return Fields(values, self.names, self.MSB_left, self.pad, self.separator, self.show_int)

    def _bit(self, place: int) -> int:
        return len(self.names) - 1 - place if self.MSB_left else place

    def _parse(self, text: str) -> int:
        parts = text.split(self.separator) if self.separator else list(text)
        total = 0
        for one in parts:
            if one in self.names:
                total |= 1 << self._bit(self.names.index(one))
            elif one.strip(self.pad):
                raise ValueError(f"Could not convert element {one!r} to a field; expected one of {self.names}")
        return total

    def _number(self, value: object) -> Any:
        return self._parse(value) if isinstance(value, str) else value

    def format(self, x: Any) -> str:
        """One number by the names of its bits."""
        width = max(len(name) for name in self.names)
        text = ""
        for place, name in enumerate(self.names):
            there = int(x) >> self._bit(place) & 1
            text += (f"{name:^{width}}" if there else self.pad * width) + self.separator
        return f"{text} ({int(x)})" if self.show_int else text


class IPv4(_Shown):
    """Numbers shown as addresses of IPv4.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.IPv4(ak.array([2130706433]))[0]
    '127.0.0.1'
    """

    special_objType = "IPv4"

    def __init__(self, values: Any) -> None:
        self._set(_unsigned(values, "IPv4"))

    def _like(self, values: ArrayLike) -> Any:
        return IPv4(values)

    def export_uint(self) -> Any:
        """The numbers."""
        return pdarray._of(self._a)

    def format(self, x: Any) -> str:
        """One number as an address."""
        return ipaddress.IPv4Address(int(x)).compressed

    def tolist(self) -> list[str]:
        """A list of strings."""
        return list(addresses.IPv4(self._a.reshape(-1)).astype(str).to_list())

    to_list = tolist

    def to_ndarray(self) -> Any:
        """A NumPy array of strings."""
        return np.array(self.tolist(), dtype=np.str_).reshape(self.shape)

    def normalize(self, x: object) -> int:
        """The number of an address."""
        if isinstance(x, Int):
            return int(x)
        return int(ipaddress.IPv4Address(x.tobytes() if isinstance(x, np.ndarray) else x))

    def _number(self, value: object) -> Any:
        if isinstance(value, (str, ipaddress.IPv4Address)):
            return self.normalize(value)
        return value


def ip_address(values: Any) -> IPv4:
    """Addresses of IPv4 from numbers or strings."""
    if isinstance(values, IPv4):
        return values
    if isinstance(values, pdarray):
        return IPv4(values)
    texts = values.tolist() if isinstance(values, Strings) else values
    try:
        return IPv4(array([int(ipaddress.IPv4Address(one)) for one in texts], dtype=np.uint64))
    except ValueError as error:
        raise TypeError(f"no addresses of IPv4: {error}") from error


def _pair(ip: Any, ip2: Any) -> tuple[Any, Any]:
    for one in (ip, ip2):
        if one is not None and (not isinstance(one, pdarray) or one.dtype == bigint() or one.dtype.kind not in "iu"):
            raise TypeError("ip must be int64 or uint64 pdarray, or IPv4")
    if ip2 is not None and ip.size != ip2.size:
        raise RuntimeError("the two halves of addresses must be of one size")
    return ip._a.astype(np.uint64), None if ip2 is None else ip2._a.astype(np.uint64)


def is_ipv4(ip: Any, ip2: Any = None) -> Any:
    """Which numbers are addresses of IPv4.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.is_ipv4(ak.array([0, 2**32], dtype=ak.uint64))
    array([True False])
    """
    high, low = _pair(ip, ip2)
    if low is None:
        return lift(high < np.uint64(1 << 32))
    return lift((high == np.uint64(0)) & (low < np.uint64(1 << 32)))


def is_ipv6(ip: Any, ip2: Any = None) -> Any:
    """Which numbers are addresses of IPv6: those that are none of IPv4."""
    return ~is_ipv4(ip, ip2)
