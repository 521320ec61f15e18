# SPDX-License-Identifier: Apache-2.0
"""String methods against Python's, pandas' and `re`."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from texts import ALPHABET, HARD, many, same, texts

import atoll as ak

pytestmark = pytest.mark.usefixtures("every_session")

short = st.text(alphabet=ALPHABET, max_size=3)
places = st.one_of(st.none(), st.integers(-25, 25))


def each(values, function):
    return [None if value is None else function(value) for value in values]


PLAIN = {
    name: getattr(str, name)
    for name in (
        "lower", "upper", "title", "capitalize", "swapcase", "casefold", "strip", "lstrip", "rstrip", "isalpha",
        "isdigit", "isdecimal", "isnumeric", "isalnum", "isspace", "islower", "isupper", "istitle", "isascii",
    )
} | {"len": len, "byte_len": lambda text: len(text.encode())}  # fmt: skip


@given(texts)
@example(["ΑΣ", "ΑΣ'", "Σ", "ΑΣ Β", "'Σ", "ﬁ ßé", "ǆ", "İ", "ŉ", "ΑΣ.Β"])
def test_as_str_has_them(values):
    column = ak.strings(values)
    for name, method in PLAIN.items():
        same(getattr(column.str, name)(), each(values, method))


@given(texts, short, st.integers(0, 12))
def test_with_arguments(values, other, n):
    column = ak.strings(values).str
    if other:
        same(column.strip(other), each(values, lambda v: v.strip(other)))
        same(column.lstrip(other), each(values, lambda v: v.lstrip(other)))
        same(column.rstrip(other), each(values, lambda v: v.rstrip(other)))
    same(column.removeprefix(other), each(values, lambda v: v.removeprefix(other)))
    same(column.removesuffix(other), each(values, lambda v: v.removesuffix(other)))
    same(column.startswith(other), each(values, lambda v: v.startswith(other)))
    same(column.endswith((other, "a")), each(values, lambda v: v.endswith((other, "a"))))
    same(column.contains(other, regex=False), each(values, lambda v: other in v))
    same(column.replace(other, "é<"), each(values, lambda v: v.replace(other, "é<")))
    same(column.replace(other, "", n=2), each(values, lambda v: v.replace(other, "", 2)))
    same(column.center(n, "é"), each(values, lambda v: v.center(n, "é")))
    same(column.ljust(n), each(values, lambda v: v.ljust(n)))
    same(column.rjust(n, "*"), each(values, lambda v: v.rjust(n, "*")))
    same(column.zfill(n), each(values, lambda v: v.zfill(n)))
    same(column.repeat(n), each(values, lambda v: v * n))
    same(column.join(other), each(values, other.join))
    same(column.translate({ord("a"): "AA", ord("b"): None}), each(values, lambda v: v.translate({97: "AA", 98: None})))
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        same(column.normalize(form), pd.Series(values, dtype=object).str.normalize(form).tolist())


@given(texts, places, places, st.sampled_from([None, 1, 2, -1, -3]))
def test_slices(values, start, stop, step):
    column = ak.strings(values).str
    same(column.slice(start, stop, step), each(values, lambda v: v[start:stop:step]))
    i = 0 if start is None else start
    same(column.get(i), each(values, lambda v: v[i] if -len(v) <= i < len(v) else None))


@given(texts, short, st.integers(-8, 12), st.one_of(st.none(), st.integers(-8, 12)))
def test_places(values, sub, start, end):
    column = ak.strings(values).str
    same(column.find(sub), each(values, lambda v: v.find(sub)))
    same(column.find(sub, start, end), each(values, lambda v: v.find(sub, start, end)))
    same(column.rfind(sub, start, end), each(values, lambda v: v.rfind(sub, start, end)))
    if all(value is None or sub in value for value in values):
        same(column.index(sub), each(values, lambda v: v.index(sub)))
    else:
        with pytest.raises(ValueError, match="substring not found"):
            column.index(sub)


def columns_of(values, parts):
    """What split gives: a column for each place."""
    found = [None if value is None else parts(value) for value in values]
    most = max([1, *(len(one) for one in found if one is not None)])
    return [[None if one is None or len(one) <= i else one[i] for one in found] for i in range(most)]


@given(texts, st.sampled_from([None, " ", "a", "ab", "é"]), st.integers(-1, 3))
def test_splits(values, sep, n):
    column, most = ak.strings(values).str, n or -1
    for name in ("split", "rsplit"):
        expected = columns_of(values, lambda v, name=name: getattr(v, name)(sep, most))
        got = getattr(column, name)(sep, n)
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            same(one, other)
    there = [value for value in values if value is not None]
    parts, starts = column.flatten(sep, return_segments=True)
    same(parts, [part for value in there for part in value.split(sep)])
    same(starts, np.cumsum([0, *(len(value.split(sep)) for value in there)])[:-1])
    if sep is not None:
        for name in ("partition", "rpartition"):
            for place, part in enumerate(getattr(column, name)(sep)):
                same(part, each(values, lambda v, name=name, place=place: getattr(v, name)(sep)[place]))


PATTERNS = [
    "a", "[ab]+", "^a|b$", r"\d", r"\w+", r"\s", "(a)(b)?", "(?P<x>é|😀)", "a*", "", r"\bA", "(?i)ab", "(?<=a)b",
    r"(.)\1", r"[^\x00a]", r"\Z", r"[]a]", "[a[]", r"é", r"a\u0000", "(?x) a # b\n b", r"(a)|b",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_regular_expressions(pattern):
    values = [*many(300, 11, ALPHABET + "ABb\n", 12), None, "", "aab\n", "AB"]
    column, known = ak.strings(values).str, re.compile(pattern)
    same(column.contains(pattern), each(values, lambda v: bool(known.search(v))))
    same(column.match(pattern), each(values, lambda v: bool(known.match(v))))
    same(column.fullmatch(known), each(values, lambda v: bool(known.fullmatch(v))))
    same(column.count(pattern), each(values, lambda v: len(known.findall(v))))
    same(column.replace(pattern, r"<\g<0>\\>", regex=True), each(values, lambda v: known.sub(r"<\g<0>\\>", v)))
    same(column.replace(pattern, "-", n=1, regex=True), each(values, lambda v: known.sub("-", v, count=1)))
    same(column.contains(pattern, case=False), each(values, lambda v: bool(re.search(pattern, v, re.IGNORECASE))))
    expected = columns_of(values, known.split)
    for one, other in zip(column.split(known), expected, strict=True):
        same(one, [None if text is None else text for text in other] if not known.groups else one.tolist())
    if known.groups < 2:
        same(column.findall(pattern), each(values, known.findall))
    if known.groups:
        for group, one in enumerate(column.extract(pattern), 1):
            found = [None if v is None else known.search(v) for v in values]
            same(one, [None if m is None else m.group(group) for m in found])
        same(column.replace(pattern, r"[\1]", regex=True), each(values, lambda v: known.sub(r"[\1]", v)))


def test_patterns_that_are_none():
    column = ak.array(["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", "b"]).str
    with pytest.raises(re.error, match="unterminated"):
        column.contains("(a")
    with pytest.raises(re.error, match="invalid group reference 2"):
        column.replace("(a)", r"\2", regex=True)
    with pytest.raises(IndexError, match="unknown group name 'x'"):
        column.replace("(a)", r"\g<x>", regex=True)
    with pytest.raises(re.error, match="bad escape"):
        column.replace("(a)", r"\q", regex=True)
    with pytest.raises(ValueError, match="no capture groups"):
        column.extract("a")
    with pytest.raises(ValueError, match="needs too many steps in a string of 37 bytes"):
        column.contains("(?:a|aa|aaa|a*)+$")
    with pytest.raises(TypeError, match="a function cannot replace"):
        column.replace("a", len)
    with pytest.raises(TypeError, match="a pattern is a text"):
        column.match(3)
    with pytest.raises(ValueError, match="Invalid side"):
        column.pad(3, "top")
    with pytest.raises(TypeError, match="fillchar must be a character"):
        column.pad(3, fillchar="ab")
    with pytest.raises(ValueError, match="empty separator"):
        column.partition("")
    with pytest.raises(MemoryError, match="cannot allocate"):
        column.repeat(2**40)
    same(column.len(), [37, 1])  # nothing has changed


@given(texts, st.data())
def test_two_columns(values, data):
    others = data.draw(st.permutations(values))
    a, b = ak.strings(values), ak.strings(others)
    pairs = list(zip(values, others, strict=True))
    same(a + b, [None if None in pair else "".join(pair) for pair in pairs])
    same(a + "!", each(values, lambda v: v + "!"))
    same("¡" + a, each(values, lambda v: "¡" + v))
    same(a.str.cat(b, sep="-", na_rep="?"), ["-".join("?" if v is None else v for v in pair) for pair in pairs])
    assert a.str.cat(sep="|") == "|".join(v for v in values if v is not None)
    same(a.stick(b, "+", toLeft=True), [None if None in pair else "+".join(pair[::-1]) for pair in pairs])
    times = [i % 4 - 1 for i in range(len(values))]
    same(
        a.str.repeat(np.array(times, np.int64)),
        [None if v is None else v * n for v, n in zip(values, times, strict=True)],
    )


def test_arkoudas():
    column = ak.array(["a.b.c", "d", ".x", None])
    for got, expected in (
        (column.peel("."), (["a", "", "", None], ["b.c", "d", "x", None])),
        (column.peel(".", 2), (["a.b", "", "", None], ["c", "d", ".x", None])),
        (column.peel(".", keepPartial=True), (["a", "d", "", None], ["b.c", "", "x", None])),
        (column.peel(".", includeDelimiter=True), (["a.", "", ".", None], ["b.c", "d", "x", None])),
        (column.rpeel("."), (["a.b", "d", "", None], ["c", "", "x", None])),
        (column.rpeel(".", includeDelimiter=True), (["a.b", "d", "", None], [".c", "", ".x", None])),
    ):
        same(got[0], expected[0])
        same(got[1], expected[1])
    ends, long = column.get_prefixes(2)
    same(ends, ["a."])
    same(long, [True, False, False, False])
    same(column.get_suffixes(2, proper=False, return_origins=False), [".c", ".x"])


@given(st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)), max_size=30))
def test_integers_come_back(values):
    same(ak.strings(each(values, str)).astype(int), values)
    same(ak.strings(each(values, lambda v: f" +{v} " if v >= 0 else f"{v}\n")).astype("int64"), values)
    if values and values.count(None) < len(values):
        same(ak.strings(ak.array(values)), each(values, str))


@given(st.lists(st.floats(), max_size=30))
def test_floats_come_back(values):
    written = ak.strings(ak.array(np.array(values, np.float64)))
    same(written, [repr(value) for value in values])
    np.testing.assert_array_equal(written.astype(float).to_numpy(), np.array(values))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "uint64", "float32", "int64", "float64"])
def test_numbers(dtype):
    values = ["1", "0", "-1", "127", "128", "255", "300", "1e3", ".5", "5.", "x", "", "1_0", "0x10", "nan", "-inf"]
    values += ["1e999", "--1", "+-1", "+5", "TRUE", "- 1"]
    convert = {"b": lambda v: {"true": True, "false": False, "1": True, "0": False}[v.lower()], "f": float}.get(
        np.dtype(dtype).kind, int
    )

    def number(value):
        if "_" in value:
            return None
        try:
            read = convert(value)
            if np.dtype(dtype).kind in "iu" and not np.iinfo(dtype).min <= read <= np.iinfo(dtype).max:
                return None
            return np.dtype(dtype).type(read)
        except (ValueError, KeyError):
            return None

    with np.errstate(over="ignore"):
        expected = [number(value) for value in values]
    got = ak.strings(values).astype(dtype, errors="coerce")
    assert got.dtype == dtype
    np.testing.assert_array_equal(got.isna().to_numpy(), [value is None for value in expected])
    there = np.array([value for value in expected if value is not None], dtype)
    np.testing.assert_array_equal(got.dropna().values.to_numpy(), there)
    with pytest.raises(ValueError, match=f"is no {dtype}: "):
        ak.strings(values).astype(dtype)


@pytest.mark.parametrize("name", HARD)
def test_hard_ones(name):
    values = HARD[name]
    column = ak.strings(values).str
    same(column.upper(), [value.upper() for value in values])
    same(column.contains("ab"), ["ab" in value for value in values])
    same(column.count("aa"), [value.count("aa") for value in values])
    same(column.replace("a", "bb"), [value.replace("a", "bb") for value in values])
    same(column.slice(1, -1), [value[1:-1] for value in values])
    low, high = column.hash()
    assert len(set(zip(low.tolist(), high.tolist(), strict=True))) == len(set(values))


def _cut(text, pattern, times, from_right):
    """A text in two at the match with that number, and the match; None: there are fewer."""
    found = list(re.finditer(pattern, text))
    if len(found) < times:
        return None
    one = found[-times] if from_right else found[times - 1]
    return text[: one.start()], one.group(), text[one.end() :]


@pytest.mark.parametrize("pattern", ["_+", "(a|_)b?", "(?i)A+", "[_(]", r"\d+", "(?P<name>_)+b", "a(?=b)"])
@pytest.mark.parametrize("times", [1, 2, 3])
def test_peel_at_matches_of_a_pattern(pattern, times):
    texts = ["", "_", "a__b_c", "__ab__(1_", "aAb_1\n2_b", "é_é__a", "no", "___", "_b_b(_b"]
    column = ak.array([*texts, None])
    for from_right in (False, True):
        for included in (False, True):
            for partial in (False, True):
                left, right = column.peel(
                    pattern, times, regex=True, fromRight=from_right, includeDelimiter=included, keepPartial=partial
                )
                expected = []
                for text in texts:
                    cut = _cut(text, pattern, times, from_right)
                    if cut is None:
                        expected.append(("", text) if partial == from_right else (text, ""))
                        continue
                    before, match, behind = cut
                    if included:
                        before, behind = (before, match + behind) if from_right else (before + match, behind)
                    expected.append((before, behind))
                assert list(zip(left.to_list(), right.to_list(), strict=True)) == [*expected, (None, None)]


def test_peel_refuses_patterns_that_refer_to_their_groups():
    for pattern in (r"(a)\1", "(?P<x>a)(?P=x)"):
        with pytest.raises(ValueError, match="refers to its own groups"):
            ak.array(["aa"]).peel(pattern, regex=True)
    with pytest.raises(re.error):
        ak.array(["aa"]).peel("(", regex=True)
