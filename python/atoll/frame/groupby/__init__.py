# SPDX-License-Identifier: Apache-2.0
"""Groups of rows, by key and by time."""
