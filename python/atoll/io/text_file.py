# SPDX-License-Identifier: Apache-2.0
"""A string that becomes a file: whole or not at all, compressed and encoded as is asked, by one PE."""

from __future__ import annotations

import codecs
import os
from typing import TYPE_CHECKING, Any

from ..storage.places import target_of
from ..storage.session_files import content, sink
from ..storage.source import pour
from .csv.dialect import compression_of
from .csv.writer import COMPRESSED, compressed
from .writing import agree, writes

if TYPE_CHECKING:
    from ..annotations import Files

_PIECE = 64 << 20  # bytes that are written at a time
_MODES = ("w", "wt", "a", "at", "x", "xt")


def write_text(
    where: Files, text: str, *, encoding: str = "utf-8", errors: str = "strict", compression: str | None = "infer",
    mode: str = "w", storage_options: dict[str, Any] | None = None,
) -> None:  # fmt: skip
    """Writes a string to a path, a URL, or a stream of strings or bytes; with `mode` "a" behind what is there.

    FileExistsError for `mode` "x" where something is there; ValueError for other modes.
    """
    if hasattr(where, "write"):
        if writes():
            _to_stream(where, text, encoding, errors)
        return
    system, target = target_of(where, storage_options)
    if isinstance(compression, dict):
        compression = compression.get("method", "infer")
    kind = compression_of(target, compression) if isinstance(target, str) else None
    failure: BaseException | None = None
    if writes():
        try:
            before = content_before(system, target, mode)
            with sink(system, target) as stream:
                pour(stream, before, _PIECE)
                encode = codecs.getincrementalencoder(encoding)(errors).encode
                with compressed(stream, kind) as out:
                    for begin in range(0, len(text), COMPRESSED):
                        out.write(encode(text[begin : begin + COMPRESSED]))
                    out.write(encode("", final=True))
        except BaseException as error:
            failure = error
    agree(failure, iter(()))


def content_before(system: Any, target: Any, mode: str) -> bytes:
    """Contents of a file to which text is appended, or that must not exist."""
    if mode not in _MODES:
        raise ValueError(f"mode is one of w, a and x, not {mode!r}")
    if mode[0] == "w" or not isinstance(target, str):
        return b""
    try:
        if system is None:
            found = content(target)
        else:
            with system.open_input_stream(target, compression=None) as stream:
                found = bytes(stream.read())
    except FileNotFoundError:
        return b""
    if mode[0] == "x":
        raise FileExistsError(17, os.strerror(17), target)
    return found


def _to_stream(stream: Any, text: str, encoding: str, errors: str) -> None:
    try:
        stream.write(text)
    except TypeError:  # a stream of bytes
        stream.write(text.encode(encoding, errors))
