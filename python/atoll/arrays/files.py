# SPDX-License-Identifier: Apache-2.0
"""Arrays in files: NumPy's formats, written and read some rows at a time.

In an SPMD session PE 0 writes and every PE reads, so the file must be on a shared file system.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from ..session import current
from ..session.everywhere import everywhere, landed
from ..storage.atomic import Device
from ..storage.session_files import sink, target_here
from ..storage.source import fill, land, reading
from . import engine
from .array import Array, as_array, wrap
from .creation import array
from .dtypes import DTypeLike, code_of

if TYPE_CHECKING:
    from ..annotations import ArrayLike
    from .ndarray import ndarray

__all__ = [
    "frombuffer", "fromfile", "fromregex", "fromstring", "genfromtxt", "load", "loadtxt", "save", "savetxt", "savez",
    "savez_compressed",
]  # fmt: skip

_PIECE = 64 << 20  # bytes that pass through this process at a time


def pieces(values: Array) -> Iterator[np.ndarray[Any, Any]]:
    """All elements in C order, as NumPy arrays of some rows each."""
    expr = values._read()
    if expr.ndim == 0 or expr.size * values.dtype.itemsize <= _PIECE:
        yield expr.to_numpy(True)
        return
    row_bytes = max(1, values.nbytes // max(1, expr.shape[0]))
    step = max(1, _PIECE // row_bytes)
    for start in range(0, expr.shape[0], step):
        count = min(step, expr.shape[0] - start)
        ranges = [(start, 1, count), *((0, 1, length) for length in expr.shape[1:])]
        yield engine.get_slice(expr, ranges).to_numpy(True)


def _writes() -> bool:
    session = current()
    return session.kind != "spmd" or session.pe == 0


@contextlib.contextmanager
def opened(file: object, mode: str) -> Iterator[Any]:
    """Opens a file, unless it is open already; PEs that do not write get a sink that discards.

    A path is written atomically: the file appears if the block ends without error. One PE's error is raised on all PEs.
    """
    failure: BaseException | None = None
    try:
        with _stream(file, mode) as stream:
            yield stream
    except BaseException as error:
        failure = error
    session = current()
    if session.kind == "spmd" and session.pes > 1:
        everywhere(_raised, failure)
    if failure is not None:
        raise failure


@contextlib.contextmanager
def _stream(file: Any, mode: str) -> Iterator[Any]:
    if not _writes():
        yield io.StringIO() if "t" in mode else io.BytesIO()
    elif hasattr(file, "write"):
        yield file
    else:
        path, special = target_here(os.fspath(file), expands=False)
        with sink(None, Device(path) if special else path) as stream:
            if "t" in mode:
                text = io.TextIOWrapper(stream)
                yield text
                text.detach()
            else:
                yield stream


def _raised(here: Any, failure: BaseException | None) -> None:
    if failure is not None:
        raise failure


def _each(parts: Iterable[Any], write: Callable[[Any], object]) -> None:
    """Calls `write` with each part. Making the parts is collective, so it continues on all PEs when writing fails."""
    failure: BaseException | None = None
    for part in parts:
        if failure is None:
            try:
                write(part)
            except BaseException as error:
                failure = error
    if failure is not None:
        raise failure


def _bytes(piece: Any) -> Any:
    return memoryview(piece).cast("B") if piece.size else b""


def _write_npy(stream: IO[bytes], values: ndarray) -> None:
    header = {"descr": np.lib.format.dtype_to_descr(values.dtype), "fortran_order": False, "shape": values.shape}

    def write(piece: Any) -> None:
        stream.write(_bytes(piece))
        if not _writes():
            stream.seek(0)

    np.lib.format.write_array_header_1_0(stream, header)
    _each(pieces(values), write)


def save(file: Any, arr: ArrayLike, allow_pickle: bool = True) -> None:
    """Writes an array in NumPy's format; '.npy' is added to names that lack it.

    Examples
    --------
    >>> import atoll as ak
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.npy"
    >>> ak.save(path, ak.arange(3))
    >>> ak.load(path)
    array([0, 1, 2])
    """
    values = as_array(arr)
    if not hasattr(file, "write"):
        name = os.fspath(file)
        file = name if name.endswith(".npy") else name + ".npy"
    with opened(file, "wb") as stream:
        _write_npy(stream, values)


def savez(file: object, *args: object, allow_pickle: bool = True, **kwds: Any) -> None:
    """Writes several arrays to one file, by the names of keywords, or 'arr_0', 'arr_1' …

    Examples
    --------
    >>> import atoll as ak
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "several.npz"
    >>> ak.savez(path, ak.arange(3), y=ak.zeros(2))
    >>> with ak.load(path) as found:
    ...     sorted(found), found["arr_0"]
    (['arr_0', 'y'], array([0, 1, 2]))
    """
    _save_several(file, args, kwds, deflated=False)


def savez_compressed(file: object, *args: object, allow_pickle: bool = True, **kwds: Any) -> None:
    """As `savez`, compressed.

    Examples
    --------
    >>> import atoll as ak
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "several.npz"
    >>> ak.savez_compressed(path, x=ak.zeros(1000))
    >>> path.stat().st_size < 1000
    True
    """
    _save_several(file, args, kwds, deflated=True)


def _save_several(file: Any, args: tuple[Any, ...], kwds: dict[str, Any], deflated: bool) -> None:
    import zipfile  # the import takes 8 ms

    compression = zipfile.ZIP_DEFLATED if deflated else zipfile.ZIP_STORED
    if cut := next((name for name in kwds if "\0" in name), None):
        raise ValueError(f"name {cut!r} has a NUL character (names in zip files end at it). Leave it out?")
    named = {f"arr_{number}": one for number, one in enumerate(args)}
    for name in named:
        if name in kwds:
            raise ValueError(f"Cannot use un-named variables and keyword {name}")
    named.update(kwds)
    if not hasattr(file, "write"):
        path = os.fspath(file)
        file = path if path.endswith(".npz") else path + ".npz"
    with opened(file, "wb") as stream, zipfile.ZipFile(stream, "w", compression, allowZip64=True) as archive:
        for name, one in named.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                if _writes():
                    _write_npy(member, as_array(one))
                else:
                    _write_npy(io.BytesIO(), as_array(one))


class Several(Mapping[str, Any]):
    """The arrays of a file that `savez` wrote, as a mapping that reads each array on access."""

    def __init__(self, found: Any, name: str) -> None:
        self._found, self._name = found, name

    @property
    def files(self) -> list[str]:
        """Names of the arrays."""
        return list(self._found.files)

    def __getitem__(self, name: str) -> ndarray:
        if name not in self._found:
            raise KeyError(f"{name} is not a file in the archive")
        where = f"{self._name}, {name}"
        with reading(where):
            found = self._found[name]
        return _held(found, where)

    def __iter__(self) -> Iterator[str]:
        return iter(self._found.files)

    def __len__(self) -> int:
        return len(self._found.files)

    def close(self) -> None:
        """Closes the file."""
        self._found.close()

    def __enter__(self) -> Several:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def load(file: Any, mmap_mode: str | None = None, allow_pickle: bool = False, **options: Any) -> Any:
    """The array that `save` wrote, or a mapping of those that `savez` did; of NumPy's files as well.

    Parameters
    ----------
    file : path or binary file
        Where to read.
    mmap_mode
        None, "r" or "c": elements are read into memory, some rows at a time, and their changes do not reach the file;
        so "r+" and "w+" raise.
    allow_pickle : bool
        As in NumPy; arrays of objects cannot be held here in any case.

    Raises
    ------
    ValueError
        The file is corrupt, or of another format; the message names it.

    Examples
    --------
    >>> import atoll as ak
    >>> import io
    >>> stream = io.BytesIO()
    >>> ak.save(stream, ak.ones(2))
    >>> _ = stream.seek(0)
    >>> ak.load(stream)
    array([1., 1.])
    """
    if mmap_mode not in (None, "r", "c", "readonly", "copyonwrite"):
        raise ValueError(
            f"mmap_mode={mmap_mode!r} is not available (changes would not reach the file). Use 'c', and save?"
        )
    mapped = not hasattr(file, "read")
    name = os.fspath(file) if mapped else "<stream>"
    with reading(name):
        found = np.load(file, mmap_mode="r" if mapped else None, allow_pickle=allow_pickle, **options)
    if isinstance(found, np.lib.npyio.NpzFile):
        return Several(found, name)
    if not isinstance(found, np.memmap):
        return _held(found, name)
    _held(found[:0] if found.ndim else np.empty(0, found.dtype), name)
    with reading(name):
        return _read(found)


def _held(found: np.ndarray[Any, Any], where: str) -> ndarray:
    """An array of a file's content; TypeError that names the file for unsupported dtypes."""
    try:
        return array(found)
    except TypeError as error:
        raise TypeError(f"{where}: {error}") from error


def _read(found: np.memmap[Any, Any]) -> ndarray:
    """Reads a file's elements, some rows at a time. It does not use a memory map: access to the missing part of a
    truncated file would end the process."""
    path, shape, flags = os.fspath(found.filename or ""), found.shape, found.flags
    kind, offset, size = found.dtype, found.offset, found.nbytes
    turned = len(shape) > 1 and flags.f_contiguous and not flags.c_contiguous  # in Fortran's order
    shape = shape[::-1] if turned else shape
    if len(shape) == 1 and size and kind.isnative and kind.kind in "iuf":
        pes, count = current().pes, shape[0]
        ends = [count * (pe + 1) // pes for pe in range(pes)]
        rows = [end - begin for begin, end in itertools.pairwise([0, *ends])]
        _, made = landed(_straight, (path, offset, ends, kind.itemsize), [code_of(kind)], rows=rows)
        return wrap(made[0][0])
    with open(path, "rb", buffering=0) as stream:
        stream.seek(offset)
        if not shape or size <= _PIECE:
            whole = _filled(stream, np.empty(shape, kind))
            return array(whole.T if turned else whole)
        result: Any = wrap(engine.empty(current(), found.shape, code_of(kind)))
        step = max(1, _PIECE // max(1, size // shape[0]))
        for start in range(0, shape[0], step):
            piece = _filled(stream, np.empty((min(step, shape[0] - start), *shape[1:]), kind))
            if turned:
                result[..., start : start + step] = np.ascontiguousarray(piece.T)
            else:
                result[start : start + step] = piece
    return result


def _straight(here: Any, path: str, offset: int, ends: list[int], width: int) -> None:
    """On a PE: reads its elements directly to their destination."""
    begin = ends[here.pe - 1] if here.pe else 0
    land(here, [(0, 0, ends[here.pe] - begin, path, offset + begin * width, path)])


def _filled(stream: Any, piece: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array with its elements read."""
    fill(stream, _bytes(piece))
    return piece


# -- text --


def savetxt(
    fname: Any, X: Any, fmt: Any = "%.18e", delimiter: str = " ", newline: str = "\n", header: str = "",
    footer: str = "", comments: str = "# ", encoding: str | None = None,
) -> None:  # fmt: skip
    """Writes a vector or matrix as text, a row to a line; parameters as NumPy's.

    Examples
    --------
    >>> import atoll as ak
    >>> import io
    >>> stream = io.StringIO()
    >>> ak.savetxt(stream, ak.arange(4).reshape(2, 2), fmt="%d")
    >>> stream.getvalue()
    '0 1\\n2 3\\n'
    """
    values = as_array(X)
    if values.ndim == 0 or values.ndim > 2:
        raise ValueError(f"Expected 1D or 2D array, got {values.ndim}D array instead")
    options: dict[str, Any] = {"delimiter": delimiter, "newline": newline, "comments": comments, "encoding": encoding}
    packs = "" if hasattr(fname, "write") else os.path.splitext(os.fspath(fname))[1]
    heads = itertools.chain([header], itertools.repeat(""))
    with opened(fname, "wb" if packs in _PACKED else "wt") as raw, _packing(raw, packs) as stream:
        _each(pieces(values), lambda piece: np.savetxt(stream, piece, fmt, header=next(heads), **options))
        if footer:
            np.savetxt(stream, np.empty((0, 1)), fmt, footer=footer, **options)


_PACKED = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}


@contextlib.contextmanager
def _packing(stream: Any, ending: str) -> Iterator[Any]:
    """The stream, compressed according to the suffix of its name."""
    if ending not in _PACKED:
        yield stream
        return
    with importlib.import_module(_PACKED[ending]).open(stream, "wb") as packed:
        yield packed


def loadtxt(fname: Any, dtype: DTypeLike = float, **options: Any) -> Any:
    """Reads a vector or matrix from text, with NumPy's parameters; `unpack=True` returns the columns.

    Examples
    --------
    >>> import atoll as ak
    >>> import io
    >>> ak.loadtxt(io.StringIO("0 1\\n2 3"))
    array([[0., 1.],
           [2., 3.]])
    """
    return array(np.loadtxt(fname, dtype, **options))


def genfromtxt(fname: Any, dtype: DTypeLike = float, **options: Any) -> Any:
    """As `loadtxt`, of text with missing values; parameters as NumPy's.

    Examples
    --------
    >>> import atoll as ak
    >>> import io
    >>> ak.genfromtxt(io.StringIO("1,,3"), delimiter=",")
    array([ 1., nan,  3.])
    """
    return array(np.genfromtxt(fname, dtype, **options))


def fromregex(file: Any, regexp: Any, dtype: Any, encoding: str | None = None) -> dict[str, Any]:
    """The matches of the groups of a regular expression in a string: a column for each field of `dtype`.

    Parameters are NumPy's; NumPy returns a structured array instead.

    Examples
    --------
    >>> import atoll as ak
    >>> import io
    >>> ak.fromregex(io.StringIO("a 1\\nb 20"), r"(\\w) (\\d+)", [("key", "U1"), ("n", "i8")])
    {'key': strings(['a', 'b']), 'n': array([ 1, 20])}
    """
    found = np.fromregex(file, regexp, dtype, encoding)
    return {name: array(found[name]) for name in found.dtype.names or ()}


# -- bytes --


def fromfile(file: Any, dtype: DTypeLike = float, count: int = -1, sep: str = "", offset: int = 0) -> ndarray:
    """Reads the elements of a binary file, or with `sep` of a text file, such as `tofile` writes.

    Examples
    --------
    >>> import atoll as ak
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "bytes"
    >>> ak.arange(3).tofile(path)
    >>> ak.fromfile(path, int, offset=8)
    array([1, 2])
    """
    kind = np.dtype(dtype)
    if sep or hasattr(file, "read"):
        return array(np.fromfile(file, kind, count, sep, offset=offset))
    number = (os.path.getsize(file) - offset) // kind.itemsize
    if count >= 0:
        number = min(number, count)
    if number <= 0:
        return array(np.fromfile(file, kind, 0, offset=offset))
    return _read(np.memmap(file, kind, "r", offset, (number,)))


def frombuffer(buffer: Any, dtype: DTypeLike = float, count: int = -1, offset: int = 0) -> ndarray:
    """An array of a copy of bytes.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.frombuffer(b"\\x01\\x02", dtype="uint8")
    array([1, 2], dtype=uint8)
    """
    return array(np.frombuffer(buffer, dtype, count, offset))


def fromstring(string: str, dtype: DTypeLike = float, count: int = -1, *, sep: str) -> ndarray:
    """An array of numbers in a string.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.fromstring("1, 2", dtype=int, sep=",")
    array([1, 2])
    """
    return array(np.fromstring(string, dtype, count, sep=sep))


def write_raw(values: Array, file: Any, sep: str, format: str) -> None:
    """ndarray.tofile: bytes in C order, or with `sep` a string."""
    with opened(file, "wt" if sep else "wb") as stream:
        between = itertools.chain([""], itertools.repeat(sep))

        def write(piece: Any) -> None:
            if sep:
                stream.write(next(between) + sep.join(format % one for one in piece.reshape(-1).tolist()))
            else:
                stream.write(_bytes(piece))

        _each(pieces(values), write)
