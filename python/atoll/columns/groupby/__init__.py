# SPDX-License-Identifier: Apache-2.0
"""Group-by: rows with equal keys, and aggregates of each group."""
