# SPDX-License-Identifier: Apache-2.0
"""Other shapes of a table: pivots, wide and long tables, bins."""
