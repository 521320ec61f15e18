# SPDX-License-Identifier: Apache-2.0
"""Text files of separated values, beside what pandas reads."""

import bz2
import gzip
import io
import lzma
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import atoll as ak
from atoll.io.csv import csv_columns
from atoll.io.csv import reader as csv

pytestmark = pytest.mark.usefixtures("every_session")


@pytest.fixture(autouse=True)
def small_ranges(monkeypatch):
    monkeypatch.setattr(csv, "_RANGE", 64)


def same(found, wanted):
    assert list(found) == list(wanted.columns)
    for name, column in found.items():
        values = [None if value != value or value is pd.NA else value for value in wanted[name].tolist()]
        assert column.tolist() == values, name


def test_types_are_guessed_as_pandas_does(tmp_path):
    rng = np.random.default_rng(0)
    n = 100
    frame = pd.DataFrame({"i": rng.integers(-9, 9, n), "f": rng.random(n), "b": rng.random(n) < 0.5, "t": ["ä,b"] * n})
    frame["day"] = "2024-05-01"
    frame.to_csv(tmp_path / "a.csv", index=False)
    found = csv_columns(tmp_path / "a.csv")
    same(found, frame)
    assert [str(found[name].dtype) for name in "ifb"] == ["int64", "float64", "bool"]


def test_missing_values():
    text = 'a,b,c\n1,x,\n,NA,\nNaN,"",\n'
    found = csv_columns(io.StringIO(text))
    assert found["a"].tolist() == [1, None, None] and found["b"].to_list() == ["x", None, None]
    assert found["c"].tolist() == [None] * 3
    assert csv_columns(io.StringIO("a\nx\n-\n"), missing=["-"])["a"].to_list() == ["x", None]


def test_what_begins_as_one_type_and_ends_as_another(tmp_path, monkeypatch):
    monkeypatch.setattr(csv, "SAMPLE", 200)
    lines = [f"{i},{i},{i}" for i in range(300)]
    lines[250] = "x,250.5,"
    (tmp_path / "a.csv").write_text("t,f,i\n" + "\n".join(lines))
    found = csv_columns(tmp_path / "a.csv")
    assert found["t"].to_list()[249:252] == ["249", "x", "251"]
    assert found["f"].tolist()[250] == 250.5 and found["i"].tolist()[249:252] == [249, None, 251]
    with pytest.raises(ValueError, match=r"a.csv, bytes from \d+: .*conversion error to int64: invalid value 'x'"):
        csv_columns(tmp_path / "a.csv", dtype={"t": "int64"})


texts = st.text(st.sampled_from('ab",\n '), max_size=6)


@given(rows=st.lists(st.tuples(texts, texts), min_size=1, max_size=40))
def test_quotes_and_lines_in_values(rows):
    frame = pd.DataFrame(rows, columns=["x", "y"])
    text = frame.to_csv(index=False, quoting=1)
    found = csv_columns(io.StringIO(text), dtype=str, missing=["no such value"])
    assert list(zip(found["x"].to_list(), found["y"].to_list(), strict=True)) == rows


def read_in_ranges(path, size, monkeypatch, **dialect):
    """The values, or that there was an error."""
    monkeypatch.setattr(csv, "_RANGE", size)
    try:
        return {name: column.to_list() for name, column in csv_columns(path, dtype=str, **dialect).items()}
    except ValueError as error:
        return str(error).rpartition(": ")[2]


@pytest.mark.parametrize("bad", ["skip", "error"])
@pytest.mark.parametrize("letters", ['a,"\n', 'ab,\r\n "', "abc,\n\n"])
def test_ranges_do_not_change_what_is_read(tmp_path, monkeypatch, letters, bad):
    rng = np.random.default_rng(len(letters))
    path = tmp_path / "a.csv"
    for _ in range(6):
        lines = ["".join(rng.choice(list(letters), rng.integers(0, 12))) for _ in range(40)]
        clean = ['a"b,"c,\n""d"', "1,2", "longer text without anything,", '"",x', ""]
        chosen = [lines[i] if rng.random() < 0.05 * (bad == "error") else clean[rng.integers(5)] for i in range(40)]
        path.write_text("x,y\n" + "\n".join(chosen if bad == "error" else lines), newline="")
        assert read_in_ranges(path, 64, monkeypatch, on_bad_lines=bad) == read_in_ranges(
            path, 1 << 20, monkeypatch, on_bad_lines=bad
        )


def test_lines_of_faults_are_counted_in_the_file(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n" + '1,"x\ny"\n' * 50 + "2\n" + "3,4\n" * 50)
    with pytest.raises(ValueError, match=r"a.csv, bytes from \d+: line 102: expected 2 values, got 1: 2$"):
        csv_columns(path)
    path.write_text("a,b\n" + "1,2\n" * 50 + "x,2\n")
    with pytest.raises(ValueError, match=r"line 52, column 'a': conversion error to int64: invalid value 'x'"):
        csv_columns(path, dtype="int64")
    with pytest.raises(ValueError, match=r"column 'b': conversion error to int8: .*300"):
        csv_columns(io.StringIO("a,b\n1,300\n"), dtype={"b": "int8"})
    with pytest.raises(ValueError, match=r"line 2: a quote is not closed"):
        csv_columns(io.StringIO('a,b\n1,"2\n3,4'))


def test_dialects():
    assert csv_columns(io.StringIO("1;2,5\n3;4\n"), sep=";", decimal=",", header=None)["1"].tolist() == [2.5, 4]
    assert list(csv_columns(io.StringIO("junk\nx,x\n1,2\n"), skiprows=1)) == ["x", "x.1"]
    named = csv_columns(io.StringIO("x,y\n1,2\n"), names=["p", "q"])
    assert named["p"].tolist() == [1] and list(named) == ["p", "q"]
    assert csv_columns(io.StringIO("a,b\n1,2\n3,4\n"), ["b"], filters=[("a", ">", 1)])["b"].tolist() == [4]
    assert csv_columns(io.BytesIO("a\nä\n".encode("latin-1")), encoding="latin-1")["a"].to_list() == ["ä"]
    assert csv_columns(io.BytesIO("a\nä\n".encode("utf-16")), encoding="utf-16")["a"].to_list() == ["ä"]
    assert csv_columns(io.StringIO("a,b\nx\\,y,1\n"), escapechar="\\")["a"].to_list() == ["x,y"]
    assert csv_columns(io.StringIO("a\n1\n2\n3\n"), nrows=2)["a"].tolist() == [1, 2]
    assert csv_columns(io.StringIO("\ufeffa\r\n1\r\n\r\n2\r\n"))["a"].tolist() == [1, 2]
    assert csv_columns(io.StringIO("a,b\n"))["a"].tolist() == []
    assert csv_columns(io.StringIO('a\n"x\ny"\n'), quotechar=None)["a"].to_list() == ['"x', 'y"']


def test_a_file_of_no_rows_among_others(tmp_path, monkeypatch):
    for name, rows in {"a": 0, "b": 50, "c": 0, "d": 3}.items():
        (tmp_path / f"{name}.csv").write_text("x,y\n" + "1,2\n" * rows)
    monkeypatch.setattr(csv, "_RANGE", 64)
    found = csv_columns(tmp_path)
    assert found["x"].tolist() == [1] * 53
    assert found["y"].tolist() == [2] * 53


def test_bad_lines():
    text = "a,b\n1,2\n3\n5,6,7\n8,9\n"
    assert csv_columns(io.StringIO(text), on_bad_lines="skip")["a"].tolist() == [1, 8]
    with pytest.raises(ValueError, match=r"cannot read <stream>, bytes from 4: line 3: expected 2 values, got 1: 3"):
        csv_columns(io.StringIO(text))
    for more in ({}, {"escapechar": "\\"}):  # the engine's parser, and pyarrow's
        with pytest.warns(UserWarning, match="<stream>: skipped 2 lines with more or fewer values") as told:
            assert ak.read_csv(io.StringIO(text), on_bad_lines="warn", **more)["b"].to_list() == [2, 9]
        assert [one.filename for one in told] == [__file__]
    with pytest.raises(ValueError, match="on_bad_lines is"):
        ak.read_csv(io.StringIO(text), on_bad_lines="drop")
    with pytest.raises(ValueError, match="on_bad_lines is"):
        ak.scan_csv(io.StringIO(text), on_bad_lines="warn")
    with pytest.raises(ValueError, match="no columns: the file is empty"):
        csv_columns(io.StringIO(""))


def test_compressed_and_many_files(tmp_path):
    text = b"a,b\n" + b"".join(b"%d,t%d\n" % (i, i) for i in range(50))
    with zipfile.ZipFile(tmp_path / "a.csv.zip", "w") as archive:
        archive.writestr("a.csv", text)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(text))
    (tmp_path / "a.csv.bz2").write_bytes(bz2.compress(text))
    (tmp_path / "a.csv.xz").write_bytes(lzma.compress(text))
    for ending in ("gz", "bz2", "xz", "zip"):
        assert csv_columns(tmp_path / f"a.csv.{ending}")["a"].tolist() == list(range(50))
    for part in range(3):
        (tmp_path / "set" / f"part={part}").mkdir(parents=True)
        (tmp_path / "set" / f"part={part}" / "x.csv").write_bytes(text)
    found = csv_columns(tmp_path / "set")
    assert (
        found["part"].tolist() == [0] * 50 + [1] * 50 + [2] * 50
        and found["b"].to_list() == [f"t{i}" for i in range(50)] * 3
    )
    (tmp_path / "set" / "part=2" / "x.csv").write_text("a,c\n1,2\n")
    with pytest.raises(ValueError, match=r"x.csv has columns \['a', 'c'\], .* has \['a', 'b'\]"):
        csv_columns(tmp_path / "set")
