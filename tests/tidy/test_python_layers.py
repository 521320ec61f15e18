# SPDX-License-Identifier: Apache-2.0
"""The check of Python's layers finds every kind of dependency upwards, and every kind of circle."""

from __future__ import annotations

from pathlib import Path

import pytest
import python_layers


@pytest.fixture(autouse=True)
def nothing_is_known(monkeypatch):
    monkeypatch.setattr(python_layers, "UPWARD", frozenset())
    monkeypatch.setattr(python_layers, "IN_CIRCLES", {})


def breaches(folder: Path, files: dict[str, str]) -> list[str]:
    paths = {}
    for name, text in {"__init__.py": "", **files}.items():
        path = folder / "atoll" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        parts = ("atoll", *Path(name).with_suffix("").parts)
        paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return list(python_layers.check_layers(paths))


#: How a module of `columns` can come to depend on one of `frame`: the two files.
UPWARD = {
    "import": ("from ..frame.a import f\n", "def f(): ...\n"),
    "import in a function": ("def g():\n    from ..frame.a import f\n", "def f(): ...\n"),
    "string": ('def g():\n    return import_module("atoll.frame.a").f()\n', "def f(): ...\n"),
    "registry": ('def g():\n    return CLASSES["F"]()\n', "class F: ...\n"),
    "hook": ("HOOKS = []\n", "from ..columns.b import HOOKS\ndef f(): ...\nHOOKS.append(f)\n"),
    "hook in a dict": ("HOOKS = {}\n", "from ..columns import b\ndef f(): ...\nb.HOOKS['f'] = f\n"),
    "hook under a condition": (
        "HOOKS = []\n",
        "from ..columns.b import HOOKS\ndef f(): ...\nif True:\n    HOOKS.append(f)\n",
    ),
}


@pytest.mark.parametrize("kind", UPWARD)
def test_finds_a_dependency_upwards(tmp_path, kind):
    lower, upper = UPWARD[kind]
    found = breaches(tmp_path, {"columns/b.py": lower, "frame/a.py": upper})
    assert [one.partition(", in")[0] for one in found] == ["atoll.columns.b depends on atoll.frame.a"]


def test_a_dependency_downwards_is_right(tmp_path):
    assert breaches(tmp_path, {"columns/b.py": "def g(): ...\n", "frame/a.py": "from ..columns.b import g\n"}) == []


#: How a module of `frame` can come to depend on one that depends on it.
CIRCLES = {
    "import in a function": "def g():\n    from .a import F\n",
    "string": 'def g():\n    return import_module("atoll.frame.a").F()\n',
    "registry": 'def g():\n    return CLASSES["F"]()\n',
}


@pytest.mark.parametrize("kind", CIRCLES)
def test_finds_a_circle(tmp_path, kind):
    found = breaches(tmp_path, {"frame/a.py": "from .b import g\nclass F: ...\n", "frame/b.py": CIRCLES[kind]})
    assert found == ["python/atoll/frame: 2 modules are in circles (at most 0): break the new circle"]


def test_imports_for_type_checkers_make_no_circle(tmp_path):
    files = {
        "frame/a.py": "from .b import g\nclass F: ...\n",
        "frame/b.py": "if TYPE_CHECKING:\n    from .a import F\ndef g(): ...\n",
    }
    assert breaches(tmp_path, files) == []


def test_what_is_known_may_only_become_less(tmp_path, monkeypatch):
    monkeypatch.setattr(python_layers, "UPWARD", frozenset((("atoll.columns.b", "atoll.frame.a"),)))
    monkeypatch.setattr(python_layers, "IN_CIRCLES", {"frame": 2})
    found = breaches(tmp_path, {"columns/b.py": "", "frame/a.py": ""})
    assert ["no longer depends" in one or "lower 2" in one for one in found] == [True, True]
