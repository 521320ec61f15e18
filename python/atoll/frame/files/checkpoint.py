# SPDX-License-Identifier: Apache-2.0
"""Arrays, columns and frames of a session in a directory, to go on with on any other number of PEs."""

from __future__ import annotations

import json
import math
import operator
import os
import secrets
import shutil
import sys
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...arrays.array import Array
from ...columns.column import Column
from ...io.arrow import arrow_columns, write_arrow
from ...io.parquet.reader import parquet_columns, write_parquet
from ...io.rows import inputs_of
from ...session.everywhere import once
from ...storage.atomic import directory_beside
from ...storage.session_files import replacing, target_here
from .. import DataFrame, Index, MultiIndex, RangeIndex, Series

if TYPE_CHECKING:
    from ...annotations import PathLike

__all__ = ["load_checkpoint", "save_checkpoint"]

_VERSION = 1
_MANIFEST = "manifest.json"
_NAMES = (str, int, float, bool, type(None))


def save_checkpoint(path: PathLike | None, objects: Mapping[str, Any] | None = None) -> list[str]:
    """Writes arrays, columns, Series, indexes and frames to a directory, each PE its own rows.

    The directory appears whole or not at all: a checkpoint that was there stays until the new one is complete. Arrays
    and columns that have not changed since this process wrote that one are not written again: the new directory has
    hard links to their files, where the file system has those.

    Parameters
    ----------
    path : path
        The directory; on several hosts, where all PEs see it.
    objects : mapping, optional
        What to keep, by name. By default the variables of the main program that hold such things.

    Returns
    -------
    list of str
        The names.

    Raises
    ------
    TypeError
        Something among `objects` that is none of these.

    Examples
    --------
    >>> import atoll as ak
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "state"
    >>> ak.save_checkpoint(path, {"a": ak.arange(6).reshape(2, 3), "df": ak.DataFrame({"x": [1, 2]})})
    ['a', 'df']
    >>> ak.load_checkpoint(path)["a"]
    array([[0, 1, 2],
           [3, 4, 5]])
    """
    if objects is None:
        main = vars(sys.modules["__main__"])
        objects = {name: one for name, one in main.items() if not name.startswith("_") and is_kept(one)}
    for _ in checkpoint_steps(path, objects):
        pass
    return list(objects)


def checkpoint_steps(path: Any, objects: Mapping[str, Any], note: Any = None) -> Iterator[None]:
    """Writes a checkpoint in steps of one column, so that a server can do other work in between.

    The objects must not change before the last step. Closing the iterator earlier leaves the checkpoint before. `note`
    is a value for JSON, which `load_checkpoint_with_note` returns.
    """
    target, _ = target_here(os.fspath(path))
    columns = _Columns()
    told = {name: _described(name, one, columns) for name, one in objects.items()}
    known = _written.get(target)
    if known is not None and once(_token_of, target) != known.token:
        known = None
    new, kinds = _Written(once(_new_token)), []
    with replacing(target, directory_beside) as aside:
        for number, (source, part, make) in enumerate(columns.entries):
            place = os.path.join(aside, str(number))
            kind = known.link(source, part, target, place) if known is not None else None
            kinds.append(kind or _write(place, make()))
            new.note(source, part, number, kinds[-1])
            yield
        manifest = {"version": _VERSION, "token": new.token, "note": note, "objects": told, "columns": kinds}
        once(_write_manifest, aside, manifest)
    _written[target] = new


class _Columns:
    """The columns of a checkpoint: for each its source (an array or column), its number among those, and its maker."""

    def __init__(self) -> None:
        self.entries: list[tuple[Any, int, Callable[[], Any]]] = []

    def put(self, source: Any, part: int, make: Callable[[], Any]) -> int:
        """The number of a column."""
        self.entries.append((source, part, make))
        return len(self.entries) - 1


class _Written:
    """The checkpoint that this process has written to a directory: which arrays and columns are in which files."""

    def __init__(self, token: str) -> None:
        self.token = token
        self._places: dict[tuple[int, int], tuple[weakref.ref[Any], tuple[float, ...], int, str]] = {}

    def note(self, source: Any, part: int, number: int, kind: str) -> None:
        """Column `number` has the elements that `source` has now."""
        self._places[id(source), part] = (weakref.ref(source), _versions(source), number, kind)

    def link(self, source: Any, part: int, target: str, place: str) -> str | None:
        """Links the files of an unchanged column to `place`; returns its kind, or None: it is to be written."""
        known = self._places.get((id(source), part))
        versions = _versions(source)
        if known is None or known[0]() is not source or any(map(operator.ne, known[1], versions)):
            return None
        return known[3] if once(_link, os.path.join(target, str(known[2])), place) else None


#: By directory.
_written: dict[str, _Written] = {}


def _versions(source: Any) -> tuple[float, ...]:
    """What changes with the elements; with memory that NumPy shares it differs from itself."""
    if isinstance(source, Array):
        return (source._version if source.base is None else math.nan,)
    parts = (getattr(source, name, None) for name in ("_values", "_valid"))
    return tuple(one._version for one in parts if isinstance(one, Array))


def _link(old: str, new: str) -> bool:
    """Hard links to a file, or to all files of a directory. False: the file system has none, and nothing is left."""
    try:
        if not os.path.isdir(old):
            os.link(old, new)
            return True
        shutil.copytree(old, new, copy_function=os.link)
    except OSError:
        shutil.rmtree(new, ignore_errors=True)
        return False
    return True


def _new_token() -> str:
    return secrets.token_hex(8)


def _token_of(path: str) -> str | None:
    """That of the checkpoint in a directory; None: there is none, or one that is broken."""
    try:
        return str(_read_manifest(path).get("token"))
    except (OSError, ValueError):
        return None


def load_checkpoint(path: Any) -> dict[str, Any]:
    """Reads the objects of `save_checkpoint` by name, on any number of PEs.

    Raises
    ------
    FileNotFoundError
        No such checkpoint.
    ValueError
        One that is broken, or of a later version.
    """
    return load_checkpoint_with_note(path)[0]


def load_checkpoint_with_note(path: Any) -> tuple[dict[str, Any], Any]:
    """Reads the objects, and the note that `checkpoint_steps` was given."""
    source, _ = target_here(os.fspath(path))
    told = once(_read_manifest, source)
    what = f"cannot read {os.path.join(source, _MANIFEST)}: "
    if not isinstance(told.get("columns"), list) or not isinstance(told.get("objects"), dict):
        raise ValueError(f"{what}it has no list of columns, or no objects. Is it damaged?")
    columns = []
    for number, kind in enumerate(told["columns"]):
        try:
            columns.append(_read(os.path.join(source, str(number)), kind))
        except (FileNotFoundError, KeyError, TypeError) as error:
            raise ValueError(f"cannot read {source}: column {number} is not there, or broken ({error!r}).") from error
    found = {}
    for name, one in told["objects"].items():
        try:
            found[name] = _made(one, columns)
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
            raise ValueError(f"{what}object {name!r} is broken ({type(error).__name__}: {error}).") from error
    return found, told.get("note")


def is_kept(one: Any) -> bool:
    """Whether a checkpoint can hold an object."""
    return isinstance(one, (Array, Column, Series, DataFrame, Index))


# -- objects as columns --


def _described(name: str, one: Any, columns: _Columns) -> dict[str, Any]:
    """Description of an object, and the numbers of its columns."""

    def put(column: Any) -> int:
        return columns.put(column, 0, lambda: column)

    def label(value: Any) -> Any:
        if isinstance(value, tuple):
            return {"tuple": [label(part) for part in value]}
        plain = value.item() if hasattr(value, "item") else value
        if not isinstance(plain, _NAMES):
            raise TypeError(f"{name!r} is labelled by {value!r}, which a checkpoint cannot hold")
        return plain

    def index(of: Any) -> dict[str, Any]:
        if isinstance(of, RangeIndex):
            return {"range": [of.start, of.stop, of.step], "names": [label(of.name)]}
        kept = [put(part) for part in of._labels_of_index]
        return {"columns": kept, "several": isinstance(of, MultiIndex), "names": [label(part) for part in of.names]}

    if isinstance(one, DataFrame):
        kept = [put(column) for column in one._columns]
        return {
            "kind": "frame",
            "columns": kept,
            "labels": [label(part) for part in one.columns],
            "index": index(one.index),
        }
    if isinstance(one, Series):
        return {"kind": "series", "column": put(one._values), "name": label(one.name), "index": index(one.index)}
    if isinstance(one, Index):
        return {"kind": "index", "index": index(one)}
    if isinstance(one, Column):
        return {"kind": "column", "column": put(one)}
    if isinstance(one, Array):
        array: Any = one

        def flat() -> Any:
            return array.reshape(-1) if array.ndim != 1 else array

        if one.dtype.kind == "c":
            parts = [
                columns.put(array, 0, lambda: flat().real.copy()),
                columns.put(array, 1, lambda: flat().imag.copy()),
            ]
        else:
            parts = [columns.put(array, 0, flat)]
        return {"kind": "array", "parts": parts, "shape": list(one.shape), "dtype": str(one.dtype)}
    raise TypeError(f"{name!r} is {type(one).__name__}: a checkpoint keeps arrays, columns, Series, indexes and frames")


def _made(told: dict[str, Any], columns: list[Any]) -> Any:
    def label(value: object) -> Any:
        return tuple(map(label, value["tuple"])) if isinstance(value, dict) else value

    def index(of: dict[str, Any]) -> Any:
        names = [label(name) for name in of["names"]]
        if "range" in of:
            start, stop, step = of["range"]
            return RangeIndex(start, stop, step, name=names[0])
        held = [columns[number] for number in of["columns"]]
        return MultiIndex.from_arrays(held, names=names) if of["several"] else Index(held[0], name=names[0])

    kind = told["kind"]
    if kind == "frame":
        made = DataFrame({at: columns[number] for at, number in enumerate(told["columns"])}, index=index(told["index"]))
        if told["labels"]:
            made.columns = [label(part) for part in told["labels"]]
        return made
    if kind == "series":
        return Series(columns[told["column"]], index=index(told["index"]), name=label(told["name"]))
    if kind == "index":
        return index(told["index"])
    if kind == "column":
        return (
            columns[told["column"]] if isinstance(columns[told["column"]], Column) else Column(columns[told["column"]])
        )
    parts = [columns[number] for number in told["parts"]]
    flat = parts[0] + 1j * parts[1] if len(parts) == 2 else parts[0]
    return flat.astype(told["dtype"]).reshape(told["shape"])


# -- columns in files --


def _write(path: str, column: object) -> str:
    """One column: each PE its rows where PEs hold it in parts, else in one file."""
    if inputs_of({"column": column}) is not None:
        write_parquet(path, {"column": column}, dataset=True, compression=None)
        return "parts"
    write_arrow(path, {"column": column}, compression=None)
    return "whole"


def _read(path: str, kind: str) -> Any:
    if kind not in ("parts", "whole"):
        raise TypeError(f"its kind is {kind!r}, not 'parts' or 'whole'")
    return (parquet_columns if kind == "parts" else arrow_columns)(path)["column"]


def _write_manifest(path: str, told: dict[str, Any]) -> None:
    with open(os.path.join(path, _MANIFEST), "x", encoding="utf-8") as stream:
        json.dump(told, stream)


def _read_manifest(path: str) -> dict[str, Any]:
    file = os.path.join(path, _MANIFEST)
    with open(file, encoding="utf-8") as stream:
        try:
            told = json.load(stream)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"cannot read {file}: {error}") from error
    if not isinstance(told, dict) or told.get("version") != _VERSION:
        raise ValueError(f"cannot read {file}: it is no checkpoint of version {_VERSION}")
    return told
