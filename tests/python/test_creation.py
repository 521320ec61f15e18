# SPDX-License-Identifier: Apache-2.0
"""Making arrays, exchange with NumPy, pickling, printing, against NumPy."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracle import DTYPES, same, values

import atoll as ak

pytestmark = pytest.mark.usefixtures("every_session")


@pytest.mark.parametrize("dtype", DTYPES)
def test_array_and_back(dtype):
    for shape in ((), (0,), (1,), (17,), (3, 5), (2, 0, 3), (2, 3, 4)):
        x = values(dtype, shape) if shape else np.asarray(values(dtype, 3)[0])
        a = ak.array(x)
        same(a, x)
        assert (a.dtype, a.ndim, a.size, a.nbytes, a.itemsize) == (x.dtype, x.ndim, x.size, x.nbytes, x.itemsize)
        assert a.tolist() == x.tolist() or np.isnan(x).any()
        assert a.tobytes() == x.tobytes()
        same(pickle.loads(pickle.dumps(a)), x)
        same(copy.deepcopy(a), x)
        np.testing.assert_array_equal(np.asarray(a), x)
        np.testing.assert_array_equal(np.array(a), x)
    for name in ("zeros", "ones", "empty"):
        assert getattr(ak, name)((2, 3), dtype).dtype == dtype
    same(ak.zeros((2, 3), dtype), np.zeros((2, 3), dtype))
    same(ak.ones(5, dtype), np.ones(5, dtype))
    same(ak.full(5, 1, dtype), np.full(5, 1, dtype))
    same(ak.full_like(ak.ones(3, dtype), 1), np.full_like(np.ones(3, dtype), 1))
    same(ak.zeros_like(ak.ones(3, dtype)), np.zeros(3, dtype))


def test_array_of_many_things():
    same(ak.array([1, 2, 3]), np.array([1, 2, 3]))
    same(ak.array([[1, 2.5], [3, 4]]), np.array([[1, 2.5], [3, 4]]))
    same(ak.array((True, False)), np.array([True, False]))
    same(ak.array(range(5)), np.arange(5))
    same(ak.array(range(10_000, 0, -3)), np.arange(10_000, 0, -3))
    same(ak.array(5), np.array(5))
    same(ak.array(np.float32(1.5)), np.float32(1.5))
    same(ak.array([]), np.array([]))
    same(ak.array([ak.arange(2), ak.arange(2)]), np.array([[0, 1], [0, 1]]))
    same(ak.array(2**63), np.array(2**63))
    same(ak.array([1, 2], dtype=np.float32), np.array([1, 2], np.float32))
    same(ak.array(np.arange(6).reshape(2, 3).T), np.arange(6).reshape(2, 3).T)
    same(ak.array(np.arange(10)[::-2]), np.arange(10)[::-2])
    same(ak.array(np.arange(3, dtype=">i4")), np.arange(3, dtype="i4"))
    same(ak.array([1, 2], ndmin=3), np.array([1, 2], ndmin=3))
    same(ak.eye(3, 4, 1), np.eye(3, 4, 1))
    same(ak.full(3, [1, 2, 3]), np.full(3, [1, 2, 3]))


def test_pandas_series():
    pandas = pytest.importorskip("pandas")
    same(ak.array(pandas.Series([1.5, 2.5])), np.array([1.5, 2.5]))


@pytest.mark.parametrize(
    "bad",
    [
        [["a"], ["b"]],
        np.clongdouble([1j]),
        np.array([1, "x"], object),
        np.float16([1]),
        "text",
        b"x",
    ],
)
def test_errors_of_unsupported_dtypes_contain_advice(bad):
    with pytest.raises(TypeError, match=r"atoll arrays hold bool, int8 .* not .*\. \w+"):
        ak.array(bad)


def test_unsupported_dtypes():
    for dtype in (np.clongdouble, str, object, np.float16):
        with pytest.raises(TypeError, match="atoll arrays hold"):
            ak.zeros(3, dtype)
    with pytest.raises(TypeError):
        ak.zeros(3, "nonsense")


@pytest.mark.parametrize(
    "args",
    [(5,), (2, 9), (2, 9, 3), (9, 2, -2), (5.0,), (0.5, 4.0, 0.7), (1, 0), (0, 1, 0.1), (-3, 3), (10, 0, -3), (0,),
     (1e-3, 2e-3, 1e-4), (2**62, 2**62 + 5)],
    ids=str,
)  # fmt: skip
def test_arange(args):
    same(ak.arange(*args), np.arange(*args))


def test_arange_types():
    for dtype in DTYPES[1:]:
        same(ak.arange(3, 20, 4, dtype=dtype), np.arange(3, 20, 4, dtype=dtype))
    with pytest.raises(ZeroDivisionError):
        ak.arange(0, 5, 0)
    with pytest.raises(ValueError):
        ak.arange(0, np.nan)
    with pytest.raises(ValueError, match="Maximum"):
        ak.arange(2**62)
    with pytest.raises(TypeError):
        ak.arange("x")
    with pytest.raises(TypeError):
        ak.arange()


def test_linspace():
    for args in ((0, 1, 5), (2, -3, 7), (0, 1, 1), (0, 1, 0), (1, 1, 4), (0, 10, 50)):
        for endpoint in (True, False):
            same(ak.linspace(*args, endpoint=endpoint), np.linspace(*args, endpoint=endpoint))
    same(ak.linspace(0, 10, 5, dtype=int), np.linspace(0, 10, 5, dtype=int))
    same(ak.linspace(0, 1, 3, retstep=True), np.linspace(0, 1, 3, retstep=True))
    same(ak.logspace(0, 3, 4), np.logspace(0, 3, 4), 4)
    same(ak.geomspace(1, 1000, 4), np.geomspace(1, 1000, 4), 8)
    with pytest.raises(ValueError, match="non-negative"):
        ak.linspace(0, 1, -1)


def test_bad_shapes():
    with pytest.raises(ValueError, match="negative dimensions"):
        ak.zeros(-1)
    with pytest.raises(ValueError, match="negative dimensions"):
        ak.ones((2, -3))
    with pytest.raises(MemoryError):
        ak.zeros(2**62)
    with pytest.raises(MemoryError):
        ak.zeros((2**31, 2**31, 8)).sum()
    for bad in (1.5, "x", (2, "x"), None):
        with pytest.raises(TypeError):
            ak.zeros(bad)
    with pytest.raises(TypeError, match=r"ak\.array"):
        ak.ndarray(5)
    with pytest.raises(TypeError, match="subclass"):
        type("mine", (ak.ndarray,), {})


def test_scalar_conversions():
    a = ak.array([7])
    assert int(a) == 7 and float(a) == 7.0 and bool(a) and complex(a) == 7
    assert a.item() == 7 and type(a.item()) is int
    assert [0, 1, 2, 3][ak.array(2)] == 2
    assert ak.arange(6).reshape(2, 3).item(4) == 4
    assert ak.arange(6).reshape(2, 3).item(1, 2) == 5
    for function in (int, float):
        with pytest.raises(TypeError, match="only length-1"):
            function(ak.arange(2))
    for x in (ak.arange(2), ak.zeros(0)):
        with pytest.raises(ValueError, match="truth value"):
            bool(x)
        with pytest.raises(ValueError):
            x.item()
    with pytest.raises(TypeError):
        len(ak.array(3))
    with pytest.raises(TypeError):
        [1, 2][ak.array(1.0)]
    assert f"{ak.array(2.5):.2f}" == "2.50"


def test_sharing_memory():
    if ak.pes() > 1:
        with pytest.raises(ValueError):
            ak.arange(3).to_numpy(copy=False)
        return
    x = np.zeros(2000)
    a = ak.asarray(x)
    view = a[5:10]
    x[7] = 1
    assert a[7] == 1 and view[2] == 1
    a[8] = 2
    assert x[8] == 2 and view[3] == 2
    b = ak.zeros(2000)
    part = b[1:4]
    y = b.to_numpy(copy=False)
    y[2] = 5
    assert b[2] == 5 and part[1] == 5
    b += 1
    assert y[2] == 6
    z = np.asarray(b)
    assert not z.flags.writeable and z[2] == 6
    assert np.shares_memory(z, b.to_numpy(copy=None))
    c = ak.array(x)
    c[0] = 99
    assert x[0] == 0
    same(ak.asarray(a), x)
    assert ak.asarray(a) is a


def test_dlpack():
    x = np.arange(10.0)
    same(ak.from_dlpack(x), x)
    np.testing.assert_array_equal(np.from_dlpack(ak.array(x) + 1), x + 1)
    assert ak.array(x).__dlpack_device__() == (1, 0)


def test_numpys_functions_on_our_arrays():
    x, y = values("float64", 40, special=False), values("int64", 40, special=False)
    a, b = ak.array(x), ak.array(y)
    same(np.add(a, b), np.add(x, y))
    same(np.add(x, b), np.add(x, y))
    same(x + b, x + y)
    same(np.float64(2) * b, np.float64(2) * y)
    same(np.sqrt(np.abs(a)), np.sqrt(np.abs(x)))
    same(np.argsort(b, kind="stable"), np.argsort(y, kind="stable"))
    for name in ("sort", "cumsum", "diff", "ravel", "flip", "nonzero", "unique"):
        same(getattr(np, name)(b), getattr(np, name)(y))
    for name in ("sum", "mean", "std", "min", "max", "argmax", "median", "any", "all", "ptp"):
        same(getattr(np, name)(a), getattr(np, name)(x), 64)
    same(np.concatenate([a, b]), np.concatenate([x, y]))
    same(np.where(a > 0, a, b), np.where(x > 0, x, y))
    same(np.add.reduce(b), np.add.reduce(y))
    same(np.maximum.reduce(a), np.maximum.reduce(x))
    same(np.multiply.outer(b[:3], b[:4]), np.multiply.outer(y[:3], y[:4]))
    same(np.reshape(a, (4, 10)), np.reshape(x, (4, 10)))
    same(np.histogram(a, 5), np.histogram(x, 5))
    same(np.clip(a, -1, 1), np.clip(x, -1, 1))
    same(np.zeros_like(b), np.zeros_like(y))
    assert np.shape(a) == (40,) and np.ndim(a) == 1 and np.size(a) == 40
    assert np.allclose(a, x) and np.array_equal(b, y)
    out = np.zeros(40)
    assert np.add(a, b, out=out) is out
    np.testing.assert_array_equal(out, x + y)
    mine = ak.zeros(40)
    assert np.add(a, b, out=mine) is mine
    same(mine, x + y)
    z = x.copy()
    z += b
    np.testing.assert_array_equal(z, x + y)
    for call in (lambda: np.isnat(a), lambda: np.busday_count(a, b), lambda: np.datetime_as_string(a)):
        with pytest.raises(TypeError, match="convert them first"):
            call()


PRINTED = [np.arange(5), np.arange(12).reshape(3, 4), np.array([1.5, np.nan, -np.inf]), np.array([True, False]),
           np.arange(3, dtype=np.int8), np.array([], dtype=float), np.zeros((2, 0)), np.array(3), np.array(2.5),
           np.array([1e10, 1e-10]), np.arange(1001), np.arange(2000.0) / 7, np.arange(5000).reshape(50, 100),
           np.arange(5000, dtype=np.float32).reshape(5, 1000), np.arange(1200).reshape(1200, 1),
           np.arange(30000).reshape(100, 3, 100), np.ones((7, 200)) * 1e5, np.arange(1500) % 2 == 0]  # fmt: skip


@pytest.mark.parametrize("x", PRINTED, ids=lambda x: f"{x.dtype}{x.shape}")
def test_printing(x):
    a = ak.array(x)
    assert repr(a) == repr(x)
    assert str(a) == str(x)
    assert f"{a}" == f"{x}"
    with np.printoptions(threshold=4, edgeitems=1, precision=2, linewidth=40):
        assert repr(a) == repr(x)
        assert str(a) == str(x)


def test_printing_computes_only_the_ends():
    """These arrays fit no memory."""
    assert repr(ak.arange(10**12)) == (
        "array([           0,            1,            2, ..., 999999999997,\n"
        "       999999999998, 999999999999], shape=(1000000000000,))"
    )
    assert str(ak.zeros(10**12)) == "[0. 0. 0. ... 0. 0. 0.]"
    chain = ak.where(ak.arange(10**12) % 2 == 0, ak.arange(10**12) // 10**11, -1)
    assert str(chain) == "[ 0 -1  0 ... -1  9 -1]"
    table = ak.broadcast_to(ak.arange(10**6), (10**6, 10**6)) + 1
    row = "[      1       2       3 ...  999998  999999 1000000]"
    assert str(table[:2]) == f"[{row}\n {row}]"
    assert table[5:7, 3:5].tolist() == [[4, 5], [4, 5]]
    assert table[-1, -1] == 10**6
    steps = ak.arange(0, 10**12, 10, dtype=np.uint64)[-1:-30:-7]
    assert steps.tolist() == [10**12 - 10 - 70 * i for i in range(5)]


def test_printing_of_many_elements():
    many = ak.arange(5_000_000) * 2.0
    assert repr(many) == (
        "array([0.000000e+00, 2.000000e+00, 4.000000e+00, ..., 9.999994e+06,\n"
        "       9.999996e+06, 9.999998e+06], shape=(5000000,))"
    )


@given(
    hnp.arrays(st.sampled_from([np.int64, np.float64, np.uint8, np.bool_]), hnp.array_shapes(max_dims=3, max_side=12))
)
def test_random_printing(x):
    with np.printoptions(threshold=20):
        assert repr(ak.array(x)) == repr(x)


@pytest.mark.parametrize("make", [ak.zeros, ak.ones, ak.empty, lambda n, order: ak.array([1] * n, order=order)])
def test_column_order_is_refused(make):
    with pytest.raises(ValueError, match="order='F' is not available"):
        make(3, order="F")
    with pytest.raises(ValueError, match="order must be one of"):
        make(3, order="X")
    assert make(3, order="A").shape == (3,)
