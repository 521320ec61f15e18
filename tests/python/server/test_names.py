# SPDX-License-Identifier: Apache-2.0
"""Published objects: what attaches is what was published, and changes, roles and wrong names do no harm."""

import datetime
import os
import pickle
import socket
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from frame.frames import same

import atoll as ak
from atoll.serve import objects, server_files


def things(m):
    """Frames and Series with columns and indexes of all kinds."""
    frame = m.DataFrame({
        "a": [1, 2, 1], "b": [1.0, np.nan, 3.0], "c": ["x", None, "é"], "d": pd.date_range("2020", periods=3),
        "e": pd.Categorical(["u", "v", "u"]), "t": pd.date_range("2020", periods=3, tz="Europe/Berlin"),
    })  # fmt: skip
    index = m.MultiIndex.from_product([["u", "v"], [1, 2, 3]], names=["k", "l"])
    return {
        "frame": frame,
        "labelled": frame.set_index("c"),
        "one": frame["b"],
        "many": m.Series(range(6), index=index),
    }


def test_frames_and_columns_attach_as_they_were_published(server):
    ak.shutdown()
    with ak.connect(server):
        for name, value in things(ak).items():
            ak.publish(name, value, replace=True)
        ak.publish("strings", ak.array(["x", None, "é"]), replace=True)
        ak.publish("lists", ak.lists([[1, 2], [3]]), replace=True)
        ak.publish("complex", ak.array([1 + 2j, 3]), replace=True)
        ak.publish("several", {"x": ak.arange(3), "y": [ak.arange(2)]}, replace=True)
    with ak.connect(server):
        for name, expected in things(pd).items():
            same(ak.attach(name), expected)
        assert ak.attach("frame").groupby("a")["b"].sum().to_pandas().to_dict() == {1: 4.0, 2: 0.0}
        assert ak.attach("strings").to_list() == ["x", None, "é"]
        assert ak.attach("lists").to_list() == [[1, 2], [3]]
        assert ak.attach("complex").to_numpy().tolist() == [1 + 2j, 3]
        assert ak.attach("several")["y"][0].sum() == 1
        about = ak.published()
        assert about["frame"]["kind"] == "DataFrame"
        assert about["complex"]["nbytes"] == 32


def test_changes_in_place_are_not_shared(session):
    a = ak.arange(5)
    ak.publish("numbers", a, replace=True)
    a += 1
    b = ak.attach("numbers")
    b[0] = 100
    assert ak.attach("numbers").to_numpy().tolist() == [0, 1, 2, 3, 4]
    assert a.to_numpy().tolist() == [1, 2, 3, 4, 5]
    ak.publish("part", ak.arange(10)[2:5], replace=True)
    assert ak.attach("part").to_numpy().tolist() == [2, 3, 4]


def test_names_that_collide_or_lead_elsewhere_raise(session):
    ak.publish("taken", ak.arange(3), replace=True)
    with pytest.raises(ValueError, match="'taken' is published already"):
        ak.publish("taken", ak.arange(3))
    for name in ("", "../x", "a/b", "1x", "x\0", "x" * 200):
        with pytest.raises(ValueError, match="is no name for a published object"):
            ak.publish(name, ak.arange(3))
    kept = ak.attach("taken")
    ak.unpublish("taken")
    with pytest.raises(KeyError, match="nothing is published under the name 'taken'"):
        ak.attach("taken")
    assert kept.sum() == 3
    for value in (3, len, "text", {"x": datetime}):
        with pytest.raises(TypeError):
            ak.publish("other", value)
    session.shutdown()
    with pytest.raises(RuntimeError, match=r"Call ak\.connect first"):
        ak.published()


def test_roles_bound_what_may_be_attached(server):
    ak.shutdown()
    with ak.connect(server):
        ak.publish("open", ak.arange(3), replace=True)
        ak.publish("closed", ak.arange(4), role="code", replace=True)
    with ak.connect(server, role="read"):
        assert ak.attach("open").sum() == 3
        assert "closed" not in ak.published()
        with pytest.raises(PermissionError, match="'closed' may be attached with the role code"):
            ak.attach("closed")
        with pytest.raises(PermissionError, match="publish needs the role compute"):
            ak.publish("mine", ak.attach("open"))


def test_the_role_read_selects_from_frames_and_computes_no_groups(server):
    ak.shutdown()
    frame = {"n": [3, 1, 2], "text": ["a", None, "b"], "day": np.array(["2024-01-01", "2024-02-29", "NaT"], "M8[D]")}
    expected = pd.DataFrame(frame)
    with ak.connect(server):
        ak.publish("frame", ak.DataFrame(frame), replace=True)
    with ak.connect(server, role="read"):
        found = ak.attach("frame")
        assert list(found.columns) == list(expected.columns)
        for select in (
            lambda f: f, lambda f: f.head(2), lambda f: f[["text", "n"]], lambda f: f.iloc[[2, 0]],
            lambda f: f[f.n > 1], lambda f: f[f.text == "b"], lambda f: f.query("n < 3"), lambda f: f.isna(),
        ):  # fmt: skip
            same(select(found), select(expected))
        with pytest.raises(PermissionError, match="needs the role compute"):
            found.groupby("text").n.sum()


class _Harm:
    def __reduce__(self):
        return os.getcwd, ()


@pytest.mark.parametrize(
    "value", [_Harm(), os.getcwd, ak.DataFrame, objects.pack], ids=["call", "function", "class", "own"]
)
def test_forms_run_no_code(value):
    form = pickle.dumps({"x": value})
    if value is ak.DataFrame:  # a class is there, but cannot be called
        assert not callable(objects.unpack(form, [])["x"])
    else:
        with pytest.raises(ValueError, match="may not use"):
            objects.unpack(form, [])


@pytest.mark.parametrize("form", [b"", b"\x80", b"garbage", pickle.dumps((1, 2))[:-1], b"\x80\x04K\x07Q."])
def test_forms_that_are_not_valid_raise(form):
    with pytest.raises(ValueError, match="cannot be made here"):
        objects.unpack(form, [])


def test_arkouda_connects_and_its_registry_is_the_servers(server):
    import atoll.arkouda as arkouda

    ak.shutdown()
    arkouda.connect("localhost", server_files.read(server).port)
    try:
        config = arkouda.get_config()
        assert config["kind"] == "remote"
        assert config["numLocales"] == 3
        assert config["address"] == f"127.0.0.1:{server_files.read(server).port}"
        assert config["ServerHostname"] == socket.gethostname()
        assert arkouda.ruok() == "imok"
        arkouda.arange(10).register("ark_numbers")
        arkouda.array(["x", "y"]).register("ark_words")
        with pytest.raises(arkouda.RegistrationError):
            arkouda.arange(3).register("ark_numbers")
        arkouda.disconnect()
        arkouda.connect(server)
        assert {"ark_numbers", "ark_words"} <= set(arkouda.list_registry()["Objects"])
        assert arkouda.attach("ark_numbers").sum() == 45
        assert arkouda.attach("ark_words").to_ndarray().tolist() == ["x", "y"]
        arkouda.unregister_all(["ark_numbers", "ark_words"])
        assert not arkouda.is_registered("ark_numbers")
        assert "ark_words" not in ak.published()
    finally:
        arkouda.disconnect()
    arkouda.connect()
    assert arkouda.get_config()["kind"] == "embedded"


def test_arkouda_registers_groups_and_saves_checkpoints_on_a_server(server, tmp_path):
    import atoll.arkouda as arkouda

    ak.shutdown()
    arkouda.connect(server)
    left_over = arkouda.arange(4)  # of a session that has ended before the checkpoint
    assert left_over.name
    arkouda.disconnect()
    arkouda.connect(server)
    try:
        words = arkouda.array(["b", "a", "b", "c"])
        keys = [arkouda.array([1, 2, 1, 2**62]), words, arkouda.Categorical(words)]
        groups = arkouda.GroupBy(keys).register("ark_groups")
        again = arkouda.attach("ark_groups")
        assert again.permutation.tolist() == groups.permutation.tolist()
        assert again.size()[1].tolist() == groups.size()[1].tolist() == [2, 1, 1]
        groups.unregister()
        days = arkouda.GroupBy(arkouda.Datetime(arkouda.array([5, 3, 5]))).register("ark_days")
        assert arkouda.attach("ark_days").size()[1].tolist() == [1, 2]
        days.unregister()

        numbers, wide = arkouda.array([3, 1]), arkouda.array([2**70, 5])
        assert numbers.name != wide.name
        name = arkouda.save_checkpoint(path=str(tmp_path))
        numbers[0] = wide[0] = 9
        arkouda.load_checkpoint(name, str(tmp_path))
        assert numbers.tolist() == [3, 1]
        assert wide.tolist() == [2**70, 5]
    finally:
        arkouda.disconnect()


def test_client_that_ends_with_arrays_and_a_session_prints_nothing(server):
    script = (
        "import builtins, atoll as ak\n"
        "ak.connect('three')\n"
        "builtins.kept = ak.arange(3) + 1, ak.array(['x'])\n"  # are freed when modules are empty
        "assert builtins.kept[0].sum() == 6\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(ak.__file__))}
    ended = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=300)
    assert (ended.returncode, ended.stderr) == (0, "")
