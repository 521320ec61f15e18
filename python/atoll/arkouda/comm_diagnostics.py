# SPDX-License-Identifier: Apache-2.0
"""What PEs sent one another: Arkouda's counters, from those of the session. The others stay at zero."""

from __future__ import annotations

from typing import Any

import numpy as np

import atoll

from .numpy.pdarraycreation import array
from .pandas.dataframe import DataFrame

_PARTS = (
    "put", "get", "put_nb", "get_nb", "test_nb", "wait_nb", "try_nb", "amo", "execute_on", "execute_on_fast",
    "execute_on_nb", "cache_get_hits", "cache_get_misses", "cache_put_hits", "cache_put_misses",
    "cache_num_prefetches", "cache_num_page_readaheads", "cache_prefetch_unused", "cache_prefetch_waited",
    "cache_readahead_unused", "cache_readahead_waited",
)  # fmt: skip
#: Where the session counts what Arkouda counts.
_COUNTERS = {"put": "bytes_put", "get": "bytes_got", "execute_on": "messages"}

__all__ = [
    "get_comm_diagnostics", "print_comm_diagnostics_table", "reset_comm_diagnostics", "start_comm_diagnostics",
    "start_verbose_comm", "stop_comm_diagnostics", "stop_verbose_comm",
    *(f"get_comm_diagnostics_{part}" for part in _PARTS),
]  # fmt: skip

_begun: dict[str, int] = {}
_counted: dict[str, int] = {}
_running = [False]


def _now() -> dict[str, int]:
    stats = atoll.stats()
    return {part: int(stats[counter]) for part, counter in _COUNTERS.items()}


def start_comm_diagnostics() -> None:
    """Begins to count."""
    _begun.update(_now())
    _running[0] = True


def stop_comm_diagnostics() -> None:
    """Stops counting."""
    if _running[0]:
        for part, value in _now().items():
            _counted[part] = _counted.get(part, 0) + value - _begun.get(part, 0)
    _running[0] = False


def reset_comm_diagnostics() -> None:
    """Begins at zero."""
    _counted.clear()
    _begun.update(_now())


def start_verbose_comm() -> None:
    """Accepted: single transfers are not told."""


def stop_verbose_comm() -> None:
    """Accepted: single transfers are not told."""


def _value(part: str) -> int:
    running = _now().get(part, 0) - _begun.get(part, 0) if _running[0] else 0
    return _counted.get(part, 0) + running


def _getter(part: str) -> Any:
    def get() -> Any:
        """One number for each PE: this PE's."""
        return array(np.full(atoll.pes(), _value(part), np.int64))

    get.__name__ = get.__qualname__ = f"get_comm_diagnostics_{part}"
    return get


for _part in _PARTS:
    globals()[f"get_comm_diagnostics_{_part}"] = _getter(_part)


def get_comm_diagnostics() -> Any:
    """All counters, as a data frame with a row for each PE."""
    return DataFrame({part: globals()[f"get_comm_diagnostics_{part}"]() for part in _PARTS})


def print_comm_diagnostics_table(print_empty_columns: bool = False) -> None:
    """Prints them."""
    for part in _PARTS:
        if _value(part) or print_empty_columns:
            print(f"{part}: {_value(part)}")
