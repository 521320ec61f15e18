# SPDX-License-Identifier: Apache-2.0
"""Arkouda's `char`."""

from __future__ import annotations

from typing import Any

import numpy as np

from .pdarraycreation import array
from .strings import Strings

__all__ = ["isnumeric"]


def isnumeric(pda: Any) -> Any:
    """Which strings consist of numeric characters.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.char.isnumeric(ak.array(["12", "a"]))
    array([True False])
    """
    from ..pandas.categorical import Categorical

    texts = pda.to_strings() if isinstance(pda, Categorical) else pda
    if not isinstance(texts, Strings):
        return array(np.zeros(1, bool)) if np.isscalar(pda) else _none(pda)
    return texts.isnumeric()


def _none(pda: Any) -> Any:
    raise TypeError(f"isnumeric is of Strings, not of {type(pda).__name__}")
