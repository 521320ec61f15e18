# SPDX-License-Identifier: Apache-2.0
"""Advanced syntax of Python's regular expressions, such as lookarounds and references, has the same meaning here."""

import random
import re
from itertools import pairwise

import numpy as np
import pytest

import atoll as ak
from atoll import _core

TEXTS = [
    "", "a", "ab", "abab", "abc123", "price: 45 EUR, 7 USD", "foo bar foo", "aXbXc", "<b>x</b><i>y</i>", "ÄÖ äö ß",
    "aa bb cc", "x=1;y=22;", "2026-11-24", "aaab", "(nested (parens))", "tab\tnew\nline", "ſK", "𝒳y", "a.b.c", "__a__",
]  # fmt: skip
PATTERNS = [
    r"\d+(?= EUR)", r"\d+(?! EUR)\b", r"(?<=: )\d+", r"(?<!a)b", r"(?=a)ab", r"(?!x)\w", r"^(?=.*\d)(?=.*[a-z]).*$",
    r"(\w)\1", r"(?P<t>\w)(?P=t)", r"<(\w)>[^<]*</\1>", r"(a)?b(?(1)c|a)", r"(?>a+)b", r"a++b", r"a*+a", r"(?:ab)+?",
    r"(?<=\b)\w+(?=\b)", r"(?<=a)(?=b)", r"(?i)äö", r"(?s:.+)", r"(?m)^\w+$", r"\bfoo\b(?! bar)", r"(?<=foo) \w+",
    r"[^\W\d_]+", r"\w+(?=\()|\((?=n)", r"(?x) \d+  # number", r"\Aa", r"c\Z", r"(?:(?<=x=)|(?<=y=))\d+", r"|a",
]  # fmt: skip


@pytest.mark.parametrize("pes", [1, 3])
def test_as_python(pes):
    ak.shutdown()
    with ak.init(pes=pes, threads=1):
        texts = ak.strings(TEXTS)
        for pattern in PATTERNS:
            known = re.compile(pattern)
            for name in ("search", "match", "fullmatch"):
                method = {"search": "contains"}.get(name, name)
                found = getattr(texts.str, method)(pattern).tolist()
                assert found == [getattr(known, name)(text) is not None for text in TEXTS], (pattern, name)
            assert texts.str.count(pattern).tolist() == [len(known.findall(text)) for text in TEXTS], pattern
            assert texts.str.replace(pattern, "#", regex=True).to_list() == [known.sub("#", t) for t in TEXTS], pattern
            if known.groups:
                for place, column in enumerate(texts.str.extract(pattern)):
                    met = [known.search(text) for text in TEXTS]
                    assert column.to_list() == [m and m.group(place + 1) for m in met], (pattern, place)


@pytest.mark.parametrize("pattern", [r"(?<=a+)b", "(", r"(?P<n>a)(?P<n>b)", r"\1", "a**", r"(?a:\w+)"])
def test_patterns_that_python_refuses_are_refused(pattern):
    with pytest.raises(re.error):
        ak.strings(["a"]).str.contains(pattern)


def test_syntax_that_only_the_engine_knows_is_refused():
    for pattern in (r"\R", r"\K", r"(?R)", r"\p{L}", r"(?|a|b)", r"\h"):
        with pytest.raises(re.error):
            ak.strings(np.array(["a"])).str.contains(pattern)


@pytest.mark.parametrize("way", ["regex", "match", "group"])
@pytest.mark.parametrize("pattern", [b"M\xfb\xf0", b"\x7f\xd7", b"a\xff", b"\xed\xa0\x80", b"(\xc3|\x28)"])
def test_pattern_that_is_no_utf8_is_refused(way, pattern):
    texts, _ = _core.text_from_padded(ak.init()._core, np.frombuffer(b"abc", np.uint8).reshape(3, 1))
    with pytest.raises(ValueError, match="the pattern is no valid UTF-8"):
        _core.text_parts(texts, way, [pattern], [-1, 0, 0])


@pytest.mark.parametrize("pattern", [b".", rb"\w+", b"(?i)\xc3\xa4", b"[^a]", b"(?<=a).", rb"\X", b"(?<=..)b"])
def test_patterns_find_only_utf8_in_other_bytes(pattern):
    data = bytes(random.Random(3).choices(b"a\xff\xc3\xa4\xf0\x80b\xed ", k=6400))
    ends = np.arange(0, 6401, 25)
    texts = _core.text_from_buffers(ak.init()._core, ends, np.frombuffer(data, np.uint8), None, True)
    _, parts = _core.text_parts(texts, "match", [pattern], [-1, 0, 0])
    offsets, found = (one.tolist() for one in _core.text_buffers(parts))
    for begin, end in pairwise(offsets):
        bytes(found[begin:end]).decode()
    assert len(offsets) > 1
