# SPDX-License-Identifier: Apache-2.0
"""Arkouda's files: what is written under a prefix is read back, of every kind."""

import pytest

import atoll.arkouda as ak

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
