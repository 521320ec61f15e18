# SPDX-License-Identifier: Apache-2.0
"""Arkouda's module of that name: a pattern and the strings it is looked for in."""

from ..numpy.matching import Matcher

__all__ = ["Matcher"]
