# SPDX-License-Identifier: Apache-2.0
"""Frames from and to files and other libraries."""
