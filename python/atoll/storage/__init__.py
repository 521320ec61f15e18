# SPDX-License-Identifier: Apache-2.0
"""Paths, URLs and streams, and files that appear whole or not at all."""
