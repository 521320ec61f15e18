# SPDX-License-Identifier: Apache-2.0
"""A server of 3 PEs for the tests of this folder, in a home directory of its own."""

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

import atoll as ak
from atoll.serve import server_files

_PACKAGE = str(Path(ak.__file__).parents[1])


@contextmanager
def running_server(name, *words, stderr=None):
    """A server in a process of its own, killed at the end if it is still there."""
    environment = {**os.environ, "PYTHONPATH": _PACKAGE, "ATOLL_GRAIN": "4", "ATOLL_PROGRESS": "off"}
    command = [sys.executable, "-m", "atoll", "serve", "--name", name, "--threads", "1", *words]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=stderr, text=True) as process:
        try:
            line = process.stdout.readline()
            assert line.startswith(f"server {name!r}"), line + server_files.log_of(name).read_text()
            yield process
        finally:
            process.terminate()
            process.wait(60)


@pytest.fixture(scope="session")
def home(tmp_path_factory):
    """The home directory of this folder's tests, short enough for a Unix socket."""
    place = tmp_path_factory.mktemp("h")
    before = os.environ.get("HOME")
    os.environ["HOME"] = str(place)
    yield place
    os.environ.pop("HOME") if before is None else os.environ.update(HOME=before)


@pytest.fixture(scope="session")
def server(home):
    """Name of a server of 3 PEs."""
    with running_server("three", "-n", "3"):
        yield "three"


@pytest.fixture
def session(server):
    """A session on the server, which is the current one."""
    ak.shutdown()
    with ak.connect(server) as session:
        yield session
