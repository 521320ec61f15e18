# SPDX-License-Identifier: Apache-2.0
"""NumPy's distributions that `_core.random_law` draws: continuous ones, then discrete ones.

Parameters are numbers, or arrays that broadcast against each other and to the size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays.array import as_array
from ..arrays.dtypes import INT64, DTypeLike
from ..arrays.sizes import c_long
from .stream import Stream, finite, float_code, is_scalar, not_negative, positive, require

if TYPE_CHECKING:
    from ..annotations import ArrayLike, Shape

_LARGEST_MEAN = 2**63 - 1 - 10 * 2**31.5  # NumPy's bound: ten standard deviations below the range of int64


class Laws(Stream):
    """Draws of single numbers."""

    __slots__ = ()

    # -- continuous --

    def beta(self, a: ArrayLike, b: ArrayLike, size: Shape | None = None) -> Any:
        """Beta law on [0, 1].

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).beta(2, 3, size=3).shape
        (3,)
        """
        return self._draw_law("beta", size, (positive(a, "a"), positive(b, "b")))

    def chisquare(self, df: Any, size: Shape | None = None) -> Any:
        """Chi-square with `df` degrees of freedom.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).chisquare(4, size=3).shape
        (3,)
        """
        return self._draw_law("chi_square", size, (positive(df, "df"),))

    def f(self, dfnum: Any, dfden: Any, size: Shape | None = None) -> Any:
        """Fisher's F with `dfnum` and `dfden` degrees of freedom.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).f(4, 5, size=3).shape
        (3,)
        """
        return self._draw_law("f", size, (positive(dfnum, "dfnum"), positive(dfden, "dfden")))

    def gamma(self, shape: Shape, scale: ArrayLike = 1.0, size: Shape | None = None) -> Any:
        """Gamma law: mean `shape` times `scale`.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).gamma(2.5, size=3).shape
        (3,)
        """
        return self._draw_law("gamma", size, (not_negative(shape, "shape"), not_negative(scale, "scale")))

    def gumbel(self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: Shape | None = None) -> Any:
        """Gumbel's law of extremes.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).gumbel(size=3).shape
        (3,)
        """
        return self._draw_law("gumbel", size, (loc, not_negative(scale, "scale")))

    def laplace(self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: Shape | None = None) -> Any:
        """Laplace's law: exponential on both sides of `loc`.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).laplace(size=3).shape
        (3,)
        """
        return self._draw_law("laplace", size, (loc, not_negative(scale, "scale")))

    def logistic(self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: Shape | None = None) -> Any:
        """Logistic law.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).logistic(size=3).shape
        (3,)
        """
        return self._draw_law("logistic", size, (loc, not_negative(scale, "scale")))

    def noncentral_chisquare(self, df: Any, nonc: Any, size: Shape | None = None) -> Any:
        """Chi-square with `df` degrees of freedom, off centre by `nonc`.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).noncentral_chisquare(3, 2.0, size=3).shape
        (3,)
        """
        return self._draw_law("noncentral_chi_square", size, (positive(df, "df"), not_negative(nonc, "nonc")))

    def noncentral_f(self, dfnum: Any, dfden: Any, nonc: Any, size: Shape | None = None) -> Any:
        """Fisher's F, off centre by `nonc`.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).noncentral_f(3, 4, 2.0, size=3).shape
        (3,)
        """
        given = positive(dfnum, "dfnum"), positive(dfden, "dfden"), not_negative(nonc, "nonc")
        return self._draw_law("noncentral_f", size, given)

    def pareto(self, a: ArrayLike, size: Shape | None = None) -> Any:
        """Pareto's law, beginning at 0 (Lomax).

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).pareto(3.0, size=3).shape
        (3,)
        """
        return self._draw_law("pareto", size, (positive(a, "a"),))

    def power(self, a: ArrayLike, size: Shape | None = None) -> Any:
        """On [0, 1], density proportional to x to the power `a` - 1.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).power(3.0, size=3).shape
        (3,)
        """
        return self._draw_law("power", size, (positive(a, "a"),))

    def rayleigh(self, scale: ArrayLike = 1.0, size: Shape | None = None) -> Any:
        """Rayleigh's law: length of a vector of two normal numbers.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).rayleigh(size=3).shape
        (3,)
        """
        return self._draw_law("rayleigh", size, (not_negative(scale, "scale"),))

    def standard_cauchy(self, size: Shape | None = None) -> Any:
        """Cauchy's law around 0.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).standard_cauchy(size=3).shape
        (3,)
        """
        return self._draw_law("cauchy", size, ())

    def standard_gamma(
        self, shape: Any, size: Shape | None = None, dtype: DTypeLike = np.float64, out: Any = None
    ) -> Any:
        """Gamma law with scale 1.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).standard_gamma(2.5, size=3).shape
        (3,)
        """
        given = not_negative(shape, "shape"), 1.0
        if out is None:
            return self._draw_law("gamma", size, given, float_code(dtype))
        out[...] = self._draw_law("gamma", out.shape, given, float_code(dtype))
        return out

    def standard_t(self, df: Any, size: Shape | None = None) -> Any:
        """Student's t with `df` degrees of freedom.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).standard_t(5, size=3).shape
        (3,)
        """
        return self._draw_law("student", size, (positive(df, "df"),))

    def triangular(self, left: ArrayLike, mode: Any, right: ArrayLike, size: Shape | None = None) -> Any:
        """Triangular density from `left` over `mode` to `right`.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).triangular(0, 1, 3, size=3).shape
        (3,)
        """
        if all(map(is_scalar, (left, mode, right))):
            if left > mode:
                raise ValueError("left > mode")
            if mode > right:
                raise ValueError("mode > right")
            if left == right:
                raise ValueError("left == right")
        else:
            require(as_array(mode) - left, lambda x: x >= 0, "left > mode")
            require(as_array(right) - mode, lambda x: x >= 0, "mode > right")
            require(as_array(right) - left, lambda x: x > 0, "left == right")
        return self._draw_law("triangular", size, (left, mode, right))

    def vonmises(self, mu: Any, kappa: Any, size: Shape | None = None) -> Any:
        """Von Mises' law of angles, in [-pi, pi], around `mu` with concentration `kappa`.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).vonmises(0.0, 2.0, size=3).shape
        (3,)
        """
        return self._draw_law("von_mises", size, (finite(mu, "mu"), not_negative(kappa, "kappa")))

    def wald(self, mean: ArrayLike, scale: ArrayLike, size: Shape | None = None) -> Any:
        """Wald's law (inverse Gaussian).

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).wald(1.0, 2.0, size=3).shape
        (3,)
        """
        return self._draw_law("wald", size, (positive(mean, "mean"), positive(scale, "scale")))

    def weibull(self, a: ArrayLike, size: Shape | None = None) -> Any:
        """Weibull's law with shape `a` and scale 1.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).weibull(1.5, size=3).shape
        (3,)
        """
        return self._draw_law("weibull", size, (not_negative(a, "a"),))

    # -- discrete --

    def binomial(self, n: int, p: ArrayLike, size: Shape | None = None) -> Any:
        """How often an event of probability `p` happens in `n` trials.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).binomial(10, 0.3, size=3).shape
        (3,)
        """
        given = not_negative(c_long(n), "n"), _probability(p)
        return self._draw_law("binomial", size, given, INT64)

    def geometric(self, p: ArrayLike, size: Shape | None = None) -> Any:
        """Trials until an event of probability `p` happens.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).geometric(0.3, size=3).shape
        (3,)
        """
        holds = require(p, lambda x: (x > 0) & (x <= 1), "p <= 0, p > 1 or p contains NaNs")
        return self._draw_law("geometric", size, (holds,), INT64)

    def hypergeometric(self, ngood: Any, nbad: Any, nsample: Any, size: Shape | None = None) -> Any:
        """How many good ones are among `nsample` drawn, without putting back, of `ngood` good and `nbad` bad.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).hypergeometric(5, 7, 4, size=3).shape
        (3,)
        """
        good, bad = not_negative(ngood, "ngood"), not_negative(nbad, "nbad")
        sample = not_negative(nsample, "nsample")
        for number, name in ((good, "ngood"), (bad, "nbad")):
            require(number, lambda x: x < 10**9, f"{name} must be less than 1000000000")
        left = (as_array(good) + as_array(bad)) - as_array(sample)
        require(left, lambda x: x >= 0, "ngood + nbad < nsample")
        return self._draw_law("hypergeometric", size, (good, bad, sample), INT64)

    def logseries(self, p: ArrayLike, size: Shape | None = None) -> Any:
        """Logarithmic series: k has a probability proportional to `p` to the power k over k.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).logseries(0.6, size=3).shape
        (3,)
        """
        holds = require(p, lambda x: (x >= 0) & (x < 1), "p < 0, p >= 1 or p contains NaNs")
        return self._draw_law("log_series", size, (holds,), INT64)

    def negative_binomial(self, n: int, p: ArrayLike, size: Shape | None = None) -> Any:
        """Failures before the `n`-th success, of probability `p`.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).negative_binomial(3, 0.4, size=3).shape
        (3,)
        """
        holds = require(p, lambda x: (x > 0) & (x <= 1), "p <= 0, p > 1 or p contains NaNs")
        return self._draw_law("negative_binomial", size, (positive(n, "n"), holds), INT64)

    def poisson(self, lam: Any = 1.0, size: Shape | None = None) -> Any:
        """How many events happen where `lam` are expected.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.random.default_rng(1).poisson(4.0, size=3).shape
        (3,)
        """
        mean = require(lam, lambda x: x >= 0, "lam < 0 or lam is NaN")
        require(mean, lambda x: x <= _LARGEST_MEAN, "lam value too large")
        return self._draw_law("poisson", size, (mean,), INT64)


def _probability(p: ArrayLike) -> Any:
    return require(p, lambda x: (x >= 0) & (x <= 1), "p < 0, p > 1 or p is NaN")
