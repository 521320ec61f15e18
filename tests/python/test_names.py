# SPDX-License-Identifier: Apache-2.0
"""NumPy's names: docs/arrays.md lists the missing ones with a reason; the most recent ones agree with NumPy."""

import ctypes
import io
from pathlib import Path

import numpy as np
import pytest

import atoll as ak

DOCS = Path(__file__).resolve().parents[2] / "docs/arrays.md"


@pytest.mark.skipif(not DOCS.exists(), reason="needs the documentation")
def test_documentation_lists_missing_names():
    told = DOCS.read_text().partition("These names of NumPy")[2].replace("`", " ").split()
    missing = [name for name in np.__all__ if not hasattr(ak, name)]
    missing += [name for name in dir(np.ndarray) if not hasattr(ak.ndarray, name)]
    assert [name for name in missing if name not in told and name + "," not in told] == []


def test_resize_in_place(two_sessions):
    a = ak.arange(5)
    pending = a + 1
    a.resize(2, 3)
    assert a.tolist() == [[0, 1, 2], [3, 4, 0]]
    assert pending.tolist() == [1, 2, 3, 4, 5]
    a.resize(2)
    assert (a.tolist(), (a * 2).tolist()) == ([0, 1], [0, 2])
    view = a[1:]
    with pytest.raises(ValueError, match="refers to"):
        a.resize(4)
    with pytest.raises(ValueError, match="own its data"):
        view.resize(1)
    assert (a.tolist(), view.tolist()) == ([0, 1], [1])
    with pytest.raises(ValueError, match="negative"):
        ak.arange(3).resize(-2)


def test_address_of_elements(two_sessions):
    a = ak.array([1.5, 2.5])
    if ak.pes() > 1:
        with pytest.raises(ValueError, match="over 3 PEs"):
            _ = a.ctypes
        return
    elements = ctypes.cast(a.ctypes.data, ctypes.POINTER(ctypes.c_double))
    elements[1] = 7.0
    assert a.tolist() == [1.5, 7.0]
    with pytest.raises(ValueError, match="view"):
        _ = a[1:].ctypes
    with pytest.raises(ValueError, match="shared"):
        a.resize(1)


def test_setflags_accepts_only_current_flags():
    a = ak.arange(4).reshape(2, 2).copy()
    a.setflags(write=True, align=True)
    with pytest.raises(ValueError, match="read-only"):
        a.setflags(write=False)
    with pytest.raises(ValueError, match="WRITEABLE"):
        ak.diagonal(a).setflags(write=True)


def test_iterators(two_sessions):
    a, b = np.arange(6).reshape(2, 3), np.arange(3) * 10
    pairs = ak.nditer([ak.array(a), ak.array(b)], flags=["multi_index"])
    assert [int(x + y) for x, y in pairs] == (a + b).ravel().tolist()
    assert list(map(int, ak.nditer(ak.array(a), order="F"))) == list(map(int, np.nditer(a, order="F")))
    with pytest.raises(ValueError, match="reads"):
        ak.nditer(ak.array(a), op_flags=["readwrite"])
    both = ak.broadcast(ak.array(a), ak.array(b))
    assert (both.shape, both.size) == ((2, 3), 6)


def test_fromregex(two_sessions):
    text = "a=1 b=2.5\nb=7"
    found = ak.fromregex(io.StringIO(text), r"(\w)=([\d.]+)", [("name", "U1"), ("value", "f8")])
    assert (found["name"].tolist(), found["value"].tolist()) == (["a", "b", "b"], [1.0, 2.5, 7.0])
    with pytest.raises(TypeError, match="structured"):
        ak.fromregex(io.StringIO(text), r"\d", np.int64)
