# SPDX-License-Identifier: Apache-2.0
"""`atoll.pandas.read_csv` answers as pandas' does, also where pandas has to read the file."""

import io
import warnings

import pandas
import pytest

import atoll.pandas as pd
from atoll.io import fallback

pytestmark = pytest.mark.filterwarnings("ignore::atoll.io.fallback.FallbackWarning")


@pytest.fixture(autouse=True)
def nothing_named():
    fallback.forget()


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("date,A\n20090101,1\n20090102,2\n", {"parse_dates": ["date"]}),
        ("A,B\rx,1\ry,2\r", {}),
        ("A,B\n-999,1.2\n2,-999\n", {"na_values": [-999.0]}),
        ("A,B\n1,x\n2,y\n", {"dtype": {"A": "Float32"}}),
        ("A,B\n1,x\n2,y\n", {"dtype": object}),
        ("A,B\n1,x\n2,y\n", {"dtype": {"B": pandas.CategoricalDtype(["y", "x"], ordered=True)}}),
        ("A,B\n1,x\n", {"dtype_backend": "pyarrow"}),
        ("A,B,C\n1,x,\n", {"index_col": False}),
        ("A;B\n1,5;x\n", {"sep": ";", "decimal": ",", "engine": "python"}),
        ("A,B\n", {"dtype": {"A": "int64"}}),
    ],
)  # fmt: skip
def test_what_is_read_is_what_pandas_reads(text, options):
    made = pd.read_csv(io.StringIO(text), **options)
    pandas.testing.assert_frame_equal(made.to_pandas(), pandas.read_csv(io.StringIO(text), **options))


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("a,b\n1,2\n1,2,3\n", {}),
        ("a,b\n1,2\n", {"usecols": ["a", "z"]}),
        ("a,b\n1,2\n", {"memory_map": "yes"}),
        ("a,b\n1.5,2\n", {"dtype": {"a": "int64"}}),
        ("", {}),
    ],
)
def test_errors_are_those_of_pandas(tmp_path, text, options):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(Exception) as theirs:
        pandas.read_csv(path, **options)
    for where in (path, io.StringIO(text)):
        with pytest.raises(type(theirs.value)) as ours:
            pd.read_csv(where, **options)
        assert str(ours.value) == str(theirs.value)


def test_chunks_are_frames_and_their_errors_are_those_of_pandas():
    chunks = pd.read_csv(io.StringIO("a\n1\n2\n3\n"), chunksize=2, float_precision=None)
    assert [chunk.a.to_list() for chunk in chunks] == [[1, 2], [3]]
    with pytest.raises(pandas.errors.ParserError, match="Expected 1 fields in line 4, saw 2"):
        list(pd.read_csv(io.StringIO("a\n1\n2\n3,4\n"), chunksize=1))


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("# one\n# two\na,b\n1,x\n2,y\n", {"comment": "#"}),
        ("a,b\n1,x\n2,y\n", {"comment": "#"}),
        ("a,b\nm,s\n1,2.5\n3,4\n", {"skiprows": [1]}),
        ("t\na,b,a\nm,s,m\n1,2.5,\n3,4,5\n", {"skiprows": [0, 2], "index_col": "b"}),
        ("t\nu\na,b\n1,2\n", {"skiprows": range(2)}),
        ('a,"b, c"\nx,y\n1,2\n', {"skiprows": (1,), "usecols": ["b, c"]}),
        ('a;b;c\n"1,234";x;1,5\n5;y,z;\n', {"sep": ";", "thousands": ","}),
        ('a,b\n"1,234.5",x\n,"1,0"\n', {"thousands": ","}),
    ],
)
@pytest.mark.parametrize("on_disk", [True, False])
def test_leading_lines_and_thousands_are_read_by_atoll(tmp_path, text, options, on_disk):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.FallbackWarning)
        made = pd.read_csv(path if on_disk else io.StringIO(text), **options)
    pandas.testing.assert_frame_equal(made.to_pandas(), pandas.read_csv(io.StringIO(text), **options))


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("# one\na,b\n1,x # two\n2,y\n", {"comment": "#"}),
        ("# one\n\na,b\n1,x\n", {"comment": "#"}),
        ("a,b\n1,2\n3,4\n5,6\n", {"skiprows": [1, 3]}),
        ("a,b\n1,2\n3,4\n", {"skiprows": [2]}),
        ("a,b\n1,2\n3,4\n", {"skiprows": lambda row: row == 1}),
        ('a,b\n"1,234",x\n', {"thousands": ",", "dtype": {"a": "float64"}}),
    ],
)
def test_lines_elsewhere_are_read_by_pandas(tmp_path, text, options):
    path = tmp_path / "t.csv"
    path.write_text(text)
    for where in (path, io.StringIO(text)):
        made = pd.read_csv(where, **options)
        pandas.testing.assert_frame_equal(made.to_pandas(), pandas.read_csv(io.StringIO(text), **options))
