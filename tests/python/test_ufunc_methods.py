# SPDX-License-Identifier: Apache-2.0
"""reduce, accumulate, reduceat, outer and at of all elementwise functions of two arrays, against NumPy."""

import warnings

import numpy as np
import pytest
from oracle import same, values

import atoll as ak
from atoll.arrays.functions import BINARY

pytestmark = [pytest.mark.usefixtures("two_sessions"), pytest.mark.filterwarnings("ignore::RuntimeWarning")]

NAMES = sorted(name for name in BINARY if isinstance(getattr(np, name, None), np.ufunc))
#: In another order than NumPy's, or by other loops.
ROUNDED = {"hypot", "logaddexp", "logaddexp2", "add", "multiply", "arctan2", "power", "float_power"}


def operand(name, dtype, shape):
    x = values(dtype, shape, special=False)
    if name in ("power", "float_power", "left_shift", "right_shift", "ldexp"):
        x = np.abs(x) % 3
    if name == "lcm" and dtype == "uint8":
        x = x % 5  # what overflows depends on the order
    return x.astype(dtype)


def both(method, name, *args, **options):
    """NumPy's result and ours, or their errors' types."""
    results = []
    for package in (np, ak):
        given = [ak.array(x) if package is ak and isinstance(x, np.ndarray) else x for x in args]
        given_options = {key: ak.array(x) if package is ak and isinstance(x, np.ndarray) else x
                         for key, x in options.items()}  # fmt: skip
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                results.append((getattr(getattr(package, name), method)(*given, **given_options), None))
        except (TypeError, ValueError, IndexError) as error:
            results.append((None, type(error)))
    return results


def check(method, name, *args, **options):
    (expected, error), (got, found) = both(method, name, *args, **options)
    assert found == error
    if error is None:
        if isinstance(expected, (np.ndarray, np.generic)) and expected.dtype == np.float16:
            expected = expected.astype(np.float32)
            same(got, expected, 1e13 if expected.dtype == np.float32 else 64)
            return
        same(got, expected, 64 if name in ROUNDED and np.asarray(expected).dtype.kind in "fc" else 0)


@pytest.mark.parametrize("dtype", ["int64", "float64", "bool", "uint8", "float32"])
@pytest.mark.parametrize("name", NAMES)
def test_reduce(name, dtype):
    x = operand(name, dtype, (7, 3, 2))
    check("reduce", name, x)
    check("reduce", name, x, axis=1)
    check("reduce", name, x, 1, keepdims=True)
    check("reduce", name, x, axis=(0, 2))
    check("reduce", name, x, axis=None)
    check("reduce", name, x[:, 0, 0], initial=1)
    check("reduce", name, x[:, 0], where=values("bool", (7, 2)))
    check("reduce", name, x[:, 0], where=values("bool", (7, 2)), initial=1)
    check("reduce", name, x[:0])
    check("reduce", name, x[:0], initial=1)
    check("reduce", name, x[:1, 0, 0])
    check("reduce", name, x, axis=3)


@pytest.mark.parametrize("dtype", ["int64", "float64", "bool"])
@pytest.mark.parametrize("name", NAMES)
def test_accumulate(name, dtype):
    x = operand(name, dtype, (7, 3))
    check("accumulate", name, x)
    check("accumulate", name, x, axis=1)
    check("accumulate", name, x, -1)
    check("accumulate", name, x[:0])
    check("accumulate", name, x[0, 0])


@pytest.mark.parametrize("dtype", ["int64", "float64", "bool"])
@pytest.mark.parametrize("name", NAMES)
def test_reduceat(name, dtype):
    x = operand(name, dtype, (11, 3))
    check("reduceat", name, x, [0, 4, 1, 5, 2, 6, 2, 7])
    check("reduceat", name, x, [3])
    check("reduceat", name, x, np.array([2, 0, 1]), axis=1)
    check("reduceat", name, x[:, 0], [0, 0, 10])
    check("reduceat", name, x, [11])
    check("reduceat", name, x, [-1])


@pytest.mark.parametrize("dtype", ["int64", "float64", "bool"])
@pytest.mark.parametrize("name", NAMES)
def test_outer(name, dtype):
    x, y = operand(name, dtype, (5, 2)), operand(name, dtype, 3)
    check("outer", name, x, y)
    check("outer", name, y, x)


def test_types_and_outputs():
    x = np.arange(12, dtype=np.int8).reshape(3, 4)
    a = ak.array(x)
    for method, shape in (("reduce", (4,)), ("accumulate", (3, 4))):
        same(getattr(ak.add, method)(a, dtype="float32"), getattr(np.add, method)(x, dtype="float32"))
        same(getattr(ak.bitwise_or, method)(a, dtype="int16"), getattr(np.bitwise_or, method)(x, dtype="int16"))
        for name in ("add", "bitwise_xor", "subtract"):
            out, expected = ak.zeros(shape, "int64"), np.zeros(shape, "int64")
            assert getattr(getattr(ak, name), method)(a, out=out) is out
            getattr(getattr(np, name), method)(x, out=expected)
            same(out, expected)
            got = getattr(getattr(np, name), method)(a)
            same(got, getattr(getattr(np, name), method)(x))
    same(ak.maximum.reduceat(a, [0, 2], dtype="int32"), np.maximum.reduceat(x, [0, 2], dtype="int32"))
    same(np.add.reduceat(a, [0, 2], axis=1), np.add.reduceat(x, [0, 2], axis=1))
    out, expected = ak.zeros((2, 3, 4), "int8"), np.zeros((2, 3, 4), "int8")
    mask = np.arange(4) % 2 == 0
    ak.multiply.outer(ak.array([1, 2], "int8"), a, out=out, where=ak.array(mask))
    np.multiply.outer(np.array([1, 2], "int8"), x, out=expected, where=mask)
    same(out, expected)
    z = x.astype(complex) + 1j
    same(ak.multiply.reduce(ak.array(z), axis=1), np.multiply.reduce(z, axis=1), 8)
    same(ak.maximum.accumulate(ak.array(z)), np.maximum.accumulate(z))


def test_attributes():
    for name in NAMES:
        ours, theirs = getattr(ak, name), getattr(np, name)
        assert (ours.nin, ours.nout, ours.nargs) == (theirs.nin, theirs.nout, theirs.nargs)
        assert ours.identity == theirs.identity
    assert (ak.sqrt.nin, ak.sqrt.nout) == (1, 1)
