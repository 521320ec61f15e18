# SPDX-License-Identifier: Apache-2.0
"""pandas' options of reading and writing text give the same results as in pandas, natively and in fallbacks."""

import gzip
import io
import json
import pathlib
import warnings

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import atoll as ak
from atoll.io import fallback
from atoll.io.csv import parse as csvparse
from atoll.io.csv.dialect import Dialect
from atoll.session import current

pytestmark = [pytest.mark.usefixtures("every_session"), pytest.mark.filterwarnings("ignore")]

PLAIN = "a,b,c\n1,x,2.5\n2,y,\n3,z,4.5\n4,,5\n"
DATES = 'id,d,x,t\n1,03/02/2026,"1,5",a\n2,04/02/2026,2.5,"b\nc"\n3,05/02/2026,NA,\n'
READ_CSV = [
    (PLAIN, {"usecols": lambda name: name != "b"}), (PLAIN, {"usecols": [1, 0]}), (PLAIN, {"usecols": ["c", "a"]}),
    (PLAIN, {"skiprows": [0]}), (PLAIN, {"skiprows": [1]}), (PLAIN, {"skiprows": lambda line: line == 2}),
    (PLAIN, {"skiprows": range(2)}), (PLAIN, {"nrows": 2}), (PLAIN, {"nrows": 0}), (DATES, {"nrows": 2}),
    (PLAIN, {"na_values": {"a": ["1"]}}), (PLAIN, {"na_values": 3}), (PLAIN, {"na_filter": False}),
    (PLAIN, {"comment": "z"}), (PLAIN, {"converters": {"a": lambda text: text * 2}}), (PLAIN, {"dtype": str}),
    (PLAIN, {"usecols": ["a"], "dtype": {"b": "category"}}),
    (PLAIN, {"dtype": {"b": "category"}}), (PLAIN, {"dtype": "category"}), (PLAIN, {"header": [0, 1]}),
    (PLAIN, {"skipfooter": 1, "engine": "python"}),
    (DATES + "\nsum\n", {"skipfooter": 2, "engine": "python"}), (PLAIN, {"sep": r"\s*,", "engine": "python"}),
    (PLAIN, {"quoting": 3}), (PLAIN, {"index_col": "a"}), (PLAIN, {"index_col": [0, 1]}), (PLAIN, {"header": None}),
    (PLAIN, {"names": ["p", "q", "r"], "header": 0}), (PLAIN, {"encoding_errors": "replace"}),
    (PLAIN, {"skipinitialspace": True}), (PLAIN, {"skip_blank_lines": False}), (PLAIN, {"lineterminator": "\n"}),
    (PLAIN, {"dialect": "excel"}), (PLAIN, {"doublequote": False}), (PLAIN, {"thousands": "."}),
    (PLAIN + "5,6,7,8\n", {"on_bad_lines": lambda row: row[:3], "engine": "python"}),
    (PLAIN, {"low_memory": False, "engine": "c", "memory_map": False, "float_precision": "round_trip"}),
    (DATES, {"thousands": ","}), (DATES, {"parse_dates": ["d"], "dayfirst": True}), (DATES, {"decimal": ","}),
    (DATES, {"parse_dates": ["d"], "date_format": "%d/%m/%Y"}), (DATES, {"parse_dates": [1], "dayfirst": True}),
    (DATES, {"parse_dates": ["d"], "date_format": {"d": "%d/%m/%Y"}}), (DATES, {"parse_dates": True, "index_col": 0}),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(READ_CSV)))
def test_read_csv(number):
    text, options = READ_CSV[number]
    wanted = pd.read_csv(io.StringIO(text), **options)
    found = ak.read_csv(io.StringIO(text), **options).to_pandas()
    assert_frame_equal(found, wanted, check_dtype=False, check_categorical=False)


NULLABLE = [
    ("a,b\n9007199254740993,x\n,\n", {}), ("a\n1e300\n2\n", {}), ("a,b\n1,2.0\n2,4.0\n", {}), ("a,b\n1,2.5\n2,\n", {}),
    ("a,b\n1,2\n3,4\n", {"dtype": {"a": "float64"}}), ("a,b\n1,2\n3,4\n", {"dtype": "float64"}),
    ("a,b\nTrue,2020-01-01\n,2020-01-02\n", {"parse_dates": ["b"]}), ("a,b\n,1\n,2\n", {}), ("a,b\n", {}),
    ("a,b\n1,2\n,4\n", {"index_col": "b"}), ("a,b\n1,2\n3\n", {}), ("a,b\n1,2\n3,\n", {"comment": "#"}),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(NULLABLE)))
def test_types_with_missing_values(number):
    text, options = NULLABLE[number]
    wanted = pd.read_csv(io.StringIO(text), dtype_backend="numpy_nullable", **options)
    found = ak.read_csv(io.StringIO(text), dtype_backend="numpy_nullable", **options)
    assert_frame_equal(
        found.to_pandas().convert_dtypes(convert_integer=False),
        wanted.convert_dtypes(convert_integer=False),
        check_dtype=False,
        check_index_type=False,
    )
    kinds = {name: str(kind) for name, kind in wanted.dtypes.items() if str(kind) != "string"}
    assert {name: str(found[name].dtype) for name in kinds} == kinds
    for name in kinds:
        assert [one for one in found[name].to_list() if not pd.isna(one)] == wanted[name].dropna().to_list()


def test_types_that_columns_do_not_have():
    for backend in ("pyarrow", "x"):
        with pytest.raises(ValueError, match=f"no columns of dtype_backend '{backend}'"):
            ak.read_csv(io.StringIO(PLAIN), dtype_backend=backend)


@pytest.mark.parametrize("options", [{"parse_dates": ["d"]}, {"parse_dates": ["d"], "date_format": "%Y-%m-%d"}, {}])
@pytest.mark.parametrize(
    "rows", ["1,2\n", "1,2\n3,4,2020-01-03\n", "1\n", "1,2,2020-01-02,5\n", "3,4,2020-01-03\n1,2,3,4\n"]
)
def test_lines_with_too_few_or_too_many_values(rows, options):
    texts = ["a,b,d\n1,2,2020-01-01\n" + rows, "a,b,d\n" + rows]
    for text in texts:
        try:
            wanted = pd.read_csv(io.StringIO(text), **options)
        except ValueError:
            with pytest.raises(ValueError, match="xpected 3"):
                ak.read_csv(io.StringIO(text), **options)
            continue
        found = ak.read_csv(io.StringIO(text), **options).to_pandas()
        assert_frame_equal(found, wanted, check_dtype=False)


def test_names_that_the_file_does_not_have():
    with pytest.raises(ValueError, match=r"Usecols do not match .* not found: \['q'\]; there are 'a', 'b', 'c'"):
        ak.read_csv(io.StringIO(PLAIN), usecols=["a", "q"])
    with pytest.raises(ValueError, match=r"Usecols do not match .* not found: \[5\]"):
        ak.read_csv(io.StringIO(PLAIN), usecols=[0, 5])
    with pytest.raises(KeyError, match="dtype names no column of the file: 'z'"):
        ak.read_csv(io.StringIO(PLAIN), usecols=["a"], dtype={"z": int})


@pytest.mark.parametrize("most", [0, 1, 2, 100])
def test_columns_are_of_the_same_kinds_however_many_rows_are_kept(most):
    text = "a,b,c,d,e,f\n1,x,2.5,2020-01-01,,True\n2,y,,2020-01-02,,False\n"
    options = {"parse_dates": ["d"], "dtype": {"f": "bool"}}
    wanted = pd.read_csv(io.StringIO(text), **options)
    found = ak.read_csv(io.StringIO(text), filters=[("a", ">", most)], **options)
    assert_frame_equal(found.to_pandas(), wanted[wanted["a"] > most].reset_index(drop=True))
    assert found["a"].sum() == wanted["a"][wanted["a"] > most].sum()


def test_rows_of_a_large_file_are_read_from_its_beginning(tmp_path):
    rows = "".join(f'{i},"te\nxt {i}",{i / 4}\n' for i in range(150_000))
    (tmp_path / "a.csv").write_text("i,t,f\n" + rows)
    for count in (1, 1000, 60_000, 150_000, 200_000):
        wanted = pd.read_csv(tmp_path / "a.csv", nrows=count)
        assert_frame_equal(ak.read_csv(tmp_path / "a.csv", nrows=count).to_pandas(), wanted, check_dtype=False)
    with open(tmp_path / "a.csv", "ab") as file:
        file.write(b"\xff,,,,,\n")  # the reader stops before this line
    assert len(ak.read_csv(tmp_path / "a.csv", nrows=10)) == 10


def test_chunks_and_files_that_pandas_reads(tmp_path):
    for name, text in (("a.csv", PLAIN), ("b.csv", "a,b,c\n9,w,1\n")):
        (tmp_path / name).write_text(text)
    with ak.read_csv(tmp_path / "a.csv", chunksize=3) as chunks:
        assert [type(chunk) is ak.DataFrame and len(chunk) for chunk in chunks] == [3, 1]
    both = ak.read_csv([tmp_path / "a.csv", tmp_path / "b.csv"], comment="#", filters=[("a", ">", 2)])
    assert both["a"].to_list() == [3, 4, 9]
    (tmp_path / "bad.csv").write_text("a\n1\n1,2,3\n")
    with pytest.raises(ValueError, match=r"cannot read .*bad\.csv"):
        ak.read_csv(tmp_path / "bad.csv", comment="#")
    with pytest.raises(ValueError, match="without filters"):
        ak.read_csv(tmp_path / "a.csv", chunksize=3, filters=[("a", ">", 2)])


def test_pandas_work_is_told_once(monkeypatch):
    monkeypatch.setattr(fallback, "_named", set())
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(2):
            ak.read_csv(io.StringIO(PLAIN), doublequote=False)
    (one,) = told
    assert one.category is fallback.FallbackWarning and "read_csv with doublequote=" in str(one.message)
    assert pathlib.Path(one.filename).name == "test_options.py"


FRAME = pd.DataFrame(
    {
        "d": pd.to_datetime(["2026-01-02 03:04:05", None]), "t": ["ä/", None], "f": [1 / 4, np.inf],
        "b": [True, False], "td": pd.to_timedelta([1, 2], "s"), "i": [1, 2],
    }
)  # fmt: skip
FRAMES = {
    "plain": FRAME,
    "texts": FRAME.set_index("t"),
    "dates": FRAME.set_index("d"),
    "two": FRAME.set_index(["i", "b"]),
}
TO_JSON = [
    {}, {"orient": "records"}, {"orient": "records", "lines": True}, {"orient": "index"}, {"orient": "split"},
    {"orient": "values"}, {"orient": "table"}, {"indent": 2}, {"date_format": "iso"}, {"double_precision": 1},
    {"force_ascii": False}, {"orient": "split", "index": False}, {"date_unit": "ns"}, {"orient": "nope"},
    {"lines": True}, {"orient": "records", "lines": True, "mode": "a"}, {"compression": "gzip"},
]  # fmt: skip
TO_CSV = [
    {}, {"index": False}, {"float_format": "%.1f"}, {"mode": "a"}, {"mode": "x"}, {"compression": "gzip"},
    {"compression": {"method": "gzip", "mtime": 1}}, {"quoting": 1}, {"quoting": 2}, {"date_format": "%Y"},
    {"decimal": ",", "sep": ";"}, {"encoding": "utf-16"}, {"encoding": "latin-1"}, {"lineterminator": "\r\n"},
    {"columns": ["f"]}, {"index_label": "x"}, {"escapechar": "\\", "doublequote": False}, {"na_rep": "?"},
    {"chunksize": 1}, {"mode": "nope"},
]  # fmt: skip


def written(frame, name, path, options):
    """What a method gives as text, and what it writes; or the error's kind."""
    path.unlink(missing_ok=True)
    if options.get("mode") == "a":
        path.write_text('{"old":1}\n')
    try:
        text = getattr(frame, name)(**{key: value for key, value in options.items() if key != "mode"})
        getattr(frame, name)(path, **options)
    except (ValueError, TypeError) as error:
        return type(error)
    data = path.read_bytes()
    data = gzip.decompress(data) if "compression" in options else data
    return (text, data) if name == "to_csv" else (text, *map(json.loads, data.decode().splitlines()))


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("name", ["to_json", "to_csv"])
def test_frames_as_text(tmp_path, kind, name):
    theirs, ours = FRAMES[kind], ak.DataFrame(FRAMES[kind])
    for options in TO_JSON if name == "to_json" else TO_CSV:
        if "indent" in options:
            assert json.loads(ours.to_json(**options)) == json.loads(theirs.to_json(**options))
            continue
        wanted, found = (written(frame, name, tmp_path / "a", options) for frame in (theirs, ours))
        assert found == wanted, options
    (tmp_path / "a").write_text("old")
    with pytest.raises(FileExistsError):
        ours.to_csv(tmp_path / "a", mode="x")
    assert (tmp_path / "a").read_text() == "old"


def test_series_as_text(tmp_path):
    theirs = pd.Series([1.5, None, np.inf], index=["x", "y/", "z"], name="s")
    ours = ak.Series(theirs)
    for options in ({}, {"orient": "split"}, {"orient": "records"}, {"orient": "values"}, {"orient": "table"}):
        assert json.loads(ours.to_json(**options)) == json.loads(theirs.to_json(**options)), options
    for options in ({"na_rep": "?"}, {"float_format": "%.3f"}, {"index": False}, {"header": False}):
        assert ours.to_string(**options) == theirs.to_string(**options), options
    frame = theirs.to_frame()
    for options in ({"na_rep": "?"}, {"float_format": "%.3f"}, {"justify": "left"}):
        assert ours.to_frame().to_string(**options) == frame.to_string(**options)
        assert ours.to_frame().to_html(**options) == frame.to_html(**options)
    with pytest.raises(TypeError):
        ours.to_frame().to_string(nope=1)


READ_JSON = [
    ('[{"a":1,"b":"x"},{"a":2,"b":null}]', {}), ('{"a":{"0":1,"1":2}}', {}), ('[[1,2],[3,4]]', {"orient": "values"}),
    ('{"a":{"0":1,"1":2}}', {"orient": "columns"}), ('{"a":1}\n{"a":2}\n', {"lines": True}),
    ('{"a":1}\n{"a":2}\n', {"lines": True, "nrows": 1}), ('{"x":{"a":1}}', {"orient": "index"}),
    ('{"columns":["a"],"index":[0],"data":[[1]]}', {"orient": "split"}), ('{\n"a": {"0": 1}}', {}),
    (FRAME[["f", "i"]].to_json(orient="table"), {"orient": "table"}),
    ('{"a":1}\n{"a":2}\n', {"lines": True, "dtype": {"a": "float64"}}),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(READ_JSON)))
def test_read_json(tmp_path, number):
    text, options = READ_JSON[number]
    wanted = pd.read_json(io.StringIO(text), **options)
    assert_frame_equal(ak.read_json(io.StringIO(text), **options).to_pandas(), wanted, check_dtype=False)
    (tmp_path / "a.json").write_text(text)
    assert_frame_equal(ak.read_json(tmp_path / "a.json", **options).to_pandas(), wanted, check_dtype=False)


def test_json_of_either_form(tmp_path):
    assert ak.read_json(io.StringIO('{"a":1}\n{"a":2}\n'))["a"].to_list() == [1, 2]
    (tmp_path / "bad.json").write_text('[{"a": 1}, {')
    with pytest.raises(ValueError, match=r"cannot read .*bad\.json"):
        ak.read_json(tmp_path / "bad.json")


def test_parquet_of_several_compressions(tmp_path):
    import pyarrow.parquet as pq

    frame = ak.DataFrame({"a": [1, 2, 2], "b": ["x", "y", "z"], "c": [1.0, 2.0, 3.0]})
    frame.to_parquet(tmp_path / "a", compression={"a": "snappy", "b": "zstd", "c": "gzip"})
    group = pq.ParquetFile(tmp_path / "a").metadata.row_group(0)
    assert [group.column(at).compression for at in range(3)] == ["SNAPPY", "ZSTD", "GZIP"]
    frame.to_parquet(tmp_path / "set", partition_cols=["a"], compression={"b": "zstd", "c": "gzip"})
    found = ak.read_parquet(tmp_path / "set", columns=["c", "a"], filters=[[("a", "=", 1)], [("b", "=", "z")]])
    assert found.to_pandas().to_dict("list") == {"c": [1.0, 3.0], "a": [1, 2]}


def test_what_is_behind_a_url_is_gone_on_with():
    if current().pes > 1:
        pytest.skip("what is in memory:// is a process's own")
    frame = ak.DataFrame({"a": [1, 2]})
    frame.to_csv("memory://kept/a.csv", index=False)
    frame.to_csv("memory://kept/a.csv", index=False, header=False, mode="a")
    assert ak.read_csv("memory://kept/a.csv")["a"].to_list() == [1, 2, 1, 2]
    with pytest.raises(FileExistsError):
        frame.to_csv("memory://kept/a.csv", mode="x")
    assert len(ak.read_csv("memory://kept/a.csv")) == 4
    frame.to_hdf("memory://kept/a.h5", key="one")
    frame.to_hdf("memory://kept/a.h5", key="two")
    assert [ak.read_hdf("memory://kept/a.h5", key)["a"].to_list() for key in ("one", "two")] == [[1, 2]] * 2
    frame["a"].to_json("memory://kept/a.json", storage_options={})
    assert json.loads(frame["a"].to_json(storage_options={})) == {"0": 1, "1": 2}


def test_lines_of_json_in_utf_8():
    assert ak.read_json(io.StringIO('{"a": 1}\n{"a": 2}\n'), encoding="utf-8")["a"].to_list() == [1, 2]


def test_a_frame_without_columns_is_written(tmp_path):
    ak.DataFrame(index=range(3)).to_parquet(tmp_path / "none.parquet")
    assert list(ak.read_parquet(tmp_path / "none.parquet").columns) == []


def test_a_file_that_becomes_shorter_while_its_beginning_is_read():
    dialect = Dialect(nrows=1000)
    assert csvparse.rows_end(io.BytesIO(b"1,2\n"), 0, 1 << 20, dialect, 2) == 1 << 20
