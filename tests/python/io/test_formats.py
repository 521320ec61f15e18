# SPDX-License-Identifier: Apache-2.0
"""Arrow's files and streams, ORC and JSON lines: of other tools, and what is written here."""

import io
import json

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, ipc, orc

import atoll as ak
from atoll.io.arrow import arrow_columns, write_arrow
from atoll.io.json import json_columns, write_json
from atoll.io.json import reader as json_lines
from atoll.io.orc import orc_columns, write_orc
from atoll.session.everywhere import everywhere

pytestmark = pytest.mark.usefixtures("every_session")

WANTED = pa.table(
    {
        "i": pa.array([None if i % 5 == 0 else i for i in range(100)], pa.int64()),
        "f": [i / 4 for i in range(100)],
        "t": [None if i % 3 == 0 else f"ä{i}" * (i % 4) for i in range(100)],
        "b": [i % 2 == 0 for i in range(100)],
    }
)


def same(found, wanted=WANTED):
    assert {name: column.tolist() for name, column in found.items()} == wanted.to_pydict()


def columns():
    return {
        name: ak.array(column.to_pylist()) for name, column in zip(WANTED.column_names, WANTED.columns, strict=True)
    }


def test_arrow_of_other_tools(tmp_path):
    for compression in ("uncompressed", "lz4", "zstd"):
        feather.write_feather(WANTED, tmp_path / "a.feather", compression=compression, chunksize=7)
        same(arrow_columns(tmp_path / "a.feather"))
    pl.from_arrow(WANTED).write_ipc(tmp_path / "b.arrow")
    same(arrow_columns(tmp_path / "b.arrow"))
    with ipc.new_stream(tmp_path / "c.arrows", WANTED.schema) as writer:
        writer.write_table(WANTED, max_chunksize=9)
    same(arrow_columns(tmp_path / "c.arrows"))
    found = arrow_columns([tmp_path / "a.feather", tmp_path / "c.arrows"], ["t"], filters=[("i", "<", 5)])
    assert found["t"].to_list() == WANTED["t"].to_pylist()[1:5] * 2


def test_orc_of_other_tools(tmp_path):
    orc.write_table(WANTED, tmp_path / "a.orc", compression="zlib", stripe_size=64, batch_size=16)
    same(orc_columns(tmp_path / "a.orc"))
    assert orc_columns(tmp_path / "a.orc", ["f"], filters=[("i", ">", 97)])["f"].tolist() == [98 / 4, 99 / 4]


def test_json_lines(tmp_path, monkeypatch):
    monkeypatch.setattr(json_lines, "_RANGE", 50)
    pl.from_arrow(WANTED).write_ndjson(tmp_path / "a.jsonl")
    same(json_columns(tmp_path / "a.jsonl"))
    lines = "".join(
        json.dumps({"a": i if i < 70 else i + 0.5, **({"late": "x\n"} if i > 80 else {})}) + "\n" for i in range(99)
    )
    found = json_columns(io.StringIO(lines))
    assert found["a"].tolist()[68:72] == [68, 69, 70.5, 71.5] and found["late"].to_list() == [None] * 81 + ["x\n"] * 18
    with pytest.raises(ValueError, match="an object a line"):
        json_columns(io.StringIO('[{"a": 1}]'))
    with pytest.raises(ValueError, match=r"<stream>, bytes from 0: line 2 is broken: JSON parse error"):
        json_columns(io.StringIO('{"a": 1}\n{"a": \n'))


def test_json_lines_that_begin_otherwise(tmp_path, monkeypatch):
    """Types are tried that hold for the beginning; where they do not hold for all, all is looked at."""
    monkeypatch.setattr(json_lines, "_RANGE", 300)
    monkeypatch.setattr(json_lines, "_SAMPLE", 100)
    looked = []
    monkeypatch.setattr(json_lines, "everywhere", lambda *args: looked.append(args) or everywhere(*args))
    same = [{"a": i, "t": f"t{i}", "l": [i] * (i % 3)} for i in range(100)]
    for late, looks in (({}, 0), ({"a": 0.5}, 1), ({"b": 1}, 1), ({"t": 7, "a": None}, 1), ({"a": "x"}, 1)):
        rows = [*same, late | ({} if "t" in late else {"t": "end"})]
        (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        looked.clear()
        if "x" in late.values() or 7 in late.values():
            with pytest.raises((ValueError, TypeError)):
                json_columns(tmp_path / "a.jsonl")
        else:
            found = json_columns(tmp_path / "a.jsonl")
            assert set(found) == {"a", "t", "l"} | set(late)
            assert found["a"].tolist()[:3] == [0, 1, 2]
            assert found["a"].tolist()[-1] == late.get("a")
            assert json_columns(tmp_path / "a.jsonl", [*late, "t"])["t"].tolist() == [row["t"] for row in rows]
        assert bool(looked) == bool(looks), late


@pytest.mark.parametrize(
    ("write", "read"), [(write_arrow, arrow_columns), (write_orc, orc_columns), (write_json, json_columns)]
)
def test_what_is_written_is_read(tmp_path, write, read):
    write(tmp_path / "a", columns())
    same(read(tmp_path / "a"))
    stream = io.BytesIO()
    write(stream, columns())
    same(read(io.BytesIO(stream.getvalue())))
    with pytest.raises(ValueError, match="columns of 1 and 2 rows"):
        write(tmp_path / "a", {"a": ak.ones(1), "b": ak.ones(2)})
    same(read(tmp_path / "a"))
    assert [one.name for one in tmp_path.iterdir()] == ["a"]
