# SPDX-License-Identifier: Apache-2.0
"""Arkouda's arrays as pandas extension arrays: the results of pandas equal those on its own arrays."""

import operator

import numpy as np
import pandas as pd
import pytest

import atoll.arkouda as ak
from atoll.arkouda.pandas.extension import ArkoudaArray, ArkoudaCategorical, ArkoudaExtensionArray, ArkoudaStringArray

pytestmark = pytest.mark.usefixtures("two_sessions")

VALUES = {
    "ak_int64": [3, -1, 3, 7, 0],
    "ak_uint64": [3, 2**63, 3, 7, 0],
    "ak_float64": [1.5, float("nan"), -2.0, 1.5, float("nan")],
    "ak_bool": [True, False, False, True, True],
    "ak_string": ["b", "", "żó", "b", "a"],
    "ak_category": ["b", "c", "a", "b", "a"],
}


@pytest.fixture(params=VALUES)
def both(request):
    """A Series whose values lie on the PEs, and pandas' own of the same values."""
    values = VALUES[request.param]
    return pd.Series(pd.array(values, dtype=request.param)), pd.Series(values)


def test_names_with_a_prefix_are_arkoudas_and_plain_ones_are_not():
    assert isinstance(pd.array([1], dtype="arkouda.int64"), ArkoudaArray)
    assert isinstance(pd.array(["a"], dtype="ak"), ArkoudaStringArray)
    assert isinstance(pd.array(["a"], dtype="ak_Category"), ArkoudaCategorical)
    assert not isinstance(pd.array([1], dtype="int64"), ArkoudaExtensionArray)
    assert pd.array([1, 2**70], dtype="ak.bigint").tolist() == [1, 2**70]
    with pytest.raises(TypeError):
        pd.array([1], dtype="ak_int63")


def test_rows_are_pandas_rows(both):
    ours, theirs = both
    mask = np.array([True, False, True, True, False])
    for take in (
        lambda s: s.iloc[1:4],
        lambda s: s.iloc[::-1],
        lambda s: s[mask],
        lambda s: s.take([4, 0, -1]),
        lambda s: pd.concat([s, s]),
        lambda s: s.head(0),
        lambda s: s.drop_duplicates(),
        lambda s: s.iloc[[2, 2]],
    ):
        assert isinstance(take(ours).array, type(ours.array))
        np.testing.assert_array_equal(take(ours).to_numpy(), take(theirs).to_numpy())
        assert take(ours).index.equals(take(theirs).index)
    assert ours.isna().tolist() == theirs.isna().tolist()


def test_numbers_of_values_are_in_order_of_appearance(both):
    ours, theirs = both
    for sentinel in (True, False):
        codes, values = ours.factorize(use_na_sentinel=sentinel)
        expected, kept = theirs.factorize(use_na_sentinel=True)
        shown = codes if sentinel else np.where(codes == len(values), -1, codes)
        np.testing.assert_array_equal(shown, expected)
        np.testing.assert_array_equal(np.asarray(values), np.asarray(kept))
    counts = theirs.value_counts()
    found = ours.value_counts()
    assert dict(zip(found.index.to_numpy(), found.to_numpy(), strict=True)) == counts.to_dict()


def test_order_and_merge(both):
    ours, theirs = both
    np.testing.assert_array_equal(ours.sort_values().to_numpy(), theirs.sort_values().to_numpy())
    rows = pd.Series(range(5))
    left, right = pd.DataFrame({"k": ours, "n": rows}), pd.DataFrame({"k": ours, "m": rows})
    joined = left.merge(right, on="k").sort_values(["n", "m"])
    plain = pd.DataFrame({"k": theirs, "n": rows}).merge(pd.DataFrame({"k": theirs, "m": rows}), on="k")
    if not theirs.isna().any():
        assert joined[["n", "m"]].to_numpy().tolist() == plain.sort_values(["n", "m"])[["n", "m"]].to_numpy().tolist()


@pytest.mark.parametrize("op", [operator.add, operator.sub, operator.mul, operator.lt, operator.ge, operator.ne])
def test_arithmetic_stays_on_the_pes(op):
    a, b = np.array([1, 5, -2]), np.array([4, 5, 6])
    x, y = pd.array(a, dtype="ak_int64"), pd.array(b, dtype="ak_int64")
    for ours, theirs in ((op(x, y), op(a, b)), (op(x, 2), op(a, 2)), (op(pd.Series(x), b), op(a, b))):
        assert isinstance(getattr(ours, "array", ours), ArkoudaArray)
        np.testing.assert_array_equal(np.asarray(ours), theirs)
    with pytest.raises(ValueError, match="Lengths must match"):
        op(x, pd.array([1, 2], dtype="ak_int64"))


def test_missing_rows_take_the_fill_value():
    assert pd.array([5, 6], dtype="ak_int64").take([1, -1], allow_fill=True).tolist() == [6, -1]
    assert pd.array(["x"], dtype="ak_string").take([-1, 0], allow_fill=True, fill_value="?").tolist() == ["?", "x"]
    assert pd.array([], dtype="ak_int64").take([-1], allow_fill=True, fill_value=9).tolist() == [9]
    with pytest.raises(ValueError, match="missing row"):
        pd.array([5, 6], dtype="ak_int64").take([-2], allow_fill=True)
    with pytest.raises(IndexError):
        pd.array([5, 6], dtype="ak_int64").take([2])
    with pytest.raises(ValueError, match="NaN"):
        pd.array([1.0, float("nan")], dtype="ak_int64")


def test_rows_are_set(both):
    ours, theirs = (one.copy() for one in both)
    for s in (ours, theirs):
        s.iloc[[0, 2]] = s.iloc[3]
    np.testing.assert_array_equal(ours.to_numpy(), theirs.to_numpy())
    texts = pd.array(["a", "b"], dtype="ak_category")
    texts[1] = "new"
    assert texts.tolist() == ["a", "new"]


def test_frames_go_there_and_back():
    frame = pd.DataFrame({"i": [1, 2, 2], "s": ["x", "y", "x"]}, index=pd.Index([7, 8, 9], name="row"))
    there = frame.ak.to_ak()
    assert there.ak.to_ak_legacy().columns.values == ["i", "s"]
    assert there["i"].ak.is_arkouda
    assert not frame["i"].ak.is_arkouda
    pd.testing.assert_frame_equal(there.ak.collect(), frame)
    with pytest.raises(TypeError, match="Arkouda"):
        frame.ak.merge(there, on="i")
    assert there["i"].ak.locate(8).tolist() == [2]
    assert there["s"].ak.groupby().size()[1].tolist() == [2, 1]
    levels = pd.MultiIndex.from_arrays([[1, 1, 2], ["a", "b", "a"]], names=["n", "c"])
    assert levels.ak.to_ak().ak.collect().equals(levels)
    assert ak.array([True, False, True]).tolist() == there.index.ak.lookup([7, 9]).tolist()
