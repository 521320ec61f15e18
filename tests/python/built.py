# SPDX-License-Identifier: Apache-2.0
"""Marks for tests that need what only a build brings. A module that is there but does not load fails them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

needs_core = pytest.mark.skipif(
    importlib.util.find_spec("atoll") is None or importlib.util.find_spec("atoll._core") is None,
    reason="needs a built atoll._core",
)
needs_launcher = pytest.mark.skipif(not (ROOT / "python/atoll/bin/atoll-run").exists(), reason="needs atoll-run")
