# SPDX-License-Identifier: Apache-2.0
"""Frames from files and to files, beside pandas."""

import io

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import atoll as ak

pytestmark = pytest.mark.usefixtures("every_session")

FRAME = pd.DataFrame(
    {"i": range(20), "f": [None if i % 6 == 5 else i / 4 for i in range(20)], "t": [f"ä,{i % 3}" for i in range(20)]},
)


def test_parquet_keeps_the_labels_of_rows(tmp_path):
    for index in (None, list("abcdefghijklmnopqrst"), pd.Index(range(5, 25), name="key")):
        wanted = FRAME if index is None else FRAME.set_axis(index)
        ak.DataFrame(wanted).to_parquet(tmp_path / "a.parquet")
        assert_frame_equal(pd.read_parquet(tmp_path / "a.parquet"), wanted)
        wanted.to_parquet(tmp_path / "b.parquet")
        for file in ("a", "b"):
            assert_frame_equal(ak.read_parquet(tmp_path / f"{file}.parquet").to_pandas(), wanted)
        found = ak.read_parquet(tmp_path / "b.parquet", columns=["t"], filters=[("i", ">", 17)])
        assert_frame_equal(
            found.to_pandas(), pd.read_parquet(tmp_path / "b.parquet", columns=["t"], filters=[("i", ">", 17)])
        )


def test_csv(tmp_path):
    text = FRAME.to_csv(index=False)
    assert ak.DataFrame(FRAME).to_csv(index=False) == text and ak.DataFrame(FRAME).to_csv() == FRAME.to_csv()
    for options in (
        {}, {"usecols": ["t", "i"]}, {"usecols": [0, 2]}, {"index_col": 0}, {"index_col": ["t", "i"]}, {"nrows": 3},
        {"dtype": {"i": "float64"}}, {"header": None, "skiprows": 1}, {"na_values": ["ä,1"]},
        {"names": ["x", "y", "z"]},
    ):  # fmt: skip
        wanted = pd.read_csv(io.StringIO(text), **options)
        assert_frame_equal(ak.read_csv(io.StringIO(text), **options).to_pandas(), wanted, check_dtype=False)
    assert ak.read_csv(io.StringIO("d\n2026-01-02 03:04:05\n"), parse_dates=["d"])["d"].to_pandas()[0].hour == 3
    with pytest.raises(TypeError, match="unexpected keyword argument 'zz'"):
        ak.read_csv(io.StringIO(text), zz=1)
    assert ak.DataFrame(FRAME)[["i"]].set_axis(["a b"], axis=1).to_csv(index=False, header=["x"]).startswith("x\n0\n")


def test_other_formats(tmp_path):
    frame = ak.DataFrame(FRAME)
    frame.to_feather(tmp_path / "a.feather")
    frame.to_orc(tmp_path / "a.orc")
    frame[["i", "t"]].to_hdf(tmp_path / "a.h5")
    frame.to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    assert_frame_equal(ak.read_feather(tmp_path / "a.feather").to_pandas(), FRAME)
    assert_frame_equal(ak.read_orc(tmp_path / "a.orc").to_pandas(), FRAME)
    assert_frame_equal(ak.read_hdf(tmp_path / "a.h5").to_pandas(), FRAME[["i", "t"]])
    assert_frame_equal(ak.read_json(tmp_path / "a.jsonl").to_pandas(), FRAME)
    twice = ak.DataFrame([[1, 2]], columns=["a", "a"])
    with pytest.raises(ValueError, match="Duplicate column names"):
        twice.to_parquet(tmp_path / "a.parquet")
