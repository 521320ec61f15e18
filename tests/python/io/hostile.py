# SPDX-License-Identifier: Apache-2.0
"""Files that are broken on purpose, of every format: cut, altered, or put together so that their parts contradict one
another. `python hostile.py DIRECTORY PES` reads all files of a directory and says what came of each."""

from __future__ import annotations

import bz2
import contextlib
import faulthandler
import gzip
import importlib
import io
import json
import lzma
import pathlib
import random
import resource
import struct
import sys
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import feather, ipc, orc

from atoll.io.parquet import thrift
from atoll.io.parquet.row_groups import MAGIC, footer_of

#: Ends of names. What is a directory is kept as a zip archive of its files, in which one of them is broken.
FORMATS = (
    "parquet", "plain.parquet", "feather", "lz4.feather", "arrows", "orc", "snappy.orc", "h5", "old.h5", "csv", "jsonl",
    "npy", "npz", "zarr",
)  # fmt: skip
#: Formats that begin and end as another one of the list does.
ALIKE = {"plain.parquet", "lz4.feather", "snappy.orc", "old.h5"}
ROWS = 60
#: Seconds after which reading a small file hangs, on a busy machine, too.
PATIENCE = 120


def table() -> pa.Table:
    return pa.table(
        {
            "i": pa.array([None if i % 5 == 0 else i for i in range(ROWS)], pa.int64()),
            "f": [i / 4 for i in range(ROWS)],
            "t": [None if i % 3 == 0 else f"text {i}" * (i % 4) for i in range(ROWS)],
            "c": pa.array(["x", "yy", None] * (ROWS // 3)).dictionary_encode(),
            "l": [list(range(i % 4)) for i in range(ROWS)],
        }
    )


def good(kind: str) -> bytes:
    """A file as it should be."""
    whole, stream = table(), io.BytesIO()
    few = whole.select(["i", "f", "t"])
    if kind == "parquet":
        pq.write_table(whole, stream, row_group_size=25, compression="zstd")
    elif kind == "plain.parquet":
        pq.write_table(few, stream, row_group_size=25, use_dictionary=["t"], write_page_index=True)
    elif kind == "feather":
        feather.write_feather(whole, stream, compression="uncompressed", chunksize=25)
    elif kind == "lz4.feather":
        feather.write_feather(whole, stream, compression="lz4", chunksize=25)
    elif kind == "arrows":
        with ipc.new_stream(stream, whole.schema) as writer:
            writer.write_table(whole, max_chunksize=25)
    elif kind == "orc":
        orc.write_table(few, stream)
    elif kind == "snappy.orc":
        orc.write_table(whole.drop_columns("c"), stream, compression="snappy")
    elif kind == "h5":
        import h5py

        with h5py.File(stream, "w", libver="latest") as file:
            file.create_dataset("f", data=np.arange(ROWS) / 4, chunks=(16,), compression="gzip")
            file.create_dataset("i", data=np.arange(ROWS))
            group = file.create_group("t")
            group.attrs["ObjType"] = 2
            words = [f"w{i}".encode() + b"\0" for i in range(ROWS)]
            group["values"] = np.frombuffer(b"".join(words), np.uint8)
            group["segments"] = np.cumsum([0, *map(len, words[:-1])])
    elif kind == "old.h5":  # structures of the format's first version, strings on its heap, filters
        import h5py

        with h5py.File(stream, "w", libver=("earliest", "v108")) as file:
            filters = {"chunks": (16,), "compression": "gzip", "shuffle": True, "fletcher32": True}
            file.create_dataset("f", data=np.arange(ROWS) / 4, **filters)
            file.create_dataset("group/i", data=np.arange(ROWS))
            words = [f"w{i}" * (i % 3) for i in range(ROWS)]
            file.create_dataset("v", data=words, dtype=h5py.string_dtype(), chunks=(16,))
            file.create_dataset("w", data=np.array(words, "S6"))
    elif kind == "csv":
        stream.write(few.to_pandas().to_csv(index=False).encode())
    elif kind == "jsonl":
        rows = whole.select(["i", "f", "t", "l"]).to_pylist()
        stream.write("".join(json.dumps(row) + "\n" for row in rows).encode())
    elif kind == "npy":
        np.save(stream, np.arange(ROWS) / 4)
    elif kind == "npz":
        np.savez(stream, a=np.arange(ROWS), b=np.arange(ROWS).reshape(6, -1) / 4)
    else:
        return _store({"f": np.arange(ROWS) / 4, "i": np.arange(ROWS)})
    return stream.getvalue()


def _store(columns: dict[str, np.ndarray]) -> bytes:
    """A Zarr store, as an archive of its files."""
    import tempfile

    import zarr

    stream = io.BytesIO()
    with tempfile.TemporaryDirectory() as directory:
        root = zarr.create_group(directory, attributes={"columns": list(columns)})
        for name, values in columns.items():
            root.create_array(name, data=values, chunks=(16,))
        with zipfile.ZipFile(stream, "w") as archive:
            for file in sorted(pathlib.Path(directory).rglob("*")):
                if file.is_file():
                    archive.writestr(zipfile.ZipInfo(file.relative_to(directory).as_posix()), file.read_bytes())
    return stream.getvalue()


def put(path: pathlib.Path, data: bytes) -> None:
    """Writes a file, or the directory that an archive stands for."""
    if path.suffix == ".zarr":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            archive.extractall(path)
    else:
        path.write_bytes(data)


def _altered(archive: bytes, alter) -> bytes:
    """An archive whose members are what `alter(name, content)` makes of them; None: nothing."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as found, zipfile.ZipFile(stream, "w") as made:
        for name in found.namelist():
            content = alter(name, found.read(name))
            if content is not None:
                made.writestr(zipfile.ZipInfo(name), content)
    return stream.getvalue()


def broken(kind: str, data: bytes, seed: int) -> bytes:
    """The content of a file, cut, with bytes or words changed, doubled or taken out."""
    rng = random.Random(seed)
    if kind == "zarr":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            victim = rng.choice(archive.namelist())
        return _altered(data, lambda name, content: _cut_or_changed(content, seed, rng) if name == victim else content)
    if kind.endswith("parquet") and seed % 3 == 0:  # where its footer lies, more is to be seen
        return rng.choice(_lies(kind, data))[1]
    return _cut_or_changed(data, seed, rng)


_known: dict[str, list[tuple[str, bytes]]] = {}


def _lies(kind: str, data: bytes) -> list[tuple[str, bytes]]:
    if kind not in _known:
        _known[kind] = list(_footer_lies(data))
    return _known[kind]


def _cut_or_changed(data: bytes, seed: int, rng: random.Random) -> bytes:
    made, how = bytearray(data), seed % 7
    if not made:
        return b"\0"
    if how == 0:
        return bytes(made[: rng.randrange(len(made))])
    if how == 5:  # a token where a line, or what is of its length, begins
        lines = made.splitlines(keepends=True)
        lines[rng.randrange(min(len(lines), 3))] = rng.choice(TOKENS) + rng.choice([b"", b"\n"])
        return bytes(b"".join(lines))
    if how == 6:
        at = rng.randrange(8 * len(made))
        made[at // 8] ^= 1 << at % 8
        return bytes(made)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(max(len(made), 1))
        if how == 1:
            made[at : at + 1] = bytes([rng.randrange(256)])
        elif how == 2:
            made[at : at + 4] = rng.choice([b"\xff\xff\xff\xff", b"\0\0\0\0", b"\xff\xff\xff\x7f", b"\0\0\0\x80"])
        elif how == 3:
            del made[at : at + rng.randint(1, 9)]
        else:
            made[at:at] = made[max(0, at - rng.randint(1, 9)) : at]
    return bytes(made)


# -- files that contradict themselves --


#: Contradictions in parts that readers need not check: such files may be read without error.
HARMLESS = {
    "csv a line that is too short", "jsonl empty", "jsonl a list alone", "zarr a store of nothing",
    "h5 a link to a file", "h5 a link to nowhere",
    "parquet lie .3=1099511627776", "parquet lie .4.0.1.0.3.5=1099511627776", "parquet lie .4.0.1.0.3.9=1099511627776",
    "plain.parquet lie .3=1099511627776", "plain.parquet lie .4.0.1.0.3.5=1099511627776",
    "parquet lie .4.0.1.0.3.12.5=b''", "parquet lie .4.0.1.1.3.12.6=b''",
    "plain.parquet lie .4.0.1.0.3.12.5=b''", "plain.parquet lie .4.0.1.1.3.12.6=b''",
}  # fmt: skip


def corpus(kind: str) -> Iterator[tuple[str, bytes]]:
    """Hostile files by name, which may go on with an ending: each must be refused, but those in `HARMLESS`."""
    data = good(kind)
    yield (
        "empty",
        b"" if kind != "zarr" else _altered(data, lambda name, content: None if name == "zarr.json" else content),
    )
    if kind != "zarr" and kind not in ("csv", "jsonl"):
        yield "half", data[: len(data) // 2]
        yield "without its end", data[:-3]
        yield "zeros", bytes(len(data))
        yield "of another kind", b'{"a": 1}\n' * 50
    yield from {
        "csv": _csv, "jsonl": _jsonl, "npy": _npy, "npz": _npz, "zarr": _zarr, "h5": _h5, "parquet": _parquet,
        "plain.parquet": _parquet, "feather": _feather, "orc": _orc, "snappy.orc": _orc_of_snappy,
    }.get(kind, lambda data: iter(()))(data)  # fmt: skip


#: Contents of a few letters: what parsers take for a value, or the beginning of something.
TOKENS = (
    b"null", b"true", b"17", b"-", b"-0", b"1e999", b"NaN", b"Infinity", b'"x"', b'"', b"{", b"}", b"[", b"]", b"{}",
    b"[]", b"[null]", b'{"i":null}', b'{"i"', b"{null:1}", b"nul", b",", b",,", b":", b";", b"\n", b"\r", b"\r\n",
    b"\t", b" ", b"\0", b"\0\n", b"\xff", b"\xef\xbb\xbf", b"\xef\xbb\xbfnull", b"\xff\xfe", b"\x1f\x8b",
    b"PK\x03\x04", b"PK\x05\x06", b"BZh", b"\xfd7zXZ\0", b"(\xb5/\xfd", b"PAR1", b"ARROW1", b"ARROW1\0\0", b"ORC",
    b"\x89HDF\r\n\x1a\n", b"\x93NUMPY", b"\xff\xff\xff\xff", b"\0\0\0\0", b"\xff" * 16, b"\0" * 16, b"\n" * 9, b"i",
    b"i,f", b"i,f\n", b'"i', b"i\r1", b"#", b"1,2,3", b"None",
)  # fmt: skip


def small(kind: str) -> Iterator[tuple[str, bytes]]:
    """Files of a token alone, and of what should be with a token before it, in its place or behind it."""
    data = good(kind)
    for number, token in enumerate(TOKENS):
        if kind == "zarr":
            for file in ("zarr.json", "f/zarr.json", "f/c/0"):
                yield (
                    f"{file.replace('/', ' ')} {number}",
                    _altered(data, lambda name, content, file=file, token=token: token if name == file else content),
                )
            continue
        yield f"alone {number}", token
        yield f"before {number}", token + data
        yield f"behind {number}", data + token
        if kind in ("csv", "jsonl"):
            lines = data.splitlines(keepends=True)
            yield f"first {number}", token + b"\n" + data
            yield f"second {number}", lines[0] + token + b"\n" + b"".join(lines[1:])
            yield f"last {number}", data + token + b"\n"
            yield f"all {number}", (token + b"\n") * 5
    if kind != "zarr":
        for size in range(1, 17):
            yield f"head of {size}", data[:size]
            yield f"tail of {size}", data[-size:]


def _csv(data: bytes) -> Iterator[tuple[str, bytes]]:
    yield "a quote that is not closed", b'a,b\n1,2\n3,"4\n5,6\n' * 41
    yield "a line that is too short", data + b"1,2\n"
    yield "a line that is too long", data + b"1,2,3,4\n"
    yield "no utf-8 among values", data + b"1,2,\xff\xfe\n"
    yield "no utf-8 among names", b"a,\xff\n1,2\n"
    yield "only ends of lines", b"\n\n\r\n"
    yield "only a mark of byte order", b"\xef\xbb\xbf"
    yield "utf-16", "a,b\n1,2\n".encode("utf-16")
    for ending, packed in (("gz", gzip.compress(data)), ("bz2", bz2.compress(data)), ("xz", lzma.compress(data))):
        yield f"cut.{ending}", packed[: len(packed) // 2]
        yield f"changed.{ending}", packed[:30] + b"\xff\xff\xff" + packed[33:]
        yield f"none.{ending}", data
    yield "none.zip", data
    archive = io.BytesIO()
    zipfile.ZipFile(archive, "w").close()
    yield "nothing in it.zip", archive.getvalue()
    yield "none.zst", data


def _jsonl(data: bytes) -> Iterator[tuple[str, bytes]]:
    for name, line in (
        ("null", b"null"),
        ("true", b"true"),
        ("a number", b"-1"),
        ("a text", b'"x"'),
        ("a list", b"[1]"),
    ):
        yield f"{name} alone", line
        yield f"{name} first", line + b"\n" + data
        yield f"{name} last", data + line
    yield "null behind a mark of byte order", b"\xef\xbb\xbfnull\n"
    yield "null behind spaces", b" \t null\n" + data
    yield "cut in an object", data[:-5]
    yield "two kinds of value", data + b'{"i": {"x": 1}}\n'
    yield "no object", data + b"17\n"
    yield "no value", data + b'{"i": }\n'
    yield "no utf-8", data + b'{"t": "\xff\xfe"}\n'
    yield "deep lists", b'{"i": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
    yield "deep objects", b'{"i": ' * 100_000 + b"1" + b"}" * 100_000 + b"\n"
    yield "a number too large", data + b'{"i": 1e999999}\n' + b'{"i": 123456789012345678901234567890}\n'
    yield "a name twice", b'{"i": 1, "i": 2}\n' * 3
    yield "cut.gz", gzip.compress(data)[:-20]


def _header(descr: object, shape: object, order: object = False, **more: object) -> bytes:
    head = repr({"descr": descr, "fortran_order": order, "shape": shape, **more}).encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head


def _npy(data: bytes) -> Iterator[tuple[str, bytes]]:
    yield "more than there is", _header("<f8", (10**6,)) + bytes(80)
    yield "very much more", _header("<f8", (1 << 60,)) + bytes(80)
    yield "more than words hold", _header("<f8", (1 << 62, 1 << 62)) + bytes(80)
    yield "negative", _header("<f8", (-5,)) + bytes(80)
    yield "no shape", _header("<f8", "ten") + bytes(80)
    yield "no type", _header("no such", (10,)) + bytes(80)
    yield "objects", _header("|O", (10,)) + bytes(80)
    yield "records", _header([("a", "<i4"), ("b", "<f4")], (10,)) + bytes(80)
    yield "raw bytes", _header("|V8", (10,)) + bytes(80)
    yield "no order", _header("<f8", (10,), "maybe") + bytes(80)
    yield "too many keys", _header("<f8", (10,), key=1) + bytes(80)
    yield (
        "an expression",
        b"\x93NUMPY\x01\x00" + struct.pack("<H", 30) + b"__import__('os').getpid()     \n" + bytes(80),
    )
    yield "a long header", b"\x93NUMPY\x02\x00" + struct.pack("<I", 1 << 31) + data[10:]
    yield "a later version", b"\x93NUMPY\x09\x00" + data[8:]
    yield "pickled", b"\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00\x8c\x04text\x94."


def _npz(data: bytes) -> Iterator[tuple[str, bytes]]:
    members = {"a.npy": good("npy")}

    def archive(**members: bytes) -> bytes:
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as made:
            for name, content in members.items():
                made.writestr(zipfile.ZipInfo(f"{name}.npy"), content)
        return stream.getvalue()

    for name, content in _npy(members["a.npy"]):
        yield f"a member with {name}", archive(a=members["a.npy"], b=content)
    at = data.index(b"\x93NUMPY") + 200
    yield "a wrong sum", data[:at] + b"\xff" + data[at + 1 :]


def _zarr(data: bytes) -> Iterator[tuple[str, bytes]]:
    def with_metadata(**changes: object) -> bytes:
        def alter(name: str, content: bytes) -> bytes:
            if name != "f/zarr.json":
                return content
            told = json.loads(content)
            told.update(changes)
            return json.dumps(told).encode()

        return _altered(data, alter)

    def grid(shape: object) -> dict[str, object]:
        return {"name": "regular", "configuration": {"chunk_shape": shape}}

    yield "a store of nothing", _altered(data, lambda name, content: b"{}" if name == "zarr.json" else content)
    yield "no json", _altered(data, lambda name, content: b"{" if name == "f/zarr.json" else content)
    yield "a chunk that is cut", _altered(data, lambda name, content: content[:-9] if name == "f/c/1" else content)
    yield "a chunk of nothing", _altered(data, lambda name, content: b"" if name == "f/c/1" else content)
    yield "a chunk of others", _altered(data, lambda name, content: b"x" * 99 if name == "f/c/1" else content)
    yield (
        "very many rows",
        _altered(
            data,
            lambda name, content: (
                content.replace(b"60", str(1 << 60).encode()) if name.endswith("zarr.json") else content
            ),
        ),
    )
    yield "lengths that differ", with_metadata(shape=[61])
    yield "negative", with_metadata(shape=[-60])
    yield "no shape", with_metadata(shape="sixty")
    yield "chunks of nothing", with_metadata(chunk_grid=grid([0]))
    yield "a chunk of very many", with_metadata(chunk_grid=grid([1 << 60]))
    yield "no type", with_metadata(data_type="no such")
    yield "no codec", with_metadata(codecs=[{"name": "no such"}])
    yield "no codecs", with_metadata(codecs=[])
    yield "a later version", with_metadata(zarr_format=9)


def _h5(data: bytes) -> Iterator[tuple[str, bytes]]:
    import h5py

    def made(fill) -> bytes:
        stream = io.BytesIO()
        with h5py.File(stream, "w") as file:
            fill(file)
        return stream.getvalue()

    def circle(file) -> None:
        group = file.create_group("a/b")
        group["a again"] = file["a"]

    def texts(values: bytes, segments: list[int], **other: object):
        def fill(file) -> None:
            group = file.create_group("t")
            group.attrs["ObjType"] = 2
            group["values"], group["segments"] = np.frombuffer(values, np.uint8), segments
            for name, value in other.items():
                file[name] = value

        return fill

    def categories(codes: list[int]):
        def fill(file) -> None:
            texts(b"x\0y\0", [0, 2])(file)
            group = file.create_group("c")
            group.attrs["ObjType"] = 4
            group["codes"], group["categories"] = codes, file["t"]
            file.move("t", "c/words")

        return fill

    yield "very many rows", made(lambda file: file.create_dataset("a", (1 << 61,), "f8", chunks=(1 << 10,)))
    yield "very large chunks", made(lambda file: file.create_dataset("a", (1 << 44,), "f8", chunks=(1 << 28,)))
    yield "a circle", made(circle)
    yield "a link to nowhere", made(lambda file: file.__setitem__("a", h5py.SoftLink("/no such")))
    yield "a link to a file", made(lambda file: file.__setitem__("a", h5py.ExternalLink("/etc/passwd", "/x")))
    yield "segments behind the end", made(texts(b"x\0y\0", [0, 9]))
    yield "segments that fall", made(texts(b"x\0y\0", [2, 0]))
    yield "segments below 0", made(texts(b"x\0y\0", [-2, 2]))
    yield "no zero at the end", made(texts(b"x\0yz", [0, 2]))
    yield "no utf-8", made(texts(b"x\0\xff\0", [0, 2]))
    yield "lengths that differ", made(texts(b"x\0y\0", [0, 2], n=[1, 2, 3]))
    yield "a code of no category", made(categories([0, 1, 7]))


def _true(struct: thrift.Struct, path: str = "") -> Iterator[tuple[str, Any, Callable[[Any], None]]]:
    """All whole numbers and texts of a footer: the path of fields that leads there, the value, and what alters it."""
    for number, (kind, value) in struct.items():
        where = f"{path}.{number}"
        if kind in (thrift.LIST, thrift.SET):
            inner, values = value
            for at, one in enumerate(values):
                if inner == thrift.STRUCT:
                    yield from _true(one, f"{where}.{at}")
                elif inner in (thrift.I16, thrift.I32, thrift.I64, thrift.BINARY):
                    yield f"{where}.{at}", one, partial(values.__setitem__, at)
        elif kind == thrift.STRUCT:
            yield from _true(value, where)
        elif kind in (thrift.I16, thrift.I32, thrift.I64, thrift.BINARY):
            yield where, value, lambda other, number=number, kind=kind: struct.update({number: (kind, other)})


def _footer_lies(file: bytes) -> Iterator[tuple[str, bytes]]:
    """A Parquet file with one number of its footer (or the first letter of a text) altered, and where that is."""
    tree, begin = footer_of(file)
    assert thrift.packed(tree) == file[begin:-8]
    for path, true, alter in _true(tree):
        others: list[Any] = (
            [b"", b"\xff" + true[1:], true + b"x"]
            if isinstance(true, bytes)
            else [0, -1, true + 1, true - 1, 1 << 31, -(1 << 31), 1 << 40, (1 << 63) - 1, -(1 << 63)]
        )
        for other in others:
            if other != true:
                alter(other)
                made = thrift.packed(tree)
                yield f"{path}={other!r}", file[:begin] + made + len(made).to_bytes(4, "little") + MAGIC
        alter(true)


def _parquet(data: bytes) -> Iterator[tuple[str, bytes]]:
    yield "a footer longer than the file", data[:-8] + b"\xff\xff\xff\x7fPAR1"
    yield "a footer of nothing", data[:-8] + b"\0\0\0\0PAR1"
    yield "only marks", b"PAR1PAR1"
    wanted = {
        ".3=1099511627776", ".4.0.3=2147483648", ".4.0.3=1099511627776", ".4.0.3=9223372036854775807", ".4.1.3=-1",
        ".4.0.1.0.3.7=-1", ".4.0.1.0.3.9=1099511627776", ".4.0.1.0.3.5=1099511627776", ".2.0.5=2147483648", ".2.2.3=-1",
        ".4.0.1.0.3.1=0", ".2.1.3=0",
        ".4.0.1.0.3.12.5=b''", ".4.0.1.1.3.12.6=b''",
    }  # fmt: skip
    for where, made in _footer_lies(data):
        if where in wanted:
            yield f"lie {where}", made


def _orc_streams(data: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Column, kind, place and bytes of the streams of a file's first stripe."""
    from atoll.io.orc.streams import OrcFile

    with pa.BufferReader(data) as source:
        file = OrcFile(source)
        streams, _ = file._streams(file._stripes[0])
    for column, of in streams.items():
        for kind, (at, size) in of.items():
            yield column, kind, at, size


def _orc(data: bytes) -> Iterator[tuple[str, bytes]]:
    for column, kind, at, size in _orc_streams(data):
        if kind == 2:  # lengths: the first run is another
            assert size > 9
            yield f"lengths of column {column}", data[:at] + b"\x38" + b"\x7f" * 8 + data[at + 9 :]
            yield f"lengths of column {column} below 0", data[:at] + b"\x38" + b"\xff" * 8 + data[at + 9 :]
            yield f"long lengths of column {column}", data[:at] + b"\x18\x7f\xff\xff\xff" + data[at + 5 :]


def _orc_of_snappy(data: bytes) -> Iterator[tuple[str, bytes]]:
    packed = [at for _, kind, at, size in _orc_streams(data) if kind == 1 and size > 8 and not data[at] & 1]
    for at in packed[:1]:
        yield "a part that becomes too long", data[: at + 3] + b"\xff\xff\xff\xff\x07" + data[at + 8 :]


def _feather(data: bytes) -> Iterator[tuple[str, bytes]]:
    yield "a footer longer than the file", data[:-10] + b"\xff\xff\xff\x7f" + data[-6:]


# -- reading --


def read(path: pathlib.Path) -> None:
    """Reads all of a file, and looks at every value: what was accepted must be sound."""
    import atoll as ak
    from atoll.frame.files import readers as frames

    if path.suffix in (".npy", ".npz"):
        found = ak.load(path)
        # A broken .npy file may have become an archive.
        columns = dict(found) if isinstance(found, Mapping) else {"a": found}
    elif path.suffix == ".zarr":
        columns = dict(ak.read_zarr(path).items())
    else:
        kind = next((one for one in FORMATS if f".{one}" in path.suffixes), path.suffix[1:])
        reader = {"feather": "feather", "arrows": "feather", "h5": "hdf", "jsonl": "json"}.get(kind, kind)
        if kind.endswith("parquet"):  # statistics are looked at
            for where in ([("i", ">", 3), ("f", "<", 9), ("t", ">", "a")], [[("f", "!=", 3)], [("i", "<", 0)]]):
                with contextlib.suppress(ValueError, TypeError, MemoryError, OSError):
                    for _, column in frames.read_parquet(path, filters=where).items():
                        column.tolist()
        frame = getattr(frames, f"read_{reader}")(path)
        columns = {name: frame[name] for name in frame.columns}
    try:
        for name, column in columns.items():
            values = column.tolist()
            assert len(values) == len(column), name
    except Exception as error:
        raise Unsound(f"{path.name}: {type(error).__name__}: {error}") from error


class Unsound(BaseException):
    """A file was read, but its values cannot be used."""


def peak(here: object) -> int:
    """On a PE: the most memory that its process had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main(directory: str, pes: str) -> None:
    import hostile  # not __main__, which other PEs do not have

    import atoll as ak
    from atoll.session.everywhere import everywhere

    importlib.import_module("atoll.frame.files.readers")  # which may take long, and is no part of reading a file
    warnings.simplefilter("ignore")
    ak.init(int(pes), 1)
    before = max(everywhere(hostile.peak))
    for path in sorted(pathlib.Path(directory).iterdir()):
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        print(path.name, flush=True)
        try:
            hostile.read(path)
            outcome = "read"
        except Exception as error:
            outcome = [type(error).__name__, str(error)]
        except hostile.Unsound as error:
            outcome = ["Unsound", str(error)]
        assert int(ak.arange(1000).sum()) == 499_500, "the session is of no use any more"
        now = max(everywhere(hostile.peak))
        print(json.dumps([outcome, now - before]), flush=True)
        before = now
    faulthandler.cancel_dump_traceback_later()


if __name__ == "__main__":
    main(*sys.argv[1:])
