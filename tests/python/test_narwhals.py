# SPDX-License-Identifier: Apache-2.0
"""Other libraries accept frames: through narwhals, the interchange protocol, Arrow's interface, and as arrays."""

import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow.interchange import from_dataframe

import atoll as ak

nw = pytest.importorskip("narwhals")


@pytest.fixture(scope="module", params=[(1, 2), (3, 1)], ids=["1x2", "3x1"], autouse=True)
def session(request):
    ak.shutdown()
    with ak.init(*request.param) as session:
        yield session


TABLE = {"k": ["x", "y", "x", "z", "y"], "a": [3, 1, 2, 5, 4], "b": [1.5, None, 2.5, 0.0, -1.0]}

#: Questions in narwhals' words.
QUESTIONS = {
    "filter": lambda df: df.filter(nw.col("a") > 1, nw.col("k") != "z"),
    "columns": lambda df: df.with_columns(c=nw.col("a") * 2 + nw.col("b"), d=nw.col("k").str.to_uppercase()),
    "groups": lambda df: df.group_by("k").agg(nw.col("a").sum(), nw.len().alias("n"), m=nw.col("b").mean()).sort("k"),
    "first": lambda df: df.group_by("k").agg(nw.col("a", "b").sum()).sort("k"),
    "over": lambda df: df.with_columns(s=nw.col("a").sum().over("k")),
    "join": lambda df: df.join(df.select("k", z=nw.col("a")), on="k").sort("a", "z"),
    "sort": lambda df: df.sort("b", nulls_last=True),
    "reduce": lambda df: df.select(nw.col("a").max(), nw.col("b").min()),
    "when": lambda df: df.select(w=nw.when(nw.col("a") > 2).then(nw.col("a")).otherwise(0)),
    "stack": lambda df: nw.concat([df, df]),
    "long": lambda df: df.unpivot(["a", "b"], index="k").sort("k", "variable"),
    "distinct": lambda df: df.unique("k", keep="first", maintain_order=True),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_narwhals_answers_are_those_of_pandas(question):
    expected = QUESTIONS[question](nw.from_native(pd.DataFrame(TABLE))).to_native()
    got = QUESTIONS[question](nw.from_native(ak.DataFrame(TABLE))).to_native()
    assert isinstance(got, ak.DataFrame)
    pd.testing.assert_frame_equal(
        got.to_pandas().reset_index(drop=True), expected.reset_index(drop=True), check_dtype=False
    )


def test_narwhals_makes_frames_and_series():
    import atoll.pandas as apd

    made = nw.from_dict({"a": [1, 2]}, backend=apd)
    assert isinstance(made.to_native(), ak.DataFrame)
    assert nw.from_native(ak.Series([1, 2, 4]), series_only=True).mean() == 7 / 3
    assert nw.from_native(ak.DataFrame(TABLE)).to_arrow().column("a").to_pylist() == TABLE["a"]


def test_lists_are_lists():
    df = nw.from_native(ak.DataFrame({"a": [[1, 2], [3]], "o": [True, "x"]}))
    assert df.schema == {"a": nw.List(nw.Int64), "o": nw.Object} and df["a"].dtype == nw.List(nw.Int64)
    assert df.select("a").explode("a").to_native()["a"].to_list() == [1, 2, 3]


def test_the_interchange_protocol_both_ways():
    df = ak.DataFrame({"a": [1, 2, 3], "s": ["x", "y", "z"]})
    taken = from_dataframe(df)
    assert taken.to_pydict() == {"a": [1, 2, 3], "s": ["x", "y", "z"]}
    with pytest.raises(RuntimeError, match="copy"):
        df.__dataframe__(allow_copy=False)

    class Foreign:
        """What speaks this protocol alone."""

        def __dataframe__(self, nan_as_null=False, allow_copy=True):
            return pa.table({"a": [1, 2], "f": [0.5, None]}).__dataframe__()

    assert ak.DataFrame(Foreign()).a.sum() == 3


def test_arrow_capsules_both_ways():
    df = ak.DataFrame(TABLE)
    assert pa.table(df).column_names == ["k", "a", "b"]
    assert pa.schema(df).names == ["k", "a", "b"]
    assert pa.chunked_array(df.a).to_pylist() == TABLE["a"]
    pl = pytest.importorskip("polars")
    assert pl.DataFrame(df)["a"].to_list() == TABLE["a"]
    assert ak.DataFrame(pl.DataFrame(TABLE)).b.sum() == 3.0
    assert ak.Series.from_arrow(pl.Series([1, 2, 4])).sum() == 7
    assert ak.Series(pa.array([1, None, 3])).isna().to_list() == [False, True, False]


def test_estimators_fit_on_frames():
    linear = pytest.importorskip("sklearn.linear_model")
    pipeline = pytest.importorskip("sklearn.pipeline")
    scale = pytest.importorskip("sklearn.preprocessing")
    rng = np.random.default_rng(3)
    table = {"x": rng.normal(size=40), "y": rng.normal(size=40)}
    df = ak.DataFrame(table)
    df["t"] = 2 * df.x - 3 * df.y + 1
    found = linear.LinearRegression().fit(df[["x", "y"]], df["t"])
    np.testing.assert_allclose([*found.coef_, found.intercept_], [2, -3, 1], atol=1e-12)
    np.testing.assert_allclose(found.predict(df[["x", "y"]]), df.t.to_numpy())
    both = pipeline.make_pipeline(scale.StandardScaler(), linear.LogisticRegression())
    assert both.fit(df[["x", "y"]], df["t"] > 1).score(df[["x", "y"]], df["t"] > 1) > 0.9


def test_floor_division_has_nothing_by_zero():
    df = nw.from_native(ak.DataFrame({"a": [7, -7, 5], "b": [2, 0, 5]}))
    made = df.select(by=nw.col("a") // nw.col("b"), two=nw.col("a") // 2, zero=nw.col("a") // 0).to_native()
    assert made.by.to_list()[0::2] == [3.0, 1.0] and made.by.isna().to_list() == [False, True, False]
    assert made.two.to_list() == [3, -4, 2]
    assert made.zero.isna().all()


def test_rows_of_groups_are_counted():
    df = nw.from_native(ak.DataFrame({"k": ["a", "b", "a"], "v": [1, 2, 3]}))
    made = df.group_by("k").agg(nw.len().alias("n"), nw.col("v").sum()).sort("k").to_native()
    assert made.n.to_list() == [2, 1] and made.v.to_list() == [4, 2]


def test_frames_go_to_other_processes():
    df = nw.from_native(ak.DataFrame({"a": [1, 2], "b": ["x", None]}))
    made = pickle.loads(pickle.dumps(df))
    assert made.select(nw.col("a").sum()).to_native().a.to_list() == [3]
    assert made.to_native().equals(df.to_native())
