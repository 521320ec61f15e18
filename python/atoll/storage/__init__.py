# SPDX-License-Identifier: Apache-2.0
"""Paths, URLs and streams, and atomic writes of files."""
