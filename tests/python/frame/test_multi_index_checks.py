# SPDX-License-Identifier: Apache-2.0
"""What MultiIndex and Index refuse, as pandas does, and comparisons by order."""

import pandas
import pytest

import atoll.pandas as pd

REFUSED = {
    "no levels": lambda lib: lib.MultiIndex(levels=[], codes=[]),
    "no arrays": lambda lib: lib.MultiIndex.from_arrays([]),
    "text for arrays": lambda lib: lib.MultiIndex.from_arrays("a"),
    "no iterables": lambda lib: lib.MultiIndex.from_product([]),
    "number for iterables": lambda lib: lib.MultiIndex.from_product(1),
    "repeated labels": lambda lib: lib.MultiIndex(levels=[["a"] * 2, [1, 2]], codes=[[0, 1], [0, 1]]),
    "unequal codes": lambda lib: lib.MultiIndex(levels=[["a"], ["b"]], codes=[[0, 0], [0]]),
    "lists for names": lambda lib: lib.MultiIndex(levels=[[1], [2]], codes=[[0], [0]], names=(["x"], ["y"])),
    "list for a name": lambda lib: lib.Index([1, 2], name=["x"]),
    "list set as a name": lambda lib: setattr(lib.Index([1, 2]), "name", ["x"]),
    "other length": lambda lib: _pairs(lib) == _pairs(lib)[:1],
    "difference": lambda lib: _pairs(lib) - _pairs(lib),
    "product": lambda lib: _pairs(lib) * 1,
    "inverse": lambda lib: ~_pairs(lib),
}


def _pairs(lib):
    return lib.MultiIndex.from_tuples([(1, "x"), (2, "y"), (2, "z")])


@pytest.mark.parametrize("refused", list(REFUSED.values()), ids=list(REFUSED))
def test_indexes_refuse_what_pandas_refuses(refused):
    with pytest.raises((TypeError, ValueError)) as theirs:
        refused(pandas)
    with pytest.raises(theirs.type) as ours:
        refused(pd)
    assert str(ours.value) == str(theirs.value)


@pytest.mark.parametrize("operation", ["__lt__", "__le__", "__gt__", "__ge__"])
def test_labels_of_several_levels_compare_by_order(operation):
    for other in (lambda lib: (2, "y"), lambda lib: _pairs(lib)[::-1]):
        expected = getattr(_pairs(pandas), operation)(other(pandas))
        assert getattr(_pairs(pd), operation)(other(pd)).tolist() == expected.tolist()
