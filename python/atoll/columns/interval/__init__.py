# SPDX-License-Identifier: Apache-2.0
"""Intervals, and columns of them."""
