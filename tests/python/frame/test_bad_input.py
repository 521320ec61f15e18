# SPDX-License-Identifier: Apache-2.0
"""What pandas refuses is refused with an error of the same kind, and leaves everything as it was.

Joins that are too large are refused before they are made.
"""

import warnings

import numpy as np
import pandas as pd
import pytest
from frame.frames import same

import atoll as ak
import atoll.pandas as apd


@pytest.fixture(scope="module", params=[(1, 2), (3, 1)], ids=["1x2", "3x1"], autouse=True)
def session(request):
    ak.shutdown()
    with ak.init(*request.param) as session:
        yield session


#: Of the kinds of mistake some lines each, which all raise; `m` is either module.
BAD = {
    "lengths that differ": """
        m.DataFrame({"a": [1, 2], "b": [1, 2, 3]})
        m.DataFrame({"a": np.arange(2), "b": np.arange(3)})
        m.DataFrame([[1, 2], [3, 4]], columns=["a"])
        m.DataFrame([[1, 2], [3, 4]], index=[1])
        m.Series([1, 2, 3], index=["a"])
        df.assign(z=[1, 2])
        df.assign(z=np.arange(9))
        df.insert(0, "z", [1, 2])
        df.set_axis(["a"], axis=1)
        df.set_axis([1, 2], axis=0)
        df.rename_axis(["a", "b"])
        df[np.array([True])]
        df.loc[[True, False]]
        df.iloc[[True, False]]
        df.set_index([[1, 2]])
        df.groupby([1, 2]).sum()
        m.concat([df, other], keys=["one"])
        m.cut(df.v, [0, 1, 2], labels=["x"])
        m.MultiIndex.from_arrays([[1, 2], [3]])
        m.merge(df, other, left_on=["k"], right_on=["k", "w"])
        df.sort_values(["k", "v"], ascending=[True])
    """,
    "names that are there twice": """
        twice.sort_values("k")
        twice.groupby("k").sum()
        twice.merge(other, on="k")
        twice.reindex(columns=["k"])
        twice.pivot_table("v", "k")
        twice.to_parquet("x.parquet")
        twice.explode("k")
        rows_twice.reindex([0, 1])
        rows_twice.to_dict("index")
        rows_twice.to_json(orient="index")
        df.set_index("b", verify_integrity=True)
        m.concat([df, df], verify_integrity=True)
        df.insert(0, "k", 1)
        df.pivot(index="k", columns="b", values="v")
        df.set_index(["k", "b"]).unstack()
        df.merge(other, on="k", validate="1:1")
        df.merge(other, on="k", validate="one_to_many")
        rows_twice.v.reindex([0, 1])
        m.Series([1, 2], index=[0, 0]).reindex([0])
    """,
    "names that are ambiguous": """
        both.groupby("k").sum()
        both.sort_values("k")
        both.merge(other, on="k")
        both.reset_index()
        df.merge(other, on="k", suffixes=(None, None))
        df.merge(df, on="k", suffixes=("", ""))
        df.join(df)
        df.join(other)
        df.merge(other, on="k", left_on="k", right_on="k")
        df.merge(other, on="k", left_index=True)
        df.merge(other, left_on="k")
        df.merge(other, how="cross", on="k")
    """,
    "labels that are missing": """
        df["nope"]
        df[["k", "nope"]]
        df.nope
        df.loc["nope"]
        df.loc[99]
        df.loc[[0, 99]]
        df.loc[:, "nope"]
        df.loc[:, ["k", "nope"]]
        df.loc[0, "nope"]
        df.at[99, "k"]
        df.at[0, "nope"]
        df.iat[99, 0]
        df.iat[0, 99]
        df.iloc[99]
        df.iloc[[0, 99]]
        df.iloc[:, 99]
        df.drop(columns="nope")
        df.drop(99)
        df.drop(["nope"], axis=1)
        df.pop("nope")
        df.sort_values("nope")
        df.sort_values(["k", "nope"])
        df.groupby("nope").sum()
        df.groupby(["k", "nope"]).sum()
        df.groupby("k")["nope"]
        df.groupby("k")[["nope"]]
        df.groupby("k").agg({"nope": "sum"})
        df.groupby("k").agg(x=("nope", "sum"))
        df.groupby("k").get_group(99)
        df.agg({"nope": "sum"})
        df.merge(other, on="nope")
        df.merge(other, left_on="nope", right_on="k")
        df.merge(other, left_on="k", right_on="nope")
        df.set_index("nope")
        df.pivot_table("nope", "k")
        df.pivot_table("v", "nope")
        df.pivot(index="nope", columns="k", values="v")
        df.melt("nope")
        df.melt("k", ["nope"])
        df.explode("nope")
        df.nlargest(2, "nope")
        df.query("nope > 1")
        df.query("k > @nope")
        df.eval("nope + 1")
        df.astype({"nope": int})
        df.drop_duplicates("nope")
        df.duplicated(["nope"])
        df.dropna(subset=["nope"])
        df.rename(columns={"nope": "x"}, errors="raise")
        df.value_counts("nope")
        df.xs("nope")
        df.droplevel("nope")
        df.reset_index("nope")
        df.swaplevel(0, 5)
        df.unstack("nope")
        df.to_csv(columns=["nope"])
        df.v["nope"]
        df.v.loc["nope"]
        df.v.loc[99]
        df.v.iloc[99]
        df.v.drop("nope")
        df.set_index("s").loc["zz"]
        df.set_index(["k", "s"]).loc[(0, "zz")]
        df.set_index(["k", "s"]).xs("zz", level="s")
        df.set_index(["k", "s"]).xs("a", level="nope")
        df.get_nothing()
        m.crosstab(df.k, df.nope)
        m.get_dummies(df, columns=["nope"])
        m.wide_to_long(df, ["w"], i="nope", j="y")
        df.select_dtypes()
        df.filter()
        df.sample(99)
        df.quantile(2.0, numeric_only=True)
    """,
    "values that do not fit": """
        df.s.astype(int)
        df.v.astype(int)
        m.to_numeric(df.s)
        m.to_datetime(["nonsense"])
        m.to_timedelta(["nonsense"])
        df.s + df.k
        df.s.sum() + 1
        df.s - df.s
        df.k.str.upper()
        df.k.dt.year
        df.s.dt.year
        df.k.cat.codes
        df.resample("D").sum()
        df.rolling("2D").sum()
        df.rolling(-1).sum()
        df.ewm(span=0).mean()
        df.sum(axis=5)
        df.groupby("k").agg("nope")
        df.agg("nope")
        df.merge(other, on="k", how="nope")
        df.merge(df, left_on="s", right_on="k")
        m.merge_asof(df, other, on="s")
        m.concat([])
        m.concat([df, 5])
        m.concat([df, other], join="nope")
        m.cut(df.v, -1)
        m.qcut(df.v, [2.0])
        df.corr(method="nope", numeric_only=True)
        df.fillna({"v": 1}, limit=-1)
        df.v.fillna()
        df.v.interpolate("nope")
        df.v.between(1)
        df.v.clip("x")
        df.head("x")
        if df: pass
        df.k.item()
        df.to_dict("nope")
        df.to_json(orient="nope")
        df.s.mean()
        df.std()
        m.date_range("2026-01-01")
        m.Series([1, 2], dtype="nope")
        m.Categorical(["a"]).nope
        df.apply("nope")
        df.k.apply("nope")
        df.k.map(5)
        df.replace(to_replace=[1, 2], value=[1])
        df.sort_values("k", na_position="nope")
        df.drop_duplicates(keep="nope")
        df.query("k >")
        df.query("")
        df.describe(percentiles=[2])
        df.shift("x")
    """,
}
KINDS = (KeyError, IndexError, AttributeError, NameError, TypeError, ValueError)
LINES = [(kind, line.strip()) for kind, lines in BAD.items() for line in lines.strip().splitlines()]


def world(m):
    """What the lines speak of."""
    df = m.DataFrame(
        {
            "k": [0, 1, 1, 2, 0],
            "v": [1.0, None, 3.0, 4.0, 5.0],
            "s": ["a", "b", "a", None, "c"],
            "b": [True, False] * 2 + [True],
        }
    )
    other = m.DataFrame({"k": [0, 1, 1, 3], "v": [0.5, 1.5, 2.5, 3.5], "w": [1, 2, 3, 4]})
    twice = m.DataFrame([[1, 2, 3.0], [4, 5, 6.0]], columns=["k", "k", "v"])
    return {
        "m": m, "np": np, "df": df, "other": other, "twice": twice, "rows_twice": df.set_axis([0, 0, 1, 2, 3]),
        "both": df.set_index("k", drop=False),
    }  # fmt: skip


def failure(line, names):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            exec(line, dict(names))
        except Exception as error:
            return error
    return None


@pytest.mark.parametrize("kind", BAD)
def test_errors_are_those_of_pandas(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    theirs, ours = world(pd), world(apd)
    wrong = []
    for line in (line for of, line in LINES if of == kind):
        expected, found = failure(line, theirs), failure(line, ours)
        if expected is None:
            wrong.append(f"{line}: pandas does it")
            continue
        if not isinstance(found, tuple(one for one in KINDS if isinstance(expected, one)) or type(expected)):
            wrong.append(f"{line}: {found!r} instead of {expected!r}")
    for name in ("df", "other", "twice", "rows_twice", "both"):
        same(ours[name], theirs[name])
    assert not wrong, "\n".join(wrong)


def test_joins_that_are_too_large():
    many = ak.DataFrame({"k": ak.zeros(2_000_000, dtype="int64"), "v": ak.arange(2_000_000)})
    texts = ak.DataFrame({"k": ak.Series(["x"]).reindex(ak.zeros(1_000_000, dtype="int64")).array, "w": 1})
    before = ak.stats()["memory_peak"]
    for join in (
        lambda: many.merge(many, on="k"),
        lambda: many.merge(many, on="k", how="outer"),
        lambda: many.merge(many, how="cross"),
        lambda: texts.merge(texts, on="k"),
        lambda: many.set_index("k").join(many.set_index("k"), rsuffix="_2"),
    ):
        with pytest.raises(MemoryError, match=r"[0-9.]+ "):
            join()
    assert ak.stats()["memory_peak"] - before < 1 << 30
    assert int(many["v"].sum()) == 1_999_999_000_000


def test_quantiles_of_texts():
    with pytest.raises(TypeError, match="dtype 'str' does not support operation 'quantile'"):
        ak.Series(["x", None]).quantile()


def test_accessors_say_for_what_they_are():
    for name, text in (("str", "string values"), ("dt", "datetimelike values"), ("cat", "'category' dtype")):
        with pytest.raises(AttributeError, match=f"Can only use .*{text}"):
            getattr(ak.Series([1, 2]), name)


def test_labels_keep_their_zone_in_pandas():
    series = ak.Series([1, 2], index=ak.date_range("2024-03-09", periods=2, freq="h", tz="Asia/Tokyo"))
    assert str(series.to_pandas().index[0]) == "2024-03-09 00:00:00+09:00"
