# SPDX-License-Identifier: Apache-2.0
"""Hand-written loops that `atoll bench --against limit` compares with."""

from collections.abc import Sequence
from typing import Any

import numpy as np

def run(name: str, threads: int, arrays: Sequence[np.ndarray[Any, Any]], parameters: Sequence[float]) -> float:
    """Runs a loop on C-contiguous arrays that start at multiples of 64 bytes, and returns its checksum.

    ValueError for an unknown name or empty arrays, TypeError for a dtype that the loop is not written for.
    """

def names() -> list[str]: ...
