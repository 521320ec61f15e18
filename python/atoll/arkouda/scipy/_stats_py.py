# SPDX-License-Identifier: Apache-2.0
"""Arkouda's tests of goodness of fit: sums where the elements are, and SciPy's distribution for the rest."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import atoll

from .special import xlogy

__all__ = ["Power_divergenceResult", "chisquare", "power_divergence"]

_NAMES = {
    "pearson": 1.0,
    "log-likelihood": 0.0,
    "freeman-tukey": -0.5,
    "mod-log-likelihood": -1.0,
    "neyman": -2.0,
    "cressie-read": 2 / 3,
}


class Power_divergenceResult(NamedTuple):
    """The statistic, and how probable one as large is."""

    statistic: Any
    pvalue: Any


def power_divergence(f_obs: Any, f_exp: Any = None, ddof: int = 0, lambda_: Any = None) -> Power_divergenceResult:
    """Cressie and Read's statistic of counts, and those expected: by default the same for all.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> from atoll.arkouda.scipy import power_divergence
    >>> float(power_divergence(ak.array([10, 20, 30]), lambda_="pearson").statistic)
    10.0
    """
    if isinstance(lambda_, str):
        if lambda_ not in _NAMES:
            raise ValueError(f"invalid string for lambda_: {lambda_!r}. Valid strings are {', '.join(_NAMES)}")
        lambda_ = _NAMES[lambda_]
    power = 1.0 if lambda_ is None else float(lambda_)
    observed = f_obs.astype("float64")
    if f_exp is not None:
        sums = float(observed.sum()), float(f_exp.sum())
        if abs(sums[0] - sums[1]) / min(sums) > 1e-8:
            raise ValueError(
                "the sum of the observed frequencies must agree with the sum of the expected frequencies to a relative "
                f"tolerance of 1e-8, but they are {sums[0]} and {sums[1]}"
            )
        expected = f_exp.astype("float64")
    else:
        expected = type(observed)._of(atoll.full(observed.shape, float(observed.mean())))
    if power == 0:
        terms = 2.0 * xlogy(observed, observed / expected)
    elif power == -1:
        terms = 2.0 * xlogy(expected, expected / observed)
    elif power == 1:
        terms = (observed - expected) ** 2 / expected
    else:
        terms = observed * ((observed / expected) ** power - 1) / (0.5 * power * (power + 1))
    statistic = terms.sum()
    from scipy.stats import chi2

    return Power_divergenceResult(statistic, chi2.sf(statistic, terms.size - 1 - np.asarray(ddof)))


def chisquare(f_obs: Any, f_exp: Any = None, ddof: int = 0) -> Power_divergenceResult:
    """Pearson's chi-squared statistic."""
    return power_divergence(f_obs, f_exp, ddof, "pearson")
