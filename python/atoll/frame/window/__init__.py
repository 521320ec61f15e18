# SPDX-License-Identifier: Apache-2.0
"""Windows, shifts and cumulative functions."""
