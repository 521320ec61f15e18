# SPDX-License-Identifier: Apache-2.0
"""Arkouda's checkpoints: all arrays of the session in a directory, to go on with on any number of PEs."""

from __future__ import annotations

import gc
import json
import os
import shutil
import uuid
from typing import Any

import atoll

from ...arrays.array import expr_of
from ...session.everywhere import once
from ...session.session import current
from ..core import client
from ..numpy import wide
from ..numpy.arrays import pdarray
from ..objects import symbols

__all__ = ["load_checkpoint", "save_checkpoint"]

_MODES = ("overwrite", "error", "preserve_previous")
_TOLD = "server.md"


def save_checkpoint(name: str = "", path: str = ".akdata", mode: str = "overwrite") -> str:
    """Writes all pdarrays that are alive to a directory `name` in `path`; returns the name.

    The directory appears whole or not at all. `mode` says what becomes of one that is there: it is replaced, kept as
    `NAME.prev`, or an error.

    Raises
    ------
    RuntimeError
        There is such a checkpoint, and `mode` is "error".

    Examples
    --------
    >>> import tempfile
    >>> import atoll.arkouda as ak
    >>> a = ak.arange(3)
    >>> with tempfile.TemporaryDirectory() as path:
    ...     name = ak.save_checkpoint(path=path)
    ...     a[0] = 9
    ...     ak.load_checkpoint(name, path)
    >>> a
    array([0 1 2])
    """
    if mode not in _MODES:
        allowed = '", "'.join(_MODES)
        raise ValueError(f'invalid checkpointing mode "{mode}"; allowed modes are: "{allowed}"')
    name = name or once(_new_name)
    target = os.path.join(path, name)
    if once(os.path.exists, target) and mode != "overwrite":
        if mode == "error":
            raise RuntimeError(f"there is a checkpoint {name!r} in {path!r} already")
        once(_kept, target)
    gc.collect()  # so that each process finds the same arrays alive
    alive = {key: one for key, one in sorted(symbols.items()) if type(one) is pdarray and _is_here(one)}
    told = {
        "numLocales": client.get_config()["numLocales"],
        "shapes": {key: one.shape for key, one in alive.items()},
        "bits": {key: one.max_bits for key, one in alive.items() if isinstance(one._a, wide.BigInts)},
    }
    kept = {key: one._a.astype(str) if key in told["bits"] else one._a for key, one in alive.items()}
    once(_made, path)
    atoll.save_checkpoint(target, {**kept, _TOLD: atoll.array([json.dumps(told)])})
    once(_write, os.path.join(target, _TOLD), told)  # for people: what is loaded is all in the checkpoint
    return name


def load_checkpoint(name: str, path: str = ".akdata") -> None:
    """Gives the arrays of a checkpoint their values again; those that are gone are found by `attach`.

    Raises
    ------
    RuntimeError
        No such checkpoint, or a broken one.
    """
    source = os.path.join(path, name)
    try:
        found = atoll.load_checkpoint(source)
        told = json.loads(found.pop(_TOLD)[0])
        shapes, bits = told["shapes"], told["bits"]
        shapes, bits = dict(shapes), dict(bits)
        shapes = {key: tuple(map(int, shapes[key])) for key in found}
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as fault:
        raise RuntimeError(f"checkpoint {name!r} in {path!r} cannot be read: {fault}") from fault
    for key, values in found.items():
        if key in bits:
            values = wide.bigint(wide.of_any(values), bits[key])
        one = symbols.get(key)
        if isinstance(one, pdarray):
            one._set(values, shapes[key])
        else:
            pdarray._of(values, shapes[key]).register(key)


def _new_name() -> str:
    return f"id_{uuid.uuid4().hex[:7]}_"


def _is_here(one: pdarray) -> bool:
    """Whether an array belongs to the current session, and not to one that has ended."""
    values = one._a._values.words[0] if isinstance(one._a, wide.BigInts) else one._a
    return expr_of(values).session is current()


def _made(path: str) -> None:
    os.makedirs(path, exist_ok=True)


def _kept(target: str) -> None:
    shutil.rmtree(f"{target}.prev", ignore_errors=True)
    os.rename(target, f"{target}.prev")


def _write(path: str, told: dict[str, Any]) -> None:
    with open(path, "w", encoding="utf-8") as file:
        json.dump(told, file)
