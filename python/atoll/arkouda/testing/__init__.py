# SPDX-License-Identifier: Apache-2.0
"""Arkouda's assertions: that two objects are equal, and that they are once both are Arkouda's."""

from ._asserters import *
from ._asserters import __all__ as _own
from ._equivalence_asserters import *
from ._equivalence_asserters import __all__ as _others

__all__ = [*_own, *_others]
