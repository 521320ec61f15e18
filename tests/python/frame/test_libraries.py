# SPDX-License-Identifier: Apache-2.0
"""Other libraries take frames and arrays as docs/interoperability.md says. A library that is absent is skipped."""

import os
import re
from pathlib import Path

import numpy as np
import pytest

import atoll as ak
import atoll.pandas as pd

PAGE = Path(__file__).parents[3] / "docs" / "interoperability.md"
CALLS = re.findall(r"^\| [^|]+ \| `([^`]+)` \|", PAGE.read_text(), re.MULTILINE)

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_session"), pytest.mark.filterwarnings("ignore")]


def frame():
    rng = np.random.default_rng(1)
    df = pd.DataFrame({"x": rng.random(80), "y": rng.random(80)})
    df["z"] = df.x * 2 + df.y
    df["g"] = ["a", "b"] * 40
    return df


def test_there_are_calls():
    assert len(CALLS) > 10


@pytest.mark.parametrize("call", CALLS)
def test_the_call_of_the_page(call):
    os.environ.setdefault("MPLBACKEND", "Agg")
    first, *steps = call.split("; ")
    pytest.importorskip(re.match(r"(?:import|from) ([\w.]+)", first)[1])
    known = {"df": frame(), "pd": pd, "ak": ak}
    exec("\n".join([first, *steps[:-1]]), known)
    made = eval(steps[-1], known)
    assert made is not None
    assert made is not False
