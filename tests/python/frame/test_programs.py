# SPDX-License-Identifier: Apache-2.0
"""Little programs over frames, drawn at random, give what they give in pandas: after every step."""

import os
import warnings

import numpy as np
import pandas as pd
import pytest
from frame.frames import same
from hypothesis import given, settings
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


COLUMNS = ["k", "v", "s", "b"]

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
    "interpolate by labels": lambda m, df, other, n: df.reset_index(drop=True).assign(
        v=lambda d: d.v.interpolate(["nearest", "zero", "slinear", "linear"][n], limit_direction="both")
    ),
    "update": lambda m, df, other, n: _updated(df.reset_index(drop=True), other.reset_index(drop=True), bool(n % 2)),
    "transform by groups": lambda m, df, other, n: df.assign(
        v=df.groupby("k").v.transform(["quantile", "median", "std", "ffill"][n]),
        k=df.groupby("b").k.transform("cumcount"),
    ),
    "copied key": lambda m, df, other, n: df.groupby(df.k.copy())[["k", "v"]].first().assign(s="x", b=True),
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
    "loc": lambda m, df, other, n: df.loc[df.k == n, COLUMNS],
    "loc labels": lambda m, df, other, n: df.reset_index(drop=True).loc[n : n + 3],
    "loc list": lambda m, df, other, n: df.reset_index(drop=True).loc[[at for at in (2, 0, 2) if at < len(df)]],
    "iloc list": lambda m, df, other, n: df.iloc[[at for at in (-1, 0, n) if -len(df) <= at < len(df)]],
    "set cells": lambda m, df, other, n: _with_cells(df, n),
    "in and out": lambda m, df, other, n: _in_and_out(df),
    "rename": lambda m, df, other, n: df.rename(columns={"v": "V"}).rename(columns=str.lower),
    "drop a column": lambda m, df, other, n: df.drop(columns="v").assign(v=float(n))[COLUMNS],
    "drop rows": lambda m, df, other, n: df.reset_index(drop=True).drop([at for at in (0, n) if at < len(df)]),
    "reindex": lambda m, df, other, n: df.reset_index(drop=True).reindex(range(min(len(df), n + 2))),
    "reindex columns": lambda m, df, other, n: df[["b", "s", "v", "k"]].reindex(columns=COLUMNS),
    "named labels": lambda m, df, other, n: df.set_index(df.k.rename("label")),
    "two labels": lambda m, df, other, n: df.set_index(["k", "b"], drop=False).rename_axis(["x", "y"]),
    "labels by text": lambda m, df, other, n: df.fillna({"s": "?"}).set_index("s", drop=False).rename_axis(None),
    "cast": lambda m, df, other, n: df.assign(k=df.k.astype("float64").astype("int64"), b=df.b.astype("int8") > 0),
    "largest": lambda m, df, other, n: df.nlargest(n + 2, "v"),
    "smallest": lambda m, df, other, n: df.nsmallest(n + 1, ["k", "v"]),
    "between": lambda m, df, other, n: df[df.v.between(0, n + 1)],
    "apply": lambda m, df, other, n: df.assign(v=df.v.apply(lambda x: x * 2 + n)),
    "apply to rows": lambda m, df, other, n: df.assign(v=df.apply(lambda row: float(row.k), axis=1)) if len(df) else df,
    "pipe": lambda m, df, other, n: df.pipe(lambda one, at: one.tail(at), n + 3),
    "transform": lambda m, df, other, n: df.assign(v=df.v.transform(lambda x: x + 1)),
    "expanding": lambda m, df, other, n: df.assign(v=df.v.expanding(min_periods=1).sum()),
    "weighted": lambda m, df, other, n: df.assign(v=df.v.ewm(alpha=0.5).mean()),
    "largest of windows": lambda m, df, other, n: df.assign(v=df.v.rolling(n + 1, min_periods=1).max()),
    "windows in groups": lambda m, df, other, n: _windows_in_groups(df),
    "growth": lambda m, df, other, n: df.assign(v=df.v.pct_change().replace([np.inf, -np.inf], np.nan)),
    "from the middle": lambda m, df, other, n: df.assign(v=df.v - df.v.quantile(n / 4)),
    "eval": lambda m, df, other, n: df.eval("v = k + v * 2"),
    "eval alone": lambda m, df, other, n: df.assign(v=df.eval("v / 2 + k")),
    "asof": lambda m, df, other, n: m.merge_asof(
        df.drop(columns="v").sort_values("k", kind="stable"),
        other[["k", "v"]].sort_values("k", kind="stable"),
        on="k",
        direction=["backward", "forward", "nearest", "backward"][n],
    )[COLUMNS],
    "join": lambda m, df, other, n: df.drop(columns="v").join(other.groupby("k").v.sum(), on="k")[COLUMNS],
    "join outer": lambda m, df, other, n: (
        df.merge(other[["k"]].drop_duplicates(), on="k", how="outer", indicator=True)
        .query("_merge == 'both'")[COLUMNS]
        .astype({"b": bool})
    ),
    "join right": lambda m, df, other, n: (
        df[["k", "b"]].drop_duplicates("k").merge(other.drop(columns="b"), on="k", how="right").assign(b=True)[COLUMNS]
    ),
    "explode": lambda m, df, other, n: df.assign(s=df.s.str.split("b")).explode("s"),
    "replace in texts": lambda m, df, other, n: df.assign(s=df.s.str.replace("b", "zz", regex=False)),
    "parts of texts": lambda m, df, other, n: df.assign(s=df.s.str.slice(0, 1).str.cat(df.s.str[n:], sep="-")),
    "texts with": lambda m, df, other, n: df[df.s.str.contains("b", na=False) | df.s.str.startswith("Z", na=True)],
    "found in texts": lambda m, df, other, n: df.assign(v=df.s.str.find("b").astype("float64")),
    "padded": lambda m, df, other, n: df.assign(s=df.s.str.pad(n, "both", "*").str.swapcase()),
    "days": lambda m, df, other, n: df.assign(v=_days(m, df).dt.dayofweek.astype("float64")),
    "months": lambda m, df, other, n: df.assign(s=_days(m, df).dt.strftime("%b %d")),
    "between days": lambda m, df, other, n: df.assign(v=_days(m, df).diff().dt.total_seconds() / 3600),
    "codes": lambda m, df, other, n: df.assign(k=df.s.astype("category").cat.codes.astype("int64")),
    "categories": lambda m, df, other, n: df.assign(s=df.s.astype("category").cat.add_categories("new").astype("str")),
    "cut by values": lambda m, df, other, n: df.assign(k=m.cut(df.k.clip(0, 5), [-1, 0, 1, 9], labels=False)),
    "numbers of texts": lambda m, df, other, n: df.assign(k=m.factorize(df.s)[0]),
    "sample": lambda m, df, other, n: df.sample(min(len(df), n + 1), random_state=n),
    "interpolate": lambda m, df, other, n: df.assign(v=df.v.interpolate(limit=n + 1)),
    "look up": lambda m, df, other, n: df.assign(v=df.k.map(other.drop_duplicates("k").set_index("k").v)),
    "add aligned": lambda m, df, other, n: df.assign(v=df.v + other.v),
    "sub of frames": lambda m, df, other, n: df.assign(v=(df[["k", "v"]] - other[["k", "v"]]).v.reindex(df.index)),
    "filter groups": lambda m, df, other, n: df.groupby("k").filter(lambda group: len(group) > 1),
    "nth of groups": lambda m, df, other, n: df.groupby("k").nth(n),
    "last of groups": lambda m, df, other, n: df.groupby(["k", "b"]).tail(1),
    "number of group": lambda m, df, other, n: df.assign(k=df.groupby("s", dropna=False).ngroup()),
    "fill in groups": lambda m, df, other, n: df.assign(v=df.groupby("b").v.ffill(), s=df.groupby("b").s.bfill()),
    "sums in groups": lambda m, df, other, n: df.assign(v=df.groupby("k").v.cumsum()),
    "change in groups": lambda m, df, other, n: df.assign(v=df.groupby("b").v.diff()),
    "deviation in groups": lambda m, df, other, n: df.assign(v=df.groupby("b").v.transform("std")),
    "round": lambda m, df, other, n: df.round(0).assign(v=df.v.round(1).abs()),
    "combine": lambda m, df, other, n: df.assign(
        v=df.v.reset_index(drop=True).combine_first(other.v.reset_index(drop=True)).head(len(df)).to_numpy()
    ),
    "down and up": lambda m, df, other, n: df.assign(v=_down_and_up(df)),
    "isin of a dict": lambda m, df, other, n: df[df.isin({"k": [0, 1], "s": ["a"]}).any(axis=1)],
    "where two": lambda m, df, other, n: df.assign(v=df.v.where(df.b, df.k), s=df.s.where(df.k > n)),
    "replace texts": lambda m, df, other, n: df.replace({"s": {"a": "A", "": "empty"}}),
    "from records": lambda m, df, other, n: make(m, df.to_dict("list")) if len(df) else df,
    "from rows": lambda m, df, other, n: m.concat([df.iloc[at : at + 2] for at in range(0, len(df), 2)] or [df]),
    "by a key": lambda m, df, other, n: df.sort_values("s", key=lambda one: one.str.lower(), kind="stable"),
    "truncate": lambda m, df, other, n: df.reset_index(drop=True).truncate(n, n + 3),
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
    "described": lambda df: df[["k", "v"]].describe(),
    "correlation": lambda df: df[["k", "v"]].corr(),
    "covariance": lambda df: df[["k", "v"]].cov(),
    "quantiles": lambda df: df[["k", "v"]].quantile([0.25, 0.5]),
    "most frequent": lambda df: df.k.mode(),
    "most frequent of all": lambda df: df[["k", "s"]].mode(),
    "where largest": lambda df: df.reset_index(drop=True).k.idxmax(),
    "where smallest": lambda df: df.reset_index(drop=True)[["k"]].idxmin(),
    "rows": lambda df: [tuple(row)[1:2] for row in df.itertuples()],
    "rows as Series": lambda df: [row.k for _, row in df.iterrows()],
    "all records": lambda df: df[["k", "b"]].to_dict("records"),
    "counts of rows": lambda df: df[["k", "b"]].value_counts().sort_index(),
    "several figures": lambda df: df.agg({"k": ["min", "max"], "v": ["sum", "mean"]}),
    "figures by name": lambda df: df.groupby("k").agg(low=("v", "min"), n=("s", "size"), any_=("b", "any")),
    "stacked": lambda df: df[["k", "v"]].reset_index(drop=True).stack(),
    "unstacked": lambda df: df.groupby(["k", "b"]).v.sum().unstack(),
    "unstacked with a fill": lambda df: df.groupby(["b", "s"]).size().unstack(fill_value=0),
    "pivoted": lambda df: df.drop_duplicates(["k", "b"]).pivot(index="k", columns="b", values="v"),
    "dummies": lambda df: _module(df).get_dummies(df[["k", "s"]], columns=["s"]),
    "table of counts": lambda df: _module(df).crosstab(df.k.to_numpy(), df.b.to_numpy()),
    "quarters": lambda df: _module(df).qcut(df.k.rank(method="first"), 2, labels=False),
    "intervals": lambda df: _module(df).cut(df.v, [-5, 0, 2, 200]).value_counts(sort=False),
    "compared": lambda df: df[["k", "s"]].compare(df[["k", "s"]].assign(k=df.k * 2)),
    "side by side": lambda df: _module(df).concat([df.reset_index(drop=True), df.v.reset_index(drop=True)[1:]], axis=1),
    "by keys": lambda df: _module(df).concat({"x": df[["k"]], "y": df[["k"]].head(1)}),
    "grouped by level": lambda df: df.set_index(["k", "b"]).groupby(level=["k", "b"]).v.count(),
    "median of groups": lambda df: df.groupby("b").v.median(),
    "quantile of groups": lambda df: df.groupby("b").v.quantile(0.25),
    "first of groups": lambda df: df.groupby("s", dropna=False)[["k", "v"]].first(),
    "distinct of groups": lambda df: df.groupby("k").s.nunique(),
    "counts of groups": lambda df: df.groupby("b").k.value_counts().sort_index(),
    "pivot of two": lambda df: df.pivot_table(["v", "k"], "b", aggfunc={"v": "mean", "k": "max"}),
    "joined texts": lambda df: df.s.str.cat(sep="|", na_rep="?"),
    "any and all": lambda df: (bool(df.b.any()), bool(df.b.all()), int(df.b.sum())),
    "spread": lambda df: df[["k", "v"]].agg(["var", "sem", "skew"]),
    "products": lambda df: df[["k", "v"]].clip(-2, 2).prod(),
    "resampled": lambda df: _days(_module(df), df).to_frame("d").assign(k=df.k).resample("3D", on="d").k.sum(),
    "wide by hand": lambda df: df.head(3).T.loc[["k"]],
    "text": lambda df: df.reset_index(drop=True).to_string(),
    "csv": lambda df: df.assign(v=df.v.round(9)).to_csv(),  # last bits may differ
}


def _module(df):
    return pd if isinstance(df, pd.DataFrame) else apd


def _days(m, df):
    """A moment for each row, under its label."""
    return m.Series(m.date_range("2026-02-27", periods=len(df), freq="D"), index=df.index)


def _with_cells(df, n):
    made = df.reset_index(drop=True)
    if len(made):
        made.at[len(made) // 2, "v"] = 9.0
        made.iat[0, 2] = "cell"
        made.iloc[-1, 0] = n
    return made


def _in_and_out(df):
    made = df.copy()
    made.insert(1, "z", made.k + 1)
    made["k"] = made.pop("z") - 1
    return made[COLUMNS]


def _updated(df, other, overwrite):
    df.update(other[["k", "v"]], overwrite=overwrite)
    return df


def _windows_in_groups(df):
    made = df.reset_index(drop=True)
    sums = made.groupby("k").v.rolling(2, min_periods=1).sum()
    return made.assign(v=sums.reset_index(level=0, drop=True))


def _down_and_up(df):
    """v by way of a long frame and back."""
    made = df.reset_index(drop=True)[["k", "v"]].stack().unstack()
    return made.v.to_numpy() if len(df) else df.v


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


PROGRAMS = (
    tables(), tables(1), st.lists(st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 3)), max_size=5),
    st.sampled_from(sorted(QUESTIONS)),
)  # fmt: skip


@given(*PROGRAMS)
def test_programs(table, second, steps, question):
    run(table, second, steps, question)


@pytest.mark.slow
@settings(max_examples=int(os.environ.get("FUZZ_ROUNDS", "2000")), derandomize=False, print_blob=True)
@given(*PROGRAMS)
def test_many_programs(table, second, steps, question):
    """Others each time; what a failure prints (`reproduce_failure`) gives it again."""
    run(table, second, steps, question)


#: All that columns may have.
TABLE = {
    "k": np.array([1, 0, 1, 3, 0, 2]), "v": np.array([np.nan, 3.25, -2.5, 1.0, np.nan, 1.0]),
    "s": ["bb", None, "", "ä", "a", "bb"], "b": np.array([True, False, False, True, True, False]),
}  # fmt: skip


@pytest.mark.parametrize("part", range(4))
def test_each_step_and_question(part):
    """Once in each session, and with each number in one of them."""
    wrong = []
    other = {name: values[2:] for name, values in TABLE.items()}
    programs = [([(name, (part + ak.pes()) % 4)], "missing") for name in sorted(STEPS)[part::4]]
    for steps, question in [*programs, *(([], question) for question in sorted(QUESTIONS)[part::4])]:
        try:
            run(TABLE, other, steps, question)
        except AssertionError as error:
            wrong.append(f"{steps}, {question}: {error}")
    assert not wrong, "\n".join(wrong)


def run(table, second, steps, question):
    """One program, here and in pandas; what comes of each step is compared."""
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
