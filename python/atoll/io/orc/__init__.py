# SPDX-License-Identifier: Apache-2.0
"""ORC files."""

from .reader import orc_columns as orc_columns
from .reader import write_orc as write_orc
