# SPDX-License-Identifier: Apache-2.0
"""ndarray.flat against NumPy's."""

import numpy as np
import pytest
from oracle import same

import atoll as ak

pytestmark = pytest.mark.usefixtures("two_sessions")

KEYS = [4, -1, slice(1, 4), slice(None, None, -2), slice(7, 2), ..., [0, 5, 5], np.array([[1, 2], [3, 4]]), (3,),
        np.arange(12) % 3 == 0, np.int64(3)]  # fmt: skip


def arrays():
    """Ours and NumPy's: an array, its transposed, every third column of a wider one."""
    x, wide = np.arange(12).reshape(3, 4), np.arange(36).reshape(3, 12)
    return [(ak.array(x), x), (ak.array(x.T.copy()).T, x.T.copy().T), (ak.array(wide)[:, ::3], wide.copy()[:, ::3])]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_reading(key):
    for a, x in arrays():
        same(a.flat[key], x.flat[key])


@pytest.mark.parametrize("value", [5, [7], [7, 8], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14], np.arange(4.0), []],
                         ids=str)  # fmt: skip
@pytest.mark.parametrize("key", KEYS, ids=str)
def test_assignment(key, value):
    if type(key) is list and np.size(value) > 1:
        return  # which value is the last is NumPy's affair
    for a, x in arrays():
        try:
            x.flat[key] = value
        except ValueError:
            continue
        a.flat[key] = value
        same(a, x)
        if a.base is not None:
            same(a.base.reshape(-1), x.base.reshape(-1))


def test_whole():
    for a, x in arrays():
        a.flat = [1, 2, 3]
        x.flat = [1, 2, 3]
        same(a, x)
        a.flat = ak.arange(12)
        x.flat = np.arange(12)
        same(a, x)


def test_iteration():
    for a, x in arrays():
        assert [int(v) for v in a.flat] == [int(v) for v in x.flat]
        assert len(a.flat) == 12
        ours, theirs = a.flat, x.flat
        for _ in range(5):
            assert next(ours) == next(theirs)
        assert ours.index == theirs.index
        assert ours.coords == theirs.coords
        assert ours.base is a
        same(ours.copy(), x.flatten())
        assert list(a.flat) == list(x.flat)


def test_comparison():
    for a, x in arrays():
        same(a.flat == x.ravel(), x.flat == x.ravel())
        same(a.flat == a.flat, x.flat == x.flat)
        same(a.flat != 3, x.flat != 3)
        same(a.flat < 3, x.flat < 3)
        same(a.flat >= 3, x.flat >= 3)
        np.testing.assert_array_equal(np.asarray(a.flat), np.asarray(x.flat))


@pytest.mark.parametrize("key", [12, -13, (0, 0), None, [12]], ids=str)
def test_bad_indices(key):
    for a, x in arrays():
        for flat in (a.flat, x.flat):
            with pytest.raises(IndexError):
                flat[key]
