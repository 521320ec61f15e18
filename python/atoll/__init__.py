# SPDX-License-Identifier: Apache-2.0
# mypy: implicit-reexport
"""Atoll: NumPy-like distributed arrays on a communication runtime of their own.

>>> import atoll as ak
>>> a = ak.arange(10)
>>> (a * a).sum()
np.int64(285)
"""

import sys as _sys
import types as _types
import typing as _typing

import numpy as np

from .again import remember as _remember

# isort: split
from . import _core, fft, linalg, random, testing
from ._core import PeFailedError
from .arrays import array as _array
from .arrays import complexes as _complexes
from .arrays import interchange as _interchange
from .arrays.applying import *
from .arrays.bits import *
from .arrays.calculus import *
from .arrays.calling import *
from .arrays.composed import *
from .arrays.correlation import *
from .arrays.creation import *
from .arrays.diagonals import *
from .arrays.einsum import *
from .arrays.files import *
from .arrays.grids import *
from .arrays.histograms import *
from .arrays.index_tricks import *
from .arrays.joining import *
from .arrays.manipulation import *
from .arrays.ndarray import ndarray
from .arrays.padding import *
from .arrays.polynomials import *
from .arrays.predicates import *
from .arrays.printing import *
from .arrays.products import *
from .arrays.quantiles import *
from .arrays.reductions import *
from .arrays.repeating import *
from .arrays.scans import *
from .arrays.selection import *
from .arrays.sets import *
from .arrays.settings import *
from .arrays.sorting import *
from .arrays.standard import *
from .arrays.standard import VERSIONS as _versions
from .arrays.standard import __array_namespace_info__ as __array_namespace_info__
from .arrays.statistics import *
from .arrays.ufuncs import *
from .arrays.windows import *
from .columns import creation as _making
from .columns.categorical.categorical import *
from .columns.column import Column
from .columns.functions.dates import *
from .columns.functions.functions import *
from .columns.functions.numeric import *
from .columns.functions.ranks import *
from .columns.functions.rearrange import *
from .columns.groupby.groupby import *
from .columns.joins.equal import *
from .columns.joins.ordered import *
from .columns.text.strings import Strings, strings
from .columns.window.cumulative import *
from .columns.window.windows import *
from .fft.convolution import *
from .lazy import concat  # type: ignore[assignment]  # of frames, too: in the place of that of arrays
from .lazy import exported as __dir__
from .lazy import load as __getattr__
from .random import randint, standard_normal, uniform
from .session import Session, barrier, get_config, init, pe, pes, shutdown, stats, threads

_array.column_makers.append(_making.column)

pdarray = ndarray  # Arkouda's name
__version__ = _core.VERSION
__array_api_version__ = _versions[-1]

pi, e, inf, nan, newaxis = np.pi, np.e, np.inf, np.nan, None
int8, int16, int32, int64 = np.int8, np.int16, np.int32, np.int64
uint8, uint16, uint32, uint64 = np.uint8, np.uint16, np.uint32, np.uint64
float32, float64, bool_ = np.float32, np.float64, np.bool_
complex64, complex128 = np.complex64, np.complex128
intp, uintp, single, double, csingle, cdouble = np.intp, np.uintp, np.single, np.double, np.csingle, np.cdouble
generic, number, integer, signedinteger = np.generic, np.number, np.integer, np.signedinteger
unsignedinteger, inexact, floating, complexfloating = np.unsignedinteger, np.inexact, np.floating, np.complexfloating
byte, ubyte, short, ushort, intc, uintc = np.byte, np.ubyte, np.short, np.ushort, np.intc, np.uintc
int_, uint, long, ulong, longlong, ulonglong = np.int_, np.uint, np.long, np.ulong, np.longlong, np.ulonglong
bytes_, str_, object_, void, character, flexible = np.bytes_, np.str_, np.object_, np.void, np.character, np.flexible
datetime64, timedelta64, dtype, True_, False_ = np.datetime64, np.timedelta64, np.dtype, np.True_, np.False_
euler_gamma, typecodes, ScalarType, little_endian = np.euler_gamma, np.typecodes, np.ScalarType, np.little_endian
bool = bool_

PeFailedError.__doc__ = (
    """Another PE has died, or ended without this one: its part of all arrays is lost, and the session over."""
)

# Public is what the modules export: `__all__` of each; of `ufuncs`, everything.
if not _typing.TYPE_CHECKING:
    __all__ = sorted(
        name
        for name, value in globals().items()
        if not name.startswith("_") and (value in (fft, linalg, random) or not isinstance(value, _types.ModuleType))
    )
    _interchange.NAMESPACE.update((name, globals()[name]) for name in __all__)
    _interchange.PACKAGE.append(_sys.modules[__name__])

_remember()
