# SPDX-License-Identifier: Apache-2.0
"""`ak.cast`: arrays and strings in another type."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np

import atoll

from ..objects import lift
from . import wide
from .arrays import pdarray
from .dtypes import bigint
from .dtypes import dtype as ak_dtype

__all__ = ["ErrorMode", "cast"]


class ErrorMode(Enum):
    """What becomes of strings that are no numbers: an error, a default, or a default and a mask."""

    strict = "strict"
    ignore = "ignore"
    return_validity = "return_validity"


def cast(pda: Any, dt: Any, errors: ErrorMode = ErrorMode.strict) -> Any:
    """The elements in another type.

    Parameters
    ----------
    errors : ErrorMode
        Of strings that are not numbers: RuntimeError, or -2^63, 0, NaN, False instead; with `return_validity` also
        which are numbers.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.cast(ak.array([1.7, -2.5]), ak.int64)
    array([1 -2])
    >>> ak.cast(ak.array(["1", "x"]), "int64", errors=ak.ErrorMode.return_validity)[1]
    array([True False])
    """
    from ..pandas.categorical import Categorical
    from .strings import Strings

    if isinstance(pda, Strings):
        return _of_texts(pda, dt, errors)
    if isinstance(pda, Categorical):
        if dt in (Strings, "Strings") or (dt is not Categorical and ak_dtype(dt) == np.str_):
            return pda.to_strings()
        raise ValueError("Categoricals can only be casted to Strings")
    if not isinstance(pda, pdarray):
        raise TypeError(f'type of argument "pda" must be pdarray, Strings or Categorical; got {type(pda).__name__}')
    if dt is Strings:
        dt = str
    kind = ak_dtype(dt)
    values = pda._a
    if kind == bigint():
        if pda.dtype != bigint() and pda.dtype.kind == "f":
            values = values.astype(np.int64) if bool((abs(values) < 2.0**63).all()) else pda.to_ndarray()
        return pdarray._of(wide.of_any(values, pda.max_bits), pda.shape)
    if kind.kind == "U":
        flat = values if isinstance(values, wide.BigInts) else values.reshape(-1)
        return Strings(flat.astype("str") if isinstance(flat, wide.BigInts) else atoll.strings(flat))
    if isinstance(values, wide.BigInts):
        return pdarray._of(_narrow(values, kind), pda.shape)
    if kind.kind in "iu" and values.dtype.kind == "f" and kind.kind == "u":
        negative = values < 0
        values = atoll.where(negative, values.astype(np.int64).astype(np.uint64), values.astype(np.uint64))
    return pdarray._of(values.astype(kind) if values.dtype != kind else values.copy())


def _narrow(values: wide.BigInts, kind: Any) -> Any:
    if kind.kind == "f":
        return values.astype("float64").astype(kind)
    if kind.kind == "b":
        return atoll.asarray(values != 0)
    return values._values.words[0].astype(kind)


def _of_texts(texts: Any, dt: Any, errors: ErrorMode) -> Any:
    from ..pandas.categorical import Categorical
    from .strings import Strings

    if dt in (Categorical, "Categorical"):
        return Categorical(texts)
    if dt in (Strings, "Strings"):
        return texts
    kind = ak_dtype(dt)
    if kind != bigint() and kind.kind == "U":
        return texts
    column = texts._a.strip()
    if kind == bigint():
        return pdarray._of(wide.of_any(column))
    if kind.kind == "b":
        lowered = column.lower()
        found, valid = lowered == "true", (lowered == "true") | (lowered == "false")
    else:
        read = column.astype(kind, errors="coerce")
        valid = atoll.asarray(read.notna()) if hasattr(read, "notna") else atoll.full(read.size, True)
        instead: Any = -(1 << 63) if kind == np.int64 else np.nan if kind.kind == "f" else 0
        found = read if not hasattr(read, "fillna") else read.fillna(instead)
        if kind.kind in "iu":
            found, valid = _of_prefixed(column, atoll.asarray(found), valid, kind)
    if errors is ErrorMode.strict and not bool(valid.all()):
        raise RuntimeError(f"text {int(atoll.argmin(valid))} is no {kind}")
    made = lift(atoll.asarray(found))
    return (made, lift(valid)) if errors is ErrorMode.return_validity else made


def _of_prefixed(column: Any, found: Any, valid: Any, kind: type) -> Any:
    """Also numbers as 0x1f and 0b101."""
    rows = atoll.flatnonzero(~valid & column.fullmatch(r"[+-]?0[xXbBoO][0-9a-fA-F]+"))
    if rows.size:
        numbers = [int(text, 0) for text in column.take(rows).to_list()]
        found, valid = found.copy(), valid.copy()
        found[rows] = np.array(numbers, kind)
        valid[rows] = True
    return found, valid
