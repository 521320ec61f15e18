# SPDX-License-Identifier: Apache-2.0
"""The methods that docs/coming-from-pandas.md lists never fall back to pandas, and give pandas' answers."""

import io
import warnings
from pathlib import Path

import numpy as np
import pandas
import pytest
from frame.frames import same

import atoll.pandas as pd
from atoll.io import fallback

DOCS = Path(__file__).parents[3] / "docs" / "coming-from-pandas.md"
LINES = Path(__file__).with_name("most_used.txt").read_text().splitlines()
CALLS = dict(line.split(": ", 1) for line in LINES if line and not line.startswith("#"))


def things(m):
    frame = {
        "a": [3, 1, 2, 1, 3, 2], "b": [1.5, np.nan, -2.0, 4.25, 0.0, 1.5],
        "c": ["x", "y", "x", "y", "zed", "x"], "d": [True, False, True, True, False, False],
    }  # fmt: skip
    df = m.DataFrame(frame)
    dates = m.Series(np.array(["2026-01-02", "2026-02-03T04:05"], dtype="M8[us]"))
    return {"m": m, "df": df, "s": df.a, "t": df.c, "d": dates, "np": np, "text": io.StringIO}


@pytest.mark.filterwarnings("ignore:A future version of pandas will return a BaseOffset")
@pytest.mark.parametrize("name", CALLS)
def test_never_falls_back(name):
    fallback.forget()
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.FallbackWarning)
        made = eval(CALLS[name], things(pd))
    expected = eval(CALLS[name], things(pandas))
    same(made, expected)


def test_docs_list_these_methods():
    section = DOCS.read_text().split("## Methods that never fall back\n")[1].split("\n## ")[0]
    listed = set()
    for line in section.splitlines():
        if line.startswith(("| `", "| functions")):
            of, names = (cell.strip(" `") for cell in line.split("|")[1:3])
            prefix = "" if of == "functions" else f"{of}."
            listed |= {prefix + name for name in names.replace("`", "").split()}
    assert listed == {name.split(" ")[0] for name in CALLS} and len(CALLS) >= 200
