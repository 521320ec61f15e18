# SPDX-License-Identifier: Apache-2.0
"""Frames that are not read yet, beside the same of pandas."""

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import atoll as ak

pytestmark = pytest.mark.usefixtures("every_session")

FRAME = pd.DataFrame(
    {"a": range(300), "b": [i % 7 for i in range(300)], "t": [None if i % 4 == 0 else f"t{i % 5}" for i in range(300)]}
)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_filters_and_columns(tmp_path, kind):
    FRAME.to_parquet(tmp_path / "a.parquet", row_group_size=25, index=False)
    FRAME.to_csv(tmp_path / "a.csv", index=False)
    scan = (ak.scan_parquet if kind == "parquet" else ak.scan_csv)(tmp_path / f"a.{kind}")
    assert scan.columns == ["a", "b", "t"]
    assert_frame_equal(scan.collect().to_pandas(), FRAME)
    some = scan[((scan["a"] > 250) | (scan["b"] + 1 == 3)) & ~scan["t"].isna() & scan["t"].isin(["t1", "t2"])][
        ["t", "a"]
    ]
    kept = ((FRAME.a > 250) | (FRAME.b + 1 == 3)) & FRAME.t.isin(["t1", "t2"])
    assert_frame_equal(some.collect().to_pandas(), FRAME[kept][["t", "a"]].reset_index(drop=True))
    twice = scan[scan["a"] >= 290].filter(scan["b"] == 4)
    assert twice.collect()["a"].to_list() == [i for i in range(290, 300) if i % 7 == 4]
    if kind == "parquet":
        assert "read    1 of 12 parts of 1 file: columns a, b of a, b, t" in twice[["a"]].explain()
        assert "took" not in twice[["a"]].explain() and "took" in twice.explain()
    with pytest.raises(KeyError, match="no column 'zz'"):
        scan["zz"]
    with pytest.raises(KeyError, match="no column 'b'"):
        scan[["a"]][["b"]]
    with pytest.raises(ValueError, match=r"Use & \| ~"):
        bool(scan["a"] > 1)
    with pytest.raises(TypeError, match="indexed by a name"):
        scan[1]
