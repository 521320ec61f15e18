# SPDX-License-Identifier: Apache-2.0
"""A session's things on another number of PEs."""

import json
import random

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal, assert_series_equal

import atoll as ak

MOMENTS = np.array(["2026-11-24T10:00", "NaT", "1969-01-01"] * 10, "M8[us]")


def things():
    frame = pd.DataFrame(
        {"a": range(30), "t": ["x", None, "ä"] * 10}, index=pd.Index([f"r{i}" for i in range(30)], name="row")
    )
    return {
        "matrix": ak.arange(60, dtype="float32").reshape(12, 5),
        "scalar": ak.array(3),
        "complex": ak.arange(7) + 1j,
        "bools": ak.arange(40) % 3 == 0,
        "some": ak.array([1, None, 3] * 9),
        "texts": ak.array(["x", None, "ä"] * 9),
        "kinds": ak.Categorical(["x", None, "y"] * 9, categories=["y", "x", "z"]),
        "moments": ak.array(MOMENTS),
        "lists": ak.lists([[1, 2], None, []] * 5),
        "frame": ak.DataFrame(frame),
        "several": ak.DataFrame({"a": range(4)}, index=ak.MultiIndex.from_arrays([[1, 1, 2, 2], ["a", "b", "a", "b"]])),
        "series": ak.Series([1.5, 2.5], index=range(5, 7), name="s"),
        "empty": ak.DataFrame({}),
    }


def same(found, wanted):
    assert list(found) == list(wanted)
    for name, one in wanted.items():
        assert type(found[name]) is type(one), name
        if isinstance(one, ak.DataFrame):
            assert_frame_equal(found[name].to_pandas(), one.to_pandas())
        elif isinstance(one, ak.Series):
            assert_series_equal(found[name].to_pandas(), one.to_pandas())
        else:
            assert found[name].dtype == one.dtype and repr(found[name]) == repr(one), name


def test_from_any_number_of_pes_to_any_other(tmp_path):
    for pes in (1, 3, 2):
        ak.shutdown()
        with ak.init(pes, 1):
            if pes > 1:
                same(ak.load_checkpoint(tmp_path / "state"), things())
            assert ak.save_checkpoint(tmp_path / "state", things()) == list(things())
    assert [one.name for one in tmp_path.iterdir()] == ["state"]


def test_what_fails_leaves_the_old_one(tmp_path, one_session):
    ak.save_checkpoint(tmp_path / "state", {"a": ak.arange(3)})
    with pytest.raises(TypeError, match="'b' is dict: a checkpoint keeps arrays"):
        ak.save_checkpoint(tmp_path / "state", {"a": ak.arange(4), "b": {}})
    assert ak.load_checkpoint(tmp_path / "state")["a"].tolist() == [0, 1, 2]
    with pytest.raises(FileNotFoundError):
        ak.load_checkpoint(tmp_path / "none")
    (tmp_path / "state" / "manifest.json").write_text("{}")
    with pytest.raises(ValueError, match=r"manifest.json: it is no checkpoint of version 1"):
        ak.load_checkpoint(tmp_path / "state")


def _altered(told, rng):
    """What JSON says, with one of its values another, or gone."""
    places = []

    def walk(one):
        for key in one if isinstance(one, dict) else range(len(one)):
            places.append((one, key))
            if isinstance(one[key], (dict, list)):
                walk(one[key])

    walk(told)
    one, key = rng.choice(places)
    if rng.random() < 0.2:
        del one[key]
    else:
        one[key] = rng.choice(
            [
                None,
                -1,
                0,
                1,
                7,
                1 << 40,
                1 << 70,
                "",
                "x",
                "object",
                "parts",
                "../x",
                [],
                [1],
                [[]],
                {},
                {"tuple": 1},
                1e308,
                True,
            ]
        )
    return told


def test_broken_manifests_are_errors_that_name_the_file(tmp_path):
    kept = {
        "a": ak.arange(6).reshape(2, 3), "z": ak.arange(2) * 1j, "t": ak.array(["x", None]),
        "r": ak.RangeIndex(1, 9, 2),
        "f": ak.DataFrame({"x": [1, 2], ("y", 1): ["a", "b"]}, index=ak.MultiIndex.from_tuples([(1, "p"), (2, "q")])),
        "s": ak.Series([1.5, 2], name="s"),
    }  # fmt: skip
    ak.save_checkpoint(tmp_path / "a", kept)
    file = tmp_path / "a" / "manifest.json"
    whole = file.read_text()
    rng, refused = random.Random(1), []
    for _ in range(150):
        file.write_text(json.dumps(_altered(json.loads(whole), rng)))
        try:
            ak.load_checkpoint(tmp_path / "a")
        except (ValueError, MemoryError) as error:
            refused.append(str(error))
    assert len(refused) > 50
    assert not [text for text in refused if str(tmp_path / "a") not in text]
    for text in (
        "",
        "null",
        "[]",
        "17",
        "[" * 100_000,
        '{"version": 1}',
        '{"version": 1, "columns": 1, "objects": []}',
    ):
        file.write_text(text)
        with pytest.raises(ValueError, match=r"cannot read .*manifest\.json"):
            ak.load_checkpoint(tmp_path / "a")


def files_of(path):
    """The numbers of files in a checkpoint's columns, by name of the object."""
    manifest = json.loads((path / "manifest.json").read_text())
    found = {}
    for name, told in manifest["objects"].items():
        columns = next((told[key] for key in ("parts", "columns") if key in told), [])
        for column in columns:
            root = path / str(column)
            files = sorted(root.rglob("*")) if root.is_dir() else [root]
            found[name, columns.index(column)] = {one.stat().st_ino for one in files if one.is_file()}
    return found


@pytest.mark.parametrize("pes", [1, 3])
def test_unchanged_columns_are_linked(tmp_path, pes):
    ak.shutdown()
    with ak.init(pes, 1):
        kept = things()
        kept["changed"], kept["viewed"], kept["replaced"] = ak.zeros(100), ak.zeros(100), ak.zeros(10)
        kept["frame"] = ak.DataFrame({"a": ak.arange(30), "t": ak.strings(["x", "ä", "y"] * 10)})
        del kept["some"], kept["texts"], kept["moments"]  # memory that pandas and NumPy share: written each time
        view = kept["viewed"][10:20]
        path = tmp_path / "state"
        ak.save_checkpoint(path, kept)
        before = files_of(path)
        kept["changed"][3] = 1
        view[:] = 2
        kept["replaced"] = ak.zeros(10)
        kept["frame"]["a"] = kept["frame"]["a"] + 1
        ak.save_checkpoint(path, kept)
        after = files_of(path)
        written = {name for name in after if after[name].isdisjoint(before[name])}
        assert written == {("changed", 0), ("viewed", 0), ("replaced", 0), ("frame", 0)}
        same(ak.load_checkpoint(path), kept)
        ak.save_checkpoint(path, kept)
        assert files_of(path) == after


def test_a_checkpoint_of_another_process_is_not_linked(tmp_path, one_session):
    kept = {"a": ak.arange(10)}
    path = tmp_path / "state"
    ak.save_checkpoint(path, kept)
    manifest = json.loads((path / "manifest.json").read_text())
    (path / "manifest.json").write_text(json.dumps(manifest | {"token": "another"}))
    before = files_of(path)
    ak.save_checkpoint(path, kept)
    assert files_of(path)["a", 0].isdisjoint(before["a", 0])


def test_memory_that_numpy_shares_is_written_again(tmp_path):
    ak.shutdown()
    with ak.init(1, 1):
        a = ak.zeros(10)
        ak.save_checkpoint(tmp_path / "state", {"a": a})
        shared = a.to_numpy(copy=False)
        for value in (7, 8):
            shared[3] = value
            ak.save_checkpoint(tmp_path / "state", {"a": a})
            assert ak.load_checkpoint(tmp_path / "state")["a"].tolist() == [0, 0, 0, value] + [0] * 6
