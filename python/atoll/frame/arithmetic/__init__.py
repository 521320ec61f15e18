# SPDX-License-Identifier: Apache-2.0
"""Operators, elementwise methods and reductions."""
