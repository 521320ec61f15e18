# SPDX-License-Identifier: Apache-2.0
"""Expressions of columns: deferred ones, and those given as strings."""
