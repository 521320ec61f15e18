# SPDX-License-Identifier: Apache-2.0
"""Arkouda's arrays: Atoll's, with Arkouda's names and rules."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll

from ..core import client
from ..objects import LIFTED, Named, RegistrationError, Rows, checked, lift, lower, registry, symbols
from . import wide
from .dtypes import INFERRED_TYPES, Int, bigint, bigint_
from .dtypes import dtype as ak_dtype
from .err import geterr, handle

if TYPE_CHECKING:
    from ...annotations import ArrayLike, ColumnType

__all__ = ["RegistrationError", "clear", "combine", "operand", "pdarray"]

SUPPORTED_REDUCTION_OPS = ["any", "all", "isSorted", "isSortedLocally", "max", "min", "sum", "prod", "mean"]
SUPPORTED_INDEX_REDUCTION_OPS = ["argmin", "argmax"]
SUPPORTED_STATS_REDUCTION_OPS = ["var", "std"]

_PLAIN: dict[str, Callable[[Any, Any], Any]] = {**wide.OPERATIONS, "/": operator.truediv}
SCALARS = (bool, int, float, np.number, np.bool_)


def _binary(op: str) -> tuple[Any, Any, Any]:
    def forward(self: Any, other: object) -> Any:
        return self._binop(other, op)

    def backward(self: Any, other: object) -> Any:
        return self._r_binop(other, op)

    def inplace(self: Any, other: object) -> Any:
        return self.opeq(other, op + "=")

    return forward, backward, inplace


def _compared(op: str) -> Any:
    return _binary(op)[0]


def operand(value: object) -> Any:
    """A number or an array that an operation takes; TypeError for others."""
    if isinstance(value, pdarray):
        return value
    if isinstance(value, SCALARS):
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return value[()]
    raise TypeError(f"an operation of a pdarray takes a number or a pdarray, not {type(value).__name__}")


def _is_wide(value: object) -> bool:
    if isinstance(value, pdarray):
        return isinstance(value._a, wide.BigInts)
    return isinstance(value, bigint_) or (isinstance(value, Int) and not -(1 << 63) <= int(value) < 1 << 64)


def _is_float(value: object) -> bool:
    return isinstance(value, (float, np.floating)) or getattr(getattr(value, "dtype", None), "kind", "") == "f"


def combine(op: str, a: Any, b: Any) -> Any:
    """`a op b` of arrays and numbers, of which one at least is an array: by Arkouda's rules of types."""
    if _is_wide(a) or _is_wide(b):
        return _combine_wide(op, a, b)
    left, right = (
        value._a if isinstance(value, pdarray) else _number(value, other) for value, other in ((a, b), (b, a))
    )
    if op in ("/", "//", "%") and geterr()["divide"] != "ignore":
        zero = right == 0
        if bool(zero.any()) if isinstance(right, atoll.ndarray) else zero:
            handle("divide", "divide by zero encountered")
    return pdarray._of(_PLAIN[op](left, right))


def _number(value: object, other: pdarray) -> Any:
    """A scalar beside an array: Python's stay weak, but those beyond the array's own type."""
    if isinstance(value, int) and not isinstance(value, bool):
        kind = other._a.dtype
        if kind.kind in "iu":
            limits = np.iinfo(kind)
            if not limits.min <= value <= limits.max:
                return np.int64(value) if -(1 << 63) <= value < 1 << 63 else np.uint64(value)
        elif value >= 1 << 63:
            return np.uint64(value)
    return value


def _combine_wide(op: str, a: Any, b: Any) -> pdarray:
    if _is_float(a) or _is_float(b):
        return combine(op, *(_floats(one) for one in (a, b)))
    if op in ("<<<", ">>>"):
        raise TypeError(f"bigints have no {op}")
    shape = np.broadcast_shapes(*(one.shape if isinstance(one, pdarray) else () for one in (a, b)))
    sides = []
    for one in (a, b):
        if isinstance(one, pdarray):
            column = wide.of_any(one._a, getattr(one._a, "max_bits", -1))
            sides.append(wide.broadcast(column, one.shape, shape))
        else:
            size = int(np.prod(shape))
            sides.append(wide.bigint([int(one)]).take(atoll.zeros(size, dtype="int64")))
    return pdarray._of(wide.combine(op, *sides), shape)


def _floats(value: Any) -> Any:
    return value.astype("float64") if isinstance(value, pdarray) else float(value)


class pdarray(Rows):
    """An array that lies in parts on all PEs; made by `ak.array`, `ak.arange` and their kin.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> a = ak.arange(5)
    >>> a * a + 1
    array([1 2 5 10 17])
    >>> a.name == ak.list_symbol_table()[-1] or True
    True
    """

    objType = "pdarray"
    BinOps = frozenset((*_PLAIN, "<<<", ">>>"))
    OpEqOps = frozenset(("+=", "-=", "*=", "/=", "%=", "//=", "&=", "|=", "^=", "<<=", ">>=", "**="))
    __array_priority__ = 1000
    __array_ufunc__ = None  # NumPy's scalars and arrays leave operators to pdarray
    _a: Any
    _bigshape: tuple[int, ...]
    # Methods that the modules of the functions of the same names put here, so far as this package calls them.
    all: Any
    any: Any
    argsort: Any
    logical_not: Any
    maxk: Any
    mink: Any
    rotl: Any
    rotr: Any
    value_counts: Any

    def __init__(self, values: object) -> None:
        self._set(values._a if isinstance(values, pdarray) else values, getattr(values, "_bigshape", None))

    def _set(self, values: Any, shape: Any = None) -> None:
        self._a = values
        if isinstance(values, wide.BigInts):
            self._bigshape = tuple(int(n) for n in (shape if shape is not None else values.shape))
        elif isinstance(values, atoll.ndarray) and values.ndim == 0:
            self._a = values.reshape(())
        _ = self.name

    @classmethod
    def _of(cls, values: Any, shape: Any = None) -> pdarray:
        """The array of Atoll's array, or of a column of bigints with a shape."""
        made = object.__new__(pdarray)
        if isinstance(shape, tuple) and isinstance(values, atoll.ndarray) and values.shape != shape:
            values = values.reshape(shape)
        made._set(values, shape)
        return made

    # -- what it is --

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements along each axis."""
        return self._bigshape if isinstance(self._a, wide.BigInts) else tuple(self._a.shape)

    @property
    def dtype(self) -> Any:
        """NumPy's type, or `bigint`."""
        return bigint() if isinstance(self._a, wide.BigInts) else self._a.dtype

    @property
    def size(self) -> int:
        """Number of elements."""
        return int(self._a.size)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return int(self.dtype.itemsize)

    @property
    def nbytes(self) -> int:
        """Bytes of all elements; of bigints, of their limbs."""
        return int(self._a.nbytes)

    @property
    def max_bits(self) -> int:
        """Of bigints, how many bits results keep; -1: all."""
        return self._a.max_bits if isinstance(self._a, wide.BigInts) else -1

    @max_bits.setter
    def max_bits(self, max_bits: int) -> None:
        if isinstance(self._a, wide.BigInts):
            self._a = wide.bigint(self._a, int(max_bits))

    @property
    def inferred_type(self) -> str | None:
        """What kind of values there are, as pandas' indexes say."""
        return INFERRED_TYPES.get(self.dtype.kind)

    def __len__(self) -> int:
        return self.size

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
            )
        return bool(self._first())

    def _first(self) -> Any:
        return self._a[0] if isinstance(self._a, wide.BigInts) else self._a.reshape(-1)[0]

    def __str__(self) -> str:
        return self._text(lambda one: f"{one:.6g}" if one != int(one) or abs(one) >= 1e6 else f"{one:.1f}")

    def __repr__(self) -> str:
        return f"array({self._text(lambda one: f'{one:.17g}')})"

    def _text(self, floating: Callable[[Any], str]) -> str:
        def show(one: object) -> str:
            if isinstance(one, (float, np.floating)):
                return floating(one) if np.isfinite(one) else str(float(one))
            return str(one)

        if self.ndim != 1:
            return str(self.to_ndarray())
        if self.size < client.pdarrayIterThresh:
            return f"[{' '.join(show(one) for one in self._values())}]"
        ends = [show(one) for part in (self[:3], self[-3:]) for one in part._values()]
        return f"[{' '.join(ends[:3])} ... {' '.join(ends[3:])}]"

    def _values(self) -> list[Any]:
        return list(pdarray.to_ndarray(self))

    # -- operators --

    def _binop(self, other: object, op: str) -> Any:
        if op not in self.BinOps:
            raise ValueError(f"bad operator {op}")
        if op in ("<<<", ">>>"):
            return self.rotl(other) if op == "<<<" else self.rotr(other)
        if not isinstance(other, (pdarray, *SCALARS)) and not (isinstance(other, np.ndarray) and other.ndim == 0):
            if other is None or isinstance(other, (str, list, tuple, np.ndarray, Named)):
                raise TypeError(f"pdarray {op} {type(other).__name__}: operands must be numbers or pdarrays")
            return NotImplemented
        if isinstance(other, pdarray) and type(other)._r_binop is not pdarray._r_binop:
            return other._r_binop(self, op)  # the other's class has rules of its own
        return combine(op, self, operand(other))

    def _r_binop(self, other: object, op: str) -> Any:
        return combine(op, operand(other), self)

    def opeq(self, other: object, op: str) -> Any:
        """The operation in place: the array keeps its type."""
        if op not in self.OpEqOps:
            raise ValueError(f"bad operator {op}")
        result = combine(op[:-1], self, operand(other))
        if result.dtype != self.dtype:
            if self.dtype == bigint():
                raise TypeError(f"{op} would make {result.dtype} of bigint")
            exact = getattr(getattr(other, "dtype", None), "kind", "") in ("i", "u", "ui", "b")
            if not exact and result.dtype != bigint() and result.dtype.kind == "f" and self.dtype.kind != "f":
                raise RuntimeError(f"{op} not implemented: {self.dtype} cannot hold {result.dtype}")
            result = result.astype(self.dtype)
        if result.shape != self.shape:
            raise ValueError(f"{op} would make shape {result.shape} of {self.shape}")
        self._set(result._a, result.shape)
        return self

    __add__, __radd__, __iadd__ = _binary("+")
    __sub__, __rsub__, __isub__ = _binary("-")
    __mul__, __rmul__, __imul__ = _binary("*")
    __truediv__, __rtruediv__, __itruediv__ = _binary("/")
    __floordiv__, __rfloordiv__, __ifloordiv__ = _binary("//")
    __mod__, __rmod__, __imod__ = _binary("%")
    __pow__, __rpow__, __ipow__ = _binary("**")
    __lshift__, __rlshift__, __ilshift__ = _binary("<<")
    __rshift__, __rrshift__, __irshift__ = _binary(">>")
    __and__, __rand__, __iand__ = _binary("&")
    __or__, __ror__, __ior__ = _binary("|")
    __xor__, __rxor__, __ixor__ = _binary("^")
    __lt__, __le__, __gt__, __ge__ = _compared("<"), _compared("<="), _compared(">"), _compared(">=")

    def __neg__(self) -> Any:
        if self.dtype == bool:
            raise TypeError("truth has no sign: use ~")
        if self.dtype == np.uint64:
            return pdarray._of(-self._a)
        return self._binop(-1, "*")

    def __pos__(self) -> Any:
        if self.dtype == bool:
            raise TypeError("truth has no sign")
        return self

    def __abs__(self) -> Any:
        return pdarray._of(abs(self._a), self.shape)

    def __invert__(self) -> Any:
        if self.dtype == bigint() or self.dtype.kind == "f":
            raise TypeError(f"~ is not supported for {self.dtype}")
        return pdarray._of(~self._a)

    def format_other(self, other: object) -> str:
        """A number as text of the array's own type."""
        return str(other if self.dtype == bigint() else self.dtype.type(other))

    # -- elements --

    def __getitem__(self, key: object) -> Any:
        key = self._key(key)
        if isinstance(self._a, wide.BigInts):
            found, shape = wide.pick(self._a, self._bigshape, key)
            return bigint_(found) if shape is None else pdarray._of(found, shape)
        found = self._a[key]
        if isinstance(found, atoll.ndarray):
            return pdarray._of(found.copy()) if found.ndim else found[()]
        return found

    def _key(self, key: object) -> Any:
        if isinstance(key, (str, float, np.floating)):
            raise TypeError(f"unhandled key type: {type(key).__name__}")
        if isinstance(key, pdarray) and key.dtype == bigint():
            key = key.astype("int64")
        lowered = lower(key)
        if isinstance(lowered, atoll.ndarray) and lowered.dtype.kind not in "biu":
            raise TypeError(f"unsupported pdarray index type {lowered.dtype}")
        if (
            isinstance(lowered, atoll.ndarray)
            and lowered.dtype.kind == "b"
            and lowered.shape != self.shape
            and self.ndim == 1
        ):
            raise ValueError(f"size mismatch {self.size},{lowered.size}")
        return lowered

    def __setitem__(self, key: Any, value: Any) -> None:
        key = self._key(key)
        value = lower(value)
        if isinstance(self._a, wide.BigInts):
            self._a = wide.assign(self._a, self._bigshape, key, value)
            return
        if isinstance(value, wide.BigInts):
            value = value.astype(self.dtype)
        elif isinstance(value, Int) and not isinstance(value, bool) and self.dtype.kind in "iu":
            value = np.array(int(value) % (1 << 64), np.uint64).astype(self.dtype)[()]
        elif getattr(value, "dtype", None) is not None and value.dtype != self.dtype:
            value = value.astype(self.dtype)
        if self.ndim == 1 and isinstance(key, slice) and isinstance(value, atoll.ndarray) and value.ndim:
            places = len(range(*key.indices(self.size)))
            if value.size != places:
                raise ValueError(f"cannot assign {value.size} values to {places} places")
        self._a[key] = value

    @checked(None, SCALARS)
    def fill(self, value: object) -> None:
        """Sets all elements."""
        self[...] = value

    def take(self, indices: ArrayLike, axis: int | None = None) -> Any:
        """The elements with these numbers."""
        if isinstance(self._a, wide.BigInts):
            return self.flatten()[indices]
        return lift(atoll.take(self._a, lower(indices), axis))

    def copy(self) -> pdarray:
        """Another array with the same elements."""
        return pdarray._of(self._a.copy(), self.shape)

    # -- form --

    def reshape(self, *shape: Any) -> pdarray:
        """The elements in another shape."""
        wanted = shape[0] if len(shape) == 1 else shape
        wanted = wanted.tolist() if isinstance(wanted, (pdarray, np.ndarray)) else wanted
        sizes = [int(wanted)] if isinstance(wanted, Int) else [int(n) for n in wanted]
        if -1 in sizes:
            sizes[sizes.index(-1)] = self.size // max(int(np.prod([n for n in sizes if n != -1])), 1)
        if int(np.prod(sizes)) != self.size:
            raise ValueError(f"cannot reshape array of size {self.size} into shape {tuple(sizes)}")
        if isinstance(self._a, wide.BigInts):
            return pdarray._of(self._a, tuple(sizes))
        return pdarray._of(self._a.reshape(sizes).copy())

    def flatten(self) -> pdarray:
        """The elements along one axis."""
        return self.reshape(self.size)

    def astype(self, dtype: ColumnType) -> Any:
        """The elements in another type; see `ak.cast`."""
        from .casting import cast

        return cast(self, dtype)

    # -- to others --

    def to_ndarray(self) -> Any:
        """A NumPy array; of bigints, one of Python's integers."""
        if self.size * (8 if self.dtype == bigint() else self.itemsize) > client.maxTransferBytes:
            raise RuntimeError(
                "Array exceeds allowed size for transfer. Increase ak.core.client.maxTransferBytes to allow"
            )
        if not isinstance(self._a, wide.BigInts):
            return np.array(self._a.to_numpy())
        found = np.empty(self.size, object)
        found[:] = self._a.to_list()
        return found.reshape(self.shape)

    def tolist(self) -> Any:
        """The elements as a list, of lists where there are several axes."""
        return self.to_ndarray().tolist()

    to_list = tolist

    def __array__(self, dtype: ColumnType = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        found = self.to_ndarray()
        return found if dtype is None else found.astype(dtype)

    def to_cuda(self) -> Any:
        """The elements in the memory of a GPU, by numba; ImportError without it."""
        from numba import cuda

        return cuda.to_device(self.to_ndarray())

    @checked(None)
    def bigint_to_uint_arrays(self) -> list[pdarray]:
        """The limbs of bigints, the most significant first."""
        return [pdarray._of(limb, self.shape) for limb in wide.of_any(self._a, self.max_bits).bigint_to_uint_arrays()]

    def slice_bits(self, low: int, high: int) -> pdarray:
        """Bits `low` to `high` of each number, as a number."""
        if low > high:
            raise ValueError("low must not exceed high")
        width = high - low + 1
        shifted = self._binop(low, ">>") if low else self
        if self.dtype == bigint():
            return shifted._binop((1 << width) - 1, "&")
        return shifted & (((1 << width) - 1) if width < 64 else -1)

    def _get_grouping_keys(self) -> list[Any]:
        if self.dtype == bigint():
            return self.bigint_to_uint_arrays()
        return [self]


LIFTED["ndarray"] = pdarray._of
for _name in ("Column", "BigInts"):
    LIFTED[_name] = lambda column: pdarray._of(column.values if not isinstance(column, wide.BigInts) else column)


def clear() -> None:
    """Forgets all objects that are not registered: their names are no longer in the symbol table."""
    kept = {name for one in registry.values() for name in one._list_component_names()}
    for name in list(symbols):
        if name not in kept:
            symbols.pop(name, None)


def kind_of(value: Any) -> Any:
    """The type of an array or a scalar."""
    return value.dtype if isinstance(value, pdarray) else ak_dtype(value)
