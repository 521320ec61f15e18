# SPDX-License-Identifier: Apache-2.0
"""Columns of strings and of bytes."""
