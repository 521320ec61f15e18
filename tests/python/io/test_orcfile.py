# SPDX-License-Identifier: Apache-2.0
"""What is looked at of ORC files before Arrow reads them: of all compressions, and no more than is asked for."""

import contextlib
import io
from pathlib import Path

import fsspec
import numpy as np
import pyarrow as pa
import pytest
from fsspec.implementations.local import LocalFileSystem
from pyarrow import orc

from atoll.io.orc import orc_columns
from atoll.io.orc import streams as orcfile
from atoll.io.orc.streams import OrcFile

pytestmark = pytest.mark.usefixtures("every_session")

ROWS = 3000


def table():
    """Columns whose lengths do not compress by runs alone, but by what they repeat."""
    lengths = np.tile(np.random.default_rng(7).integers(0, 60, 50), ROWS // 50).tolist()
    return pa.table(
        {
            "a": np.arange(ROWS),
            "t": [f"{i:<60}"[:length] for i, length in enumerate(lengths)],
            "l": [[i] * length for i, length in enumerate(lengths)],
            "s": [{"x": i, "y": ["u"] * (i % 3), "z": None if i % 5 == 0 else f"z{i % 9}"} for i in range(ROWS)],
            "w": [None if i % 4 == 0 else f"word {i % 11}" for i in range(ROWS)],
        }
    )


def written(compression, wanted=None, **options):
    stream = io.BytesIO()
    orc.write_table(table() if wanted is None else wanted, stream, compression=compression, **options)
    return stream.getvalue()


# -- LZ4, of which Arrow's writer leaves the parts as they are --


def varint(value):
    made = b""
    while value > 127:
        made, value = made + bytes([value & 127 | 128]), value >> 7
    return made + bytes([value])


def message(fields):
    """Of Protocol Buffers: numbers, and bytes."""
    return b"".join(
        varint(number << 3) + varint(value) if isinstance(value, int)
        else varint(number << 3 | 2) + varint(len(value)) + value
        for number, value in fields
    )  # fmt: skip


def packed(data, block):
    """A stream, its parts compressed where that makes them shorter."""
    made = b""
    for begin in range(0, len(data), block):
        part = data[begin : begin + block]
        small = pa.Codec("lz4_raw").compress(part, asbytes=True)
        kept = small if len(small) < len(part) else part
        made += (len(kept) << 1 | (kept is part)).to_bytes(3, "little") + kept
    return made


def with_lz4(data, block):
    """An ORC file with its parts compressed, and how many of the streams of lengths became shorter by it."""
    told, lengths = dict(orcfile._fields(data[-1 - data[-1] : -1])), 0
    assert block <= told[3]
    file = OrcFile(pa.BufferReader(data))
    end = len(data) - 1 - data[-1]
    footer = list(orcfile._fields(file._unpacked(data[end - told[1] : end])))
    metadata = data[end - told[1] - told.get(5, 0) : end - told[1]]
    made = b"ORC"
    for place, (number, value) in enumerate(footer):
        if number != 3:
            continue
        stripe = dict(orcfile._fields(value))
        at = stripe[1]
        behind = at + stripe.get(2, 0) + stripe.get(3, 0)
        sizes = {"index": 0, "data": 0}
        fields = []
        begin = len(made)
        for what, of in orcfile._fields(file._unpacked(data[behind : behind + stripe[4]])):
            if what == 1:
                stream = dict(orcfile._fields(of))
                small = packed(file._unpacked(data[at : at + stream[3]]), block)
                lengths += stream.get(1) == 2 and len(small) < stream[3]
                at += stream[3]
                stream[3] = len(small)
                sizes["index" if stream.get(1, 0) >= 6 else "data"] += len(small)
                made, of = made + small, message(stream.items())
            fields.append((what, of))
        small = packed(message(fields), block)
        made += small
        stripe.update({1: begin, 2: sizes["index"], 3: sizes["data"], 4: len(small)})
        footer[place] = 3, message(stripe.items())
    small = packed(message(footer), block)
    assert len(small) < len(message(footer))
    told[1] = len(small)
    last = message(told.items())
    return made + metadata + small + last + bytes([len(last)]), lengths


def test_lz4(tmp_path):
    wanted = table()
    for block, options in ((1 << 16, {}), (1000, {}), (1 << 16, {"stripe_size": 1 << 14, "batch_size": 256})):
        plain = written("lz4", **options)
        data, shorter = with_lz4(plain, block)
        assert shorter >= 3
        assert orc.ORCFile(io.BytesIO(data)).read().equals(orc.ORCFile(io.BytesIO(plain)).read())
        (tmp_path / "a.orc").write_bytes(data)
        for where in (tmp_path / "a.orc", io.BytesIO(data)):
            found = orc_columns(where, ["a", "t", "l", "w"])
            assert {name: column.tolist() for name, column in found.items()} == wanted.drop_columns("s").to_pydict()
        file = OrcFile(pa.BufferReader(data))
        lengths, _ = file._streams(file._stripes[0])[0][2][2]
        for at in (lengths + 3, len(data) - 60):
            broken = data[:at] + b"\xff" * 20 + data[at + 20 :]
            with pytest.raises(ValueError, match="cannot read <stream>"):
                orc_columns(io.BytesIO(broken), ["a", "t"])


def test_sizes_of_lz4_blocks():
    rng = np.random.default_rng(3)
    file = object.__new__(OrcFile)
    file._block, file._compression = 1 << 16, 4
    for size in (0, 1, 5, 12, 13, 19, 100, 269, 270, 271, 4096, 1 << 16):
        for letters in (1, 2, 256):
            data = rng.integers(0, letters, size, dtype=np.uint8).tobytes()
            part = pa.Codec("lz4_raw").compress(data, asbytes=True)
            assert file._size_of_lz4(part) == size and (not size or file._part(part) == data)
            if size > 100:
                file._block = size - 1
                with pytest.raises(ValueError, match="ends too early, or has more than"):
                    file._part(part)
                file._block = 1 << 16
    for _ in range(2000):  # what is no block is refused, or has no more than it may have
        part = rng.integers(0, 256, int(rng.integers(1, 30)), dtype=np.uint8).tobytes()
        with contextlib.suppress(ValueError, OSError):
            assert len(file._part(part)) <= 1 << 16


# -- columns that were not requested --


class Counted(LocalFileSystem):
    """A far file system that says which bytes of its files were read."""

    protocol = "counted"
    cachable = False
    read: list = []

    def _open(self, path, mode="rb", block_size=None, **kwargs):
        return CountedFile(Path(self._strip_protocol(path)).read_bytes())

    @classmethod
    def _strip_protocol(cls, path):
        return str(path).removeprefix("counted://")


class CountedFile(io.BytesIO):
    def read(self, size=-1):
        at = self.tell()
        data = super().read(size)
        Counted.read.append((at, len(data)))
        return data


@pytest.mark.parametrize("compression", ["uncompressed", "zlib", "snappy", "zstd"])
def test_columns_that_were_not_requested_are_not_read(tmp_path, compression):
    rng = np.random.default_rng(1)
    texts = {f"t{i}": [bytes(one).hex() for one in rng.integers(0, 256, (4000, 20), dtype=np.uint8)] for i in range(9)}
    data = written(compression, pa.table({"a": np.arange(4000), **texts, "z": [f"z{i % 7}" for i in range(4000)]}))
    assert len(data) > 600_000
    (tmp_path / "a.orc").write_bytes(data)
    fsspec.register_implementation("counted", Counted, clobber=True)
    for columns, most in ((["a", "z"], 150_000), (["t4"], 250_000), (None, len(data) + 150_000)):
        Counted.read.clear()
        found = orc_columns(f"counted://{tmp_path}/a.orc", columns, storage_options={})
        assert all(column.size == 4000 for column in found.values())
        assert found.get("z", found["t4"] if columns == ["t4"] else None).tolist()[:2] in (
            ["z0", "z1"],
            texts["t4"][:2],
        )
        assert sum(size for _, size in Counted.read) < most, Counted.read


def test_a_defect_elsewhere_is_none_of_theirs(tmp_path):
    data = written("uncompressed")
    file = OrcFile(pa.BufferReader(data))
    streams, _ = file._streams(file._stripes[0])
    kinds = file._kinds
    (column,) = file._columns[b"t"]
    at, _ = streams[column][2]
    broken = data[:at] + b"\x38" + b"\x7f" * 8 + data[at + 9 :]
    with pytest.raises(ValueError, match=r"the texts of column 2 are said to be of \d+ together"):
        orc_columns(io.BytesIO(broken))
    found = orc_columns(io.BytesIO(broken), ["a", "l", "w"])
    assert {name: one.tolist() for name, one in found.items()} == table().select(["a", "l", "w"]).to_pydict()
    assert [kinds[number] for number in file._columns[b"s"]] == [12, 4, 10, 7, 7]
    at, _ = streams[file._columns[b"s"][2]][2]  # of lists in structs
    broken = data[:at] + b"\x38" + b"\x7f" * 8 + data[at + 9 :]
    file = OrcFile(pa.BufferReader(broken))
    file.check(0, ["a", "t", "l"])
    with pytest.raises(ValueError, match="the lists of column 7 are said to be"):
        file.check(0, ["s"])


def test_types_that_are_no_tree_hide_nothing():
    """Whose columns they are is not known then: all are looked at."""
    tree = [message([(1, 12), (2, b"\x01\x03"), (3, b"a"), (3, b"b")]), message([(1, 10), (2, b"\x02")]), b"", b""]
    assert orcfile._columns_of(tree) == {b"a": [1, 2], b"b": [3]}
    root = [(1, 12), (2, 1), (2, 3), (3, b"a"), (3, b"b")]  # numbers one by one
    assert orcfile._columns_of([message(root), *tree[1:]]) == {b"a": [1, 2], b"b": [3]}
    for below, names in (
        (b"\x01\x02", b"ab"),
        (b"\x03\x01", b"ab"),
        (b"\x01\x09", b"ab"),
        (b"\x01\x03", b"a"),
        (b"", b""),
    ):
        other = message([(1, 12), (2, below), *((3, bytes([name])) for name in names)])
        assert orcfile._columns_of([other, *tree[1:]]) == {}
    assert orcfile._columns_of([message([(2, b"\x00"), (3, b"a")])]) == {} and orcfile._columns_of([]) == {}
