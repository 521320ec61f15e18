# SPDX-License-Identifier: Apache-2.0
"""What the session holds: its symbol table and its registry."""

from __future__ import annotations

import json
from typing import Any

from ..objects import checked, registry, symbols
from . import shared

__all__ = [
    "AllSymbols", "RegisteredSymbols", "information", "list_registry", "list_symbol_table", "pretty_print_information",
]  # fmt: skip

AllSymbols = "__AllSymbols__"
RegisteredSymbols = "__RegisteredSymbols__"


@checked((str, list))
def information(names: Any = RegisteredSymbols) -> str:
    """Entries of the symbol table as JSON: of some names, of all, or of those that are registered.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> a = ak.arange(3)
    >>> ak.information(a.name) == a.info()
    True
    """
    if names == AllSymbols:
        names = list(symbols)
    elif names == RegisteredSymbols:
        names = [name for one in registry.values() for name in one._list_component_names()]
    found = []
    for name in [names] if isinstance(names, str) else names:
        if name not in symbols:
            raise RuntimeError(f"the session has no object {name!r}")
        found += json.loads(symbols[name].info())
    return json.dumps(found)


def list_registry(detailed: bool = False) -> dict[str, list[Any]]:
    """Names under which objects are registered, and the arrays they consist of."""
    kinds = shared.known() | {name: one.objType for name, one in registry.items()}
    objects: list[Any] = [(name, kind.upper()) if detailed else name for name, kind in kinds.items()]
    return {
        "Objects": objects,
        "Components": [name for one in registry.values() for name in one._list_component_names()],
    }


def list_symbol_table() -> list[str]:
    """Names of the arrays that are alive."""
    return list(symbols)


@checked((str, list))
def pretty_print_information(names: object = RegisteredSymbols) -> None:
    """Prints the entries of the symbol table."""
    for entry in json.loads(information(names)):
        print(f"{entry['name']}: {entry['dtype']}, shape {tuple(entry['shape'])}")
