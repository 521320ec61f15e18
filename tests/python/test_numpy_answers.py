# SPDX-License-Identifier: Apache-2.0
"""Expressions of numpy_answers.txt give NumPy's answers: values, types, shapes, views, errors."""

from pathlib import Path

import answers
import numpy as np
import pytest
from oracle import same

import atoll as ak

pytestmark = pytest.mark.usefixtures("every_session")


def answer(module, line):
    return answers.answer({"m": module, "np": np}, line)


SECTIONS = answers.sections(Path(__file__).with_name("numpy_answers.txt"))


@pytest.mark.parametrize("section", SECTIONS)
def test_answers(section):
    wrong = []
    for line in SECTIONS[section]:
        try:
            expected = answer(np, line)
        except Exception as error:
            with pytest.raises(Exception) as caught:  # any: its type is compared
                print(line, answer(ak, line))
            if not issubclass(type(error), caught.type):
                wrong.append(f"{line}\n  {type(error).__name__}: {error}\n  {caught.type.__name__}: {caught.value}")
            continue
        try:
            same(answer(ak, line), expected, ulps=6000 if section == "products and sums in range" else 4)
        except Exception as error:
            wrong.append(f"{line}\n  {error}")
    assert not wrong, "\n".join(wrong)
