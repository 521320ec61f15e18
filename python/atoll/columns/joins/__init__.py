# SPDX-License-Identifier: Apache-2.0
"""Joins of tables by equal keys and by order."""
