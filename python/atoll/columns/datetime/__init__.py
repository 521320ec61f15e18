# SPDX-License-Identifier: Apache-2.0
"""Columns of dates, times and timedeltas."""
