# SPDX-License-Identifier: Apache-2.0
"""Parquet files."""

from .reader import parquet_columns as parquet_columns
from .reader import write_parquet as write_parquet
