# SPDX-License-Identifier: Apache-2.0
"""HDF5 files."""

from .reader import hdf_columns as hdf_columns
from .reader import write_hdf as write_hdf
