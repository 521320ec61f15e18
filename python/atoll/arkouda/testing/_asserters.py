# SPDX-License-Identifier: Apache-2.0
"""Assertions that two of Arkouda's objects are equal."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ..numpy.arrays import pdarray
from ..numpy.dtypes import bigint
from ..numpy.segarray import SegArray
from ..numpy.strings import Strings
from ..numpy.util import is_numeric
from ..pandas.categorical import Categorical
from ..pandas.dataframe import DataFrame
from ..pandas.index import Index, MultiIndex
from ..pandas.series import Series

__all__ = [
    "assert_almost_equal", "assert_arkouda_array_equal", "assert_arkouda_pdarray_equal",
    "assert_arkouda_segarray_equal", "assert_arkouda_strings_equal", "assert_attr_equal", "assert_categorical_equal",
    "assert_class_equal", "assert_contains_all", "assert_copy", "assert_dict_equal", "assert_equal",
    "assert_frame_equal", "assert_index_equal", "assert_is_sorted", "assert_series_equal",
]  # fmt: skip


def raise_assert_detail(obj: str, message: str, left: object, right: object, **_: object) -> NoReturn:
    """Raises AssertionError with both sides."""
    raise AssertionError(f"{obj} are different\n\n{message}\n[left]:  {left}\n[right]: {right}")


def _check_isinstance(left: object, right: object, cls: type) -> None:
    for one in (left, right):
        if not isinstance(one, cls):
            raise AssertionError(f"{cls.__name__} Expected type {cls}, found {type(one)} instead")


def assert_class_equal(left: object, right: object, exact: bool = True, obj: str = "Input") -> None:
    """Both are of one class; unless `exact`, kinds of indexes are one."""
    if type(left) is type(right) or (not exact and isinstance(left, Index) and isinstance(right, Index)):
        return
    raise_assert_detail(obj, f"{obj} classes are different", type(left).__name__, type(right).__name__)


def assert_attr_equal(attr: str, left: object, right: object, obj: str = "Attributes") -> None:
    """An attribute of both is equal."""
    first, second = getattr(left, attr), getattr(right, attr)
    if first is second or (isinstance(first, float) and first != first and second != second):
        return
    same = first == second
    if not (same if isinstance(same, (bool, np.bool_)) else bool(np.all(same))):
        raise_assert_detail(obj, f'Attribute "{attr}" are different', first, second)


def _number(value: object) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


def _for_numpy(value: object) -> Any:
    """What NumPy compares in the place of an array: of bigints, floats."""
    value = value.to_ndarray() if isinstance(value, pdarray) else value
    return value.astype(np.float64) if isinstance(value, np.ndarray) and value.dtype.kind == "O" else value


def assert_almost_equal(left: Any, right: Any, rtol: float = 1e-5, atol: float = 1e-8, **kwargs: Any) -> None:
    """Both are equal within tolerances.

    Examples
    --------
    >>> from atoll.arkouda.testing import assert_almost_equal
    >>> assert_almost_equal(0.123456, 0.123457, rtol=1e-4)
    """
    for kind, check in ((Index, assert_index_equal), (Series, assert_series_equal), (DataFrame, assert_frame_equal)):
        if isinstance(left, kind):
            check(left, right, check_exact=False, rtol=rtol, atol=atol, **kwargs)
            return
    if not (_number(left) and _number(right)) and not (
        isinstance(left, (bool, np.bool_)) and isinstance(right, (bool, np.bool_))
    ):
        assert_class_equal(left, right, obj="pdarray" if isinstance(left, pdarray) else "Input")
    first, second = (_for_numpy(one) for one in (left, right))
    assert np.allclose(first, second, rtol=rtol, atol=atol, equal_nan=True), f"{left} and {right} are not close"


def assert_dict_equal(left: Any, right: Any, compare_keys: bool = True) -> None:
    """Both dictionaries have equal keys and values."""
    _check_isinstance(left, right, dict)
    if compare_keys:
        assert set(left) == set(right)
    for key in left:
        assert_almost_equal(left[key], right[key])


def assert_index_equal(
    left: Any, right: Any, exact: bool = True, check_names: bool = True, check_exact: bool = True,
    check_categorical: bool = True, check_order: bool = True, rtol: float = 1e-5, atol: float = 1e-8,
    obj: str = "Index",
) -> None:  # fmt: skip
    """Both indexes are equal."""
    _check_isinstance(left, right, Index)
    if exact:
        assert_class_equal(left, right, exact=exact, obj=obj)
        assert_attr_equal("inferred_type", left, right, obj=obj)
        assert_attr_equal("dtype", left, right, obj=obj)
    if left.nlevels != right.nlevels:
        raise_assert_detail(obj, f"{obj} levels are different", left.nlevels, right.nlevels)
    if len(left) != len(right):
        raise_assert_detail(obj, f"{obj} length are different", len(left), len(right))
    if not check_order:
        left, right = left[left.argsort()], right[right.argsort()]
    if isinstance(left, MultiIndex):
        for level in range(left.nlevels):
            assert_index_equal(
                left.get_level_values(level), right.get_level_values(level), exact=exact, check_names=check_names,
                check_exact=check_exact, check_categorical=check_categorical, rtol=rtol, atol=atol,
                obj=f"MultiIndex level [{level}]",
            )  # fmt: skip
    elif check_exact or not is_numeric(left) or not is_numeric(right):
        if not left.equals(right):
            raise_assert_detail(obj, f"{obj} values are different", left, right)
    else:
        assert_almost_equal(left.values, right.values, rtol=rtol, atol=atol)
    if check_names:
        assert_attr_equal("names", left, right, obj=obj)
    if check_categorical and (isinstance(left.values, Categorical) or isinstance(right.values, Categorical)):
        assert_categorical_equal(left.values, right.values, obj=f"{obj} category")


def assert_is_sorted(seq: Any) -> None:
    """The values are in order."""
    values = seq.values if isinstance(seq, (Index, Series)) else seq
    order = values.argsort()
    assert_arkouda_array_equal(values, values[order])


def assert_categorical_equal(
    left: Any, right: Any, check_dtype: bool = True, check_category_order: bool = True, obj: str = "Categorical"
) -> None:
    """Both have equal categories and codes; or, without their order, equal categories and values."""
    _check_isinstance(left, right, Categorical)
    if check_category_order:
        assert_index_equal(Index(left.categories), Index(right.categories), obj=f"{obj}.categories")
        assert_arkouda_array_equal(left.codes, right.codes, check_dtype=check_dtype, obj=f"{obj}.codes")
        return
    first, second = (Index(one.categories[one.categories.argsort()]) for one in (left, right))
    assert_index_equal(first, second, obj=f"{obj}.categories")
    assert_index_equal(Index(left.to_strings()), Index(right.to_strings()), obj=f"{obj}.values")


def _same(left: object, right: object, check_same: Any) -> None:
    if check_same == "same" and left is not right:
        raise AssertionError(f"{left!r} is not {right!r}")
    if check_same == "copy" and left is right:
        raise AssertionError(f"{left!r} is {right!r}")


def assert_arkouda_pdarray_equal(
    left: Any, right: Any, check_dtype: bool = True, err_msg: Any = None, check_same: Any = None, obj: str = "pdarray",
    index_values: Any = None,
) -> None:  # fmt: skip
    """Both arrays are equal."""
    assert_class_equal(left, right, obj=obj)
    _check_isinstance(left, right, pdarray)
    assert left.shape == right.shape, f"left shape {left.shape} does not match right shape {right.shape}."
    _same(left, right, check_same)
    if left.dtype == bigint():
        same = left.size == 0 or bool((left == right).all())
    else:
        first, second = pdarray.to_ndarray(left), pdarray.to_ndarray(right)
        same = np.array_equal(first, second, equal_nan=first.dtype.kind == "f" and second.dtype.kind == "f")
    if not same:
        if err_msg is not None:
            raise AssertionError(err_msg)
        raise_assert_detail(obj, f"{obj} values are different", left, right)
    if check_dtype:
        assert_attr_equal("dtype", left, right, obj=obj)


def assert_arkouda_segarray_equal(
    left: Any, right: Any, check_dtype: bool = True, err_msg: Any = None, check_same: Any = None, obj: str = "segarray"
) -> None:
    """Both have equal segments and values."""
    assert_class_equal(left, right, obj=obj)
    _check_isinstance(left, right, SegArray)
    _same(left, right, check_same)
    if check_dtype:
        assert_attr_equal("dtype", left, right, obj=obj)
    assert_arkouda_array_equal(left.values, right.values, check_dtype, err_msg, obj="segarray values")
    assert_arkouda_array_equal(left.segments, right.segments, obj="segarray segments")


def assert_arkouda_strings_equal(
    left: Any, right: Any, err_msg: Any = None, check_same: Any = None, obj: str = "Strings", index_values: Any = None
) -> None:
    """Both have equal strings."""
    assert_class_equal(left, right, obj=obj)
    _check_isinstance(left, right, Strings)
    _same(left, right, check_same)
    if left.shape != right.shape:
        raise_assert_detail(obj, f"{obj} shapes are different", left.shape, right.shape)
    if left.size and not bool((left == right).all()):
        if err_msg is not None:
            raise AssertionError(err_msg)
        raise_assert_detail(obj, f"{obj} values are different", left, right)


def assert_arkouda_array_equal(
    left: Any, right: Any, check_dtype: bool = True, err_msg: Any = None, check_same: Any = None, obj: str = "pdarray",
    index_values: Any = None,
) -> None:  # fmt: skip
    """Both arrays, strings, categories or segments are equal.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> from atoll.arkouda.testing import assert_arkouda_array_equal
    >>> assert_arkouda_array_equal(ak.arange(3), ak.array([0, 1, 2]))
    """
    assert_class_equal(left, right)
    if isinstance(left, Strings):
        assert_arkouda_strings_equal(left, right, err_msg, check_same, obj)
    elif isinstance(left, Categorical):
        assert_arkouda_array_equal(left.to_strings(), right.to_strings(), check_dtype, err_msg, check_same, obj)
    elif isinstance(left, SegArray):
        assert_arkouda_segarray_equal(left, right, check_dtype, err_msg, check_same, obj)
    elif isinstance(left, pdarray):
        assert_arkouda_pdarray_equal(left, right, check_dtype, err_msg, check_same, obj)
    else:
        raise TypeError("assert_arkouda_array_equal compares pdarray, Strings, Categorical and SegArray")


def assert_series_equal(
    left: Any, right: Any, check_dtype: bool = True, check_index_type: bool = True, check_series_type: bool = True,
    check_names: bool = True, check_exact: bool = False, check_categorical: bool = True,
    check_category_order: bool = True, rtol: float = 1e-5, atol: float = 1e-8, obj: str = "Series", *,
    check_index: bool = True, check_like: bool = False,
) -> None:  # fmt: skip
    """Both Series are equal."""
    if not check_index and check_like:
        raise ValueError("check_like must be False if check_index is False")
    _check_isinstance(left, right, Series)
    if check_series_type:
        assert_class_equal(left, right, obj=obj)
    if len(left) != len(right):
        raise_assert_detail(obj, "Series length are different", len(left), len(right))
    if check_index:
        assert_index_equal(
            left.index, right.index, exact=check_index_type, check_names=check_names, check_exact=check_exact,
            check_categorical=check_categorical, check_order=not check_like, rtol=rtol, atol=atol, obj=f"{obj}.index",
        )  # fmt: skip
    if check_like:
        left = left[right.index.values]
    if check_dtype:
        assert_attr_equal("dtype", left, right, obj=f"Attributes of {obj}")
    if check_exact or not is_numeric(left.values) or not is_numeric(right.values):
        assert_arkouda_array_equal(left.values, right.values, check_dtype, obj=obj)
    else:
        assert_almost_equal(left.values, right.values, rtol=rtol, atol=atol)
    if check_names:
        assert_attr_equal("name", left, right, obj=obj)
    if check_categorical and (isinstance(left.values, Categorical) or isinstance(right.values, Categorical)):
        assert_categorical_equal(left.values, right.values, check_dtype, check_category_order, f"{obj} category")


def assert_frame_equal(
    left: Any, right: Any, check_dtype: bool = True, check_index_type: bool = True, check_column_type: Any = "equiv",
    check_frame_type: bool = True, check_names: bool = True, check_exact: bool = True, check_categorical: bool = True,
    check_like: bool = False, rtol: float = 1e-5, atol: float = 1e-8, obj: str = "DataFrame",
) -> None:  # fmt: skip
    """Both data frames are equal."""
    _check_isinstance(left, right, DataFrame)
    if check_frame_type:
        assert_class_equal(left, right, obj=obj)
    if left.shape != right.shape:
        raise_assert_detail(obj, f"{obj} shape mismatch", left.shape, right.shape)
    options: dict[str, Any] = {
        "check_names": check_names, "check_exact": check_exact, "check_categorical": check_categorical,
        "check_order": not check_like, "rtol": rtol, "atol": atol,
    }  # fmt: skip
    assert_index_equal(left.index, right.index, exact=check_index_type, obj=f"{obj}.index", **options)
    exact = check_column_type if isinstance(check_column_type, bool) else True
    assert_index_equal(left.columns, right.columns, exact=exact, obj=f"{obj}.columns", **options)
    if check_like:
        left = left[right.index.values]
    for name in left.columns.values:
        first, second = (one if isinstance(one, Series) else Series(one) for one in (left[name], right[name]))
        assert_series_equal(
            first, second, check_dtype=check_dtype, check_index_type=check_index_type, check_exact=check_exact,
            check_names=check_names, check_categorical=check_categorical, obj=f'{obj}.(column name="{name}")',
            rtol=rtol, atol=atol, check_index=False,
        )  # fmt: skip


def assert_equal(left: Any, right: Any, **kwargs: Any) -> None:
    """Both objects, of whatever kind, are equal."""
    for kind, check in ((Index, assert_index_equal), (Series, assert_series_equal), (DataFrame, assert_frame_equal)):
        if isinstance(left, kind):
            check(left, right, **kwargs)
            return
    if isinstance(left, (pdarray, Strings, Categorical, SegArray)):
        assert_arkouda_array_equal(left, right, **kwargs)
        return
    assert not kwargs
    if isinstance(left, str):
        assert left == right
    else:
        assert_almost_equal(left, right)


def assert_contains_all(iterable: Any, dic: Any) -> None:
    """All are in it."""
    for key in iterable:
        assert key in dic, f"Did not contain item: {key!r}"


def assert_copy(iter1: Any, iter2: Any, **eql_kwargs: Any) -> None:
    """The elements are equal, and not the same objects."""
    for first, second in zip(iter1, iter2, strict=False):
        assert_almost_equal(first, second, **eql_kwargs)
        assert first is not second, f"Expected {type(first)!r} and {type(second)!r} to be different objects"
