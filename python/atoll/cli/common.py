# SPDX-License-Identifier: Apache-2.0
"""Shared by all sub-commands: exit codes, the error for users, the version."""

from __future__ import annotations

#: Exit codes: 0 done, 1 it failed, 2 the command line is wrong, 130 interrupted.
FAILED, USAGE, INTERRUPTED = 1, 2, 130


class CommandError(Exception):
    """An error for the user; printed without a traceback."""


def version() -> str:
    from importlib import metadata

    try:
        from atoll._core import VERSION

        return VERSION
    except ImportError:
        pass
    try:
        return metadata.version("atoll")
    except metadata.PackageNotFoundError:
        return "unknown (not built)"
