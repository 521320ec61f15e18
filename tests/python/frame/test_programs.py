# SPDX-License-Identifier: Apache-2.0
"""Little programs over frames, drawn at random, give what they give in pandas: after every step."""

import warnings

import numpy as np
import pandas as pd
import pytest
from frame.frames import same
from hypothesis import given
from hypothesis import strategies as st

import atoll as ak
import atoll.pandas as apd


@pytest.fixture(scope="module", params=[(1, 2), (2, 1), (3, 1), (5, 1)], ids=["1x2", "2x1", "3x1", "5x1"], autouse=True)
def session(request):
    ak.shutdown()
    with ak.init(*request.param) as session:
        yield session


FLOATS = st.sampled_from([np.nan, -2.5, 0.0, 1.0, 1.0, 3.25, 100.0])
TEXTS = st.sampled_from(["a", "b", "bb", "Z", "", "ä", None])


@st.composite
def tables(draw, least=0):
    """Columns of four kinds, some values missing."""
    n = draw(st.integers(least, 9))
    return {
        "k": np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), dtype=np.int64),
        "v": np.array(draw(st.lists(FLOATS, min_size=n, max_size=n)), dtype=np.float64),
        "s": draw(st.lists(TEXTS, min_size=n, max_size=n)),
        "b": np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)), dtype=bool),
    }


def make(m, table):
    return m.DataFrame(
        {name: m.Series(values, dtype="str") if name == "s" else values for name, values in table.items()}
    )


#: Steps: (m, frame, another frame, a number) -> frame. All of them keep the columns k, v, s and b.
STEPS = {
    "filter": lambda m, df, other, n: df[df.k > n],
    "filter two": lambda m, df, other, n: df[(df.v > 0) | (df.k == n)],
    "filter texts": lambda m, df, other, n: df[df.s != "a"],
    "query": lambda m, df, other, n: df.query("k >= @n and b", local_dict={"n": n}),
    "assign": lambda m, df, other, n: df.assign(v=df.v * 2 + df.k),
    "set": lambda m, df, other, n: df.assign(k=df.k.where(df.b, n)),
    "mask": lambda m, df, other, n: df.assign(v=df.v.mask(df.k == n)),
    "fill": lambda m, df, other, n: df.fillna({"v": float(n), "s": "none"}),
    "drop": lambda m, df, other, n: df.dropna(subset=["v"] if n % 2 else ["s"]),
    "sort": lambda m, df, other, n: df.sort_values("v", kind="stable", ascending=bool(n % 2)),
    "sort two": lambda m, df, other, n: df.sort_values(["k", "s"], ascending=[bool(n % 2), True]),
    "sort texts": lambda m, df, other, n: df.sort_values("s", kind="stable", na_position="first"),
    "sort labels": lambda m, df, other, n: df.sort_index(kind="stable"),
    "head": lambda m, df, other, n: df.head(n + 2),
    "tail": lambda m, df, other, n: df.tail(n + 2),
    "cut": lambda m, df, other, n: df.iloc[n : n + 4],
    "backwards": lambda m, df, other, n: df[::-1],
    "distinct": lambda m, df, other, n: df.drop_duplicates(["k", "b"], keep="last" if n % 2 else "first"),
    "repeats": lambda m, df, other, n: df[~df.duplicated("s")],
    "numbers": lambda m, df, other, n: df.reset_index(drop=True),
    "twice": lambda m, df, other, n: m.concat([df, df.head(n)]),
    "other": lambda m, df, other, n: m.concat([df, other], ignore_index=True),
    "merge": lambda m, df, other, n: df.merge(other[["k"]].drop_duplicates(), on="k"),
    "merge left": lambda m, df, other, n: df.drop(columns="v").merge(
        other[["k", "v"]].drop_duplicates("k"), on="k", how="left"
    )[["k", "v", "s", "b"]],
    "merge texts": lambda m, df, other, n: df.merge(other[["s"]].dropna().drop_duplicates(), on="s"),
    "isin": lambda m, df, other, n: df[df.k.isin(other.k) | df.s.isin(["a", "b"])],
    "cumulate": lambda m, df, other, n: df.assign(v=df.v.cumsum()),
    "shift": lambda m, df, other, n: df.assign(v=df.v.shift(n - 1)),
    "change": lambda m, df, other, n: df.assign(v=df.v.diff()),
    "mean of groups": lambda m, df, other, n: df.assign(v=df.groupby("k").v.transform("mean")),
    "shift in groups": lambda m, df, other, n: df.assign(v=df.groupby("k").v.shift(1)),
    "count in groups": lambda m, df, other, n: df.assign(k=df.groupby("k").cumcount()),
    "first of groups": lambda m, df, other, n: df.groupby("k").head(n + 1),
    "groups": lambda m, df, other, n: df.groupby("k", as_index=False).agg({"v": "sum", "s": "first", "b": "any"}),
    "upper": lambda m, df, other, n: df.assign(s=df.s.str.upper()),
    "texts": lambda m, df, other, n: df.assign(s=df.s + "x"),
    "lengths": lambda m, df, other, n: df.assign(v=df.s.str.len().astype("float64")),
    "fill along": lambda m, df, other, n: df.assign(v=df.v.ffill(), s=df.s.bfill()),
    "replace": lambda m, df, other, n: df.replace({"k": {1: 9}}),
    "set place": lambda m, df, other, n: _with_zeros(df),
    "align": lambda m, df, other, n: df.reset_index(drop=True).assign(v=df.v.reset_index(drop=True)[::-1] + 1),
    "across": lambda m, df, other, n: df.assign(v=df[["k", "v"]].cumsum(axis=1).v),
    "change across": lambda m, df, other, n: df.assign(v=df[["k", "v"]].diff(axis=1).v),
    "fill across": lambda m, df, other, n: df.assign(v=df[["k", "v"]].ffill(axis=1).v),
    "fill few": lambda m, df, other, n: df.assign(v=df.v.fillna(float(n), limit=n + 1)),
    "rank": lambda m, df, other, n: df.assign(v=df.v.rank(method=["average", "min", "max", "first"][n])),
    "rank in groups": lambda m, df, other, n: df.assign(v=df.groupby("k").v.rank()),
    "map": lambda m, df, other, n: df.assign(v=df.k.map({0: 0.5, 1: 1.5, n: 9.0})),
    "clip": lambda m, df, other, n: df.assign(v=df.v.clip(0, n + 1)),
    "distinct across": lambda m, df, other, n: df.assign(k=df[["k", "v"]].nunique(axis=1)),
    "by time": lambda m, df, other, n: _by_time(m, df, n),
    "windows": lambda m, df, other, n: df.assign(v=df.v.rolling(2, min_periods=1).mean()),
}

#: What is asked of a frame at the end.
QUESTIONS = {
    "sums": lambda df: df[["k", "v"]].sum(),
    "means": lambda df: df.groupby("s").v.mean(),
    "both": lambda df: df.groupby(["k", "b"]).v.agg(["sum", "count", "max"]),
    "counts": lambda df: df.k.value_counts(sort=False).sort_index(),
    "missing": lambda df: df.isna().sum(),
    "labels": lambda df: df.set_index("k").index,
    "wide": lambda df: df.pivot_table("v", "k", "b", aggfunc="sum"),
    "long": lambda df: df.reset_index(drop=True).melt("k", ["v"]),
    "records": lambda df: df.to_dict("list")["k"],
    "distinct": lambda df: df.nunique(),
}


def _by_time(m, df, n):
    """Sums of a step of time, back as a column."""
    if not len(df):
        return df
    v = m.Series(df.v.fillna(0.0).to_numpy(), index=m.date_range("2026-01-30", periods=len(df)))
    sums = v.resample(["2D", "3D", "W", "MS"][n]).sum()
    return df.assign(v=float(sums.max()))


def _with_zeros(df):
    made = df.copy()
    made.loc[made.k > 1, "v"] = 0.0
    return made


def _run(step, *args):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return step(*args), None
        except Exception as error:  # compared with the other's
            return None, error


@given(
    tables(), tables(1), st.lists(st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 3)), max_size=5),
    st.sampled_from(sorted(QUESTIONS)),
)  # fmt: skip
def test_programs(table, second, steps, question):
    theirs, their_other = make(pd, table), make(pd, second)
    ours, our_other = make(apd, table), make(apd, second)
    for name, n in steps:
        expected, failure = _run(STEPS[name], pd, theirs, their_other, n)
        got, error = _run(STEPS[name], apd, ours, our_other, n)
        assert (error is None) == (failure is None), f"{name}: {error!r} instead of {failure!r}"
        if failure is not None:
            return
        try:
            same(got, expected)
        except AssertionError as wrong:
            raise AssertionError(f"after {name}: {wrong}\n{theirs}\n{expected}\n{got}") from None
        ours, theirs = got, expected
    expected, failure = _run(QUESTIONS[question], theirs)
    got, error = _run(QUESTIONS[question], ours)
    assert (error is None) == (failure is None), f"{question}: {error!r} instead of {failure!r}\n{theirs}"
    if failure is None:
        same(got, expected)
