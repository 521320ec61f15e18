# SPDX-License-Identifier: Apache-2.0
"""Arkouda's `apply`: a function of Python for each element."""

from __future__ import annotations

from typing import Any

import numpy as np

import atoll

from .lambdas import function_of
from .numpy.arrays import pdarray
from .numpy.dtypes import dtype as ak_dtype
from .objects import checked, lift

__all__ = ["apply"]


@checked(pdarray)
def apply(arr: Any, func: object, result_dtype: Any = None) -> Any:
    """What a function gives for each element: of a type, that of the array by default.

    A function of arithmetic alone is called once, with the whole array, and runs where the elements are; any other is
    called for each element. Text is a lambda expression of arithmetic, comparisons and elementwise functions: it may
    come from strangers.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> ak.apply(ak.arange(4), lambda x: x * x)
    array([0 1 4 9])
    """
    kind = arr.dtype if result_dtype is None else ak_dtype(result_dtype)
    if isinstance(func, str):
        if kind != arr.dtype:
            raise TypeError("result_dtype must match the dtype of the input")
        func = function_of(func)
    if not callable(func):
        raise TypeError("func must be a string or a callable function")
    try:
        found = func(arr._a)
        traced = isinstance(found, atoll.ndarray) and found.shape == arr.shape
    except Exception:
        traced = False
    if not traced:
        values = arr.to_ndarray()
        found = np.fromiter((func(one) for one in values.flat), kind, values.size).reshape(values.shape)
    return lift(atoll.asarray(found).astype(kind))
