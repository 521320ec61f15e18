# SPDX-License-Identifier: Apache-2.0
"""Options of `read_csv` that Atoll follows itself give what they give in pandas."""

import gzip
import io
import warnings

import numpy as np
import pandas
import pytest
from frame.frames import same

import atoll as ak
import atoll.pandas as pd
from atoll.io import fallback


@pytest.fixture(scope="module", autouse=True)
def session():
    ak.shutdown()
    with ak.init(2, 1) as session:
        yield session


PLAIN = "a,b\n" + "".join(f"{i},{i * 0.5}\n" for i in range(9))
QUOTED = 'a,b\n1,"x # y"\n2,"two\nlines, ""quoted"""\n\n3,it\'s "so"\n4,\n'
REMARKS = '# head\n\na,b # names\n1,"x # y" # "one"\n# a whole line, with "quotes\n2,z#\n3,\n'

#: Text, and the options of `read_csv`.
CASES = {
    "comments": (REMARKS, {"comment": "#"}),
    "comments without a header": ("1,2#x\n#y\n3,4\n", {"comment": "#", "header": None}),
    "comments and lines to skip": (REMARKS, {"comment": "#", "skiprows": [3]}),
    "lines to skip by numbers": (PLAIN, {"skiprows": [1, 4]}),
    "lines to skip by a function": (PLAIN, {"skiprows": lambda number: number % 3 == 1}),
    "lines to skip with line feeds in quotes": (QUOTED, {"skiprows": [2]}),
    "lines to skip and names": (PLAIN, {"skiprows": [0, 3], "names": ["p", "q"]}),
    "a range of lines to skip": (PLAIN, {"skiprows": range(1, 3), "nrows": 3}),
    "spaces behind separators": ('a, b,  c\n1, x, "p, q"\n  2,  y ,"r"\n3,,  \n', {"skipinitialspace": True}),
    "several header lines": ("a,a,b\nx,y,x\n1,2,3\n4,5,6\n", {"header": [0, 1]}),
    "several header lines without some names": ("a,,b\nx,y,\n1,2,3\n", {"header": [0, 1]}),
    "marks of thousands and a dtype": (
        'a;b;c\n"1,000";2;x\n3,500,000;4;1,0\n', {"sep": ";", "thousands": ",", "dtype": {"a": "float64", "b": "int32"}}
    ),
    "marks of thousands and one dtype": ('a;b\n"1,000";2\n', {"sep": ";", "thousands": ",", "dtype": "float64"}),
    "converters by name": (PLAIN, {"converters": {"a": lambda text: int(text) * 2}}),
    "converters by number": (QUOTED, {"converters": {1: str.upper}}),
    "converters of missing values": ("a,b\nNA,1\n,2\nx,3\n", {"converters": {"a": len}, "usecols": ["a", "b"]}),
    "converters of columns that are not read": (PLAIN, {"converters": {"a": int}, "usecols": ["b"]}),
    "converters beside dtypes": (PLAIN, {"converters": {"a": float}, "dtype": {"b": "float32"}}),
}  # fmt: skip


def both(read):
    """What a function of a module gives with Atoll, which may not fall back, and with pandas."""
    fallback.forget()
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.FallbackWarning)
        made = read(pd)
    return made, read(pandas)


@pytest.mark.parametrize("name", CASES)
def test_options_of_text(name, tmp_path):
    text, options = CASES[name]
    path = tmp_path / "a.csv"
    path.write_text(text)
    same(*both(lambda m: m.read_csv(path, **options)))


def test_options_of_streams_and_compressed_files(tmp_path):
    path = tmp_path / "a.csv.gz"
    with gzip.open(path, "wt") as file:
        file.write(REMARKS.replace("\n", "\r\n"))
    same(*both(lambda m: m.read_csv(path, comment="#", converters={"a": str})))
    same(*both(lambda m: m.read_csv(io.StringIO(REMARKS), comment="#", converters={"a": str})))


@pytest.mark.parametrize(
    "options",
    [
        {"encoding_errors": "replace"}, {"encoding_errors": "ignore"}, {"encoding": "latin-1"},
        {"encoding": "utf-16", "encoding_errors": "replace"},
    ],
    ids=str,
)  # fmt: skip
def test_encodings(options, tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("a,b\n1,café\n2,y\n".encode(options.get("encoding", "latin-1")))
    same(*both(lambda m: m.read_csv(path, **options)))


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (PLAIN, {"index_col": "a"}), (PLAIN, {"nrows": 3}), (PLAIN, {"header": None, "names": ["p", "q"]}),
        (PLAIN, {"skiprows": [2]}), (PLAIN, {"comment": "#"}), (PLAIN.replace("\n", "\r\n"), {"usecols": ["b"]}),
        (PLAIN.rstrip("\n"), {"dtype": {"b": "str"}}), (QUOTED, {}), ("a,b\n\n1,2\n\n\n3,4\n5,\n", {}),
    ],
    ids=str,
)  # fmt: skip
def test_chunks(text, options, tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode())
    made, expected = both(lambda m: list(m.read_csv(path, chunksize=2, **options)))
    assert len(made) == len(expected)
    for one, other in zip(made, expected, strict=True):
        same(one, other)


def test_chunks_of_several_sizes(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(PLAIN)

    def read(m):
        with m.read_csv(path, iterator=True) as parts:
            return [parts.get_chunk(2), parts.get_chunk(3), parts.read()]

    for one, other in zip(*both(read), strict=True):
        same(one, other)


def test_chunks_of_a_file_longer_than_what_is_read_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr("atoll.frame.files.csv_chunks.SAMPLE", 16)
    path = tmp_path / "a.csv"
    path.write_text(PLAIN)
    made, expected = both(lambda m: m.concat(list(m.read_csv(path, chunksize=4))))
    same(made, expected)
    assert np.array_equal(made.a.to_numpy(), np.arange(9))


def test_spaces_before_a_comment_are_a_row():
    text = "a,b\n1,2\n  # x\n3,4\n"
    with pytest.warns(pd.FallbackWarning):
        same(pd.read_csv(io.StringIO(text), comment="#"), pandas.read_csv(io.StringIO(text), comment="#"))


def test_an_error_of_a_converter_is_raised():
    with pytest.raises(ZeroDivisionError):
        pd.read_csv(io.StringIO(PLAIN), converters={"a": lambda text: 1 / int(text)})


ENDS = ["a,b\n1,x\n2,y\ntotal,2\n", "a,b\n1,x\n\n2,y\n\ntotal,2\n\n", 'a,b\n1,"x\nz"\n2,y\n"t\nu",2', "a,b\n1,x\n"]


@pytest.mark.parametrize("options", [{}, {"header": None}, {"comment": "#"}, {"names": ["p", "q"]}, {"index_col": 0}])
@pytest.mark.parametrize("text", ENDS)
def test_lines_at_the_end_are_skipped_by_atoll(text, options):
    for count in (1, 2, 3):
        wanted = pandas.read_csv(io.StringIO(text), skipfooter=count, engine="python", **options)
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.FallbackWarning)
            found = pd.read_csv(io.StringIO(text), skipfooter=count, engine="python", **options)
        pandas.testing.assert_frame_equal(found.to_pandas(), wanted)


@pytest.mark.parametrize("options", [{"sep": " ", "delimiter": "."}, {"nrows": -1}, {"nrows": 1.5}, {"nrows": "2"}])
def test_options_that_pandas_refuses_are_refused(options):
    with pytest.raises(ValueError) as theirs:
        pandas.read_csv(io.StringIO("a\n1\n2\n"), **options)
    with pytest.raises(ValueError) as ours:
        pd.read_csv(io.StringIO("a\n1\n2\n"), **options)
    assert str(ours.value) == str(theirs.value)


def test_a_stream_that_does_not_tell_where_it_is_is_read(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("skipped\na,b\n1,2\n")
    with path.open() as stream:
        next(stream)
        assert pd.read_csv(stream)["b"].to_list() == [2]
