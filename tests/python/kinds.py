# SPDX-License-Identifier: Apache-2.0
"""What every kind of column with an order does, against Python's lists."""

import operator

import numpy as np
from texts import same

import atoll as ak


def each(values, function):
    return [None if value is None else function(value) for value in values]


def rowwise(left, right, function):
    return [None if a is None or b is None else function(a, b) for a, b in zip(left, right, strict=True)]


def check_as_column(made, values, like):
    """What every column does."""
    column, n = made(values), len(values)
    same(column, values)
    present = [value for value in values if value is not None]
    order = sorted((i for i in range(n) if values[i] is not None), key=lambda i: values[i])
    same(column.argsort(), order + [i for i in range(n) if values[i] is None])
    assert column.min() == min(present, default=None)
    assert column.max() == max(present, default=None)
    distinct, first, counts = ak.unique(column, return_index=True, return_counts=True)
    same(distinct, sorted(set(present)))
    same(first, [values.index(value) for value in sorted(set(present))])
    same(counts, [values.count(value) for value in sorted(set(present))])
    same(column[::-1], values[::-1])
    same(column[1:][::2], values[1:][::2])
    same(ak.concatenate([column, column]), values + values)
    same(ak.where(column.isna(), like, column), [like if value is None else value for value in values])
    same(column.fillna(like), [like if value is None else value for value in values])
    same(ak.isin(column, made([values[0], like])), [v is not None and v in (values[0], like) for v in values])
    for compare in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
        same(compare(column, column[::-1]), rowwise(values, values[::-1], compare))
        same(compare(column, like), each(values, lambda v, compare=compare: compare(v, like)))
    g = ak.groupby(column)
    same(g.keys, sorted(set(present)))
    same(g.size(), [values.count(value) for value in sorted(set(present))])
    halves = ak.groupby(ak.array(np.arange(n) % 2))
    for figure, pick in (("min", min), ("max", max), ("first", lambda x: x[0]), ("nunique", lambda x: len(set(x)))):
        parts = [[v for v in values[k::2] if v is not None] for k in range(min(n, 2))]
        expected = [pick(part) if part else (0 if figure == "nunique" else None) for part in parts]
        same(getattr(halves, figure)(column), expected)
    rows = ak.join(column, made(values[::-1]))
    pairs = {(i, j) for i, a in enumerate(values) for j, b in enumerate(values[::-1]) if a is not None and a == b}
    assert set(zip(rows.left.tolist(), rows.right.tolist(), strict=True)) == pairs
    return column
