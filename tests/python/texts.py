# SPDX-License-Identifier: Apache-2.0
"""Strings for tests: hypothesis strategies, and known difficult strings."""

import string

import numpy as np
from hypothesis import strategies as st

import atoll as ak

#: Ties in the first bytes, zeros inside, letters of one to four bytes, what changes its length between cases.
ALPHABET = "ab\0Aß \téﬁ😀İ1²"

texts = st.lists(st.one_of(st.none(), st.text(alphabet=ALPHABET, max_size=20)), max_size=40)
full_texts = st.lists(st.text(alphabet=ALPHABET, max_size=20), max_size=40)


def many(n, seed=0, letters=string.ascii_lowercase, longest=15, nulls=0.0):
    """Random texts; of few letters they repeat."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, longest + 1, n)
    found = ["".join(rng.choice(list(letters), size)) for size in sizes]
    return [None if rng.random() < nulls else text for text in found]


#: Columns that each break another shortcut.
HARD = {
    "empty": [],
    "one": ["x"],
    "blank": [""] * 7,
    "equal": ["the same text in every row"] * 300,
    "prefix": ["p" * 100_000 + tail for tail in many(24, 1, "ab", 3)],
    "giant": ["small", "g" * 1_000_000, "", "g" * 999_999, "h", "g" * 1_000_000],
    "zeros": ["", "\0", "\0\0", "a", "a\0", "a\0b", "a\0\0"] * 40,
    "nested": ["a" * i for i in range(200)],
    "ends": [tail.rjust(16, "x") for tail in many(500, 2, "ab", 8)],
    "few": many(2000, 3, "ab", 2),
    "random": many(2000, 4),
    "points": many(700, 5, ALPHABET, 12),
}


def same(column, expected):
    """Asserts that a column, or an array, has these values, None where one is missing."""
    assert isinstance(column, (ak.Column, ak.ndarray)), type(column)
    found = column.tolist()
    assert found == list(expected)
