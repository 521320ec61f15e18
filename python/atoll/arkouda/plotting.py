# SPDX-License-Identifier: Apache-2.0
"""Arkouda's plots: a distribution, and histograms of a frame's columns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .core import client
from .numpy.arrays import pdarray
from .numpy.numeric import histogram
from .pandas.groupbyclass import GroupBy

if TYPE_CHECKING:
    from ..annotations import ArrayLike

__all__ = ["hist_all", "plot_dist"]


def _collected(values: ArrayLike) -> Any:
    if isinstance(values, pdarray):
        if values.nbytes > client.maxTransferBytes:
            raise ValueError(f"Array too large to transfer: {values.nbytes} bytes (max {client.maxTransferBytes})")
        values = values.to_ndarray()
    return np.asarray(values).astype(np.float64)


def plot_dist(
    b: ArrayLike, h: Any, *, log: bool = True, xlabel: str | None = None, newfig: bool = True, show: bool = False
) -> Any:
    """Draws counts of bins, and their sum so far; returns the figure and its two axes."""
    from matplotlib import pyplot as plt

    places, counts = _collected(b), _collected(h)
    if places.ndim != 1 or counts.ndim != 1:
        raise ValueError("b and h must be 1-D arrays.")
    if places.size == counts.size + 1:
        places = 0.5 * (places[:-1] + places[1:])
    elif places.size == counts.size - 1:
        counts = counts[:-1]
    elif places.size != counts.size:
        raise ValueError(f"Length mismatch: len(b)={places.size} vs len(h)={counts.size}.")
    if newfig:
        figure, axes = plt.subplots(1, 2, figsize=(12, 5))
    else:
        figure = plt.gcf()
        axes = np.array([plt.subplot(1, 2, 1), plt.subplot(1, 2, 2)], dtype=object)
    axes[0].plot(places, counts, marker=".", linestyle="solid")
    if log and np.any(counts > 0):
        axes[0].set_yscale("log")
    total = counts.sum()
    axes[1].plot(places, np.cumsum(counts / total) if total > 0 else np.zeros_like(counts), linestyle="solid")
    axes[1].set_ylim((0, 1))
    for axis, title in zip(axes, ("distribution", "cumulative distribution"), strict=True):
        axis.set_title(title)
        if xlabel is not None:
            axis.set_xlabel(xlabel, fontsize=12)
    if show:
        plt.show()
    return figure, axes


def hist_all(ak_df: Any, cols: Any = None) -> Any:
    """Draws a histogram of each column of a frame; returns the figure and its axes."""
    from matplotlib import pyplot as plt

    names = list(cols) if cols else list(ak_df.columns.values)
    across = math.ceil(len(names) ** 0.5)
    figure, axes = plt.subplots(across, -(-len(names) // across), figsize=(10, 10), squeeze=False)
    figure.tight_layout(pad=2.0)
    for axis, name in zip(axes.flatten(), names, strict=False):
        values = ak_df[name]
        values = getattr(values, "values", values) if not isinstance(values, pdarray) else values
        if not isinstance(values, pdarray):
            values = pdarray._of(GroupBy(values)._number)
        if values.dtype.kind == "f":
            values = values[values == values]
        bins = 1 + max(int(math.log2(max(values.size, 1))), 1)
        counts, edges = histogram(values, bins)
        places = edges.to_ndarray()
        axis.bar(places[:-1], counts.to_ndarray(), width=places[1] - places[0])
        axis.set_title(name, size=8)
    return figure, axes.flatten()
