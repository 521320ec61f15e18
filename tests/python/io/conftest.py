# SPDX-License-Identifier: Apache-2.0
"""Files are read by threads of one PE, and by three PEs."""

import sys
from pathlib import Path

import pytest

import atoll as ak

sys.path.insert(0, str(Path(__file__).parent))  # for what its tests share: `io` itself is Python's


@pytest.fixture(scope="module", params=[(1, 2), (3, 1)], ids=["1x2", "3x1"])
def every_session(request):
    """The module's tests run once in each of two sessions."""
    ak.shutdown()
    with ak.init(*request.param) as session:
        yield session
