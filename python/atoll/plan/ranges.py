# SPDX-License-Identifier: Apache-2.0
"""Ranges of keys: which piece a row belongs to, so that pieces concatenated are in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

_STEPS = 4096  # of equal width between the first border and the last
_NEAR = 65535  # pieces are fewer: where a step has a border, keys are compared with it
_BLOCK = 1 << 14  # keys whose steps a cache holds
_WORD = 8  # bytes of a string that order it, behind those that all have


@dataclass
class Ranges:
    """Where pieces begin: piece i has the keys from `borders[i - 1]` on; keys that are missing are in the last."""

    borders: Any
    prefix: bytes = b""

    def __len__(self) -> int:
        return len(self.borders) + 2

    def pieces(self, keys: object) -> Any:
        """For each key its piece's number."""
        values, missing = _order_of(keys, self.prefix)
        found = _places(self.borders, values)
        if missing is not None:
            found[missing] = len(self) - 1
        return found


def ranges_of(sample: Any, pieces: int) -> Ranges | None:
    """Ranges for about so many pieces alike in size, from some of the keys. None: the sample has one key."""
    prefix = b""
    if _is_text(sample.type):
        texts = [text.encode() for text in sample.drop_null().to_pylist()]
        prefix = _common(min(texts), max(texts)) if texts else b""
    values, missing = _order_of(sample, prefix)
    known = np.sort(values if missing is None else values[~missing])
    if len(known) == 0 or (known[0] == known[-1] and (missing is None or not missing.any())):
        return None
    cuts = known[np.arange(1, pieces) * len(known) // pieces]
    borders = np.unique(cuts[cuts > known[0]])
    heavy = cuts[1:][cuts[1:] == cuts[:-1]]  # a key that fills pieces has one of its own
    if len(heavy):
        above = heavy + 1 if heavy.dtype.kind in "iu" else np.nextafter(heavy, np.inf)
        borders = np.unique(np.concatenate([borders, heavy, above[above > heavy]]))
    return Ranges(borders[:60000], prefix)


def _places(borders: Any, values: Any) -> Any:
    """How many borders are at or below each value."""
    low, high = (float(borders[at]) for at in (0, -1)) if len(borders) else (0.0, 0.0)
    if len(values) < _STEPS or not 0 < high - low < np.inf or (values.dtype.kind == "f" and np.isnan(values).any()):
        return np.searchsorted(borders, values, side="right").astype(np.uint16)

    def steps(some: Any) -> Any:  # which do not fall where numbers rise, so that most say which borders are below
        made = some.astype(np.float64)
        made -= low
        made *= (_STEPS - 1) / (high - low)
        return np.clip(made, 0, _STEPS - 1, out=made).astype(np.uint16)

    here = np.bincount(steps(borders), minlength=_STEPS)
    below = (np.cumsum(here) - here).astype(np.uint16)
    below[here > 0] = _NEAR
    found = np.empty(len(values), np.uint16)
    for at in range(0, len(values), _BLOCK):
        np.take(below, steps(values[at : at + _BLOCK]), out=found[at : at + _BLOCK], mode="clip")
    near = np.flatnonzero(found == _NEAR)
    found[near] = np.searchsorted(borders, values[near], side="right")
    return found


def _common(low: bytes, high: bytes) -> bytes:
    for at, (one, other) in enumerate(zip(low, high, strict=False)):
        if one != other:
            return low[:at]
    return low


def _is_text(kind: str) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _order_of(keys: Any, prefix: bytes) -> tuple[Any, Any]:
    """Numbers in the keys' order (not all that differ get different ones), and where there is none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(keys, pa.ChunkedArray):
        keys = keys.combine_chunks()
    if pa.types.is_dictionary(keys.type):
        keys = keys.dictionary_decode()
    missing = None
    if keys.null_count:
        missing = pc.is_null(keys).to_numpy(zero_copy_only=False)
    kind = keys.type
    if _is_text(kind):
        return _words(keys.cast(pa.large_string()), prefix), missing
    if pa.types.is_temporal(kind):
        keys = keys.cast(pa.timestamp(kind.unit) if pa.types.is_timestamp(kind) else kind)
        keys = keys.view(pa.int32() if kind.bit_width == 32 else pa.int64())
    elif pa.types.is_decimal(kind):
        keys = keys.cast(pa.float64())
    elif pa.types.is_boolean(kind):
        keys = keys.cast(pa.int8())
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        raise TypeError(f"rows are not put in order by keys of Arrow's type {kind}")
    values = np.asarray((keys.fill_null(0) if missing is not None else keys).to_numpy(zero_copy_only=False))
    if values.dtype.kind == "f":
        gaps = np.isnan(values)
        if gaps.any():
            missing = gaps if missing is None else missing | gaps
    return values, missing


def _words(texts: Any, prefix: bytes) -> Any:
    """The eight bytes after each string's prefix as a number; strings without it sort before or after the others."""
    import pyarrow as pa
    import pyarrow.compute as pc

    count, skip = len(texts), len(prefix)
    buffers = texts.buffers()
    offsets = np.frombuffer(buffers[1], np.int64, count + 1, offset=texts.offset * 8)
    data = np.frombuffer(buffers[2], np.uint8) if buffers[2] is not None and buffers[2].size else np.zeros(1, np.uint8)
    data = np.concatenate([data[: int(offsets[-1])], np.zeros(_WORD, np.uint8)])
    begins = np.minimum(offsets[:-1] + skip, offsets[1:])
    lengths = np.minimum(offsets[1:] - begins, _WORD)
    found = np.lib.stride_tricks.as_strided(data, (len(data) - _WORD + 1, _WORD), (1, 1))[begins]
    words = found.view(">u8").reshape(-1).astype(np.uint64)
    cut = ((_WORD - lengths) * 8).astype(np.uint64)
    words = np.where(lengths == 0, np.uint64(0), (words >> cut % np.uint64(64)) << cut % np.uint64(64))
    if skip:
        binary = texts.cast(pa.large_binary())
        low = pc.less(binary, pa.scalar(prefix, pa.large_binary())).fill_null(False)
        after = prefix.rstrip(b"\xff")
        words[low.to_numpy(zero_copy_only=False)] = 0
        if after:
            above = pa.scalar(after[:-1] + bytes([after[-1] + 1]), pa.large_binary())
            high = pc.greater_equal(binary, above).fill_null(False)
            words[high.to_numpy(zero_copy_only=False)] = np.iinfo(np.uint64).max
    return words
