# SPDX-License-Identifier: Apache-2.0
"""Sizes, counts and bounds beyond 64 bits: MemoryError where a result would be too large, else as NumPy and pandas."""

import numpy as np
import pandas as pd
import pytest
from oracle import same

import atoll as ak
import atoll.pandas as apd
from atoll.arrays import sizes

pytestmark = pytest.mark.usefixtures("two_sessions")

WIDE = 1 << 70
#: Four of them are 2^64: their sum is 0 in 64 bits.
QUARTER = 1 << 62


def array():
    return ak.arange(5)


def matrix():
    return ak.arange(6).reshape(2, 3)


def texts():
    return apd.Series(["abc", "d", ""])


def numbers():
    return apd.Series([1, 2, 3])


def many():
    """As many distinct numbers as make a table of 1 TiB of bools, 8 TiB of numbers."""
    return apd.Series(ak.arange(1 << 20))


def pairs():
    """Rows with one key: joined with themselves 2^40 rows."""
    row = ak.arange(1 << 20)
    return apd.DataFrame({"key": ak.zeros(1 << 20, dtype=np.int64), "row": row, "same": row})


def distinct_texts():
    return apd.Series(ak.arange(1 << 17)).astype("str")


@pytest.mark.parametrize(
    "make",
    {
        "repeat by counts": lambda: ak.repeat(array(), [QUARTER] * 4 + [3]),
        "repeat rows by counts": lambda: ak.repeat(matrix(), [QUARTER, QUARTER], axis=0),
        "repeat columns": lambda: ak.repeat(matrix(), QUARTER, axis=1),
        "repeat": lambda: ak.repeat(array(), QUARTER),
        "tile": lambda: ak.tile(array(), QUARTER),
        "tile along two axes": lambda: ak.tile(array(), (1 << 40, 1 << 40)),
        "kron": lambda: ak.kron(ak.broadcast_to(ak.ones(1), (1 << 31,)), ak.broadcast_to(ak.ones(1), (1 << 33,))),
        "zeros of a wide shape": lambda: ak.zeros((WIDE, 0)),
        "histogram": lambda: ak.histogram(array(), bins=WIDE),
        "bincount": lambda: ak.bincount(array(), minlength=WIDE),
        "Series.repeat": lambda: numbers().repeat(QUARTER),
        "Series.repeat by counts": lambda: numbers().repeat([QUARTER, QUARTER, QUARTER]),
        "Series.repeat of texts by counts": lambda: texts().repeat([QUARTER, QUARTER, 3]),
        "Index.repeat": lambda: apd.Index([1, 2, 3, 4]).repeat([QUARTER] * 4),
        "str.repeat": lambda: texts().str.repeat(QUARTER),
        "str.repeat by counts": lambda: texts().str.repeat([QUARTER] * 3),
        "str.repeat by counts whose bytes wrap": lambda: ak.array(["abcd"] * 4).str.repeat([QUARTER] * 4),
        "array_split": lambda: ak.array_split(array(), 1 << 40),
        "hsplit": lambda: ak.hsplit(ak.zeros((2, 0)), 1 << 40),
        "MultiIndex.from_product": lambda: apd.MultiIndex.from_product([range(1 << 21)] * 3),
        "get_dummies": lambda: apd.get_dummies(many()),
        "str.get_dummies": lambda: distinct_texts().str.get_dummies(),
        "merge": lambda: pairs().merge(pairs(), on="key"),
        "merge, outer": lambda: pairs().merge(pairs(), on="key", how="outer"),
        "merge, cross": lambda: pairs().merge(pairs(), how="cross"),
        "join": lambda: ak.join(pairs().key.values, pairs().key.values),
        "pivot": lambda: pairs().pivot(index="row", columns="same", values="key"),
        "pivot_table": lambda: pairs().pivot_table(index="row", columns="same", values="key"),
        "crosstab": lambda: apd.crosstab(many(), many()),
        "unstack": lambda: pairs().set_index(["row", "same"]).key.unstack(),
        "str.pad": lambda: texts().str.pad(QUARTER),
        "str.center": lambda: texts().str.center(WIDE),
        "str.zfill": lambda: texts().str.zfill(QUARTER),
        "str.ljust": lambda: texts().str.ljust(QUARTER, "x"),
    }.items(),
    ids=lambda case: case[0],
)
def test_a_result_beyond_all_memory_is_a_memory_error(make):
    with pytest.raises(MemoryError):
        make[1]()
    assert ak.arange(10).sum() == 45


def test_the_total_of_counts_does_not_wrap():
    assert sizes.total_of(ak.array([3, 0, 4])) == 7
    assert sizes.total_of(ak.array([], dtype=np.int64)) == 0
    assert sizes.total_of(ak.array([1 << 59, 5])) == (1 << 59) + 5
    for counts in ([QUARTER] * 4, [QUARTER] * 5, [(1 << 63) - 1, 1], [1 << 60, 1 << 60]):
        with pytest.raises(MemoryError):
            sizes.total_of(ak.array(counts))


@pytest.mark.parametrize(
    "use", [lambda a: ak.repeat(a, WIDE), lambda a: ak.repeat(a, [WIDE] * 5), lambda a: ak.tile(a, WIDE)]
)
def test_counts_of_more_than_64_bits_are_an_overflow_or_memory_error(use):
    with pytest.raises((OverflowError, MemoryError)):
        use(array())


SLICES = [
    slice(None, WIDE), slice(-WIDE, None), slice(WIDE, None), slice(None, -WIDE), slice(None, None, WIDE),
    slice(None, None, -WIDE), slice(WIDE, None, -WIDE), slice(-WIDE, WIDE, 2), slice(1, WIDE, WIDE),
]  # fmt: skip


@pytest.mark.parametrize("key", SLICES, ids=str)
def test_slices_with_bounds_of_more_than_64_bits(key):
    x = np.arange(5)
    same(array()[key], x[key])
    same(matrix()[:, key], np.arange(6).reshape(2, 3)[:, key])
    same(matrix()[key, key], np.arange(6).reshape(2, 3)[key, key])
    a = array()
    a[key], x[key] = 9, 9
    same(a, x)
    rows = ["abc", "d", ""]
    assert texts().iloc[key].to_list() == rows[key] and texts()[key].to_list() == rows[key]
    assert numbers().iloc[key].to_list() == [1, 2, 3][key]
    assert apd.Series([1, None, 3], dtype="Int64").iloc[key].isna().to_list() == [False, True, False][key]
    frame = apd.DataFrame({"a": [1, 2, 3], "b": rows})
    assert frame.iloc[key].b.to_list() == rows[key] and frame[key].a.to_list() == [1, 2, 3][key]
    assert list(frame.iloc[:, key].columns) == ["a", "b"][key]
    assert texts().str[key].to_list() == [text[key] for text in rows]
    assert texts().str.slice(key.start, key.stop, key.step).to_list() == [text[key] for text in rows]


@pytest.mark.parametrize("index", [WIDE, -WIDE])
def test_indices_of_more_than_64_bits_are_out_of_bounds(index):
    a = array()
    for use in (
        lambda: a[index], lambda: a.__setitem__(index, 1), lambda: matrix()[0, index], lambda: matrix()[index],
        lambda: numbers().iloc[index], lambda: apd.DataFrame({"a": [1]}).iloc[index], lambda: ak.array(["a"])[index],
    ):  # fmt: skip
        with pytest.raises(IndexError):
            use()
    same(a, np.arange(5))
    assert texts().str.get(index).isna().to_list() == [True] * 3


def test_amounts_of_more_than_64_bits():
    x = np.arange(5)
    same(ak.roll(array(), WIDE), np.roll(x, WIDE))
    same(ak.roll(array(), -WIDE), np.roll(x, -WIDE))
    same(ak.diff(array(), n=WIDE), x[:0])
    same(ak.isin(array(), [WIDE, 3, -WIDE]), np.isin(x, [3]))
    assert ak.searchsorted(array(), WIDE) == 5 and ak.searchsorted(array(), -WIDE) == 0
    assert ak.searchsorted(ak.array([0.0, 1e30]), WIDE) == 1
    assert texts().str.split("b", n=WIDE).to_list() == pd.Series(["abc", "d", ""]).str.split("b").to_list()
    assert texts().str.find("d", 0, WIDE).to_list() == [-1, 0, -1]
    assert numbers().shift(WIDE).isna().all() and numbers().diff(-WIDE).isna().all()
    assert numbers().rolling(WIDE, min_periods=1).sum().to_list() == [1, 3, 6]
    assert numbers().head(WIDE).to_list() == numbers().tail(WIDE).to_list() == [1, 2, 3]


@pytest.mark.parametrize("value", [WIDE, -WIDE])
def test_values_of_more_than_64_bits_are_out_of_bounds(value):
    a = array()
    for use in (
        lambda: a.fill(value),
        lambda: a.__setitem__(0, value),
        lambda: a + value,
        lambda: ak.minimum(a, value),
    ):
        with pytest.raises(OverflowError, match="out of bounds for int64"):
            use()
    same(a, np.arange(5))
    same(a < value, np.arange(5) < value)
    same(ak.clip(a, -abs(value), abs(value)), np.arange(5))


def test_values_of_more_than_64_bits_are_among_none():
    assert numbers().isin([WIDE]).to_list() == [False] * 3
    assert numbers().isin([WIDE, 2]).to_list() == [False, True, False]
    assert apd.Series([1.0, 2.0]).isin([WIDE, 2]).to_list() == [False, True]
    assert texts().isin([WIDE, "d"]).to_list() == [False, True, False]
    assert apd.DataFrame({"a": [1, 2]}).isin([-WIDE, 2]).a.to_list() == [False, True]
    assert apd.Index([1, 2]).isin([WIDE, 1]).tolist() == [True, False]
    same(ak.isin(array(), WIDE), np.isin(np.arange(5), WIDE))


def test_labels_of_more_than_64_bits_are_as_with_pandas():
    for frames in (apd, pd):
        rows = frames.Series([1, 2, 3])
        assert rows.loc[:WIDE].to_list() == rows.loc[-WIDE:].to_list() == [1, 2, 3]
        assert rows.loc[WIDE:].to_list() == []
        assert rows.truncate(WIDE).to_list() == []
        assert rows.truncate(-WIDE, WIDE).to_list() == [1, 2, 3]
        assert WIDE not in rows.index and rows.get(WIDE) is None
        with pytest.raises(KeyError):
            rows.loc[WIDE]
        with pytest.raises(KeyError):
            rows.drop(WIDE)


@pytest.mark.parametrize(
    ("use", "error"),
    {
        "array_split": (lambda m, p: m.array_split(m.arange(5), WIDE), OverflowError),
        "round of floats": (lambda m, p: m.round(m.arange(5) * 1.0, WIDE), OverflowError),
        "round to tens": (lambda m, p: m.round(m.arange(5), -QUARTER), OverflowError),
        "unpackbits": (lambda m, p: m.unpackbits(m.zeros(1, dtype=np.uint8), count=WIDE), OverflowError),
        "ravel_multi_index": (lambda m, p: m.ravel_multi_index((1, 1), (QUARTER, 8)), ValueError),
        "binomial": (lambda m, p: m.random.default_rng(1).binomial(WIDE, 0.5, 3), OverflowError),
        "expanding": (lambda m, p: p.Series([1, 2]).expanding(WIDE).sum(), OverflowError),
        "to_datetime": (lambda m, p: p.to_datetime([WIDE]), ValueError),
        "to_datetime of seconds": (lambda m, p: p.to_datetime(WIDE, unit="s"), ValueError),
        "to_timedelta": (lambda m, p: p.to_timedelta([WIDE]), ValueError),
    }.values(),
)
def test_arguments_of_more_than_64_bits_are_errors_as_with_numpy_and_pandas(use, error):
    for module, frames in ((ak, apd), (np, pd)):
        with pytest.raises(error):
            use(module, frames)


def test_diagonals_and_decimals_beyond_all_elements():
    for diagonal in (WIDE, -WIDE, QUARTER):
        same(ak.eye(3, k=diagonal), np.zeros((3, 3)))
    same(ak.round(ak.arange(5), -25), np.zeros(5, dtype=np.int64))
    assert apd.to_datetime([WIDE, 5], errors="coerce").isna().tolist() == [True, False]
