# SPDX-License-Identifier: Apache-2.0
"""A second import of the package, after it was deleted from `sys.modules`, returns the modules of the first import.

The compiled module can be loaded only once, and arrays and the session live in it.
"""

import sys
import types

_NAME = __name__.partition(".")[0]
_PLACE = "_atoll_package"  # an attribute of module sys, which survives deletion from sys.modules


def _modules_below(package: types.ModuleType) -> dict[str, types.ModuleType]:
    """A package and all its loaded modules: each is an attribute of its package."""
    found = {package.__name__: package}
    for one in (one for one in vars(package).values() if isinstance(one, types.ModuleType)):
        if one.__name__.rpartition(".")[0] == package.__name__:
            found |= _modules_below(one)
    return found


if _PLACE in vars(sys):
    sys.modules.update(_modules_below(vars(sys)[_PLACE]))


def remember() -> None:
    """Stores the modules at the end of the first import."""
    vars(sys).setdefault(_PLACE, sys.modules[_NAME])
