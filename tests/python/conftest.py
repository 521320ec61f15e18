# SPDX-License-Identifier: Apache-2.0
"""Runs array tests in several sessions: this process with 1 and 2 threads, and 2, 3 and 5 PEs."""

import os
import sys
from pathlib import Path

os.environ["ATOLL_GRAIN"] = "4"  # spreads small arrays over the PEs
os.environ["ATOLL_SMALL_ELEMENTS"] = "0"  # small arrays are spread at all; session/test_small_work.py tests what is not
os.environ["ATOLL_PROGRESS"] = "off"
sys.path.insert(0, str(Path(__file__).parent))

import pytest
from hypothesis import HealthCheck, settings

import atoll as ak

settings.register_profile(
    "atoll", deadline=None, max_examples=30, derandomize=True, suppress_health_check=list(HealthCheck)
)
settings.load_profile("atoll")

#: (PEs, threads of each)
SESSIONS = [(1, 1), (1, 2), (2, 1), (3, 1), (5, 1)]


def _name(session):
    return f"{session[0]}x{session[1]}"


@pytest.fixture(scope="module", params=SESSIONS, ids=_name)
def every_session(request):
    """The module's tests run once in each of SESSIONS."""
    ak.shutdown()
    with ak.init(*request.param) as session:
        yield session


@pytest.fixture(scope="module")
def one_session():
    """The module's tests run in this process, with 2 threads."""
    ak.shutdown()
    with ak.init(1, 2) as session:
        yield session


@pytest.fixture(scope="module", params=[(1, 2), (3, 1)], ids=_name)
def two_sessions(request):
    """The module's tests run in this process with 2 threads, and on 3 PEs: for what stands on tested operations."""
    ak.shutdown()
    with ak.init(*request.param) as session:
        yield session
