# SPDX-License-Identifier: Apache-2.0
"""Random programs of NumPy's functions, indexing and views give what NumPy gives; a failure prints seed and program."""

import random
import time

import fuzz
import pytest

import atoll as ak


def run(pes, first, seconds):
    ak.shutdown()
    with ak.init(pes, 1):
        end, seed = time.monotonic() + seconds, first
        while time.monotonic() < end:
            fuzz.check(seed)
            seed += 1
    print(f"seeds {first} to {seed - 1}")


@pytest.mark.parametrize("pes", [1, 3])
def test_programs(pes):
    run(pes, 1_000_000 * pes, 1.5)


@pytest.mark.slow
@pytest.mark.parametrize("pes", [1, 2, 3])
def test_many_programs(pes):
    first = random.randrange(10**9)
    print("first seed", first)
    run(pes, first, 100)
