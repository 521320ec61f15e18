# SPDX-License-Identifier: Apache-2.0
"""A walk over pandas' methods: each is one short call of a frame or a Series, beside the same call of pandas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from atoll.bench import peers
from atoll.bench.cases.frames import nominal, numbers, taken
from atoll.bench.registry import Data, Request, Setup, Timed, case

GROUPS = 50

#: Calls on a frame `f` with columns k (integers), v and w (floats; v has NaN), s (strings), b (bools), d (dates), and
#: on a small frame `o` with one row for each of some keys.
FRAMES: dict[str, Callable[[Any, Any], Any]] = {
    "filter": lambda f, o: f[f.v > 0],
    "filter_two": lambda f, o: f[(f.v > 0) & f.b],
    "query": lambda f, o: f.query("v > 0 and k < 10"),
    "eval": lambda f, o: f.eval("v + w"),
    "columns": lambda f, o: f[["k", "v"]],
    "assign": lambda f, o: f.assign(z=f.v - f.w),
    "drop": lambda f, o: f.drop(columns="s"),
    "rename": lambda f, o: f.rename(columns={"v": "x"}),
    "head": lambda f, o: f.head(10),
    "tail": lambda f, o: f.tail(10),
    "iloc": lambda f, o: f.iloc[10:20],
    "iloc_list": lambda f, o: f.iloc[[1, 5, 9]],
    "loc": lambda f, o: f.loc[10:20, ["k", "v"]],
    "at": lambda f, o: f.at[5, "v"],
    "sum": lambda f, o: f[["k", "v", "w"]].sum(),
    "mean": lambda f, o: f[["k", "v", "w"]].mean(),
    "std": lambda f, o: f[["k", "v", "w"]].std(),
    "median": lambda f, o: f[["k", "v", "w"]].median(),
    "max": lambda f, o: f[["k", "v", "w"]].max(),
    "count": lambda f, o: f.count(),
    "nunique": lambda f, o: f.nunique(),
    "quantile": lambda f, o: f[["k", "v", "w"]].quantile(0.9),
    "agg": lambda f, o: f[["v", "w"]].agg(["sum", "mean", "max"]),
    "sum_rows": lambda f, o: f[["k", "v", "w"]].sum(axis=1),
    "mean_rows": lambda f, o: f[["v", "w"]].mean(axis=1),
    "max_rows": lambda f, o: f[["v", "w"]].max(axis=1),
    "idxmax": lambda f, o: f[["v", "w"]].idxmax(),
    "describe": lambda f, o: f[["v", "w"]].describe(),
    "corr": lambda f, o: f[["k", "v", "w"]].corr(),
    "cov": lambda f, o: f[["k", "v", "w"]].cov(),
    "cumsum": lambda f, o: f[["k", "w"]].cumsum(),
    "cummax": lambda f, o: f[["k", "w"]].cummax(),
    "diff": lambda f, o: f[["k", "w"]].diff(),
    "shift": lambda f, o: f[["k", "w"]].shift(1),
    "pct_change": lambda f, o: f[["w"]].pct_change(),
    "rank": lambda f, o: f[["v", "w"]].rank(),
    "clip": lambda f, o: f[["v", "w"]].clip(-1, 1),
    "round": lambda f, o: f[["v", "w"]].round(2),
    "abs": lambda f, o: f[["v", "w"]].abs(),
    "add": lambda f, o: f[["v", "w"]] + f[["v", "w"]],
    "scale": lambda f, o: f[["v", "w"]] * 2.0,
    "compare": lambda f, o: f[["v", "w"]] > 0,
    "isna": lambda f, o: f.isna(),
    "fillna": lambda f, o: f.fillna({"v": 0.0}),
    "dropna": lambda f, o: f.dropna(),
    "ffill": lambda f, o: f[["v"]].ffill(),
    "interpolate": lambda f, o: f[["v"]].interpolate(),
    "replace": lambda f, o: f[["k"]].replace({1: 100, 2: 200}),
    "where": lambda f, o: f[["v", "w"]].where(f.b, 0.0),
    "mask": lambda f, o: f[["v", "w"]].mask(f.b, 0.0),
    "astype": lambda f, o: f.astype({"k": "float64"}),
    "select_dtypes": lambda f, o: f.select_dtypes("number"),
    "copy": lambda f, o: f.copy(),
    "sort": lambda f, o: f.sort_values("w"),
    "sort_two": lambda f, o: f.sort_values(["k", "w"]),
    "sort_text": lambda f, o: f.sort_values("s", kind="stable"),
    "sort_down": lambda f, o: f.sort_values("w", ascending=False),
    "nlargest": lambda f, o: f.nlargest(10, "w"),
    "nsmallest": lambda f, o: f.nsmallest(10, "w"),
    "distinct": lambda f, o: f.drop_duplicates("k"),
    "distinct_two": lambda f, o: f.drop_duplicates(["k", "s"]),
    "duplicated": lambda f, o: f.duplicated(["k", "s"]),
    "value_counts": lambda f, o: f[["k"]].value_counts().sort_index(),
    "set_index": lambda f, o: f.set_index("k"),
    "set_index_two": lambda f, o: f.set_index(["k", "s"]),
    "sort_index": lambda f, o: f.set_index("k").sort_index(kind="stable"),
    "reset_index": lambda f, o: f.set_index("k").reset_index(),
    "reindex": lambda f, o: f[["v", "w"]].reindex(range(5, 50)),
    "merge": lambda f, o: f.merge(o, on="k"),
    "merge_left": lambda f, o: f.merge(o, on="k", how="left"),
    "merge_outer": lambda f, o: f.merge(o, on="k", how="outer"),
    "join": lambda f, o: f.join(o.set_index("k"), on="k"),
    "melt": lambda f, o: f.melt("k", ["v", "w"]),
    "stack": lambda f, o: f[["v", "w"]].stack(),
    "unstack": lambda f, o: f[["v", "w"]].unstack(),
    "transpose": lambda f, o: f[["v", "w"]].head(1000).T,
    "pivot_table": lambda f, o: f.pivot_table("w", "k", "b", aggfunc="sum"),
    "explode": lambda f, o: f[["k", "v"]].explode("k"),
    "apply": lambda f, o: f[["v", "w"]].apply(np.sqrt),
    "apply_columns": lambda f, o: f[["v", "w"]].apply(lambda column: column.max() - column.min()),
    "pipe": lambda f, o: f.pipe(lambda frame: frame[["v"]]),
    "dot": lambda f, o: f[["k", "w"]].T.dot(f[["k", "w"]]),
    "rolling_mean": lambda f, o: f[["v", "w"]].rolling(10).mean(),
    "expanding_sum": lambda f, o: f[["w"]].expanding().sum(),
    "ewm_mean": lambda f, o: f[["w"]].ewm(span=10).mean(),
    "resample_mean": lambda f, o: f.set_index("d")[["w"]].resample("7D").mean(),
    "to_numpy": lambda f, o: f[["v", "w"]].to_numpy(),
    "to_records": lambda f, o: len(f[["k", "v"]].to_records()),
    "groupby_sum": lambda f, o: f.groupby("k").v.sum(),
    "groupby_mean": lambda f, o: f.groupby("k")[["v", "w"]].mean(),
    "groupby_agg": lambda f, o: f.groupby("k").agg({"v": "mean", "w": "max"}),
    "groupby_named": lambda f, o: f.groupby("k").agg(a=("v", "sum"), z=("w", "std")),
    "groupby_text": lambda f, o: f.groupby("s").w.mean(),
    "groupby_two": lambda f, o: f.groupby(["k", "s"]).w.sum(),
    "groupby_size": lambda f, o: f.groupby("k").size(),
    "groupby_nunique": lambda f, o: f.groupby("k").s.nunique(),
    "groupby_median": lambda f, o: f.groupby("k").w.median(),
    "groupby_quantile": lambda f, o: f.groupby("k").w.quantile(0.9),
    "groupby_std": lambda f, o: f.groupby("k").w.std(),
    "groupby_first": lambda f, o: f.groupby("k").w.first(),
    "groupby_head": lambda f, o: f.groupby("k").head(2),
    "groupby_nth": lambda f, o: f.groupby("k").nth(1),
    "groupby_cumsum": lambda f, o: f.groupby("k").w.cumsum(),
    "groupby_cumcount": lambda f, o: f.groupby("k").cumcount(),
    "groupby_shift": lambda f, o: f.groupby("k").w.shift(1),
    "groupby_diff": lambda f, o: f.groupby("k").w.diff(),
    "groupby_rank": lambda f, o: f.groupby("k").w.rank(),
    "groupby_transform": lambda f, o: f.groupby("k").w.transform("mean"),
    "groupby_function": lambda f, o: f.groupby("k").w.agg(lambda one: one.max() - one.min()),
    "groupby_filter": lambda f, o: f.groupby("k").filter(lambda one: len(one) > 5),
    "groupby_rolling": lambda f, o: f.groupby("k").w.rolling(3).mean(),
    "groupby_describe": lambda f, o: f.groupby("k").w.describe(),
    "groupby_idxmax": lambda f, o: f.groupby("k").w.idxmax(),
}  # fmt: skip

#: Calls on one column: (column, call).
SERIES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "arithmetic": ("w", lambda c: c * 2 + 1),
    "power": ("w", lambda c: c**2),
    "divide": ("k", lambda c: c // 7),
    "modulo": ("k", lambda c: c % 7),
    "sum": ("v", lambda c: c.sum()),
    "mean": ("v", lambda c: c.mean()),
    "var": ("v", lambda c: c.var()),
    "median": ("w", lambda c: c.median()),
    "mode": ("k", lambda c: c.mode()),
    "skew": ("w", lambda c: c.skew()),
    "kurt": ("w", lambda c: c.kurt()),
    "quantile": ("w", lambda c: c.quantile([0.1, 0.5])),
    "min": ("v", lambda c: c.min()),
    "argmax": ("w", lambda c: c.argmax()),
    "any": ("b", lambda c: c.any()),
    "nunique": ("k", lambda c: c.nunique()),
    "unique": ("k", lambda c: c.unique()),
    "unique_text": ("s", lambda c: len(c.unique())),
    "factorize": ("s", lambda c: c.factorize()[0]),
    "value_counts": ("k", lambda c: c.value_counts().sort_index()),
    "value_counts_text": ("s", lambda c: c.value_counts().sort_index()),
    "isin": ("k", lambda c: c.isin([1, 2, 3])),
    "between": ("w", lambda c: c.between(-1, 1)),
    "isna": ("v", lambda c: c.isna()),
    "notna": ("v", lambda c: c.notna()),
    "fillna": ("v", lambda c: c.fillna(0.0)),
    "ffill": ("v", lambda c: c.ffill()),
    "bfill": ("v", lambda c: c.bfill()),
    "dropna": ("v", lambda c: c.dropna()),
    "interpolate": ("v", lambda c: c.interpolate()),
    "where": ("w", lambda c: c.where(c > 0, 0.0)),
    "clip": ("w", lambda c: c.clip(-1, 1)),
    "round": ("w", lambda c: c.round(2)),
    "astype": ("k", lambda c: c.astype("float64")),
    "astype_text": ("k", lambda c: c.astype(str)),
    "cumsum": ("w", lambda c: c.cumsum()),
    "cumprod": ("w", lambda c: c.cumprod()),
    "diff": ("w", lambda c: c.diff()),
    "shift": ("w", lambda c: c.shift(1)),
    "pct_change": ("w", lambda c: c.pct_change()),
    "rank": ("w", lambda c: c.rank()),
    "autocorr": ("w", lambda c: c.autocorr()),
    "sort": ("w", lambda c: c.sort_values()),
    "sort_text": ("s", lambda c: c.sort_values(kind="stable")),
    "argsort": ("w", lambda c: c.argsort()),
    "nlargest": ("w", lambda c: c.nlargest(5)),
    "searchsorted": ("k", lambda c: c.sort_values().searchsorted([3, 30])),
    "mask": ("w", lambda c: c[c > 0]),
    "take": ("w", lambda c: c.take([3, 1, 2])),
    "iloc": ("w", lambda c: c.iloc[5]),
    "slice": ("w", lambda c: c.iloc[::2]),
    "map_dict": ("k", lambda c: c.map({number: number * 2.5 for number in range(GROUPS)})),
    "map_function": ("k", lambda c: c.map(lambda one: one * 2)),
    "replace": ("k", lambda c: c.replace({1: 100})),
    "drop_duplicates": ("k", lambda c: c.drop_duplicates()),
    "duplicated": ("k", lambda c: c.duplicated()),
    "rolling_sum": ("w", lambda c: c.rolling(10).sum()),
    "rolling_std": ("w", lambda c: c.rolling(10).std()),
    "rolling_max": ("w", lambda c: c.rolling(10).max()),
    "rolling_median": ("w", lambda c: c.rolling(10).median()),
    "rolling_apply": ("w", lambda c: c.head(2000).rolling(10).apply(np.sum, raw=True)),
    "expanding_mean": ("w", lambda c: c.expanding().mean()),
    "ewm_mean": ("w", lambda c: c.ewm(alpha=0.3).mean()),
    "repeat": ("k", lambda c: c.repeat(2)),
    "to_list": ("k", lambda c: len(c.to_list())),
    "iterate": ("k", lambda c: sum(c)),
    "str_upper": ("s", lambda c: c.str.upper()),
    "str_title": ("s", lambda c: c.str.strip().str.title()),
    "str_len": ("s", lambda c: c.str.len()),
    "str_contains": ("s", lambda c: c.str.contains("a")),
    "str_regex": ("s", lambda c: c.str.contains("a[0-9]")),
    "str_startswith": ("s", lambda c: c.str.startswith("a")),
    "str_slice": ("s", lambda c: c.str[:2]),
    "str_replace": ("s", lambda c: c.str.replace("a", "xx")),
    "str_split": ("s", lambda c: c.str.split("1").str[0]),
    "str_extract": ("s", lambda c: c.str.extract("([a-z]+)")[0]),
    "str_cat": ("s", lambda c: c.str.cat(c)),
    "str_pad": ("s", lambda c: c.str.zfill(8)),
    "str_find": ("s", lambda c: c.str.find("1")),
    "str_count": ("s", lambda c: c.str.count("1")),
    "str_get_dummies": ("s", lambda c: c.str.get_dummies()),
    "categories": ("s", lambda c: c.astype("category").cat.codes),
    "dt_year": ("d", lambda c: c.dt.year),
    "dt_day_of_week": ("d", lambda c: c.dt.day_of_week),
    "dt_month_name": ("d", lambda c: c.dt.month_name()),
    "dt_floor": ("d", lambda c: c.dt.floor("h")),
    "dt_strftime": ("d", lambda c: c.dt.strftime("%Y-%m-%d")),
    "dt_difference": ("d", lambda c: (c - c.min()).dt.days),
    "dt_date_filter": ("d", lambda c: c[c > "2020-06-01"]),
}  # fmt: skip


def make(request: Request) -> Data:
    rng, n = np.random.default_rng(request.seed), request.size
    v = rng.normal(size=n)
    v[rng.random(n) < 0.1] = np.nan
    return {
        "k": rng.integers(0, GROUPS, n), "v": v, "w": rng.normal(size=n), "s": rng.integers(0, 20, n),
        "b": rng.integers(0, 2, n) == 1,
        "d": (np.datetime64("2020-01-01") + np.sort(rng.integers(0, 366 * 24, n)).astype("m8[h]")).astype("M8[ns]"),
    }  # fmt: skip


def tables(module: Any, data: Data) -> tuple[Any, Any]:
    """The frame, and one with a row for each of some keys."""
    columns = {**data, "s": [f"{'ab'[code % 2]}{code}" for code in data["s"].tolist()]}
    return module.DataFrame(columns), module.DataFrame({"k": np.arange(10), "x": np.arange(10.0)})


def close(data: Data, answer: Any, reference: Any) -> None:
    """Numbers within rounding errors, everything else alike."""
    if answer.shape != reference.shape:
        raise AssertionError(f"{answer.shape}, expected {reference.shape}")
    if not np.allclose(answer, reference, rtol=1e-6, atol=1e-9, equal_nan=True):
        raise AssertionError("the answer differs from the first contender's")


def rounded(data: Data, answer: Any) -> Any:
    return np.float64(f"{np.nansum(np.abs(np.asarray(answer, np.float64))):.3g}")


def declare(name: str, summary: str, action: Callable[[Any, Any], Any]) -> None:
    """Declares one call for Atoll and pandas."""
    frames = case(
        f"frames_wide.{name}", summary, make=make, nominal_bytes=nominal, default_size=1000, check=close,
        canonical=rounded,
    )  # fmt: skip

    @frames.contender("atoll")
    def _(data: Data, setup: Setup) -> Timed:
        frame, other = tables(peers.atoll(setup), data)
        return Timed(lambda: taken(action(frame, other)), numbers)

    @frames.contender("pandas")
    def _(data: Data, setup: Setup) -> Timed:
        frame, other = tables(peers.require("pandas"), data)
        return Timed(lambda: action(frame, other), numbers)


def of_column(column: str, call: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda frame, other: call(frame[column])


for call_name, frame_call in FRAMES.items():
    declare(call_name, f"`{call_name}` of a frame", frame_call)
for call_name, (column_name, column_call) in SERIES.items():
    declare(f"column_{call_name}", f"`{call_name}` of a column", of_column(column_name, column_call))
