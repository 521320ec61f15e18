# SPDX-License-Identifier: Apache-2.0
"""Recipes in packaging/ have the syntax of their tools, and name the project's requirements."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import tomllib

import pytest
from built import ROOT

PACKAGING = ROOT / "packaging"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())

INSTRUCTIONS = {"FROM", "RUN", "WORKDIR", "COPY", "ENV", "USER", "CMD"}


def instructions() -> list[tuple[str, str]]:
    """The Containerfile's instructions, with lines that end in a backslash joined."""
    text = re.sub(r"(?m)^#.*\n", "", (PACKAGING / "container" / "Containerfile").read_text())
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines if line.strip())]


def test_the_container_file_has_known_instructions_and_shell_that_parses():
    found = instructions()
    assert {word for word, _ in found} <= INSTRUCTIONS
    stages = [rest.partition(" AS ")[2] for word, rest in found if word == "FROM"]
    for word, rest in found:
        if word == "RUN":
            assert subprocess.run(["sh", "-n", "-c", rest]).returncode == 0, rest
        if word == "CMD":
            assert isinstance(json.loads(rest), list)
        if word == "COPY" and "--from=" in rest:
            assert re.findall(r"--from=(\w+)", rest)[0] in stages
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    shell = " ".join(rest for word, rest in found if word == "RUN")
    called = set(
        re.findall(r"(?:^|&& )make ([a-z-]+)", "\n".join(rest for word, rest in found if word == "RUN"), re.MULTILINE)
    )
    assert called and called <= targets
    for extra in re.findall(r'"\.\[([a-z,]+)\]"', shell):
        assert set(extra.split(",")) <= set(PROJECT["project"]["optional-dependencies"])


def test_the_conda_recipe_names_the_version_and_the_requirements():
    yaml = pytest.importorskip("yaml")
    recipe = yaml.safe_load((PACKAGING / "conda" / "recipe.yaml").read_text())
    version = re.search(r"project\(atoll VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert version and recipe["context"]["version"] == version[1]
    run = {item.replace(" ", "") for item in recipe["requirements"]["run"]}
    assert set(PROJECT["project"]["dependencies"]) <= run
    host = {item.replace(" ", "") for item in recipe["requirements"]["host"]}
    assert set(PROJECT["build-system"]["requires"]) <= host
    assert (PACKAGING / "conda" / recipe["source"]["path"]).resolve() == ROOT
    assert (ROOT / recipe["about"]["license_file"]).is_file()


def test_the_spack_package_is_python_and_its_options_are_cmakes():
    tree = ast.parse((PACKAGING / "spack" / "packages" / "atoll" / "package.py").read_text())
    (package,) = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    assert package.name == "Atoll"
    words = {node.value for node in ast.walk(package) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    options = {word for word in words if word.startswith("ATOLL_")}
    known = set(re.findall(r"option\((ATOLL_\w+)", (ROOT / "CMakeLists.txt").read_text()))
    assert options and options <= known
