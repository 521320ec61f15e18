# SPDX-License-Identifier: Apache-2.0
"""Files of machines and experiments; errors in them are SimErrors."""

from __future__ import annotations

from pathlib import Path

from atoll import toml


class SimError(Exception):
    """An error in a file or an experiment."""


def read(path: Path) -> toml.Source:
    """Reads a file; SimError when it cannot be read or is not TOML."""
    return toml.read(path, SimError)
