# SPDX-License-Identifier: Apache-2.0
"""The columns that a frame holds: making them, their dtypes, lazy ones, and the columns' labels."""
