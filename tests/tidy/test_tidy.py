# SPDX-License-Identifier: Apache-2.0
"""The tree keeps the rules of scripts/tidy.py, and scripts/tidy.py finds breaches of each rule."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def tidy() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tidy", ROOT / "scripts/tidy.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CHECKS = [
    "banned calls",
    "licence lines",
    "file length",
    "includes",
    "python layers",
    "python types",
    "variables",
    "phrases",
]


@pytest.mark.parametrize("name", CHECKS)
def test_tree_is_tidy(tidy: ModuleType, name: str) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    breaches = list(tidy.CHECKS[name](tidy.tracked_files()))
    assert not breaches, "\n" + "\n".join(breaches)


def test_module_exports_its_init_function_alone(tidy: ModuleType) -> None:
    if shutil.which("nm") is None or not list((ROOT / "python/atoll").glob("_core*.so")):
        pytest.skip("needs nm and a built _core")
    assert list(tidy.check_exports()) == []


def tree(tidy: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str]) -> list[Path]:
    monkeypatch.setattr(tidy, "ROOT", tmp_path)
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return [tmp_path / name for name in files]


def test_finds_a_banned_call_but_not_in_a_comment(tidy, tmp_path, monkeypatch):
    files = tree(tidy, tmp_path, monkeypatch, {"src/coll/a.cpp": "// getenv(x)\nauto v = std::getenv(x);\n"})
    assert [breach.split(": ")[0] for breach in tidy.check_banned(files)] == ["src/coll/a.cpp:2"]


def test_finds_an_upward_include(tidy, tmp_path, monkeypatch):
    files = tree(
        tidy,
        tmp_path,
        monkeypatch,
        {
            "src/fabric/a.cpp": '#include "atoll/coll/b.hpp"\n',
            "src/coll/include/atoll/coll/b.hpp": "#pragma once\n",
        },
    )
    assert ["above it" in breach for breach in tidy.check_includes(files)] == [True]


def test_finds_a_circle_of_files(tidy, tmp_path, monkeypatch):
    files = tree(
        tidy,
        tmp_path,
        monkeypatch,
        {
            "src/coll/include/atoll/coll/a.hpp": '#include "atoll/coll/b.hpp"\n',
            "src/coll/include/atoll/coll/b.hpp": '#include "atoll/coll/a.hpp"\n',
        },
    )
    assert any("circle" in breach for breach in tidy.check_includes(files))


def test_finds_a_circle_of_folders(tidy, tmp_path, monkeypatch):
    files = tree(
        tidy,
        tmp_path,
        monkeypatch,
        {
            "src/array/include/atoll/array/kernel/a.hpp": "\n",
            "src/array/include/atoll/array/ops/b.hpp": '#include "atoll/array/kernel/a.hpp"\n',
            "src/array/kernel/a.cpp": '#include "atoll/array/ops/b.hpp"\n',
        },
    )
    assert any("circle" in breach for breach in tidy.check_includes(files))


def test_finds_a_long_file_and_a_missing_licence(tidy, tmp_path, monkeypatch):
    files = tree(tidy, tmp_path, monkeypatch, {"src/base/a.cpp": "int x;\n" * 601})
    assert len(list(tidy.check_length(files))) == 1
    assert len(list(tidy.check_licence(files))) == 1


def test_finds_an_undocumented_variable(tidy, tmp_path, monkeypatch):
    files = tree(
        tidy,
        tmp_path,
        monkeypatch,
        {"src/base/config.cpp": '"ATOLL_NEW"', "docs/configuration.md": "`ATOLL_OLD`"},
    )
    assert len(list(tidy.check_variables(files))) == 2
