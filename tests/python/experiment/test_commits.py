# SPDX-License-Identifier: Apache-2.0
"""Commits of a repository, built by git and CMake and measured in turns; here of a tiny one."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from built import needs_core

from atoll import cli
from atoll.experiment import commits, results

pytestmark = [
    needs_core,
    pytest.mark.skipif(not (shutil.which("git") and shutil.which("cmake")), reason="needs git and CMake"),
]

CMAKE = """cmake_minimum_required(VERSION 3.25)
project(tiny LANGUAGES NONE)
add_custom_target(atoll_package COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_SOURCE_DIR}/python/atoll/made)
"""
PRESETS = """{"version": 6,
 "configurePresets": [{"name": "release", "generator": "Ninja", "binaryDir": "build/release"}],
 "buildPresets": [{"name": "release", "configurePreset": "release"}]}
"""
#: A package that takes as long as its commit says, and runs only when it was built.
PACKAGE = """import json, pathlib, sys
assert (pathlib.Path(__file__).parent / "made").exists()
base = dict(name="sort", size=10, dtype="int64", dist="u64", pes=1, threads=1, bytes=80, gib_s=1, checksum="c")
with open(sys.argv[sys.argv.index("--json") + 1], "a") as file:
    for contender, factor in (("atoll", FACTOR), ("numpy", 1)):
        seconds = [factor * one for one in (1.00, 1.01, 0.99, 1.005, 0.995)]
        file.write(json.dumps({**base, "contender": contender, "seconds": seconds, "commit": "COMMIT"}) + "\\n")
"""


def git(folder, *words):
    name = ["-c", "user.name=tiny", "-c", "user.email=tiny@localhost"]
    return subprocess.run(
        ["git", "-C", folder, *name, *words], capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """Three commits: the second takes half as long again, the third cannot be built."""
    folder = tmp_path / "repository"
    (folder / "python/atoll").mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    (folder / "CMakePresets.json").write_text(PRESETS)
    (folder / "python/atoll/__init__.py").write_text("")
    for factor, name, cmake in ((1.0, "aaaa00000000", CMAKE), (1.5, "bbbb00000000", CMAKE), (1, "c", "broken(")):
        (folder / "CMakeLists.txt").write_text(cmake)
        text = PACKAGE.replace("FACTOR", str(factor)).replace("COMMIT", name)
        (folder / "python/atoll/__main__.py").write_text(text)
        git(folder, "add", ".")
        git(folder, "commit", "-qm", name)
    monkeypatch.setattr(commits, "CHECKOUT", folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return folder


def write(names, **fields):
    Path("two.toml").write_text(f'commits = {names}\nrounds = 3\n[[sweep]]\nnames = ["sort"]\ntrials = 5\n')


def test_commits_are_built_once_and_take_turns(repository, capsys):
    write('["HEAD~2", "HEAD~1"]')
    command = ["experiment", "run", "two.toml", "--results", "two.jsonl"]
    assert cli.main(command) == 0, capsys.readouterr()
    assert capsys.readouterr().out.count("building ") == 2
    found = results.read(Path("two.jsonl"))
    order = [one["commit"][0] for one in found.records if one["contender"] == "atoll"]
    assert "".join(order) == "abbaab"
    one, other = (git(repository, "rev-parse", name) for name in ("HEAD~2", "HEAD~1"))
    assert f"commit={one} " in f"{found.records[0]['point']} "
    assert sorted(found.head["commit"].split(",")) == sorted([one, other])
    Path("two.jsonl").unlink()
    assert cli.main(command) == 0
    assert "building" not in capsys.readouterr().out
    assert cli.main(["experiment", "compare", "aaaa0000", "bbbb0000", "two.jsonl"]) == 3
    assert "1 point: 1 slower." in capsys.readouterr().out


def test_a_commit_that_cannot_be_built_is_named(repository, capsys):
    write('["HEAD~2", "HEAD"]')
    assert cli.main(["experiment", "run", "two.toml"]) == cli.FAILED
    assert "two.toml:1: commits: HEAD cannot be built: " in capsys.readouterr().err
    write('["HEAD~2", "main~2"]')
    assert cli.main(["experiment", "run", "two.toml", "--dry-run"]) == cli.FAILED
    assert "HEAD~2 and main~2 are one commit" in capsys.readouterr().err
