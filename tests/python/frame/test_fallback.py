# SPDX-License-Identifier: Apache-2.0
"""`atoll.pandas` does by pandas what Atoll lacks, with a warning; what Atoll has it does itself."""

import warnings

import numpy as np
import pandas
import pytest

import atoll as ak
import atoll.pandas as pd
from atoll.io import fallback


@pytest.fixture(autouse=True)
def nothing_named():
    fallback._named.clear()


def test_methods_that_atoll_lacks_are_pandas():
    df = pd.DataFrame({"a": [1, 2]})
    with pytest.warns(pd.FallbackWarning, match="to_latex"):
        text = df.to_latex()
    assert text == pandas.DataFrame({"a": [1, 2]}).to_latex()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        df.to_latex()  # named once
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            _ = df.nothing


def test_files_are_read_by_atoll_where_it_has_the_arguments(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\n2,y\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert isinstance(pd.read_csv(path, usecols=["a"]), ak.DataFrame)
        pd.set_option("display.precision", 6)
        assert isinstance(pd.array([1, None]), pandas.api.extensions.ExtensionArray)
    with pytest.warns(pd.FallbackWarning, match="read_csv"):
        made = pd.read_csv(path, thousands=",")
    assert isinstance(made, ak.DataFrame) and made.b.to_list() == ["x", "y"]


def test_missing_values_of_anything():
    assert pd.isna(np.array([[1.0, np.nan]])).tolist() == [[False, True]]
    assert pd.notna(pd.NaT) is False and pd.isna(None) is True
