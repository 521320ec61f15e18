# SPDX-License-Identifier: Apache-2.0
"""Where a person's access tokens would lie. The embedded session asks for none."""

from __future__ import annotations

import getpass
import json
import os
import secrets
from pathlib import Path

__all__ = [
    "generate_token",
    "generate_username_token_json",
    "get_arkouda_client_directory",
    "get_home_directory",
    "get_username",
]

username_tokenizer = {
    "Windows": lambda x: x.split("\\"),
    "Linux": lambda x: x.split("/"),
    "Darwin": lambda x: x.split("/"),
}


def generate_token(length: int = 32) -> str:
    """A random text of that many digits, in base 16."""
    return secrets.token_hex(length // 2)


def get_home_directory() -> str:
    """The person's own directory."""
    return str(Path.home())


def get_arkouda_client_directory() -> Path:
    """The directory of tokens."""
    base = os.environ.get("ARKOUDA_CLIENT_DIRECTORY")
    return (Path(base) if base else Path.home()) / ".arkouda"


def get_username() -> str:
    """The person's name."""
    return getpass.getuser()


def generate_username_token_json(token: str) -> str:
    """Name and token as JSON."""
    return json.dumps({"username": get_username(), "token": token})
