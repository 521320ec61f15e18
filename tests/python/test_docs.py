# SPDX-License-Identifier: Apache-2.0
"""Runs the examples in the documentation and in the docstrings."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOT_IMPORTED = ("atoll._core", "atoll.__main__")
PACKAGES = (
    "atoll",
    "atoll.arrays",
    "atoll.columns",
    "atoll.fft",
    "atoll.frame",
    "atoll.io",
    "atoll.linalg",
    "atoll.random",
    "atoll.session",
)
MODULES = [
    module.name
    for package in map(importlib.import_module, PACKAGES)
    for module in (pkgutil.iter_modules if package.__name__ == "atoll" else pkgutil.walk_packages)(
        package.__path__, f"{package.__name__}."
    )
    if not module.ispkg and module.name not in NOT_IMPORTED
]
pytestmark = pytest.mark.usefixtures("one_session")


@pytest.mark.parametrize("page", sorted(p.name for p in (ROOT / "docs").glob("*.md") if ">>> " in p.read_text()))
def test_page(page):
    failed, tried = doctest.testfile(str(ROOT / "docs" / page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert tried
    assert not failed


@pytest.mark.parametrize("name", ["atoll", "atoll.random", *MODULES])
def test_docstrings(name):
    # Tables have spaces at the ends of lines, which docstrings cannot have.
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert not failed


def test_messages_of_the_troubleshooting_page_are_in_the_sources():
    page = (ROOT / "docs" / "troubleshooting.md").read_text()
    quoted = re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE)
    assert len(quoted) > 20
    files = [*ROOT.glob("src/**/*.cpp"), *ROOT.glob("src/**/*.hpp"), *ROOT.glob("python/atoll/**/*.py")]
    # String literals that a line break parts are joined.
    sources = re.sub(r'"\s*\n\s*f?"', "", "\n".join(path.read_text() for path in files))
    assert [message for message in quoted if message not in sources] == []
