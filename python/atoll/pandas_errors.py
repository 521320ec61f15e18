# SPDX-License-Identifier: Apache-2.0
"""pandas' own error classes, which programs catch. pandas is imported only when one is raised."""

from __future__ import annotations


def pandas_error(name: str, base: type[Exception]) -> type[Exception]:
    """The class `pandas.errors.<name>`; `base`, which it derives from, where pandas is not installed.

    >>> issubclass(pandas_error("UnsortedIndexError", KeyError), KeyError)
    True
    """
    try:
        from pandas import errors
    except ImportError:
        return base
    found: type[Exception] = getattr(errors, name)
    return found


def undefined_variable(name: str, what: str) -> Exception:
    """The error about a variable of `query` or `eval`; `what` is "name" or "local variable"."""
    error = pandas_error("UndefinedVariableError", NameError)
    if error is NameError:
        return NameError(f"{what} {name!r} is not defined")
    return error(name, what == "local variable")
