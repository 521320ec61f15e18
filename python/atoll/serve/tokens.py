# SPDX-License-Identifier: Apache-2.0
"""Tokens of gateways, each in a file that only its user can read. Clients that take a file read it there."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from .handshake import new_token


def of_file(path: Path) -> str:
    """The token in a file, which is made with a new one where it is missing. PermissionError: others could read it."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        token = new_token()
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w") as stream:
            stream.write(token)
        return token
    with os.fdopen(descriptor) as stream:
        about = os.fstat(stream.fileno())
        if about.st_uid != os.getuid() or stat.S_IMODE(about.st_mode) & 0o077:
            raise PermissionError(f"{path} is not private (mode {stat.S_IMODE(about.st_mode):o}). Remove it?")
        return stream.read().strip()
