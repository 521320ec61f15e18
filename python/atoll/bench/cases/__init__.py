# SPDX-License-Identifier: Apache-2.0
"""The benchmarks, one file per family."""
