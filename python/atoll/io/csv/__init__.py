# SPDX-License-Identifier: Apache-2.0
"""Text files of separated values."""

from .reader import csv_columns as csv_columns
from .writer import write_csv as write_csv
