# SPDX-License-Identifier: Apache-2.0
"""Functions that the array API standard adds to NumPy's."""

import numpy as np
import pytest
from oracle import same

import atoll as ak

pytestmark = pytest.mark.usefixtures("one_session")


def test_namespace():
    a = ak.arange(3)
    assert a.__array_namespace__() is ak
    assert a.__array_namespace__(api_version=ak.__array_api_version__) is ak
    with pytest.raises(ValueError, match=r"version '1999\.12'"):
        a.__array_namespace__(api_version="1999.12")


def test_info():
    info = ak.__array_namespace_info__()
    assert info.default_device() in info.devices()
    assert info.default_dtypes()["integral"] == ak.arange(3).dtype
    assert info.default_dtypes()["real floating"] == ak.zeros(3).dtype
    assert set(info.dtypes(kind="unsigned integer")) == {"uint8", "uint16", "uint32", "uint64"}
    assert all(getattr(ak, name) == dtype for name, dtype in info.dtypes().items())
    assert info.capabilities()["boolean indexing"]


MAKERS = [
    lambda **options: ak.zeros(2, **options),
    lambda **options: ak.ones(2, **options),
    lambda **options: ak.empty(2, **options),
    lambda **options: ak.full(2, 1, **options),
    lambda **options: ak.zeros_like([1], **options),
    lambda **options: ak.ones_like([1], **options),
    lambda **options: ak.empty_like([1], **options),
    lambda **options: ak.full_like([1], 2, **options),
    lambda **options: ak.eye(2, **options),
    lambda **options: ak.arange(2, **options),
    lambda **options: ak.linspace(0, 1, 3, **options),
    lambda **options: ak.asarray([1], **options),
    lambda **options: ak.astype(ak.arange(2), ak.int8, **options),
    lambda **options: ak.from_dlpack(np.arange(2), **options),
]


@pytest.mark.parametrize("make", MAKERS)
def test_device(make):
    assert make(device="cpu").device == "cpu"
    assert make(device=None).device == "cpu"
    with pytest.raises(ValueError, match="no device 'gpu'"):
        make(device="gpu")


def test_to_device():
    a = ak.arange(3)
    assert a.to_device("cpu") is a
    with pytest.raises(ValueError, match="no device 'gpu'"):
        a.to_device("gpu")
    with pytest.raises(ValueError, match="streams"):
        a.to_device("cpu", stream=1)


def test_limits_have_the_standards_names_and_numpys():
    x = np.arange(6)
    for found in (
        ak.clip(x, 1, 3),
        ak.clip(x, min=1, max=3),
        ak.clip(x, a_min=1, a_max=3),
        ak.array(x).clip(max=3, min=1),
    ):
        same(found, np.clip(x, 1, 3))


def test_matrix_transpose():
    x = np.arange(24).reshape(2, 3, 4)
    a = ak.array(x)
    same(a.mT, x.mT)
    a.mT[0, 0, 0] = 7  # a view
    assert a[0, 0, 0] == 7


@pytest.mark.parametrize("k", [-1, 0, 2])
def test_triangles(k):
    x = np.arange(24).reshape(2, 3, 4)
    same(ak.tril(ak.array(x), k), np.tril(x, k))
    same(ak.triu(ak.array(x), k=k), np.triu(x, k))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_cumulative(axis):
    x = np.arange(1, 7, dtype=np.int8).reshape(2, 3)
    for name in ("cumulative_sum", "cumulative_prod"):
        for initial in (False, True):
            found = getattr(ak, name)(ak.array(x), axis=axis, include_initial=initial)
            same(found, getattr(np, name)(x, axis=axis, include_initial=initial))
    with pytest.raises(ValueError, match="axis"):
        ak.cumulative_sum(x)


def test_unstack():
    x = np.arange(24).reshape(2, 3, 4)
    for axis in (0, 1, -1):
        same(ak.unstack(ak.array(x), axis=axis), np.unstack(x, axis=axis))
    assert [part.shape for part in ak.unstack(ak.arange(2))] == [(), ()]


def test_products():
    x, y = np.arange(24).reshape(2, 3, 4), np.arange(12).reshape(3, 4)
    same(ak.vecdot(ak.array(x), y), np.vecdot(x, y))
    same(ak.vecdot(ak.array(x), y, axis=-2), np.vecdot(x, y, axis=-2))
    for axes in (0, 1, 2, [[1, 2], [0, 1]], [[2], [1]]):
        left = x.transpose(0, 2, 1) if axes == 1 else x
        same(ak.tensordot(ak.array(left), y, axes=axes), np.tensordot(left, y, axes=axes))
    with pytest.raises(ValueError, match="mismatch"):
        ak.tensordot(x, x, axes=1)


def test_types():
    a = ak.zeros(3, "int8")
    assert ak.result_type(a, ak.int16) == np.int16
    assert ak.result_type(a, 1.0) == np.result_type(np.int8, 1.0)
    assert ak.can_cast(a, ak.int16)
    assert not ak.can_cast(ak.float64, a.dtype)
    assert ak.isdtype(a.dtype, ("bool", "integral"))
    assert (ak.iinfo(a).max, ak.finfo(ak.float32).bits) == (127, 32)
    same(ak.real(a), np.zeros(3, "int8"))
    same(ak.imag(ak.ones(2)), np.zeros(2))
    same(ak.conj(ak.arange(3)), np.arange(3))


def test_limits_are_pythons_numbers():
    for dtype in ("float32", "complex64", ak.ones(2)):
        found = ak.finfo(dtype)
        theirs = np.finfo(dtype.dtype if isinstance(dtype, ak.ndarray) else dtype)
        assert type(found.eps) is type(found.max) is float
        assert found.eps == theirs.eps and found.bits == theirs.bits and found.tiny == theirs.tiny


def test_unshareable_arrays_raise_buffer_error():
    for a in (ak.array([1j]), ak.arange(6)[::2]):
        with pytest.raises(BufferError, match="share"):
            a.__dlpack__(copy=False)
        np.testing.assert_array_equal(np.from_dlpack(a), a.to_numpy())
