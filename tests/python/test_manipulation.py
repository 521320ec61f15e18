# SPDX-License-Identifier: Apache-2.0
"""Joining, splitting, repeating, reshaping, and products, against NumPy."""

import numpy as np
import pytest
from oracle import DTYPES, same, values

import atoll as ak

pytestmark = pytest.mark.usefixtures("every_session")


@pytest.mark.parametrize("dtype", DTYPES)
def test_concatenate(dtype):
    x, y = values(dtype, (5, 3)), values("float32", (5, 3), 1)
    for axis in (None, 0, 1, -1):
        same(ak.concatenate([ak.array(x), y, ak.array(x)], axis), np.concatenate([x, y, x], axis))
        if axis is not None:
            same(ak.stack([ak.array(x), ak.array(x)], axis), np.stack([x, x], axis))
    for name in ("hstack", "vstack", "column_stack"):
        same(getattr(ak, name)([ak.array(x), ak.array(x)]), getattr(np, name)([x, x]))
        same(getattr(ak, name)([ak.array(x[0]), x[1]]), getattr(np, name)([x[0], x[1]]))
    same(ak.append(ak.array(x), y), np.append(x, y))
    same(ak.append(ak.array(x), y, axis=0), np.append(x, y, axis=0))
    same(ak.concatenate([ak.array(x[:0]), ak.array(x), ak.array(x[:1])]), np.concatenate([x[:0], x, x[:1]]))


def test_concatenate_errors():
    with pytest.raises(ValueError, match="at least one"):
        ak.concatenate([])
    with pytest.raises(ValueError, match="must match exactly"):
        ak.concatenate([ak.ones((2, 3)), ak.ones((2, 4))])
    with pytest.raises(ValueError, match="must match exactly"):
        ak.concatenate([ak.ones((2, 3)), ak.ones(3)])
    with pytest.raises(np.exceptions.AxisError):
        ak.concatenate([ak.ones(3)], axis=1)
    with pytest.raises(ValueError, match="zero-dimensional"):
        ak.concatenate([ak.array(1)])
    with pytest.raises(ValueError, match="same shape"):
        ak.stack([ak.ones(2), ak.ones(3)])
    with pytest.raises(TypeError):
        ak.concatenate(5)


def test_reshape():
    x = np.arange(24)
    a = ak.array(x)
    for shape in ((4, 6), (2, 3, 4), (-1, 8), (24,), -1, (1, 24, 1)):
        same(a.reshape(shape), x.reshape(shape))
    same(a.reshape(4, -1), x.reshape(4, -1))
    same(ak.reshape(a, (6, 4)).T.reshape(3, 8), x.reshape(6, 4).T.reshape(3, 8))
    same(ak.zeros((0, 3)).reshape(3, 0), np.zeros((0, 3)).reshape(3, 0))
    for bad in ((5, 5), (-1, -1), (-1, 5), (0, -1)):
        with pytest.raises(ValueError, match=r"reshape|unknown"):
            a.reshape(bad)
    with pytest.raises(TypeError):
        a.reshape(2.5)
    with pytest.raises(ValueError, match="order"):
        a.reshape((4, 6), order="F")


def test_axes():
    x = np.arange(24).reshape(2, 3, 4)
    a = ak.array(x)
    same(a.T, x.T)
    same(a.transpose(2, 0, 1), x.transpose(2, 0, 1))
    same(ak.transpose(a, (1, 0, 2)), np.transpose(x, (1, 0, 2)))
    same(ak.swapaxes(a, 0, -1), np.swapaxes(x, 0, -1))
    same(ak.moveaxis(a, 0, 2), np.moveaxis(x, 0, 2))
    same(ak.moveaxis(a, [0, 1], [-1, 0]), np.moveaxis(x, [0, 1], [-1, 0]))
    same(ak.expand_dims(a, (0, -1)), np.expand_dims(x, (0, -1)))
    same(ak.squeeze(ak.expand_dims(a, 1)), x)
    same(ak.matrix_transpose(a), np.matrix_transpose(x))
    same(ak.atleast_2d(ak.arange(3)), np.atleast_2d(np.arange(3)))
    for bad in ((0, 1), (0, 0, 1), (0, 1, 3)):
        with pytest.raises(ValueError):
            a.transpose(bad)
    with pytest.raises(ValueError, match="size not equal to one"):
        ak.squeeze(a, 0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_repeat_tile_flip_roll(dtype):
    x = values(dtype, (4, 3))
    a = ak.array(x)
    for axis in (None, 0, 1):
        same(ak.repeat(a, 3, axis), np.repeat(x, 3, axis))
        same(ak.repeat(a, 0, axis), np.repeat(x, 0, axis))
        same(ak.flip(a, axis), np.flip(x, axis))
        for shift in (0, 1, -2, 7):
            same(ak.roll(a, shift, axis), np.roll(x, shift, axis))
    same(ak.repeat(a, [1, 0, 2, 3], axis=0), np.repeat(x, [1, 0, 2, 3], axis=0))
    same(ak.roll(a, (1, 2), (0, 1)), np.roll(x, (1, 2), (0, 1)))
    for reps in (2, (2, 1), (2, 1, 3), 0, (2, 1, 1, 2, 3), (2, 1, 2, 1, 1, 2, 2, 3)):
        same(ak.tile(a, reps), np.tile(x, reps))
    same(ak.flipud(a), np.flipud(x))
    same(ak.fliplr(a), np.fliplr(x))
    with pytest.raises(ValueError, match="negative"):
        ak.repeat(a, -1)
    with pytest.raises(ValueError, match="broadcast"):
        ak.repeat(a, [1, 2], axis=0)


def test_split():
    x = np.arange(20).reshape(10, 2)
    a = ak.array(x)
    for how in (2, 5, [3, 7], [0, 4, 20]):
        same(ak.split(a, how), np.split(x, how))
    same(ak.array_split(a, 3), np.array_split(x, 3))
    same(ak.array_split(a, 3, axis=1), np.array_split(x, 3, axis=1))
    with pytest.raises(ValueError, match="equal division"):
        ak.split(a, 3)
    with pytest.raises(ValueError, match="larger than 0"):
        ak.array_split(a, 0)


def test_diff_insert_delete():
    x = np.array([[1, 4, 9], [2, 2, 8], [7, 5, 1]])
    a = ak.array(x)
    for n in (0, 1, 2, 3):
        for axis in (0, 1):
            same(ak.diff(a, n, axis), np.diff(x, n, axis))
    same(ak.diff(a, prepend=0, append=[[1], [2], [3]]), np.diff(x, prepend=0, append=[[1], [2], [3]]))
    same(ak.diff(ak.array([True, False, False])), np.diff([True, False, False]))
    same(ak.ediff1d(a), np.ediff1d(x))
    same(ak.insert(a, 1, 5), np.insert(x, 1, 5))
    same(ak.insert(a, 1, [7, 8, 9], axis=0), np.insert(x, 1, [7, 8, 9], axis=0))
    same(ak.delete(a, [0, 2]), np.delete(x, [0, 2]))
    same(ak.delete(a, 1, axis=1), np.delete(x, 1, axis=1))
    same(ak.trim_zeros(ak.array([0, 0, 3, 0])), np.trim_zeros(np.array([0, 0, 3, 0])))
    with pytest.raises(ValueError, match="non-negative"):
        ak.diff(a, -1)
    with pytest.raises(IndexError):
        ak.delete(a, 99)


def test_broadcast():
    x = np.arange(3)
    same(ak.broadcast_to(ak.array(x), (4, 3)), np.broadcast_to(x, (4, 3)))
    same(ak.broadcast_arrays(ak.array(x), np.ones((2, 1))), np.broadcast_arrays(x, np.ones((2, 1))))
    same(ak.meshgrid(x, np.arange(2)), np.meshgrid(x, np.arange(2)))
    same(ak.meshgrid(x, np.arange(2), indexing="ij"), np.meshgrid(x, np.arange(2), indexing="ij"))
    with pytest.raises(ValueError):
        ak.broadcast_to(ak.array(x), (4,))


def test_products():
    x, y = np.arange(12.0).reshape(3, 4), np.arange(20.0).reshape(4, 5)
    a, b = ak.array(x), ak.array(y)
    same(a @ b, x @ y)
    same(a @ b[:, 0], x @ y[:, 0])
    same(a[0] @ b, x[0] @ y)
    same(ak.dot(a[0], a[1]), np.dot(x[0], x[1]))
    same(ak.inner(a, a), np.inner(x, x))
    same(ak.outer(a[0], b[0]), np.outer(x[0], y[0]))
    same(ak.vdot(a, a), np.vdot(x, x))
    same(np.arange(3.0) @ a, np.arange(3.0) @ x)
    same(ak.arange(3) @ ak.arange(3), np.arange(3) @ np.arange(3))
    with pytest.raises(ValueError, match="mismatch"):
        a @ a
    with pytest.raises(ValueError, match="aligned"):
        ak.dot(a, a)
    with pytest.raises(ValueError):
        a @ 3


@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("rows", range(1, 10))
def test_few_long_rows_are_transposed_and_repeated(rows, dtype):
    x = np.random.default_rng(rows).integers(0, 100, (rows, 1501)).astype(dtype)
    same(ak.array(x).T.copy(), x.T.copy())
    same(ak.repeat(ak.array(x[0]), rows), np.repeat(x[0], rows))
    same(ak.repeat(ak.array(x), rows, axis=0), np.repeat(x, rows, axis=0))


@pytest.mark.parametrize("size", [(0,), (7, 2), (5000,)])
def test_resize_repeats_and_truncates(size):
    x = np.arange(1001)
    same(ak.resize(ak.array(x), size), np.resize(x, size))


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("shape", [(0,), (1,), (8,), (1003,), (5, 9), (8, 3), (16, 24), (3, 8, 17)])
def test_bits_are_packed_and_unpacked(shape, order):
    rng = np.random.default_rng(1)
    bits, numbers = rng.random(shape) < 0.5, rng.integers(0, 256, shape).astype(np.uint8)
    for axis in (None, *range(-len(shape), len(shape))):
        same(ak.packbits(ak.array(bits), axis, order), np.packbits(bits, axis, order))
        same(ak.packbits(ak.array(numbers), axis, order), np.packbits(numbers, axis, order))
        for count in (None, -2, 50) if numbers.size else (None,):
            same(ak.unpackbits(ak.array(numbers), axis, count, order), np.unpackbits(numbers, axis, count, order))


def test_products_of_few_long_vectors():
    rng = np.random.default_rng(2)
    for dtype in ("int32", "float32", "float64", "complex128", "bool"):
        x = (rng.random((2, 20_000)) * 3).astype(dtype)
        y = (rng.random((20_000, 3)) * 3).astype(dtype)
        for left, right in ((x, y), (x, x.T), (x[0], y), (x, y[:, 0])):
            product = np.asarray(ak.array(left) @ ak.array(right))
            assert product.dtype == (left @ right).dtype
            np.testing.assert_allclose(product, left @ right, rtol=1e-4)
        np.testing.assert_allclose(ak.vdot(ak.array(x), ak.array(x)), np.vdot(x, x), rtol=1e-4)
        np.testing.assert_allclose(ak.array(x).sum(), x.sum(), rtol=1e-4)
