# SPDX-License-Identifier: Apache-2.0
"""Directories, and dictionaries in files of lines."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = [
    "delete_directory", "delimited_file_to_dict", "dict_to_delimited_file", "directory_exists", "get_directory",
    "write_line_to_file",
]  # fmt: skip


def get_directory(path: str) -> Path:
    """The directory, which is made if it is not there."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(error) from error
    return Path(path)


def write_line_to_file(path: str, line: str) -> None:
    """Appends a line."""
    with open(path, "a") as file:
        file.write(line + "\n")


def delimited_file_to_dict(path: str, delimiter: str = ",") -> dict[str, str]:
    """Keys and values of a file of lines; of a file that is not there, none."""
    if not Path(path).exists():
        return {}
    lines = Path(path).read_text().splitlines()
    return dict(line.rstrip().split(delimiter) for line in lines)


def dict_to_delimited_file(path: str, values: Mapping[Any, Any], delimiter: str = ",") -> None:
    """Writes them."""
    if delimiter != ",":
        raise ValueError(f"the delimiter {delimiter} is not supported")
    Path(path).write_text("".join(f"{key},{value}\n" for key, value in values.items()))


def delete_directory(dir: str) -> None:
    """Removes a directory and all that is in it."""
    if Path(dir).is_dir():
        shutil.rmtree(dir, ignore_errors=True)


def directory_exists(dir: str) -> bool:
    """Whether there is such a directory."""
    return Path(dir).is_dir()
