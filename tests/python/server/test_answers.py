# SPDX-License-Identifier: Apache-2.0
"""A remote session gives the answers of NumPy and pandas: some lines of the files for arrays and frames."""

from functools import partial
from pathlib import Path

import answers
import numpy as np
import pandas as pd
import pytest
from frame.frames import same as same_frame
from frame.test_pandas_answers import things
from oracle import same

import atoll as ak
import atoll.pandas as akpd

_HERE = Path(__file__).parents[1]
_ARRAYS = answers.cases(_HERE / "numpy_answers.txt")[::60]
_FRAMES = [
    case for case in answers.cases(_HERE / "frame" / "pandas_answers.txt") if not case.section.endswith("by pandas")
][::400]

pytestmark = pytest.mark.usefixtures("session")


def test_arrays_give_numpys_answers():
    for case in _ARRAYS:
        answers.compare(
            lambda case=case: case.evaluate({"m": np, "np": np}),
            lambda case=case: case.evaluate({"m": ak, "np": np}),
            partial(same, ulps=6000 if case.section == "products and sums in range" else 4),
        )


def test_frames_give_pandas_answers():
    for case in _FRAMES:
        answers.compare(
            lambda case=case: case.evaluate(things(pd)), lambda case=case: case.evaluate(things(akpd)), same_frame
        )


def test_columns_of_strings_and_groups():
    names = ["pear", "fig", None, "fig", "", "äpfel 😀"]
    column = ak.array(names)
    assert column.to_list() == names
    assert column.str.upper().to_list() == [None if one is None else one.upper() for one in names]
    assert ak.sort(ak.array(["b", "a", "c"])).to_list() == ["a", "b", "c"]
    frame = ak.DataFrame({"key": [3, 1, 3, 1, 1], "value": ak.arange(5)})
    assert frame.groupby("key")["value"].sum().to_pandas().to_dict() == {1: 8, 3: 2}


def test_random_numbers_and_matrices_are_those_of_a_local_session():
    drawn = ak.random.default_rng(7).normal(size=100).to_numpy()
    matrix = np.arange(12.0).reshape(3, 4)
    product = (ak.array(matrix) @ ak.array(matrix.T)).to_numpy()
    spectrum = ak.fft.fft(ak.arange(16)).to_numpy()
    assert np.array_equal(product, matrix @ matrix.T)
    assert np.allclose(spectrum, np.fft.fft(np.arange(16)))
    with ak.connect("three"):
        assert np.array_equal(ak.random.default_rng(7).normal(size=100).to_numpy(), drawn)


def test_files_are_those_of_the_server(tmp_path):
    frame = ak.DataFrame({"a": [1, 2, 3], "b": ["x", None, "z"]})
    path = str(tmp_path / "frame.parquet")
    frame.to_parquet(path)
    assert ak.read_parquet(path)["a"].to_list() == [1, 2, 3]
    with pytest.raises(FileNotFoundError):
        ak.read_parquet(str(tmp_path / "other.parquet"))
