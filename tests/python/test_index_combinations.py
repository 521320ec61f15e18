# SPDX-License-Identifier: Apache-2.0
"""All combinations of entries in an index, for reading, assignment and in-place operators, against NumPy."""

import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracle import same

import atoll as ak

pytestmark = pytest.mark.usefixtures("two_sessions")

#: Shapes of index arrays: most pairs broadcast, some do not.
INDEX_SHAPES = [(), (1,), (2,), (2,), (3,), (2, 1), (1, 2), (3, 2), (0,)]
IN_PLACE = [operator.iadd, operator.isub, operator.imul, operator.ifloordiv, operator.ipow, operator.iand]


@st.composite
def entries(draw, shape):
    """An index of an array of this shape; some are out of bounds, have too many entries or do not broadcast."""
    items, axis, flawed = [], 0, draw(st.integers(0, 9)) == 0
    count = draw(st.integers(0, len(shape) + 2))
    for _ in range(count):
        kind = draw(st.sampled_from(["int", "int", "slice", "array", "array", "mask", "none", "ellipsis", "bool"]))
        if kind in ("none", "bool"):
            choices = [None] if kind == "none" else [True, False, np.True_, np.array(True), np.array(False)]
            items.append(draw(st.sampled_from(choices)))
            continue
        if kind == "ellipsis":
            if ... not in [item for item in items if not isinstance(item, (np.ndarray, list))] or flawed:
                items.append(...)
            continue
        if axis >= len(shape):
            if flawed:
                items.append(0)
            continue
        length = shape[axis]
        low, high = (-length, length - 1) if not flawed else (-length - 1, length)
        if kind == "mask":
            mask_axes = draw(st.integers(1, len(shape) - axis))
            mask_shape = list(shape[axis : axis + mask_axes])
            if flawed and draw(st.booleans()):
                mask_shape[-1] += 1
            items.append(draw(hnp.arrays(bool, mask_shape)))
            axis += mask_axes
        elif kind == "slice":
            items.append(draw(st.slices(length) | st.sampled_from([slice(None), slice(None, None, -1), slice(9, 2)])))
            axis += 1
        elif low > high:
            items.append(slice(None))
            axis += 1
        elif kind == "int":
            index = draw(st.integers(low, high))
            items.append(draw(st.sampled_from([index, np.int64(index), np.array(index), np.int8(index)])))
            axis += 1
        else:
            array = draw(hnp.arrays(draw(st.sampled_from([np.int64, np.int32, np.int8])),
                                    draw(st.sampled_from(INDEX_SHAPES)), elements=st.integers(low, high)))  # fmt: skip
            items.append(array.tolist() if draw(st.booleans()) and array.ndim else array)
            axis += 1
    if len(items) == 1 and draw(st.booleans()) and not isinstance(items[0], list):
        return items[0]
    return tuple(items)


def ours(key):
    """The index with our arrays in the place of NumPy's."""
    if type(key) is tuple:
        return tuple(ours(item) for item in key)
    return ak.array(key) if isinstance(key, np.ndarray) else key


def outcome(action):
    """What the action returns, or the type and words of its error."""
    try:
        return action(), None
    except (IndexError, ValueError, TypeError) as error:
        return None, (type(error), str(error).strip())


@settings(max_examples=250)
@given(st.data())
def test_reading(data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=5))
    x = np.arange(np.prod(shape)).reshape(shape)
    key = data.draw(entries(shape))
    expected, error = outcome(lambda: x[key])
    for mine in (key, ours(key)):
        got, found = outcome(lambda mine=mine: ak.array(x)[mine])
        assert found == error
        if error is None:
            same(got, expected)
    if error is None:  # of a view, too
        same(ak.array(x[::-1].copy())[::-1][key], expected)
        same(ak.array(x.T.copy()).T[key], expected)


@settings(max_examples=250)
@given(st.data())
def test_assignment(data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=5))
    x = np.arange(np.prod(shape)).reshape(shape)
    key = data.draw(entries(shape))
    chosen, error = outcome(lambda: x[key])
    if error is not None:
        value = 7
    else:
        wanted = np.shape(chosen)
        given = data.draw(st.sampled_from([(), wanted, wanted[1:], (1, *wanted), (*wanted[:-1], 1), (2, *wanted)]))
        if np.unique(chosen).size < np.size(chosen):  # the order of assignment to one element is not promised
            given = ()
        value = np.arange(1000, 1000 + int(np.prod(given))).reshape(given)
    a, turned = ak.array(x), ak.array(x.T.copy()).T
    _, error = outcome(lambda: operator.setitem(x, key, value))
    for array in (a, turned):
        found = outcome(lambda array=array: operator.setitem(array, ours(key), ak.array(value)))[1]
        if error is not None and error[1] == "setting an array element with a sequence.":
            assert found is not None
        else:
            assert found == error
        same(array, x)


@settings(max_examples=150)
@given(st.data())
def test_in_place_operators(data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=5))
    x = np.arange(np.prod(shape)).reshape(shape)
    key = data.draw(entries(shape))
    operation = data.draw(st.sampled_from(IN_PLACE))
    a, turned = ak.array(x), ak.array(x.T.copy()).T

    def update(array, index):
        array[index] = operation(array[index], 3)

    error = outcome(lambda: update(x, key))[1]
    for array in (a, turned):
        assert outcome(lambda array=array: update(array, ours(key)))[1] == error
        same(array, x)


@pytest.mark.parametrize("beside", [(), (...,), (None,)], ids=["alone", "ellipsis", "newaxis"])
@pytest.mark.parametrize("given_shape", [(), (1,), (2,), (3,), (4,), (1, 1), (1, 2), (1, 4), (2, 1), (4, 1), (1, 1, 2)])
@pytest.mark.parametrize("shape", [(3,), (3, 2)], ids=["rows", "all"])
def test_values_broadcast_to_a_mask_unless_it_stands_alone(shape, given_shape, beside):
    x = np.arange(np.prod(shape)).reshape(shape)
    mask = x % 3 != 1
    value = np.arange(100, 100 + int(np.prod(given_shape))).reshape(given_shape)
    for key in ((mask, *beside), (*beside, mask)):
        expected = x.copy()
        error = outcome(lambda key=key, expected=expected: operator.setitem(expected, key, value))[1]
        a, turned = ak.array(x), ak.array(x.T.copy()).T
        for array in (a, turned):
            found = outcome(lambda array=array, key=key: operator.setitem(array, ours(key), ak.array(value)))[1]
            assert found == error
            same(array, expected)


def test_integer_beside_an_array_is_an_advanced_index():
    x = np.arange(24).reshape(4, 3, 2)
    a = ak.array(x)
    key = (slice(None), 0, ..., [0, 1])
    assert a[key].shape == (2, 4)
    same(a[key], x[key])
    a[key] = np.arange(8).reshape(2, 4)
    x[key] = np.arange(8).reshape(2, 4)
    same(a, x)
    a[key] += 1
    x[key] += 1
    same(a, x)


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ((slice(None), [0, 7, 9]), "index 7 is out of bounds for axis 1 with size 3"),
        ((slice(None), slice(None), [-3]), "index -3 is out of bounds for axis 2 with size 2"),
        (([0, 4], 0), "index 4 is out of bounds for axis 0 with size 4"),
        (([0], 3), "index 3 is out of bounds for axis 1 with size 3"),
        (([0, 1], [0, 1, 2]), "shape mismatch: indexing arrays could not be broadcast together with shapes (2,) (3,) "),
        ((np.ones((4, 2), bool),), "boolean index did not match indexed array along axis 1; size of axis is 3 but size "
                                   "of corresponding boolean axis is 2"),
        ((0, 0, 0, [0]), "too many indices for array: array is 3-dimensional, but 4 were indexed"),
        ((..., [0], ...), "an index can only have a single ellipsis ('...')"),
        (([1.5],), "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean "
                   "arrays are valid indices"),
        ((np.array([1.5]),), "arrays used as indices must be of integer (or boolean) type"),
    ],
    ids=str,
)  # fmt: skip
def test_errors_have_numpys_words(key, message):
    x = np.arange(24).reshape(4, 3, 2)
    a = ak.array(x)
    for array in (x, a):
        for action in (lambda array=array: array[key], lambda array=array: operator.setitem(array, key, 1)):
            with pytest.raises(IndexError) as raised:
                action()
            assert str(raised.value) == message
    same(a, x)


def test_slices_beyond_64_bits():
    x, a = np.arange(5), ak.arange(5)
    for key in (slice(2**70), slice(-(2**70), None), slice(None, None, 2**70), slice(3, None, -(2**70))):
        same(a[key], x[key])
        a[key] = 9
        x[key] = 9
        same(a, x)
