# SPDX-License-Identifier: Apache-2.0
"""SciPy's chi-squared distribution, for those who have SciPy."""

from typing import Any

__all__ = ["chi2"]


def __getattr__(name: str) -> Any:
    if name == "chi2":
        from scipy.stats import chi2

        return chi2
    raise AttributeError(f"module has no attribute {name!r}")
