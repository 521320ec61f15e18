# SPDX-License-Identifier: Apache-2.0
"""Functions of arrays that take columns, too."""
