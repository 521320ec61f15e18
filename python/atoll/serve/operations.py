# SPDX-License-Identifier: Apache-2.0
"""The operations that a client may call: functions of `_core` that take a session or handles, and methods of handles.

An operation's number is its place in `NAMES`. Both sides compare `DIGEST`, so they agree on numbers and parameters. A
function of `_core` that is in none of the lists cannot be called by a client; a test asks for each to be in one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from .. import _core
from .protocol import Role

#: What a client with the role `read` may call: these give values of what is there, select rows and columns, and change
#: nothing. Selections need small arrays of the client's own: numbers of rows, labels of columns.
_READ = (
    "Expr.alias", "Expr.evaluate", "Expr.item", "Expr.item_at", "Expr.to_numpy", "Session.stats", "apply", "arange",
    "broadcast_to", "cast", "compress", "concatenate", "empty", "flatnonzero", "from_numpy", "full", "get_slice",
    "reduce_all", "reduce_axes", "reshape", "roll", "scalar", "scan", "searchsorted", "take", "text_buffers",
    "text_compare", "text_concatenate", "text_from_buffers", "text_measure", "text_slice", "text_take", "transpose",
)  # fmt: skip
_COMPUTE = (
    "Expr.assign", "Expr.assign_index", "Expr.assign_mask", "Expr.assign_slice", "Session.barrier",
    "Session.moved_bytes", "Session.noop", "Session.trim", "argsort", "asof_rows", "bincount", "coargsort",
    "cumulate", "date_map", "date_to_text", "decay", "fourier", "group_by", "group_places", "histogram",
    "histogram_edges", "isin", "join_rows", "key_bits", "limb_apply", "multiply_matrices", "multiply_stacks",
    "random", "random_law", "reinterpret", "run_starts", "sort", "text_argsort", "text_from_padded",
    "text_hash", "text_join", "text_map", "text_number", "text_of_numbers", "text_parts", "text_repeat",
    "text_runs", "text_sort", "text_where", "unique", "window",
)  # fmt: skip
#: These unpickle bytes of the client, on every PE.
_CODE = ("run_everywhere",)
#: Functions of the server itself: `server/names.py`.
_NAMES = {"attach": Role.READ, "published": Role.READ, "publish": Role.COMPUTE, "unpublish": Role.COMPUTE}
#: Pieces of large arrays: `server/transfers.py`.
_TRANSFERS = {"fetch": Role.READ, "store": Role.COMPUTE, "upload": Role.COMPUTE}
#: The span under which the client's next calls are traced, and runs of its scans: `Client.trace_under`, `note_scan`.
_TELEMETRY = {"note_scan": Role.READ, "trace_under": Role.READ}
SERVICES = {**_NAMES, **_TRANSFERS, **_TELEMETRY}
#: Functions of `_core` that take a session or handles and cannot be called by a client, and why.
LOCAL = {
    "from_local": "rows of a PE come from its own program",
    "join_symmetric": "symmetric memory is that of this process",
    "read_bytes": "the server calls it for `fetch`",
    "text_from_objects": "the client makes the buffers, module `dispatch`",
    "write_bytes": "the server calls it for `store` and `upload`",
}

ROLES: dict[str, Role] = {
    **dict.fromkeys(_READ, Role.READ),
    **dict.fromkeys(_COMPUTE, Role.COMPUTE),
    **dict.fromkeys(_CODE, Role.CODE),
    **SERVICES,
}
NAMES: tuple[str, ...] = tuple(sorted(ROLES))
NUMBERS = {name: number for number, name in enumerate(NAMES)}
#: In the place of an operation's number: handles that the client no longer has.
DROP = 0xFFFF
assert len(NAMES) < DROP


def function_of(name: str) -> Callable[..., Any]:
    """The function of `_core`, or the method of one of its classes."""
    owner, _, method = name.rpartition(".")
    found: Callable[..., Any] = getattr(getattr(_core, owner) if owner else _core, method)
    return found


def signature_of(name: str) -> str:
    """The parameters of an operation, as the engine tells them."""
    return "" if name in SERVICES else str(getattr(function_of(name), "__nb_signature__", ""))


def _digest() -> str:
    lines = [f"{name} {signature_of(name)}" for name in NAMES]
    lines.append(repr(sorted(_core.OPS.items())))
    lines.append(repr(sorted(_core.DTYPES.items())))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


#: Of all operations' names, numbers and parameters, of elementwise functions' and dtypes' codes.
DIGEST = _digest()
