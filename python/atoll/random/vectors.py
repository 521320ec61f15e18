# SPDX-License-Identifier: Apache-2.0
"""Distributions of vectors, drawn component by component: each component has a column of the stream."""

from __future__ import annotations

import math
import operator
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays.array import Array, as_array
from ..arrays.creation import array, zeros
from ..arrays.dtypes import INT64
from ..arrays.joining import stack
from ..arrays.lapack import by_lapack
from ..arrays.manipulation import broadcast_to
from ..arrays.products import matmul
from .laws import Laws
from .stream import MASK, fitting, float_code, not_negative

if TYPE_CHECKING:
    from ..annotations import ArrayLike, Shape
    from ..arrays.ndarray import ndarray


def _few(values: ArrayLike) -> np.ndarray[Any, Any]:
    """Parameters of the components, a small array."""
    return np.asarray(values.to_numpy() if isinstance(values, Array) else values, dtype=np.float64)


class Vectors(Laws):
    """Draws of vectors along the last axis."""

    __slots__ = ()

    def multinomial(self, n: int, pvals: Any, size: Shape | None = None) -> ndarray:
        """How often each of several events happens in `n` trials.

        Parameters
        ----------
        n : int or array_like of int
            Trials.
        pvals : array_like
            Probabilities along the last axis, few of them; the last event has what is left to 1.
        size : int or tuple of int, optional
            Shape of the vectors drawn.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).multinomial(20, [0.2, 0.3, 0.5], size=4).sum(axis=1)
        array([20, 20, 20, 20])
        """
        chances = _few(pvals)
        if chances.ndim == 0 or chances.shape[-1] == 0:
            raise ValueError(
                "pvals must have at least 1 dimension and the last dimension of pvals must be greater than 0."
            )
        if not ((chances >= 0) & (chances <= 1)).all():
            raise ValueError("pvals < 0, pvals > 1 or pvals contains NaNs")
        if (chances[..., :-1].sum(axis=-1) > 1 + 1e-12).any():
            raise ValueError("sum(pvals[:-1]) > 1.0")
        trials = as_array(not_negative(n, "n"))
        shape = _vector_shape(size, np.broadcast_shapes(trials.shape, chances.shape[:-1]))
        left = broadcast_to(trials.astype(np.int64), shape)
        rest, found = np.ones(chances.shape[:-1]), []
        for column in range(chances.shape[-1] - 1):
            with np.errstate(all="ignore"):
                part = np.nan_to_num(np.clip(chances[..., column] / rest, 0.0, 1.0))
            drawn = self._draw_law("binomial", shape, (left, part if part.ndim else float(part)), INT64, column + 1)
            found.append(drawn)
            left, rest = left - drawn, rest - chances[..., column]
        self._skip(shape)
        return stack([*found, left], -1)

    def multivariate_hypergeometric(
        self, colors: Any, nsample: int, size: Shape | None = None, method: str = "marginals"
    ) -> ndarray:
        """How many of each colour are among `nsample` drawn without putting back; both of NumPy's methods are one here.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).multivariate_hypergeometric([3, 5, 2], 4, size=2).sum(axis=1)
        array([4, 4])
        """
        if method not in ("count", "marginals"):
            raise ValueError('method must be "count" or "marginals".')
        numbers = np.asarray(colors.to_numpy() if isinstance(colors, Array) else colors)
        if numbers.ndim != 1 or (numbers.size and (numbers.dtype.kind not in "iu" or (numbers < 0).any())):
            raise ValueError("colors must be a one-dimensional sequence of nonnegative integers.")
        if operator.index(nsample) < 0:
            raise ValueError("nsample must be nonnegative.")
        if nsample > numbers.sum():
            raise ValueError("nsample > sum(colors)")
        if numbers.sum() >= 10**9:
            raise ValueError("sum(colors) must be less than 1000000000")
        shape = _vector_shape(size, ())
        left, rest, found = broadcast_to(array(int(nsample)), shape), int(numbers.sum()), []
        for column, number in enumerate(numbers[:-1].tolist()):
            rest -= number
            found.append(self._draw_law("hypergeometric", shape, (number, rest, left), INT64, column + 1))
            left = left - found[-1]
        self._skip(shape)
        return stack([*found, left], -1) if numbers.size else zeros((*shape, 0), np.int64)

    def dirichlet(self, alpha: Any, size: Shape | None = None) -> ndarray:
        """Shares of a whole: vectors of positive numbers that add up to 1.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).dirichlet([1, 2, 3], size=4).shape
        (4, 3)
        """
        weights = _few(alpha)
        if weights.ndim != 1:
            raise ValueError("alpha must be one-dimensional")
        if (weights < 0).any() or np.isnan(weights).any():
            raise ValueError("alpha < 0")
        shape = _vector_shape(size, ())
        if not weights.any():
            return zeros((*shape, weights.size))
        if weights.max() >= 0.1:
            parts = [self._draw_law("gamma", shape, (one, 1.0), column=column + 1)
                     for column, one in enumerate(weights.tolist())]  # fmt: skip
            self._skip(shape)
            together = stack(parts, -1)
            return together / together.sum(axis=-1, keepdims=True)
        # Gammas of such small shapes may all be 0: draw successive shares of the rest (stick breaking), as NumPy.
        left: Any = 1.0
        found = []
        for column, one in enumerate(weights[:-1].tolist()):
            rest = float(weights[column + 1 :].sum())
            if one == 0 or rest == 0:
                found.append(zeros(shape) + (left if rest == 0 and one > 0 else 0.0))
                left = left * (0.0 if rest == 0 and one > 0 else 1.0)
                continue
            share = self._draw_law("beta", shape, (one, rest), column=column + 1)
            found.append(share * left)
            left = left * (1.0 - share)
        self._skip(shape)
        return stack([*found, zeros(shape) + left], -1)

    def multivariate_normal(
        self,
        mean: ArrayLike,
        cov: Any,
        size: Shape | None = None,
        check_valid: str = "warn",
        tol: float = 1e-8,
        *,
        method: str = "svd",
    ) -> ndarray:
        """Normal vectors with this mean and covariance.

        Parameters
        ----------
        mean : array_like
            One number for each component, few of them.
        cov : array_like
            Their covariance, a matrix.
        size : int or tuple of int, optional
            Shape of the vectors drawn.
        check_valid : {'warn', 'raise', 'ignore'}
            Treatment of a matrix that is not a covariance.
        tol : float
            Tolerance for that test.
        method : {'svd', 'eigh', 'cholesky'}
            Method of its factorisation.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).multivariate_normal([0, 5], [[1, 0.5], [0.5, 2]], size=4).shape
        (4, 2)
        """
        if method not in ("eigh", "svd", "cholesky"):
            raise ValueError("method must be one of {'eigh', 'svd', 'cholesky'}")
        centre, together = _few(mean), _few(cov)
        if centre.ndim != 1:
            raise ValueError("mean must be 1 dimensional")
        if together.ndim != 2 or together.shape[0] != together.shape[1]:
            raise ValueError("cov must be 2 dimensional and square")
        if centre.shape[0] != together.shape[0]:
            raise ValueError("mean and cov must have same length")
        root = _root(together, check_valid, tol, method)
        shape = _vector_shape(size, ())
        number = math.prod(shape)
        drawn = self.standard_normal((number, centre.size))
        return (matmul(drawn, array(root.T)) + array(centre)).reshape((*shape, centre.size))

    def standard_normal(self, size: Shape | None = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Normal with mean 0 and deviation 1.

        Examples
        --------
        >>> import atoll as ak
        >>> bool(abs(ak.random.default_rng(1).standard_normal(10_000).mean()) < 0.1)
        True
        """
        if out is not None:
            out[...] = self.standard_normal(out.shape, dtype)
            return out
        return self._draw("normal", size, float_code(dtype), 0.0, 1.0)

    def _skip(self, shape: tuple[int, ...]) -> None:
        """Advances the stream past the elements of this shape."""
        self._counter = (self._counter + math.prod(shape)) & MASK


def _vector_shape(size: Shape | None, parameters: tuple[int, ...]) -> tuple[int, ...]:
    return parameters if size is None else fitting(size, parameters)


def _root(together: np.ndarray[Any, Any], check_valid: str, tol: float, method: str) -> np.ndarray[Any, Any]:
    """A matrix whose product with its transpose is `together`."""
    if check_valid not in ("warn", "raise", "ignore"):
        raise ValueError("check_valid must equal 'warn', 'raise', or 'ignore'")
    if method == "cholesky":
        root: np.ndarray[Any, Any] = by_lapack(np.linalg.cholesky, [together])
        return root
    if method == "eigh":
        values, left = by_lapack(np.linalg.eigh, [together])
        valid = not bool((values < -tol).any())
    else:
        left, values, right = by_lapack(np.linalg.svd, [together])
        valid = bool(np.allclose((right.T * values) @ right, together, rtol=tol, atol=tol))
    if check_valid != "ignore" and not valid:
        message = "covariance is not symmetric positive-semidefinite."
        if check_valid == "raise":
            raise ValueError(message)
        warnings.warn(message, RuntimeWarning, stacklevel=3)
    return left * np.sqrt(np.abs(values))
