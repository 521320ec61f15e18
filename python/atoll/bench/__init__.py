# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of the field, each beside its peers: same data, runs in turns, answers checked.

A case (`registry.Case`) says how its data is made, what its nominal bytes are, how each contender computes the answer
and how an answer is checked. Cases live in `cases/`, one file per family; `runner` runs them, `record` writes them
down, `table` and `plot` show them.
"""


class BenchError(Exception):
    """A benchmark cannot run as asked; the text says what to do."""


__all__ = ["BenchError"]
