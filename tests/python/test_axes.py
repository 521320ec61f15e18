# SPDX-License-Identifier: Apache-2.0
"""Operations along every axis of arrays in several layouts: NumPy's values, and the same bits in every session."""

import math

import numpy as np
import pytest
from oracle import DTYPES, same

import atoll as ak

pytestmark = pytest.mark.usefixtures("two_sessions")
_seen = {}
SHAPES = [(33, 1030), (9, 4, 41)]
LAYOUTS = {
    "c": lambda x: x,
    "transposed": lambda x: x.T,
    "strided": lambda x: x[..., ::2],
    "reversed": lambda x: x[::-1],
}


def numbers(shape, dtype, seed=1):
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind in "fc":
        return (rng.integers(-40, 40, shape) / 8).astype(dtype)
    return rng.integers(0, 4, shape).astype(dtype)


def same_bits(name, found):
    values = found.to_numpy()
    first = _seen.setdefault(name, values)
    assert values.tobytes() == first.tobytes(), f"{name} differs between sessions"


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_joins_and_rolls(shape, layout):
    for dtype in ("int8", "complex64"):
        x = numbers(shape, dtype)
        a, view = ak.array(x), LAYOUTS[layout]
        part, expected = view(a), view(x)
        for axis in range(len(shape)):
            shorter = (slice(None),) * axis + (slice(1, 2),)
            wanted = np.concatenate([expected[shorter], expected], axis)
            same(ak.concatenate([part[shorter], part], axis), wanted)
            for shift in (0, -2, expected.shape[axis]):
                same(ak.roll(part, shift, axis), np.roll(expected, shift, axis))
        same(ak.roll(part, (1, 2), (0, -1)), np.roll(expected, (1, 2), (0, -1)))
        same(ak.stack([part, part], -1), np.stack([expected, expected], -1))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_reductions_of_unevaluated_arrays(shape):
    for dtype in DTYPES:
        x = numbers(shape, dtype)
        a = ak.array(x)
        for axis in (*range(len(shape)), (0, len(shape) - 1)):
            name = "any" if dtype == "bool" else "sum"
            same(getattr(ak, name)(a + a, axis), getattr(np, name)(x + x, axis))
            same(ak.max(a + a, axis), np.max(x + x, axis))
            same(ak.count_nonzero(a, axis), np.count_nonzero(x, axis))
            same(ak.all(a > 1, axis), np.all(x > 1, axis))
        same(ak.argmax(a + a, -1), np.argmax(x + x, -1))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_statistics(shape, layout):
    for dtype in ("float32", "int32"):
        x = numbers(shape, dtype)
        part, expected = LAYOUTS[layout](ak.array(x)), LAYOUTS[layout](x)
        for axis in (None, *range(len(shape))):
            for name in ("mean", "std", "var"):
                found, wanted = getattr(ak, name)(part, axis), getattr(np, name)(expected, axis)
                assert found.dtype == wanted.dtype
                tolerance = 1e-5 if found.dtype == np.float32 else 1e-12
                np.testing.assert_allclose(np.asarray(found), wanted, rtol=tolerance, atol=tolerance)
            if axis is not None:
                found, wanted = ak.linalg.norm(part, axis=axis), np.linalg.norm(expected, axis=axis)
                np.testing.assert_allclose(found.to_numpy(), wanted, rtol=1e-5)


def test_unevaluated_and_evaluated_arrays_have_the_same_sums():
    rng = np.random.default_rng(2)
    for shape in SHAPES:
        a = ak.array(rng.normal(0, 1e3, shape))
        for axis in range(len(shape)):
            kept = (a * 1.5 + a).evaluate()
            for name in ("sum", "prod"):
                lazy, eager = getattr(a * 1.5 + a, name)(axis=axis), getattr(kept, name)(axis=axis)
                assert lazy.to_numpy().tobytes() == eager.to_numpy().tobytes()
                same_bits((shape, axis, name), lazy)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32"])
@pytest.mark.parametrize("shape", [(40, 1700), (520, 64), (9, 13, 160)], ids=str)
def test_sums_of_products_distances_and_conversions_have_the_bits_of_stored_ones(shape, dtype):
    for seed in range(3 if dtype.startswith("float") else 1):
        x = special((math.prod(shape) // 40, 40), dtype, seed).reshape(shape)
        a = ak.array(x)
        for axis in (None, *range(len(shape))):
            centre = 1.5 if axis is None else ak.mean(a, axis, np.float64, keepdims=True).evaluate()
            far = a.astype(np.float64) - centre
            pairs = [
                (ak.sum(a.astype(np.float64), axis), ak.sum(a.astype(np.float64).evaluate(), axis)),
                (ak.sum((a - centre) * (a - centre), axis), ak.sum(((a - centre) * (a - centre)).evaluate(), axis)),
                (ak.sum(far * far, axis), ak.sum((far * far).evaluate(), axis)),
            ]
            if dtype != "int32":
                pairs += [(ak.sum(a * a, axis), ak.sum((a * a).evaluate(), axis))]
                pairs += [(ak.sum(a * a[::-1], axis), ak.sum((a * a[::-1]).evaluate(), axis))]
            for number, (found, wanted) in enumerate(pairs):
                assert np.asarray(found).tobytes() == np.asarray(wanted).tobytes(), (seed, axis, number)
                same_bits((dtype, shape, seed, axis, number), ak.array(np.asarray(found)))


def test_reductions_of_nan_and_of_nothing():
    x = numbers((20, 1100), "float64")
    x[3, 7] = x[11, 1099] = np.nan
    a = ak.array(x)
    for axis in (0, 1):
        for name in ("max", "min", "sum", "argmax", "any"):
            same(getattr(ak, name)(a, axis), getattr(np, name)(x, axis))
        same(ak.count_nonzero(a * 1, axis), np.count_nonzero(x, axis))
    for shape in ((0, 5), (5, 0), (3, 0, 2)):
        empty, nothing = ak.zeros(shape), np.zeros(shape)
        for axis in range(len(shape)):
            same((empty + 1).sum(axis), (nothing + 1).sum(axis))
            same(ak.concatenate([empty, empty], axis), np.concatenate([nothing, nothing], axis))
            same(ak.roll(empty, 1, axis), np.roll(nothing, 1, axis))


@pytest.mark.parametrize(
    "text", ["ij,ij->i", "ij,ij->j", "ij,ji->i", "ij,ij->", "ij,j->ij", "ij,i->j", "ij->j", "ij,kj->ik"]
)
def test_einsum_of_two_axes(text):
    x = numbers((30, 30), "float64")
    y = x[:, 0].copy() if text.split("->")[0].endswith((",j", ",i")) else x
    given = (x,) if "," not in text else (x, y)
    found, wanted = ak.einsum(text, *(ak.array(one) for one in given)), np.einsum(text, *given)
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int16", "bool", "complex128"])
def test_products_with_vectors(dtype):
    for m, k in ((1, 2000), (300, 259), (4000, 3)):
        x, v, u = numbers((m, k), dtype), numbers(k, dtype, 2), numbers(m, dtype, 3)
        a, b, c = ak.array(x), ak.array(v), ak.array(u)
        for name, found, wanted in (("m_v", a @ b, x @ v), ("v_m", c @ a, u @ x), ("mt_v", a.T @ c, x.T @ u)):
            assert found.dtype == wanted.dtype
            np.testing.assert_allclose(found.to_numpy(), wanted, rtol=1e-4 if dtype == "float32" else 1e-12)
            same_bits((dtype, m, k, name), found)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_products_with_transposes_have_the_bits_of_products_with_copies(dtype):
    for m, k in ((1, 20000), (300, 259), (4000, 7)):
        x, v, u = numbers((m, k), dtype), numbers(k, dtype, 2), numbers(m, dtype, 3)
        a, copied, b, c = (ak.array(one) for one in (x, x.T.copy(), v, u))
        pairs = {"mt_v": (a.T @ c, copied @ c), "v_mt": (b @ a.T, b @ copied)}
        if k < 20000:
            pairs |= {"mt_m": (a.T @ a, copied @ a), "mt_row": (a.T @ a[:, :1], copied @ a[:, :1])}
        if m < 4000:
            pairs |= {"m_mt": (a @ a.T, a @ copied)}
        for name, (found, wanted) in pairs.items():
            assert found.to_numpy().tobytes() == wanted.to_numpy().tobytes(), name
            same_bits((dtype, m, k, name), found)


def special(shape, dtype, seed):
    """Values whose sums and products show the order of operations; some with zeros of both signs, NaN or huge ones."""
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind != "f":
        return rng.integers(0, 2 if dtype == "bool" else 100, shape).astype(dtype)
    x = rng.normal(1, 0.01, shape).astype(dtype)
    if seed == 1:
        x[:, 3] = 0
        x[::2, 3] = -0.0
        x[5, 7] = np.nan
    if seed == 2:
        x[1:3, :] *= np.finfo(dtype).max / 4
        x[3, 4] = np.inf
    return x


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "bool"])
@pytest.mark.parametrize("shape", [(513, 64), (700, 601), (20, 1500), (1500, 20), (2500, 40), (40, 2500)], ids=str)
def test_reductions_of_transposes_have_the_bits_of_copies(shape, dtype):
    for seed in range(3 if dtype.startswith("float") else 1):
        x = special(shape, dtype, seed)
        a, copied = ak.array(x), ak.array(x.T.copy())
        names = ("sum", "prod", "max", "argmin") if dtype.startswith("float") else ("sum", "min", "argmax", "any")
        for axis in (0, 1):
            for name in names:
                with np.errstate(all="ignore"):
                    found, wanted = getattr(a.T, name)(axis=axis), getattr(copied, name)(axis=axis)
                assert found.to_numpy().tobytes() == wanted.to_numpy().tobytes(), (name, axis, seed)
                same_bits((shape, dtype, seed, axis, name), found)


def test_transposes_keep_their_values():
    x = np.arange(40_000.0).reshape(100, 400)
    a = ak.array(x)
    turned = a.T
    twice = turned.T
    other = (a + 1).T  # of no name
    a[3, 5] = -1.0
    x[3, 5] = -1.0
    same(turned, x.T)  # views follow
    same(twice, x)
    turned[7, 2] = -2.0
    x[2, 7] = -2.0
    same(a, x)
    same(turned.sum(0), x.T.sum(0))
    copied = a.T.copy()
    a[0, 0] = 99.0
    assert copied.item(0) == 0.0
    assert other.item(5 * 100 + 3) == 3 * 400 + 5 + 1
    same(a.T[2:5, ::3] + a.T[2:5, ::3], 2 * np.asarray(a).T[2:5, ::3])
    same(ak.max(a.T * 2, 1), np.max(np.asarray(a).T * 2, 1))
