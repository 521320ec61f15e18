# SPDX-License-Identifier: Apache-2.0
"""Functions of arrays on columns: truth, pairs of rows, choices of large ranges, matches of no characters."""

import re

import numpy as np
import pytest

import atoll as ak
from atoll.columns.text.strings import as_strings

pytestmark = pytest.mark.usefixtures("two_sessions")


@pytest.mark.parametrize(
    "values", [["2020-01-01", "1970-01-01"], ["1970-01-01"], ["1970-01-01", "NaT"], ["2020-01-01"]]
)
@pytest.mark.parametrize("kind", ["M8[D]", "m8[s]"])
def test_any_and_all_of_datetimes_and_durations_are_those_of_numpy(values, kind):
    expected = np.array(values, "M8[D]").astype("M8[s]")
    expected = expected.astype(kind) if kind[0] == "M" else expected - np.datetime64(0, "s")
    for name in ("any", "all"):
        found = getattr(ak, name)(ak.array(expected))
        assert found == getattr(np, name)(expected)
        assert type(found) is np.bool_


def test_any_and_all_of_columns_are_of_the_values_that_are_there():
    assert ak.any(ak.array([None, True])) and not ak.any(ak.array([None, False]))
    assert ak.all(ak.array([None, True])) and not ak.all(ak.array([None, False]))
    for function in (ak.any, ak.all):
        with pytest.raises(TypeError, match="a column of text has no any"):
            function(ak.array(["a"]))


def test_outer_of_columns_is_an_array_of_all_pairs_of_rows():
    words, others = ["a", "b", "c"], ["b", "a"]
    found = ak.equal.outer(ak.array(words), ak.array(others))
    np.testing.assert_array_equal(found.to_numpy(), np.equal.outer(np.array(words), np.array(others)))
    days = np.array(["2020-01-01", "2021-05-05"], "M8[D]")
    found = ak.less.outer(ak.array(days), ak.array(days[::-1]))
    np.testing.assert_array_equal(found.to_numpy(), np.less.outer(days, days[::-1]))
    assert ak.equal.outer(ak.array(words), ak.array(others)[:0]).shape == (3, 0)
    with pytest.raises(TypeError, match=r"subtract\.outer of these columns is no array"):
        ak.subtract.outer(ak.array(days), ak.array(days))
    with pytest.raises(TypeError, match=r"add\.outer of a column takes no dtype"):
        ak.add.outer(ak.array([1, None]), ak.array([1]), dtype="float32")


@pytest.mark.parametrize("values", [[np.nan, 1.5], [1.5, np.nan], [1, 2]])
def test_arrays_of_numbers_are_no_strings(values):
    assert as_strings(np.array(values)) is None
    assert ak.to_datetime(np.array(values), unit="s").to_list() == ak.to_datetime(values, unit="s").to_list()


@pytest.mark.parametrize("replace", [True, False])
def test_choice_of_a_large_range(replace):
    found = ak.random.default_rng(3).choice(1 << 62, (40, 50), replace=replace).to_numpy()
    assert found.shape == (40, 50) and found.dtype == np.int64
    assert found.min() >= 0 and found.max() < 1 << 62
    assert np.unique(found).size == 2000
    assert 0 <= ak.random.default_rng(3).choice(1 << 62) < 1 << 62


def test_choice_without_replacement_draws_again_what_came_twice(monkeypatch):
    from atoll.random import generator

    monkeypatch.setattr(generator, "_LONG", 10)
    monkeypatch.setattr(generator, "_SPARSE", 1)
    found = ak.random.default_rng(3).choice(50, 40, replace=False).to_numpy()
    assert np.unique(found).size == 40


def peeled(text, pattern, times, from_right):
    places = [match.span() for match in re.finditer(pattern, text)]
    if len(places) < times:
        return (text, "") if from_right else ("", text)
    begin, end = places[-times] if from_right else places[times - 1]
    return text[:begin], text[end:]


@pytest.mark.parametrize("from_right", [False, True])
@pytest.mark.parametrize("pattern", ["(?=b)", r"\b", "(?<=b)", "$", "^", "_+"])
def test_peel_at_matches_of_no_characters(pattern, from_right):
    texts = ["a_b__cb", "x", "", "bb", "bab"]
    for times in (1, 2, 3):
        left, right = ak.array(texts).str.peel(pattern, times, regex=True, fromRight=from_right)
        expected = [peeled(text, pattern, times, from_right) for text in texts]
        assert list(zip(left.to_list(), right.to_list(), strict=True)) == expected


def test_peel_refuses_patterns_that_match_nothing_in_some_places():
    with pytest.raises(ValueError, match="matches an empty string in some places"):
        ak.array(["a"]).str.peel("(?=b)|_", regex=True)
