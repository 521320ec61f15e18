# SPDX-License-Identifier: Apache-2.0
"""Files that pandas writes: each replaces the file of its name when it is complete, as Atoll's own do."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ...storage import atomic

#: Methods that write one file, and what they call its parameter, which is the first one.
_PATHS = {
    "to_csv": "path_or_buf", "to_excel": "excel_writer", "to_feather": "path", "to_html": "buf",
    "to_json": "path_or_buf", "to_latex": "buf", "to_markdown": "buf", "to_orc": "path", "to_parquet": "path",
    "to_pickle": "path", "to_stata": "path", "to_string": "buf", "to_xml": "path_or_buffer",
}  # fmt: skip


def write_whole(method: Callable[..., Any], name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Calls a method of pandas. The file that it writes takes the place of the old one at the end, unless it fails."""
    key = _PATHS.get(name)
    given = None if key is None else args[0] if args else kwargs.get(key)
    path = _replaceable(given, kwargs)
    if path is None or key is None:
        return method(*args, **kwargs)
    directory = atomic.directory_beside(path)  # inside it the file has its own name, whose ending pandas looks at
    try:
        aside = os.path.join(directory, os.path.basename(path))
        made = method(aside, *args[1:], **kwargs) if args else method(**{**kwargs, key: aside})
        if os.path.isfile(aside):
            atomic.settle(aside, path)
        return made
    finally:
        atomic.discard(directory)


def _replaceable(given: object, kwargs: dict[str, Any]) -> str | None:
    """The path of a local file that a call writes whole; None for streams, URLs, devices, directories and appending."""
    if not isinstance(given, (str, os.PathLike)) or str(kwargs.get("mode", "w"))[:1] != "w":
        return None
    if kwargs.get("partition_cols") is not None:
        return None
    path = os.path.expanduser(os.fspath(given))
    if not isinstance(path, str) or "://" in path or "\0" in path or not os.path.basename(path):
        return None
    if not os.path.isdir(os.path.dirname(path) or "."):
        return None  # pandas says that there is no such directory
    return None if os.path.isdir(path) or atomic.is_special(path) else path
