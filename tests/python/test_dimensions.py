# SPDX-License-Identifier: Apache-2.0
"""Results of more dimensions than an array may have are errors, and do not touch other memory."""

import numpy as np
import pytest
from oracle import same

import atoll as ak

pytestmark = pytest.mark.usefixtures("two_sessions")

MOST = 8
COLUMN = [[1], [0], [1]]  # as an index it replaces one axis by two


def ones(xp, ndim):
    return xp.ones((2,) * ndim)


#: Each adds one dimension or more to an array of `ndim` dimensions.
GROWING = {
    "an index array": lambda xp, ndim: ones(xp, ndim)[xp.array(COLUMN)],
    "an index array behind a slice": lambda xp, ndim: ones(xp, ndim)[:, xp.array(COLUMN)],
    "an index array behind a new axis": lambda xp, ndim: ones(xp, ndim - 1)[None, xp.array(COLUMN)],
    "index arrays apart": lambda xp, ndim: ones(xp, ndim)[xp.array(COLUMN), :, xp.array([[[0]]])],
    "a new axis": lambda xp, ndim: ones(xp, ndim)[None],
    "a new axis and an integer": lambda xp, ndim: ones(xp, ndim)[None, ..., None, 0],
    "a mask and a new axis": lambda xp, ndim: ones(xp, ndim)[xp.array([True, False]), None],
    "expand_dims": lambda xp, ndim: xp.expand_dims(ones(xp, ndim), -1),
    "stack": lambda xp, ndim: xp.stack([ones(xp, ndim), ones(xp, ndim)]),
    "reshape": lambda xp, ndim: ones(xp, ndim).reshape((2,) * ndim + (1,)),
    "broadcast_to": lambda xp, ndim: xp.broadcast_to(ones(xp, ndim), (3, *(2,) * ndim)),
    "take": lambda xp, ndim: xp.take(ones(xp, ndim), xp.array(COLUMN), axis=1),
    "outer": lambda xp, ndim: xp.add.outer(ones(xp, ndim), xp.arange(3)),
    "tile": lambda xp, ndim: xp.tile(ones(xp, ndim), (2,) * (ndim + 1)),
    "array(ndmin=)": lambda xp, ndim: xp.array(ones(np, ndim), ndmin=ndim + 1),
    "meshgrid": lambda xp, ndim: xp.meshgrid(*[xp.arange(2)] * (ndim + 1))[0],
    "ones": lambda xp, ndim: ones(xp, ndim + 1),
    "atleast_3d": lambda xp, ndim: xp.atleast_3d(ones(xp, ndim)[None]),
    "tensordot": lambda xp, ndim: xp.tensordot(ones(xp, ndim), xp.arange(3), 0),
}


@pytest.mark.parametrize("make", GROWING.values(), ids=GROWING.keys())
def test_dimensions_beyond_the_limit(make):
    same(make(ak, MOST - 2), make(np, MOST - 2))
    beside = ak.arange(1000)
    try:
        got = make(ak, MOST)
    except ValueError as error:
        assert "dimension" in str(error)  # noqa: PT017
    else:
        same(got, make(np, MOST))  # an operation that the limit does not affect
    same(beside, np.arange(1000))
    assert ak.arange(10).sum() == 45
