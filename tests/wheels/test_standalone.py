# SPDX-License-Identifier: Apache-2.0
"""A standalone build has what the ordinary one takes from shared libraries of C++."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from built import ROOT, needs_core

STANDALONE = [path.read_text() for path in ROOT.glob("src/base/standalone/*.cpp")]


@needs_core
@pytest.mark.skipif(shutil.which("nm") is None, reason="needs nm")
def test_every_function_of_fmt_is_there():
    import atoll._core

    core = Path(atoll._core.__file__)
    doors = [(core.parent / "bin" / compiler).resolve().parent.parent / "lib" for compiler in ("oshcc", "mpicc")]
    libraries = [core, *(library for folder in doors for library in folder.glob("lib*.so.1"))]
    listed = subprocess.run(["nm", "-DC", "--undefined-only", *libraries], capture_output=True, text=True, check=True)
    used = set(re.findall(r"\bfmt::v\d+::(?:detail::)?(~?\w+)", re.sub(r"\(.*", "", listed.stdout)))
    assert "vformat" in used  # an ordinary build: else this test sees nothing
    assert [name for name in used if not any(re.search(rf"\b{name}\b", text) for text in STANDALONE)] == []


@needs_core
def test_no_shared_library_of_highway_is_loaded():
    import atoll._core

    listed = subprocess.run(["ldd", atoll._core.__file__], capture_output=True, text=True, check=True)
    assert "libc.so" in listed.stdout
    assert "libhwy" not in listed.stdout  # it measures the clock for 3 ms in every process


def test_layers_name_no_shared_library_of_cxx():
    for path in ROOT.glob("src/*/CMakeLists.txt"):
        assert not re.search(r"\bfmt::fmt\b|PkgConfig::HWY\b", path.read_text()), f"{path}: ATOLL_FMT, ATOLL_HIGHWAY"
