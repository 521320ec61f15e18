# SPDX-License-Identifier: Apache-2.0
"""Arkouda's files: what is written under a prefix is read back, of every kind."""

import datetime
import decimal
import itertools
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import atoll.arkouda as ak
from atoll.storage import atomic, filesets

pytestmark = pytest.mark.usefixtures("two_sessions")


def _columns():
    return {"n": ak.arange(5), "t": ak.array(["x", "", 'a "b"', "c,d", "\u00e9"]), "f": ak.array([0.5, 1, 2, 3, -4])}


@pytest.mark.parametrize(("write", "kind"), [(ak.to_parquet, "Parquet"), (ak.to_hdf, "HDF5"), (ak.to_csv, "CSV")])
def test_columns(tmp_path, write, kind):
    prefix = str(tmp_path / "some")
    write(_columns(), prefix)
    assert ak.get_filetype(f"{prefix}*") == kind
    assert sorted(ak.get_datasets(f"{prefix}_LOCALE0000")) == ["f", "n", "t"]
    expected = {name: one.tolist() for name, one in _columns().items()}
    assert {name: one.tolist() for name, one in ak.load_all(prefix).items()} == expected
    assert ak.read(f"{prefix}_LOCALE*", datasets="t")["t"].tolist() == expected["t"]


def test_objects_of_several_parts(tmp_path):
    wide = ak.arange(2**200, 2**200 + 3, max_bits=201)
    texts = ak.array(["b", "a", "b"])
    ak.to_hdf({"w": wide, "c": ak.Categorical(texts), "g": ak.GroupBy(texts)}, str(tmp_path / "parts"))
    found = ak.read_hdf(str(tmp_path / "parts*"))
    assert (found["w"].tolist(), found["w"].max_bits) == (wide.tolist(), 201)
    assert found["c"].tolist() == texts.tolist()
    assert found["g"].segments.tolist() == [0, 1]


def test_what_is_put_in_the_place_of_another(tmp_path):
    prefix = str(tmp_path / "some")
    ak.to_hdf(_columns(), prefix)
    ak.arange(2).update_hdf(prefix, dataset="n")
    assert ak.load(prefix, dataset="n")["n"].tolist() == [0, 1]
    with pytest.raises(RuntimeError, match="does not exist"):
        ak.read_hdf(str(tmp_path / "none*"))


def test_moments_and_addresses_are_stored_as_numbers(tmp_path):
    days, hosts = ak.date_range("2024-02-28", periods=3), ak.ip_address(["1.2.3.4", "0.0.0.0", "255.255.255.255"])
    for write in (ak.to_parquet, ak.to_hdf):
        write({"d": days, "h": hosts}, str(tmp_path / write.__name__))
        found = ak.load_all(str(tmp_path / write.__name__))
        assert ak.Datetime(found["d"]).to_ndarray().tolist() == days.to_ndarray().tolist()
        assert ak.ip_address(found["h"]).tolist() == ["1.2.3.4", "0.0.0.0", "255.255.255.255"]


@pytest.mark.parametrize("write", [ak.to_hdf, lambda *args: ak.to_csv(*args, overwrite=True)], ids=["HDF5", "CSV"])
def test_a_file_stays_as_it_was_when_writing_fails(tmp_path, write):
    prefix = str(tmp_path / "some")
    write(_columns(), prefix)
    with pytest.raises((TypeError, ValueError, AttributeError)):
        write({"n": ak.arange(2), "bad": object()}, prefix)
    assert ak.load_all(prefix)["n"].tolist() == [0, 1, 2, 3, 4]
    assert [one.name for one in tmp_path.iterdir()] == ["some_LOCALE0000"]


_DAY, _NOON = datetime.date(2020, 1, 2), datetime.datetime(2020, 1, 2, 12)
_MOMENT = np.datetime64("2020-01-02T12", "ns").astype(int).tolist()
_NONE = np.iinfo(np.int64).min
_COLUMNS = {
    "coded": (pa.array(["a", "bb", "ccc", ""] * 8000), ["a", "bb", "ccc", ""]),
    "coded, some missing": (pa.array(["a", None, "ccc", ""] * 8000), ["a", "", "ccc", ""]),
    "categorical": (pa.array(["x", None, "y"]).dictionary_encode(), ["x", "", "y"]),
    "categorical numbers": (pa.array([7, None, 5]).dictionary_encode(), [7, 0, 5]),
    "decimal": (pa.array([decimal.Decimal("1.25"), None], pa.decimal128(9, 2)), [1.25, np.nan]),
    "wide decimal": (pa.array([decimal.Decimal("1.25"), None], pa.decimal128(30, 2)), [1.25, np.nan]),
    "lists": (pa.array([[1, 2], None, []]), [[1, 2], [], []]),
    "lists of texts": (pa.array([["a", None], [], ["b"]]), [["a", ""], [], ["b"]]),
    "lists of decimals": (pa.array([[decimal.Decimal("1.5")], []]), [[1.5], []]),
    "bool": (pa.array([True, None]), [True, False]),
    "date": (pa.array([_DAY, None]), [_MOMENT - 12 * 3600 * 10**9, _NONE]),
    "moments": (pa.array([_NOON, None], pa.timestamp("us")), [_MOMENT, _NONE]),
    "moments of a zone": (pa.array([_NOON, None], pa.timestamp("ms", "Asia/Tokyo")), [_MOMENT, _NONE]),
    "seconds": (pa.array([_NOON, None], pa.timestamp("s")), [_MOMENT, _NONE]),
    "durations": (pa.array([datetime.timedelta(seconds=3), None]), [3 * 10**9, _NONE]),
    "times": (pa.array([datetime.time(0, 0, 3), None]), [3 * 10**9, _NONE]),
    "null": (pa.nulls(2), ["", ""]),
    "bytes": (pa.array([b"ab", None]), ["ab", ""]),
    "half floats": (pa.array(np.float16([1.5, 2])), [1.5, 2]),
    "small numbers": (pa.array([3, None], pa.uint8()), [3, 0]),
}


@pytest.mark.parametrize("name", _COLUMNS)
def test_columns_of_all_types_are_read_from_parquet(tmp_path, name):
    column, expected = _COLUMNS[name]
    path = str(tmp_path / "a.parquet")
    pq.write_table(pa.table({name: column}), path)
    found = ak.read_parquet(path)[name]
    if isinstance(found, (ak.Datetime, ak.Timedelta)):
        found = ak.cast(found, "int64")
    assert len(found) == len(column)
    values = found.to_list() if isinstance(found, ak.SegArray) else found.tolist()
    np.testing.assert_equal(
        [list(one) if isinstance(one, (list, np.ndarray)) else one for one in values[:4]], expected[:4]
    )
    nulls = ak.get_null_indices(path)[name]
    assert nulls.size == len(column)


@pytest.mark.parametrize("column", [pa.array([{"a": 1}]), pa.array([[[1]]]), pa.array([b"\xff"])])
def test_columns_that_arkouda_has_no_array_for_are_errors(tmp_path, column):
    path = str(tmp_path / "a.parquet")
    pq.write_table(pa.table({"one": column}), path)
    with pytest.raises((TypeError, ValueError, RuntimeError), match=r"one|utf-8"):
        ak.read_parquet(path)


def _written(prefix, files, value):
    """Columns as a job of so many PEs wrote them."""
    for place in range(files):
        pq.write_table(pa.table({"n": [value] * 10}), filesets.located(prefix, place))


_WRITERS = {"parquet": ak.to_parquet, "hdf": ak.to_hdf, "csv": lambda *args: ak.to_csv(*args, overwrite=True)}


@pytest.mark.parametrize("how", _WRITERS)
def test_what_is_written_replaces_the_files_of_all_pes(tmp_path, how):
    prefix = str(tmp_path / "some")
    _written(prefix, 7, 1)
    _written(str(tmp_path / "somewhere"), 1, 1)
    (tmp_path / "some_LOCALE0003.bak").write_text("")
    _WRITERS[how]({"n": ak.full(30, 2, dtype="int64")}, prefix)
    found = ak.read(f"{prefix}_LOCALE*[0-9]", datasets="n")["n"]
    assert ak.cast(found, "int64").tolist() == [2] * 30
    others = {one for one in os.listdir(tmp_path) if not one.startswith("some_LOCALE") or one.endswith("bak")}
    assert others == {"some_LOCALE0003.bak", "somewhere_LOCALE0000"}


def test_an_append_keeps_what_all_files_have(tmp_path):
    prefix = str(tmp_path / "some")
    for place in range(3):
        ak.to_hdf({"n": ak.full(2, place, dtype="int64")}, str(tmp_path / "part"))
        os.rename(filesets.located(str(tmp_path / "part")), filesets.located(prefix, place))
    ak.to_hdf({"m": ak.arange(4)}, prefix, mode="append")
    found = ak.load_all(prefix)
    assert (found["n"].tolist(), found["m"].tolist()) == ([0, 0, 1, 1, 2, 2], [0, 1, 2, 3])


class _Ended(BaseException):
    """Stands for the end of a process."""


def test_a_write_that_ends_between_is_all_old_or_all_new(tmp_path, two_sessions, monkeypatch):
    if two_sessions.pes > 1:
        pytest.skip("the first process does all of it")
    steps = {name: getattr(filesets.os, name) for name in ("rename", "replace", "unlink")}
    seen = set()
    for end in itertools.count(1):
        directory = tmp_path / str(end)
        directory.mkdir()
        prefix = str(directory / "some")
        _written(prefix, 3, 1)
        left = iter(range(end))

        def step(name, *args, left=left):
            if next(left, None) is None:
                raise _Ended
            return steps[name](*args)

        with monkeypatch.context() as patch:
            for name in steps:
                patch.setattr(filesets.os, name, lambda *args, name=name: step(name, *args))
            for function in ("discard", "remove"):
                patch.setattr(filesets, function, lambda path: None)
            try:
                ak.to_parquet({"n": ak.full(8, 2, dtype="int64")}, prefix)
                ended = False
            except _Ended:
                ended = True
        while atomic._held:  # locks end with their process
            os.close(atomic._held.popitem()[1])
        found = ak.read_parquet(f"{prefix}_LOCALE*")["n"].tolist()
        assert found in ([1] * 30, [2] * 8)
        seen.add(len(found))
        ak.to_parquet({"n": ak.arange(5)}, prefix)
        assert ak.read_parquet(f"{prefix}*")["n"].tolist() == [0, 1, 2, 3, 4]
        assert os.listdir(directory) == ["some_LOCALE0000"]
        if not ended:
            break
    assert seen == {8, 30} and end > 4


@pytest.mark.parametrize(
    "told", ["", "{", "[]", "null", '{"name": 1, "files": []}', '{"name": "a"}', '{"name": "a", "files": ["../b"]}',
             '{"name": "a", "files": ["b"]}', '{"name": "../a", "files": ["../a_LOCALE0000"]}', "[" * 100_000],
)  # fmt: skip
def test_a_list_of_files_from_a_stranger_moves_nothing(tmp_path, told):
    (tmp_path / "b").write_text("kept")
    _written(str(tmp_path / "a"), 2, 1)
    aside = tmp_path / ".a.12345678.whole"
    aside.mkdir()
    (aside / ".files.json").write_text(told)
    (aside / "b").write_text("changed")
    with pytest.raises(ValueError, match=r"\.files\.json is no list of files"):
        ak.read_parquet(str(tmp_path / "a*"))
    assert (tmp_path / "b").read_text() == "kept"
    assert sorted(os.listdir(tmp_path)) == [".a.12345678.whole", "a_LOCALE0000", "a_LOCALE0001", "b"]


def test_nul_characters_are_kept_or_refused(tmp_path):
    texts = ["a\0", "x\0y", "\0", "", "z\0\0"]
    assert ak.array(texts).tolist() == texts and ak.array(tuple(texts), dtype=ak.str_).tolist() == texts
    for write, read in ((ak.to_csv, ak.read_csv), (ak.to_parquet, ak.read_parquet)):
        write({"t": ak.array(texts)}, str(tmp_path / read.__name__))
        assert read(f"{tmp_path / read.__name__}_LOCALE*")["t"].tolist() == texts
    frame = ak.DataFrame({"n\0a": ak.arange(3)})
    for thing in (ak.arange(3), ak.array(["a"]), ak.Categorical(ak.array(["a"])), frame):
        with pytest.raises(ValueError, match=r"n.x00a' has a NUL character"):
            ak.to_hdf({"n\0a": thing, "n": ak.arange(2)}, str(tmp_path / "cut"))
    with pytest.raises(ValueError, match=r"n.x00a' has a NUL character"):
        frame.to_hdf(str(tmp_path / "cut"))
    with pytest.raises(ValueError, match=r"n.x00a' has a NUL character"):
        ak.to_hdf({"f": frame}, str(tmp_path / "cut"))
    assert not [name for name in os.listdir(tmp_path) if name.startswith("cut")]
