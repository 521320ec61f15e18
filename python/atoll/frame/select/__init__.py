# SPDX-License-Identifier: Apache-2.0
"""Selecting, setting, relabelling and sorting rows and columns."""
