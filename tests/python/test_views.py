# SPDX-License-Identifier: Apache-2.0
"""Views read from and write to their base as NumPy's do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracle import same

import atoll as ak
from atoll.arrays.views import View

pytestmark = pytest.mark.usefixtures("every_session")


def pair(shape):
    x = np.arange(int(np.prod(shape))).reshape(shape)
    return x, ak.array(x)


def test_slices_write_through():
    x, a = pair(10)
    y, b = x[::2], a[::2]
    y[:], b[:] = 0, 0
    same(a, x)
    y[1:3], b[1:3] = 7, 7
    same(a, x)
    x[2:5] += 100
    a[2:5] += 100
    same(a, x)
    same(b, y)
    y *= 2
    b *= 2
    same(a, x)


def test_changes_of_the_base_are_seen():
    x, a = pair(10)
    y, b = x[1:8:3], a[1:8:3]
    x[4], a[4] = -1, -1
    same(b, y)
    x += 1
    a += 1
    same(b, y)
    x[x > 5], a[a > 5] = 0, 0
    same(b, y)
    x.sort()
    a.sort()
    same(b, y)


def test_expressions_of_a_view_keep_their_values():
    _, a = pair(10)
    b = a[2:6]
    c = b + 1
    a[:] = 0
    same(c, np.arange(3, 7))
    same(b, np.zeros(4, int))


def test_views_of_views():
    x, a = pair((6, 4))
    y, b = x[1:][::2].T[1:3], a[1:][::2].T[1:3]
    y[0, 1], b[0, 1] = -1, -1
    same(a, x)
    y[...], b[...] = np.arange(6).reshape(2, 3), np.arange(6).reshape(2, 3)
    same(a, x)
    y += 5
    b += 5
    same(a, x)


@pytest.mark.parametrize(
    "make",
    [lambda a: a.reshape(4, 6), lambda a: a.ravel(), lambda a: a.T, lambda a: a.transpose(1, 0), lambda a: a[:, None],
     lambda a: a.reshape(2, 3, 4)[1], lambda a: a.swapaxes(0, 1), lambda a: a[2:4].reshape(-1),
     lambda a: a.reshape(1, 6, 4).squeeze(), lambda a: a[::-1, ::-1], lambda a: a[..., 0], lambda a: a[2]],
)  # fmt: skip
def test_shape_views_write_through(make):
    x, a = pair((6, 4))
    y, b = make(x), make(a)
    assert b.base is a
    same(b, y)
    y[0], b[0] = -5, -5
    same(a, x)
    y[y > 10], b[b > 10] = 3, 3
    same(a, x)
    indices = np.array([1, 0])
    if len(y) > 1:
        y[indices], b[indices] = -9, -9
    same(a, x)
    y += 1
    b += 1
    same(a, x)
    same(b, y)


def test_function_forms_are_views_too():
    x, a = pair((3, 4))
    for name, args in (("reshape", ((4, 3),)), ("ravel", ()), ("transpose", ()), ("expand_dims", (0,)), ("flip", ()),
                       ("moveaxis", (0, 1)), ("squeeze", ())):  # fmt: skip
        y, b = getattr(np, name)(x, *args), getattr(ak, name)(a, *args)
        y[0], b[0] = 77, 77
        same(a, x)


def test_copies_are_not_views():
    x, a = pair(10)
    for b in (a.copy(), ak.array(a), a.flatten(), a + 0, a[[0, 1]], a[a > 3], a.astype(float)):
        assert b.base is None
        b[0] = -1
    same(a, x)


def test_temporaries_do_not_become_views():
    a = ak.arange(12).reshape(3, 4)
    assert a.base is None
    a[1, 2] = -1
    assert int(a[1, 2]) == -1
    b = ak.arange(12)
    c = b.reshape(3, 4)
    assert c.base is b


def test_overlapping_assignment():
    x, a = pair(10)
    x[1:] = x[:-1].copy()
    a[1:] = a[:-1]
    same(a, x)
    x[::-1] = x.copy()
    a[::-1] = a
    same(a, x)


def test_sort_of_a_view():
    x, a = pair(10)
    x[:] = x[::-1].copy()
    a[:] = a[::-1]
    x[2:7].sort()
    a[2:7].sort()
    same(a, x)
    y, b = x.reshape(2, 5), a.reshape(2, 5)
    y.sort(axis=0)
    b.sort(axis=0)
    same(a, x)


@given(st.data())
def test_random_chains(data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, max_side=5))
    x, a = pair(shape)
    y, b = x, a
    for _ in range(data.draw(st.integers(1, 3))):
        if data.draw(st.booleans()) and y.flags.c_contiguous:
            y, b = y.reshape(-1), b.reshape(-1)
        elif data.draw(st.booleans()):
            y, b = y.T, b.T
        else:
            key = data.draw(hnp.basic_indices(y.shape, allow_newaxis=True, allow_ellipsis=True))
            z = y[key]
            if not isinstance(z, np.ndarray):
                continue
            y, b = z, b[key]
    same(b, y)
    y[...], b[...] = -1, -1
    same(a, x)


def test_an_element_of_a_view_is_set_where_it_lies(monkeypatch):
    """The view writes that element to its base, not all of its elements."""
    sizes, write = [], View.write
    monkeypatch.setattr(View, "write", lambda view, value: sizes.append(value.size) or write(view, value))
    a, expected = ak.arange(1000).evaluate(), np.arange(1000)
    view, other = a[:-2], expected[:-2]
    for _ in range(3):
        view[5], view[-2] = view[-2], view[5]
        other[5], other[-2] = other[-2], other[5]
        view[2:4] = [7, 8]
        other[2:4] = [7, 8]
        view, other = view[:-2], other[:-2]
    assert set(sizes) == {1, 2}
    np.testing.assert_array_equal(a.to_numpy(), expected)
    matrix, held = ak.arange(12).reshape(3, 4).evaluate(), np.arange(12).reshape(3, 4)
    matrix.T[1:, ::2][1, 1] = 99
    held.T[1:, ::2][1, 1] = 99
    np.testing.assert_array_equal(matrix.to_numpy(), held)
