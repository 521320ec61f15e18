# SPDX-License-Identifier: Apache-2.0
"""The C++ layers as they are installed: another project finds them, compiles against them, and its program runs."""

import shutil
import subprocess

import pytest
from built import ROOT, needs_launcher

BUILD = ROOT / "build/release"


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@needs_launcher
@pytest.mark.skipif(not (BUILD / "src/agg/libatoll_agg.a").exists(), reason="needs the C++ libraries of build/release")
def test_project_outside_the_tree_builds_and_runs(tmp_path):
    prefix = tmp_path / "prefix"
    run("cmake", "--install", BUILD, "--component", "cxx", "--prefix", prefix)
    shutil.copytree(ROOT / "examples/cxx", tmp_path / "example")
    run("cmake", "-S", tmp_path / "example", "-B", tmp_path / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path / "build")
    assert run(tmp_path / "build/ring") == "1 PEs received the token, sum 42\n"
    out = run(prefix / "bin/atoll-run", "-n", "3", tmp_path / "build/ring")
    assert out == "3 PEs received the token, sum 126\n"
