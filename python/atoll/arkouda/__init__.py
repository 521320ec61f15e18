# SPDX-License-Identifier: Apache-2.0
"""A stand-in for Arkouda: ``import atoll.arkouda as ak``.

Arkouda's names, arguments, results and errors over Atoll's arrays and columns. `connect` attaches to the embedded
session, or to the one that `atoll.init` started; no server is contacted.

Examples
--------
>>> import atoll.arkouda as ak
>>> ak.connect()
>>> a = ak.arange(6)
>>> keys, sums = ak.GroupBy(a % 2).sum(a)
>>> sums
array([6 9])
"""

from .. import _core as _core
from . import client_dtypes, comm_diagnostics, core, history, numpy, pandas, plotting, scipy, testing
from .apply import apply
from .client_dtypes import *
from .core.client import *
from .core.infoclass import *
from .core.logger import *
from .numpy import *
from .numpy import random
from .pandas import join, row, series
from .pandas.categorical import Categorical
from .pandas.checkpoint import load_checkpoint, save_checkpoint
from .pandas.conversion import from_series
from .pandas.dataframe import *
from .pandas.groupbyclass import GROUPBY_REDUCTION_TYPES, GroupBy, broadcast, groupable, unique
from .pandas.index import Index, MultiIndex
from .pandas.io import *
from .pandas.join import compute_join_size, gen_ranges, join_on_eq_with_dt
from .pandas.row import Row
from .pandas.series import Series
from .plotting import *
from .testing import *

__version__ = _core.VERSION
verbose = False

__all__ = sorted(name for name in globals() if not name.startswith("_"))
