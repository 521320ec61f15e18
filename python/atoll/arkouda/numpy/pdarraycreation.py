# SPDX-License-Identifier: Apache-2.0
"""Arrays from Python's and NumPy's values, and from nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

import atoll

from ...arrays.array import Array
from ...columns.column import Column
from ..core import client
from ..objects import checked, lift, lower
from . import wide
from .arrays import SCALARS, pdarray
from .casting import cast
from .dtypes import Int, bigint, bigint_, float64, int64, is_supported_int, resolve_scalar_dtype
from .dtypes import dtype as ak_dtype
from .strings import Strings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...annotations import ArrayLike, ColumnType, DTypeLike, Shape

__all__ = [
    "arange", "array", "bigint_from_uint_arrays", "full", "full_like", "linspace", "logspace", "ones", "ones_like",
    "promote_to_common_dtype", "randint", "random_strings_lognormal", "random_strings_uniform", "scalar_array",
    "standard_normal", "uniform", "zeros", "zeros_like",
]  # fmt: skip

Real = (int, float, np.integer, np.floating)
SIZES = (int, np.integer, tuple, str)


def _strings(values: ArrayLike) -> Any:
    return Strings(atoll.strings(values))


def array(
    a: Any, dtype: DTypeLike = None, copy: bool = False, max_bits: int = -1, *, unsafe: bool = False,
    any_neg: bool | None = None, num_bits: int | None = None,
) -> Any:  # fmt: skip
    """An array of numbers, or `Strings` of strings, from Python's, NumPy's, pandas' or Arkouda's values.

    Integers that 64 bits do not hold make a bigint array. The options of bigints but `max_bits` are accepted and
    not needed.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.array([1, 2, 3])
    array([1 2 3])
    >>> ak.array(["a", "b"])
    array(['a', 'b'])
    """
    if isinstance(a, str):
        raise TypeError("a text is no sequence: pass a list of texts")
    if isinstance(a, pdarray):
        if dtype is None or a.dtype == ak_dtype(dtype):
            return a.copy() if copy else a
        made = cast(a, dtype)
        if isinstance(made, pdarray) and max_bits != -1:
            made.max_bits = max_bits
        return made
    if isinstance(a, Strings):
        if dtype is not None and ak_dtype(dtype) != np.str_:
            raise TypeError(f"ak.array makes no {dtype} of texts; use ak.cast")
        return a.copy() if copy else a
    if isinstance(a, (Array, Column)):
        return array(lift(a), dtype, copy, max_bits)
    if hasattr(a, "dtype") and hasattr(a, "to_numpy") and not isinstance(a, np.ndarray):
        a = a.to_numpy()
    if not isinstance(a, np.ndarray):
        a = _as_numpy(a, dtype)
    return _of_numpy(a, None if dtype is None else ak_dtype(dtype), max_bits)


def _as_numpy(a: ArrayLike, dtype: DTypeLike) -> np.ndarray[Any, Any]:
    if not isinstance(a, Iterable) and not isinstance(a, SCALARS):
        raise TypeError("a must be a pdarray, np.ndarray, or convertible to a numpy array")
    values = a if isinstance(a, (list, tuple)) or not isinstance(a, Iterable) else list(a)
    if isinstance(a, (set, frozenset)):
        raise TypeError("a set has no order: pass a list")
    kind = None if dtype is None else ak_dtype(dtype)
    texts = kind is None or (kind != bigint() and kind.kind == "U")
    if texts and isinstance(values, (list, tuple)) and values and all(isinstance(one, str) for one in values):
        return np.array(values, dtype=object)  # NumPy's own strings lose NUL characters at their end
    try:
        if kind is not None and kind != bigint() and kind.kind != "U":
            return np.array(values, dtype=kind)
        if (
            kind is None
            and isinstance(values, (list, tuple))
            and values
            and all(is_supported_int(one) for one in values)
        ):
            if (
                all(one >= 0 for one in values)
                and any(1 << 63 <= one < 1 << 64 for one in values)
                and max(values) < 1 << 64
            ):
                return np.array(values, dtype=np.uint64)
            if max(values) >= 1 << 63 or min(values) < -(1 << 63) or any(isinstance(one, bigint_) for one in values):
                return np.array(values, dtype=object)
        return np.array(values, dtype=object if kind == bigint() else None)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError("a must be a pdarray, np.ndarray, or convertible to a numpy array") from error


def _of_numpy(a: np.ndarray[Any, Any], dtype: Any, max_bits: int) -> Any:
    texts = a.dtype.kind in "UST" or (a.dtype == object and a.size > 0 and isinstance(a.flat[0], str))
    if dtype is None and a.dtype == object and not texts and a.size and all(isinstance(x, Int) for x in a.flat):
        dtype = bigint()
    if a.ndim == 0 and a.dtype.kind not in "biuf":
        raise TypeError("Must be an iterable or have a numeric DType")
    if a.ndim not in client.get_array_ranks():
        raise ValueError(f"array rank {a.ndim} not in compiled ranks {client.get_array_ranks()}")
    if texts:
        nbytes = sum(len(text.encode()) + 1 for text in a.tolist())
        if nbytes > client.maxTransferBytes:
            raise RuntimeError(f"texts of {nbytes} bytes exceed ak.core.client.maxTransferBytes")
        made = _strings(a.astype(object))
        if dtype is None or dtype == np.str_:
            return made
        try:
            return cast(made, dtype)
        except RuntimeError as fault:
            raise ValueError(f"ak.array: {fault}") from None
    if dtype == bigint():
        if a.dtype.kind == "b":
            raise TypeError("Cannot convert type to bigint")
        return pdarray._of(wide.of_any(a, max_bits), a.shape)
    if a.size * a.itemsize > client.maxTransferBytes:
        raise RuntimeError("Array exceeds allowed transfer size. Increase ak.core.client.maxTransferBytes to allow")
    if dtype is not None and dtype.kind == "U":
        return _strings([str(one) for one in a.tolist()]) if a.size else _strings([])
    a = a if dtype is None else a.astype(dtype)
    if a.dtype.kind not in "biufc":
        raise RuntimeError(f"Unhandled dtype {a.dtype}")
    return pdarray._of(atoll.array(a.astype(a.dtype.newbyteorder("="))))


def bigint_from_uint_arrays(arrays: Sequence[Any], max_bits: int = -1) -> pdarray:
    """Bigints of their limbs of 64 bits, the most significant first.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.bigint_from_uint_arrays([ak.ones(1, ak.uint64), ak.full(1, 5, ak.uint64)])
    array([18446744073709551621])
    """
    if not isinstance(arrays, (list, tuple)) or not arrays:
        raise TypeError("arrays must be a list of uint64 pdarrays")
    for one in arrays:
        if not isinstance(one, pdarray) or one.dtype != np.uint64:
            raise TypeError("arrays must be uint64 pdarrays")
    if len({one.size for one in arrays}) > 1:
        raise ValueError("all arrays must be of one size")
    made = atoll.bigint_from_uint_arrays([one._a.reshape(-1) for one in arrays], max_bits)
    return pdarray._of(made, arrays[0].shape)


@checked(list)
def promote_to_common_dtype(arrays: Sequence[Any]) -> tuple[Any, list[Any]]:
    """The type all arrays have together, and the arrays with it."""
    kinds = [one.dtype for one in arrays]
    kind = bigint() if any(one == bigint() for one in kinds) else np.result_type(*kinds)
    return kind, [one.astype(kind) for one in arrays]


def _shape(size: int) -> tuple[int, ...]:
    if isinstance(size, str):
        size = int(size)
    shape = tuple(int(n) for n in size) if isinstance(size, (tuple, list)) else (int(size),)
    if any(n < 0 for n in shape):
        raise ValueError("a size must not be negative")
    if len(shape) not in client.get_array_ranks():
        raise ValueError(f"array rank {len(shape)} not in compiled ranks {client.get_array_ranks()}")
    return shape


def _kind(dtype: DTypeLike, others: bool = False) -> Any:
    kind = ak_dtype(dtype)
    if kind != bigint() and kind not in (np.dtype(one) for one in (float64, int64, np.uint64, np.bool_)):
        raise TypeError(f"unsupported dtype {kind}")
    return kind


@checked(SIZES)
def full(size: int, fill_value: object, dtype: DTypeLike = None, max_bits: int | None = None) -> Any:
    """An array, or with a string `Strings`, of that size or shape, all of one value.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.full(3, 7)
    array([7 7 7])
    """
    if isinstance(fill_value, str):
        if dtype is not None and ak_dtype(dtype) != np.str_:
            raise TypeError(f"a text is no {dtype}")
        shape = _shape(size)
        if len(shape) != 1:
            raise ValueError("texts have one dimension")
        return Strings(atoll.strings([fill_value]).take(atoll.zeros(shape[0], dtype="int64")))
    if not isinstance(fill_value, SCALARS):
        raise TypeError(f"fill_value must be a number or a text; got {type(fill_value).__name__} instead")
    kind = _kind(resolve_scalar_dtype(fill_value) if dtype is None else dtype)
    shape = _shape(size)
    if kind == bigint():
        rows = atoll.zeros(int(np.prod(shape)), dtype="int64")
        return pdarray._of(wide.of_any([int(fill_value)], max_bits or -1).take(rows), shape)
    return pdarray._of(atoll.full(shape, np.array(fill_value).astype(kind), dtype=kind))


@checked(SIZES)
def zeros(size: int, dtype: DTypeLike = float64, max_bits: int | None = None) -> pdarray:
    """An array of zeros."""
    return full(size, 0, _kind(dtype), max_bits)


@checked(SIZES)
def ones(size: int, dtype: DTypeLike = float64, max_bits: int | None = None) -> pdarray:
    """An array of ones."""
    return full(size, 1, _kind(dtype), max_bits)


@checked(pdarray, SCALARS)
def full_like(pda: Any, fill_value: object) -> pdarray:
    """An array of that shape and type, all of one value."""
    if pda.dtype == bigint() or (pda.dtype.kind in "biuf" and pda.dtype.itemsize in (8, 1) and pda.dtype != np.uint8):
        return full(pda.shape if pda.ndim > 1 else pda.size, fill_value, pda.dtype, max(pda.max_bits, -1))
    return pdarray._of(atoll.full(pda.shape, fill_value, dtype=pda.dtype))


@checked(pdarray)
def zeros_like(pda: Any) -> pdarray:
    """An array of that shape and type, of zeros."""
    return full_like(pda, 0)


@checked(pdarray)
def ones_like(pda: Any) -> pdarray:
    """An array of that shape and type, of ones."""
    return full_like(pda, 1)


def scalar_array(value: Any, dtype: DTypeLike = None) -> pdarray:
    """An array of one element."""
    return full(1, value, ak_dtype(value) if dtype is None else dtype)


def arange(*args: Any, dtype: DTypeLike = None, max_bits: int | None = None) -> pdarray:
    """Integers from `start` to before `stop`, `step` apart, in a type.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.arange(2, 10, 3)
    array([2 5 8])
    """
    if not 1 <= len(args) <= 3:
        raise TypeError("arange takes 1 to 3 positional arguments")
    for one in args:
        if not isinstance(one, Int):
            raise TypeError(f"start, stop and step must be whole numbers, not {type(one).__name__}")
    start, stop, step = (
        int(args[0]) if len(args) > 1 else 0,
        int(args[len(args) > 1]),
        int(args[2]) if len(args) > 2 else 1,
    )
    if step == 0:
        raise ZeroDivisionError("Stride must be nonzero")
    count = len(range(start, stop, step)) if abs(stop - start) < 1 << 62 else max(0, (stop - start) // step)
    kind = ak_dtype(dtype) if dtype is not None else _arange_kind(start, stop, max_bits)
    if kind == bigint():
        numbers = atoll.arange(count)
        made = wide.of_any(numbers) * step + start
        return pdarray._of(wide.of_any(made, -1 if max_bits is None else max_bits))
    if kind.kind == "U":
        return cast(arange(start, stop, step), str)
    steps = atoll.arange(count, dtype=np.uint64) * np.uint64(step % (1 << 64)) + np.uint64(start % (1 << 64))
    if kind.kind == "u":
        return pdarray._of(steps.astype(kind))
    return pdarray._of(steps.astype(np.int64).astype(kind))


def _arange_kind(start: int, stop: int, max_bits: int | None) -> Any:
    if max_bits is not None and max_bits != -1:
        return bigint()
    kinds = {resolve_scalar_dtype(one) for one in (start, stop)}
    if "bigint" in kinds or min(start, stop) < -(1 << 63):
        return bigint()
    return np.dtype(np.uint64 if "uint64" in kinds else np.int64)


@checked((*Real, pdarray), (*Real, pdarray), Int)
def linspace(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, dtype: ColumnType = float64, axis: int | str = 0
) -> pdarray:
    """NumPy's `linspace`."""
    if num < 0:
        raise ValueError("num must not be negative")
    if axis != 0 and not isinstance(start, pdarray) and not isinstance(stop, pdarray):
        raise ValueError("the axis is 0 where both ends are numbers")
    first, last = (one._a.astype(np.float64) if isinstance(one, pdarray) else float(one) for one in (start, stop))
    return lift(atoll.linspace(first, last, int(num), endpoint=bool(endpoint), axis=int(axis)))


@checked((*Real, pdarray), (*Real, pdarray), Int, Real)
def logspace(
    start: int | None,
    stop: int | None,
    num: Any = 50,
    base: Any = 10.0,
    endpoint: Any = True,
    dtype: ColumnType = float64,
    axis: int | str | None = 0,
) -> pdarray:
    """NumPy's `logspace`."""
    if base <= 0:
        raise ValueError("the base must be positive")
    return lift(atoll.power(float(base), linspace(start, stop, num, endpoint, axis=axis)._a))


# -- random --


def generator_of(seed: int | None) -> Any:
    """A stream of a seed, or another one each time."""
    return atoll.random.default_rng(None if seed is None else int(seed))


@checked(Real, Real, (int, np.integer, tuple, list))
def randint(low: float, high: float, size: int = 1, dtype: DTypeLike = int64, seed: int | None = None) -> pdarray:
    """Random numbers of a type, from `low` to before `high`.

    The numbers of a seed are Atoll's own: they depend neither on PEs nor on threads, and differ from Arkouda's.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> bool((ak.randint(0, 10, 100) < 10).all())
    True
    """
    shape = _shape(size)
    if high < low:
        raise ValueError("size must be > 0 and high > low")
    kind = ak_dtype(dtype)
    stream = generator_of(seed)
    if kind == bigint():
        return pdarray._of(wide.of_any(_integers(stream, int(low), int(high), shape)), shape)
    if kind.kind == "f":
        return pdarray._of(stream.random(shape) * (float(high) - float(low)) + float(low))
    if kind.kind == "b":
        return pdarray._of(stream.integers(0, 2, shape).astype(bool))
    return pdarray._of(_integers(stream, int(low), int(high), shape).astype(kind))


def _integers(stream: Any, low: int, high: int, shape: Shape) -> Any:
    if low >= high:
        return atoll.full(shape, low)
    if low >= -(1 << 63) and high <= 1 << 63:
        return stream.integers(low, high, shape)
    words = stream.integers(0, min(high - low, 1 << 64), shape, dtype=np.uint64)
    return words + np.uint64(low % (1 << 64))


@checked((int, np.integer, tuple), Real, Real, (int, np.integer, None))
def uniform(size: int | None, low: float = 0.0, high: float = 1.0, seed: int | None = None) -> pdarray:
    """Random floats from `low` to before `high`."""
    return randint(float(low), float(high), size, float64, seed)


@checked((int, np.integer, tuple), (int, np.integer, None))
def standard_normal(size: int, seed: Any = None) -> pdarray:
    """Random floats of the standard normal distribution."""
    return pdarray._of(generator_of(seed).standard_normal(_shape(size)))


_CHARACTERS = {
    "uppercase": (65, 91),
    "lowercase": (97, 123),
    "numeric": (48, 58),
    "printable": (32, 127),
    "binary": (0, 128),
}


def _random_strings(lengths: Any, characters: str, stream: Any) -> Any:
    if characters not in _CHARACTERS:
        raise ValueError(f"characters is one of {', '.join(_CHARACTERS)}, not {characters!r}")
    low, high = _CHARACTERS[characters]
    ends = atoll.cumsum(lengths)
    total = int(ends[-1]) if lengths.size else 0
    starts = atoll.concatenate([atoll.zeros(1, dtype=np.int64), ends])
    return Strings.from_parts(lift(starts[:-1]), lift(stream.integers(low, high, total).astype(np.uint8)), False)


@checked(Int, Int, Int, str, (int, np.integer, None))
def random_strings_uniform(
    minlen: Any, maxlen: Any, size: int, characters: str = "uppercase", seed: int | None = None
) -> Any:
    """Random strings of `minlen` to fewer than `maxlen` characters."""
    if minlen < 0 or maxlen <= minlen or size < 0:
        raise ValueError("Incompatible arguments: minlen < 0, maxlen <= minlen, or size < 0")
    stream = generator_of(seed)
    return _random_strings(stream.integers(int(minlen), int(maxlen), int(size)), characters, stream)


@checked(Real, Real, Int, str, (int, np.integer, None))
def random_strings_lognormal(
    logmean: Any, logstd: Any, size: int, characters: str = "uppercase", seed: int | None = None
) -> Any:
    """Random strings whose lengths have a log-normal distribution."""
    if logstd <= 0 or size < 0:
        raise ValueError("Incompatible arguments: logstd <= 0 or size < 0")
    stream = generator_of(seed)
    lengths = atoll.ceil(atoll.exp(stream.standard_normal(int(size)) * float(logstd) + float(logmean)))
    return _random_strings(lengths.astype(np.int64), characters, stream)
