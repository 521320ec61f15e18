# SPDX-License-Identifier: Apache-2.0
"""Benchmarks that compare Atoll with other libraries: same data, alternating runs, checked answers.

A case (`registry.Case`) defines its data, its nominal bytes, the computation of each contender and the check of the
answers. Cases are in `cases/`, one file per family; `runner` runs them, `record` writes records, `table` and `plot`
show them.
"""


class BenchError(Exception):
    """A benchmark cannot run as requested; the message contains advice."""


__all__ = ["BenchError"]
