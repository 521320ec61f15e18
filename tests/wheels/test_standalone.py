# SPDX-License-Identifier: Apache-2.0
"""A standalone build has what the ordinary one takes from shared libraries of C++."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from built import ROOT, needs_core

STANDALONE = [path.read_text() for path in ROOT.glob("src/*/standalone/*.cpp")]


@needs_core
@pytest.mark.skipif(shutil.which("nm") is None, reason="needs nm")
def test_every_function_of_fmt_and_highway_is_there():
    import atoll._core

    listed = subprocess.run(
        ["nm", "-DC", "--undefined-only", atoll._core.__file__], capture_output=True, text=True, check=True
    )
    used = set(re.findall(r"\b(?:hwy|fmt::v\d+)::(~?\w+)", re.sub(r"\(.*", "", listed.stdout)))
    assert {"vformat", "SupportedTargets"} <= used  # an ordinary build: else this test sees nothing
    assert [name for name in used if not any(re.search(rf"\b{name}\b", text) for text in STANDALONE)] == []


def test_layers_name_no_shared_library_of_cxx():
    for path in ROOT.glob("src/*/CMakeLists.txt"):
        assert not re.search(r"\bfmt::fmt\b|PkgConfig::HWY\b", path.read_text()), f"{path}: ATOLL_FMT, ATOLL_HIGHWAY"
