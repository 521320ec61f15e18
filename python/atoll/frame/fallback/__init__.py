# SPDX-License-Identifier: Apache-2.0
"""Calls that Atoll refuses are answered by pandas, on rows that are collected for it."""
