# SPDX-License-Identifier: Apache-2.0
"""A second import of the package, after somebody has deleted it from `sys.modules`, gives the modules of the first.

The compiled module can be loaded only once, and arrays and the session live in it.
"""

import sys
import types

_NAME = __name__.partition(".")[0]
_PLACE = "_atoll_package"  # in the module sys, from which nobody deletes it


def _modules_below(package: types.ModuleType) -> dict[str, types.ModuleType]:
    """A package and all of its modules that have been loaded: each is an attribute of the package that it is in."""
    found = {package.__name__: package}
    for one in (one for one in vars(package).values() if isinstance(one, types.ModuleType)):
        if one.__name__.rpartition(".")[0] == package.__name__:
            found |= _modules_below(one)
    return found


if _PLACE in vars(sys):
    sys.modules.update(_modules_below(vars(sys)[_PLACE]))


def remember() -> None:
    """At the end of the first import."""
    vars(sys).setdefault(_PLACE, sys.modules[_NAME])
