# SPDX-License-Identifier: Apache-2.0
"""Whole plans beside pandas, in memory and, with a budget of some kilobytes, by pieces that are spilled."""

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import atoll as ak
from atoll.plan import run

pytestmark = pytest.mark.usefixtures("every_session")

ROWS = 3000
RNG = np.random.default_rng(5)
FRAME = pd.DataFrame(
    {
        "k": RNG.integers(0, 40, ROWS),
        "big": RNG.integers(0, 3000, ROWS) * 10**12,
        "x": np.where(RNG.random(ROWS) < 0.1, np.nan, RNG.normal(size=ROWS)),
        "t": [None if i % 11 == 0 else f"Customer#{i * 7919 % 2003:09}" for i in range(ROWS)],
        "d": pd.Timestamp("2020-01-01") + pd.to_timedelta(RNG.integers(0, 400, ROWS), "D"),
        "u": RNG.random(ROWS) < 0.5,
    }
)
OTHER = pd.DataFrame({"big": np.arange(0, 3500, 2) * 10**12, "w": np.arange(1750), "x": np.arange(1750) / 4})


@pytest.fixture(params=["in memory", "spilled"])
def folder(request, tmp_path, monkeypatch):
    FRAME.to_parquet(tmp_path / "a.parquet", row_group_size=400, index=False)
    OTHER.to_parquet(tmp_path / "b.parquet", row_group_size=300, index=False)
    if request.param == "spilled":
        monkeypatch.setattr(run, "_least", lambda: 60_000)
    return tmp_path


def same(scan, expected, by=None):
    found = scan.collect().to_pandas()
    if by is not None:
        found, expected = (one.sort_values(by, ignore_index=True) for one in (found, expected))
    assert_frame_equal(found, expected.reset_index(drop=True), check_dtype=False, rtol=1e-9)


@pytest.mark.parametrize(
    ("by", "up"), [("x", False), ("t", True), (["k", "big"], [False, True]), (["u", "d", "t"], True)]
)
def test_sorts(folder, by, up):
    same(
        ak.scan_parquet(folder / "a.parquet").sort_values(by, ascending=up),
        FRAME.sort_values(by, ascending=up, kind="stable"),
    )


@pytest.mark.parametrize(("keys", "dropna"), [("k", True), ("big", True), ("t", False), (["u", "t"], True)])
def test_groups(folder, keys, dropna):
    wanted = {
        "total": ("x", "sum"), "n": ("x", "count"), "rows": ("u", "size"), "low": ("x", "min"), "high": ("d", "max"),
        "mean": ("x", "mean"),
    }  # fmt: skip
    scan = ak.scan_parquet(folder / "a.parquet")
    theirs = FRAME.groupby(keys, as_index=False, dropna=dropna)
    same(scan.groupby(keys, dropna=dropna).agg(**wanted), theirs.agg(**wanted))
    more = {"middle": ("x", "median"), "kinds": ("k", "nunique"), "sd": ("x", "std")}
    same(scan.groupby(keys, dropna=dropna).agg(**more), theirs.agg(**more))


@pytest.mark.parametrize("how", ["inner", "left", "right", "outer"])
def test_joins(folder, how):
    scan, other = ak.scan_parquet(folder / "a.parquet"), ak.scan_parquet(folder / "b.parquet")
    columns = ["big", "k", "x_x", "x_y", "w", "d"]
    theirs = FRAME.merge(OTHER, on="big", how=how)
    same(scan.merge(other, how=how, on="big")[columns], theirs[columns], ["big", "w", "k", "x_x", "d"])
    own = scan[["t", "big"]].merge(scan[["t", "k"]], on="t", how="inner").groupby("t").size()
    counts = FRAME.t.value_counts().sort_index()
    assert_frame_equal(
        own.collect().to_pandas(), pd.DataFrame({"t": counts.index, "size": counts.to_numpy() ** 2}), check_dtype=False
    )


def test_pipelines(folder):
    scan, other = ak.scan_parquet(folder / "a.parquet"), ak.scan_parquet(folder / "b.parquet")
    some = scan[(scan["x"] > -1) & scan["k"].between(3, 30)].assign(y=scan["x"] * 2 + scan["k"], half=scan["k"] / 2)
    plan = (
        some.merge(other[["big", "w"]], on="big")
        .groupby(["d", "k"])
        .agg(y=("y", "sum"), w=("w", "max"), h=("half", "min"))
    )
    plan = plan[(plan["y"] > 3) & (plan["k"] != 7)].sort_values(["y", "d"], ascending=[False, True])
    mine = FRAME[(FRAME.x > -1) & FRAME.k.between(3, 30)].assign(y=FRAME.x * 2 + FRAME.k, half=FRAME.k / 2)
    mine = mine.merge(OTHER[["big", "w"]], on="big").groupby(["d", "k"], as_index=False)
    mine = mine.agg(y=("y", "sum"), w=("w", "max"), h=("half", "min"))
    mine = mine[(mine.y > 3) & (mine.k != 7)].sort_values(["y", "d"], ascending=[False, True])
    same(plan, mine)
    same(plan.head(7), mine.head(7))
    text = plan.explain()
    assert "group   by d, k: y = sum of y" in text and "rows, " in text and "sort    by y downwards, d" in text, text
    assert "filter  ((x > -1) and" in text.split("make ")[0]
    plan.to_parquet(folder / "one.parquet")
    plan.to_parquet(folder / "many", dataset=True)
    for name in ("one.parquet", "many"):
        assert_frame_equal(ak.read_parquet(folder / name).to_pandas(), mine.reset_index(drop=True), check_dtype=False)
    empty = scan[scan["k"] > 1000]
    same(empty.sort_values("t"), FRAME[:0])
    same(empty.groupby("k").agg(m=("x", "mean")), FRAME[:0].groupby("k", as_index=False).agg(m=("x", "mean")))
    assert len(scan[scan["k"] > 1000].merge(other, on="big").collect()) == 0
    assert sum(len(frame) for frame in scan.batches()) == ROWS


def test_common_steps_are_read_once(tmp_path, monkeypatch):
    OTHER.to_parquet(tmp_path / "b.parquet", row_group_size=300, index=False)
    read = []
    plain = run.read_columns
    monkeypatch.setattr(run, "read_columns", lambda *args: read.append(args[1]) or plain(*args))
    scan = ak.scan_parquet(tmp_path / "b.parquet")
    one, two = ak.collect_all([scan.groupby("w").agg({"x": "sum"}), scan[["big"]].sort_values("big", ascending=False)])
    assert len(one) == len(OTHER) and two["big"].to_list() == OTHER.big.to_list()[::-1]
    assert len(read) == 1 and set(read[0]) == {"w", "x", "big"}


def test_errors(folder):
    scan = ak.scan_parquet(folder / "a.parquet")
    with pytest.raises(KeyError, match="no column 'zz'"):
        scan.groupby("zz")
    with pytest.raises(KeyError, match="no column 'zz'"):
        scan.sort_values("zz")
    with pytest.raises(ValueError, match="how is one of"):
        scan.merge(scan, how="sideways", on="k")
    with pytest.raises(ValueError, match="say which columns"):
        scan.merge(scan)
    with pytest.raises(ValueError, match="a key already"):
        scan.groupby("k").agg({"k": "sum"})
    with pytest.raises(ValueError, match="n is 0 or more"):
        scan.head(-1)
