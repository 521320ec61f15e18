# SPDX-License-Identifier: Apache-2.0
"""Compares frames with pandas': values, kinds, labels, names, order, and what is printed."""

import warnings

import numpy as np
import pandas as pd

import atoll as ak

#: pandas' kinds that are other kinds here: integers and bools that miss values stay what they are.
CLASSES = {"DataFrame": pd.DataFrame, "Series": pd.Series, "Index": pd.Index, "MultiIndex": pd.MultiIndex}


def to_pandas(value):
    return value.to_pandas() if hasattr(value, "to_pandas") else value


def same_kind(got, expected):
    """Kinds agree, but for bools with missing values (objects in pandas) and empty columns."""
    if str(got) == str(expected) or (str(expected) == "object" and str(got) in ("boolean", "float64", "str")):
        return True
    if str(got) == "object" and str(expected) == "str":
        return True
    return str(got).lower() == str(expected).lower()


def same(got, expected):
    """Asserts that an answer is pandas'."""
    if isinstance(expected, pd.DataFrame):
        assert isinstance(got, ak.DataFrame), f"{type(got)} instead of a frame"
        found = got.to_pandas()
        assert list(found.columns) == list(expected.columns), f"columns {list(found.columns)}, {list(expected.columns)}"
        assert list(found.columns.names) == list(expected.columns.names), f"names of columns: {found.columns.names}"
        same_index(found.index, expected.index)
        for place in range(expected.shape[1]):
            same_values(found.iloc[:, place], expected.iloc[:, place])
    elif isinstance(expected, pd.Series):
        assert isinstance(got, ak.Series), f"{type(got)} instead of a Series"
        found = got.to_pandas()
        assert found.name == expected.name or (found.name != found.name and expected.name != expected.name), (
            f"name {found.name!r} instead of {expected.name!r}"
        )
        same_index(found.index, expected.index)
        same_values(found, expected)
    elif isinstance(expected, pd.Index):
        same_index(to_pandas(got), expected)
    elif isinstance(expected, (list, tuple)):
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=False):
            same(one, other)
    elif isinstance(expected, dict):
        assert list(got) == list(expected)
        for key in expected:
            same(got[key], expected[key])
    elif isinstance(expected, np.ndarray) or (hasattr(expected, "dtype") and np.ndim(expected)):
        same_values(pd.Series(np.asarray(got)), pd.Series(np.asarray(expected)))
    elif isinstance(expected, float):
        np.testing.assert_allclose(np.asarray(got, dtype=float), expected, rtol=1e-9, atol=1e-12)
    elif isinstance(expected, (pd.Timestamp, pd.Timedelta)):
        assert pd.Timestamp(got) == expected if isinstance(expected, pd.Timestamp) else pd.Timedelta(got) == expected
    elif expected is pd.NA or expected is None or expected is pd.NaT:
        assert got is None or got is pd.NA or got != got, f"{got!r} instead of {expected!r}"
    else:
        assert type(got) is type(expected) or np.asarray(got).dtype.kind == np.asarray(expected).dtype.kind, (
            f"{type(got)} instead of {type(expected)}"
        )
        assert got == expected, f"{got!r} instead of {expected!r}"


def same_index(found, expected):
    assert isinstance(found, pd.Index)
    assert list(found.names) == list(expected.names), f"names {list(found.names)} instead of {list(expected.names)}"
    assert found.nlevels == expected.nlevels
    assert len(found) == len(expected), f"{len(found)} rows instead of {len(expected)}"
    for level in range(expected.nlevels):
        same_values(
            pd.Series(found.get_level_values(level).to_numpy()), pd.Series(expected.get_level_values(level).to_numpy())
        )


def same_values(found, expected):
    if str(found.dtype).startswith(("large_list", "list")):
        found = pd.Series([list(one) if hasattr(one, "__len__") else np.nan for one in found], dtype=object)
    if str(found.dtype) in ("boolean", "Int64") and found.dtype != expected.dtype:
        found = found.astype(object).where(found.notna(), np.nan)  # pandas has objects for these
    if not len(found) and str(found.dtype) == "bool" and expected.dtype == object:
        found = found.astype(object)  # of a level of labels, which loses that its bools may be missing
    assert same_kind(found.dtype, expected.dtype), f"{found.dtype} instead of {expected.dtype}: {found} {expected}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pd.testing.assert_series_equal(
            found.reset_index(drop=True), expected.reset_index(drop=True), check_dtype=False, check_names=False,
            rtol=1e-9, atol=1e-12, check_categorical=False,
        )  # fmt: skip
