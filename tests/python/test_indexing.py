# SPDX-License-Identifier: Apache-2.0
"""Reading and writing by every kind of index, against NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracle import DTYPES, same, values

import atoll as ak

pytestmark = pytest.mark.usefixtures("every_session")

BASIC = [0, -1, 3, slice(None), slice(1, 5), slice(None, None, 2), slice(None, None, -1), slice(5, 1, -2), slice(4, 4),
         slice(-3, None), slice(100, 200), ..., None, (..., 0), (None, slice(2)), ()]  # fmt: skip
BASIC_2D = [(1, 2), (slice(None), 1), (1,), (slice(1, 3), slice(None, None, -2)), (..., -1), (0, None, slice(2)),
            (None, ..., None), (slice(None, None, -1), ...), (slice(2, 2), 1), (-1, -1), 2]  # fmt: skip


@pytest.mark.parametrize("key", BASIC, ids=str)
def test_basic(key):
    x = np.arange(11)
    same(ak.array(x)[key], x[key])


@pytest.mark.parametrize("key", BASIC_2D, ids=str)
def test_basic_2d(key):
    x = np.arange(35).reshape(7, 5)
    same(ak.array(x)[key], x[key])
    z = np.arange(70).reshape(7, 5, 2)
    same(ak.array(z)[key], z[key])


@pytest.mark.parametrize("key", BASIC, ids=str)
def test_assign_basic(key):
    x = np.arange(11)
    a = ak.array(x)
    x[key] = -7
    a[key] = -7
    same(a, x)
    try:
        part = np.arange(x[key].size).reshape(x[key].shape)
        x[key] = part
    except (ValueError, TypeError):
        return
    a[key] = ak.array(part)
    same(a, x)


@pytest.mark.parametrize("key", BASIC_2D, ids=str)
def test_assign_basic_2d(key):
    x = np.arange(35.0).reshape(7, 5)
    a = ak.array(x)
    part = np.asarray(x[key]) * 10
    x[key] = part
    a[key] = part
    same(a, x)


BY_DATA = [
    np.array([0, 3, -1, 3]),
    [2, 1],
    np.array([[0, 1], [2, -2]]),
    np.array([], dtype=int),
    np.array([1, 2], dtype=np.uint8),
    (np.array([0, 1, 2]), np.array([0, 1, -1])),
    (np.array([[0], [2]]), np.array([1, 3])),
    (slice(None), np.array([0, 3])),
    (slice(1, 5, 2), [0, 0, 1]),
    (np.array([0, 1]), 2),
    (1, np.array([0, 1])),
    (np.array([0, 1]), slice(None, None, -1)),
    (None, np.array([0, 2])),
    (..., np.array([0, 2])),
    (np.array([True, False, True, True, False, False, True]),),
    (slice(None), np.array([True, False, True, False, False])),
    (np.array([True, False, True, True, False, False, True]), 1),
    (np.array([True, False, True, False, False, False, False]), np.array([1, 2])),
]


@pytest.mark.parametrize("number", range(len(BY_DATA)))
def test_by_data(number):
    key = BY_DATA[number]
    for shape in ((7, 5), (7, 5, 3)):
        x = np.arange(np.prod(shape)).reshape(shape)
        same(ak.array(x)[key], x[key])
        mine = tuple(ak.array(k) if isinstance(k, np.ndarray) else k for k in key) if type(key) is tuple else key
        same(ak.array(x)[mine], x[key])


@pytest.mark.parametrize("number", range(len(BY_DATA)))
def test_assign_by_data(number):
    key = BY_DATA[number]
    for shape in ((7, 5), (7, 5, 3)):
        x = np.arange(np.prod(shape)).reshape(shape)
        a = ak.array(x)
        part = np.arange(x[key].size).reshape(x[key].shape) + 1000
        x[key] = part
        a[key] = part
        if number != 0 and number != 8:  # repeated positions: any of the values may win in NumPy's words; here the last
            same(a, x)
        x[key] = 5
        a[key] = 5
        if number != 0 and number != 8:
            same(a, x)


def test_separated_arrays_put_their_axes_first():
    x = np.arange(120).reshape(2, 3, 4, 5)
    key = (np.array([0, 1]), slice(None), np.array([1, 2]))
    same(ak.array(x)[key], x[key])
    key = (slice(None), np.array([0, 1]), np.array([1, 2]))
    same(ak.array(x)[key], x[key])
    a = ak.array(x)
    a[key] = ak.array(x[key]) * 2
    x[key] = x[key] * 2
    same(a, x)
    key = (0, slice(None), np.array([1, 2]))
    same(ak.array(x)[key], x[key])


def test_masks():
    x = values("float64", (9, 4))
    a = ak.array(x)
    same(a[a > 0], x[x > 0])
    same(a[a[:, 0] > 0], x[x[:, 0] > 0])
    same(a[a > 1e9], x[x > 1e9])
    a[a > 0] = -1
    x[x > 0] = -1
    same(a, x)
    count = int((x < -2).sum())
    a[a < -2] = np.arange(count)
    x[x < -2] = np.arange(count)
    same(a, x)
    with pytest.raises(ValueError, match="assign"):
        a[a == -1] = [1, 2, 3]
    a[ak.array([True] + [False] * 8)] = [1.0, 2.0, 3.0, 4.0]
    x[np.array([True] + [False] * 8)] = [1.0, 2.0, 3.0, 4.0]
    same(a, x)


def test_last_of_repeated_positions_wins():
    a = ak.zeros(10, int)
    positions = np.array([3, 5, 3, 9, 5, 3])
    a[positions] = np.arange(6)
    expected = np.zeros(10, int)
    expected[positions] = np.arange(6)
    same(a, expected)


def test_add_at():
    x, positions = np.zeros(10), np.array([3, 5, 3, -1, 5, 3])
    a = ak.array(x)
    np.add.at(x, positions, np.arange(6.0))
    np.add.at(a, positions, np.arange(6.0))
    same(a, x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(dtype):
    x = values(dtype, 23)
    a = ak.array(x)
    positions = np.array([3, 22, 0, 7])
    same(a[positions], x[positions])
    same(a[::-2], x[::-2])
    same(a[5], x[5])
    same(a[x == x], x[x == x])
    a[positions] = a[:4]
    x[positions] = x[:4].copy()
    same(a, x)


def test_assigned_values_are_cast():
    a = ak.zeros(4, np.int32)
    a[0] = 2.9
    a[1:3] = np.array([1.5, -1.5])
    same(a, np.array([2, 1, -1, 0], np.int32))
    with pytest.raises(ValueError, match="NaN"):
        a[0] = np.nan
    with pytest.raises(OverflowError):
        a[0] = np.inf
    with pytest.raises(OverflowError, match="out of bounds for int32"):
        a[0] = 2**40
    with pytest.raises(ValueError, match="could not broadcast"):
        a[:3] = [1, 2]
    with pytest.raises(ValueError, match="could not broadcast"):
        a[:3] = ak.ones((2, 3))
    a[:3] = ak.ones((1, 3))
    same(a, np.array([1, 1, 1, 0], np.int32))


@pytest.mark.parametrize(
    ("key", "error"),
    [(11, IndexError), (-12, IndexError), ((0, 0), IndexError), (1.5, IndexError), ("x", IndexError),
     ([0.5], IndexError), ((..., ...), IndexError), ([20], IndexError), (np.array([0, -12]), IndexError),
     (np.ones(5, bool), IndexError), (np.ones((11, 2), bool), IndexError), (slice(0, 5, 0), ValueError),
     (slice(1.5), TypeError)],
    ids=str,
)  # fmt: skip
def test_bad_indices_change_nothing(key, error):
    x = np.arange(11)
    a = ak.array(x)
    with pytest.raises(error):
        a[key]
    with pytest.raises(error):
        a[key] = 1
    same(a, x)


def outcome(array, key, value):
    """The type of the error of array[key] = value, or None."""
    try:
        array[key] = value
    except (TypeError, ValueError) as error:
        return type(error)
    return None


@pytest.mark.parametrize("shape", [(0,), (5,), (1, 0), (3, 0), (0, 3), (5, 1, 0), (1, 5, 0), (5, 0, 1), (7, 0, 2)])
@pytest.mark.parametrize(
    ("of", "key"),
    [(24, []), (24, np.zeros((2, 0), int)), ((4, 3), []), ((4, 3), ([], [])), ((4, 0), [0, 1]), (24, slice(0, 0)),
     (24, np.zeros(24, bool))],
)  # fmt: skip
def test_empty_values_are_assigned_as_with_numpy(shape, of, key):
    assert outcome(ak.zeros(of), key, ak.ones(shape)) is outcome(np.zeros(of), key, np.ones(shape))


def test_bad_index_arrays_2d():
    a = ak.arange(12).reshape(3, 4)
    with pytest.raises(IndexError, match="out of bounds for axis 1 with size 4"):
        a[[0, 1], [0, 4]]
    with pytest.raises(IndexError, match="could not be broadcast"):
        a[[0, 1], [0, 1, 2]]
    with pytest.raises(IndexError, match="too many indices"):
        a[0, 0, 0]


def test_take_and_relatives():
    x = np.arange(24).reshape(4, 6)
    a = ak.array(x)
    for axis in (None, 0, 1, -1):
        same(ak.take(a, [1, 2, -1], axis), np.take(x, [1, 2, -1], axis))
        same(ak.compress([True, False, True], a, axis), np.compress([True, False, True], x, axis))
    same(ak.take(a, 3), np.take(x, 3))
    same(ak.take(a, [30, -50], mode="clip"), np.take(x, [30, -50], mode="clip"))
    same(ak.take(a, [30, -50], mode="wrap"), np.take(x, [30, -50], mode="wrap"))
    same(ak.nonzero(a % 3), np.nonzero(x % 3))
    same(ak.argwhere(a % 3 == 0), np.argwhere(x % 3 == 0))
    same(ak.flatnonzero(a % 3), np.flatnonzero(x % 3))
    same(ak.extract(a > 5, a), np.extract(x > 5, x))
    order = np.argsort(-x, axis=1)
    same(ak.take_along_axis(a, order, 1), np.take_along_axis(x, order, 1))
    with pytest.raises(IndexError):
        ak.take(a, [24])


def test_iteration_and_membership():
    x = np.arange(10) * 2.0
    a = ak.array(x)
    assert list(a) == list(x)
    assert all(isinstance(v, np.float64) for v in a)
    assert 4 in a and 5 not in a
    for row, expected in zip(a.reshape(5, 2), x.reshape(5, 2), strict=True):
        same(row, expected)
    assert len(a) == 10
    assert list(a.reshape(5, 2).flat) == list(x)
    with pytest.raises(TypeError):
        iter(ak.array(3)).__next__()


@given(st.data())
def test_random_basic_indices(data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, max_side=9))
    x = np.arange(np.prod(shape)).reshape(shape)
    key = data.draw(hnp.basic_indices(shape, allow_newaxis=True))
    a = ak.array(x)
    same(a[key], x[key])
    x[key] = -1
    a[key] = -1
    same(a, x)


@given(st.data())
def test_random_integer_arrays(data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, max_side=7))
    x = np.arange(np.prod(shape)).reshape(shape)
    key = data.draw(hnp.integer_array_indices(shape))
    same(ak.array(x)[key], x[key])


@pytest.mark.parametrize(
    ("dtype", "of_array", "of_list"),
    [("f8", ValueError, ValueError), ("i8", ValueError, TypeError), ("c16", TypeError, TypeError)],
)
def test_one_element_takes_no_sequence(dtype, of_array, of_list):
    """The errors of NumPy 2.4; older versions take an array of one element."""
    a = ak.zeros(3, dtype)
    for value in (np.ones(1), np.ones((1, 1)), np.ones(2), np.zeros(0)):
        with pytest.raises(of_array):
            a[1] = value
    for value in ([1], (1, 2)):
        with pytest.raises(of_list):
            a[1] = value
    same(a, np.zeros(3, dtype))
