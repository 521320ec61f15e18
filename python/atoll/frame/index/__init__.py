# SPDX-License-Identifier: Apache-2.0
"""Indexes: the labels of rows."""
