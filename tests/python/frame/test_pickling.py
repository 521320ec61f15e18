# SPDX-License-Identifier: Apache-2.0
"""Frames, Series, indexes and columns go to another process and come back, and are copied as Python copies."""

import copy
import pickle

import numpy as np
import pytest

import atoll as ak
import atoll.pandas as pd


@pytest.fixture(scope="module", params=[1, 3], autouse=True)
def session(request):
    ak.shutdown()
    with ak.init(pes=request.param, threads=1):
        yield


def frames():
    numbers = pd.DataFrame({"a": [3, 1, 2], "b": [1.5, None, -2.0], "c": ["x", None, "zed"], "d": [True, False, True]})
    yield numbers
    yield numbers.set_index("c")
    yield numbers[numbers.a > 1]
    yield pd.DataFrame({"t": pd.to_datetime(["2026-11-24", None]), "i": pd.Series([1, None], dtype="Int64")})
    yield pd.DataFrame({"k": pd.Series(["a", "b", "a"]).astype("category"), "o": pd.Series([1, "x", None])})
    yield pd.DataFrame({"p": pd.period_range("2026-01", periods=2, freq="M"), "v": pd.interval_range(0, 2)})
    yield pd.DataFrame({"b": pd.cut(pd.Series([1, 9, 3, None]), [0, 2, 4, 10])})
    yield pd.DataFrame({("a", "x"): [1, 2], ("a", "y"): [3, 4]}, index=pd.MultiIndex.from_product([["u"], [1, 2]]))
    yield pd.DataFrame(
        {"l": pd.Series([[1, 2], [3]]), "z": pd.Series(pd.date_range("2026", periods=2, tz="Asia/Tokyo"))}
    )
    yield pd.DataFrame({"x": range(3)}, index=pd.date_range("2026-01-01", periods=3, freq="D"))


@pytest.mark.filterwarnings("ignore::atoll.io.fallback.FallbackWarning")  # of a new column below two levels of labels
@pytest.mark.filterwarnings("ignore:Setting a new column on a DataFrame with a MultiIndex")  # pandas warns, too
@pytest.mark.parametrize("which", range(10))
def test_frames_come_back(which):
    df = list(frames())[which]
    for made in (pickle.loads(pickle.dumps(df)), copy.copy(df), copy.deepcopy(df)):
        assert repr(made) == repr(df)
        assert made.dtypes.to_list() == df.dtypes.to_list()
        assert made.equals(df)
        made["new"] = 1
        assert "new" not in df
    for label in df:
        assert repr(pickle.loads(pickle.dumps(df[label]))) == repr(df[label])
    index = pickle.loads(pickle.dumps(df.index))
    assert repr(index) == repr(df.index) and type(index) is type(df.index)


def test_columns_come_back():
    columns = [
        ak.array(["a", None]), ak.array([1, None]), ak.Categorical(["b", None, "a"], ordered=True),
        ak.Categorical(["b", "a"], categories=["c", "b", "a"]), ak.binary([b"\x00", None]),
        ak.array(np.array(["2026-11-24", "NaT"], "M8[s]")), ak.lists([[1], None]), ak.decimals(["1.5", None]),
    ]  # fmt: skip
    for column in columns:
        made = pickle.loads(pickle.dumps(column))
        assert type(made) is type(column) and repr(made) == repr(column)
        assert copy.deepcopy(column) is column
