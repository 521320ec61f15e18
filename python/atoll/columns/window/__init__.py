# SPDX-License-Identifier: Apache-2.0
"""Windows and cumulative functions."""
