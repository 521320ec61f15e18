# SPDX-License-Identifier: Apache-2.0
"""Derivatives, integrals and phases of sampled functions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .array import Array, as_array
from .composed import choose
from .dtypes import DTYPE_OF, FLOAT64, KIND_OF, SCALAR_KIND, result_code
from .joining import concatenate
from .manipulation import _axes, _axis
from .reductions import sum
from .repeating import diff
from .scans import cumsum
from .ufuncs import absolute, remainder

if TYPE_CHECKING:
    from ..annotations import ArrayLike, Axes
    from .ndarray import ndarray

__all__ = ["gradient", "trapezoid", "unwrap"]


def gradient(f: Any, *varargs: Any, axis: Axes = None, edge_order: int = 1) -> Any:
    """Derivatives by differences of second order, of first or second order at the edges.

    Parameters
    ----------
    f : array_like
        Samples.
    *varargs : float or array_like
        Distance between samples: none (1), one for all axes, or for each axis a distance or the coordinates.
    axis : int or tuple of int, optional
        Axes to take derivatives along; all by default.
    edge_order : {1, 2}
        Order at the edges.

    Returns
    -------
    ndarray, or a tuple of them
        A derivative along each axis.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.gradient(ak.array([1.0, 2.0, 4.0, 7.0]))
    array([1. , 1.5, 2.5, 3. ])
    """
    samples = as_array(f)
    axes = list(range(samples.ndim)) if axis is None else _axes(axis, samples.ndim)
    steps = _steps(varargs, samples, axes)
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    if KIND_OF[samples._expr.dtype] not in "fc":
        samples = samples.astype(np.float64)
    results = []
    for place, step in zip(axes, steps, strict=True):
        if samples.shape[place] < edge_order + 1:
            raise ValueError(
                "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are "
                "required."
            )
        results.append(_derivative(samples, place, step, edge_order))
    return results[0] if len(results) == 1 else tuple(results)


def _steps(varargs: tuple[Any, ...], samples: ndarray, axes: list[int]) -> list[Any]:
    """For each axis the distance of samples: a number, or an array of one less than the samples."""
    if not varargs:
        return [1.0] * len(axes)
    if len(varargs) == 1 and np.ndim(varargs[0]) == 0:
        return [float(varargs[0])] * len(axes)
    if len(varargs) != len(axes):
        raise TypeError("invalid number of arguments")
    steps: list[Any] = []
    for given, place in zip(varargs, axes, strict=True):
        coordinates = as_array(given)
        if coordinates.ndim == 0:
            steps.append(float(coordinates))
            continue
        if coordinates.ndim != 1:
            raise ValueError("distances must be either scalars or 1d")
        if coordinates.size != samples.shape[place]:
            raise ValueError("when 1d, distances must match the length of the corresponding dimension")
        if KIND_OF[coordinates._expr.dtype] != "f":
            coordinates = coordinates.astype(np.float64)
        distance = diff(coordinates)
        same = bool((distance == distance[0]).all()) if distance.size else False
        steps.append(float(distance[0]) if same else distance)
    return steps


def _derivative(f: ndarray, place: int, step: Any, edge_order: int) -> ndarray:
    def at(first: int | None, last: int | None) -> ndarray:
        part: ndarray = f[(slice(None),) * place + (slice(first, last),)]
        return part

    def lying(values: Any) -> Any:
        return values.reshape([-1 if axis == place else 1 for axis in range(f.ndim)])

    even = not isinstance(step, Array)
    if even:
        inside = (at(2, None) - at(None, -2)) / (2.0 * step)
    else:
        before, after = lying(step[:-1]), lying(step[1:])
        inside = (
            -after / (before * (before + after)) * at(None, -2)
            + (after - before) / (before * after) * at(1, -1)
            + before / (after * (before + after)) * at(2, None)
        )
    first, last = (step, step) if even else (float(step[0]), float(step[-1]))
    if edge_order == 1:
        edges = (at(1, 2) - at(0, 1)) / first, (at(-1, None) - at(-2, -1)) / last
    elif even:
        edges = (
            -1.5 / step * at(0, 1) + 2.0 / step * at(1, 2) + -0.5 / step * at(2, 3),
            0.5 / step * at(-3, -2) + -2.0 / step * at(-2, -1) + 1.5 / step * at(-1, None),
        )
    else:
        second, third = float(step[1]), float(step[-2])
        edges = (
            -(2.0 * first + second) / (first * (first + second)) * at(0, 1)
            + (first + second) / (first * second) * at(1, 2)
            + -first / (second * (first + second)) * at(2, 3),
            last / (third * (third + last)) * at(-3, -2)
            + -(last + third) / (third * last) * at(-2, -1)
            + (2.0 * last + third) / (last * (third + last)) * at(-1, None),
        )
    return concatenate([edges[0], inside, edges[1]], place).astype(f.dtype)


def trapezoid(y: ArrayLike, x: ArrayLike = None, dx: float = 1.0, axis: int = -1) -> Any:
    """The integral along an axis by the trapezoidal rule.

    Parameters
    ----------
    y : array_like
        Samples.
    x : array_like, optional
        Their coordinates.
    dx : float
        Their distance, when there are no coordinates.
    axis : int
        Axis to integrate along.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.trapezoid([1, 2, 3], x=[4, 6, 8])
    np.float64(8.0)
    """
    samples = as_array(y)
    place = _axis(axis, samples.ndim)
    width: Any = dx
    if x is not None:
        coordinates = as_array(x)
        width = diff(coordinates, axis=-1 if coordinates.ndim == 1 else place)
        if coordinates.ndim == 1:
            width = width.reshape([-1 if axis == place else 1 for axis in range(samples.ndim)])
    before = (slice(None),) * place
    heights = samples[(*before, slice(1, None))] + samples[(*before, slice(None, -1))]
    return sum(width * heights / 2.0, place)


def unwrap(p: ArrayLike, discont: float | None = None, axis: int = -1, *, period: float = 2 * math.pi) -> ndarray:
    """Phases without jumps: multiples of `period` are added where neighbours differ by more than half of it.

    Parameters
    ----------
    p : array_like
        Phases.
    discont : float, optional
        Differences below it are left alone; no less than half a period counts.
    axis : int
        Axis to go along.
    period : float
        What is added.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.unwrap([0, 1, 2, -1, 0], period=4)
    array([0, 1, 2, 3, 4])
    """
    phases = as_array(p)
    place = _axis(axis, phases.ndim)
    steps = diff(phases, axis=place)
    limit = period / 2 if discont is None else discont
    code = result_code(steps._expr.dtype, SCALAR_KIND.get(type(period), FLOAT64))
    dtype, whole = DTYPE_OF[code], KIND_OF[code] in "iu"
    high = period // 2 if whole else period / 2
    steps, low = steps.astype(dtype), -high
    wrapped: Any = remainder(steps - low, period) + low
    if not whole or period % 2 == 0:  # a step of half a period keeps its direction
        wrapped = choose((wrapped == low) & (steps > 0), high, wrapped)
    correction = choose(absolute(steps) < limit, 0, wrapped - steps)
    before = (slice(None),) * place
    rest = phases[(*before, slice(1, None))] + cumsum(correction, place)
    return concatenate([phases[(*before, slice(None, 1))].astype(dtype), rest], place).astype(dtype)
