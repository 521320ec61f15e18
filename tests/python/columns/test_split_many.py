# SPDX-License-Identifier: Apache-2.0
"""Strings of many parts are split in one pass, not in one for each part."""

import pandas as pd
import pytest

import atoll as ak
from atoll.columns.text.strings import Strings

pytestmark = pytest.mark.usefixtures("two_sessions")
STRINGS = [" ".join(map(str, range(row % 20))) if row % 7 else None for row in range(300)]


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("split", {}),
        ("split", {"pat": " ", "n": 12}),
        ("split", {"pat": r"\d ", "regex": True}),
        ("rsplit", {"pat": " ", "n": 11}),
    ],
)
def test_all_parts_are_found_at_once(monkeypatch, method, options):
    column = ak.array(STRINGS)
    monkeypatch.setattr(Strings, "_map", None)
    found = getattr(column.str, method)(**options)
    expected = getattr(pd.Series(STRINGS).str, method)(expand=True, **options)
    assert len(found) == expected.shape[1]
    for place, part in enumerate(found):
        assert part.to_list() == [one if isinstance(one, str) else None for one in expected[place]]


def test_more_parts_than_memory_holds():
    column = ak.array(["x " * 100_000] + ["y"] * 1_000_000)
    with pytest.raises(MemoryError, match="columns of 1000001 parts take 90"):
        column.str.split(" ")
