# SPDX-License-Identifier: Apache-2.0
"""Locations of data: paths, lists of paths, patterns, directories, URLs of other file systems, open streams."""

from __future__ import annotations

import glob
import io
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, cast

from .. import extras
from ..session import current
from ..session.everywhere import once
from .atomic import Device
from .filesets import complete
from .session_files import target_here

_URL = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]+://")


@dataclass
class Place:
    """The files of a data set, in order, and their file system. It can be sent to other PEs."""

    files: list[str]
    system: Any = None  # an Arrow file system; None: the local one
    data: bytes | None = None  # the content of a stream
    roots: list[str] = field(default_factory=list)  # the requested directories

    def open(self, file: str) -> Any:
        """Opens the file for random access, as pyarrow's readers require."""
        pa = extras.module("pyarrow", "reading this file")
        if self.data is not None:
            return pa.BufferReader(self.data)
        if self.system is None:
            return pa.OSFile(file, "rb")
        return self.system.open_input_file(file)

    def size(self, file: str) -> int:
        """Bytes of the file."""
        if self.data is not None:
            return len(self.data)
        if self.system is None:
            return os.stat(file).st_size
        return int(self.system.get_file_info(file).size)

    def keys(self, file: str) -> dict[str, str]:
        """The values of `name=value` components in the path below the directory."""
        found = {}
        for root in self.roots:
            if file.startswith(root.rstrip("/") + "/"):
                for step in file[len(root.rstrip("/")) + 1 :].split("/")[:-1]:
                    name, equals, value = step.partition("=")
                    if equals:
                        found[name] = value
        return found


def place_of(where: Any, endings: Iterable[str] = (), storage_options: dict[str, Any] | None = None) -> Place:
    """The files of a path, list of paths, pattern, directory, URL or stream.

    Parameters
    ----------
    where
        What the user says.
    endings
        In a directory, files that end so; when there are none, all whose names begin with neither '.' nor '_'.
    storage_options
        For fsspec, which then opens URLs; without them Arrow's file systems do.
    """
    if current().kind == "remote" and not any(
        hasattr(one, "read") for one in (where if isinstance(where, (list, tuple)) else (where,))
    ):
        return cast(Place, once(place_of, where, tuple(endings), storage_options))  # files of the server
    if hasattr(where, "read"):
        data = where.read()
        return Place(["<stream>"], data=data.encode() if isinstance(data, str) else bytes(data))
    if isinstance(where, (list, tuple)):
        paths = [path_of(one) for one in where if not hasattr(one, "read")]
        complete({os.path.dirname(os.path.abspath(path)) for path in paths if not _URL.match(path)})
        places = [place_of(one, endings, storage_options) for one in where]
        if not places:
            raise ValueError("no files are named")
        return Place(
            [file for place in places for file in place.files], places[0].system, places[0].data,
            [root for place in places for root in place.roots],
        )  # fmt: skip
    path = path_of(where)
    if _URL.match(path):
        system, path = filesystem(path, storage_options)
        return _below(path, tuple(endings), system) if system is not None else _local(path, tuple(endings))
    return _local(os.path.expanduser(path), tuple(endings))


def path_of(where: Any) -> str:
    """A path as a string; ValueError for an invalid one."""
    path = os.fspath(where)
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    if not path:
        raise ValueError("the path is empty. Name a file?")
    if "\0" in path:
        raise ValueError(f"path {path!r} has a NUL character (paths end at it). Leave it out?")
    return path


def filesystem(url: str, storage_options: dict[str, Any] | None = None) -> tuple[Any, str]:
    """The Arrow file system (None: the local one) and the path of a URL."""
    fs = extras.module("pyarrow.fs", f"reading {url}")
    if storage_options is None:
        try:
            system, path = fs.FileSystem.from_uri(url)
        except ValueError:  # a scheme that Arrow lacks
            storage_options = {}
        else:
            return (None if isinstance(system, fs.LocalFileSystem) else system), path
    fsspec = extras.module("fsspec", f"reading {url}")
    system, path = fsspec.core.url_to_fs(url, **storage_options)
    return fs.PyFileSystem(fs.FSSpecHandler(system)), path


def _local(path: str, endings: tuple[str, ...]) -> Place:
    path = os.path.abspath(path)
    if os.path.isdir(path):
        complete([path])
        found = [os.path.join(at, name) for at, _, names in os.walk(path) for name in names]
        return Place(_wanted(found, path, endings), roots=[path])
    if not os.path.exists(path) and glob.has_magic(path):
        found = [one for one in matching(path) if os.path.isfile(one)]
        if not found:
            raise FileNotFoundError(f"no file matches {path}")
        fixed = _before_pattern(path)
        return Place(found, roots=[os.path.dirname(fixed)])
    os.stat(path)  # its error names the path
    return Place([path])


def matching(pattern: str) -> list[str]:
    """The paths that match a pattern, sorted; of a set that is being replaced, all old or all new files."""
    found = glob.glob(pattern, recursive=True)
    if complete({os.path.dirname(one) for one in found} | {os.path.dirname(_before_pattern(pattern))}):
        found = glob.glob(pattern, recursive=True)
    return sorted(found)


def _before_pattern(path: str) -> str:
    """The part of a pattern before its first wildcard."""
    return re.split(r"[*?\[]", path, maxsplit=1)[0]


def _below(path: str, endings: tuple[str, ...], system: Any) -> Place:
    fs = extras.module("pyarrow.fs", f"reading {path}")
    if re.search(r"[*?\[]", path):
        root = _before_pattern(path).rpartition("/")[0]
        listed = system.get_file_info(fs.FileSelector(root, recursive=True, allow_not_found=True))
        matches = re.compile(_pattern(path)).fullmatch
        files = sorted(info.path for info in listed if info.is_file and matches(info.path))
        if not files:
            raise FileNotFoundError(f"no file matches {path}")
        return Place(files, system, roots=[root])
    info = system.get_file_info(path)
    if info.type == fs.FileType.NotFound:
        raise FileNotFoundError(f"no file {path}")
    if info.is_file:
        return Place([path], system)
    listed = system.get_file_info(fs.FileSelector(path, recursive=True))
    return Place(_wanted([one.path for one in listed if one.is_file], path, endings), system, roots=[path])


def _pattern(path: str) -> str:
    return re.escape(path).replace(r"\*\*", ".*").replace(r"\*", "[^/]*").replace(r"\?", "[^/]")


def _wanted(found: list[str], root: str, endings: tuple[str, ...]) -> list[str]:
    def hidden(file: str) -> bool:
        return any(step[:1] in (".", "_") and "=" not in step for step in file[len(root.rstrip("/")) + 1 :].split("/"))

    files = sorted(file for file in found if not hidden(file))
    chosen = [file for file in files if file.endswith(endings)] if endings else []
    if not (chosen or files):
        raise FileNotFoundError(f"no files in {root}")
    return chosen or files


def target_of(where: Any, storage_options: dict[str, Any] | None = None) -> tuple[Any, str | io.IOBase | Device]:
    """The target of a write, for `sink`: the file system (None: the local one) and the path, or a stream as it is."""
    if hasattr(where, "write"):
        return None, where
    path = path_of(where)
    if _URL.match(path):
        return filesystem(path, storage_options)
    path, special = target_here(path)
    return None, Device(path) if special else path
