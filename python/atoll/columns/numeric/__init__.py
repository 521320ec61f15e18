# SPDX-License-Identifier: Apache-2.0
"""Columns of numbers wider than 64 bits, of decimals and of addresses."""
