# SPDX-License-Identifier: Apache-2.0
"""Arkouda's module of that name: what `Strings.search` and its kin give."""

from ..numpy.matching import Match

__all__ = ["Match"]
