# SPDX-License-Identifier: Apache-2.0
"""Libraries that formats stand on, asked for when a file of theirs is."""

from __future__ import annotations

import importlib
from typing import Any

_EXTRA = {
    "pyarrow": "files", "h5py": "files", "fsspec": "urls", "adbc_driver_manager": "sql", "adbc_driver_sqlite": "sql",
}  # fmt: skip


def need(module: str, what: str) -> Any:
    """The module, or an ImportError that says what it is for and how it is had."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        extra = _EXTRA.get(package, package)
        raise ImportError(f"{what} needs {package}: pip install 'atoll[{extra}]'", name=package) from error
