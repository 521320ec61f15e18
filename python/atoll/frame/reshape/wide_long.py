# SPDX-License-Identifier: Apache-2.0
"""Wide tables as long ones by their columns' names, and dummies as the categories they stand for."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ...arrays.creation import arange, asarray
from ...arrays.joining import stack
from ...columns.text.strings import strings
from ..classes import frame
from ..combine.concat import concat
from ..data.column_labels import Labels
from ..data.values import is_scalar, make, take


def wide_to_long(df: Any, stubnames: Any, i: Any, j: Any, sep: str = "", suffix: str = r"\d+") -> Any:
    """Columns named by a stub and a suffix as one column for each stub, the suffixes as a level of labels.

    Parameters
    ----------
    df : DataFrame
        The wide table.
    stubnames : str or list of str
        How the names of the columns begin.
    i : str or list of str
        Columns that identify a row.
    j : str
        The name of the level of suffixes.
    sep, suffix : str
        What stands between stub and suffix; a regular expression of suffixes.

    Examples
    --------
    >>> import atoll.pandas as pd
    >>> df = pd.DataFrame({"id": [1, 2], "x1": [3, 4], "x2": [5, 6]})
    >>> pd.wide_to_long(df, "x", i="id", j="n").x.to_list()
    [3, 4, 5, 6]
    """
    stubs = [stubnames] if is_scalar(stubnames) else list(stubnames)
    by = [i] if is_scalar(i) else list(i)
    if any(one in stubs for one in df._labels.values):
        raise ValueError("stubname can't be identical to a column name")
    if df[by].duplicated().any():
        raise ValueError("the id variables need to uniquely identify each row")
    chosen: dict[str, list[str]] = {}
    for stub in stubs:
        pattern = re.compile(rf"^{re.escape(stub)}{re.escape(sep)}{suffix}$")
        chosen[stub] = [label for label in df._labels.values if pattern.match(str(label))]
    wide = {label for labels in chosen.values() for label in labels}
    kept = [label for label in df._labels.values if label not in wide and label not in by]
    parts: list[Any] = []
    for stub, labels in chosen.items():
        long = df.melt([*by, *kept], labels, var_name=j, value_name=stub.rstrip(sep) if sep else stub)
        ends = [label[len(stub) + len(sep) :] for label in labels]
        numeric = all(re.fullmatch(r"[+-]?\d+", end) for end in ends)
        floats = not numeric and all(re.fullmatch(r"[+-]?\d+(\.\d+)?", end) for end in ends)
        told = [int(end) for end in ends] if numeric else [float(end) for end in ends] if floats else ends
        long[j] = take(make(told), arange(len(long)) // max(len(df), 1))  # a label's rows stand together
        parts.append(long.drop(columns=kept).set_index([*by, j]))
    made = parts[0]
    for part in parts[1:]:
        if part._index._same(made._index):
            made = made._new([*made._columns, *part._columns], Labels([*made._labels.values, *part._labels.values]))
        else:
            made = made.join(part, how="outer")
    if not parts:
        return df.set_index(by)
    names = made._labels.values
    left = df[[*by, *kept]]
    if len(by) == 1:  # in order of suffixes, then of rows
        rows = left.set_index(by)._index._indexer(made._index.get_level_values(0))
        held = [take(left._column(one), rows) for one in kept]
        return frame([*held, *made._columns], Labels([*kept, *names]), made._index)
    return left.merge(made.reset_index(), on=by).set_index([*by, j])[[*kept, *names]]


def lreshape(data: Any, groups: Any, dropna: bool = True) -> Any:
    """Several columns one below another, for each of some new names; the others are repeated.

    Examples
    --------
    >>> import atoll.pandas as pd
    >>> df = pd.DataFrame({"t": ["a"], "x1": [1], "x2": [2]})
    >>> pd.lreshape(df, {"x": ["x1", "x2"]}).x.to_list()
    [1, 2]
    """
    lengths = {len(labels) for labels in groups.values()}
    if len(lengths) > 1:
        raise ValueError("All column lists must be same length")
    gone = {label for labels in groups.values() for label in labels}
    kept = [label for label in data._labels.values if label not in gone]
    parts = [
        frame(
            [*(data._column(one) for one in kept), *(data._column(labels[place]) for labels in groups.values())],
            Labels([*kept, *groups]), data._index,
        )
        for place in range(lengths.pop() if lengths else 0)
    ]  # fmt: skip
    made = concat(parts, ignore_index=True)
    return made.dropna(subset=list(groups)).reset_index(drop=True) if dropna else made


def from_dummies(data: Any, sep: str | None = None, default_category: Any = None) -> Any:
    """A frame of categories of columns of 0 and 1: what `get_dummies` made.

    Examples
    --------
    >>> import atoll.pandas as pd
    >>> pd.from_dummies(pd.DataFrame({"a": [1, 0], "b": [0, 1]})).iloc[:, 0].to_list()
    ['a', 'b']
    """
    if data.isna().any().any():
        raise ValueError("Dummy DataFrame contains NA value")
    groups: dict[str, list[Any]] = {}
    for label in data._labels.values:
        if sep is None:
            groups.setdefault("", []).append(label)
        elif sep not in label:
            raise ValueError(f"Separator not specified for column: {label}")
        else:
            groups.setdefault(label.split(sep)[0], []).append(label)
    held, names = [], []
    for name, labels in groups.items():
        table = stack([data._column(one).astype(np.int64) for one in labels], axis=1)
        totals = table.sum(axis=1)
        if bool((totals > 1).any()):
            row = int((totals > 1).argmax())
            raise ValueError(f"Dummy DataFrame contains multi-assignment(s); First instance in row: {row}")
        default = default_category.get(name) if isinstance(default_category, dict) else default_category
        if bool((totals == 0).any()) and default is None:
            row = int((totals == 0).argmax())
            raise ValueError(f"Dummy DataFrame contains unassigned value(s); First instance in row: {row}")
        found = [label if sep is None else label[len(name) + len(sep) :] for label in labels]
        if default is not None:
            found.append(default)
        codes = (table * asarray(np.arange(len(labels)))).sum(axis=1)
        codes = codes + (totals == 0) * len(labels)
        held.append(take(strings(found), codes))
        names.append(name)
    return frame(held, Labels(names), data._index)
