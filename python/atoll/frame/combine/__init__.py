# SPDX-License-Identifier: Apache-2.0
"""Several objects as one: alignment, concatenation, merges."""
