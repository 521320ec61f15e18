# SPDX-License-Identifier: Apache-2.0
"""Files of machines and experiments, whose mistakes are SimErrors."""

from __future__ import annotations

from pathlib import Path

from atoll import toml


class SimError(Exception):
    """What is wrong with a file or an experiment, in a sentence."""


def read(path: Path) -> toml.Source:
    """A file. SimError when it cannot be read or is no TOML."""
    return toml.read(path, SimError)
