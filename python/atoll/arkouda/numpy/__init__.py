# SPDX-License-Identifier: Apache-2.0
"""Arkouda's `numpy`: arrays, strings, segments, datetimes, and the functions of these."""

import numpy as _np

from . import (
    alignment,
    char,
    choosing,
    dtypes,
    err,
    manipulation_functions,
    numeric,
    pdarrayclass,
    pdarraycreation,
    pdarraymanipulation,
    pdarraysetops,
    random,
    segarray,
    sorting,
    strings,
    timeclass,
    util,
    utils,
)
from .alignment import *
from .char import *
from .choosing import *
from .dtypes import *
from .err import *
from .manipulation_functions import *
from .numeric import *
from .pdarrayclass import *
from .pdarraycreation import *
from .pdarraymanipulation import *
from .pdarraysetops import *
from .segarray import *
from .sorting import *
from .strings import *
from .timeclass import *
from .util import *
from .utils import *

#: NumPy's own that Arkouda passes on.
_PASSED = (
    "False_ ScalarType True_ base_repr binary_repr byte bytes_ cdouble character clongdouble csingle "
    "datetime64 double e euler_gamma finfo flexible floating format_float_positional format_float_scientific "
    "half iinfo inexact inf intc integer intp int_ isscalar issubdtype longdouble longlong nan newaxis number "
    "object_ pi promote_types sctypeDict short signedinteger single timedelta64 typename ubyte uint uintc "
    "uintp ulonglong unsignedinteger ushort void"
)
for _name in _PASSED.split():
    globals()[_name] = getattr(_np, _name)
ctypeslib, exceptions, lib, ma, polynomial, rec = (
    _np.ctypeslib,
    _np.exceptions,
    _np.lib,
    _np.ma,
    _np.polynomial,
    _np.rec,
)
emath, add_docstring, add_newdoc = _np.emath, _np.lib.add_docstring, _np.lib.add_newdoc
RankWarning, TooHardError = _np.exceptions.RankWarning, _np.exceptions.TooHardError
format_parser = _np.rec.format_parser

__all__ = sorted(name for name in globals() if not name.startswith("_"))
