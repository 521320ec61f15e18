# SPDX-License-Identifier: Apache-2.0
"""Case conversion and classes of every code point. The engine's tables are of Unicode 15.0."""

import unicodedata

import pytest
from texts import same

import atoll as ak

pytestmark = pytest.mark.usefixtures("one_session")

#: Code points that Python's own tables have. Those of Python 3.11 are of Unicode 14.0, where five were not lowercase.
CHANGED = "ჼꟲꟳꟴꭩ" if unicodedata.unidata_version < "15" else ""
KNOWN = [
    chr(point)
    for point in range(0x110000)
    if unicodedata.category(chr(point)) not in ("Cn", "Cs") and chr(point) not in CHANGED
]


@pytest.mark.parametrize("name", ["lower", "upper", "title", "swapcase", "casefold"])
def test_cases(name):
    got = getattr(ak.strings(KNOWN), name)().to_list()
    assert [(a, b) for a, b in zip(KNOWN, got, strict=True) if getattr(a, name)() != b] == []


@pytest.mark.parametrize(
    "name", ["isalpha", "isdigit", "isdecimal", "isnumeric", "isspace", "islower", "isupper", "istitle"]
)
def test_classes(name):
    got = getattr(ak.strings(KNOWN), name)().tolist()
    assert [a for a, b in zip(KNOWN, got, strict=True) if getattr(a, name)() != b] == []


def test_around_a_capital_sigma():
    values = [f"aΣ{between}{after}" for between in KNOWN[:0x3000] for after in ("", "b")]
    same(ak.strings(values).lower(), [value.lower() for value in values])
