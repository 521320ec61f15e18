# SPDX-License-Identifier: Apache-2.0
"""Expressions of numpy_answers.txt give NumPy's answers: values, types, shapes, views, errors."""

from functools import partial
from pathlib import Path

import answers
import numpy as np
import pytest
from oracle import same

import atoll as ak

pytestmark = pytest.mark.usefixtures("every_session")


#: Sections whose results differ by more than rounding of the last bits: section -> units in the last place.
ULPS = {"products and sums in range": 6000}


@answers.parametrize(Path(__file__).with_name("numpy_answers.txt"))
def test_answer(case):
    answers.compare(
        lambda: case.evaluate({"m": np, "np": np}),
        lambda: case.evaluate({"m": ak, "np": np}),
        partial(same, ulps=ULPS.get(case.section, 4)),
    )
