# SPDX-License-Identifier: Apache-2.0
"""Random programs of NumPy's functions, indexing and views give what NumPy gives; a failure prints seed and program."""

import random

import fuzz
import pytest

import atoll as ak


def run(pes, seeds):
    ak.shutdown()
    with ak.init(pes, 1):
        for seed in seeds:
            fuzz.check(seed)


@pytest.mark.parametrize("pes", [1, 3])
def test_programs(pes):
    run(pes, range(1_000_000 * pes, 1_000_000 * pes + 300))


@pytest.mark.slow
@pytest.mark.parametrize("pes", [1, 2, 3])
def test_many_programs(pes):
    first = random.randrange(10**9)
    print("first seed", first)
    run(pes, range(first, first + 10_000))


def test_values_that_a_mask_takes_are_compared_with_those_before_the_line():
    ak.shutdown()
    with ak.init(1, 1):
        fuzz.run(["d = m.arange(5, -5, -2)", "c = m.flip(d, 0)", "c[c == c] = d"])
